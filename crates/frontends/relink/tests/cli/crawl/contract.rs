//! `--format jsonl` of a crawl: fields in addition to those of `check`.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use relink_testkit::web::TestServer;

use super::{add_pages, crawl, generated_pages, requested_paths, site};
use crate::sandbox::Sandbox;

#[test]
fn row_has_depth_first_linking_page_and_inlinks() {
    let web = site(
        "
        / /a /b
        /a /b /c
        /b /c /
        /c /gone
    ",
    );
    let home = web.url("/");
    let rows = crawl(&Sandbox::new(), &[home.as_str()]).exits(1).rows();
    assert_eq!(rows.results.len(), 5);
    for row in &rows.results {
        let row = row.as_object().unwrap();
        assert!(row["depth"].is_u64() && row["from"].is_string(), "{row:?}");
        assert!(row["inlinks"].as_u64().unwrap() > 0, "{row:?}");
    }
    // Returns depth, linking page (`arguments` for the command line) and verdict.
    let summary = |path: &str| {
        let row = rows.row(web.url(path));
        let from = row["from"].as_str().unwrap().replace(home.as_str(), "/");
        format!("{} {from} {}", row["depth"], row["verdict"].as_str().unwrap())
    };
    assert_eq!(summary("/"), "0 arguments alive");
    assert_eq!(summary("/a"), "1 / alive");
    assert_eq!(summary("/b"), "1 / alive");
    assert_eq!(summary("/c"), "2 /a alive");
    assert_eq!(summary("/gone"), "3 /c dead");
    // Pages are crawled breadth first, so both linking pages are read before `/c`.
    assert_eq!(rows.row(web.url("/c"))["inlinks"], 2);
}

#[test]
fn external_links_are_checked_but_not_followed() {
    let other = site(
        "
        /page /deeper
        /deeper
    ",
    );
    let web = TestServer::start_blocking();
    let links = [other.url("/page"), other.url("/gone")].map(String::from);
    add_pages(&web, &format!("/ {}", links.join(" ")));
    let start = web.url("/");
    let rows = crawl(&Sandbox::new(), &[start.as_str(), "--allow-private"]).exits(1).rows();
    assert_eq!(rows.verdict(&links[0]), "alive");
    assert_eq!(rows.verdict(&links[1]), "dead RL101");
    assert_eq!(rows.row(&links[0])["depth"], 1);
    assert_eq!(rows.results.len(), 3);
    assert_eq!(other.hits("/deeper"), 0);
}

#[test]
fn no_external_flag_skips_external_links() {
    let other = site("/page");
    let web = TestServer::start_blocking();
    add_pages(&web, &format!("/ {} /a\n/a", other.url("/page")));
    let start = web.url("/");
    let args = [start.as_str(), "--allow-private", "--no-external"];
    assert_eq!(crawl(&Sandbox::new(), &args).exits(0).rows().results.len(), 2);
    assert_eq!(other.requests().len(), 0);
}

#[test]
fn malformed_link_is_reported_with_its_page() {
    let web = TestServer::start_blocking();
    let body = "<a href='http://exa mple.org:port/'>broken</a> <a href='/a'>fine</a>";
    web.page("/", 200, &generated_pages::with_body("home", body));
    add_pages(&web, "/a");
    let start = web.url("/");
    let rows = crawl(&Sandbox::new(), &[start.as_str()]).exits(1).rows();
    let broken: Vec<_> = rows.results.iter().filter(|row| row["verdict"] == "local").collect();
    let [broken] = broken[..] else { panic!("{rows:?}") };
    assert_eq!(broken["from"], start.as_str());
    assert_eq!(broken["depth"], 1);
    assert_eq!(broken["inlinks"], 1);
}

#[test]
fn non_web_links_are_not_targets() {
    let web = TestServer::start_blocking();
    let body = "<a href='mailto:me@example.org'>x</a><a href='tel:1'>x</a><a href='#top'>x</a>
                <a href='javascript:void(0)'>x</a><img src='data:image/png;base64,AAAA'>";
    web.page("/", 200, &generated_pages::with_body("home", body));
    let start = web.url("/");
    assert_eq!(crawl(&Sandbox::new(), &[start.as_str()]).exits(0).rows().results.len(), 1);
    assert_eq!(requested_paths(&web), ["/"]);
}

#[test]
fn images_scripts_and_styles_are_checked() {
    let web = TestServer::start_blocking();
    let body = "<img src='/logo.png'><script src='/code.js'></script>
                <link rel=stylesheet href='/style.css'>";
    web.page("/", 200, &generated_pages::with_body("home", body));
    let start = web.url("/");
    let rows = crawl(&Sandbox::new(), &[start.as_str()]).exits(1).rows();
    for path in ["/logo.png", "/code.js", "/style.css"] {
        assert_eq!(rows.verdict(web.url(path)), "dead RL101");
    }
}

#[test]
fn equivalent_urls_are_requested_once() {
    let web = site(
        "
        / /a /a#part /./a /b/../a /a?utm_source=mail&fbclid=x
        /a
    ",
    );
    let start = web.url("/");
    crawl(&Sandbox::new(), &[start.as_str()]);
    assert_eq!(requested_paths(&web), ["/", "/a"]);
}

#[test]
fn invalid_start_url_is_a_usage_error() {
    let output = crawl(&Sandbox::new(), &["not a url"]);
    output.fails(2, &["cannot crawl `not a url`", "relink crawl https://"]);
}

/// The robots.txt of an unreachable host is unknown.
#[test]
fn link_to_an_unreachable_host_is_failing_and_not_disallowed_by_robots() {
    let refused = crate::servers::RefusedPort::new();
    let web = TestServer::start_blocking();
    add_pages(&web, &format!("/ {}", refused.url("/page")));
    let start = web.url("/");
    let rows = crawl(&Sandbox::new(), &[start.as_str(), "--allow-private"]).rows();
    assert_eq!(rows.verdict(refused.url("/page")), "failing RL541");
}

#[test]
fn unreachable_site_is_inconclusive() {
    let refused = crate::servers::RefusedPort::new();
    let output = crawl(&Sandbox::new(), &[&refused.url("/")]).exits(3);
    assert!(output.stderr.contains("no host responded"), "{}", output.stderr);
}

/// Starts a site with a home page whose links contain placeholders of templates. `attributes`
/// are the attributes of the root element of the page.
fn page_with_placeholders(attributes: &str) -> TestServer {
    let web = site("/good");
    let links = "<a href='{{ url }}'>a</a><a href='/x/${name}'>b</a><a href='<%= c %>'>c</a>\
                 <img src='{% static d %}'><a href='/%7B%7Be%7D%7D'>e</a><a href='/good'>g</a>\
                 <!-- <a href='{{ f }}'> --><template><a href='{{ g }}'>g</a></template>";
    web.page("/", 200, &format!("<!doctype html><html {attributes}><title>T</title>{links}"));
    web
}

#[test]
fn placeholders_on_a_published_page_are_findings() {
    let web = page_with_placeholders("");
    let rows = crawl(&Sandbox::new(), &[web.url("/").as_str()]).exits(1).rows();
    for text in ["{{ url }}", "/x/${name}", "<%= c %>", "{% static d %}", "/%7B%7Be%7D%7D"] {
        assert_eq!(rows.verdict(text), "local RL604", "{text}");
    }
    assert_eq!(rows.verdict(web.url("/good")), "alive");
    assert_eq!(rows.results.len(), 7, "{rows:?}");
    let checked = Sandbox::new().check(&[web.url("/").as_str()]).exits(1).rows();
    assert_eq!(checked.verdict("{{ url }}"), "local RL604");
}

#[test]
fn placeholders_replaced_by_scripts_are_not_findings() {
    let web = page_with_placeholders("ng-app=shop");
    let rows = crawl(&Sandbox::new(), &[web.url("/").as_str(), "--render", "never"]).rows();
    assert!(!rows.results.iter().any(|row| row["code"] == "RL604"), "{rows:?}");
}

#[test]
fn placeholders_in_a_file_are_skipped_and_counted() {
    let sandbox = Sandbox::new();
    sandbox.write("page.html", "<a href='{{ url }}'>a</a>");
    let output = sandbox.check_human(&["--format", "json", "page.html"]).exits(0);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["summary"]["skipped"]["placeholder"], 1);
}
