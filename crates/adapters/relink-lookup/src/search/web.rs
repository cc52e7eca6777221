//! A search engine on the web, through the gate.

use std::sync::Arc;

use async_trait::async_trait;
use relink_model::{Ending, SearchQuery};
use relink_ports::{Clock, Fetch, Fetched, Ledger, SearchAnswer, SearchEngine, SearchFault, Terms};
use url::Url;

use super::key::{Key, KeyPlace};
use super::reading::Unread;
use super::settings::{SiteRule, WebSearchSettings};
use super::template::Filling;
use super::wording::wording;
use crate::gate::{Gate, RATE_HEADERS, Refusal, place};

/// What should have come.
const EXPECTED: &str = "a list of results";

/// A search engine that is asked over HTTP.
pub struct WebSearch {
    settings: WebSearchSettings,
    key: Option<Key>,
    gate: Gate,
}

impl WebSearch {
    /// An engine that has not been asked yet.
    ///
    /// Its key, where it wants one, is what `environment` says for the
    /// variable in the settings; it is sent to the engine and shown nowhere.
    /// The clock tells the day for the budget and the moments in faults.
    pub fn new(
        settings: WebSearchSettings,
        environment: &dyn Fn(&str) -> Option<String>,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let key = settings.key.as_ref().and_then(|rule| environment(&rule.variable));
        let key = key.as_deref().and_then(Key::new);
        let gate = Gate::new(fetch, clock, settings.manners);
        Self { settings, key, gate }
    }

    /// The engine with its daily budget kept in a ledger, so that a restart
    /// does not begin it anew.
    #[must_use]
    pub fn counting_in(self, ledger: Arc<dyn Ledger>) -> Self {
        let service = format!("search {}", place(self.settings.template.root()));
        Self { gate: self.gate.counting_in(ledger, service), ..self }
    }

    /// The key it wants, or nothing if it wants none.
    fn key(&self) -> Result<Option<&Key>, SearchFault> {
        match (&self.settings.key, &self.key) {
            (None, _) => Ok(None),
            (Some(_), Some(key)) => Ok(Some(key)),
            (Some(rule), None) => {
                let variable = rule.variable.clone();
                Err(SearchFault::NoKey { engine: self.name().to_owned(), variable })
            }
        }
    }

    /// The address to ask, or nothing if there is nothing to look for.
    fn question(&self, query: &SearchQuery, key: Option<&Key>) -> Option<Url> {
        let site = query.site.as_deref().map(host_alone);
        let template = &self.settings.template;
        let is_operator = self.settings.site == SiteRule::Operator && !template.takes_site();
        let words = wording(query, site.as_deref().filter(|_| is_operator));
        let place = self.settings.key.as_ref().map(|rule| &rule.place);
        let filling = Filling {
            query: &words,
            site: site.as_deref(),
            limit: query.limit.clamp(1, self.settings.most_hits),
            key: key.filter(|_| place == Some(&KeyPlace::Address)).map(Key::reveal),
        };
        if words.is_empty() || query.limit == 0 {
            return None;
        }
        template.fill(&filling)
    }

    fn terms(&self, key: Option<&Key>) -> Terms {
        let mut headers = vec![("Accept".to_owned(), "application/json".to_owned())];
        let place = self.settings.key.as_ref().map(|rule| &rule.place);
        if let (Some(KeyPlace::Header { name, prefix }), Some(key)) = (place, key) {
            headers.push((name.clone(), format!("{prefix}{}", key.reveal())));
        }
        let body_cap = Some(self.settings.answer_cap);
        Terms { headers, body_cap, wanted: &RATE_HEADERS, ..Terms::default() }
    }

    fn read(&self, fetched: Fetched, query: &SearchQuery) -> Result<SearchAnswer, SearchFault> {
        let engine = self.name().to_owned();
        let status = match fetched.ending {
            Ending::Answered(status) => status,
            ending => return Err(SearchFault::Unreached { engine, ending }),
        };
        if !(200..=299).contains(&status) {
            return Err(SearchFault::Refused { engine, status });
        }
        let body = fetched.body.unwrap_or_default();
        let read = self.settings.shape.read(&body.bytes, self.name(), query);
        read.map_err(|unread| match unread {
            Unread::Strange => SearchFault::Unreadable { engine, expected: EXPECTED },
            Unread::Deaf => SearchFault::Deaf { engine },
        })
    }

    fn refused(&self, refusal: Refusal) -> SearchFault {
        let engine = self.name().to_owned();
        match refusal {
            Refusal::Later(until) => SearchFault::Later { engine, until },
            Refusal::BudgetSpent(until) => {
                let budget = self.settings.manners.daily_budget;
                SearchFault::BudgetSpent { engine, budget, until }
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
        let words = wording(query, query.site.as_deref().map(host_alone).as_deref());
        Some(format!("{} {place} {mark} {limit} {words}", self.name()))
    }

    async fn search(&self, query: &SearchQuery) -> Result<SearchAnswer, SearchFault> {
        let key = self.key()?;
        let Some(url) = self.question(query, key) else {
            return Ok(SearchAnswer::default());
        };
        let asked = self.gate.ask(&url, true, &self.terms(key)).await;
        let fetched = asked.map_err(|refusal| self.refused(refusal))?;
        self.read(fetched, query)
    }
}
