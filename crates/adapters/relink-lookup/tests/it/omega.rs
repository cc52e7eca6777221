//! Tests with a real search engine: Xapian Omega with a small index.

use relink_lookup::{ResponseMapping, TextKind, WebSearchSettings};
use relink_model::SearchQuery;
use relink_ports::SearchEngine;
use relink_testkit::omega::Omega;

use crate::search::{engine, search_paths};

/// The path and HTML of the indexed pages.
const PAGES: [(&str, &str); 4] = [
    ("birds/owl.html", "<title>The \"snowy\" owl</title><p>The snowy owl hunts lemmings & voles."),
    ("birds/barn.html", "<title>Barn owl</title><p>The barn owl lives in barns, not in snow."),
    ("birds/tit.html", "<title>Blue tit</title><p>A small bird. Ein Vogel: die Blaumeise."),
    ("about.html", "<title>About us</title><p>We write about birds."),
];

/// Returns the settings of a JSON engine for Omega.
fn settings(omega: &Omega) -> WebSearchSettings {
    let template = format!(
        "{}?DB=default&FMT=json&P={{query}}&B=H{{site}}&HITSPERPAGE={{limit}}",
        omega.url()
    );
    let mapping = ResponseMapping { text: TextKind::Html, ..ResponseMapping::default() };
    WebSearchSettings { mapping, ..WebSearchSettings::json("Omega", template.parse().unwrap()) }
}

#[tokio::test]
async fn json_engine_queries_omega() {
    let omega = Omega::start("http://new.example.org/", &PAGES);
    let omega_engine = engine(settings(&omega));
    let paths = |query: SearchQuery| {
        let engine = &omega_engine;
        async move { search_paths(engine, &query).await }
    };
    let owls = omega_engine.search(&SearchQuery::new(["snowy", "owl"])).await.unwrap();
    assert_eq!(owls.hits[0].url.as_str(), "http://new.example.org/birds/owl.html");
    assert_eq!(owls.hits[0].title, "The \"snowy\" owl");
    assert_eq!(owls.hits[0].snippet, "The snowy owl hunts lemmings & voles.");
    assert_eq!((owls.hits[0].rank, owls.hits[0].engine.as_str()), (1, "Omega"));
    assert_eq!((owls.hits.len(), owls.total, owls.skipped), (1, Some(1), 0));

    let phrase = SearchQuery::new(["lives"]).with_phrase("barn owl");
    assert_eq!(paths(phrase).await, "/birds/barn.html");
    assert_eq!(paths(SearchQuery::new(["zebra"])).await, "");
    assert_eq!(paths(SearchQuery::new(["Blaumeise"])).await, "/birds/tit.html");
    let on_site = SearchQuery::new(["birds"]).with_site("new.example.org");
    assert_eq!(paths(on_site).await, "/about.html /birds/tit.html");
    assert_eq!(paths(SearchQuery::new(["birds"]).with_site("other.test")).await, "");
    let limited = SearchQuery { limit: 1, ..SearchQuery::new(["owl"]) };
    let first_hit = omega_engine.search(&limited).await.unwrap();
    assert_eq!((first_hit.hits.len(), first_hit.total), (1, Some(2)));
}
