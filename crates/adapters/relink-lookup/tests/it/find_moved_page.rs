//! Tests that a moved page is found with the local index. The queries contain phrases and
//! rare words of the lost page. A query plan starts with many phrases and drops phrases
//! until there are enough hits.

use relink_keyphrase::{
    DocumentFrequencies, PlanLimits, QueryPlan, SIGNATURE_WORDS, SearchGoal, keyphrases,
    lexical_signature, title_query,
};
use relink_lookup::{IndexedPage, LocalIndex};
use relink_ports::SearchEngine;
use tempfile::TempDir;

use crate::url;

/// Last known text of the lost page.
const LOST: &str = "Planning a harbor tour. The harbor tour takes you past the old grain silo and \
    the lighthouse keeper's cottage. Bring a raincoat. The grain silo is closed on Mondays.";

/// New URL of the page. Some words of its text have changed.
const MOVED: &str = "http://example.org/visit/harbor.html";

/// A site of 100 pages with similar content, the moved page and a copy on
/// another site.
fn site() -> Vec<IndexedPage> {
    let topics = ["tour", "silo", "museum", "lighthouse", "ferry"];
    let mut pages: Vec<_> = (0..100)
        .map(|number| {
            let topic = topics[number % topics.len()];
            let text = format!("The {topic} number {number} is near the harbor. Bring a raincoat.");
            IndexedPage {
                url: url(&format!("http://example.org/{number}")),
                title: topic.into(),
                text,
            }
        })
        .collect();
    let text = LOST.replace("Mondays", "Sundays").replace("raincoat", "sun hat");
    pages.push(IndexedPage { url: url(MOVED), title: "Harbor tour".to_owned(), text });
    let copy = url("http://mirror.test/harbor-tour");
    let text = LOST.to_owned();
    pages.push(IndexedPage { url: copy, title: "Planning a harbor tour".to_owned(), text });
    pages
}

/// Returns an index of the pages of [`site`].
async fn index(directory: &TempDir) -> LocalIndex {
    let index = LocalIndex::open(directory.path()).unwrap();
    index.add_pages(site()).await.unwrap();
    index
}

/// Returns the document frequencies of the words and phrases of the lost page.
async fn frequencies(index: &LocalIndex) -> DocumentFrequencies {
    let mut frequencies = DocumentFrequencies::new(index.pages().unwrap());
    let words = lexical_signature(LOST, &DocumentFrequencies::default(), 100);
    let phrases = keyphrases(LOST, &DocumentFrequencies::default())
        .exact
        .into_iter()
        .map(|phrase| phrase.text);
    let texts: Vec<_> = words.into_iter().chain(phrases).collect();
    let counts = index.counts(texts.clone()).await.unwrap();
    frequencies.extend(texts.into_iter().zip(counts));
    frequencies
}

/// Runs a plan to its end. Returns the number of queries and the URLs of the
/// last response.
async fn run_plan(index: &LocalIndex, mut plan: QueryPlan) -> (usize, Vec<String>) {
    let (mut queries, mut urls) = (0, Vec::new());
    while let Some(query) = plan.query() {
        let response = index.search(query).await.unwrap();
        queries += 1;
        urls = response.hits.iter().map(|hit| hit.url.to_string()).collect();
        plan.record_result_count(response.estimated_total());
    }
    (queries, urls)
}

#[tokio::test]
async fn title_and_signature_find_the_moved_page() {
    let directory = TempDir::new().unwrap();
    let index = index(&directory).await;
    let title = title_query("Planning a harbor tour | Example", Some("example.org"));
    assert_eq!(index.search(&title).await.unwrap().hits[0].url.as_str(), MOVED);
    let words = lexical_signature(LOST, &frequencies(&index).await, SIGNATURE_WORDS);
    let query = relink_model::SearchQuery::new(words).with_site("example.org");
    assert_eq!(index.search(&query).await.unwrap().hits[0].url.as_str(), MOVED);
}

#[tokio::test]
async fn keyphrases_find_the_page_on_its_site_and_copies_elsewhere() {
    let directory = TempDir::new().unwrap();
    let index = index(&directory).await;
    let page = keyphrases(LOST, &frequencies(&index).await);
    let on_site = QueryPlan::new(SearchGoal::Identical, &page, Some("example.org"));
    assert_eq!(run_plan(&index, on_site).await, (1, vec![MOVED.to_owned()]));
    // The moved page and the copy on another site.
    let (_, anywhere) = run_plan(&index, QueryPlan::new(SearchGoal::Identical, &page, None)).await;
    assert_eq!(anywhere.len(), 2);
}

#[tokio::test]
async fn plan_drops_phrases_until_there_are_enough_results() {
    let directory = TempDir::new().unwrap();
    let index = index(&directory).await;
    // Phrases are ordered by their frequency on this page and their rarity on other pages
    // (TF × IDF). `harbor` is common, so it must be frequent on this page to remain in
    // the plan.
    let text = "harbor. ".repeat(5_000) + "raincoat. raincoat. grain silo. grain silo";
    let page = keyphrases(&text, &frequencies(&index).await);
    let limits = PlanLimits { enough_results: 5, ..PlanLimits::for_goal(SearchGoal::Similar) };
    let plan = QueryPlan::with_limits(SearchGoal::Similar, &page, Some("example.org"), limits);
    let (queries, urls) = run_plan(&index, plan).await;
    assert_eq!((queries, urls.len()), (3, 10));
}
