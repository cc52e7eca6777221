//! What is kept of services on the disk: their names, and none of their secrets.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use relink_fetch::{Fetcher, Settings};
use relink_lookup::{Manners, WebArchive, WebArchiveSettings, WebSearchSettings};
use relink_model::SearchQuery;
use relink_ports::{Archive, CaptureQuery, Ledger, SearchEngine, StoreFault};
use relink_testkit::web::{Answer, Web};
use url::Url;

use crate::Noon;
use crate::search::{asked_with, found};

/// The names under which requests were counted.
#[derive(Default)]
struct Services(Mutex<Vec<String>>);

#[async_trait]
impl Ledger for Services {
    async fn spend(&self, service: &str, _: i64, _: u32) -> Result<bool, StoreFault> {
        self.0.lock().unwrap().push(service.to_owned());
        Ok(true)
    }
}

#[tokio::test]
async fn what_is_written_down_shows_no_password_and_no_key() {
    let web = Web::start().await;
    let row = r#"{"url": "https://example.org/owl", "title": "x"}"#;
    web.below("/", Answer::new(200, format!("{{\"results\": [{row}]}}")));
    let query = SearchQuery::of(["owl"]);
    let ledger = Arc::new(Services::default());
    let address = format!("http://me:hunter2@{}/s3cret/find", web.address());
    let budget = Manners { daily_budget: 9, ..Manners::at_home() };
    let template = format!("{address}?key=s3cret&q={{query}}").parse().unwrap();
    let settings =
        WebSearchSettings { manners: budget, ..WebSearchSettings::json("JSON", template) };
    let asked = asked_with(None, settings).counting_in(Arc::clone(&ledger) as _);
    assert_eq!(found(&asked, &query).await, "/owl");
    let kept = asked.cache_key(&query).unwrap();
    assert!(!kept.contains("hunter2") && !kept.contains("s3cret"), "{kept}");
    let archive = WebArchiveSettings::internet_archive(&Url::parse(&address).unwrap());
    let fetcher = Arc::new(Fetcher::new(Settings::default()).unwrap());
    let archive = WebArchiveSettings { manners: budget, ..archive };
    let archive = WebArchive::new(archive, fetcher, Arc::new(Noon));
    let archive = archive.counting_in(Arc::clone(&ledger) as _);
    let _ = archive.captures(&CaptureQuery::of(web.url("/a"))).await;
    let services = ["search", "archive"].map(|kind| format!("{kind} {}", web.address()));
    assert_eq!(*ledger.0.lock().unwrap(), services);
}
