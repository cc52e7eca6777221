//! Web pages as inputs. Links of these pages may lead to private addresses only with
//! `--allow-private`. A canary is a server that counts connections.

use relink_testkit::canary::Canary;
use relink_testkit::web::TestServer;

use crate::sandbox::{NO_DELAYS, Sandbox};
use crate::servers::BackgroundServer;

#[test]
fn links_of_a_remote_page_are_resolved_against_its_url() {
    let web = TestServer::start_blocking();
    web.redirect("/start", 302, "/docs/index.html").page(
        "/docs/index.html",
        200,
        "<a href=good.html>good</a> <a href='/gone'>gone</a> <a href='http2.html#a'>two</a>",
    );
    web.page("/docs/good.html", 200, "").page("/docs/http2.html", 200, "");
    let sandbox = Sandbox::new();
    let start = web.url("/start");
    let rows = sandbox.check(&[start.as_str()]).exits(1).rows();
    assert_eq!(rows.verdict(&start), "alive");
    assert_eq!(rows.verdict(web.url("/docs/good.html")), "alive");
    assert_eq!(rows.verdict(web.url("/docs/http2.html")), "alive");
    assert_eq!(rows.verdict(web.url("/gone")), "dead RL101");
    assert_eq!(rows.row(web.url("/gone"))["locations"][0]["path"], start.as_str());
    assert_eq!(web.hits("/start"), 1);
}

#[test]
fn base_element_of_a_remote_page_is_used() {
    let web = TestServer::start_blocking();
    web.page("/index.html", 200, "<base href='/deep/'><a href=a>a</a>").page("/deep/a", 200, "");
    let sandbox = Sandbox::new();
    let rows = sandbox.check(&[web.url("/index.html").as_str()]).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/deep/a")), "alive");
}

#[test]
fn invalid_base_element_is_ignored() {
    let web = TestServer::start_blocking();
    web.page("/deep/a.html", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write("deep/a.html", "");
    for base in ["javascript:void(0)", "data:,x", " JavaScript:x"] {
        let page = format!("<base href='{base}'><a href=a.html>a</a>");
        web.page("/deep/index.html", 200, &page);
        sandbox.write("deep/index.html", &page);
        let start = web.url("/deep/index.html").to_string();
        let rows = sandbox.check(&[&start, "deep/index.html"]).exits(0).rows();
        assert_eq!(rows.verdict(web.url("/deep/a.html")), "alive");
        assert_eq!(rows.verdict("a.html"), "alive");
        sandbox.run(&[&["crawl", "--db", "crawl.db", &start], NO_DELAYS].concat()).exits(0);
    }
}

#[test]
fn missing_input_page_is_a_finding() {
    let web = TestServer::start_blocking();
    let rows = Sandbox::new().check(&[web.url("/gone").as_str()]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/gone")), "dead RL101");
}

#[test]
fn links_of_remote_pages_to_private_addresses_are_blocked() {
    let (web, canary) = (TestServer::start_blocking(), BackgroundServer::start(Canary::start()));
    let private = format!("http://{}/admin", canary.address());
    web.page("/", 200, &format!("<a href='{private}'>private</a>"));
    let sandbox = Sandbox::new();
    let rows = sandbox.check(&[web.url("/").as_str()]).exits(0).rows();
    assert_eq!(rows.verdict(&private), "blocked RL490");
    assert_eq!(canary.connects(), 0);
}

#[test]
fn redirects_to_private_addresses_are_blocked() {
    let (web, canary) = (TestServer::start_blocking(), BackgroundServer::start(Canary::start()));
    web.redirect("/out", 302, &format!("http://{}/admin", canary.address()));
    web.redirect("/v6", 302, &format!("http://[::1]:{}/admin", canary.port()));
    web.redirect("/octal", 302, &format!("http://0177.1:{}/admin", canary.port()));
    let sandbox = Sandbox::new();
    let urls = ["/out", "/v6", "/octal"].map(|path| web.url(path));
    sandbox.write_urls("urls.txt", &urls);
    let rows = sandbox.check(&["urls.txt"]).exits(0).rows();
    assert_eq!(urls.map(|url| rows.verdict(url)), ["blocked RL490"; 3]);
    assert_eq!(canary.connects(), 0);
}

#[test]
fn allow_private_permits_links_and_redirects_to_private_addresses() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    other.page("/a", 200, "").page("/b", 200, "");
    web.redirect("/out", 302, other.url("/a").as_str());
    web.page("/", 200, &format!("<a href='/out'>a</a> <a href='{}'>b</a>", other.url("/b")));
    let sandbox = Sandbox::new();
    let rows = sandbox.check(&["--allow-private", web.url("/").as_str()]).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/out")), "alive");
    assert_eq!(rows.verdict(other.url("/b")), "alive");
}

#[test]
fn resolve_sends_requests_to_the_given_address() {
    let web = TestServer::start_blocking();
    let site = web.host("docs.example.org");
    site.page("/good", 200, "").redirect("/old", 301, "/good");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [site.url("/good"), site.url("/old"), site.url("/gone")]);
    let resolve = format!("docs.example.org:{}:127.0.0.1", web.port());
    let rows = sandbox.check(&["--resolve", &resolve, "urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(site.url("/good")), "alive");
    assert_eq!(rows.verdict(site.url("/old")), "moved RL201");
    assert_eq!(rows.verdict(site.url("/gone")), "dead RL101");
    assert_eq!(site.hits("/good"), 2);
}
