//! The index on the disk: built, asked, changed, opened again, damaged.

use std::fs;
use std::path::Path;

use relink_lookup::{IndexedPage, LocalIndex};
use relink_model::SearchQuery;
use relink_ports::SearchEngine;
use tempfile::TempDir;

use crate::search::found;
use crate::url;

/// A page in short: address, title, text.
fn page(line: &str) -> IndexedPage {
    let mut parts = line.splitn(3, " | ").map(str::to_owned);
    let mut part = || parts.next().unwrap_or_default();
    IndexedPage { url: url(&part()), title: part(), text: part() }
}

const PAGES: [&str; 7] = [
    "http://example.org/birds/snowy-owl | The snowy owl | It hunts lemmings in the far north.",
    "http://example.org/birds/barn-owl | Barn owl | The barn owl hunts in barns, never in a snowy field.",
    "http://www.example.org/news/1 | News | A snowy morning. An owl was seen.",
    "http://other.test/owls | All owls | The snowy owl, the barn owl and the little owl.",
    "http://example.org/a?id=7 | Über uns | Wir schreiben über Vögel.",
    "http://example.org/jp | 東京の鳥 | 東京には多くの鳥がいます。",
    "http://example.org/zebra-crossing | | ",
];

async fn fed(folder: &Path) -> LocalIndex {
    let index = LocalIndex::open(folder).unwrap();
    index.add_pages(PAGES.map(page).to_vec()).await.unwrap();
    index
}

async fn check(index: &LocalIndex, query: SearchQuery, expect: &str) {
    assert_eq!(found(index, &query).await, expect, "{query}");
}

fn phrase(text: &str) -> SearchQuery {
    SearchQuery::new([""; 0]).with_phrase(text)
}

#[tokio::test]
async fn pages_are_found_by_their_words_the_best_first() {
    let folder = TempDir::new().unwrap();
    let index = fed(folder.path()).await;
    assert!(index.is_new());
    assert_eq!(index.pages().unwrap(), 7);
    let answer = index.search(&SearchQuery::new(["Snowy", "OWL"])).await.unwrap();
    assert_eq!(answer.hits[0].to_string(), {
        "1. http://example.org/birds/snowy-owl The snowy owl"
    });
    assert_eq!(answer.hits[0].snippet, "It hunts lemmings in the far north.");
    assert_eq!((answer.total, answer.hits[0].engine.as_str()), (Some(4), "local index"));
    check(&index, SearchQuery::new(["über", "Vögel"]), "/a").await;
    check(&index, SearchQuery::new(["zebra"]), "/zebra-crossing").await;
    check(&index, SearchQuery::new(["unicorn"]), "").await;
    let two = SearchQuery { limit: 2, ..SearchQuery::new(["owl"]) };
    let answer = index.search(&two).await.unwrap();
    assert_eq!((answer.hits.len(), answer.total), (2, Some(4)));
}

#[tokio::test]
async fn a_phrase_must_stand_together() {
    let folder = TempDir::new().unwrap();
    let index = fed(folder.path()).await;
    check(&index, phrase("snowy owl"), "/birds/snowy-owl /owls").await;
    check(&index, phrase("owl snowy"), "").await;
    check(&index, phrase("snowy owl").with_phrase("lemmings"), "/birds/snowy-owl").await;
    let helped = SearchQuery {
        terms: ["all", "little", "barn"].map(str::to_owned).to_vec(),
        ..phrase("snowy owl")
    };
    check(&index, helped, "/owls /birds/snowy-owl").await;
    check(&index, phrase("東京"), "/jp").await;
    check(&index, phrase("京東"), "").await;
    let counts = ["owl", "snowy owl", "unicorn", "?"].map(str::to_owned).to_vec();
    assert_eq!(index.counts(counts).await.unwrap(), [4, 2, 0, 0]);
}

#[tokio::test]
async fn a_site_is_its_host_and_those_below() {
    let folder = TempDir::new().unwrap();
    let index = fed(folder.path()).await;
    let owls = |site: &str| SearchQuery::new(["owl"]).within(site);
    check(&index, owls("other.test"), "/owls").await;
    check(&index, owls("www.example.org"), "/news/1").await;
    let all = index.search(&owls("Example.ORG.")).await.unwrap();
    assert_eq!(all.total, Some(3));
    check(&index, owls("ample.org"), "").await;
}

#[tokio::test]
async fn a_page_that_comes_again_is_replaced() {
    let folder = TempDir::new().unwrap();
    let index = fed(folder.path()).await;
    index.add_pages(vec![page("http://other.test/owls | Cats | No birds now.")]).await.unwrap();
    assert_eq!(index.pages().unwrap(), 7);
    check(&index, phrase("little owl"), "").await;
    check(&index, phrase("cats"), "/owls").await;
    index.remove_pages(vec![url("http://other.test/owls")]).await.unwrap();
    check(&index, phrase("cats"), "").await;
    assert_eq!(index.pages().unwrap(), 6);
    // The last of the same address counts.
    let twice = ["http://a.test/ | One | x", "http://a.test/ | Two | y"].map(page).to_vec();
    index.add_pages(twice).await.unwrap();
    check(&index, phrase("one"), "").await;
    check(&index, phrase("two"), "/").await;
    index.clear().await.unwrap();
    assert_eq!(index.pages().unwrap(), 0);
}

#[tokio::test]
async fn what_was_fed_is_there_when_it_is_opened_again() {
    let folder = TempDir::new().unwrap();
    drop(fed(folder.path()).await);
    let index = LocalIndex::open(folder.path()).unwrap();
    assert!(!index.is_new());
    check(&index, phrase("snowy owl"), "/birds/snowy-owl /owls").await;
    // One that is open beside it sees what is written.
    let other = LocalIndex::open(folder.path()).unwrap();
    other.add_pages(vec![page("http://a.test/new | Emu | x")]).await.unwrap();
    check(&index, phrase("emu"), "/new").await;
}

#[tokio::test]
async fn a_damaged_index_is_begun_anew_and_nothing_else_is_touched() {
    for damage in ["{", "", "null", "{\"segments\": 3}"] {
        let folder = TempDir::new().unwrap();
        drop(fed(folder.path()).await);
        let own = folder.path().join("notes.txt");
        fs::write(&own, "mine").unwrap();
        let inside = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path());
        let inside = inside.into_iter().find(|it| it.is_dir()).unwrap();
        fs::write(inside.join("meta.json"), damage).unwrap();
        let index = LocalIndex::open(folder.path()).unwrap();
        assert!(index.is_new(), "{damage}");
        assert_eq!(index.pages().unwrap(), 0);
        index.add_pages(PAGES.map(page).to_vec()).await.unwrap();
        check(&index, phrase("barn owl"), "/birds/barn-owl /owls").await;
        assert_eq!(fs::read_to_string(own).unwrap(), "mine");
    }
}

#[tokio::test]
async fn a_segment_that_is_gone_means_a_new_beginning() {
    let folder = TempDir::new().unwrap();
    drop(fed(folder.path()).await);
    for file in fs::read_dir(folder.path().join("pages-1")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|it| it == "term") {
            fs::remove_file(path).unwrap();
        }
    }
    let index = LocalIndex::open(folder.path()).unwrap();
    assert!(index.is_new());
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_a_fault() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = LocalIndex::open(&file).err().unwrap().to_string();
    assert!(error.starts_with("cannot use the search index at `"), "{error}");
}

#[tokio::test]
async fn pages_of_any_kind_do_no_harm() {
    let folder = TempDir::new().unwrap();
    let index = LocalIndex::open(folder.path()).unwrap();
    let long = format!("http://a.test/{}", "x".repeat(70_000));
    let pages = vec![
        IndexedPage { text: "word ".repeat(1 << 20), ..page("http://a.test/long | Long") },
        IndexedPage { text: "x".repeat(1 << 20), ..page("http://a.test/one | One") },
        page(&long),
        page("file:///etc/passwd | Secret | secret"),
        IndexedPage { title: "\u{1b}[2J\u{202e}".to_owned(), ..page("http://a.test/orders") },
    ];
    index.add_pages(pages).await.unwrap();
    assert_eq!(index.pages().unwrap(), 3);
    check(&index, phrase("word word"), "/long").await;
    let hits = index.search(&SearchQuery::new(["orders"])).await.unwrap().hits;
    assert_eq!(hits[0].title, "[2J");
    for query in ["", "\"", "*", "a:b", "[x TO y]", "~", "\u{0}"] {
        assert!(index.search(&phrase(query)).await.is_ok());
        assert!(index.search(&SearchQuery::new([query]).within(query)).await.is_ok());
    }
    let none = SearchQuery { limit: 0, ..phrase("word") };
    check(&index, none, "").await;
    let many = SearchQuery { limit: usize::MAX, ..phrase("word") };
    check(&index, many, "/long").await;
}

#[tokio::test]
async fn it_knows_how_far_it_was_told() {
    let folder = TempDir::new().unwrap();
    let index = LocalIndex::open(folder.path()).unwrap();
    assert_eq!(index.note().unwrap(), None);
    index.update(PAGES.map(page).to_vec(), Vec::new(), "a 7".to_owned()).await.unwrap();
    drop(index);
    let index = LocalIndex::open(folder.path()).unwrap();
    assert_eq!(index.note().unwrap().as_deref(), Some("a 7"));
    let gone = vec![page(PAGES[0]).url];
    index.update(Vec::new(), gone, "a 8".to_owned()).await.unwrap();
    assert_eq!((index.pages().unwrap(), index.note().unwrap().as_deref()), (6, Some("a 8")));
    index.add_pages(vec![page(PAGES[0])]).await.unwrap();
    assert_eq!(index.note().unwrap(), None, "it was told something else since");
}
