//! `relink patterns`: learned patterns can be shown, exported and disabled.

use relink_demo::ArchivedPage;
use relink_testkit::web::TestServer;
use serde_json::Value;

use super::{Fixture, alias_path, article};
use crate::sandbox::CommandOutput;

/// Names of the pages from which the pattern is learned.
const MOVED_NAMES: [&str; 3] = ["oak", "elm", "ash"];

/// Returns archived redirects of [`MOVED_NAMES`] from `/old/` to `/trees/`.
fn moved_pages(web: &TestServer) -> Vec<ArchivedPage> {
    let redirect = |name: &&str| {
        let url = web.url(&format!("/old/{name}.html"));
        ArchivedPage::redirect(url.as_str(), "20150102030405", 301, &format!("/trees/{name}"))
    };
    MOVED_NAMES.iter().map(redirect).collect()
}

/// Starts a site that moved from `/old/` to `/trees/`. The aliases of the pages of [`MOVED_NAMES`]
/// were already found. The page `yew` was not searched for yet.
fn site_with_pattern() -> Fixture {
    let fixture = Fixture::new(moved_pages);
    for name in MOVED_NAMES.iter().chain(&["yew"]) {
        fixture.web.page(&format!("/trees/{name}"), 200, &article(name));
    }
    let urls = MOVED_NAMES.map(|name| fixture.url(&format!("/old/{name}.html")));
    fixture.revive(&urls.each_ref().map(String::as_str)).exits(0);
    fixture
}

/// Runs `relink patterns`.
fn run_patterns(fixture: &Fixture, args: &[&str]) -> CommandOutput {
    fixture.sandbox.run(&[&["patterns", "--db", "relink.db"], args].concat())
}

/// Returns the id of the pattern of a directory, such as `P14`.
fn pattern_id(fixture: &Fixture, directory: &str) -> String {
    let list = run_patterns(fixture, &["list"]).exits(0).stdout;
    let directory = format!(":{}{directory}  ", fixture.web.port());
    let line = list.lines().find(|line| line.contains(&directory)).unwrap();
    line.split(' ').next().unwrap().to_owned()
}

#[test]
fn patterns_are_listed_and_shown_with_examples() {
    let fixture = site_with_pattern();
    let pattern = pattern_id(&fixture, "/old/");
    let text = run_patterns(&fixture, &["show", &pattern]).exits(0).stdout;
    let old = format!("{} -> {}", fixture.url("/old/elm.html"), fixture.url("/trees/elm"));
    assert!(text.contains("3 examples") && text.contains(&old), "{text}");
    assert!(text.contains("/trees/"), "{text}");
}

#[test]
fn pattern_shows_its_confidence_by_scope() {
    let fixture = site_with_pattern();
    let text = run_patterns(&fixture, &["show", &pattern_id(&fixture, "/old/")]).exits(0).stdout;
    assert!(text.contains("  0.98 in this directory, 0.94 below  -> "), "{text}");
    let text = run_patterns(&fixture, &["show", &pattern_id(&fixture, "/")]).exits(0).stdout;
    assert!(text.contains("  0.94  -> "), "no page of the directory itself moved: {text}");
}

#[test]
fn disabled_pattern_is_not_used() {
    let fixture = site_with_pattern();
    let list = run_patterns(&fixture, &["list"]).exits(0).stdout;
    let ids: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    for pattern in &ids {
        run_patterns(&fixture, &["disable", pattern]).exits(0);
    }
    assert_eq!(alias_path(&fixture.revival("/old/yew.html", &[])), None);
    for pattern in &ids {
        run_patterns(&fixture, &["enable", pattern]).exits(0);
    }
    let revival = fixture.revival("/old/yew.html", &["--max-result-age", "0"]);
    assert_eq!(alias_path(&revival).as_deref(), Some("/trees/yew"), "{revival}");
}

#[test]
fn patterns_can_be_exported_and_imported() {
    let fixture = site_with_pattern();
    let exported = run_patterns(&fixture, &["export"]).exits(0).stdout;
    let rows: Vec<Value> = serde_json::from_str(&exported).unwrap();
    assert!(rows.iter().any(|row| row["directory"].as_str().unwrap().ends_with("/old/")));
    fixture.sandbox.write("patterns.json", &exported);
    std::fs::remove_file(fixture.sandbox.path("relink.db")).unwrap();
    let output = run_patterns(&fixture, &["import", "patterns.json"]).exits(0);
    assert!(output.stdout.contains("imported"), "{}", output.stdout);
    assert_eq!(run_patterns(&fixture, &["export"]).exits(0).stdout, exported);
    let requests_before = fixture.archive.requests().len();
    assert_eq!(alias_path(&fixture.revival("/old/yew.html", &[])).as_deref(), Some("/trees/yew"));
    assert_eq!(fixture.archive.requests().len(), requests_before);
}

#[test]
fn unknown_pattern_exits_2_with_a_hint() {
    let fixture = Fixture::new(|_| Vec::new());
    let output = run_patterns(&fixture, &["show", "P7"]).exits(2);
    assert!(output.stderr.contains("relink patterns list"), "{}", output.stderr);
    fixture.sandbox.write("patterns.json", "[{\"directory\": 7}]");
    run_patterns(&fixture, &["import", "patterns.json"]).fails(2, &["patterns.json"]);
}
