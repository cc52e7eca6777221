//! Client of a remote search engine. The settings determine its URL, API key and response
//! format.

use std::sync::Arc;

use async_trait::async_trait;
use relink_model::{FetchOutcome, SearchQuery};
use relink_ports::{
    BudgetStore, Clock, Fetch, FetchResult, RequestOptions, SearchEngine, SearchError,
    SearchResponse,
};
use url::Url;

use super::key::{ApiKey, ApiKeyPlacement};
use super::query_text::query_text;
use super::response::ResponseError;
use super::settings::{SiteFilter, WebSearchSettings};
use super::template::TemplateValues;
use crate::service_client::{RATE_HEADERS, ServiceClient, ServiceRefusal, host_and_port};

/// The expected content of a response, for error messages.
const EXPECTED: &str = "a list of results";

/// A search engine that is queried over HTTP.
pub struct WebSearch {
    settings: WebSearchSettings,
    key: Option<ApiKey>,
    client: ServiceClient,
}

impl WebSearch {
    /// Creates a search engine client.
    ///
    /// If the engine requires an API key, `environment` is called with the name
    /// of its variable. The key is sent to the engine and never printed. The
    /// clock determines the day of the budget and the times in errors.
    pub fn new(
        settings: WebSearchSettings,
        environment: &dyn Fn(&str) -> Option<String>,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let key = settings.key.as_ref().and_then(|config| environment(&config.variable));
        let key = key.as_deref().and_then(ApiKey::new);
        let client = ServiceClient::new(fetch, clock, settings.limits);
        Self { settings, key, client }
    }

    /// Stores the daily budget in `store`, so that all processes share it.
    #[must_use]
    pub fn with_budget_store(self, store: Arc<dyn BudgetStore>) -> Self {
        let service = format!("search {}", host_and_port(self.settings.template.root()));
        Self { client: self.client.with_budget_store(store, service), ..self }
    }

    /// Returns the API key, or `None` if the engine requires none.
    fn key(&self) -> Result<Option<&ApiKey>, SearchError> {
        match (&self.settings.key, &self.key) {
            (None, _) => Ok(None),
            (Some(_), Some(key)) => Ok(Some(key)),
            (Some(config), None) => {
                let variable = config.variable.clone();
                Err(SearchError::MissingApiKey { engine: self.name().to_owned(), variable })
            }
        }
    }

    /// Returns the URL of a query, or `None` if the query is empty.
    fn query_url(&self, query: &SearchQuery, key: Option<&ApiKey>) -> Option<Url> {
        let site = query.site.as_deref().map(sanitize_host);
        let template = &self.settings.template;
        let adds_operator = self.settings.site == SiteFilter::Operator && !template.has_site();
        let text = query_text(query, site.as_deref().filter(|_| adds_operator));
        let placement = self.settings.key.as_ref().map(|config| &config.placement);
        let values = TemplateValues {
            query: &text,
            site: site.as_deref(),
            limit: query.limit.clamp(1, self.settings.max_hits),
            key: key.filter(|_| placement == Some(&ApiKeyPlacement::Url)).map(ApiKey::reveal),
        };
        if text.is_empty() || query.limit == 0 {
            return None;
        }
        template.fill(&values)
    }

    /// Returns the request options, with the API key in a header if it belongs there.
    fn options(&self, key: Option<&ApiKey>) -> RequestOptions {
        let mut headers = vec![("Accept".to_owned(), "application/json".to_owned())];
        let placement = self.settings.key.as_ref().map(|config| &config.placement);
        if let (Some(ApiKeyPlacement::Header { name, prefix }), Some(key)) = (placement, key) {
            headers.push((name.clone(), format!("{prefix}{}", key.reveal())));
        }
        RequestOptions {
            headers,
            max_body_bytes: Some(self.settings.max_response_bytes),
            response_headers: &RATE_HEADERS,
            ..RequestOptions::default()
        }
    }

    /// Converts a response of the engine.
    fn parse(
        &self,
        result: FetchResult,
        query: &SearchQuery,
    ) -> Result<SearchResponse, SearchError> {
        let engine = self.name().to_owned();
        let status = match result.outcome {
            FetchOutcome::Response(status) => status,
            outcome => return Err(SearchError::Unreachable { engine, outcome }),
        };
        if !(200..=299).contains(&status) {
            return Err(SearchError::Refused { engine, status });
        }
        let body = result.body.unwrap_or_default();
        let parsed = self.settings.mapping.parse(&body.bytes, self.name(), query);
        parsed.map_err(|error| match error {
            ResponseError::Invalid => SearchError::InvalidResponse { engine, expected: EXPECTED },
            ResponseError::UpstreamUnavailable => SearchError::UpstreamUnavailable { engine },
        })
    }

    /// Converts a refusal of the service client.
    fn service_error(&self, refusal: ServiceRefusal) -> SearchError {
        let engine = self.name().to_owned();
        match refusal {
            ServiceRefusal::RateLimited(until) => SearchError::RateLimited { engine, until },
            ServiceRefusal::BudgetExhausted(until) => {
                let budget = self.settings.limits.daily_budget;
                SearchError::BudgetExhausted { engine, budget, until }
            }
        }
    }
}

/// Returns the leading characters of `site` that are valid in a host.
fn sanitize_host(site: &str) -> String {
    let is_host_character = |character: &char| {
        character.is_alphanumeric() || matches!(character, '.' | '-' | '_' | ':')
    };
    site.chars().take_while(is_host_character).collect()
}

#[async_trait]
impl SearchEngine for WebSearch {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn requests(&self) -> u64 {
        self.client.requests()
    }

    fn cache_key(&self, query: &SearchQuery) -> Option<String> {
        let limit = query.limit.min(self.settings.max_hits);
        let template = &self.settings.template;
        let (server, fingerprint) = (host_and_port(template.root()), template.fingerprint());
        let text = query_text(query, query.site.as_deref().map(sanitize_host).as_deref());
        Some(format!("{} {server} {fingerprint} {limit} {text}", self.name()))
    }

    async fn search(&self, query: &SearchQuery) -> Result<SearchResponse, SearchError> {
        let key = self.key()?;
        let Some(url) = self.query_url(query, key) else {
            return Ok(SearchResponse::default());
        };
        let is_configured = true;
        let result = self.client.fetch(&url, is_configured, &self.options(key)).await;
        let result = result.map_err(|refusal| self.service_error(refusal))?;
        self.parse(result, query)
    }
}
