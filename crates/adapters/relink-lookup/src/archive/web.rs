//! Client of a remote web archive. A capture is an archived response. To replay it is to
//! read it.

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
use crate::service_client::{ServiceClient, ServiceRefusal, host_and_port};

/// Headers that describe a capture: its time (RFC 7089) and, at the Internet
/// Archive, the redirect target before rewriting.
const RESPONSE_HEADERS: [&str; 2] = ["memento-datetime", "x-archive-orig-location"];

/// A web archive that is queried over HTTP.
pub struct WebArchive {
    pub(super) settings: WebArchiveSettings,
    client: ServiceClient,
}

impl WebArchive {
    /// Creates an archive client. The clock determines the day of the budget
    /// and the times in errors.
    pub fn new(settings: WebArchiveSettings, fetch: Arc<dyn Fetch>, clock: Arc<dyn Clock>) -> Self {
        let client = ServiceClient::new(fetch, clock, settings.limits);
        Self { settings, client }
    }

    /// Stores the daily budget in `store`, so that all processes share it.
    #[must_use]
    pub fn with_budget_store(self, store: Arc<dyn BudgetStore>) -> Self {
        let service = format!("archive {}", self.server());
        Self { client: self.client.with_budget_store(store, service), ..self }
    }

    /// Returns the host and port of the server. They identify the daily budget, because
    /// the display name may change.
    fn server(&self) -> String {
        let settings = &self.settings;
        let index = settings.cdx.as_ref().map(|(_, url)| url);
        let url = index.or(settings.timemap.as_ref()).or(settings.replay.as_ref());
        url.map_or_else(|| settings.name.clone(), host_and_port)
    }

    /// Fetches a URL. Fails unless there is a response.
    pub(super) async fn fetch(
        &self,
        url: &Url,
        options: RequestOptions,
    ) -> Result<FetchResult, ArchiveError> {
        let options = RequestOptions { response_headers: &RESPONSE_HEADERS, ..options };
        let result = self.client.fetch(url, self.is_configured(url), &options).await;
        let result = result.map_err(|refusal| self.service_error(refusal))?;
        match result.outcome {
            FetchOutcome::Response(_) => Ok(result),
            outcome => Err(ArchiveError::Unreachable { archive: self.name().to_owned(), outcome }),
        }
    }

    /// Whether the settings contain the host and port of a URL. Only such URLs
    /// may resolve to private addresses.
    fn is_configured(&self, url: &Url) -> bool {
        let settings = &self.settings;
        let prefixes = [&settings.timemap, &settings.timegate, &settings.replay];
        let prefixes =
            prefixes.into_iter().flatten().chain(settings.cdx.iter().map(|(_, url)| url));
        let server = |url: &Url| (url.host_str().map(str::to_owned), url.port_or_known_default());
        prefixes.into_iter().any(|prefix| server(prefix) == server(url))
    }

    /// Converts a refusal of the service client.
    fn service_error(&self, refusal: ServiceRefusal) -> ArchiveError {
        let archive = self.name().to_owned();
        match refusal {
            ServiceRefusal::RateLimited(until) => ArchiveError::RateLimited { archive, until },
            ServiceRefusal::BudgetExhausted(until) => {
                let budget = self.settings.limits.daily_budget;
                ArchiveError::BudgetExhausted { archive, budget, until }
            }
        }
    }

    /// Returns the error of a response in an unexpected format.
    pub(super) fn invalid_response(&self, expected: &'static str) -> ArchiveError {
        ArchiveError::InvalidResponse { archive: self.name().to_owned(), expected }
    }

    /// Returns the error of a response with an error status.
    pub(super) fn refused(&self, status: u16) -> ArchiveError {
        ArchiveError::Refused { archive: self.name().to_owned(), status }
    }

    /// Returns the error of a query that this archive does not support.
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
        self.client.requests()
    }

    async fn captures(&self, query: &CaptureQuery) -> Result<CaptureList, ArchiveError> {
        let list = match (&self.settings.cdx, &self.settings.timemap) {
            (Some((dialect, endpoint)), _) => self.list_cdx(*dialect, endpoint, query).await?,
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
