//! Pages on the web as inputs, and where their links may lead.

use relink_testkit::canary::Canary;
use relink_testkit::web::TestServer;

use crate::desk::{Desk, QUICK};
use crate::servers::Beside;

#[test]
fn the_links_of_a_page_are_checked_from_where_it_stands() {
    let web = TestServer::start_blocking();
    web.redirect("/start", 302, "/docs/index.html").page(
        "/docs/index.html",
        200,
        "<a href=good.html>good</a> <a href='/gone'>gone</a> <a href='http2.html#a'>two</a>",
    );
    web.page("/docs/good.html", 200, "").page("/docs/http2.html", 200, "");
    let desk = Desk::new();
    let start = web.url("/start");
    let rows = desk.check(&[start.as_str()]).exits(1).rows();
    assert_eq!(rows.word(&start), "alive");
    assert_eq!(rows.word(web.url("/docs/good.html")), "alive");
    assert_eq!(rows.word(web.url("/docs/http2.html")), "alive");
    assert_eq!(rows.word(web.url("/gone")), "dead RL101");
    assert_eq!(rows.of(web.url("/gone"))["places"][0]["path"], start.as_str());
    assert_eq!(web.hits("/start"), 1);
}

#[test]
fn a_base_in_the_page_is_honored() {
    let web = TestServer::start_blocking();
    web.page("/index.html", 200, "<base href='/deep/'><a href=a>a</a>").page("/deep/a", 200, "");
    let desk = Desk::new();
    let rows = desk.check(&[web.url("/index.html").as_str()]).exits(0).rows();
    assert_eq!(rows.word(web.url("/deep/a")), "alive");
}

#[test]
fn a_base_that_is_no_place_is_as_if_there_were_none() {
    let web = TestServer::start_blocking();
    web.page("/deep/a.html", 200, "");
    let desk = Desk::new();
    desk.write("deep/a.html", "");
    for base in ["javascript:void(0)", "data:,x", " JavaScript:x"] {
        let page = format!("<base href='{base}'><a href=a.html>a</a>");
        web.page("/deep/index.html", 200, &page);
        desk.write("deep/index.html", &page);
        let start = web.url("/deep/index.html").to_string();
        let rows = desk.check(&[&start, "deep/index.html"]).exits(0).rows();
        assert_eq!(rows.word(web.url("/deep/a.html")), "alive");
        assert_eq!(rows.word("a.html"), "alive");
        desk.run(&[&["crawl", "--db", "crawl.db", &start], QUICK].concat()).exits(0);
    }
}

#[test]
fn a_page_that_is_gone_is_a_finding() {
    let web = TestServer::start_blocking();
    let rows = Desk::new().check(&[web.url("/gone").as_str()]).exits(1).rows();
    assert_eq!(rows.word(web.url("/gone")), "dead RL101");
}

#[test]
fn a_link_on_a_page_does_not_lead_into_a_private_address() {
    let (web, canary) = (TestServer::start_blocking(), Beside::start(Canary::start()));
    let inside = format!("http://{}/admin", canary.address());
    web.page("/", 200, &format!("<a href='{inside}'>inside</a>"));
    let desk = Desk::new();
    let rows = desk.check(&[web.url("/").as_str()]).exits(0).rows();
    assert_eq!(rows.word(&inside), "blocked RL490");
    assert_eq!(canary.connects(), 0);
}

#[test]
fn a_redirect_does_not_lead_into_a_private_address() {
    let (web, canary) = (TestServer::start_blocking(), Beside::start(Canary::start()));
    web.redirect("/out", 302, &format!("http://{}/admin", canary.address()));
    web.redirect("/v6", 302, &format!("http://[::1]:{}/admin", canary.port()));
    web.redirect("/octal", 302, &format!("http://0177.1:{}/admin", canary.port()));
    let desk = Desk::new();
    let urls = ["/out", "/v6", "/octal"].map(|path| web.url(path));
    desk.list("urls.txt", &urls);
    let rows = desk.check(&["urls.txt"]).exits(0).rows();
    assert_eq!(urls.map(|url| rows.word(url)), ["blocked RL490"; 3]);
    assert_eq!(canary.connects(), 0);
}

#[test]
fn allow_private_lets_pages_and_redirects_lead_anywhere() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    other.page("/a", 200, "").page("/b", 200, "");
    web.redirect("/out", 302, other.url("/a").as_str());
    web.page("/", 200, &format!("<a href='/out'>a</a> <a href='{}'>b</a>", other.url("/b")));
    let desk = Desk::new();
    let rows = desk.check(&["--allow-private", web.url("/").as_str()]).exits(0).rows();
    assert_eq!(rows.word(web.url("/out")), "alive");
    assert_eq!(rows.word(other.url("/b")), "alive");
}

#[test]
fn a_name_given_an_address_is_asked_there() {
    let web = TestServer::start_blocking();
    let site = web.host("docs.example.org");
    site.page("/good", 200, "").redirect("/old", 301, "/good");
    let desk = Desk::new();
    desk.list("urls.txt", [site.url("/good"), site.url("/old"), site.url("/gone")]);
    let resolve = format!("docs.example.org:{}:127.0.0.1", web.port());
    let rows = desk.check(&["--resolve", &resolve, "urls.txt"]).exits(1).rows();
    assert_eq!(rows.word(site.url("/good")), "alive");
    assert_eq!(rows.word(site.url("/old")), "moved RL201");
    assert_eq!(rows.word(site.url("/gone")), "dead RL101");
    assert_eq!(site.hits("/good"), 2);
}
