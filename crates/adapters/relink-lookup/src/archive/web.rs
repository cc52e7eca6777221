//! An archive on the web, through the gate.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Capture, FetchOutcome, Snapshot};
use relink_ports::{
    Archive, ArchiveError, BudgetStore, CaptureList, CaptureOrder, CaptureQuery, CaptureScope,
    Clock, Fetch, FetchResult, Replay, RequestOptions,
};
use url::Url;

use super::settings::WebArchiveSettings;
use crate::service_client::{ServiceClient, ServiceRefusal, place};

/// The headers of an archive's answers that say what they are: the time of the
/// copy (RFC 7089), and of the Internet Archive where a redirect had led
/// before it was rewritten.
const TELLING: [&str; 2] = ["memento-datetime", "x-archive-orig-location"];

/// An archive that is asked over HTTP.
pub struct WebArchive {
    pub(super) settings: WebArchiveSettings,
    gate: ServiceClient,
}

impl WebArchive {
    /// An archive that has not been asked yet. The clock tells the day for the
    /// budget and the moments in errors.
    pub fn new(settings: WebArchiveSettings, fetch: Arc<dyn Fetch>, clock: Arc<dyn Clock>) -> Self {
        let gate = ServiceClient::new(fetch, clock, settings.limits);
        Self { settings, gate }
    }

    /// The archive with its daily budget kept in a ledger, so that a restart
    /// does not begin it anew.
    #[must_use]
    pub fn with_budget_store(self, ledger: Arc<dyn BudgetStore>) -> Self {
        let service = format!("archive {}", self.place());
        Self { gate: self.gate.with_budget_store(ledger, service), ..self }
    }

    /// Where it is: the budget is one server's, however it is called.
    fn place(&self) -> String {
        let settings = &self.settings;
        let index = settings.cdx.as_ref().map(|(_, url)| url);
        let url = index.or(settings.timemap.as_ref()).or(settings.replay.as_ref());
        url.map_or_else(|| settings.name.clone(), place)
    }

    /// Asks for a URL, within the caps, and is answered by some status.
    pub(super) async fn ask(
        &self,
        url: &Url,
        terms: RequestOptions,
    ) -> Result<FetchResult, ArchiveError> {
        let terms = RequestOptions { wanted: &TELLING, ..terms };
        let asked = self.gate.ask(url, self.is_ours(url), &terms).await;
        let fetched = asked.map_err(|refusal| self.refused(refusal))?;
        match fetched.outcome {
            FetchOutcome::Response(_) => Ok(fetched),
            ending => {
                Err(ArchiveError::Unreachable { archive: self.name().to_owned(), outcome: ending })
            }
        }
    }

    /// Whether a URL is at a place the settings name. Only such a one may be
    /// at a private address.
    fn is_ours(&self, url: &Url) -> bool {
        let settings = &self.settings;
        let places = [&settings.timemap, &settings.timegate, &settings.replay];
        let places = places.into_iter().flatten().chain(settings.cdx.iter().map(|(_, url)| url));
        let place = |url: &Url| (url.host_str().map(str::to_owned), url.port_or_known_default());
        places.into_iter().any(|it| place(it) == place(url))
    }

    fn refused(&self, refusal: ServiceRefusal) -> ArchiveError {
        let archive = self.name().to_owned();
        match refusal {
            ServiceRefusal::Later(until) => ArchiveError::RateLimited { archive, until },
            ServiceRefusal::BudgetSpent(until) => {
                let budget = self.settings.limits.daily_budget;
                ArchiveError::BudgetExhausted { archive, budget, until }
            }
        }
    }

    /// The error of an answer that is not what was asked for.
    pub(super) fn unreadable(&self, expected: &'static str) -> ArchiveError {
        ArchiveError::InvalidResponse { archive: self.name().to_owned(), expected }
    }

    /// The error of an answer that only says no.
    pub(super) fn refusal(&self, status: u16) -> ArchiveError {
        ArchiveError::Refused { archive: self.name().to_owned(), status }
    }

    /// The error of a question that this archive has no way to answer.
    pub(super) fn unsupported(&self, what: &'static str) -> ArchiveError {
        ArchiveError::Unsupported { archive: self.name().to_owned(), what }
    }
}

#[async_trait]
impl Archive for WebArchive {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn requests(&self) -> u64 {
        self.gate.requests()
    }

    async fn captures(&self, query: &CaptureQuery) -> Result<CaptureList, ArchiveError> {
        let list = match (&self.settings.cdx, &self.settings.timemap) {
            (Some((dialect, endpoint)), _) => self.list_index(*dialect, endpoint, query).await?,
            (None, Some(_)) if query.scope == CaptureScope::Prefix => {
                return Err(self.unsupported("the captures of a directory"));
            }
            (None, Some(timemap)) => self.list_timemap(timemap, query).await?,
            (None, None) => return Err(self.unsupported("captures")),
        };
        Ok(list.finish(query))
    }

    async fn replay(&self, capture: &Capture) -> Result<Option<Replay>, ArchiveError> {
        self.replay_raw(capture).await
    }

    async fn nearest(&self, url: &Url, when: Timestamp) -> Result<Option<Snapshot>, ArchiveError> {
        if let (None, Some(timegate)) = (&self.settings.cdx, &self.settings.timegate) {
            return self.negotiate(timegate, url, when).await;
        }
        let order = CaptureOrder::Nearest(when);
        let query = CaptureQuery { order, limit: 1, ..CaptureQuery::new(url.clone()) };
        let list = self.captures(&query).await?;
        Ok(list.captures.first().and_then(Capture::snapshot))
    }
}
