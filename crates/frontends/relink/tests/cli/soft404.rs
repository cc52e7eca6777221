//! Pages that answer and are not there: found by comparing, told with what was
//! compared, and remembered.

use std::collections::BTreeMap;
use std::time::Duration;

use relink_testkit::proxy::ForwardProxy;
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::desk::{Desk, Rows, Said};

/// A page about something, unlike any page about something else.
fn article(subject: &str) -> String {
    let words: Vec<String> = (b'a'..=b'z')
        .flat_map(|first| (b'a'..=b'd').map(move |second| [first, second]))
        .map(|[first, second]| format!("{subject}{}{}", char::from(first), char::from(second)))
        .collect();
    page(&format!("All about the {subject}"), &words.join(" "))
}

fn page(title: &str, text: &str) -> String {
    format!("<!doctype html><title>{title}</title><h1>{title}</h1><p>{text}</p>")
}

/// What the site shows wherever nothing is.
fn sorry() -> CannedResponse {
    CannedResponse::new(
        200,
        page("Library", "Sorry, there is nothing on this shelf. Try another one."),
    )
}

/// A site that answers everything below `/shelf/`, with two books there.
fn library() -> (TestServer, Desk) {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.page("/shelf/oak", 200, &article("oak")).page("/shelf/elm", 200, &article("elm"));
    web.below("/shelf/", sorry());
    let urls = ["/shelf/oak", "/shelf/elm", "/shelf/lost"].map(|path| web.url(path));
    desk.list("urls.txt", urls);
    (web, desk)
}

/// The paths asked that are in no list.
fn strays(web: &TestServer, listed: &[&str]) -> Vec<String> {
    let paths = web.requests().into_iter().map(|seen| seen.path);
    paths.filter(|path| !listed.contains(&path.as_str())).collect()
}

const LISTED: [&str; 3] = ["/shelf/oak", "/shelf/elm", "/shelf/lost"];

#[test]
fn a_page_that_equals_what_a_random_name_gets_is_a_soft_404() {
    let (web, desk) = library();
    let rows = desk.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(rows.word(web.url("/shelf/lost")), "soft-404 RL301");
    assert_eq!(rows.word(web.url("/shelf/oak")), "alive");
    assert_eq!(rows.word(web.url("/shelf/elm")), "alive");
}

#[test]
fn the_evidence_holds_the_comparison_and_how_sure_it_is() {
    let (web, desk) = library();
    let rows = desk.check(&["urls.txt"]).exits(1).rows();
    let row = rows.of(web.url("/shelf/lost"));
    let confidence = row["confidence"].as_f64().unwrap();
    assert!(confidence > 0.5 && confidence < 1.0, "{confidence}");
    let evidence = row["evidence"].as_array().unwrap();
    let found: Vec<&Value> =
        evidence.iter().filter(|piece| piece["kind"] == "comparison").collect();
    assert_eq!(found.len(), 1, "{row}");
    let stray = strays(&web, &LISTED)[0].clone();
    assert_eq!(found[0]["with"], "stray");
    assert_eq!(found[0]["url"], web.url(&stray).as_str());
    assert_eq!(found[0]["status"], 200);
    assert!(found[0]["resemblance"].as_f64().unwrap() > 0.9, "{row}");
}

#[test]
fn the_report_says_what_was_compared_and_how_many_answer_as_if_alive() {
    let (_web, desk) = library();
    let report = desk.report(&["urls.txt"]).exits(1).stdout;
    for piece in ["RL301 soft-404", "compared with", "confidence 0.", "1 of 1 dead link"] {
        assert!(report.contains(piece), "no `{piece}` in:\n{report}");
    }
}

#[test]
fn a_directory_costs_one_stray_however_many_pages_it_has() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let names: Vec<String> = ('a'..='z').map(|letter| letter.to_string().repeat(3)).collect();
    let paths: Vec<String> = names.iter().map(|name| format!("/shelf/{name}")).collect();
    for (path, name) in paths.iter().zip(&names) {
        web.page(path, 200, &article(name));
    }
    desk.list("urls.txt", paths.iter().map(|path| web.url(path)));
    desk.check(&["urls.txt"]).exits(0);
    let listed: Vec<&str> = paths.iter().map(String::as_str).collect();
    assert_eq!(strays(&web, &listed).len(), 1);
    assert_eq!(web.requests().len(), paths.len() + 1);
}

#[test]
fn hosts_are_told_apart_by_what_was_asked_only_to_compare() {
    let (web, desk) = library();
    let report = desk.report(&["urls.txt", "--verbose"]).exits(1).stdout;
    let table: Vec<&str> = report.lines().skip_while(|line| !line.contains("to compare")).collect();
    let cells: Vec<&str> = table.get(1).unwrap().split_whitespace().collect();
    let compared = strays(&web, &LISTED).len();
    let asked = web.requests().len();
    assert_eq!(cells[1..3], [asked.to_string(), compared.to_string()], "{report}");
}

#[test]
fn what_was_learnt_about_a_directory_is_kept_for_later_runs() {
    let (web, desk) = library();
    desk.check_at("2026-11-02T09:00:00Z", &["urls.txt"]).exits(1);
    let before = strays(&web, &LISTED).len();
    assert!(before > 0);
    let rows = desk.check_at("2026-11-04T09:00:00Z", &["urls.txt"]).exits(1).rows();
    assert_eq!(strays(&web, &LISTED).len(), before);
    assert_eq!((web.hits("/shelf/oak"), web.hits("/shelf/lost")), (2, 2));
    assert_eq!(rows.word(web.url("/shelf/lost")), "soft-404 RL301");
}

#[test]
fn what_was_learnt_long_ago_is_asked_again() {
    let (web, desk) = library();
    desk.check_at("2026-11-02T09:00:00Z", &["urls.txt"]).exits(1);
    let before = strays(&web, &LISTED);
    desk.check_at("2027-01-02T09:00:00Z", &["urls.txt"]).exits(1);
    let after = strays(&web, &LISTED);
    assert_eq!(after.len(), 2 * before.len());
    assert_ne!(after[before.len()], before[0], "a random name is new in each run");
}

#[test]
fn without_memory_the_stray_is_asked_again_too() {
    let (web, desk) = library();
    desk.check_at("2026-11-02T09:00:00Z", &["urls.txt"]).exits(1);
    let before = strays(&web, &LISTED).len();
    desk.check_at("2026-11-02T10:00:00Z", &["urls.txt", "--max-age", "0s"]).exits(1);
    assert!(strays(&web, &LISTED).len() > before);
}

#[test]
fn a_home_page_shown_for_everything_stays_alive_at_home() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let home = article("home");
    web.page("/", 200, &home).below("/", CannedResponse::new(200, home));
    desk.list("urls.txt", ["/", "/lost"].map(|path| web.url(path)));
    let rows = desk.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(rows.word(web.url("/")), "alive");
    assert_eq!(rows.word(web.url("/lost")), "soft-404 RL301");
}

#[test]
fn everything_sent_home_is_told_as_that() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.page("/", 200, &article("home")).below("/shelf/", CannedResponse::redirect(302, "/"));
    web.page("/shelf/oak", 200, &article("oak"));
    desk.list("urls.txt", ["/", "/shelf/oak", "/shelf/lost"].map(|path| web.url(path)));
    let rows = desk.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(rows.word(web.url("/shelf/lost")), "soft-404 RL203");
    assert_eq!(rows.word(web.url("/shelf/oak")), "alive");
    assert_eq!(rows.word(web.url("/")), "alive");
}

/// A page that was about gardens and is about betting a month later.
fn hijacked() -> (TestServer, Desk, Rows) {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.page("/", 200, &article("rose"));
    desk.list("urls.txt", [web.url("/")]);
    let first = desk.check_at("2026-10-02T09:00:00Z", &["urls.txt"]).exits(0).rows();
    assert_eq!(first.word(web.url("/")), "alive");
    let betting = "Casino bonus, best odds, slots, roulette, poker and a jackpot every day";
    web.page("/", 200, &page("Online casino and betting", betting));
    let rows = desk.check_at("2026-11-02T09:00:00Z", &["urls.txt"]).exits(1).rows();
    (web, desk, rows)
}

/// Two sections that were given up, a page that moved from one of them, pages
/// that meet by chance, and two forms of one page that moved.
fn redirected() -> (TestServer, Desk) {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    for page in ["/hub", "/trees/yew", "/hours", "/manual"] {
        web.page(page, 200, &article(&page.replace('/', "")));
    }
    for path in GIVEN_UP {
        web.redirect(path, 302, "/hub");
    }
    web.redirect("/old/yew", 302, "/trees/yew");
    web.redirect("/now/today", 302, "/hours").redirect("/now/opening", 301, "/hours");
    web.redirect("/docs/guide", 301, "/manual").redirect("/docs/guide?lang=de", 301, "/manual");
    (web, desk)
}

const GIVEN_UP: [&str; 5] = ["/old/oak", "/old/elm", "/old/ash", "/notes/fir/", "/notes/box/"];
const STILL_THERE: [(&str, &str); 5] = [
    ("/old/yew", "alive"),
    ("/now/today", "alive"),
    ("/now/opening", "moved RL201"),
    ("/docs/guide", "moved RL201"),
    ("/docs/guide?lang=de", "moved RL201"),
];

#[test]
fn pages_sent_to_one_place_are_judged_alike_in_whatever_order() {
    let (web, desk) = redirected();
    let mut paths: Vec<&str> =
        GIVEN_UP.into_iter().chain(STILL_THERE.map(|(path, _)| path)).collect();
    for _ in 0..paths.len() {
        paths.rotate_left(3);
        desk.list("urls.txt", paths.iter().map(|path| web.url(path)));
        let one_by_one = ["--host-concurrency", "1", "--max-age", "0", "urls.txt"];
        let rows = desk.check(&one_by_one).exits(1).rows();
        for path in GIVEN_UP {
            assert_eq!(rows.word(web.url(path)), "soft-404 RL301", "{path} of {paths:?}");
        }
        for (path, word) in STILL_THERE {
            assert_eq!(rows.word(web.url(path)), word, "{path} of {paths:?}");
        }
        let hops = rows.of(web.url("/old/oak"))["hops"].as_array().map(Vec::len);
        assert_eq!(hops, Some(2), "what was seen is told, though it is judged last");
    }
}

#[test]
fn a_page_in_other_hands_is_hijacked() {
    let (web, _desk, rows) = hijacked();
    assert_eq!(rows.word(web.url("/")), "hijacked RL302");
    let signs = rows.of(web.url("/"))["evidence"].to_string();
    assert!(signs.contains("All about the rose"), "{signs}");
}

#[test]
fn a_hijacked_page_stays_so_in_the_next_run() {
    let (web, desk, _) = hijacked();
    let rows = desk.check_at("2026-12-02T09:00:00Z", &["urls.txt"]).exits(1).rows();
    assert_eq!(rows.word(web.url("/")), "hijacked RL302");
}

#[test]
fn all_of_it_works_through_a_proxy() {
    let (web, desk) = library();
    let proxy = ForwardProxy::start_blocking();
    // Only the proxy knows where that is.
    let urls = ["/shelf/oak", "/shelf/lost"].map(|path| web.url_at("library.test", path));
    desk.list("urls.txt", &urls);
    let through = format!("http://{}", proxy.address());
    let rows = desk.check(&["urls.txt", "--proxy", &through]).exits(1).rows();
    assert_eq!(rows.word(&urls[0]), "alive");
    assert_eq!(rows.word(&urls[1]), "soft-404 RL301");
    assert_eq!(proxy.requests().len(), web.requests().len());
}

#[test]
fn a_proxy_that_is_none_is_refused_with_a_hint() {
    let desk = Desk::new();
    desk.list("urls.txt", ["http://library.test/"]);
    for proxy in ["socks4://127.0.0.1:1080", "ftp://127.0.0.1:1", "nonsense", ""] {
        let said = desk.check(&["urls.txt", "--proxy", proxy]).exits(2);
        assert_eq!(said.stdout, "");
        assert!(said.stderr.contains("--proxy"), "{}", said.stderr);
        assert!(said.stderr.contains("http://"), "no hint for `{proxy}`: {}", said.stderr);
    }
}

#[test]
fn a_proxy_that_is_not_there_decides_nothing() {
    let (_web, desk) = library();
    let nobody = crate::servers::Deserted::new().url("");
    let said = desk.check(&["urls.txt", "--proxy", &nobody]);
    assert!(said.exit > 1, "{said:?}");
    assert!(!said.stdout.contains("dead"), "{}", said.stdout);
}

fn explain(desk: &Desk, args: &[&str]) -> Said {
    desk.run(&[&["explain", "--db", "relink.db"], args].concat())
}

#[test]
fn a_checked_page_is_explained_with_requests_comparison_reason_and_history() {
    let (web, desk) = library();
    for day in ["02", "04", "06"] {
        desk.check_at(&format!("2026-11-{day}T09:00:00Z"), &["urls.txt"]).exits(1);
    }
    let told = explain(&desk, &[web.url("/shelf/lost").as_str()]).exits(0).stdout;
    let stray = strays(&web, &LISTED)[0].clone();
    for piece in
        ["soft-404", "RL301", "GET /shelf/lost", "200", "Library", &stray, "history", "permanent"]
    {
        assert!(told.contains(piece), "no `{piece}` in:\n{told}");
    }
}

#[test]
fn an_explanation_can_be_read_by_programs() {
    let (web, desk) = library();
    desk.check_at("2026-11-02T09:00:00Z", &["urls.txt"]).exits(1);
    let url = web.url("/shelf/lost");
    let said = explain(&desk, &[url.as_str(), "--format", "json"]).exits(0);
    let row: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(row["url"], url.as_str());
    assert_eq!(row["latest"]["verdict"], "soft-404");
    assert_eq!(row["probes"][0]["status"], 200);
    assert_eq!(row["history"][0]["verdict"], "soft-404");
    let kinds: Vec<&Value> =
        row["controls"].as_array().unwrap().iter().map(|control| &control["kind"]).collect();
    assert!(kinds.contains(&&"stray".into()), "{row}");
}

#[test]
fn a_page_that_nobody_checked_is_explained_by_a_hint() {
    let (web, desk) = library();
    let unknown = web.url("/unknown");
    explain(&desk, &[unknown.as_str()]).fails(2, &["relink check"]);
    desk.check(&["urls.txt"]).exits(1);
    explain(&desk, &[unknown.as_str()]).fails(2, &["relink check"]);
    assert_eq!(web.hits("/unknown"), 0);
}

/// What a run said of each page.
fn words(rows: &Rows) -> BTreeMap<String, String> {
    rows.urls().into_iter().map(|url| (url.clone(), rows.word(&url))).collect()
}

#[test]
fn a_killed_run_comes_to_the_same_verdicts() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let mut urls = Vec::new();
    for shelf in ["ash", "beech", "cedar", "fir"] {
        web.below(&format!("/{shelf}/"), sorry());
        for book in ["one", "two", "three", "four"] {
            let path = format!("/{shelf}/{book}");
            // Two of four are not there.
            if book.len() > 3 {
                let slow = CannedResponse::new(200, article(book)).after(Duration::from_millis(20));
                web.answer(&path, slow);
            }
            urls.push(web.url(&path));
        }
    }
    desk.list("urls.txt", &urls);
    let whole = Desk::new();
    whole.list("urls.txt", &urls);
    let expected = words(&whole.check(&["urls.txt"]).exits(1).rows());
    assert_eq!(expected.values().filter(|word| *word == "soft-404 RL301").count(), 8);

    let mut running = desk.start(&["--host-concurrency", "2", "urls.txt"]);
    running.next_row();
    running.kill();
    let resumed = desk.check(&["--host-concurrency", "2", "urls.txt"]).exits(1).rows();
    assert_eq!(words(&resumed), expected);
}

#[test]
fn a_sound_site_costs_hardly_more_requests_than_it_has_pages() {
    let size = xtask::bench::ControlsSize { pages: 60, directories: 3 };
    let relink = std::path::Path::new(env!("CARGO_BIN_EXE_relink"));
    let outcome = xtask::bench::count_requests(relink, size).unwrap();
    assert!(outcome.is_right() && outcome.is_frugal(), "{outcome}");
}

/// A file of a web site's frame.
fn file(kind: &str, body: &str) -> CannedResponse {
    CannedResponse::new(200, body).header("Content-Type", kind)
}

#[test]
fn resources_with_cache_busting_queries_are_alive() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.answer("/wp/a.js", file("application/javascript", "var a = 1;"))
        .answer("/wp/a.css", file("text/css", "body { color: #111 }"))
        .answer("/img/logo.svg", file("image/svg+xml", "<svg xmlns='x'/>"))
        .answer("/fonts/a.woff2", CannedResponse::new(200, vec![b'w', 0, 1, 2, 3, 255]))
        .answer("/w/load.php", file("text/css; charset=utf-8", ".a{}"))
        .answer("/w/script.php", file("text/javascript; charset=utf-8", "var b;"));
    let paths = [
        "/wp/a.js?ver=6.1",
        "/wp/a.css?ver=6.1",
        "/img/logo.svg?v=3",
        "/fonts/a.woff2?v=4.7.0",
        "/w/load.php?lang=en&modules=site.styles&only=styles&skin=vector",
        "/w/script.php?modules=startup&only=scripts&raw=1",
    ];
    desk.list("urls.txt", paths.map(|path| web.url(path)));
    let rows = desk.check(&["urls.txt"]).exits(0).rows();
    for path in paths {
        assert_eq!(rows.word(web.url(path)), "alive", "{path}");
    }
    let asked = web.requests().into_iter().filter(|seen| seen.path.contains('?')).count();
    assert_eq!(asked, paths.len(), "a query was varied");
}

#[test]
fn missing_image_answered_with_an_error_page_is_a_soft_404() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.below("/img/", sorry());
    web.answer("/img/there.png", file("image/png", "\u{1}png"));
    desk.list("urls.txt", ["/img/gone.png?v=3", "/img/there.png?v=3"].map(|path| web.url(path)));
    let rows = desk.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(rows.word(web.url("/img/gone.png?v=3")), "soft-404 RL301");
    assert_eq!(rows.word(web.url("/img/there.png?v=3")), "alive");
}
