//! A real search engine: Omega has read pages that we wrote.

use relink_lookup::{ResponseMapping, TextKind, WebSearchSettings};
use relink_model::SearchQuery;
use relink_ports::SearchEngine;
use relink_testkit::omega::Omega;

use crate::search::{engine, found};

const PAGES: [(&str, &str); 4] = [
    ("birds/owl.html", "<title>The \"snowy\" owl</title><p>The snowy owl hunts lemmings & voles."),
    ("birds/barn.html", "<title>Barn owl</title><p>The barn owl lives in barns, not in snow."),
    ("birds/tit.html", "<title>Blue tit</title><p>A small bird. Ein Vogel: die Blaumeise."),
    ("about.html", "<title>About us</title><p>We write about birds."),
];

fn settings(omega: &Omega) -> WebSearchSettings {
    let address = format!(
        "{}?DB=default&FMT=json&P={{query}}&B=H{{site}}&HITSPERPAGE={{limit}}",
        omega.url()
    );
    let shape = ResponseMapping { text: TextKind::Markup, ..ResponseMapping::default() };
    WebSearchSettings { shape, ..WebSearchSettings::json("Omega", address.parse().unwrap()) }
}

#[tokio::test]
async fn omega_answers_through_the_adapter_for_any_json() {
    let omega = Omega::start("http://new.example.org/", &PAGES);
    let asked = engine(settings(&omega));
    let of = |query: SearchQuery| {
        let asked = &asked;
        async move { found(asked, &query).await }
    };
    let owls = asked.search(&SearchQuery::new(["snowy", "owl"])).await.unwrap();
    assert_eq!(owls.hits[0].url.as_str(), "http://new.example.org/birds/owl.html");
    assert_eq!(owls.hits[0].title, "The \"snowy\" owl");
    assert_eq!(owls.hits[0].snippet, "The snowy owl hunts lemmings & voles.");
    assert_eq!((owls.hits[0].rank, owls.hits[0].engine.as_str()), (1, "Omega"));
    assert_eq!((owls.hits.len(), owls.total, owls.skipped), (1, Some(1), 0));

    let phrase = SearchQuery::new(["lives"]).with_phrase("barn owl");
    assert_eq!(of(phrase).await, "/birds/barn.html");
    assert_eq!(of(SearchQuery::new(["zebra"])).await, "");
    assert_eq!(of(SearchQuery::new(["Blaumeise"])).await, "/birds/tit.html");
    let here = SearchQuery::new(["birds"]).within("new.example.org");
    assert_eq!(of(here).await, "/about.html /birds/tit.html");
    assert_eq!(of(SearchQuery::new(["birds"]).within("other.test")).await, "");
    let one = SearchQuery { limit: 1, ..SearchQuery::new(["owl"]) };
    let one = asked.search(&one).await.unwrap();
    assert_eq!((one.hits.len(), one.total), (1, Some(2)));
}
