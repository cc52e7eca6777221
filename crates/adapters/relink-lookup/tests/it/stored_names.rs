//! Tests that the names of services and the cache keys, which are written to disk,
//! contain no secrets.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use relink_fetch::{FetchSettings, Fetcher};
use relink_lookup::{ServiceLimits, WebArchive, WebArchiveSettings, WebSearchSettings};
use relink_model::SearchQuery;
use relink_ports::{Archive, BudgetStore, CaptureQuery, SearchEngine, StoreError};
use relink_testkit::web::{CannedResponse, TestServer};
use url::Url;

use crate::FixedClock;
use crate::search::{engine_with_key, search_paths};

/// A budget store that records the names of the services.
#[derive(Default)]
struct RecordedServices(Mutex<Vec<String>>);

#[async_trait]
impl BudgetStore for RecordedServices {
    async fn try_spend(&self, service: &str, _: i64, _: u32) -> Result<bool, StoreError> {
        self.0.lock().unwrap().push(service.to_owned());
        Ok(true)
    }
}

#[tokio::test]
async fn budget_and_cache_keys_contain_no_secrets() {
    let web = TestServer::start().await;
    let row = r#"{"url": "https://example.org/owl", "title": "x"}"#;
    web.respond_below("/", CannedResponse::new(200, format!("{{\"results\": [{row}]}}")));
    let query = SearchQuery::new(["owl"]);
    let store = Arc::new(RecordedServices::default());
    let root = format!("http://me:hunter2@{}/s3cret/find", web.address());
    let limits = ServiceLimits { daily_budget: 9, ..ServiceLimits::local() };
    let template = format!("{root}?key=s3cret&q={{query}}").parse().unwrap();
    let settings = WebSearchSettings { limits, ..WebSearchSettings::json("JSON", template) };
    let engine = engine_with_key(None, settings).with_budget_store(Arc::clone(&store) as _);
    assert_eq!(search_paths(&engine, &query).await, "/owl");
    let key = engine.cache_key(&query).unwrap();
    assert!(!key.contains("hunter2") && !key.contains("s3cret"), "{key}");
    let archive = WebArchiveSettings::internet_archive(&Url::parse(&root).unwrap());
    let fetcher = Arc::new(Fetcher::new(FetchSettings::default()).unwrap());
    let archive = WebArchiveSettings { limits, ..archive };
    let archive = WebArchive::new(archive, fetcher, Arc::new(FixedClock));
    let archive = archive.with_budget_store(Arc::clone(&store) as _);
    let _ = archive.captures(&CaptureQuery::new(web.url("/a"))).await;
    let services = ["search", "archive"].map(|kind| format!("{kind} {}", web.address()));
    assert_eq!(*store.0.lock().unwrap(), services);
}
