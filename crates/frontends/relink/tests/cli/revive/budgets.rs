//! Budgets of requests per day, which outlast a restart, and incremental updates of the local
//! index.

use std::path::Path;

use relink_demo::ArchivedPage;
use relink_testkit::omega::Omega;
use serde_json::Value;

use super::{Fixture, REVIVE, alias_path, article};
use crate::sandbox::{CommandOutput, NO_DELAYS};

/// Times on two successive days in UTC.
const DAY: &str = "2026-11-16T12:00:00Z";
const NEXT_DAY: &str = "2026-11-17T00:00:01Z";

/// Starts a site whose pages moved without a common pattern. The archive has the redirects of the
/// pages.
fn moved_site() -> Fixture {
    let fixture = Fixture::new(|web| {
        let moves = [("/old/oak", "/trees/oak"), ("/herbs/sage", "/kitchen/7")];
        let captures = moves.map(|(old, new)| {
            ArchivedPage::redirect(web.url(old).as_str(), "20150102030405", 301, new)
        });
        captures.to_vec()
    });
    for name in ["/trees/oak", "/trees/elm", "/kitchen/7"] {
        fixture.web.page(name, 200, &article(&name[1..]));
    }
    fixture
}

/// Searches for a page at `now`, with a daily budget of requests to the archive.
#[track_caller]
fn revive_at(fixture: &Fixture, now: &str, budget: &str, path: &str) -> Value {
    let (url, root) = (fixture.url(path), fixture.archive.root());
    let args = ["--archive", &root, "--archive-budget", budget, "--format", "jsonl", &url];
    let mut command = fixture.sandbox.command(&[REVIVE, NO_DELAYS, &args].concat());
    let result = CommandOutput::new(&command.env("RELINK_NOW", now).output().unwrap()).exits(0);
    result.rows().row(&url).clone()
}

#[test]
fn restart_does_not_reset_the_archive_budget() {
    let fixture = moved_site();
    revive_at(&fixture, DAY, "2", "/old/oak");
    assert_eq!(fixture.archive.requests().len(), 2);
    let revival = revive_at(&fixture, DAY, "2", "/herbs/sage");
    assert_eq!(fixture.archive.requests().len(), 2, "no request over the budget");
    let warning = "daily budget of 2 requests to archive `Internet Archive` is exhausted";
    assert_eq!(revival["warnings"], serde_json::json!([warning]), "{revival}");
    let summary =
        fixture.sandbox.run(&["revive", "--db", "relink.db", "--summary"]).exits(0).stdout;
    assert!(summary.contains("unavailable services\n"), "{summary}");
    assert!(summary.contains(warning), "{summary}");
    let revival = revive_at(&fixture, NEXT_DAY, "20", "/herbs/sage");
    assert_eq!(
        alias_path(&revival).as_deref(),
        Some("/kitchen/7"),
        "the next day has a new budget"
    );
}

#[test]
fn restart_does_not_reset_the_search_budget() {
    let fixture = Fixture::new(|_| Vec::new());
    // Omega is the search engine of Xapian.
    let omega = Omega::start("http://elsewhere.test/", &[("a.html", &article("oak"))]);
    let engine = format!("json:{}?DB=default&FMT=json&P={{query}}", omega.url());
    let flags = ["--search", &engine, "--search-budget", "1"];
    let first = fixture.revival("/old/first-thing", &flags);
    assert_eq!(first.get("warnings"), Some(&Value::Array(Vec::new())), "{first}");
    let second = fixture.revival("/old/second-thing", &flags);
    let warning = "daily budget of 1 requests to search engine `JSON` is exhausted";
    assert_eq!(second["warnings"], serde_json::json!([warning]), "{second}");
}

/// Returns the metadata file of the local search index.
fn index_metadata(fixture: &Fixture) -> Vec<u8> {
    let dir = fixture.sandbox.path("relink.db.index");
    std::fs::read(dir.join(Path::new("pages-2/meta.json"))).unwrap()
}

/// Returns the number of pages in the index (Tantivy), without deleted pages.
fn document_count(metadata: &[u8]) -> u64 {
    let metadata: Value = serde_json::from_slice(metadata).unwrap();
    let live_count = |segment: &Value| {
        let deleted = segment["deletes"]["num_deleted_docs"].as_u64().unwrap_or(0);
        segment["max_doc"].as_u64().unwrap() - deleted
    };
    metadata["segments"].as_array().unwrap().iter().map(live_count).sum()
}

#[test]
fn local_index_gets_only_new_pages() {
    let fixture = moved_site();
    let check_pages = |paths: &[&str], exit_code| {
        fixture.sandbox.write_urls("urls.txt", paths.iter().map(|path| fixture.web.url(path)));
        fixture.sandbox.check(&["--max-cache-age", "0", "urls.txt"]).exits(exit_code);
    };
    check_pages(&["/trees/oak", "/trees/elm"], 0);
    // Each search updates the index.
    fixture.revival("/lost/1", &[]);
    let first = index_metadata(&fixture);
    fixture.revival("/lost/2", &[]);
    assert_eq!(index_metadata(&fixture), first, "no page was new");
    fixture.web.page("/trees/elm", 404, "");
    check_pages(&["/trees/elm"], 1);
    fixture.revival("/lost/3", &[]);
    let second = index_metadata(&fixture);
    assert_ne!(second, first);
    assert_eq!(document_count(&first), 2, "dead pages are removed");
    assert_eq!(document_count(&second), 1, "dead pages are removed");
}

#[test]
fn local_index_is_rebuilt_for_an_older_database() {
    let fixture = moved_site();
    let check_page = |path: &str| {
        let url = fixture.url(path);
        fixture.sandbox.check(&["--max-cache-age", "0", &url]).exits(0);
    };
    let database = || fixture.sandbox.path("relink.db");
    check_page("/trees/oak");
    let backup = std::fs::read(database()).unwrap();
    check_page("/trees/elm");
    check_page("/kitchen/7");
    fixture.revival("/lost/1", &[]);
    assert_eq!(document_count(&index_metadata(&fixture)), 3);
    std::fs::write(database(), backup).unwrap();
    fixture.revival("/lost/2", &[]);
    assert_eq!(
        document_count(&index_metadata(&fixture)),
        1,
        "pages unknown to the database are removed"
    );
}
