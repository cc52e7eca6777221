//! Tests of content created by scripts.

use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};
use url::Url;

use crate::{browser, check_contains, html, render_discovered, render_user_supplied};

/// An application that fetches its links after the page has loaded.
const SHELL: &str = r#"<!doctype html><title>Loading</title><div id="app"></div>
<script>
fetch('/api').then(response => response.json()).then(list => {
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
async fn links_created_by_scripts_are_included() {
    let web = TestServer::start().await;
    let list = CannedResponse::new(200, r#"["/one", "/two"]"#)
        .with_header("Content-Type", "application/json");
    web.page("/", 200, SHELL).respond("/api", list.with_delay(Duration::from_millis(300)));
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    check_contains(&rendered, r#"<a href="/one">/one</a><a href="/two">/two</a>"#);
    assert_eq!(rendered.title, "Library");
    assert_eq!(rendered.status, Some(200));
    assert_eq!(rendered.url, web.url("/"));
    assert_eq!((rendered.truncation, rendered.requests, rendered.blocked_requests), (None, 2, 0));
    assert_eq!(web.hits("/favicon.ico"), 0, "the icon was requested");
}

#[tokio::test]
async fn links_in_shadow_trees_are_included() {
    let web = TestServer::start().await;
    let page = r#"<html lang="de"><body><my-menu></my-menu><script>
        customElements.define('my-menu', class extends HTMLElement {
            connectedCallback() {
                this.attachShadow({ mode: 'open' }).innerHTML = '<a href="/deep">deep</a>';
            }
        });
        </script>"#;
    web.page("/", 200, page);
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    check_contains(&rendered, r#"<a href="/deep">deep</a>"#);
    assert!(html(&rendered).starts_with(r#"<!DOCTYPE html><html lang="de">"#));
}

#[tokio::test]
async fn redirects_of_servers_and_scripts_are_followed() {
    let web = TestServer::start().await;
    web.redirect("/", 302, "/script")
        .page("/script", 200, "<script>location.replace('/end?x=1')</script>")
        .page("/end?x=1", 404, "<title>End</title><script>document.write('written')</script>");
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    assert_eq!(rendered.url, web.url("/end?x=1"));
    assert_eq!(rendered.status, Some(404));
    assert_eq!(rendered.title, "End");
    check_contains(&rendered, "written");
}

#[tokio::test]
async fn page_cannot_override_the_dom_functions_in_use() {
    let web = TestServer::start().await;
    let page = r#"<a href="/true">true</a><script>
        document.documentElement.getHTML = () => 'lie';
        Element.prototype.getHTML = () => 'lie';
        Object.defineProperty(document, 'URL', { get: () => 'http://lie.test/' });
        Array.prototype.join = () => { throw 1 };
        document.title = 'a\ud800b';
        </script>"#;
    web.page("/", 200, page);
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    assert_eq!(rendered.url, web.url("/"));
    assert_eq!(rendered.title, "a\u{fffd}b");
    check_contains(&rendered, r#"<a href="/true">true</a>"#);
}

#[tokio::test]
async fn pages_do_not_share_cookies_or_storage() {
    let web = TestServer::start().await;
    let page = "<p id=p></p><script>
        p.textContent = 'stored: ' + document.cookie + localStorage.length + '.';
        document.cookie = 'seen=1';
        localStorage.setItem('seen', 1);
        </script>";
    web.page("/", 200, page);
    let browser = browser();
    for _ in 0..2 {
        check_contains(&render_user_supplied(&browser, web.url("/")).await.unwrap(), "stored: 0.");
    }
    let (first, second) = tokio::join!(
        render_user_supplied(&browser, web.url("/")),
        render_user_supplied(&browser, web.url("/"))
    );
    check_contains(&first.unwrap(), "stored: 0.");
    check_contains(&second.unwrap(), "stored: 0.");
}

#[tokio::test]
async fn user_agent_contains_browser_and_relink() {
    let web = TestServer::start().await;
    web.page("/", 200, "hello");
    render_user_supplied(&browser(), web.url("/")).await.unwrap();
    let requests = web.requests();
    let user_agent = requests[0].header("user-agent").unwrap();
    assert!(
        user_agent.starts_with("Mozilla/5.0") && user_agent.contains("Relink/"),
        "{user_agent}"
    );
}

#[tokio::test]
async fn connection_failure_reports_the_reason() {
    let port = TestServer::start().await.port();
    let url = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
    let browser = browser();
    let error = render_user_supplied(&browser, url.clone()).await.unwrap_err();
    assert!(error.to_string().contains("refused"), "{error}");
    let error = render_discovered(&browser, url).await.unwrap_err();
    assert!(error.to_string().contains("private address"), "{error}");
}
