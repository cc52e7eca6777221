//! What is kept of services on the disk: their names, and none of their secrets.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use relink_fetch::{FetchSettings, Fetcher};
use relink_lookup::{ServiceLimits, WebArchive, WebArchiveSettings, WebSearchSettings};
use relink_model::SearchQuery;
use relink_ports::{Archive, BudgetStore, CaptureQuery, SearchEngine, StoreError};
use relink_testkit::web::{CannedResponse, TestServer};
use url::Url;

use crate::Noon;
use crate::search::{asked_with, found};

/// The names under which requests were counted.
#[derive(Default)]
struct Services(Mutex<Vec<String>>);

#[async_trait]
impl BudgetStore for Services {
    async fn try_spend(&self, service: &str, _: i64, _: u32) -> Result<bool, StoreError> {
        self.0.lock().unwrap().push(service.to_owned());
        Ok(true)
    }
}

#[tokio::test]
async fn what_is_written_down_shows_no_password_and_no_key() {
    let web = TestServer::start().await;
    let row = r#"{"url": "https://example.org/owl", "title": "x"}"#;
    web.below("/", CannedResponse::new(200, format!("{{\"results\": [{row}]}}")));
    let query = SearchQuery::new(["owl"]);
    let ledger = Arc::new(Services::default());
    let address = format!("http://me:hunter2@{}/s3cret/find", web.address());
    let budget = ServiceLimits { daily_budget: 9, ..ServiceLimits::local() };
    let template = format!("{address}?key=s3cret&q={{query}}").parse().unwrap();
    let settings =
        WebSearchSettings { limits: budget, ..WebSearchSettings::json("JSON", template) };
    let asked = asked_with(None, settings).with_budget_store(Arc::clone(&ledger) as _);
    assert_eq!(found(&asked, &query).await, "/owl");
    let kept = asked.cache_key(&query).unwrap();
    assert!(!kept.contains("hunter2") && !kept.contains("s3cret"), "{kept}");
    let archive = WebArchiveSettings::internet_archive(&Url::parse(&address).unwrap());
    let fetcher = Arc::new(Fetcher::new(FetchSettings::default()).unwrap());
    let archive = WebArchiveSettings { limits: budget, ..archive };
    let archive = WebArchive::new(archive, fetcher, Arc::new(Noon));
    let archive = archive.with_budget_store(Arc::clone(&ledger) as _);
    let _ = archive.captures(&CaptureQuery::new(web.url("/a"))).await;
    let services = ["search", "archive"].map(|kind| format!("{kind} {}", web.address()));
    assert_eq!(*ledger.0.lock().unwrap(), services);
}
