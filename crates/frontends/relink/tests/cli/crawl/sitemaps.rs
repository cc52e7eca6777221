//! Pages that only a sitemap or a feed names.

use relink_testkit::proxy::ForwardProxy;
use relink_testkit::web::{CannedResponse, TestServer};

use super::{asked, crawl, site};
use crate::desk::Desk;
use crate::maps::{index, packed, urlset, xml};

const SITE: &str = "
    / /a
    /a
    /orphan /beyond
    /beyond
    /second
";

fn url(web: &TestServer, path: &str) -> String {
    web.url(path).to_string()
}

#[track_caller]
fn check(web: &TestServer, args: &[&str], expect: &[&str]) {
    let start = web.url("/");
    let said = crawl(&Desk::new(), &[&[start.as_str()], args].concat()).exits(0);
    let mut asked = asked(web);
    asked.sort();
    assert_eq!(asked, expect, "{}", said.stdout);
}

#[test]
fn sitemaps_that_robots_txt_names_are_read_last() {
    let web = site(SITE);
    let line = format!("User-agent: *\nAllow: /\nSitemap: {}\n", web.url("/map.xml"));
    web.answer("/robots.txt", CannedResponse::new(200, line).header("Content-Type", "text/plain"));
    web.answer("/map.xml", xml(urlset(&[url(&web, "/a"), url(&web, "/orphan")])));
    let start = web.url("/");
    let rows = crawl(&Desk::new(), &[start.as_str()]).exits(0).rows();
    assert_eq!(asked(&web), ["/", "/a", "/map.xml", "/orphan", "/beyond"]);
    assert_eq!(rows.of(web.url("/orphan"))["from"], web.url("/map.xml").as_str());
    assert_eq!(rows.word(web.url("/beyond")), "alive");
}

#[test]
fn they_can_be_left_alone() {
    let web = site(SITE);
    let line = format!("Sitemap: {}\n", web.url("/map.xml"));
    web.answer("/robots.txt", CannedResponse::new(200, line).header("Content-Type", "text/plain"));
    web.answer("/map.xml", xml(urlset(&[url(&web, "/orphan")])));
    check(&web, &["--no-sitemaps"], &["/", "/a"]);
}

#[test]
fn a_sitemap_can_be_named_and_may_be_an_index_of_packed_ones() {
    let web = site(SITE);
    let maps = [url(&web, "/one.xml"), url(&web, "/two.xml.gz")];
    web.answer("/index.xml", xml(index(&maps)));
    web.answer("/one.xml", xml(urlset(&[url(&web, "/orphan")])));
    let second = packed(&urlset(&[url(&web, "/second")]));
    web.answer(
        "/two.xml.gz",
        CannedResponse::new(200, second).header("Content-Type", "application/gzip"),
    );
    let map = url(&web, "/index.xml");
    let expect =
        ["/", "/a", "/beyond", "/index.xml", "/one.xml", "/orphan", "/second", "/two.xml.gz"];
    check(&web, &["--sitemap", &map], &expect);
}

#[test]
fn a_feed_is_read_for_its_links() {
    let web = site(
        "
        / /feed.xml
        /orphan
    ",
    );
    let feed = format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title>\
         <link>{}</link><item><title>One</title><link>{}</link></item></channel></rss>",
        web.url("/"),
        web.url("/orphan")
    );
    web.answer(
        "/feed.xml",
        CannedResponse::new(200, feed).header("Content-Type", "application/rss+xml"),
    );
    check(&web, &[], &["/", "/feed.xml", "/orphan"]);
}

#[test]
fn a_feed_can_be_named_as_a_sitemap_can() {
    let web = site(
        "
        /
        /orphan
    ",
    );
    let feed = format!(
        "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><title>News</title>\
         <entry><title>One</title><link href=\"{}\"/></entry></feed>",
        web.url("/orphan")
    );
    web.answer(
        "/atom.xml",
        CannedResponse::new(200, feed).header("Content-Type", "application/atom+xml"),
    );
    let named = url(&web, "/atom.xml");
    check(&web, &["--sitemap", &named], &["/", "/atom.xml", "/orphan"]);
}

/// A site whose sitemap index lists another index, and so on.
fn nested_indexes(count: u32) -> TestServer {
    let web = site(SITE);
    for n in 0..count {
        let next = [url(&web, &format!("/i{}.xml", n + 1)), url(&web, &format!("/j{n}.xml"))];
        web.answer(&format!("/i{n}.xml"), xml(index(&next)));
        web.answer(&format!("/j{n}.xml"), xml(urlset(&[])));
    }
    web
}

#[test]
fn crawl_of_nested_sitemap_indexes_stops_and_reports_what_was_cut() {
    let web = nested_indexes(10);
    let (start, map) = (url(&web, "/"), url(&web, "/i0.xml"));
    let desk = Desk::new();
    let args = ["crawl", "--db", "relink.db", &start, "--sitemap", &map];
    let said = desk.run(&[&args[..], crate::desk::QUICK].concat());
    assert_eq!([3, 4].map(|n| web.hits(&format!("/i{n}.xml"))), [1, 0], "{}", said.stdout);
    let expect = "2 named by sitemaps beyond the limits";
    assert!(said.stdout.contains(expect), "{}", said.stdout);
    let said = desk.run(&["report", "--db", "relink.db", "--format", "json"]).exits(0);
    assert!(said.stdout.contains("named by sitemaps beyond the limits"), "{}", said.stdout);
}

#[test]
fn sitemap_at_its_usual_url_is_read_without_a_line_in_robots_txt() {
    let web = site(SITE);
    web.answer("/sitemap.xml", xml(urlset(&[url(&web, "/orphan")])));
    check(&web, &[], &["/", "/a", "/beyond", "/orphan"]);
    assert_eq!(web.hits("/sitemap.xml"), 1);
}

#[test]
fn sitemap_guessed_in_vain_is_not_in_the_results() {
    let answers = [
        CannedResponse::new(404, "no"),
        CannedResponse::new(200, "<!doctype html><title>Shop</title><p>Everything is shown here."),
        CannedResponse::redirect(302, "/"),
        CannedResponse::new(503, "later"),
    ];
    for answer in answers {
        let web = site(SITE);
        web.answer("/sitemap.xml", answer);
        let rows = crawl(&Desk::new(), &[web.url("/").as_str()]).exits(0).rows();
        assert_eq!(rows.0.len(), 2, "{rows:?}");
        assert_eq!(web.hits("/sitemap.xml"), 1);
    }
}

#[test]
fn sitemap_that_a_page_links_and_that_is_missing_is_a_finding() {
    let web = site("/ /sitemap.xml");
    let rows = crawl(&Desk::new(), &[web.url("/").as_str()]).exits(1).rows();
    assert_eq!(rows.word(web.url("/sitemap.xml")), "dead RL101");
}

#[test]
fn sitemap_lines_of_robots_txt_may_be_relative() {
    for line in ["/map.xml", "map.xml", "./map.xml"] {
        let web = site(SITE);
        let text = format!("Sitemap: {line}\n");
        web.answer(
            "/robots.txt",
            CannedResponse::new(200, text).header("Content-Type", "text/plain"),
        );
        web.answer("/map.xml", xml(urlset(&[url(&web, "/orphan")])));
        check(&web, &[], &["/", "/a", "/beyond", "/map.xml", "/orphan"]);
        assert_eq!(web.hits("/sitemap.xml"), 0);
    }
}

/// A robots.txt file may name sitemaps of any host; that gives no rights there.
#[test]
fn crawl_withholds_headers_from_sitemaps_of_other_hosts() {
    let web = site("/ /a\n/a");
    let proxy = ForwardProxy::start_blocking();
    let [home, sitemap] = [("www.site.test", "/"), ("maps.site.test", "/map.xml")]
        .map(|(host, path)| web.url_at(host, path));
    let robots = format!("User-agent: *\nSitemap: {sitemap}\n");
    web.answer(
        "/robots.txt",
        CannedResponse::new(200, robots).header("Content-Type", "text/plain"),
    );
    let proxy = format!("http://{}", proxy.address());
    let args = [home.as_str(), "--scope", "domain", "--proxy", &proxy];
    crawl(&Desk::new(), &[&args[..], &["--header", "X-Secret: canary-7731"]].concat());
    let seen = web.requests();
    assert!(web.hits("/map.xml") > 0, "{seen:?}");
    for seen in &seen {
        let is_named = seen.host == "www.site.test";
        assert_eq!(seen.header("x-secret").is_some(), is_named, "{seen:?}");
    }
}
