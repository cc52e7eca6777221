//! Settings of remote search engines, with presets.

use std::time::Duration;

use url::Url;

use super::key::{ApiKeyConfig, ApiKeyPlacement};
use super::response::{ResponseMapping, TextKind};
use super::template::SearchTemplate;
use crate::service_client::ServiceLimits;

/// Maximum size of a response in bytes. Twenty results take about 50,000 bytes.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// Default daily budget of paid engines: half of the daily requests in a free plan with
/// 15,000 requests per month.
const PAID_DAILY_BUDGET: u32 = 250;

/// Settings of a remote search engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSearchSettings {
    /// Display name.
    pub name: String,
    /// URL template.
    pub template: SearchTemplate,
    /// The API key, if the engine requires a key.
    pub key: Option<ApiKeyConfig>,
    /// How to restrict the results to one site. Ignored if the template has a
    /// `{site}` placeholder.
    pub site: SiteFilter,
    /// Format of the responses.
    pub mapping: ResponseMapping,
    /// Maximum number of hits per request.
    pub max_hits: usize,
    /// Rate limit, daily number of requests and timeout.
    pub limits: ServiceLimits,
    /// Maximum size of a response in bytes.
    pub max_response_bytes: usize,
}

/// How to restrict the results to one site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SiteFilter {
    /// Adds the `site:` operator to the query text.
    #[default]
    Operator,
    /// Sends no restriction and removes other pages from the response.
    PostFilter,
}

impl WebSearchSettings {
    /// Settings of an engine that returns JSON for a GET request, with the most
    /// common member names. Set `mapping` for other names.
    ///
    /// Example for Xapian Omega with a JSON template:
    ///
    /// ```
    /// use relink_lookup::{SearchTemplate, WebSearchSettings};
    /// let template = "http://127.0.0.1/omega?FMT=json&P={query}&B=H{site}&HITSPERPAGE={limit}";
    /// let settings = WebSearchSettings::json("Omega", template.parse()?);
    /// assert_eq!(settings.mapping.snippet, "/snippet");
    /// # Ok::<_, relink_lookup::SearchTemplateError>(())
    /// ```
    pub fn json(name: &str, template: SearchTemplate) -> Self {
        Self {
            name: name.to_owned(),
            template,
            key: None,
            site: SiteFilter::Operator,
            mapping: ResponseMapping::default(),
            max_hits: 100,
            limits: ServiceLimits::default(),
            max_response_bytes: MAX_RESPONSE_BYTES,
        }
    }

    /// Settings of a SearXNG server that allows the format `json`. `root` is
    /// the URL of its start page.
    pub fn searxng(root: &Url) -> Self {
        let template = SearchTemplate::from_root(root, "search", "q={query}&format=json");
        let mapping = ResponseMapping {
            snippet: "/content".to_owned(),
            total: Some("/number_of_results".to_owned()),
            unresponsive: Some("/unresponsive_engines".to_owned()),
            ..ResponseMapping::default()
        };
        Self { mapping, ..Self::json("SearXNG", template) }
    }

    /// Settings of Brave Search. `root` is `https://api.search.brave.com/`.
    pub fn brave(root: &Url) -> Self {
        let parameters = "q={query}&count={limit}";
        let template = SearchTemplate::from_root(root, "res/v1/web/search", parameters);
        let mapping = ResponseMapping {
            results: vec!["/web/results".to_owned()],
            snippet: "/description".to_owned(),
            total: None,
            // Responses without results have no list, but contain the query.
            marker: Some("/query".to_owned()),
            text: TextKind::Html,
            ..ResponseMapping::default()
        };
        let key = Some(header_key("BRAVE_API_KEY", "X-Subscription-Token", ""));
        let limits = paid_limits(Duration::from_millis(1_100));
        Self { key, mapping, max_hits: 20, limits, ..Self::json("Brave", template) }
    }

    /// Settings of Mojeek. `root` is `https://api.mojeek.com/`.
    pub fn mojeek(root: &Url) -> Self {
        let parameters = "q={query}&site={site}&t={limit}&fmt=json&api_key={key}";
        let template = SearchTemplate::from_root(root, "search", parameters);
        let mapping = ResponseMapping {
            results: vec!["/response/results".to_owned()],
            snippet: "/desc".to_owned(),
            total: Some("/response/head/results".to_owned()),
            marker: Some("/response/head".to_owned()),
            text: TextKind::Html,
            ..ResponseMapping::default()
        };
        let variable = "MOJEEK_API_KEY".to_owned();
        let key = Some(ApiKeyConfig { variable, placement: ApiKeyPlacement::Url });
        let limits = paid_limits(Duration::from_secs(1));
        Self { key, mapping, max_hits: 30, limits, ..Self::json("Mojeek", template) }
    }

    /// Settings of Kagi. `root` is `https://kagi.com/`.
    pub fn kagi(root: &Url) -> Self {
        let template = SearchTemplate::from_root(root, "api/v1/search", "q={query}&limit={limit}");
        let mapping = ResponseMapping {
            // The second pointer is for an older version of the API.
            results: vec!["/data/search".to_owned(), "/data".to_owned()],
            total: None,
            marker: Some("/data".to_owned()),
            text: TextKind::Html,
            ..ResponseMapping::default()
        };
        let key = Some(header_key("KAGI_API_KEY", "Authorization", "Bot "));
        let limits = paid_limits(Duration::from_secs(1));
        Self { key, mapping, max_hits: 50, limits, ..Self::json("Kagi", template) }
    }
}

/// Returns the configuration of a key in the environment variable `variable`, sent in the header
/// `name` after `prefix`.
fn header_key(variable: &str, name: &str, prefix: &str) -> ApiKeyConfig {
    let placement = ApiKeyPlacement::Header { name: name.to_owned(), prefix: prefix.to_owned() };
    ApiKeyConfig { variable: variable.to_owned(), placement }
}

/// Returns the limits of an engine that charges per request.
fn paid_limits(interval: Duration) -> ServiceLimits {
    ServiceLimits { interval, daily_budget: PAID_DAILY_BUDGET, ..ServiceLimits::default() }
}
