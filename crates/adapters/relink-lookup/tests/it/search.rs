//! Tests with canned responses in the formats of public search engines.

use std::sync::Arc;

use relink_fetch::{FetchSettings, Fetcher};
use relink_lookup::{ServiceLimits, WebSearch, WebSearchSettings};
use relink_model::SearchQuery;
use relink_ports::SearchEngine;
use relink_testkit::canary::Canary;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};
use url::Url;

use crate::{FixedClock, time};

/// API key of every engine.
const KEY: &str = "s3cret";

/// Creates an engine with an API key and without a pause between requests.
pub fn engine(settings: WebSearchSettings) -> WebSearch {
    let limits =
        ServiceLimits { daily_budget: settings.limits.daily_budget, ..ServiceLimits::local() };
    engine_with_key(Some(KEY), WebSearchSettings { limits, ..settings })
}

/// Creates an engine. `key` is the value of the environment variable with its API key.
pub fn engine_with_key(key: Option<&str>, settings: WebSearchSettings) -> WebSearch {
    engine_with_fetch_settings(key, settings, FetchSettings::default())
}

fn engine_with_fetch_settings(
    key: Option<&str>,
    settings: WebSearchSettings,
    fetch_settings: FetchSettings,
) -> WebSearch {
    let fetcher = Fetcher::new(fetch_settings).unwrap();
    let environment = |_: &str| key.map(str::to_owned);
    WebSearch::new(settings, &environment, Arc::new(fetcher), Arc::new(FixedClock))
}

/// Returns the paths of the hits, or the error.
pub async fn search_paths(engine: &dyn SearchEngine, query: &SearchQuery) -> String {
    match engine.search(query).await {
        Ok(response) => {
            let paths: Vec<_> = response.hits.iter().map(|hit| hit.url.path().to_owned()).collect();
            paths.join(" ")
        }
        Err(error) => error.to_string(),
    }
}

fn json(body: &str) -> CannedResponse {
    CannedResponse::new(200, body).with_header("Content-Type", "application/json")
}

/// Returns a query with a phrase and a word for one site.
fn query() -> SearchQuery {
    SearchQuery::new(["winter"]).with_phrase("snowy owl").with_site("example.org")
}

/// A kind of search engine: canned responses in its format, and the request that it must
/// receive for [`query`].
struct Case {
    /// Creates the settings for an engine at a URL.
    settings: fn(&Url) -> WebSearchSettings,
    /// A response with two hits.
    response: &'static str,
    /// A response without hits.
    empty_response: &'static str,
    expected_path: &'static str,
    /// The expected header with the API key, if the key is not in the URL.
    header: Option<(&'static str, &'static str)>,
}

/// The encoded text of [`query`], which replaces `QUERY` in expected paths.
const QUERY: &str = "%22snowy%20owl%22%20winter";

/// One case per engine. All responses have the same two hits.
const CASES: [Case; 4] = [
    Case {
        settings: WebSearchSettings::searxng,
        response: r#"{"query": "q", "number_of_results": 0, "results": [
            {"url": "https://example.org/owl", "title": "The snowy owl", "content": "It hunts & sleeps.",
             "engine": "one", "score": 2.5, "category": "general"},
            {"url": "https://www.example.org/birds", "title": "Birds", "content": ""}],
            "answers": [], "unresponsive_engines": [["other", "timeout"]]}"#,
        empty_response: r#"{"query": "q", "number_of_results": 0, "results": [], "unresponsive_engines": []}"#,
        expected_path: "/search?q=QUERY%20site%3Aexample.org&format=json",
        header: None,
    },
    Case {
        settings: WebSearchSettings::brave,
        response: r#"{"type": "search", "query": {"original": "q"}, "web": {"type": "search", "results": [
            {"title": "The snowy owl", "url": "https://example.org/owl", "language": "en",
             "description": "It <strong>hunts</strong> &amp; sleeps.", "page_age": "2020-01-01"},
            {"title": "Birds", "url": "https://www.example.org/birds", "description": ""}]}}"#,
        empty_response: r#"{"type": "search", "query": {"original": "q"}}"#,
        expected_path: "/res/v1/web/search?q=QUERY%20site%3Aexample.org&count=10",
        header: Some(("x-subscription-token", "s3cret")),
    },
    Case {
        settings: WebSearchSettings::mojeek,
        response: r#"{"response": {"status": "OK", "head": {"query": "q", "results": 2, "return": 2}, "results": [
            {"url": "https://example.org/owl", "title": "The snowy owl", "desc": "It <b>hunts</b> &amp; sleeps."},
            {"url": "https://www.example.org/birds", "title": "Birds", "desc": ""}]}}"#,
        empty_response: r#"{"response": {"status": "OK", "head": {"query": "q", "results": 0}}}"#,
        expected_path: "/search?q=QUERY&site=example.org&t=10&fmt=json&api_key=s3cret",
        header: None,
    },
    Case {
        settings: WebSearchSettings::kagi,
        response: r#"{"meta": {"id": "1", "ms": 3}, "data": {"search": [
            {"url": "https://example.org/owl", "title": "The snowy owl", "snippet": "It <b>hunts</b> &amp; sleeps."},
            {"url": "https://www.example.org/birds", "title": "Birds"}], "related_search": [{"title": "x"}]}}"#,
        empty_response: r#"{"meta": {"id": "1"}, "data": {}}"#,
        expected_path: "/api/v1/search?q=QUERY%20site%3Aexample.org&limit=10",
        header: Some(("authorization", "Bot s3cret")),
    },
];

#[tokio::test]
async fn each_engine_has_its_own_request_and_response_format() {
    for case in CASES {
        let web = TestServer::start().await;
        web.respond_below("/", json(case.response));
        let engine = engine((case.settings)(&web.url("/")));
        let response = engine.search(&query()).await.unwrap();
        let lines: Vec<_> = response.hits.iter().map(ToString::to_string).collect();
        let owl = "1. https://example.org/owl The snowy owl";
        assert_eq!(lines, [owl, "2. https://www.example.org/birds Birds"], "{}", engine.name());
        assert_eq!(response.hits[0].snippet, "It hunts & sleeps.");
        assert_eq!(response.estimated_total(), 2);
        let request = &web.requests()[0];
        assert_eq!(request.path, case.expected_path.replace("QUERY", QUERY));
        if let Some((name, value)) = case.header {
            assert_eq!(request.header(name), Some(value));
        }
        web.respond_below("/", json(case.empty_response));
        assert_eq!(search_paths(&engine, &query()).await, "", "{}", engine.name());
        assert_eq!(engine.requests(), 2);
    }
}

#[tokio::test]
async fn older_kagi_format_is_supported() {
    let web = TestServer::start().await;
    let row = r#"{"t": 0, "url": "https://example.org/owl", "title": "x", "snippet": "y"}"#;
    let related = r#"{"t": 1, "list": ["a", "b"]}"#;
    web.respond_below("/", json(&format!("{{\"meta\": {{}}, \"data\": [{row}, {related}]}}")));
    assert_eq!(
        search_paths(&engine(WebSearchSettings::kagi(&web.url("/"))), &query()).await,
        "/owl"
    );
}

#[tokio::test]
async fn engine_without_its_key_gets_no_requests() {
    let web = TestServer::start().await;
    for (settings, name, variable) in [
        (WebSearchSettings::brave(&web.url("/")), "Brave", "BRAVE_API_KEY"),
        (WebSearchSettings::mojeek(&web.url("/")), "Mojeek", "MOJEEK_API_KEY"),
        (WebSearchSettings::kagi(&web.url("/")), "Kagi", "KAGI_API_KEY"),
    ] {
        let expect = format!("search engine `{name}` requires an API key in `{variable}`");
        for key in [None, Some(" ")] {
            let engine = engine_with_key(key, settings.clone());
            assert_eq!(search_paths(&engine, &query()).await, expect);
        }
    }
    assert_eq!(web.requests().len(), 0);
}

#[tokio::test]
async fn errors_and_cache_keys_do_not_contain_the_api_key() {
    for case in CASES {
        let web = TestServer::start().await;
        web.respond_below("/", CannedResponse::new(401, "wrong key: s3cret"));
        let engine = engine((case.settings)(&web.url("/")));
        let name = engine.name().to_owned();
        let error = engine.search(&query()).await.unwrap_err();
        assert_eq!(error.to_string(), format!("search engine `{name}` denies access (status 401)"));
        assert!(!format!("{error:?}").contains(KEY));
        assert!(!engine.cache_key(&query()).unwrap().contains(KEY));
    }
}

#[tokio::test]
async fn api_key_is_not_sent_to_another_host() {
    // By default, the redirect is not followed, because the other server has a private
    // address.
    let fetch_settings = FetchSettings { allow_private: true, ..FetchSettings::default() };
    for case in CASES {
        let (web, other) = (TestServer::start().await, TestServer::start().await);
        other.respond_below("/", json(case.response));
        web.respond_below("/", CannedResponse::redirect(302, other.url("/x").as_str()));
        let settings =
            WebSearchSettings { limits: ServiceLimits::local(), ..(case.settings)(&web.url("/")) };
        let engine = engine_with_fetch_settings(Some(KEY), settings, fetch_settings.clone());
        assert_eq!(search_paths(&engine, &query()).await, "/owl /birds", "{}", engine.name());
        let requests = other.requests();
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].path, "/x");
        let is_in_a_header = requests[0].headers.iter().any(|(_, value)| value.contains(KEY));
        assert!(!is_in_a_header, "{}", engine.name());
    }
}

#[tokio::test]
async fn cache_key_depends_on_engine_and_query() {
    let engine_at = |root: &str| engine(WebSearchSettings::searxng(&Url::parse(root).unwrap()));
    let key = engine_at("https://a.test/").cache_key(&query());
    let text = key.clone().unwrap();
    assert!(text.starts_with("SearXNG a.test ") && text.ends_with(" winter site:example.org"));
    for root in ["https://b.test/", "https://a.test:8443/", "http://a.test/", "https://a.test/b/"] {
        assert_ne!(engine_at(root).cache_key(&query()), key, "{root}");
    }
    let others = [
        SearchQuery { site: None, ..query() },
        SearchQuery { limit: 5, ..query() },
        query().with_phrase("winter"),
    ];
    for other in others {
        assert_ne!(engine_at("https://a.test/").cache_key(&other), key);
    }
}

#[tokio::test]
async fn cache_key_depends_on_the_whole_template() {
    let key = |parameters: &str| {
        let template = format!("https://a.test/find?{parameters}&q={{query}}").parse().unwrap();
        engine(WebSearchSettings::json("JSON", template)).cache_key(&query()).unwrap()
    };
    assert_eq!(key("db=birds"), key("db=birds"));
    assert_ne!(key("db=birds"), key("db=plants"));
}

#[tokio::test]
async fn rate_limited_engine_gets_no_further_requests() {
    let refusal =
        |name: &str, value: &str| CannedResponse::new(429, "slow down").with_header(name, value);
    // One number per time window, here a second and a month: no request remains in either
    // window, and they are reset after 1 and 3,600 seconds.
    let rate_limited =
        refusal("X-RateLimit-Remaining", "0, 0").with_header("X-RateLimit-Reset", "1, 3600");
    for response in [refusal("Retry-After", "3600"), rate_limited] {
        let web = TestServer::start().await;
        web.respond_below("/", response);
        let engine = engine(WebSearchSettings::brave(&web.url("/")));
        for _ in 0..3 {
            let error = engine.search(&query()).await.unwrap_err();
            // One hour after the time of the clock.
            assert_eq!(error.until(), Some(time("2026-01-01T13:00:00Z")));
        }
        assert_eq!(web.requests().len(), 1);
    }
}

#[tokio::test]
async fn daily_budget_is_enforced() {
    let web = TestServer::start().await;
    web.respond_below("/", json(CASES[0].response));
    let mut settings = WebSearchSettings::searxng(&web.url("/"));
    settings.limits.daily_budget = 2;
    let engine = engine(settings);
    for _ in 0..2 {
        assert_eq!(search_paths(&engine, &query()).await, "/owl /birds");
    }
    let exhausted = "daily budget of 2 requests to search engine `SearXNG` is exhausted";
    assert_eq!(search_paths(&engine, &query()).await, exhausted);
    assert_eq!(web.requests().len(), 2);
}

#[tokio::test]
async fn empty_query_sends_no_request() {
    let web = TestServer::start().await;
    let engine = engine(WebSearchSettings::searxng(&web.url("/")));
    for query in [
        SearchQuery::new(["", "--", "\"\""]).with_site("example.org"),
        SearchQuery { limit: 0, ..query() },
    ] {
        assert_eq!(search_paths(&engine, &query).await, "");
    }
    assert_eq!(web.requests().len(), 0);
}

/// Returns the hits or the error if SearXNG sends this response.
async fn search_result(response: CannedResponse) -> String {
    let web = TestServer::start().await;
    web.respond_below("/", response);
    search_paths(&engine(WebSearchSettings::searxng(&web.url("/"))), &query()).await
}

const INVALID_RESPONSE: &str =
    "invalid response of search engine `SearXNG`: expected a list of results";

#[tokio::test]
async fn other_formats_are_invalid_responses() {
    let deep = "[".repeat(100_000);
    for body in ["<!doctype html><title>Search</title>", "null", "{\"results\": 3}", "", &deep] {
        assert_eq!(search_result(json(body)).await, INVALID_RESPONSE);
    }
    let refused = "search engine `SearXNG` denies access (status 403)";
    assert_eq!(search_result(CannedResponse::new(403, "JSON is off")).await, refused);
    let unresponsive = r#"{"results": [], "unresponsive_engines": [["one", "timeout"]]}"#;
    let expect = "search engine `SearXNG` got no response from its upstream engines";
    assert_eq!(search_result(json(unresponsive)).await, expect);
}

#[tokio::test]
async fn huge_response_is_limited() {
    let row = r#"{"url": "https://example.org/a", "title": "x"},"#;
    let rows = format!("{{\"results\": [{}null]}}", row.repeat((8 << 20) / row.len()));
    assert_eq!(search_result(json(&rows)).await, INVALID_RESPONSE);
    let hostile = Hostile::start(Misbehavior::EndlessBody).await;
    let engine = engine(WebSearchSettings::searxng(&hostile.url("/")));
    assert_eq!(search_paths(&engine, &query()).await, INVALID_RESPONSE);
    assert!(hostile.sent() < 16 << 20, "{}", hostile.sent());
}

#[tokio::test]
async fn number_of_hits_is_limited() {
    let row = |n: usize| format!("{{\"url\": \"https://example.org/{n}\", \"title\": \"x\"}}");
    let rows: Vec<_> = (0..5_000).map(row).collect();
    let body = format!("{{\"results\": [{}]}}", rows.join(","));
    let expect: Vec<_> = (0..10).map(|n| format!("/{n}")).collect();
    assert_eq!(search_result(json(&body)).await, expect.join(" "));
}

#[tokio::test]
async fn engine_cannot_redirect_to_private_address() {
    // The engine itself has a private address, which is allowed because the user configured
    // its URL. The target of the redirect is on another port and does not inherit this right.
    let canary = Canary::start().await;
    let private_url = format!("http://{}/", canary.address());
    let result = search_result(CannedResponse::redirect(302, &private_url)).await;
    assert!(result.starts_with("cannot reach search engine `SearXNG`"), "{result}");
    assert_eq!(canary.connects(), 0);
}
