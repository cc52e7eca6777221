//! What scripts write is read.

use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};
use url::Url;

use crate::{browser, check_says, found, html, named};

/// An application whose links come from its server, after its page.
const SHELL: &str = r#"<!doctype html><title>Loading</title><div id="app"></div>
<script>
fetch('/api').then(answer => answer.json()).then(list => {
    document.title = 'Library';
    for (const path of list) {
        const link = document.createElement('a');
        link.href = path;
        link.append(path);
        document.getElementById('app').append(link);
    }
});
</script>"#;

#[tokio::test]
async fn links_that_a_script_makes_are_there() {
    let web = TestServer::start().await;
    let list =
        CannedResponse::new(200, r#"["/one", "/two"]"#).header("Content-Type", "application/json");
    web.page("/", 200, SHELL).answer("/api", list.after(Duration::from_millis(300)));
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    check_says(&rendered, r#"<a href="/one">/one</a><a href="/two">/two</a>"#);
    assert_eq!(rendered.title, "Library");
    assert_eq!(rendered.status, Some(200));
    assert_eq!(rendered.url, web.url("/"));
    assert_eq!((rendered.truncation, rendered.requests, rendered.refused), (None, 2, 0));
    assert_eq!(web.hits("/favicon.ico"), 0, "nobody asked for it");
}

#[tokio::test]
async fn links_in_shadow_trees_are_there() {
    let web = TestServer::start().await;
    let page = r#"<html lang="de"><body><my-menu></my-menu><script>
        customElements.define('my-menu', class extends HTMLElement {
            connectedCallback() {
                this.attachShadow({ mode: 'open' }).innerHTML = '<a href="/deep">deep</a>';
            }
        });
        </script>"#;
    web.page("/", 200, page);
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    check_says(&rendered, r#"<a href="/deep">deep</a>"#);
    assert!(html(&rendered).starts_with(r#"<!DOCTYPE html><html lang="de">"#));
}

#[tokio::test]
async fn redirects_of_servers_and_scripts_are_followed() {
    let web = TestServer::start().await;
    web.redirect("/", 302, "/script")
        .page("/script", 200, "<script>location.replace('/end?x=1')</script>")
        .page("/end?x=1", 404, "<title>End</title><script>document.write('written')</script>");
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    assert_eq!(rendered.url, web.url("/end?x=1"));
    assert_eq!(rendered.status, Some(404));
    assert_eq!(rendered.title, "End");
    check_says(&rendered, "written");
}

#[tokio::test]
async fn a_page_cannot_answer_for_us() {
    let web = TestServer::start().await;
    let page = r#"<a href="/true">true</a><script>
        document.documentElement.getHTML = () => 'lie';
        Element.prototype.getHTML = () => 'lie';
        Object.defineProperty(document, 'URL', { get: () => 'http://lie.test/' });
        Array.prototype.join = () => { throw 1 };
        document.title = 'a\ud800b';
        </script>"#;
    web.page("/", 200, page);
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    assert_eq!(rendered.url, web.url("/"));
    assert_eq!(rendered.title, "a\u{fffd}b");
    check_says(&rendered, r#"<a href="/true">true</a>"#);
}

#[tokio::test]
async fn pages_are_strangers_to_each_other() {
    let web = TestServer::start().await;
    let page = "<p id=p></p><script>
        p.textContent = 'kept: ' + document.cookie + localStorage.length + '.';
        document.cookie = 'seen=1';
        localStorage.setItem('seen', 1);
        </script>";
    web.page("/", 200, page);
    let browser = browser();
    for _ in 0..2 {
        check_says(&named(&browser, web.url("/")).await.unwrap(), "kept: 0.");
    }
    let (one, two) = tokio::join!(named(&browser, web.url("/")), named(&browser, web.url("/")));
    check_says(&one.unwrap(), "kept: 0.");
    check_says(&two.unwrap(), "kept: 0.");
}

#[tokio::test]
async fn servers_are_told_who_asks() {
    let web = TestServer::start().await;
    web.page("/", 200, "hello");
    named(&browser(), web.url("/")).await.unwrap();
    let requests = web.requests();
    let agent = requests[0].header("user-agent").unwrap();
    assert!(agent.starts_with("Mozilla/5.0") && agent.contains("Relink/"), "{agent}");
}

#[tokio::test]
async fn a_page_that_is_not_there_says_why() {
    let port = TestServer::start().await.port();
    let url = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
    let browser = browser();
    let error = named(&browser, url.clone()).await.unwrap_err();
    assert!(error.to_string().contains("refused"), "{error}");
    let unnamed = found(&browser, url).await.unwrap_err();
    assert!(unnamed.to_string().contains("private address"), "{unnamed}");
}
