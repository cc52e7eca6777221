//! Pages listed only in a sitemap or a feed.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use relink_testkit::proxy::ForwardProxy;
use relink_testkit::web::{CannedResponse, TestServer};

use super::{crawl, requested_paths, site};
use crate::sandbox::Sandbox;
use crate::sitemap_xml::{gzip, index, urlset, xml};

/// A site with three pages that the home page does not reach: `/orphan`, `/beyond` and `/second`.
const SITE: &str = "
    / /a
    /a
    /orphan /beyond
    /beyond
    /second
";

/// Returns a URL as text.
fn url(web: &TestServer, path: &str) -> String {
    web.url(path).to_string()
}

/// Crawls a site and asserts the requested paths, sorted.
#[track_caller]
fn check(web: &TestServer, args: &[&str], expected: &[&str]) {
    let start = web.url("/");
    let output = crawl(&Sandbox::new(), &[&[start.as_str()], args].concat()).exits(0);
    let mut requests = requested_paths(web);
    requests.sort();
    assert_eq!(requests, expected, "{}", output.stdout);
}

#[test]
fn sitemaps_of_robots_txt_are_read_last() {
    let web = site(SITE);
    let line = format!("User-agent: *\nAllow: /\nSitemap: {}\n", web.url("/map.xml"));
    web.respond(
        "/robots.txt",
        CannedResponse::new(200, line).with_header("Content-Type", "text/plain"),
    );
    web.respond("/map.xml", xml(urlset(&[url(&web, "/a"), url(&web, "/orphan")])));
    let start = web.url("/");
    let rows = crawl(&Sandbox::new(), &[start.as_str()]).exits(0).rows();
    assert_eq!(requested_paths(&web), ["/", "/a", "/map.xml", "/orphan", "/beyond"]);
    assert_eq!(rows.row(web.url("/orphan"))["from"], web.url("/map.xml").as_str());
    assert_eq!(rows.verdict(web.url("/beyond")), "alive");
}

#[test]
fn no_sitemaps_skips_sitemaps() {
    let web = site(SITE);
    let line = format!("Sitemap: {}\n", web.url("/map.xml"));
    web.respond(
        "/robots.txt",
        CannedResponse::new(200, line).with_header("Content-Type", "text/plain"),
    );
    web.respond("/map.xml", xml(urlset(&[url(&web, "/orphan")])));
    check(&web, &["--no-sitemaps"], &["/", "/a"]);
}

#[test]
fn sitemap_flag_accepts_an_index_of_compressed_sitemaps() {
    let web = site(SITE);
    let maps = [url(&web, "/one.xml"), url(&web, "/two.xml.gz")];
    web.respond("/index.xml", xml(index(&maps)));
    web.respond("/one.xml", xml(urlset(&[url(&web, "/orphan")])));
    let second = gzip(&urlset(&[url(&web, "/second")]));
    web.respond(
        "/two.xml.gz",
        CannedResponse::new(200, second).with_header("Content-Type", "application/gzip"),
    );
    let map = url(&web, "/index.xml");
    let expected =
        ["/", "/a", "/beyond", "/index.xml", "/one.xml", "/orphan", "/second", "/two.xml.gz"];
    check(&web, &["--sitemap", &map], &expected);
}

#[test]
fn feed_is_read_for_links() {
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
    web.respond(
        "/feed.xml",
        CannedResponse::new(200, feed).with_header("Content-Type", "application/rss+xml"),
    );
    check(&web, &[], &["/", "/feed.xml", "/orphan"]);
}

#[test]
fn sitemap_flag_accepts_a_feed() {
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
    web.respond(
        "/atom.xml",
        CannedResponse::new(200, feed).with_header("Content-Type", "application/atom+xml"),
    );
    let feed_url = url(&web, "/atom.xml");
    check(&web, &["--sitemap", &feed_url], &["/", "/atom.xml", "/orphan"]);
}

/// Starts a site with a chain of `count` sitemap indexes. The index `/iN.xml` lists the next index
/// and the sitemap `/jN.xml`.
fn nested_indexes(count: u32) -> TestServer {
    let web = site(SITE);
    for number in 0..count {
        let next_index = url(&web, &format!("/i{}.xml", number + 1));
        let sitemap = url(&web, &format!("/j{number}.xml"));
        web.respond(&format!("/i{number}.xml"), xml(index(&[next_index, sitemap])));
        web.respond(&format!("/j{number}.xml"), xml(urlset(&[])));
    }
    web
}

#[test]
fn crawl_of_nested_sitemap_indexes_stops_and_reports_the_limit() {
    let web = nested_indexes(10);
    let (start, map) = (url(&web, "/"), url(&web, "/i0.xml"));
    let sandbox = Sandbox::new();
    let args = ["crawl", "--db", "relink.db", &start, "--sitemap", &map];
    let output = sandbox.run(&[&args[..], crate::sandbox::NO_DELAYS].concat());
    assert_eq!(web.hits("/i3.xml"), 1, "{}", output.stdout);
    assert_eq!(web.hits("/i4.xml"), 0, "{}", output.stdout);
    let expected = "2 listed in sitemaps beyond the limits";
    assert!(output.stdout.contains(expected), "{}", output.stdout);
    let output = sandbox.run(&["report", "--db", "relink.db", "--format", "json"]).exits(0);
    assert!(output.stdout.contains("listed in sitemaps beyond the limits"), "{}", output.stdout);
}

#[test]
fn sitemap_at_its_usual_url_is_read_without_a_line_in_robots_txt() {
    let web = site(SITE);
    web.respond("/sitemap.xml", xml(urlset(&[url(&web, "/orphan")])));
    check(&web, &[], &["/", "/a", "/beyond", "/orphan"]);
    assert_eq!(web.hits("/sitemap.xml"), 1);
}

#[test]
fn missing_sitemap_at_the_usual_url_is_not_reported() {
    let responses = [
        CannedResponse::new(404, "no"),
        CannedResponse::new(200, "<!doctype html><title>Shop</title><p>Everything is shown here."),
        CannedResponse::redirect(302, "/"),
        CannedResponse::new(503, "later"),
    ];
    for response in responses {
        let web = site(SITE);
        web.respond("/sitemap.xml", response);
        let rows = crawl(&Sandbox::new(), &[web.url("/").as_str()]).exits(0).rows();
        assert_eq!(rows.results.len(), 2, "{rows:?}");
        assert_eq!(web.hits("/sitemap.xml"), 1);
    }
}

#[test]
fn linked_sitemap_that_is_missing_is_a_finding() {
    let web = site("/ /sitemap.xml");
    let rows = crawl(&Sandbox::new(), &[web.url("/").as_str()]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/sitemap.xml")), "dead RL101");
}

#[test]
fn sitemap_lines_of_robots_txt_may_be_relative() {
    for line in ["/map.xml", "map.xml", "./map.xml"] {
        let web = site(SITE);
        let text = format!("Sitemap: {line}\n");
        web.respond(
            "/robots.txt",
            CannedResponse::new(200, text).with_header("Content-Type", "text/plain"),
        );
        web.respond("/map.xml", xml(urlset(&[url(&web, "/orphan")])));
        check(&web, &[], &["/", "/a", "/beyond", "/map.xml", "/orphan"]);
        assert_eq!(web.hits("/sitemap.xml"), 0);
    }
}

/// A host that only robots.txt names does not get the headers of the user.
#[test]
fn crawl_withholds_headers_from_sitemaps_of_other_hosts() {
    let web = site("/ /a\n/a");
    let proxy = ForwardProxy::start_blocking();
    let home = web.url_at("www.site.test", "/");
    let sitemap = web.url_at("maps.site.test", "/map.xml");
    let robots = format!("User-agent: *\nSitemap: {sitemap}\n");
    web.respond(
        "/robots.txt",
        CannedResponse::new(200, robots).with_header("Content-Type", "text/plain"),
    );
    let proxy = format!("http://{}", proxy.address());
    let args = [home.as_str(), "--scope", "domain", "--proxy", &proxy];
    crawl(&Sandbox::new(), &[&args[..], &["--header", "X-Secret: canary-7731"]].concat());
    let requests = web.requests();
    assert!(web.hits("/map.xml") > 0, "{requests:?}");
    for request in &requests {
        // Controls (URLs requested only for comparison) have long random names. They get no
        // headers of the user.
        let is_control = request.path.len() > 20;
        let is_user_supplied = request.host == "www.site.test" && !is_control;
        assert_eq!(request.header("x-secret").is_some(), is_user_supplied, "{request:?}");
    }
}
