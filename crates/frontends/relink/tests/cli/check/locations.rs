//! Anchors of web pages, looked for if the user asks.

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::desk::Desk;

const PAGE: &str = "<!doctype html><title>Guide</title><h1 id=intro>Intro</h1>\
                    <p>Some words.</p><a name='old name'></a><h2 id=two>Two</h2>";

fn html(body: impl Into<Vec<u8>>) -> CannedResponse {
    CannedResponse::new(200, body).header("Content-Type", "text/html; charset=utf-8")
}

fn guide() -> TestServer {
    let web = TestServer::start_blocking();
    web.answer("/guide", html(PAGE));
    web
}

/// Checks that of links to `/guide` with these fragments exactly some have no
/// place there.
#[track_caller]
fn check(web: &TestServer, fragments: &[&str], missing: &[&str]) {
    check_with(web, &[], fragments, missing);
}

/// The same, with more flags.
#[track_caller]
fn check_with(web: &TestServer, flags: &[&str], fragments: &[&str], missing: &[&str]) {
    let desk = Desk::new();
    desk.list(
        "urls.txt",
        fragments.iter().map(|fragment| format!("{}#{fragment}", web.url("/guide"))),
    );
    let said = desk.check(&[flags, &["--remote-anchors", "urls.txt"]].concat());
    let found: Vec<String> = said
        .rows()
        .0
        .iter()
        .filter(|row| row["code"] == "RL603")
        .map(|row| row["url"].as_str().unwrap().split_once('#').unwrap().1.to_owned())
        .collect();
    assert_eq!(found, missing, "{}", said.stdout);
}

#[test]
fn a_place_that_is_not_on_the_page_is_a_finding_of_its_own() {
    let web = guide();
    let desk = Desk::new();
    let (good, bad) =
        (format!("{}#intro", web.url("/guide")), format!("{}#gone", web.url("/guide")));
    desk.write("a.md", &format!("[a]({good})\n[b]({bad})\n\n[c]({bad})\n"));
    let rows = desk.check(&["--remote-anchors", "a.md"]).exits(1).rows();
    assert_eq!(rows.word(web.url("/guide")), "alive");
    assert_eq!(rows.word(&bad), "local RL603");
    let lines: Vec<&Value> =
        rows.of(&bad)["places"].as_array().unwrap().iter().map(|place| &place["line"]).collect();
    assert_eq!(lines, [2, 4]);
    assert_eq!(rows.of(&bad)["reason"], "no anchor `#gone` on that page");
    assert_eq!(rows.0.len(), 2);
}

#[test]
fn nobody_looks_for_places_unasked() {
    let web = guide();
    let desk = Desk::new();
    desk.list("urls.txt", [format!("{}#gone", web.url("/guide"))]);
    let rows = desk.check(&["urls.txt"]).exits(0).rows();
    assert_eq!(rows.0.len(), 1);
}

#[test]
fn ids_and_names_are_places_and_so_is_the_top() {
    check(&guide(), &["intro", "two", "old%20name", "", "top", "Top"], &[]);
    check(&guide(), &["Intro", "old"], &["Intro", "old"]);
}

#[test]
fn words_to_look_for_routes_and_lines_are_no_places() {
    check(&guide(), &[":~:text=words", "/a/b", "!a", "page=2", "L10-L20"], &[]);
    check(&guide(), &["gone:~:text=words"], &["gone"]);
}

#[test]
fn remote_anchor_with_escapes_in_its_id_is_found() {
    let web = TestServer::start_blocking();
    let page = "<!doctype html><title>Docs</title><h1 id=a>A</h1>\
                <section id='impl-From%3CT%3E'>From</section><h2 id='impl-Into<T>'>Into</h2>\
                <pre><a id=1>1</a><a id=2>2</a><a id=3>3</a></pre>";
    web.answer("/guide", html(page));
    check(&web, &["impl-From%3CT%3E", "impl-From<T>", "impl-Into%3CT%3E", "impl-Into<T>"], &[]);
    check(&web, &["1-3"], &[]);
    check(&web, &["impl-From", "impl-Into%253CT%253E"], &["impl-From", "impl-Into%253CT%253E"]);
    check(&web, &["1-4"], &["1-4"]);
}

#[test]
fn many_places_of_one_page_cost_one_look() {
    let web = guide();
    check(&web, &["intro", "two", "gone", "lost"], &["gone", "lost"]);
    let sought = Desk::new();
    let other = guide();
    sought.list("urls.txt", [other.url("/guide")]);
    sought.check(&["urls.txt"]).exits(0);
    assert_eq!(web.hits("/guide"), other.hits("/guide"));
}

#[test]
fn what_scripts_build_cannot_be_told() {
    let web = TestServer::start_blocking();
    web.answer("/guide", html("<!doctype html><div id=app></div><script src=app.js></script>"));
    check(&web, &["part"], &[]);
}

#[test]
fn what_is_too_long_to_read_cannot_be_told() {
    let web = TestServer::start_blocking();
    web.answer("/guide", html(format!("{PAGE}{}", "<p>more</p>\n".repeat(4_000))));
    check_with(&web, &["--max-page-size", "10k"], &["gone"], &[]);
    check(&web, &["gone"], &["gone"]);
}

#[test]
fn anchors_of_pages_too_long_to_read_are_counted() {
    let web = TestServer::start_blocking();
    web.answer("/guide", html(format!("{PAGE}{}", "<p>more</p>\n".repeat(4_000))));
    let desk = Desk::new();
    desk.list("urls.txt", [format!("{}#gone", web.url("/guide"))]);
    let skipped = |flags: &[&str]| {
        let args = [&["--remote-anchors", "--format", "json", "urls.txt"], flags].concat();
        let report: Value = serde_json::from_str(&desk.report(&args).stdout).unwrap();
        report["summary"]["skipped"]["anchor"].clone()
    };
    assert_eq!(skipped(&["--max-page-size", "10k"]), 1);
    assert_eq!(skipped(&["--max-age", "0"]), Value::Null);
}

#[test]
fn a_long_page_is_read_further_than_others() {
    let web = TestServer::start_blocking();
    let page = format!("{PAGE}{}<h2 id=end>End</h2>", "<p>more</p>\n".repeat(100_000));
    web.answer("/guide", html(page));
    check(&web, &["end", "gone"], &["gone"]);
}

#[test]
fn a_redirect_leads_to_the_places_of_its_page() {
    let web = guide();
    web.redirect("/old", 302, "/guide").redirect("/named", 302, "/guide#two");
    let desk = Desk::new();
    let urls =
        ["/old#two", "/old#gone", "/named#gone"].map(|path| web.url("/").join(path).unwrap());
    desk.list("urls.txt", &urls);
    let rows = desk.check(&["--remote-anchors", "urls.txt"]).exits(1).rows();
    assert_eq!(rows.word(&urls[1]), "local RL603");
    assert_eq!(rows.0.len(), 3);
}

#[test]
fn the_places_of_a_dead_page_are_not_missed() {
    let web = TestServer::start_blocking();
    let desk = Desk::new();
    desk.list("urls.txt", [format!("{}#part", web.url("/gone"))]);
    let rows = desk.check(&["--remote-anchors", "urls.txt"]).exits(1).rows();
    assert_eq!(rows.0.len(), 1);
}

#[test]
fn the_places_of_a_page_given_by_hand_are_its_own() {
    let web = TestServer::start_blocking();
    web.answer(
        "/",
        html("<h1 id=a>A</h1><a href='#a'>a</a> <a href='#b'>b</a> <a href='#top'>t</a>"),
    );
    let url = web.url("/");
    let rows = Desk::new().check(&["--remote-anchors", url.as_str()]).exits(1).rows();
    assert_eq!(rows.word(format!("{url}#b")), "local RL603");
    assert_eq!(rows.0.len(), 2);
    let plain = TestServer::start_blocking();
    plain.answer("/", html("<h1 id=a>A</h1>"));
    Desk::new().check(&[plain.url("/").as_str()]).exits(0);
    assert_eq!(web.hits("/"), plain.hits("/"));
}

#[test]
fn a_note_hides_a_missing_place() {
    let web = guide();
    let desk = Desk::new();
    let url = web.url("/guide");
    desk.write("a.md", &format!("[a]({url}#gone) <!-- relink:ignore RL603 -->\n[b]({url}#lost)\n"));
    let rows = desk.check(&["--remote-anchors", "a.md"]).exits(1).rows();
    assert_eq!(rows.word(format!("{url}#lost")), "local RL603");
    assert_eq!(rows.0.len(), 2);
}

#[test]
fn memory_that_knows_no_places_is_not_trusted_and_one_that_does_is() {
    let web = guide();
    let desk = Desk::new();
    let url = web.url("/guide");
    desk.list("urls.txt", [url.to_string(), format!("{url}#gone")]);
    desk.check(&["urls.txt"]).exits(0);
    let hits = web.hits("/guide");
    let rows = desk.check(&["--remote-anchors", "urls.txt"]).exits(1).rows();
    assert_eq!(rows.word(format!("{url}#gone")), "local RL603");
    assert_eq!(rows.of(&url)["cached"], false);
    let looked = web.hits("/guide");
    assert!(looked > hits);
    let rows = desk.check(&["--remote-anchors", "urls.txt"]).exits(1).rows();
    assert_eq!(rows.word(format!("{url}#gone")), "local RL603");
    assert_eq!(rows.of(&url)["cached"], true);
    assert_eq!(web.hits("/guide"), looked);
}

#[test]
fn the_page_and_its_missing_place_are_two_rows() {
    let web = guide();
    let desk = Desk::new();
    desk.list("urls.txt", [format!("{}#no%20place", web.url("/guide"))]);
    let rows = desk.check(&["--remote-anchors", "urls.txt"]).exits(1).rows();
    assert_eq!(rows.0.len(), 2);
    assert_eq!(rows.word(web.url("/guide")), "alive");
    assert_eq!(rows.word(format!("{}#no%20place", web.url("/guide"))), "local RL603");
}
