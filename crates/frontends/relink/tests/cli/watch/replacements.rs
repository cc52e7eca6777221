//! `relink watch suggest` and `replace`.

use std::fmt::Write as _;

use relink_demo::{ArchivedPage, MiniArchive};
use serde_json::Value;

use super::{DAY_1, DAY_5, OWLS, WatchedWeb, html, owl_text};
use crate::sandbox::NO_DELAYS;
use crate::servers::BackgroundServer;

/// Returns a text about owls that is long enough to be recognized on other pages.
fn article(number: usize) -> String {
    let sentences = OWLS.join("</p><p>");
    format!(
        "<p>Chapter{number} of the owl book number{number}.</p><p>{sentences}</p>{}",
        owl_text(number)
    )
}

/// The collection `r` of five articles, checked on the first day, and an archive.
struct Library {
    web: WatchedWeb,
    archive: BackgroundServer<MiniArchive>,
}

impl Library {
    /// Creates the collection. `captures` returns the content of the archive.
    fn new(captures: impl FnOnce(&WatchedWeb) -> Vec<ArchivedPage>) -> Self {
        let web = WatchedWeb::new();
        let captures = captures(&web);
        let archive =
            BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() });
        let mut list = String::new();
        for number in 0..5 {
            let path = format!("/books/owl{number}.html");
            web.page(&path, &format!("Owl book {number}"), &article(number));
            let _ = writeln!(list, "- [Owl {number}]({}) chapter {number}", web.url(&path));
        }
        web.sandbox.write("r.md", &list);
        web.watch(&["add", "r.md", "--name", "r"]).exits(0);
        web.run_at(DAY_1, &[]).exits(0);
        Self { web, archive }
    }

    /// Returns the candidates for a member.
    fn suggest(&self, member: &str, args: &[&str]) -> Vec<Value> {
        let archive = self.archive.root();
        let command = ["watch", "--db", "relink.db", "suggest", "r", member, "--allow-private"];
        let flags = ["--archive", &archive, "--format", "json"];
        let output = self.web.sandbox.run(&[&command, NO_DELAYS, &flags, args].concat()).exits(0);
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        report["candidates"].as_array().unwrap().clone()
    }
}

#[test]
fn dead_member_gets_alias_archived_copy_and_similar_page_in_this_order() {
    let library = Library::new(|web| {
        let url = web.url("/books/owl1.html");
        vec![
            ArchivedPage::page(&url, "20260101000000", &html("Owl book 1", &article(1))),
            ArchivedPage::redirect(&url, "20260201000000", 301, "/new/owl1.html"),
        ]
    });
    let web = &library.web;
    web.page("/new/owl1.html", "Owl book 1", &article(1));
    // A page on the same topic, which is in the local index after its check.
    let similar = "Owls of the night";
    web.page("/similar.html", similar, &format!("<p>{}</p>", OWLS.join("</p><p>")));
    let url = web.url("/similar.html");
    web.sandbox.check(&[&url]).exits(0);
    web.web.page("/books/owl1.html", 404, "gone");
    web.run_at(DAY_5, &[]).exits(0);
    let dead = web.url("/books/owl1.html");
    let candidates = library.suggest(&dead, &[]);
    let kinds: Vec<&str> =
        candidates.iter().map(|candidate| candidate["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[..2], ["alias", "archived"], "{candidates:#?}");
    assert_eq!(candidates[0]["url"], web.url("/new/owl1.html"));
    assert_eq!(candidates[0]["context"]["flag"], "fits", "{candidates:#?}");
    assert!(kinds[2..].contains(&"similar"), "{candidates:#?}");

    // The archived copy is linked from the exported path.
    web.watch(&["export", "r", "-o", "site"]).exits(0);
    let stop = web.sandbox.read("site/stop-002.html");
    assert!(stop.contains("Archived copy: "), "{stop}");

    let new = web.url("/new/owl1.html");
    web.watch(&["replace", "r", "2", &new]).exits(0);
    web.run_at("2026-04-01T09:00:00Z", &[]).exits(0);
    let member = web.member("r", "/new/owl1.html");
    assert_eq!(member["replaced_url"], dead);
    assert_eq!(member["annotation"], "chapter 1");
    assert_eq!(member["state"], "active");
    assert_eq!(member["next_step"], "none");
}

#[test]
fn rejected_page_is_searched_and_gap_is_filled() {
    let library = Library::new(|web| {
        let url = web.url("/books/owl2.html");
        vec![ArchivedPage::page(&url, "20260101000000", &html("Owl book 2", &article(2)))]
    });
    let web = &library.web;
    let archive = library.archive.root();
    let reject = ["watch", "--db", "relink.db", "reject", "r", "3", "--reason", "resold"];
    let search = [NO_DELAYS, &["--allow-private", "--archive", &archive]].concat();
    let output = web.sandbox.run(&[&reject[..], &search].concat()).exits(0).stdout;
    assert!(output.starts_with("rejected http://") && output.contains("\narchived "), "{output}");
    let candidates = library.suggest("3", &[]);
    assert_eq!(candidates[0]["kind"], "archived", "{candidates:#?}");
    web.watch(&["remove", "r", "1"]).exits(0);
    assert_eq!(web.members("r")[0]["next_step"], "fill");
    let other = web.owl(7);
    web.watch(&["replace", "r", "1", &other]).exits(0);
    assert_eq!(web.members("r")[0]["next_step"], "run");
    web.watch(&["replace", "r", "1", "ftp://example.org/"])
        .fails(2, &["is not the URL of a web page"]);
}

#[test]
fn healthy_member_gets_similar_pages_only() {
    let library = Library::new(|_| Vec::new());
    let web = &library.web;
    web.page("/similar.html", "Owls of the night", &format!("<p>{}</p>", OWLS.join("</p><p>")));
    let url = web.url("/similar.html");
    web.sandbox.check(&[&url]).exits(0);
    let candidates = library.suggest("1", &[]);
    assert!(candidates.iter().all(|candidate| candidate["kind"] == "similar"), "{candidates:#?}");
    assert!(candidates.iter().any(|candidate| candidate["url"] == url), "{candidates:#?}");
    // The members of the collection are not candidates.
    let member = web.url("/books/owl2.html");
    assert!(candidates.iter().all(|candidate| candidate["url"] != member));
}

#[test]
fn keyphrases_are_ordered_by_the_table_or_by_a_search_engine() {
    let library = Library::new(|_| Vec::new());
    let web = &library.web;
    let keyphrases = |args: &[&str]| -> Value {
        let command = [&["keyphrases", "r", "1"], args].concat();
        web.json(&command)["members"][0].clone()
    };
    let member = keyphrases(&[]);
    assert_eq!(member["source"]["engine"], "builtin", "{member:#}");
    let similar: Vec<&str> =
        member["similar"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(similar.iter().any(|phrase| phrase.contains("owl")), "{similar:?}");
    assert!(similar.iter().all(|phrase| phrase.split(' ').count() <= 3), "{similar:?}");
    let urls: Vec<String> =
        (0..5).map(|number| web.url(&format!("/books/owl{number}.html"))).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    web.sandbox.check(&urls).exits(0);
    let counted = keyphrases(&["--count"]);
    assert_ne!(counted["source"]["engine"], "builtin", "{counted:#}");
    assert_eq!(keyphrases(&[]), counted);
}

#[test]
fn similarity_uses_images_links_and_titles_with_their_weights() {
    let library = Library::new(|_| Vec::new());
    let web = &library.web;
    let media = "<img src=/img/barn-owl.jpg><a href=/guide>Guide</a>";
    let article = article(0);
    web.page("/books/owl0.html", "Owl book 0", &format!("{article}{media}"));
    web.page("/guide", "Field guide to night birds", "<p>A guide to birds of the night.</p>");
    web.run_at(DAY_5, &[]).exits(0);
    web.watch(&["accept", "r", "1"]).exits(0);
    web.page("/img/barn-owl.jpg", "Image", "an image");
    // The first page has the text of the member. The second page has its image and its link.
    let all_sentences = OWLS.join("</p><p>");
    web.page("/text.html", "Owls of the night", &format!("<p>{all_sentences}</p>"));
    let three_sentences = OWLS[..3].join("</p><p>");
    web.page("/media.html", "More owls", &format!("<p>{three_sentences}</p>{media}"));
    let urls = ["/text.html", "/media.html", "/guide"].map(|path| web.url(path));
    web.sandbox.check(&[&urls[0], &urls[1], &urls[2]]).exits(0);
    let similarity_of = |candidates: &[Value], url: &str| -> Value {
        let found = candidates.iter().find(|candidate| candidate["url"] == url);
        found.unwrap_or_else(|| panic!("{url} not in {candidates:#?}"))["similarity"].clone()
    };
    let candidates = library.suggest("1", &[]);
    let text = similarity_of(&candidates, &urls[0]);
    let media = similarity_of(&candidates, &urls[1]);
    assert_eq!(media["images"], 1.0, "{candidates:#?}");
    assert_eq!(text["images"], 0.0, "{candidates:#?}");
    assert!(media["links"].as_f64().unwrap() > text["links"].as_f64().unwrap());
    assert!(media["titles"].as_f64().unwrap() > 0.99, "{media:#}");
    assert!(media["text"].as_f64().unwrap() < text["text"].as_f64().unwrap());
    let most_similar = |weights: &str| {
        let candidates = library.suggest("1", &["--weights", weights]);
        let similar = candidates.iter().find(|candidate| candidate["kind"] == "similar").unwrap();
        similar["url"].clone()
    };
    assert_eq!(most_similar("text=1,images=0,links=0,titles=0"), urls[0]);
    assert_eq!(most_similar("text=0,images=1,links=0,titles=0"), urls[1]);
    let output = web.watch(&["suggest", "r", "1", "--weights", "layout=1"]).exits(2);
    assert!(output.stderr.contains("invalid weight `layout=1`"), "{}", output.stderr);
}

#[test]
fn wider_forms_of_keyphrases_are_optional() {
    let web = WatchedWeb::new();
    let text = "<p>The small white owl is here. A small white owl sees the small white owl.</p>";
    for name in ["plain", "wide"] {
        let path = format!("/{name}");
        web.page(&path, "Bird", text);
        web.sandbox.write_urls(&format!("{name}.txt"), [web.url(&path)]);
        web.watch(&["add", &format!("{name}.txt"), "--name", name]).exits(0);
    }
    web.watch(&["edit", "wide", "--phrase-adjectives", "2"]).exits(0);
    web.run_at(DAY_1, &[]).exits(0);
    let exact = |name: &str| web.json(&["keyphrases", name])["members"][0]["exact"].to_string();
    assert!(exact("plain").contains("\"white owl\""), "{}", exact("plain"));
    assert!(exact("wide").contains("\"small white owl\""), "{}", exact("wide"));
}
