//! A search engine on the web, through the gate.

use std::sync::Arc;

use async_trait::async_trait;
use relink_model::{FetchOutcome, SearchQuery};
use relink_ports::{
    BudgetStore, Clock, Fetch, FetchResult, RequestOptions, SearchEngine, SearchError,
    SearchResponse,
};
use url::Url;

use super::key::{ApiKey, KeyPlace};
use super::query_text::query_text;
use super::reading::ResponseError;
use super::settings::{SiteFilter, WebSearchSettings};
use super::template::TemplateValues;
use crate::service_client::{RATE_HEADERS, ServiceClient, ServiceRefusal, place};

/// What should have come.
const EXPECTED: &str = "a list of results";

/// A search engine that is asked over HTTP.
pub struct WebSearch {
    settings: WebSearchSettings,
    key: Option<ApiKey>,
    gate: ServiceClient,
}

impl WebSearch {
    /// An engine that has not been asked yet.
    ///
    /// Its key, where it wants one, is what `environment` says for the
    /// variable in the settings; it is sent to the engine and shown nowhere.
    /// The clock tells the day for the budget and the moments in errors.
    pub fn new(
        settings: WebSearchSettings,
        environment: &dyn Fn(&str) -> Option<String>,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let key = settings.key.as_ref().and_then(|rule| environment(&rule.variable));
        let key = key.as_deref().and_then(ApiKey::new);
        let gate = ServiceClient::new(fetch, clock, settings.limits);
        Self { settings, key, gate }
    }

    /// The engine with its daily budget kept in a ledger, so that a restart
    /// does not begin it anew.
    #[must_use]
    pub fn with_budget_store(self, ledger: Arc<dyn BudgetStore>) -> Self {
        let service = format!("search {}", place(self.settings.template.root()));
        Self { gate: self.gate.with_budget_store(ledger, service), ..self }
    }

    /// The key it wants, or nothing if it wants none.
    fn key(&self) -> Result<Option<&ApiKey>, SearchError> {
        match (&self.settings.key, &self.key) {
            (None, _) => Ok(None),
            (Some(_), Some(key)) => Ok(Some(key)),
            (Some(rule), None) => {
                let variable = rule.variable.clone();
                Err(SearchError::MissingApiKey { engine: self.name().to_owned(), variable })
            }
        }
    }

    /// The address to ask, or nothing if there is nothing to look for.
    fn query_url(&self, query: &SearchQuery, key: Option<&ApiKey>) -> Option<Url> {
        let site = query.site.as_deref().map(host_alone);
        let template = &self.settings.template;
        let is_operator = self.settings.site == SiteFilter::Operator && !template.takes_site();
        let words = query_text(query, site.as_deref().filter(|_| is_operator));
        let place = self.settings.key.as_ref().map(|rule| &rule.placement);
        let filling = TemplateValues {
            query: &words,
            site: site.as_deref(),
            limit: query.limit.clamp(1, self.settings.most_hits),
            key: key.filter(|_| place == Some(&KeyPlace::Address)).map(ApiKey::reveal),
        };
        if words.is_empty() || query.limit == 0 {
            return None;
        }
        template.fill(&filling)
    }

    fn terms(&self, key: Option<&ApiKey>) -> RequestOptions {
        let mut headers = vec![("Accept".to_owned(), "application/json".to_owned())];
        let place = self.settings.key.as_ref().map(|rule| &rule.placement);
        if let (Some(KeyPlace::Header { name, prefix }), Some(key)) = (place, key) {
            headers.push((name.clone(), format!("{prefix}{}", key.reveal())));
        }
        let body_cap = Some(self.settings.answer_cap);
        RequestOptions {
            headers,
            max_body_bytes: body_cap,
            wanted: &RATE_HEADERS,
            ..RequestOptions::default()
        }
    }

    fn read(
        &self,
        fetched: FetchResult,
        query: &SearchQuery,
    ) -> Result<SearchResponse, SearchError> {
        let engine = self.name().to_owned();
        let status = match fetched.outcome {
            FetchOutcome::Response(status) => status,
            ending => return Err(SearchError::Unreachable { engine, outcome: ending }),
        };
        if !(200..=299).contains(&status) {
            return Err(SearchError::Refused { engine, status });
        }
        let body = fetched.body.unwrap_or_default();
        let read = self.settings.shape.read(&body.bytes, self.name(), query);
        read.map_err(|unread| match unread {
            ResponseError::Strange => SearchError::InvalidResponse { engine, expected: EXPECTED },
            ResponseError::Deaf => SearchError::UpstreamUnavailable { engine },
        })
    }

    fn refused(&self, refusal: ServiceRefusal) -> SearchError {
        let engine = self.name().to_owned();
        match refusal {
            ServiceRefusal::Later(until) => SearchError::RateLimited { engine, until },
            ServiceRefusal::BudgetSpent(until) => {
                let budget = self.settings.limits.daily_budget;
                SearchError::BudgetExhausted { engine, budget, until }
            }
        }
    }
}

/// A host without anything that could be read as more than a host.
fn host_alone(site: &str) -> String {
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '.' | '-' | '_' | ':');
    site.chars().take_while(|it| is_part(*it)).collect()
}

#[async_trait]
impl SearchEngine for WebSearch {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn requests(&self) -> u64 {
        self.gate.requests()
    }

    fn cache_key(&self, query: &SearchQuery) -> Option<String> {
        let limit = query.limit.min(self.settings.most_hits);
        let template = &self.settings.template;
        let (place, mark) = (place(template.root()), template.mark());
        let words = query_text(query, query.site.as_deref().map(host_alone).as_deref());
        Some(format!("{} {place} {mark} {limit} {words}", self.name()))
    }

    async fn search(&self, query: &SearchQuery) -> Result<SearchResponse, SearchError> {
        let key = self.key()?;
        let Some(url) = self.query_url(query, key) else {
            return Ok(SearchResponse::default());
        };
        let asked = self.gate.ask(&url, true, &self.terms(key)).await;
        let fetched = asked.map_err(|refusal| self.refused(refusal))?;
        self.read(fetched, query)
    }
}
