//! `--format jsonl`: what scripts rely on, beside what `check` says.

use relink_testkit::web::TestServer;

use super::{add_pages, asked, crawl, site, written};
use crate::desk::Desk;

#[test]
fn every_row_tells_its_depth_the_first_page_that_links_it_and_its_inlinks() {
    let web = site(
        "
        / /a /b
        /a /b /c
        /b /c /
        /c /gone
    ",
    );
    let home = web.url("/");
    let rows = crawl(&Desk::new(), &[home.as_str()]).exits(1).rows();
    assert_eq!(rows.0.len(), 5);
    for row in &rows.0 {
        let row = row.as_object().unwrap();
        assert!(row["depth"].is_u64() && row["from"].is_string(), "{row:?}");
        assert!(row["inlinks"].as_u64().unwrap() > 0, "{row:?}");
    }
    let told = |path: &str| {
        let row = rows.of(web.url(path));
        let from = row["from"].as_str().unwrap().replace(home.as_str(), "/");
        format!("{} {from} {}", row["depth"], row["verdict"].as_str().unwrap())
    };
    assert_eq!(told("/"), "0 arguments alive");
    assert_eq!(told("/a"), "1 / alive");
    assert_eq!(told("/b"), "1 / alive");
    assert_eq!(told("/c"), "2 /a alive");
    assert_eq!(told("/gone"), "3 /c dead");
    // With one worker, breadth first, both pages above were read by then.
    assert_eq!(rows.of(web.url("/c"))["inlinks"], 2);
}

#[test]
fn other_sites_are_checked_and_not_followed() {
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
    let rows = crawl(&Desk::new(), &[start.as_str(), "--allow-private"]).exits(1).rows();
    assert_eq!(rows.word(&links[0]), "alive");
    assert_eq!(rows.word(&links[1]), "dead RL101");
    assert_eq!(rows.of(&links[0])["depth"], 1);
    assert_eq!(rows.0.len(), 3);
    assert_eq!(other.hits("/deeper"), 0);
}

#[test]
fn other_sites_are_left_alone_if_that_is_wanted() {
    let other = site("/page");
    let web = TestServer::start_blocking();
    add_pages(&web, &format!("/ {} /a\n/a", other.url("/page")));
    let start = web.url("/");
    let args = [start.as_str(), "--allow-private", "--no-external"];
    assert_eq!(crawl(&Desk::new(), &args).exits(0).rows().0.len(), 2);
    assert_eq!(other.requests().len(), 0);
}

#[test]
fn a_malformed_link_is_reported_with_the_page_it_stands_on() {
    let web = TestServer::start_blocking();
    let body = "<a href='http://exa mple.org:port/'>broken</a> <a href='/a'>fine</a>";
    web.page("/", 200, &written::with_body("home", body));
    add_pages(&web, "/a");
    let start = web.url("/");
    let rows = crawl(&Desk::new(), &[start.as_str()]).exits(1).rows();
    let broken: Vec<_> = rows.0.iter().filter(|row| row["verdict"] == "local").collect();
    let [broken] = broken[..] else { panic!("{rows:?}") };
    assert_eq!(broken["from"], start.as_str());
    assert_eq!((broken["depth"].as_u64(), broken["inlinks"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn what_is_no_page_is_no_target() {
    let web = TestServer::start_blocking();
    let body = "<a href='mailto:me@example.org'>x</a><a href='tel:1'>x</a><a href='#top'>x</a>
                <a href='javascript:void(0)'>x</a><img src='data:image/png;base64,AAAA'>";
    web.page("/", 200, &written::with_body("home", body));
    let start = web.url("/");
    assert_eq!(crawl(&Desk::new(), &[start.as_str()]).exits(0).rows().0.len(), 1);
    assert_eq!(asked(&web), ["/"]);
}

#[test]
fn pictures_scripts_and_styles_are_links_too() {
    let web = TestServer::start_blocking();
    let body = "<img src='/logo.png'><script src='/code.js'></script>
                <link rel=stylesheet href='/look.css'>";
    web.page("/", 200, &written::with_body("home", body));
    let start = web.url("/");
    let rows = crawl(&Desk::new(), &[start.as_str()]).exits(1).rows();
    for path in ["/logo.png", "/code.js", "/look.css"] {
        assert_eq!(rows.word(web.url(path)), "dead RL101");
    }
}

#[test]
fn many_names_for_one_page_are_asked_once() {
    let web = site(
        "
        / /a /a#part /./a /b/../a /a?utm_source=mail&fbclid=x
        /a
    ",
    );
    let start = web.url("/");
    crawl(&Desk::new(), &[start.as_str()]);
    assert_eq!(asked(&web), ["/", "/a"]);
}

#[test]
fn a_seed_that_is_no_address_is_a_wrong_command_line() {
    let said = crawl(&Desk::new(), &["not a url"]);
    said.fails(2, &["cannot crawl `not a url`", "relink crawl https://"]);
}

/// Nobody is there to say what robots may do, and nothing is asked of anybody.
#[test]
fn a_dead_host_is_dead_and_not_closed_to_robots() {
    let nobody = crate::servers::Deserted::new();
    let web = TestServer::start_blocking();
    add_pages(&web, &format!("/ {}", nobody.url("/page")));
    let start = web.url("/");
    let rows = crawl(&Desk::new(), &[start.as_str(), "--allow-private"]).rows();
    assert_eq!(rows.word(nobody.url("/page")), "failing RL541");
}

#[test]
fn a_site_that_does_not_answer_decides_nothing() {
    let nobody = crate::servers::Deserted::new();
    let said = crawl(&Desk::new(), &[&nobody.url("/")]).exits(3);
    assert!(said.stderr.contains("no host answered"), "{}", said.stderr);
}

/// A page with links as a template would have them.
fn unfilled(attributes: &str) -> TestServer {
    let web = site("/good");
    let links = "<a href='{{ url }}'>a</a><a href='/x/${name}'>b</a><a href='<%= c %>'>c</a>\
                 <img src='{% static d %}'><a href='/%7B%7Be%7D%7D'>e</a><a href='/good'>g</a>\
                 <!-- <a href='{{ f }}'> --><template><a href='{{ g }}'>g</a></template>";
    web.page("/", 200, &format!("<!doctype html><html {attributes}><title>T</title>{links}"));
    web
}

#[test]
fn placeholders_on_a_published_page_are_findings() {
    let web = unfilled("");
    let rows = crawl(&Desk::new(), &[web.url("/").as_str()]).exits(1).rows();
    for text in ["{{ url }}", "/x/${name}", "<%= c %>", "{% static d %}", "/%7B%7Be%7D%7D"] {
        assert_eq!(rows.word(text), "local RL604", "{text}");
    }
    assert_eq!(rows.word(web.url("/good")), "alive");
    assert_eq!(rows.0.len(), 7, "{rows:?}");
    let checked = Desk::new().check(&[web.url("/").as_str()]).exits(1).rows();
    assert_eq!(checked.word("{{ url }}"), "local RL604");
}

#[test]
fn placeholders_that_a_script_replaces_are_none() {
    let web = unfilled("ng-app=shop");
    let rows = crawl(&Desk::new(), &[web.url("/").as_str(), "--render", "never"]).rows();
    assert!(!rows.0.iter().any(|row| row["code"] == "RL604"), "{rows:?}");
}

#[test]
fn placeholders_in_a_file_are_skipped_and_counted() {
    let desk = Desk::new();
    desk.write("page.html", "<a href='{{ url }}'>a</a>");
    let said = desk.report(&["--format", "json", "page.html"]).exits(0);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(report["summary"]["skipped"]["placeholder"], 1);
}
