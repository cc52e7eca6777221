//! Which search engines there are on the web, and how each is asked.

use std::time::Duration;

use url::Url;

use super::key::{ApiKeyConfig, KeyPlace};
use super::reading::{ResponseMapping, TextKind};
use super::template::SearchTemplate;
use crate::service_client::ServiceLimits;

/// The most bytes read of an answer; twenty results take about fifty thousand.
const ANSWER_CAP: usize = 1024 * 1024;

/// Searches in a day at engines that are paid for by the search, unless told:
/// half of what a free month of 15,000 allows for a day.
const PAID_BUDGET: u32 = 250;

/// Where a search engine on the web is, and how it is to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSearchSettings {
    /// What people call it.
    pub name: String,
    /// Its address.
    pub template: SearchTemplate,
    /// The key it wants, if it wants one.
    pub key: Option<ApiKeyConfig>,
    /// How the pages of one site are asked for, unless the address has a
    /// place for it.
    pub site: SiteFilter,
    /// What its answers look like.
    pub shape: ResponseMapping,
    /// The most hits it gives at once.
    pub most_hits: usize,
    /// How it is treated.
    pub limits: ServiceLimits,
    /// The most bytes read of an answer.
    pub answer_cap: usize,
}

/// How the pages of one site are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SiteFilter {
    /// With the operator `site:` among the words.
    #[default]
    Operator,
    /// Not at all: other pages are left out of the answer.
    PostFilter,
}

impl WebSearchSettings {
    /// Any engine that answers a GET with JSON, with the names that most use;
    /// change the shape where it has others.
    ///
    /// This is how a Xapian Omega with a JSON template is asked:
    ///
    /// ```
    /// use relink_lookup::{SearchTemplate, WebSearchSettings};
    /// let address = "http://127.0.0.1/omega?FMT=json&P={query}&B=H{site}&HITSPERPAGE={limit}";
    /// let settings = WebSearchSettings::json("Omega", address.parse()?);
    /// assert_eq!(settings.shape.excerpt, "/snippet");
    /// # Ok::<_, relink_lookup::SearchTemplateError>(())
    /// ```
    pub fn json(name: &str, template: SearchTemplate) -> Self {
        Self {
            name: name.to_owned(),
            template,
            key: None,
            site: SiteFilter::Operator,
            shape: ResponseMapping::default(),
            most_hits: 100,
            limits: ServiceLimits::default(),
            answer_cap: ANSWER_CAP,
        }
    }

    /// A SearXNG server, with `json` among the formats it allows. `root` is
    /// where its start page is.
    pub fn searxng(root: &Url) -> Self {
        let template = SearchTemplate::below(root, "search", "q={query}&format=json");
        let shape = ResponseMapping {
            excerpt: "/content".to_owned(),
            total: Some("/number_of_results".to_owned()),
            deaf: Some("/unresponsive_engines".to_owned()),
            ..ResponseMapping::default()
        };
        Self { shape, ..Self::json("SearXNG", template) }
    }

    /// Brave Search; `root` is `https://api.search.brave.com/`.
    pub fn brave(root: &Url) -> Self {
        let parameters = "q={query}&count={limit}";
        let template = SearchTemplate::below(root, "res/v1/web/search", parameters);
        let shape = ResponseMapping {
            results: vec!["/web/results".to_owned()],
            excerpt: "/description".to_owned(),
            total: None,
            // Where nothing is found there is no list, but the query.
            marker: Some("/query".to_owned()),
            text: TextKind::Markup,
            ..ResponseMapping::default()
        };
        let key = Some(header_key("BRAVE_API_KEY", "X-Subscription-Token", ""));
        let manners = paid(Duration::from_millis(1_100));
        Self { key, shape, most_hits: 20, limits: manners, ..Self::json("Brave", template) }
    }

    /// Mojeek; `root` is `https://api.mojeek.com/`.
    pub fn mojeek(root: &Url) -> Self {
        let parameters = "q={query}&site={site}&t={limit}&fmt=json&api_key={key}";
        let template = SearchTemplate::below(root, "search", parameters);
        let shape = ResponseMapping {
            results: vec!["/response/results".to_owned()],
            excerpt: "/desc".to_owned(),
            total: Some("/response/head/results".to_owned()),
            marker: Some("/response/head".to_owned()),
            text: TextKind::Markup,
            ..ResponseMapping::default()
        };
        let variable = "MOJEEK_API_KEY".to_owned();
        let key = Some(ApiKeyConfig { variable, placement: KeyPlace::Address });
        let manners = paid(Duration::from_secs(1));
        Self { key, shape, most_hits: 30, limits: manners, ..Self::json("Mojeek", template) }
    }

    /// Kagi; `root` is `https://kagi.com/`.
    pub fn kagi(root: &Url) -> Self {
        let template = SearchTemplate::below(root, "api/v1/search", "q={query}&limit={limit}");
        let shape = ResponseMapping {
            // The second is where the older version of the service has them.
            results: vec!["/data/search".to_owned(), "/data".to_owned()],
            total: None,
            marker: Some("/data".to_owned()),
            text: TextKind::Markup,
            ..ResponseMapping::default()
        };
        let key = Some(header_key("KAGI_API_KEY", "Authorization", "Bot "));
        let manners = paid(Duration::from_secs(1));
        Self { key, shape, most_hits: 50, limits: manners, ..Self::json("Kagi", template) }
    }
}

fn header_key(variable: &str, name: &str, prefix: &str) -> ApiKeyConfig {
    let place = KeyPlace::Header { name: name.to_owned(), prefix: prefix.to_owned() };
    ApiKeyConfig { variable: variable.to_owned(), placement: place }
}

/// The manners toward an engine that is paid for by the search.
fn paid(interval: Duration) -> ServiceLimits {
    ServiceLimits { interval, daily_budget: PAID_BUDGET, ..ServiceLimits::default() }
}
