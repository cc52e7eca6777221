//! `relink check --revive`: suggestions beside findings, in every format.

use std::time::Duration;

use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::desk::{Desk, Said};
use crate::servers::{Beside, Deserted};

/// A site from which `/old/oak` moved to `/trees/oak`, of which `/old/elm` is
/// only left in an archive, and `/old/ash` nowhere.
fn site() -> (TestServer, Desk, Beside<MiniArchive>) {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let [oak, elm] = ["/old/oak", "/old/elm"].map(|path| web.url(path).to_string());
    let kept = vec![
        ArchivedPage::page(&elm, "20210302030405", "<title>The elm</title><p>All about elms.</p>"),
        ArchivedPage::redirect(&oak, "20150102030405", 301, "/trees/oak"),
        ArchivedPage::redirect(&elm, "20150202030405", 301, "/trees/elm"),
    ];
    let archive = Beside::start(async { MiniArchive::start(kept).await.unwrap() });
    web.page("/trees/oak", 200, "<title>The oak</title>").page("/good", 200, "good");
    let paths = ["/old/oak", "/old/elm", "/old/ash", "/good"];
    desk.list("urls.txt", paths.map(|path| web.url(path)));
    (web, desk, archive)
}

/// Claims that the suggestions are those of the site.
#[track_caller]
fn suggests(web: &TestServer, of: impl Fn(String) -> Value) {
    let oak = of(web.url("/old/oak").into());
    assert_eq!(oak["suggestion"]["alias"], web.url("/trees/oak").as_str(), "{oak}");
    assert_eq!(oak["suggestion"]["method"], "historical-redirect");
    assert_eq!(oak["suggestion"]["confidence"], 0.97);
    assert_eq!(oak["suggestion"].get("archive_url"), None);
    let elm = of(web.url("/old/elm").into());
    assert_eq!(elm["suggestion"].get("alias"), None, "{elm}");
    assert!(elm["suggestion"]["archive_url"].as_str().unwrap().contains("20210302030405"));
    assert_eq!(elm["suggestion"]["archive_date"], "2021-03-02T03:04:05Z");
    for path in ["/old/ash", "/good"] {
        assert_eq!(of(web.url(path).into()).get("suggestion"), None, "{path}");
    }
}

#[test]
fn rows_of_dead_pages_have_what_was_found() {
    let (web, desk, archive) = site();
    let said = desk.check(&["--revive", "--archive", &archive.root(), "urls.txt"]).exits(1);
    let rows = said.rows();
    assert_eq!(rows.0.len(), 4);
    suggests(&web, |url| rows.of(url).clone());
}

#[test]
fn a_document_has_them_too() {
    let (web, desk, archive) = site();
    let root = archive.root();
    let args = ["--revive", "--archive", &root, "--format", "json", "-o", "a.jsonl", "urls.txt"];
    let said = desk.report(&args).exits(1);
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    let targets = report["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 4);
    suggests(&web, |url| targets.iter().find(|row| row["url"] == url).unwrap().clone());
    let rows: Vec<Value> =
        desk.read("a.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    suggests(&web, |url| rows.iter().find(|row| row["url"] == url).unwrap().clone());
}

#[test]
fn people_are_told_where_the_page_lives() {
    let (web, desk, archive) = site();
    let root = archive.root();
    let text = desk.report(&["--revive", "--archive", &root, "urls.txt"]).exits(1).stdout;
    let alias = format!("help: page lives at {}   (alias, 0.97)\n", web.url("/trees/oak"));
    assert!(text.contains(&alias), "{text}");
    assert!(text.contains("help: archived copy 2021-03-02: http://127.0.0.1:"), "{text}");
    assert_eq!(text.matches("help: Link to the page's new address").count(), 1, "{text}");
}

#[test]
fn without_the_flag_nobody_is_asked() {
    let (web, desk, archive) = site();
    desk.write_user_config(&format!("[revive]\narchive = [\"{}\"]\n", archive.root()));
    let rows = desk.check(&["urls.txt"]).exits(1).rows();
    assert!(rows.0.iter().all(|row| row.get("suggestion").is_none()));
    assert_eq!((archive.asked().len(), web.hits("/trees/oak")), (0, 0));
    for flag in [["--live", "live.txt"], ["--archive", "none"]] {
        let said = desk.check(&[&flag[..], &["urls.txt"]].concat()).exits(2);
        assert!(said.stderr.contains("--revive"), "{}", said.stderr);
    }
}

#[test]
fn an_answer_is_asked_for_once() {
    let (web, desk, archive) = site();
    let root = archive.root();
    desk.check(&["--revive", "--archive", &root, "urls.txt"]).exits(1);
    let asked = archive.asked();
    let rows = desk.check(&["--revive", "--archive", &root, "urls.txt"]).exits(1).rows();
    suggests(&web, |url| rows.of(url).clone());
    assert_eq!(archive.asked(), asked);
}

#[test]
fn other_rows_do_not_wait_for_the_dead() {
    let (web, desk, archive) = site();
    let slow = CannedResponse::new(200, "<title>The oak</title>").after(Duration::from_mins(1));
    web.answer("/trees/oak", slow);
    let root = archive.root();
    let args = ["--revive", "--archive", &root, "--timeout", "2m", "urls.txt"];
    let mut running = desk.start(&args);
    assert_eq!(running.next_row()["url"], web.url("/good").as_str());
    while web.hits("/trees/oak") == 0 {
        std::thread::yield_now();
    }
    running.interrupt();
    let said = running.finish().exits(130);
    assert_eq!(said.rows().0.len(), 3, "what was judged is told all the same");
}

#[test]
fn an_archive_that_is_down_is_told_beside_the_results() {
    let (_web, desk, _archive) = site();
    let down = Deserted::new();
    let said: Said = desk.check(&["--revive", "--archive", &down.url("/"), "urls.txt"]).exits(1);
    assert_eq!(said.rows().0.len(), 4);
    assert_eq!(said.stderr.matches("note: ").count(), 1, "{}", said.stderr);
}

#[test]
fn an_index_that_cannot_be_opened_keeps_no_finding_back() {
    let (web, desk, archive) = site();
    desk.write("relink.db.index", "no directory");
    let root = archive.root();
    let said = desk.check(&["--revive", "--archive", &root, "urls.txt"]).exits(1);
    let rows = said.rows();
    assert_eq!(rows.0.len(), 4);
    suggests(&web, |url| rows.of(url).clone());
    assert_eq!(said.stderr.matches("note: ").count(), 1, "{}", said.stderr);
    assert!(said.stderr.contains("hint: `--search none` does without"), "{}", said.stderr);
}

#[test]
fn an_explanation_tells_where_the_page_went() {
    let (web, desk, archive) = site();
    desk.check(&["--revive", "--archive", &archive.root(), "urls.txt"]).exits(1);
    let [oak, elm] = ["/old/oak", "/old/elm"].map(|path| web.url(path).to_string());
    let explain = ["explain", "--db", "relink.db"];
    let text = desk.run(&[&explain[..], &[&oak]].concat()).exits(0).stdout;
    assert!(text.contains("verdict dead (RL101)"), "{text}");
    assert!(text.contains(&format!("  alias    {}   0.97\n", web.url("/trees/oak"))), "{text}");
    assert!(text.contains("an archive saw it redirect there on 2015-01-02"), "{text}");
    let json = desk.run(&[&explain[..], &["--format", "json", &elm]].concat()).exits(0).stdout;
    let row: Value = serde_json::from_str(&json).unwrap();
    let revival = &row["revival"];
    assert_eq!(revival["suggestion"]["archive_date"], "2021-03-02T03:04:05Z", "{row}");
    assert!(!revival["reasons"].as_array().unwrap().is_empty(), "{row}");
    assert!(revival["passed_over"][0]["reason"].as_str().unwrap().contains("nothing is alive"));
}

#[test]
fn a_page_that_was_only_looked_for_can_be_explained() {
    let (web, desk, archive) = site();
    let (oak, root) = (web.url("/old/oak").to_string(), archive.root());
    let revive = ["revive", "--db", "relink.db", "--host-interval", "0", "--archive", &root, &oak];
    desk.run(&revive).exits(0);
    let text = desk.run(&["explain", "--db", "relink.db", &oak]).exits(0).stdout;
    assert!(text.contains("verdict none yet") && text.contains("  alias    "), "{text}");
}
