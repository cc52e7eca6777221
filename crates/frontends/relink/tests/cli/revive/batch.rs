//! `relink revive --all`: every dead page of the database, resumable, with a summary.

use std::process::Stdio;
use std::time::Duration;

use relink_demo::ArchivedPage;
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::{Fixture, REVIVE, alias_path, article};
use crate::sandbox::Running;

/// Returns archived redirects of two pages in different directories.
fn moved_pages(web: &TestServer) -> Vec<ArchivedPage> {
    let redirect = |old: &str, new: &str| {
        ArchivedPage::redirect(web.url(old).as_str(), "20150102030405", 301, new)
    };
    vec![redirect("/a/oak", "/trees/oak"), redirect("/b/elm", "/trees/elm")]
}

/// Starts a site in which a check has found two dead pages, which have moved, and a live page.
fn checked_site() -> Fixture {
    let fixture = Fixture::new(moved_pages);
    fixture.web.page("/trees/oak", 200, &article("oak")).page("/good", 200, &article("good"));
    fixture.web.page("/trees/elm", 200, &article("elm"));
    let paths = ["/a/oak", "/b/elm", "/good"].map(|path| fixture.url(path));
    fixture.sandbox.write_urls("urls.txt", &paths);
    fixture.sandbox.check(&["urls.txt"]).exits(1);
    fixture
}

/// Arguments of a search for all dead pages of the database.
const ALL: &[&str] = &["--all", "--format", "jsonl"];

#[test]
fn all_flag_searches_every_dead_page_once() {
    let fixture = checked_site();
    let rows = fixture.revive(ALL).exits(0).rows();
    assert_eq!(rows.urls(), [fixture.url("/a/oak"), fixture.url("/b/elm")]);
    assert!(
        rows.results.iter().all(|row| row["verdict"] == "dead" && alias_path(row).is_some()),
        "{rows:?}"
    );
    let archive_requests = fixture.archive.requests().len();
    let site_requests = fixture.web.requests().len();
    assert_eq!(fixture.revive(ALL).exits(0).rows().results, rows.results);
    assert_eq!(fixture.archive.requests().len(), archive_requests);
    assert_eq!(fixture.web.requests().len(), site_requests);
    fixture.revive(&[ALL, &["--max-result-age", "0"]].concat()).exits(0);
    assert!(fixture.archive.requests().len() > archive_requests);
}

#[test]
fn page_is_not_an_example_for_itself() {
    let fixture = checked_site();
    // The second search could use a pattern that the first search learned from the same page.
    for _ in 0..2 {
        let revival = fixture.revival("/a/oak", &["--max-result-age", "0"]);
        assert_eq!(revival["alias"]["method"], "historical-redirect", "{revival}");
    }
}

#[test]
fn interrupted_search_exits_130_and_resumes() {
    let fixture = checked_site();
    let slow = CannedResponse::new(200, article("elm")).with_delay(Duration::from_mins(1));
    fixture.web.respond("/trees/elm", slow);
    let root = fixture.archive.root();
    let args = Fixture::args(&root, &[ALL, &["--timeout", "2m"]].concat());
    let mut command = fixture.sandbox.command(&args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut running = Running::new(child);
    assert_eq!(running.next_row()["url"], fixture.url("/a/oak"));
    while fixture.web.hits("/trees/elm") == 0 {
        std::thread::yield_now();
    }
    running.interrupt();
    assert_eq!(running.finish().exits(130).stdout, "");

    fixture.web.page("/trees/elm", 200, &article("elm"));
    let requests_before = fixture.archive_requests_with("oak");
    let rows = fixture.revive(ALL).exits(0).rows();
    assert_eq!(rows.urls(), [fixture.url("/a/oak"), fixture.url("/b/elm")]);
    assert_eq!(
        fixture.archive_requests_with("oak"),
        requests_before,
        "finished searches are not repeated"
    );
}

#[test]
fn all_without_dead_pages_does_nothing() {
    let fixture = Fixture::new(|_| Vec::new());
    let output = fixture.revive(&["--all"]).exits(0);
    assert!(output.stdout.contains("relink check"), "{}", output.stdout);
}

#[test]
fn revive_json_is_one_document() {
    let fixture = checked_site();
    let text = fixture.revive(&["--all", "--format", "json"]).exits(0).stdout;
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(rows.len(), 2);
}

#[test]
fn empty_search_is_valid_json() {
    let fixture = Fixture::new(|_| Vec::new());
    assert_eq!(fixture.revive(&["--all", "--format", "json"]).exits(0).stdout, "[]\n");
    assert_eq!(fixture.revive(ALL).exits(0).stdout, "");
}

#[test]
fn summary_has_verdicts_ages_reasons_and_costs() {
    let fixture = checked_site();
    fixture.revive(ALL).exits(0);
    // A third page, which no check has requested.
    fixture.revival("/lost/thing", &[]);
    let text = fixture.sandbox.run(&[REVIVE, &["--summary"]].concat()).exits(0).stdout;
    for expected in
        ["2 of", "dead", "not checked", "no copy", "historical redirects", "no-redirect"]
    {
        assert!(text.contains(expected), "`{expected}` in:\n{text}");
    }
    let summary =
        fixture.sandbox.run(&[REVIVE, &["--summary", "--format", "json"]].concat()).exits(0).stdout;
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["pages"], 3);
    assert_eq!(summary["aliases"], 2);
    assert_eq!(summary["by_verdict"]["dead"]["found"], 2);
    // The second page moved in the same way as the first page, so that its alias was inferred
    // from a pattern.
    assert_eq!(summary["by_method"]["historical-redirect"], 1);
    assert_eq!(summary["by_method"]["inference"], 1);
    assert!(summary["costs"]["historical-redirect"]["time_ms"].is_u64(), "{summary}");
    assert_eq!(summary["by_breakage"]["404"]["pages"], 2);
    assert_eq!(summary["by_breakage"]["not checked"]["pages"], 1);
    assert_eq!(summary["reasons_by_method"]["historical-redirect"]["no-redirect"], 1);
    for key in ["historical-redirect", "inference", "none-found"] {
        assert!(summary["median_time_ms"][key].is_u64(), "{key}: {summary}");
    }
}

#[test]
fn summary_counts_the_gaps_of_archived_copies() {
    let fixture = Fixture::new(|web| {
        let url = |path: &str| web.url(path).to_string();
        vec![
            ArchivedPage::page(&url("/a/oak"), "20130102030405", &article("acorn")),
            ArchivedPage::redirect(&url("/a/oak"), "20150102030405", 301, "/trees/oak"),
            ArchivedPage::redirect(&url("/a/elm"), "20150102030405", 301, "/trees/elm"),
        ]
    });
    let form = "<form><textarea name=note></textarea></form>";
    fixture.web.page("/trees/oak", 200, &(article("oak") + form));
    let revival = fixture.revival("/a/oak", &[]);
    let gaps = serde_json::json!(["stale-content", "service-not-usable"]);
    assert_eq!(revival["copy_gaps"], gaps, "{revival}");
    let text =
        fixture.sandbox.run(&[REVIVE, &["--summary", "--format", "json"]].concat()).exits(0).stdout;
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(summary["by_copy_year"]["2013"]["found"], 1, "{summary}");
    assert_eq!(summary["copy_gaps"]["by_gap"]["stale-content"], 1);
    assert!(summary["median_time_ms"]["archived-copy"].is_u64(), "{summary}");
    let comparison = &summary["cost_comparison"];
    assert_eq!(comparison["pages"], 1);
    assert_eq!(comparison["searches"], 0);
    assert_eq!(comparison["similar_ct_searches"], 1);
}

#[test]
fn revivals_show_no_password() {
    let fixture = Fixture::new(|_| Vec::new());
    let url = format!("http://ann:secret@127.0.0.1:{}/a/oak", fixture.web.port());
    for format in ["human", "json", "jsonl"] {
        let output = fixture.revive(&["--format", format, &url]).exits(0);
        assert!(!output.stdout.contains("secret"), "{}", output.stdout);
    }
    assert_eq!(fixture.archive_requests_with("secret"), 0, "{:?}", fixture.archive.requests());
}
