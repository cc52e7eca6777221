//! Replacements: pages of other sites with the content of a dead page. Relink finds replacements by
//! search, verifies their text, and distinguishes them from aliases.

use relink_demo::ArchivedPage;
use relink_testkit::omega::Omega;
use serde_json::Value;

use super::{Fixture, alias_path, article};
use crate::sandbox::CommandOutput;

/// Host of the dead page.
pub(super) const DEAD_HOST: &str = "lost.test";
/// Host of copies of the dead page.
pub(super) const MIRROR_HOST: &str = "mirror.test";
/// A third host.
const OTHER_HOST: &str = "other.test";

/// A dead page of a dead site, with an archived copy.
pub(super) struct DeadPage {
    pub(super) fixture: Fixture,
    pub(super) url: String,
    /// Values of the `--resolve` flags of all sites.
    resolve: [String; 3],
}

impl DeadPage {
    /// Starts the sites and the archive, which has only a copy of the dead page.
    pub(super) fn new() -> Self {
        Self::with_captures(|_| Vec::new())
    }

    /// Like [`Self::new`], with further captures. `more` gets the URL of the dead page.
    fn with_captures(more: impl FnOnce(&str) -> Vec<ArchivedPage>) -> Self {
        let fixture = Fixture::new(|web| {
            let url: String = web.host(DEAD_HOST).url("/birds/owls.html").into();
            let copy = ArchivedPage::page(&url, "20210302030405", &article("owl"));
            [vec![copy], more(&url)].concat()
        });
        let port = fixture.web.port();
        let resolve =
            [DEAD_HOST, MIRROR_HOST, OTHER_HOST].map(|name| format!("{name}:{port}:127.0.0.1"));
        let url = fixture.web.host(DEAD_HOST).url("/birds/owls.html").into();
        Self { fixture, url, resolve }
    }

    /// Returns the `--resolve` flags of all sites.
    pub(super) fn resolve_flags(&self) -> Vec<&str> {
        self.resolve.iter().flat_map(|name| ["--resolve", name]).collect()
    }

    /// Serves a page on the mirror and checks the page, so that the local index contains it.
    /// Returns the URL.
    fn serve_checked_mirror(&self, path: &str, body: &str) -> String {
        self.fixture.web.host(MIRROR_HOST).page(path, 200, body);
        let url: String = self.fixture.web.host(MIRROR_HOST).url(path).into();
        let args = [&self.resolve_flags()[..], &["--allow-private", &url]].concat();
        self.fixture.sandbox.check(&args).exits(0);
        url
    }

    /// Searches for the dead page.
    fn revive(&self, args: &[&str]) -> CommandOutput {
        self.fixture.revive(&[&self.resolve_flags()[..], args, &[&self.url]].concat()).exits(0)
    }

    /// Searches for the dead page and returns the result row.
    pub(super) fn revival(&self, args: &[&str]) -> Value {
        let args = [&["--allow-private", "--format", "jsonl"], args].concat();
        self.revive(&args).rows().row(&self.url).clone()
    }
}

#[test]
fn mirror_is_found_but_is_not_an_alias() {
    let dead = DeadPage::new();
    let mirror = dead.serve_checked_mirror("/copies/1.html", &article("owl"));
    let revival = dead.revival(&[]);
    assert_eq!(alias_path(&revival), None, "{revival}");
    let replacement = &revival["replacements"][0];
    assert_eq!(replacement["url"], mirror.as_str(), "{revival}");
    assert_eq!(replacement["similarity"], "identical");
    assert_eq!(replacement["resemblance"], 1.0);
    assert_eq!(replacement["reason"], "same text as the copy of 2021-03-02, as far as compared");
    assert_eq!(replacement["engine"], "local index");
    assert_eq!(
        replacement.get("confidence"),
        None,
        "no confidence, so that no tool applies it automatically"
    );
    assert!(revival["costs"]["replacement"]["page_fetches"].as_u64().unwrap() > 0, "{revival}");
}

#[test]
fn human_output_labels_the_mirror() {
    let dead = DeadPage::new();
    let mirror = dead.serve_checked_mirror("/copies/1.html", &article("owl"));
    let text = dead.revive(&["--allow-private"]).stdout;
    assert!(text.contains("  alias     none: "), "{text}");
    assert!(text.contains(&format!("  mirror    {mirror}   on another site\n")), "{text}");
    let text = dead.fixture.sandbox.run(&["revive", "--db", "relink.db", "--summary"]).stdout;
    assert!(text.contains("1 with a replacement"), "{text}");
}

#[test]
fn similar_page_is_a_replacement() {
    let dead = DeadPage::new();
    // The page lacks the words of the dead page before `owlma`, and has some other words.
    let text = article("owl");
    let (head, rest) = text.split_once("owlaa").unwrap();
    let (_, end) = rest.split_once("owlma").unwrap();
    let url = dead
        .serve_checked_mirror("/like.html", &format!("{head}another text begins here owlma{end}"));
    let revival = dead.revival(&[]);
    let replacement = &revival["replacements"][0];
    assert_eq!(replacement["url"], url, "{revival}");
    assert_eq!(replacement["similarity"], "similar", "{revival}");
}

#[test]
fn equal_title_alone_is_not_a_replacement() {
    let dead = DeadPage::new();
    let title = "All about owl";
    let other = article("eagle").replace("All about eagle", title);
    dead.serve_checked_mirror("/copies/1.html", &other);
    let revival = dead.revival(&[]);
    assert!(dead.fixture.web.host(MIRROR_HOST).hits("/copies/1.html") > 1, "the page was fetched");
    assert_eq!(revival["replacements"], Value::Array(Vec::new()), "{revival}");
}

#[test]
fn dead_mirror_is_rejected() {
    let dead = DeadPage::new();
    let mirror = dead.serve_checked_mirror("/copies/1.html", &article("owl"));
    let (web, path) = (&dead.fixture.web, "/copies/1.html");
    web.host(MIRROR_HOST).page(path, 404, "gone");
    assert_eq!(dead.revival(&[])["replacements"], Value::Array(Vec::new()));
    let other = web.host(OTHER_HOST).url("/owls");
    web.host(MIRROR_HOST).redirect(path, 302, other.as_str());
    web.page("/owls", 200, &article("owl"));
    let revival = dead.revival(&["--max-result-age", "0"]);
    assert_eq!(
        revival["replacements"],
        Value::Array(Vec::new()),
        "{mirror} redirects to another site: {revival}"
    );
}

#[test]
fn mirror_at_a_private_address_is_not_requested() {
    let dead = DeadPage::new();
    dead.serve_checked_mirror("/copies/1.html", &article("owl"));
    let hits = dead.fixture.web.host(MIRROR_HOST).hits("/copies/1.html");
    let output = dead.revive(&["--format", "jsonl"]);
    assert_eq!(output.rows().row(&dead.url)["replacements"], Value::Array(Vec::new()));
    assert_eq!(dead.fixture.web.host(MIRROR_HOST).hits("/copies/1.html"), hits);
}

#[test]
fn replacements_never_flag_disables_the_search() {
    let dead = DeadPage::new();
    dead.serve_checked_mirror("/copies/1.html", &article("owl"));
    let revival = dead.revival(&["--replacements", "never"]);
    assert_eq!(revival["replacements"], Value::Array(Vec::new()));
    assert_eq!(revival["costs"].get("replacement"), None, "{revival}");
}

#[test]
fn replacements_of_a_found_page_are_searched_only_with_always() {
    let dead = DeadPage::with_captures(|url| {
        vec![ArchivedPage::redirect(url, "20150102030405", 301, "/animals/owls.html")]
    });
    dead.serve_checked_mirror("/copies/1.html", &article("owl"));
    dead.fixture.web.host(DEAD_HOST).page("/animals/owls.html", 200, &article("owl"));
    let revival = dead.revival(&[]);
    assert_eq!(alias_path(&revival).as_deref(), Some("/animals/owls.html"), "{revival}");
    assert_eq!(revival["replacements"], Value::Array(Vec::new()), "{revival}");
    let revival = dead.revival(&["--replacements", "always", "--max-result-age", "0"]);
    assert!(alias_path(&revival).is_some() && revival["replacements"][0].is_object(), "{revival}");
}

#[test]
fn alias_found_later_in_the_run_removes_the_mirror() {
    let moved = ["a", "b", "c", "d", "e"].map(|name| format!("/birds/{name}.html"));
    let dead = DeadPage::with_captures(|url| {
        let capture = |path: &String| {
            let old = url.replace("/birds/owls.html", path);
            ArchivedPage::redirect(&old, "20150102030405", 301, &path.replace("birds", "animals"))
        };
        moved.iter().map(capture).collect()
    });
    dead.serve_checked_mirror("/copies/1.html", &article("owl"));
    let host = dead.fixture.web.host(DEAD_HOST);
    for path in moved.iter().map(String::as_str).chain(["/birds/owls.html"]) {
        let name = path.trim_start_matches("/birds/");
        let subject = name.trim_end_matches("s.html").trim_end_matches(".html");
        host.page(&path.replace("birds", "animals"), 200, &article(subject));
    }
    // Relink searches for the pages in this order: the dead page, pages without an alias, and then
    // the pages from which the pattern is learned.
    let unmoved = ["/birds/x1.html", "/birds/x2.html", "/birds/x3.html"].map(str::to_owned);
    let urls: Vec<String> =
        unmoved.iter().chain(&moved).map(|path| host.url(path).into()).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let flags = ["--allow-private", "--format", "jsonl", &dead.url];
    let args = [&dead.resolve_flags()[..], &flags, &urls].concat();
    let revival = dead.fixture.revive(&args).exits(0).rows().row(&dead.url).clone();
    assert_eq!(alias_path(&revival).as_deref(), Some("/animals/owls.html"), "{revival}");
    assert!(revival["costs"]["replacement"].is_object(), "other sites were searched: {revival}");
    assert_eq!(revival["replacements"], Value::Array(Vec::new()), "{revival}");
}

#[test]
fn same_text_on_the_own_site_takes_precedence() {
    let dead = DeadPage::new();
    dead.serve_checked_mirror("/copies/1.html", &article("owl"));
    let serve_checked = |path: &str| {
        dead.fixture.web.host(DEAD_HOST).page(path, 200, &article("owl"));
        let url: String = dead.fixture.web.host(DEAD_HOST).url(path).into();
        let args = [&dead.resolve_flags()[..], &["--allow-private", &url]].concat();
        dead.fixture.sandbox.check(&args).exits(0);
    };
    serve_checked("/animals/7");
    let revival = dead.revival(&[]);
    assert_eq!(alias_path(&revival).as_deref(), Some("/animals/7"), "{revival}");
    assert_eq!(revival["alias"]["confidence"], 0.9);
    assert_eq!(revival["replacements"], Value::Array(Vec::new()));
    serve_checked("/print/7");
    let revival = dead.revival(&["--max-result-age", "0"]);
    assert_eq!(alias_path(&revival), None, "two pages with the same text are ambiguous: {revival}");
    assert_eq!(revival["other_candidates"].as_array().unwrap().len(), 2, "{revival}");
}

#[test]
fn real_search_engine_finds_the_mirror() {
    let dead = DeadPage::new();
    let root = dead.fixture.web.host(MIRROR_HOST).url("/");
    // A different title, so that only the text can match.
    let copy = article("owl").replace("All about owl", "Copy 7").replace(">owl<", ">Copy 7<");
    dead.fixture.web.host(MIRROR_HOST).page("/copies/7.html", 200, &copy);
    let eagle = article("eagle");
    dead.fixture.web.host(MIRROR_HOST).page("/copies/8.html", 200, &eagle);
    let omega = Omega::start(root.as_str(), &[("copies/7.html", &copy), ("copies/8.html", &eagle)]);
    let engine = format!("json:{}?DB=default&FMT=json&P={{query}}&B=H{{site}}", omega.url());
    let revival = dead.revival(&["--search", &engine]);
    assert_eq!(revival["replacements"][0]["similarity"], "nearly-identical", "{revival}");
    assert_eq!(revival["replacements"][0]["engine"], "JSON");
    let searches =
        |revival: &Value| revival["costs"]["replacement"]["searches"].as_u64().unwrap_or(0);
    assert!((1..=2).contains(&searches(&revival)), "{revival}");
    let repeated = dead.revival(&["--search", &engine, "--max-result-age", "0"]);
    assert_eq!(searches(&repeated), 0, "{repeated}");
    assert!(repeated["replacements"][0].is_object(), "{repeated}");
}

#[test]
fn max_searches_per_page_is_obeyed() {
    let dead = DeadPage::new();
    let root = dead.fixture.web.host(MIRROR_HOST).url("/");
    let omega = Omega::start(root.as_str(), &[("a.html", &article("eagle"))]);
    let engine = format!("json:{}?DB=default&FMT=json&P={{query}}", omega.url());
    let total_searches = |revival: &Value| -> u64 {
        let costs = revival["costs"].as_object().unwrap();
        costs.values().map(|cost| cost["searches"].as_u64().unwrap()).sum()
    };
    assert_eq!(total_searches(&dead.revival(&["--search", &engine, "--max-searches", "1"])), 1);
    assert_eq!(total_searches(&dead.revival(&["--search", &engine, "--max-result-age", "0"])), 4);
}

#[test]
fn check_suggests_the_replacement() {
    let dead = DeadPage::new();
    let mirror = dead.serve_checked_mirror("/copies/1.html", &article("owl"));
    dead.fixture.sandbox.write_urls("urls.txt", [&dead.url, &mirror]);
    let root = dead.fixture.archive.root();
    let flags = ["--revive", "--archive", &root, "--allow-private", "urls.txt"];
    let args = [&dead.resolve_flags()[..], &flags].concat();
    let output = dead.fixture.sandbox.check(&args).exits(1);
    let suggestion = output.rows().row(&dead.url)["suggestion"].clone();
    assert_eq!(suggestion.get("alias"), None, "{suggestion}");
    assert_eq!(suggestion["replacement"]["url"], mirror.as_str(), "{suggestion}");
    assert_eq!(suggestion["replacement"]["similarity"], "identical");
    let text = dead.fixture.sandbox.check_human(&args).exits(1).stdout;
    let line = format!("help: copy on another site: {mirror}   (identical, not an alias)\n");
    assert!(text.contains(&line), "{text}");
    let more_flags = ["--search", "none", "--replacements", "always"];
    let rows = dead.fixture.sandbox.check(&[&args[..], &more_flags].concat()).exits(1).rows();
    let stored = &rows.row(&dead.url)["suggestion"]["replacement"];
    assert!(stored.is_object(), "a result of the same day is reused");
    let explain = ["explain", "--db", "relink.db", &dead.url];
    let text = dead.fixture.sandbox.run(&explain).exits(0).stdout;
    assert!(text.contains(&format!("  mirror    {mirror}")), "{text}");
}
