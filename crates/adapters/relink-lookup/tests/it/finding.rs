//! A lost page is found again: its words, a plan, and the index on the disk.

use relink_lookup::{IndexedPage, LocalIndex};
use relink_page::{
    DocumentFrequencies, PlanLimits, QueryPlan, SIGNATURE_WORDS, SearchGoal, keyphrases,
    lexical_signature, title_query,
};
use relink_ports::SearchEngine;
use tempfile::TempDir;

use crate::url;

/// What was on the page when it was last seen.
const LOST: &str = "Planning a harbor tour. The harbor tour takes you past the old grain silo and \
    the lighthouse keeper's cottage. Bring a raincoat. The grain silo is closed on Mondays.";

/// Where it is now, with some words changed.
const MOVED: &str = "http://example.org/visit/harbor.html";

/// A site of a hundred pages that speak of much the same things.
fn site() -> Vec<IndexedPage> {
    let topics = ["tour", "silo", "museum", "lighthouse", "ferry"];
    let mut pages: Vec<_> = (0..100)
        .map(|n| {
            let topic = topics[n % topics.len()];
            let text = format!("The {topic} number {n} is near the harbor. Bring a raincoat.");
            IndexedPage { url: url(&format!("http://example.org/{n}")), title: topic.into(), text }
        })
        .collect();
    let text = LOST.replace("Mondays", "Sundays").replace("raincoat", "sun hat");
    pages.push(IndexedPage { url: url(MOVED), title: "Harbor tour".to_owned(), text });
    let copy = url("http://mirror.test/harbor-tour");
    let text = LOST.to_owned();
    pages.push(IndexedPage { url: copy, title: "Planning a harbor tour".to_owned(), text });
    pages
}

async fn index(folder: &TempDir) -> LocalIndex {
    let index = LocalIndex::open(folder.path()).unwrap();
    index.add_pages(site()).await.unwrap();
    index
}

/// How common the words of the lost page are in the index.
async fn frequencies(index: &LocalIndex) -> DocumentFrequencies {
    let mut frequencies = DocumentFrequencies::of(index.pages().unwrap());
    let words = lexical_signature(LOST, &DocumentFrequencies::default(), 100);
    let phrases =
        keyphrases(LOST, &DocumentFrequencies::default()).exact.into_iter().map(|it| it.text);
    let asked: Vec<_> = words.into_iter().chain(phrases).collect();
    let counts = index.counts(asked.clone()).await.unwrap();
    frequencies.extend(asked.into_iter().zip(counts));
    frequencies
}

/// Plays a plan to its end: how many queries it took, and what the last found.
async fn played(index: &LocalIndex, mut plan: QueryPlan) -> (usize, Vec<String>) {
    let (mut queries, mut found) = (0, Vec::new());
    while let Some(query) = plan.query() {
        let answer = index.search(query).await.unwrap();
        queries += 1;
        found = answer.hits.iter().map(|hit| hit.url.to_string()).collect();
        plan.answered(answer.found());
    }
    (queries, found)
}

#[tokio::test]
async fn the_title_and_the_signature_lead_to_where_the_page_is_now() {
    let folder = TempDir::new().unwrap();
    let index = index(&folder).await;
    let title = title_query("Planning a harbor tour | Example", Some("example.org"));
    assert_eq!(index.search(&title).await.unwrap().hits[0].url.as_str(), MOVED);
    let words = lexical_signature(LOST, &frequencies(&index).await, SIGNATURE_WORDS);
    let query = relink_model::SearchQuery::new(words).within("example.org");
    assert_eq!(index.search(&query).await.unwrap().hits[0].url.as_str(), MOVED);
}

#[tokio::test]
async fn few_phrases_find_the_very_page_on_its_site_and_its_copies_anywhere() {
    let folder = TempDir::new().unwrap();
    let index = index(&folder).await;
    let page = keyphrases(LOST, &frequencies(&index).await);
    let here = QueryPlan::new(SearchGoal::Identical, &page, Some("example.org"));
    assert_eq!(played(&index, here).await, (1, vec![MOVED.to_owned()]));
    let (_, anywhere) = played(&index, QueryPlan::new(SearchGoal::Identical, &page, None)).await;
    assert_eq!(anywhere.len(), 2);
}

#[tokio::test]
async fn phrases_are_dropped_until_there_are_enough_pages_like_it() {
    let folder = TempDir::new().unwrap();
    let index = index(&folder).await;
    let text = "harbor. harbor. harbor. raincoat. raincoat. grain silo. grain silo";
    let page = keyphrases(text, &frequencies(&index).await);
    let limits = PlanLimits { wanted: 5, ..PlanLimits::of(SearchGoal::Similar) };
    let plan = QueryPlan::with_limits(SearchGoal::Similar, &page, Some("example.org"), limits);
    let (queries, found) = played(&index, plan).await;
    assert_eq!((queries, found.len()), (3, 10));
}
