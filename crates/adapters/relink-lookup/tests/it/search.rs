//! Search engines in their own words, restated by us.

use std::sync::Arc;

use relink_fetch::{FetchSettings, Fetcher};
use relink_lookup::{ServiceLimits, WebSearch, WebSearchSettings};
use relink_model::SearchQuery;
use relink_ports::SearchEngine;
use relink_testkit::canary::Canary;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};
use url::Url;

use crate::{Noon, moment};

/// The key of every engine.
const KEY: &str = "s3cret";

/// An engine asked with no pause between requests.
pub fn engine(settings: WebSearchSettings) -> WebSearch {
    let manners =
        ServiceLimits { daily_budget: settings.limits.daily_budget, ..ServiceLimits::local() };
    asked_with(Some(KEY), WebSearchSettings { limits: manners, ..settings })
}

pub fn asked_with(key: Option<&str>, settings: WebSearchSettings) -> WebSearch {
    let fetcher = Fetcher::new(FetchSettings::default()).unwrap();
    let environment = |_: &str| key.map(str::to_owned);
    WebSearch::new(settings, &environment, Arc::new(fetcher), Arc::new(Noon))
}

/// The paths found, or the error.
pub async fn found(engine: &dyn SearchEngine, query: &SearchQuery) -> String {
    match engine.search(query).await {
        Ok(answer) => {
            let paths: Vec<_> = answer.hits.iter().map(|hit| hit.url.path().to_owned()).collect();
            paths.join(" ")
        }
        Err(error) => error.to_string(),
    }
}

fn json(body: &str) -> CannedResponse {
    CannedResponse::new(200, body).header("Content-Type", "application/json")
}

fn query() -> SearchQuery {
    SearchQuery::new(["winter"]).with_phrase("snowy owl").within("example.org")
}

/// One engine, what it answers, and what is asked of it.
struct Case {
    settings: fn(&Url) -> WebSearchSettings,
    answer: &'static str,
    nothing: &'static str,
    asks: &'static str,
    header: Option<(&'static str, &'static str)>,
}

const ASKED: &str = "%22snowy%20owl%22%20winter";

const CASES: [Case; 4] = [
    Case {
        settings: WebSearchSettings::searxng,
        answer: r#"{"query": "q", "number_of_results": 0, "results": [
            {"url": "https://example.org/owl", "title": "The snowy owl", "content": "It hunts & sleeps.",
             "engine": "one", "score": 2.5, "category": "general"},
            {"url": "https://www.example.org/birds", "title": "Birds", "content": ""}],
            "answers": [], "unresponsive_engines": [["other", "timeout"]]}"#,
        nothing: r#"{"query": "q", "number_of_results": 0, "results": [], "unresponsive_engines": []}"#,
        asks: "/search?q=ASKED%20site%3Aexample.org&format=json",
        header: None,
    },
    Case {
        settings: WebSearchSettings::brave,
        answer: r#"{"type": "search", "query": {"original": "q"}, "web": {"type": "search", "results": [
            {"title": "The snowy owl", "url": "https://example.org/owl", "language": "en",
             "description": "It <strong>hunts</strong> &amp; sleeps.", "page_age": "2020-01-01"},
            {"title": "Birds", "url": "https://www.example.org/birds", "description": ""}]}}"#,
        nothing: r#"{"type": "search", "query": {"original": "q"}}"#,
        asks: "/res/v1/web/search?q=ASKED%20site%3Aexample.org&count=10",
        header: Some(("x-subscription-token", "s3cret")),
    },
    Case {
        settings: WebSearchSettings::mojeek,
        answer: r#"{"response": {"status": "OK", "head": {"query": "q", "results": 2, "return": 2}, "results": [
            {"url": "https://example.org/owl", "title": "The snowy owl", "desc": "It <b>hunts</b> &amp; sleeps."},
            {"url": "https://www.example.org/birds", "title": "Birds", "desc": ""}]}}"#,
        nothing: r#"{"response": {"status": "OK", "head": {"query": "q", "results": 0}}}"#,
        asks: "/search?q=ASKED&site=example.org&t=10&fmt=json&api_key=s3cret",
        header: None,
    },
    Case {
        settings: WebSearchSettings::kagi,
        answer: r#"{"meta": {"id": "1", "ms": 3}, "data": {"search": [
            {"url": "https://example.org/owl", "title": "The snowy owl", "snippet": "It <b>hunts</b> &amp; sleeps."},
            {"url": "https://www.example.org/birds", "title": "Birds"}], "related_search": [{"title": "x"}]}}"#,
        nothing: r#"{"meta": {"id": "1"}, "data": {}}"#,
        asks: "/api/v1/search?q=ASKED%20site%3Aexample.org&limit=10",
        header: Some(("authorization", "Bot s3cret")),
    },
];

#[tokio::test]
async fn each_engine_is_asked_and_read_in_its_own_words() {
    for case in CASES {
        let web = TestServer::start().await;
        web.below("/", json(case.answer));
        let asked = engine((case.settings)(&web.url("/")));
        let answer = asked.search(&query()).await.unwrap();
        let lines: Vec<_> = answer.hits.iter().map(ToString::to_string).collect();
        let owl = "1. https://example.org/owl The snowy owl";
        assert_eq!(lines, [owl, "2. https://www.example.org/birds Birds"], "{}", asked.name());
        assert_eq!(answer.hits[0].snippet, "It hunts & sleeps.");
        assert_eq!(answer.found(), 2);
        let request = &web.requests()[0];
        assert_eq!(request.path, case.asks.replace("ASKED", ASKED));
        if let Some((name, value)) = case.header {
            assert_eq!(request.header(name), Some(value));
        }
        web.below("/", json(case.nothing));
        assert_eq!(found(&asked, &query()).await, "", "{}", asked.name());
        assert_eq!(asked.requests(), 2);
    }
}

#[tokio::test]
async fn an_older_kagi_is_read_too() {
    let web = TestServer::start().await;
    let row = r#"{"t": 0, "url": "https://example.org/owl", "title": "x", "snippet": "y"}"#;
    let related = r#"{"t": 1, "list": ["a", "b"]}"#;
    web.below("/", json(&format!("{{\"meta\": {{}}, \"data\": [{row}, {related}]}}")));
    assert_eq!(found(&engine(WebSearchSettings::kagi(&web.url("/"))), &query()).await, "/owl");
}

#[tokio::test]
async fn without_its_key_an_engine_is_not_asked() {
    let web = TestServer::start().await;
    for (settings, name, variable) in [
        (WebSearchSettings::brave(&web.url("/")), "Brave", "BRAVE_API_KEY"),
        (WebSearchSettings::mojeek(&web.url("/")), "Mojeek", "MOJEEK_API_KEY"),
        (WebSearchSettings::kagi(&web.url("/")), "Kagi", "KAGI_API_KEY"),
    ] {
        let expect = format!("the search engine `{name}` needs a key in `{variable}`");
        for key in [None, Some(" ")] {
            let asked = asked_with(key, settings.clone());
            assert_eq!(found(&asked, &query()).await, expect);
        }
    }
    assert_eq!(web.requests().len(), 0);
}

#[tokio::test]
async fn no_fault_and_no_cache_key_shows_the_key() {
    for case in CASES {
        let web = TestServer::start().await;
        web.below("/", CannedResponse::new(401, "wrong key: s3cret"));
        let asked = engine((case.settings)(&web.url("/")));
        let name = asked.name().to_owned();
        let error = asked.search(&query()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the search engine `{name}` refuses with status 401")
        );
        assert!(!format!("{error:?}").contains(KEY));
        assert!(!asked.cache_key(&query()).unwrap().contains(KEY));
    }
}

#[tokio::test]
async fn a_key_is_not_carried_to_another_host() {
    let (web, other) = (TestServer::start().await, TestServer::start().await);
    other.below("/", json(CASES[1].answer));
    web.below("/", CannedResponse::redirect(302, other.url("/x").as_str()));
    found(&engine(WebSearchSettings::brave(&web.url("/"))), &query()).await;
    let told = other.requests().iter().any(|it| it.header("x-subscription-token").is_some());
    assert!(!told);
}

#[tokio::test]
async fn the_cache_key_tells_apart_what_is_asked_of_whom() {
    let at = |root: &str| engine(WebSearchSettings::searxng(&Url::parse(root).unwrap()));
    let key = at("https://a.test/").cache_key(&query());
    let text = key.clone().unwrap();
    assert!(text.starts_with("SearXNG a.test ") && text.ends_with(" winter site:example.org"));
    for root in ["https://b.test/", "https://a.test:8443/", "http://a.test/", "https://a.test/b/"] {
        assert_ne!(at(root).cache_key(&query()), key, "{root}");
    }
    let others = [
        SearchQuery { site: None, ..query() },
        SearchQuery { limit: 5, ..query() },
        query().with_phrase("winter"),
    ];
    for other in others {
        assert_ne!(at("https://a.test/").cache_key(&other), key);
    }
}

#[tokio::test]
async fn engines_at_one_place_are_told_apart_by_all_of_their_address() {
    let key = |address: &str| {
        let template = format!("https://a.test/find?{address}&q={{query}}").parse().unwrap();
        engine(WebSearchSettings::json("JSON", template)).cache_key(&query()).unwrap()
    };
    assert_eq!(key("db=birds"), key("db=birds"));
    assert_ne!(key("db=birds"), key("db=plants"));
}

#[tokio::test]
async fn an_engine_that_wants_rest_gets_it() {
    let after = |name: &str, value: &str| CannedResponse::new(429, "slow down").header(name, value);
    let counted = after("X-RateLimit-Reset", "1, 3600").header("X-RateLimit-Remaining", "0, 0");
    for answer in [after("Retry-After", "3600"), counted] {
        let web = TestServer::start().await;
        web.below("/", answer);
        let asked = engine(WebSearchSettings::brave(&web.url("/")));
        for _ in 0..3 {
            let error = asked.search(&query()).await.unwrap_err();
            assert_eq!(error.until(), Some(moment("2026-01-01T13:00:00Z")));
        }
        assert_eq!(web.requests().len(), 1);
    }
}

#[tokio::test]
async fn the_budget_of_a_day_is_kept() {
    let web = TestServer::start().await;
    web.below("/", json(CASES[0].answer));
    let mut settings = WebSearchSettings::searxng(&web.url("/"));
    settings.limits.daily_budget = 2;
    let asked = engine(settings);
    for _ in 0..2 {
        assert_eq!(found(&asked, &query()).await, "/owl /birds");
    }
    let spent = "today's 2 requests to the search engine `SearXNG` are used up";
    assert_eq!(found(&asked, &query()).await, spent);
    assert_eq!(web.requests().len(), 2);
}

#[tokio::test]
async fn nothing_to_look_for_is_not_asked() {
    let web = TestServer::start().await;
    let asked = engine(WebSearchSettings::searxng(&web.url("/")));
    for query in [
        SearchQuery::new(["", "--", "\"\""]).within("example.org"),
        SearchQuery { limit: 0, ..query() },
    ] {
        assert_eq!(found(&asked, &query).await, "");
    }
    assert_eq!(web.requests().len(), 0);
}

/// What becomes of a SearXNG that answers like this.
async fn told(answer: CannedResponse) -> String {
    let web = TestServer::start().await;
    web.below("/", answer);
    found(&engine(WebSearchSettings::searxng(&web.url("/"))), &query()).await
}

const UNREADABLE: &str = "the answer of the search engine `SearXNG` is not a list of results";

#[tokio::test]
async fn what_is_no_answer_is_said_to_be_none() {
    let deep = "[".repeat(100_000);
    for body in ["<!doctype html><title>Search</title>", "null", "{\"results\": 3}", "", &deep] {
        assert_eq!(told(json(body)).await, UNREADABLE);
    }
    let off = "the search engine `SearXNG` refuses with status 403";
    assert_eq!(told(CannedResponse::new(403, "JSON is off")).await, off);
    let deaf = r#"{"results": [], "unresponsive_engines": [["one", "timeout"]]}"#;
    let expect = "the search engine `SearXNG` got no answer from those it asks";
    assert_eq!(told(json(deaf)).await, expect);
}

#[tokio::test]
async fn a_huge_answer_is_not_read_to_its_end() {
    let row = r#"{"url": "https://example.org/a", "title": "x"},"#;
    let rows = format!("{{\"results\": [{}null]}}", row.repeat((8 << 20) / row.len()));
    assert_eq!(told(json(&rows)).await, UNREADABLE);
    let hostile = Hostile::start(Misbehavior::EndlessBody).await;
    let asked = engine(WebSearchSettings::searxng(&hostile.url("/")));
    assert_eq!(found(&asked, &query()).await, UNREADABLE);
    assert!(hostile.sent() < 16 << 20, "{}", hostile.sent());
}

#[tokio::test]
async fn more_rows_than_asked_for_are_left_out() {
    let row = |n: usize| format!("{{\"url\": \"https://example.org/{n}\", \"title\": \"x\"}}");
    let rows: Vec<_> = (0..5_000).map(row).collect();
    let answer = format!("{{\"results\": [{}]}}", rows.join(","));
    let expect: Vec<_> = (0..10).map(|n| format!("/{n}")).collect();
    assert_eq!(told(json(&answer)).await, expect.join(" "));
}

#[tokio::test]
async fn an_engine_cannot_lead_us_to_a_private_address() {
    let canary = Canary::start().await;
    let inside = format!("http://{}/", canary.address());
    let said = told(CannedResponse::redirect(302, &inside)).await;
    assert!(said.starts_with("the search engine `SearXNG`"), "{said}");
    assert_eq!(canary.connects(), 0);
}
