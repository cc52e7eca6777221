//! Patterns learned from some pages and applied to others.

use relink_demo::ArchivedPage;
use relink_testkit::web::TestServer;

use super::{Fixture, alias_path, article, failure_reasons};

/// Names of the pages from which the pattern is learned.
const MOVED_NAMES: [&str; 4] = ["oak", "elm", "ash", "fir"];

/// Returns archived redirects of [`MOVED_NAMES`] from `/old/` to `/trees/`.
fn moved_pages(web: &TestServer) -> Vec<ArchivedPage> {
    let redirect = |name: &&str| {
        let (url, target) = (web.url(&format!("/old/{name}.html")), format!("/trees/{name}"));
        ArchivedPage::redirect(url.as_str(), "20150102030405", 301, &target)
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
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    fixture.revive(&urls).exits(0);
    fixture
}

#[test]
fn pattern_finds_the_alias_without_an_archive() {
    let fixture = site_with_pattern();
    let requests_before = fixture.archive.requests().len();
    let revival = fixture.revival("/old/yew.html", &[]);
    assert_eq!(alias_path(&revival).as_deref(), Some("/trees/yew"));
    assert_eq!(revival["alias"]["method"], "inference");
    assert!(revival["alias"]["pattern"].is_string(), "{revival}");
    assert_eq!(fixture.archive.requests().len(), requests_before);
    let cost = &revival["costs"]["inference"];
    assert!(cost["page_fetches"].as_u64().unwrap() > 0 && cost["time_ms"].is_u64(), "{revival}");
}

#[test]
fn predicted_alias_must_be_alive() {
    let fixture = site_with_pattern();
    let revival = fixture.revival("/old/box.html", &[]);
    assert_eq!(alias_path(&revival), None);
    assert!(failure_reasons(&revival).contains(&"nothing-live"), "{revival}");
}

#[test]
fn pattern_is_not_applied_to_another_site() {
    let fixture = site_with_pattern();
    let url = format!("http://localhost:{}/old/yew.html", fixture.web.port());
    let revival = fixture.revive(&["--format", "jsonl", &url]).exits(0).rows().row(&url).clone();
    assert_eq!(alias_path(&revival), None, "{revival}");
}

#[test]
fn patterns_of_different_directories_do_not_interfere() {
    let fixture = Fixture::new(|web| {
        let redirect = |old: &str, new: &str| {
            ArchivedPage::redirect(web.url(old).as_str(), "20150102030405", 301, new)
        };
        vec![redirect("/a/oak", "/trees/oak"), redirect("/b/box", "/shrubs/box")]
    });
    for path in ["/trees/oak", "/shrubs/box", "/trees/yew"] {
        fixture.web.page(path, 200, &article(&path[1..]));
    }
    for path in ["/a/oak", "/b/box"] {
        assert!(alias_path(&fixture.revival(path, &[])).is_some());
    }
    let revival = fixture.revival("/c/yew", &[]);
    assert_eq!(alias_path(&revival).as_deref(), Some("/trees/yew"), "{revival}");
}

/// Starts a site with one alias of low confidence (0.8), because the archive has no redirect of a
/// neighbor. `copy` is the archived text of `yew`.
fn site_with_uncertain_alias(copy: Option<&str>) -> Fixture {
    let fixture = Fixture::new(|web| {
        let oak = web.url("/old/oak.html");
        let yew = web.url("/old/yew.html");
        let moved = ArchivedPage::redirect(oak.as_str(), "20150102030405", 301, "/trees/oak");
        let copy = copy.map(|body| ArchivedPage::page(yew.as_str(), "20140102030405", body));
        [moved].into_iter().chain(copy).collect()
    });
    for name in ["oak", "yew"] {
        fixture.web.page(&format!("/trees/{name}"), 200, &article(name));
    }
    assert_eq!(fixture.revival("/old/oak.html", &[])["alias"]["confidence"], 0.8);
    fixture
}

/// Asserts the confidence of the alias of `yew`, predicted from `oak`.
#[track_caller]
fn check_confidence(copy: Option<&str>, expected: f64) {
    let revival = site_with_uncertain_alias(copy).revival("/old/yew.html", &[]);
    assert_eq!(alias_path(&revival).as_deref(), Some("/trees/yew"), "{revival}");
    assert_eq!(revival["alias"]["method"], "inference");
    assert_eq!(revival["alias"]["confidence"], expected, "{revival}");
}

#[test]
fn alias_of_low_confidence_does_not_raise_the_confidence_of_a_pattern() {
    check_confidence(None, 0.94);
}

#[test]
fn matching_text_raises_the_confidence_of_a_predicted_alias() {
    check_confidence(Some(&article("yew")), 0.95);
}

#[test]
fn different_text_lowers_the_confidence_of_a_pattern() {
    let fixture = Fixture::new(|web| {
        let yew = web.url("/old/yew.html");
        let copy = ArchivedPage::page(yew.as_str(), "20140102030405", &article("rose"));
        [moved_pages(web), vec![copy]].concat()
    });
    for name in MOVED_NAMES.iter().chain(&["yew"]) {
        fixture.web.page(&format!("/trees/{name}"), 200, &article(name));
    }
    let urls = MOVED_NAMES.map(|name| fixture.url(&format!("/old/{name}.html")));
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    fixture.revive(&urls).exits(0);
    let revival = fixture.revival("/old/yew.html", &["--date", "2014-01-02"]);
    assert_eq!(alias_path(&revival).as_deref(), Some("/trees/yew"), "{revival}");
    assert_eq!(revival["alias"]["confidence"], 0.94, "{revival}");
}

#[test]
fn known_live_page_is_a_candidate() {
    let fixture = Fixture::new(|_| Vec::new());
    let names = ["the-common-oak", "the-weeping-elm", "ash-in-spring", "fir-and-spruce"];
    let mut rows = Vec::new();
    for name in names {
        let path = format!("/trees/{name}");
        fixture.web.page(&path, 200, &article(name));
        rows.push(format!(r#"{{"url":"{}","title":"All about {name}"}}"#, fixture.url(&path)));
    }
    fixture.sandbox.write_urls("live.jsonl", &rows);
    let urls = names.map(|name| fixture.url(&format!("/old/{name}")));
    let flags = ["--live-pages", "live.jsonl", "--format", "jsonl"];
    let args: Vec<&str> = flags.into_iter().chain(urls.iter().map(String::as_str)).collect();
    let rows = fixture.revive(&args).exits(0).rows();
    for (url, name) in urls.iter().zip(names) {
        assert_eq!(
            alias_path(rows.row(url)),
            Some(format!("/trees/{name}")),
            "{:?}",
            rows.row(url)
        );
        assert_eq!(rows.row(url)["alias"]["method"], "search");
    }
}

/// Returns the path of a page that is dead and has no alias.
fn dead_path(number: usize) -> String {
    format!("/lost/thing-{number}")
}

#[test]
fn after_four_failed_searches_the_directory_is_skipped() {
    let fixture = Fixture::new(|_| Vec::new());
    let urls: Vec<String> = (1..=6).map(|number| fixture.url(&dead_path(number))).collect();
    let args = ["--format", "jsonl"].into_iter().chain(urls.iter().map(String::as_str));
    let rows = fixture.revive(&args.collect::<Vec<_>>()).exits(0).rows();
    assert!(!failure_reasons(rows.row(&urls[3])).contains(&"dead-directory"));
    assert_eq!(failure_reasons(rows.row(&urls[4])), ["dead-directory"]);
    assert_eq!(fixture.archive_requests_with("thing-4"), 1, "{:?}", fixture.archive.requests());
    assert_eq!(fixture.archive_requests_with("thing-5"), 0);
    assert_eq!(failure_reasons(&fixture.revival(&dead_path(7), &[])), ["dead-directory"]);
    assert_eq!(fixture.archive_requests_with("thing-7"), 0);
    let repeated = fixture.revival(&dead_path(7), &["--max-result-age", "0"]);
    assert!(!failure_reasons(&repeated).contains(&"dead-directory"), "{repeated}");
    assert_eq!(fixture.archive_requests_with("thing-7"), 1);
}

#[test]
fn failed_searches_add_up_over_runs() {
    let fixture = Fixture::new(|_| Vec::new());
    for number in 1..=4 {
        let revival = fixture.revival(&dead_path(number), &[]);
        assert!(!failure_reasons(&revival).contains(&"dead-directory"), "{revival}");
    }
    assert_eq!(failure_reasons(&fixture.revival(&dead_path(5), &[])), ["dead-directory"]);
}

#[test]
fn directory_is_not_skipped_if_an_archive_was_unavailable() {
    let fixture = Fixture::new(|_| Vec::new());
    let urls: Vec<String> = (1..=6).map(|number| fixture.url(&dead_path(number))).collect();
    let flags = ["--archive", "none", "--format", "jsonl"];
    let args: Vec<&str> = flags.into_iter().chain(urls.iter().map(String::as_str)).collect();
    let args = [super::REVIVE, crate::sandbox::NO_DELAYS, &args].concat();
    let rows = fixture.sandbox.run(&args).exits(0).rows();
    assert!(
        rows.results.iter().all(|row| !failure_reasons(row).contains(&"dead-directory")),
        "{rows:?}"
    );
}
