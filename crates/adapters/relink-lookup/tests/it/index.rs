//! Tests of the local index: adding, searching, updating, reopening and damage.

use std::fs;
use std::path::Path;

use relink_lookup::{IndexedPage, LocalIndex};
use relink_model::SearchQuery;
use relink_ports::SearchEngine;
use tempfile::TempDir;

use crate::search::search_paths;
use crate::url;

/// Parses a page from a line of the form `URL | title | text`.
fn page(line: &str) -> IndexedPage {
    let mut parts = line.splitn(3, " | ").map(str::to_owned);
    let mut part = || parts.next().unwrap_or_default();
    IndexedPage { url: url(&part()), title: part(), text: part() }
}

/// The pages of [`filled_index`].
const PAGES: [&str; 7] = [
    "http://example.org/birds/snowy-owl | The snowy owl | It hunts lemmings in the far north.",
    "http://example.org/birds/barn-owl | Barn owl | The barn owl hunts in barns, never in a snowy field.",
    "http://www.example.org/news/1 | News | A snowy morning. An owl was seen.",
    "http://other.test/owls | All owls | The snowy owl, the barn owl and the little owl.",
    "http://example.org/a?id=7 | Über uns | Wir schreiben über Vögel.",
    "http://example.org/jp | 東京の鳥 | 東京には多くの鳥がいます。",
    "http://example.org/zebra-crossing | | ",
];

/// Returns an index of [`PAGES`].
async fn filled_index(directory: &Path) -> LocalIndex {
    let index = LocalIndex::open(directory).unwrap();
    index.add_pages(PAGES.map(page).to_vec()).await.unwrap();
    index
}

/// Checks the paths of the hits, separated by spaces.
async fn check(index: &LocalIndex, query: SearchQuery, expect: &str) {
    assert_eq!(search_paths(index, &query).await, expect, "{query}");
}

/// Returns a query for a phrase without further words.
fn phrase(text: &str) -> SearchQuery {
    SearchQuery::new([""; 0]).with_phrase(text)
}

#[tokio::test]
async fn search_ranks_pages_by_relevance() {
    let directory = TempDir::new().unwrap();
    let index = filled_index(directory.path()).await;
    assert!(index.is_new());
    assert_eq!(index.pages().unwrap(), 7);
    let response = index.search(&SearchQuery::new(["Snowy", "OWL"])).await.unwrap();
    let first_hit = response.hits[0].to_string();
    assert_eq!(first_hit, "1. http://example.org/birds/snowy-owl The snowy owl");
    assert_eq!(response.hits[0].snippet, "It hunts lemmings in the far north.");
    assert_eq!((response.total, response.hits[0].engine.as_str()), (Some(4), "local index"));
    check(&index, SearchQuery::new(["über", "Vögel"]), "/a").await;
    check(&index, SearchQuery::new(["zebra"]), "/zebra-crossing").await;
    check(&index, SearchQuery::new(["unicorn"]), "").await;
    let limited = SearchQuery { limit: 2, ..SearchQuery::new(["owl"]) };
    let response = index.search(&limited).await.unwrap();
    assert_eq!((response.hits.len(), response.total), (2, Some(4)));
}

#[tokio::test]
async fn phrase_must_occur_as_a_whole() {
    let directory = TempDir::new().unwrap();
    let index = filled_index(directory.path()).await;
    check(&index, phrase("snowy owl"), "/birds/snowy-owl /owls").await;
    check(&index, phrase("owl snowy"), "").await;
    check(&index, phrase("snowy owl").with_phrase("lemmings"), "/birds/snowy-owl").await;
    let with_terms = SearchQuery {
        terms: ["all", "little", "barn"].map(str::to_owned).to_vec(),
        ..phrase("snowy owl")
    };
    check(&index, with_terms, "/owls /birds/snowy-owl").await;
    check(&index, phrase("東京"), "/jp").await;
    check(&index, phrase("京東"), "").await;
    let counts = ["owl", "snowy owl", "unicorn", "?"].map(str::to_owned).to_vec();
    assert_eq!(index.counts(counts).await.unwrap(), [4, 2, 0, 0]);
}

#[tokio::test]
async fn site_filter_matches_host_and_subdomains() {
    let directory = TempDir::new().unwrap();
    let index = filled_index(directory.path()).await;
    let owls = |site: &str| SearchQuery::new(["owl"]).with_site(site);
    check(&index, owls("other.test"), "/owls").await;
    check(&index, owls("www.example.org"), "/news/1").await;
    let all = index.search(&owls("Example.ORG.")).await.unwrap();
    assert_eq!(all.total, Some(3));
    check(&index, owls("ample.org"), "").await;
}

#[tokio::test]
async fn page_with_same_url_is_replaced() {
    let directory = TempDir::new().unwrap();
    let index = filled_index(directory.path()).await;
    index.add_pages(vec![page("http://other.test/owls | Cats | No birds now.")]).await.unwrap();
    assert_eq!(index.pages().unwrap(), 7);
    check(&index, phrase("little owl"), "").await;
    check(&index, phrase("cats"), "/owls").await;
    index.remove_pages(vec![url("http://other.test/owls")]).await.unwrap();
    check(&index, phrase("cats"), "").await;
    assert_eq!(index.pages().unwrap(), 6);
    // The last page with the same URL is stored.
    let twice = ["http://a.test/ | One | x", "http://a.test/ | Two | y"].map(page).to_vec();
    index.add_pages(twice).await.unwrap();
    check(&index, phrase("one"), "").await;
    check(&index, phrase("two"), "/").await;
    index.clear().await.unwrap();
    assert_eq!(index.pages().unwrap(), 0);
}

#[tokio::test]
async fn reopened_index_contains_its_pages() {
    let directory = TempDir::new().unwrap();
    drop(filled_index(directory.path()).await);
    let index = LocalIndex::open(directory.path()).unwrap();
    assert!(!index.is_new());
    check(&index, phrase("snowy owl"), "/birds/snowy-owl /owls").await;
    // Changes of another instance are visible.
    let other = LocalIndex::open(directory.path()).unwrap();
    other.add_pages(vec![page("http://a.test/new | Emu | x")]).await.unwrap();
    check(&index, phrase("emu"), "/new").await;
}

#[tokio::test]
async fn damaged_index_is_replaced_and_other_files_are_kept() {
    for damage in ["{", "", "null", "{\"segments\": 3}"] {
        let directory = TempDir::new().unwrap();
        drop(filled_index(directory.path()).await);
        let other_file = directory.path().join("notes.txt");
        fs::write(&other_file, "mine").unwrap();
        let mut paths = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
        let index_path = paths.find(|path| path.is_dir()).unwrap();
        fs::write(index_path.join("meta.json"), damage).unwrap();
        let index = LocalIndex::open(directory.path()).unwrap();
        assert!(index.is_new(), "{damage}");
        assert_eq!(index.pages().unwrap(), 0);
        index.add_pages(PAGES.map(page).to_vec()).await.unwrap();
        check(&index, phrase("barn owl"), "/birds/barn-owl /owls").await;
        assert_eq!(fs::read_to_string(other_file).unwrap(), "mine");
    }
}

#[tokio::test]
async fn index_with_missing_segment_is_replaced() {
    let directory = TempDir::new().unwrap();
    drop(filled_index(directory.path()).await);
    for file in fs::read_dir(directory.path().join("pages-2")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "term") {
            fs::remove_file(path).unwrap();
        }
    }
    let index = LocalIndex::open(directory.path()).unwrap();
    assert!(index.is_new());
}

#[tokio::test]
async fn open_fails_if_path_is_a_file() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let error = LocalIndex::open(&file).err().unwrap().to_string();
    assert!(error.starts_with("cannot use the search index at `"), "{error}");
}

#[tokio::test]
async fn unusual_pages_and_queries_are_handled() {
    let directory = TempDir::new().unwrap();
    let index = LocalIndex::open(directory.path()).unwrap();
    let long = format!("http://a.test/{}", "x".repeat(70_000));
    // The page with the long URL and the `file:` page are not added.
    let pages = vec![
        IndexedPage { text: "word ".repeat(1 << 20), ..page("http://a.test/long | Long") },
        IndexedPage { text: "x".repeat(1 << 20), ..page("http://a.test/one | One") },
        page(&long),
        page("file:///etc/passwd | Secret | secret"),
        IndexedPage { title: "\u{1b}[2J\u{202e}".to_owned(), ..page("http://a.test/controls") },
    ];
    index.add_pages(pages).await.unwrap();
    assert_eq!(index.pages().unwrap(), 3);
    check(&index, phrase("word word"), "/long").await;
    let hits = index.search(&SearchQuery::new(["controls"])).await.unwrap().hits;
    assert_eq!(hits[0].title, "[2J");
    for query in ["", "\"", "*", "a:b", "[x TO y]", "~", "\u{0}"] {
        assert!(index.search(&phrase(query)).await.is_ok());
        assert!(index.search(&SearchQuery::new([query]).with_site(query)).await.is_ok());
    }
    let none = SearchQuery { limit: 0, ..phrase("word") };
    check(&index, none, "").await;
    let many = SearchQuery { limit: usize::MAX, ..phrase("word") };
    check(&index, many, "/long").await;
}

#[tokio::test]
async fn checkpoint_is_stored_by_update_and_deleted_by_other_changes() {
    let directory = TempDir::new().unwrap();
    let index = LocalIndex::open(directory.path()).unwrap();
    assert_eq!(index.checkpoint().unwrap(), None);
    index.update(PAGES.map(page).to_vec(), Vec::new(), "a 7".to_owned()).await.unwrap();
    drop(index);
    let index = LocalIndex::open(directory.path()).unwrap();
    assert_eq!(index.checkpoint().unwrap().as_deref(), Some("a 7"));
    let removed = vec![page(PAGES[0]).url];
    index.update(Vec::new(), removed, "a 8".to_owned()).await.unwrap();
    assert_eq!((index.pages().unwrap(), index.checkpoint().unwrap().as_deref()), (6, Some("a 8")));
    index.add_pages(vec![page(PAGES[0])]).await.unwrap();
    assert_eq!(index.checkpoint().unwrap(), None);
}
