//! Pages of other sites with the content of a dead one: found by a search of
//! all sites, proven by their text, and told apart from an alias.

use relink_demo::ArchivedPage;
use relink_testkit::omega::Omega;
use serde_json::Value;

use super::{Scene, alias, article};
use crate::desk::Said;

pub(super) const DEAD: &str = "lost.test";
pub(super) const MIRROR: &str = "mirror.test";
const STRANGER: &str = "stranger.test";

/// A page that is gone with its site, of which an archive has a copy.
pub(super) struct Lost {
    pub(super) scene: Scene,
    pub(super) dead: String,
    resolve: [String; 3],
}

impl Lost {
    pub(super) fn new() -> Self {
        Self::remembered(|_| Vec::new())
    }

    /// An archive knows more of the dead page.
    fn remembered(more: impl FnOnce(&str) -> Vec<ArchivedPage>) -> Self {
        let scene = Scene::new(|web| {
            let dead: String = web.host(DEAD).url("/birds/owls.html").into();
            let copy = ArchivedPage::page(&dead, "20210302030405", &article("owl"));
            [vec![copy], more(&dead)].concat()
        });
        let port = scene.web.port();
        let resolve = [DEAD, MIRROR, STRANGER].map(|name| format!("{name}:{port}:127.0.0.1"));
        let dead = scene.web.host(DEAD).url("/birds/owls.html").into();
        Self { scene, dead, resolve }
    }

    /// The flags that lead names to the site.
    pub(super) fn names(&self) -> Vec<&str> {
        self.resolve.iter().flat_map(|name| ["--resolve", name]).collect()
    }

    /// Something is at the mirror, and `relink check` has seen it.
    fn seen(&self, path: &str, body: &str) -> String {
        self.scene.web.host(MIRROR).page(path, 200, body);
        let url: String = self.scene.web.host(MIRROR).url(path).into();
        let args = [&self.names()[..], &["--allow-private", &url]].concat();
        self.scene.desk.check(&args).exits(0);
        url
    }

    fn revive(&self, args: &[&str]) -> Said {
        self.scene.revive(&[&self.names()[..], args, &[&self.dead]].concat()).exits(0)
    }

    pub(super) fn story(&self, args: &[&str]) -> Value {
        let args = [&["--allow-private", "--format", "jsonl"], args].concat();
        self.revive(&args).rows().of(&self.dead).clone()
    }
}

#[test]
fn a_mirror_is_found_and_is_no_alias() {
    let lost = Lost::new();
    let mirror = lost.seen("/copies/1.html", &article("owl"));
    let story = lost.story(&[]);
    assert_eq!(alias(&story), None, "{story}");
    let found = &story["replacements"][0];
    assert_eq!(found["url"], mirror.as_str(), "{story}");
    assert_eq!((&found["likeness"], &found["share"]), (&"identical".into(), &1.0.into()));
    assert_eq!(found["reason"], "its text is that of the copy of 2021-03-02, as far as compared");
    assert_eq!(found["engine"], "local index");
    assert_eq!(found.get("confidence"), None, "nothing can apply it unasked");
    assert!(story["costs"]["elsewhere"]["page_fetches"].as_u64().unwrap() > 0, "{story}");
}

#[test]
fn people_see_what_it_is() {
    let lost = Lost::new();
    let mirror = lost.seen("/copies/1.html", &article("owl"));
    let text = lost.revive(&["--allow-private"]).stdout;
    assert!(text.contains("  alias    none: "), "{text}");
    assert!(text.contains(&format!("  mirror   {mirror}   on another site\n")), "{text}");
    let text = lost.scene.desk.run(&["revive", "--db", "relink.db", "--summary"]).stdout;
    assert!(text.contains("1 with a replacement elsewhere"), "{text}");
}

#[test]
fn a_page_with_part_of_the_text_could_replace_it() {
    let lost = Lost::new();
    let body = article("owl").replacen("owlma", "another text begins here owlma", 1);
    let start = body.find("owlaa").unwrap();
    let end = body.find("another").unwrap();
    let url = lost.seen("/like.html", &format!("{}{}", &body[..start], &body[end..]));
    let story = lost.story(&[]);
    let found = &story["replacements"][0];
    assert_eq!((&found["url"], &found["likeness"]), (&url.into(), &"similar".into()), "{story}");
}

#[test]
fn a_title_is_no_proof() {
    let lost = Lost::new();
    let title = "All about owl";
    let other = article("eagle").replace("All about eagle", title);
    lost.seen("/copies/1.html", &other);
    let story = lost.story(&[]);
    assert!(lost.scene.web.host(MIRROR).hits("/copies/1.html") > 1, "it was looked at");
    assert_eq!(story["replacements"], Value::Array(Vec::new()), "{story}");
}

#[test]
fn a_mirror_must_be_alive_where_it_is() {
    let lost = Lost::new();
    let mirror = lost.seen("/copies/1.html", &article("owl"));
    let (web, path) = (&lost.scene.web, "/copies/1.html");
    web.host(MIRROR).page(path, 404, "gone");
    assert_eq!(lost.story(&[])["replacements"], Value::Array(Vec::new()));
    let elsewhere = web.host(STRANGER).url("/owls");
    web.host(MIRROR).redirect(path, 302, elsewhere.as_str());
    web.page("/owls", 200, &article("owl"));
    let story = lost.story(&["--answer-age", "0"]);
    assert_eq!(story["replacements"], Value::Array(Vec::new()), "{mirror} was sold: {story}");
}

#[test]
fn a_mirror_at_a_private_address_is_not_even_asked() {
    let lost = Lost::new();
    lost.seen("/copies/1.html", &article("owl"));
    let hits = lost.scene.web.host(MIRROR).hits("/copies/1.html");
    let said = lost.revive(&["--format", "jsonl"]);
    assert_eq!(said.rows().of(&lost.dead)["replacements"], Value::Array(Vec::new()));
    assert_eq!(lost.scene.web.host(MIRROR).hits("/copies/1.html"), hits);
}

#[test]
fn nobody_looks_elsewhere_who_is_told_not_to() {
    let lost = Lost::new();
    lost.seen("/copies/1.html", &article("owl"));
    let story = lost.story(&["--elsewhere", "never"]);
    assert_eq!(story["replacements"], Value::Array(Vec::new()));
    assert_eq!(story["costs"].get("elsewhere"), None, "{story}");
}

#[test]
fn a_page_that_was_found_is_looked_for_elsewhere_only_if_told() {
    let lost = Lost::remembered(|dead| {
        vec![ArchivedPage::redirect(dead, "20150102030405", 301, "/animals/owls.html")]
    });
    lost.seen("/copies/1.html", &article("owl"));
    lost.scene.web.host(DEAD).page("/animals/owls.html", 200, &article("owl"));
    let story = lost.story(&[]);
    assert_eq!(alias(&story).as_deref(), Some("/animals/owls.html"), "{story}");
    assert_eq!(story["replacements"], Value::Array(Vec::new()), "{story}");
    let story = lost.story(&["--elsewhere", "always", "--answer-age", "0"]);
    assert!(alias(&story).is_some() && story["replacements"][0].is_object(), "{story}");
}

#[test]
fn a_page_that_is_found_later_needs_no_mirror() {
    let moved = ["a", "b", "c", "d", "e"].map(|name| format!("/birds/{name}.html"));
    let lost = Lost::remembered(|dead| {
        let kept = |path: &String| {
            let old = dead.replace("/birds/owls.html", path);
            ArchivedPage::redirect(&old, "20150102030405", 301, &path.replace("birds", "animals"))
        };
        moved.iter().map(kept).collect()
    });
    lost.seen("/copies/1.html", &article("owl"));
    let host = lost.scene.web.host(DEAD);
    for path in moved.iter().map(String::as_str).chain(["/birds/owls.html"]) {
        let subject = path[7..].trim_end_matches("s.html").trim_end_matches(".html");
        host.page(&path.replace("birds", "animals"), 200, &article(subject));
    }
    // Four pages that tell nothing, and then those that teach.
    let lonely = ["/birds/x1.html", "/birds/x2.html", "/birds/x3.html"].map(str::to_owned);
    let urls: Vec<String> = lonely.iter().chain(&moved).map(|path| host.url(path).into()).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let flags = ["--allow-private", "--format", "jsonl", &lost.dead];
    let args = [&lost.names()[..], &flags, &urls].concat();
    let found = lost.scene.revive(&args).exits(0).rows().of(&lost.dead).clone();
    assert_eq!(alias(&found).as_deref(), Some("/animals/owls.html"), "{found}");
    assert!(found["costs"]["elsewhere"].is_object(), "it was looked for elsewhere: {found}");
    assert_eq!(found["replacements"], Value::Array(Vec::new()), "{found}");
}

#[test]
fn the_same_text_on_its_own_site_comes_first() {
    let lost = Lost::new();
    lost.seen("/copies/1.html", &article("owl"));
    let see = |path: &str| {
        lost.scene.web.host(DEAD).page(path, 200, &article("owl"));
        let url: String = lost.scene.web.host(DEAD).url(path).into();
        let args = [&lost.names()[..], &["--allow-private", &url]].concat();
        lost.scene.desk.check(&args).exits(0);
    };
    see("/animals/7");
    let story = lost.story(&[]);
    assert_eq!(alias(&story).as_deref(), Some("/animals/7"), "{story}");
    assert_eq!(story["alias"]["confidence"], 0.9);
    assert_eq!(story["replacements"], Value::Array(Vec::new()));
    see("/print/7");
    let story = lost.story(&["--answer-age", "0"]);
    assert_eq!(alias(&story), None, "of two with the same text none is sure: {story}");
    assert_eq!(story["others"].as_array().unwrap().len(), 2, "{story}");
}

#[test]
fn a_real_engine_finds_the_mirror_by_its_words() {
    let lost = Lost::new();
    let root = lost.scene.web.host(MIRROR).url("/");
    // Another title, so that only the words of the page lead to it.
    let copy = article("owl").replace("All about owl", "Copy 7").replace(">owl<", ">Copy 7<");
    lost.scene.web.host(MIRROR).page("/kept/7.html", 200, &copy);
    let eagle = article("eagle");
    lost.scene.web.host(MIRROR).page("/kept/8.html", 200, &eagle);
    let omega = Omega::start(root.as_str(), &[("kept/7.html", &copy), ("kept/8.html", &eagle)]);
    let engine = format!("json:{}?DB=default&FMT=json&P={{query}}&B=H{{site}}", omega.url());
    let story = lost.story(&["--search", &engine]);
    assert_eq!(story["replacements"][0]["likeness"], "nearly-identical", "{story}");
    assert_eq!(story["replacements"][0]["engine"], "JSON");
    let searches = |story: &Value| story["costs"]["elsewhere"]["searches"].as_u64().unwrap_or(0);
    assert!((1..=2).contains(&searches(&story)), "{story}");
    let again = lost.story(&["--search", &engine, "--answer-age", "0"]);
    assert_eq!((searches(&again), again["replacements"][0].is_object()), (0, true), "{again}");
}

#[test]
fn no_more_is_searched_for_a_page_than_is_allowed() {
    let lost = Lost::new();
    let root = lost.scene.web.host(MIRROR).url("/");
    let omega = Omega::start(root.as_str(), &[("a.html", &article("eagle"))]);
    let engine = format!("json:{}?DB=default&FMT=json&P={{query}}", omega.url());
    let sum = |story: &Value| -> u64 {
        let costs = story["costs"].as_object().unwrap();
        costs.values().map(|cost| cost["searches"].as_u64().unwrap()).sum()
    };
    assert_eq!(sum(&lost.story(&["--search", &engine, "--searches", "1"])), 1);
    assert_eq!(sum(&lost.story(&["--search", &engine, "--answer-age", "0"])), 4);
}

#[test]
fn a_check_suggests_it_beside_the_finding() {
    let lost = Lost::new();
    let mirror = lost.seen("/copies/1.html", &article("owl"));
    lost.scene.desk.list("urls.txt", [&lost.dead, &mirror]);
    let root = lost.scene.archive.root();
    let flags = ["--revive", "--archive", &root, "--allow-private", "urls.txt"];
    let args = [&lost.names()[..], &flags].concat();
    let said = lost.scene.desk.check(&args).exits(1);
    let suggestion = said.rows().of(&lost.dead)["suggestion"].clone();
    assert_eq!(suggestion.get("alias"), None, "{suggestion}");
    assert_eq!(suggestion["replacement"]["url"], mirror.as_str(), "{suggestion}");
    assert_eq!(suggestion["replacement"]["likeness"], "identical");
    let text = lost.scene.desk.report(&args).exits(1).stdout;
    let line = format!("help: copy on another site: {mirror}   (identical, no alias)\n");
    assert!(text.contains(&line), "{text}");
    let again = ["--search", "none", "--elsewhere", "always"];
    let rows = lost.scene.desk.check(&[&args[..], &again].concat()).exits(1).rows();
    let kept = &rows.of(&lost.dead)["suggestion"]["replacement"];
    assert!(kept.is_object(), "an answer of today is given again");
    let explained = ["explain", "--db", "relink.db", &lost.dead];
    let text = lost.scene.desk.run(&explained).exits(0).stdout;
    assert!(text.contains(&format!("  mirror   {mirror}")), "{text}");
}
