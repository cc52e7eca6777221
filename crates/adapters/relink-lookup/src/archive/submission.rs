//! Clients of archives that save pages on request: Save Page Now 2 of the Internet
//! Archive, and pywb in record mode.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use relink_model::FetchOutcome;
use relink_ports::{
    ArchiveError, ArchiveJobState, ArchiveSubmission, Clock, Fetch, FetchResult, RequestBody,
    RequestOptions,
};
use serde_json::Value;
use url::Url;
use url::form_urlencoded::Serializer;

use super::timestamp;
use crate::service_client::{ServiceClient, ServiceLimits, ServiceRefusal};

/// The settings contain the hosts of the archives, so requests to them have the rights of
/// configured services, such as access to private addresses.
const IS_CONFIGURED: bool = true;

/// Minimum time between two requests to Save Page Now, which accepts 15 per minute.
const SAVE_INTERVAL: Duration = Duration::from_secs(4);

/// Maximum size of a response.
const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// Settings of Save Page Now 2.
#[derive(Clone, PartialEq, Eq)]
pub struct SavePageNowSettings {
    /// The root of the archive, such as `https://web.archive.org/`.
    pub root: Url,
    /// The access key and the secret key, separated by a colon.
    pub key: Option<String>,
    /// Rate limit, daily number of requests and timeout. If the service requires a pause
    /// of at most the maximum wait, the request waits. Otherwise, the request fails.
    pub limits: ServiceLimits,
}

impl SavePageNowSettings {
    /// Returns the settings of an archive with the limits of the Internet Archive.
    pub fn new(root: Url, key: Option<String>) -> Self {
        let limits = ServiceLimits {
            interval: SAVE_INTERVAL,
            // The service counts requests per minute, so longer pauses have another cause.
            max_wait: Duration::from_mins(2),
            timeout: Duration::from_mins(2),
            ..ServiceLimits::default()
        };
        Self { root, key, limits }
    }
}

impl fmt::Debug for SavePageNowSettings {
    /// Omits the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SavePageNowSettings({})", self.root)
    }
}

/// A client of Save Page Now 2.
pub struct SavePageNow {
    settings: SavePageNowSettings,
    client: ServiceClient,
}

impl SavePageNow {
    /// Creates a client.
    pub fn new(
        settings: SavePageNowSettings,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let client = ServiceClient::new(fetch, clock, settings.limits);
        Self { settings, client }
    }

    /// Returns the URL of a path of the service.
    fn url(&self, path: &str) -> Url {
        let mut url = self.settings.root.clone();
        url.set_path(&format!("{}/{path}", url.path().trim_end_matches('/')));
        url.set_query(None);
        url.set_fragment(None);
        url
    }

    /// Returns the options of a request, with the key of the account.
    fn options(&self, body: Option<RequestBody>) -> RequestOptions {
        let mut headers = vec![("accept".to_owned(), "application/json".to_owned())];
        if let Some(key) = &self.settings.key {
            // `LOW` is the authentication scheme of the keys of the Internet Archive.
            headers.push(("authorization".to_owned(), format!("LOW {key}")));
        }
        RequestOptions {
            headers,
            max_body_bytes: Some(MAX_RESPONSE_BYTES),
            body,
            ..RequestOptions::default()
        }
    }

    /// Sends a request and reads the state of its job.
    async fn request(
        &self,
        path: &str,
        body: Option<RequestBody>,
    ) -> Result<ArchiveJobState, ArchiveError> {
        let result = self.client.fetch(&self.url(path), IS_CONFIGURED, &self.options(body)).await;
        let result = result.map_err(|refusal| self.service_error(refusal))?;
        let archive = || self.name().to_owned();
        let status = match &result.outcome {
            FetchOutcome::Response(status) => *status,
            outcome => {
                let outcome = outcome.clone();
                return Err(ArchiveError::Unreachable { archive: archive(), outcome });
            }
        };
        let body = result.body.as_ref().map(|body| &*body.bytes).unwrap_or_default();
        match (status, serde_json::from_slice::<Value>(body)) {
            // A response with an error status may describe the error in JSON.
            (_, Ok(content)) if content.is_object() => Ok(self.state(&content)),
            (200..=299, _) => {
                Err(ArchiveError::InvalidResponse { archive: archive(), expected: "JSON" })
            }
            _ => Err(ArchiveError::Refused { archive: archive(), status }),
        }
    }

    /// Reads the state of a job from a response.
    fn state(&self, content: &Value) -> ArchiveJobState {
        let text = |key: &str| content.get(key).and_then(Value::as_str);
        match (text("status"), text("job_id")) {
            (Some("success"), _) => {
                let (time, original) = (text("timestamp"), text("original_url"));
                let replay_url = replay_url(&self.url("web/"), time, original);
                ArchiveJobState::Saved { captured_at: time.and_then(timestamp::parse), replay_url }
            }
            (Some("pending") | None, Some(job)) => ArchiveJobState::Pending { job: job.to_owned() },
            _ => {
                let reason = text("message").or(text("status_ext")).unwrap_or("no reason given");
                ArchiveJobState::Failed(reason.to_owned())
            }
        }
    }

    /// Converts a refusal of the service client into an error of this archive.
    fn service_error(&self, refusal: ServiceRefusal) -> ArchiveError {
        refusal_error(self.name(), self.settings.limits, refusal)
    }
}

/// Returns the error of an archive that refused a request, or whose daily budget of
/// requests is used up.
fn refusal_error(archive: &str, limits: ServiceLimits, refusal: ServiceRefusal) -> ArchiveError {
    let archive = archive.to_owned();
    match refusal {
        ServiceRefusal::RateLimited(until) => ArchiveError::RateLimited { archive, until },
        ServiceRefusal::BudgetExhausted(until) => {
            ArchiveError::BudgetExhausted { archive, budget: limits.daily_budget, until }
        }
    }
}

/// Returns the URL of a copy. `root` is the common prefix of all copies and ends with a
/// slash. Returns `None` if the response lacks the time or the URL of the copy.
fn replay_url(root: &Url, time: Option<&str>, original: Option<&str>) -> Option<Url> {
    let time = time.filter(|time| timestamp::parse(time).is_some())?;
    root.join(&format!("{time}/{}", original?)).ok()
}

/// Returns the form that requests a capture of a page.
fn save_form(url: &Url) -> RequestBody {
    let mut form = Serializer::new(String::new());
    // Without this parameter, the service also determines whether this is the first copy
    // of the page, which takes time.
    form.append_pair("url", url.as_str()).append_pair("skip_first_archive", "1");
    let content_type = "application/x-www-form-urlencoded";
    RequestBody { content_type, bytes: Bytes::from(form.finish()) }
}

#[async_trait]
impl ArchiveSubmission for SavePageNow {
    fn name(&self) -> &'static str {
        "Save Page Now"
    }

    async fn submit(&self, url: &Url) -> Result<ArchiveJobState, ArchiveError> {
        self.request("save", Some(save_form(url))).await
    }

    async fn poll(&self, job: &str) -> Result<ArchiveJobState, ArchiveError> {
        self.request(&format!("save/status/{job}"), None).await
    }
}

/// A pywb collection that records the pages it loads.
pub struct PywbRecorder {
    collection: Url,
    limits: ServiceLimits,
    clock: Arc<dyn Clock>,
    client: ServiceClient,
}

impl PywbRecorder {
    /// Creates a client of a collection, such as `http://127.0.0.1:8080/pages/`.
    pub fn new(
        collection: Url,
        limits: ServiceLimits,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let client = ServiceClient::new(fetch, Arc::clone(&clock), limits);
        Self { collection, limits, clock, client }
    }

    /// Returns the result of a recording.
    fn state(&self, result: &FetchResult) -> ArchiveJobState {
        match result.outcome {
            FetchOutcome::Response(200..=399) => {
                ArchiveJobState::Saved { captured_at: Some(self.clock.now()), replay_url: None }
            }
            ref outcome => ArchiveJobState::Failed(outcome.to_string()),
        }
    }
}

#[async_trait]
impl ArchiveSubmission for PywbRecorder {
    fn name(&self) -> &'static str {
        "pywb"
    }

    async fn submit(&self, url: &Url) -> Result<ArchiveJobState, ArchiveError> {
        let root = self.collection.as_str().trim_end_matches('/');
        // `id_` requests the page as it is, without the changes of a replay.
        let Ok(record) = Url::parse(&format!("{root}/record/id_/{url}")) else {
            let reason = "the URL cannot be appended to the URL of the collection";
            return Ok(ArchiveJobState::Failed(reason.to_owned()));
        };
        let options = RequestOptions {
            redirects: relink_ports::RedirectMode::Report,
            max_body_bytes: Some(MAX_RESPONSE_BYTES),
            ..RequestOptions::default()
        };
        let result = self.client.fetch(&record, IS_CONFIGURED, &options).await;
        let result = result.map_err(|refusal| refusal_error(self.name(), self.limits, refusal))?;
        Ok(self.state(&result))
    }

    async fn poll(&self, _job: &str) -> Result<ArchiveJobState, ArchiveError> {
        Ok(ArchiveJobState::Failed("pywb has no jobs".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    /// Checks the replay URL of a copy with this time and original URL.
    #[track_caller]
    fn check_replay(time: Option<&str>, original: Option<&str>, expect: Option<&str>) {
        let root = Url::parse("https://archive.test/web/").unwrap();
        let url = replay_url(&root, time, original);
        assert_eq!(url.as_ref().map(Url::as_str), expect, "{time:?} {original:?}");
    }

    #[test]
    fn replay_url_needs_the_time_and_the_original_url() {
        let (time, page) = (Some("20261118220000"), Some("http://a.test/b?c"));
        let expect = "https://archive.test/web/20261118220000/http://a.test/b?c";
        check_replay(time, page, Some(expect));
        check_replay(None, page, None);
        check_replay(Some(""), page, None);
        check_replay(Some("/"), page, None);
        check_replay(time, None, None);
    }

    #[test]
    fn exhausted_budget_is_not_reported_as_a_rate_limit() {
        let limits = ServiceLimits { daily_budget: 7, ..ServiceLimits::default() };
        let until = Timestamp::UNIX_EPOCH;
        let budget = refusal_error("pywb", limits, ServiceRefusal::BudgetExhausted(until));
        assert!(matches!(budget, ArchiveError::BudgetExhausted { budget: 7, .. }), "{budget}");
        let rate = refusal_error("pywb", limits, ServiceRefusal::RateLimited(until));
        assert!(matches!(rate, ArchiveError::RateLimited { .. }), "{rate}");
    }
}
