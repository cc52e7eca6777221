//! Several search engines: their candidates are evaluated together.

use relink_testkit::web::CannedResponse;
use serde_json::{Value, json};

use super::replacements::{DEAD_HOST, DeadPage, MIRROR_HOST};
use super::{alias_path, article};

impl DeadPage {
    /// Starts a search engine that returns `urls` for every query. Returns the value of `--search`
    /// for the engine.
    fn start_engine(&self, urls: &[&str]) -> String {
        let web = &self.fixture.web;
        let rows: Vec<Value> =
            urls.iter().map(|url| json!({ "url": url, "title": "Found" })).collect();
        let response = CannedResponse::new(200, json!({ "results": rows }).to_string());
        web.respond_below("/find/", response.with_header("Content-Type", "application/json"));
        format!("json:{}?q={{query}}", web.url("/find/"))
    }

    /// Serves a copy of the dead page that was never checked, and returns its URL.
    fn serve_unchecked(&self, host: &str, path: &str) -> String {
        self.fixture.web.host(host).page(path, 200, &article("owl"));
        self.fixture.web.host(host).url(path).into()
    }

    /// Serves a copy on the site of the dead page, and checks the copy, so that the local index
    /// contains it.
    fn serve_checked(&self, path: &str) -> String {
        let url = self.serve_unchecked(DEAD_HOST, path);
        let args = [&self.resolve_flags()[..], &["--allow-private", &url]].concat();
        self.fixture.sandbox.check(&args).exits(0);
        url
    }
}

/// Returns the sorted URLs of the other candidates.
fn other_candidates(revival: &Value) -> Vec<&str> {
    let candidates = revival["other_candidates"].as_array().unwrap();
    let mut urls: Vec<_> =
        candidates.iter().map(|candidate| candidate["url"].as_str().unwrap()).collect();
    urls.sort_unstable();
    urls
}

#[test]
fn ambiguous_pages_with_the_same_text_are_rejected() {
    let dead = DeadPage::new();
    let indexed = dead.serve_checked("/animals/7");
    let found = dead.serve_unchecked(DEAD_HOST, "/print/7");
    let engine = dead.start_engine(&[&found]);
    let revival = dead.revival(&["--search", "local", "--search", &engine]);
    assert_eq!(alias_path(&revival), None, "{revival}");
    assert_eq!(other_candidates(&revival), [indexed.as_str(), &found], "{revival}");
    let revival = dead.revival(&["--search", &engine, "--max-result-age", "0"]);
    assert_eq!(
        alias_path(&revival).as_deref(),
        Some("/print/7"),
        "the only candidate is accepted: {revival}"
    );
    assert_eq!(other_candidates(&revival), [""; 0], "{revival}");
}

#[test]
fn page_found_by_several_engines_is_listed_once() {
    let dead = DeadPage::new();
    let urls = ["/animals/7", "/print/7"].map(|path| dead.serve_checked(path));
    let engine = dead.start_engine(&[&urls[0], &urls[1]]);
    let revival = dead.revival(&["--search", "local", "--search", &engine]);
    assert_eq!(alias_path(&revival), None, "{revival}");
    assert_eq!(other_candidates(&revival), urls, "{revival}");
}

#[test]
fn page_is_not_an_alias_of_itself() {
    let dead = DeadPage::new();
    dead.serve_unchecked(DEAD_HOST, "/birds/owls.html");
    dead.fixture.web.host(DEAD_HOST).redirect("/go/7", 302, &dead.url);
    let redirect: String = dead.fixture.web.host(DEAD_HOST).url("/go/7").into();
    let engine = dead.start_engine(&[&dead.url, &redirect]);
    let revival = dead.revival(&["--search", &engine]);
    assert_eq!(alias_path(&revival), None, "{revival}");
    assert_eq!(other_candidates(&revival), [""; 0], "{revival}");
    dead.fixture.sandbox.write_urls("live.txt", [&dead.url]);
    let revival =
        dead.revival(&["--search", "none", "--live-pages", "live.txt", "--max-result-age", "0"]);
    assert_eq!(alias_path(&revival), None, "{revival}");
}

#[test]
fn archived_copy_is_not_a_mirror() {
    let dead = DeadPage::new();
    let copy = dead.serve_unchecked(MIRROR_HOST, &format!("/web/2015/{}", dead.url));
    dead.fixture.web.host(MIRROR_HOST).redirect("/s/7", 302, &copy);
    let redirect: String = dead.fixture.web.host(MIRROR_HOST).url("/s/7").into();
    let engine = dead.start_engine(&[&copy, &redirect]);
    let revival = dead.revival(&["--search", &engine]);
    assert!(dead.fixture.web.host(MIRROR_HOST).hits("/s/7") > 0, "the page was fetched");
    assert_eq!(revival["replacements"], Value::Array(Vec::new()), "{revival}");
}

#[test]
fn services_that_were_not_queried_cost_nothing() {
    let dead = DeadPage::new();
    let engine = dead.start_engine(&[]);
    let revival = dead.revival(&["--search", &engine, "--search-budget", "0"]);
    let costs = revival["costs"].as_object().unwrap();
    assert!(costs.values().all(|cost| cost["searches"] == 0), "{revival}");
    let warning = "daily budget of 0 requests to search engine `JSON` is exhausted";
    assert_eq!(revival["warnings"], json!([warning]), "{revival}");
}

#[test]
fn engine_url_with_a_comma_is_one_engine() {
    let dead = DeadPage::new();
    let mirror = dead.serve_unchecked(MIRROR_HOST, "/copies/1.html");
    let engine = format!("{}&fields=url,title", dead.start_engine(&[&mirror]));
    let revival = dead.revival(&["--search", &engine]);
    assert_eq!(revival["replacements"][0]["url"], mirror.as_str(), "{revival}");
}

#[test]
fn database_contains_no_password_and_no_service_key() {
    let dead = DeadPage::new();
    let engine = dead.start_engine(&[]).replace("http://", "http://me:hunter2@");
    let engine = format!("{engine}&key=s3cret");
    let archive = dead.fixture.archive.root().replace("http://", "http://me:hunter2@");
    let services = ["--archive", &archive, "--search", &engine];
    let args = [&dead.resolve_flags()[..], &["--allow-private"], &services, &[&dead.url]].concat();
    let budgets = ["revive", "--db", "relink.db", "--search-budget", "9", "--archive-budget", "9"];
    let output = dead.fixture.sandbox.run(&[&budgets[..], &args].concat()).exits(0);
    assert!(output.stdout.contains("good copy http://"), "{}", output.stdout);
    dead.fixture.sandbox.check(&[&["--revive"], &args[..]].concat()).exits(1);
    for name in ["relink.db", "relink.db-wal"] {
        let bytes = std::fs::read(dead.fixture.sandbox.path(name)).unwrap_or_default();
        for secret in ["hunter2", "s3cret"] {
            let found = bytes.windows(secret.len()).position(|window| window == secret.as_bytes());
            // The text before the secret, for the failure message.
            let context = |end: usize| String::from_utf8_lossy(&bytes[end.saturating_sub(80)..end]);
            assert_eq!(found.map(context), None, "{name} contains {secret}");
        }
    }
}
