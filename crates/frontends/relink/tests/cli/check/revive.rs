//! `relink check --revive`: suggestions of new URLs and archived copies in every format.

use std::time::Duration;

use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::sandbox::{CommandOutput, Sandbox};
use crate::servers::{BackgroundServer, RefusedPort};

/// Starts a site and an archive. `/old/oak` moved to `/trees/oak`, `/old/elm` exists only in the
/// archive, and `/old/ash` exists nowhere. Writes a list of the old URLs and of a live page.
fn site() -> (TestServer, Sandbox, BackgroundServer<MiniArchive>) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let [oak, elm] = ["/old/oak", "/old/elm"].map(|path| web.url(path).to_string());
    let captures = vec![
        ArchivedPage::page(&elm, "20210302030405", "<title>The elm</title><p>All about elms.</p>"),
        ArchivedPage::redirect(&oak, "20150102030405", 301, "/trees/oak"),
        ArchivedPage::redirect(&elm, "20150202030405", 301, "/trees/elm"),
    ];
    let archive = BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() });
    web.page("/trees/oak", 200, "<title>The oak</title>").page("/good", 200, "good");
    let paths = ["/old/oak", "/old/elm", "/old/ash", "/good"];
    sandbox.write_urls("urls.txt", paths.map(|path| web.url(path)));
    (web, sandbox, archive)
}

/// Asserts the suggestions for the pages of the site. `row` returns the row of a
/// URL.
#[track_caller]
fn check_suggestions(web: &TestServer, row: impl Fn(String) -> Value) {
    let oak = row(web.url("/old/oak").into());
    assert_eq!(oak["suggestion"]["alias"], web.url("/trees/oak").as_str(), "{oak}");
    assert_eq!(oak["suggestion"]["method"], "historical-redirect");
    assert_eq!(oak["suggestion"]["confidence"], 0.97);
    assert_eq!(oak["suggestion"].get("archive_url"), None);
    let elm = row(web.url("/old/elm").into());
    assert_eq!(elm["suggestion"].get("alias"), None, "{elm}");
    assert!(elm["suggestion"]["archive_url"].as_str().unwrap().contains("20210302030405"));
    assert_eq!(elm["suggestion"]["archive_date"], "2021-03-02T03:04:05Z");
    for path in ["/old/ash", "/good"] {
        assert_eq!(row(web.url(path).into()).get("suggestion"), None, "{path}");
    }
}

#[test]
fn rows_of_dead_pages_have_suggestions() {
    let (web, sandbox, archive) = site();
    let output = sandbox.check(&["--revive", "--archive", &archive.root(), "urls.txt"]).exits(1);
    let rows = output.rows();
    assert_eq!(rows.results.len(), 4);
    check_suggestions(&web, |url| rows.row(url).clone());
}

#[test]
fn json_document_has_suggestions() {
    let (web, sandbox, archive) = site();
    let root = archive.root();
    let args = ["--revive", "--archive", &root, "--format", "json", "-o", "a.jsonl", "urls.txt"];
    let output = sandbox.check_human(&args).exits(1);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let targets = report["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 4);
    check_suggestions(&web, |url| targets.iter().find(|row| row["url"] == url).unwrap().clone());
    let rows: Vec<Value> =
        sandbox.read("a.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    check_suggestions(&web, |url| rows.iter().find(|row| row["url"] == url).unwrap().clone());
}

#[test]
fn human_report_shows_the_new_url() {
    let (web, sandbox, archive) = site();
    let root = archive.root();
    let text = sandbox.check_human(&["--revive", "--archive", &root, "urls.txt"]).exits(1).stdout;
    let alias = format!("help: new URL: {}   (alias, 0.97)\n", web.url("/trees/oak"));
    assert!(text.contains(&alias), "{text}");
    assert!(text.contains("help: archived copy 2021-03-02: http://127.0.0.1:"), "{text}");
    assert_eq!(text.matches("help: Link to the page's new URL").count(), 1, "{text}");
}

#[test]
fn without_revive_no_service_is_queried() {
    let (web, sandbox, archive) = site();
    sandbox.write_user_config(&format!("[revive]\narchive = [\"{}\"]\n", archive.root()));
    let rows = sandbox.check(&["urls.txt"]).exits(1).rows();
    assert!(rows.results.iter().all(|row| row.get("suggestion").is_none()));
    assert_eq!(archive.requests().len(), 0);
    assert_eq!(web.hits("/trees/oak"), 0);
    for flag in [["--live-pages", "live.txt"], ["--archive", "none"]] {
        let output = sandbox.check(&[&flag[..], &["urls.txt"]].concat()).exits(2);
        assert!(output.stderr.contains("--revive"), "{}", output.stderr);
    }
}

#[test]
fn revival_is_searched_once() {
    let (web, sandbox, archive) = site();
    let root = archive.root();
    sandbox.check(&["--revive", "--archive", &root, "urls.txt"]).exits(1);
    let requests = archive.requests();
    let rows = sandbox.check(&["--revive", "--archive", &root, "urls.txt"]).exits(1).rows();
    check_suggestions(&web, |url| rows.row(url).clone());
    assert_eq!(archive.requests(), requests);
}

#[test]
fn other_rows_do_not_wait_for_revivals() {
    let (web, sandbox, archive) = site();
    let slow =
        CannedResponse::new(200, "<title>The oak</title>").with_delay(Duration::from_mins(1));
    web.respond("/trees/oak", slow);
    let root = archive.root();
    let args = ["--revive", "--archive", &root, "--timeout", "2m", "urls.txt"];
    let mut running = sandbox.spawn_check(&args);
    assert_eq!(running.next_row()["url"], web.url("/good").as_str());
    while web.hits("/trees/oak") == 0 {
        std::thread::yield_now();
    }
    running.interrupt();
    let output = running.finish().exits(130);
    assert_eq!(output.rows().results.len(), 3, "pages that are already judged are reported");
}

#[test]
fn unavailable_archive_is_reported_with_the_results() {
    let (_web, sandbox, _archive) = site();
    let down = RefusedPort::new();
    let output: CommandOutput =
        sandbox.check(&["--revive", "--archive", &down.url("/"), "urls.txt"]).exits(1);
    assert_eq!(output.rows().results.len(), 4);
    assert_eq!(output.stderr.matches("warning: ").count(), 1, "{}", output.stderr);
}

#[test]
fn unusable_index_does_not_hide_findings() {
    let (web, sandbox, archive) = site();
    sandbox.write("relink.db.index", "not a directory");
    let root = archive.root();
    let output = sandbox.check(&["--revive", "--archive", &root, "urls.txt"]).exits(1);
    let rows = output.rows();
    assert_eq!(rows.results.len(), 4);
    check_suggestions(&web, |url| rows.row(url).clone());
    assert_eq!(output.stderr.matches("warning: ").count(), 1, "{}", output.stderr);
    assert!(output.stderr.contains("hint: use `--search none`"), "{}", output.stderr);
}

#[test]
fn explanation_shows_where_the_page_moved() {
    let (web, sandbox, archive) = site();
    sandbox.check(&["--revive", "--archive", &archive.root(), "urls.txt"]).exits(1);
    let [oak, elm] = ["/old/oak", "/old/elm"].map(|path| web.url(path).to_string());
    let explain = ["explain", "--db", "relink.db"];
    let text = sandbox.run(&[&explain[..], &[&oak]].concat()).exits(0).stdout;
    assert!(text.contains("verdict dead (RL101)"), "{text}");
    assert!(text.contains(&format!("  alias     {}   0.97\n", web.url("/trees/oak"))), "{text}");
    assert!(text.contains("an archive recorded this redirect on 2015-01-02"), "{text}");
    let json = sandbox.run(&[&explain[..], &["--format", "json", &elm]].concat()).exits(0).stdout;
    let row: Value = serde_json::from_str(&json).unwrap();
    let revival = &row["revival"];
    assert_eq!(revival["suggestion"]["archive_date"], "2021-03-02T03:04:05Z", "{row}");
    assert!(!revival["reasons"].as_array().unwrap().is_empty(), "{row}");
    assert!(revival["rejected_copies"][0]["reason"].as_str().unwrap().contains("no live page"));
}

#[test]
fn page_that_was_only_searched_can_be_explained() {
    let (web, sandbox, archive) = site();
    let (oak, root) = (web.url("/old/oak").to_string(), archive.root());
    let revive = ["revive", "--db", "relink.db", "--host-interval", "0", "--archive", &root, &oak];
    sandbox.run(&revive).exits(0);
    let text = sandbox.run(&["explain", "--db", "relink.db", &oak]).exits(0).stdout;
    assert!(text.contains("not checked yet") && text.contains("  alias     "), "{text}");
}
