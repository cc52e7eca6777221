//! Client of OAI-PMH, a protocol for harvesting metadata records. Requests pages of
//! records and retries transient failures.
//!
//! Each page has a token for the next page. A page that fails or cannot be parsed is
//! requested again with the same token, so that no record is lost. `Retry-After` is
//! obeyed up to a limit. A longer pause is returned to the caller, who can resume with
//! the same token later.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use relink_model::{FetchOutcome, RequestRights};
use relink_ports::{
    Body, Fetch, FetchRequest, FetchResult, RecordPage, RecordQuery, RecordSource,
    RecordSourceError, RepositoryInfo, RequestOptions, UserAgent,
};
use tokio::time::sleep;
use url::Url;

use crate::file::read_records;
use crate::oai_response::{OaiResponse, parse};
use crate::xml::decode;

/// Maximum exponent of the backoff.
const MAX_DOUBLINGS: u32 = 6;

/// Limits of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OaiClientSettings {
    /// Maximum size of a page.
    pub max_page_bytes: usize,
    /// Timeout of a request.
    pub timeout: Duration,
    /// Maximum number of retries per page.
    pub retries: u32,
    /// The wait before the first retry. It doubles with each further retry.
    pub retry_delay: Duration,
    /// Maximum pause that the client waits for on request of the provider.
    pub max_pause: Duration,
}

impl Default for OaiClientSettings {
    fn default() -> Self {
        Self {
            max_page_bytes: 64 << 20,
            timeout: Duration::from_mins(2),
            retries: 3,
            retry_delay: Duration::from_secs(2),
            max_pause: Duration::from_mins(2),
        }
    }
}

/// A client of OAI-PMH providers.
pub struct OaiClient {
    fetch: Arc<dyn Fetch>,
    settings: OaiClientSettings,
}

/// The consequence of a failed request.
enum Failure {
    /// Wait and request the page again.
    Retry(Duration, RecordSourceError),
    /// Give up.
    Final(RecordSourceError),
}

impl OaiClient {
    /// Creates a client.
    pub fn new(fetch: Arc<dyn Fetch>, settings: OaiClientSettings) -> Self {
        Self { fetch, settings }
    }

    /// Requests a page until it can be parsed or the retries are used up.
    async fn request(
        &self,
        url: &Url,
        fields: &[String],
    ) -> Result<OaiResponse, RecordSourceError> {
        let mut attempt = 0;
        loop {
            let result = self.fetch.fetch(self.fetch_request(url)).await;
            match self.parse_result(url, &result, fields, attempt) {
                Ok(response) => return Ok(response),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Retry(_, error)) if attempt >= self.settings.retries => {
                    return Err(error);
                }
                Err(Failure::Retry(wait, _)) => sleep(wait).await,
            }
            attempt += 1;
        }
    }

    fn fetch_request(&self, url: &Url) -> FetchRequest {
        FetchRequest {
            url: url.clone(),
            rights: RequestRights::configured_service(),
            user_agent: UserAgent::Relink,
            options: RequestOptions {
                max_body_bytes: Some(self.settings.max_page_bytes),
                timeout: Some(self.settings.timeout),
                ..RequestOptions::default()
            },
        }
    }

    /// Parses the result of a fetch. If the request failed, returns whether to retry.
    fn parse_result(
        &self,
        url: &Url,
        result: &FetchResult,
        fields: &[String],
        attempt: u32,
    ) -> Result<OaiResponse, Failure> {
        let name = url_name(url);
        let backoff = self.settings.retry_delay.saturating_mul(1 << attempt.min(MAX_DOUBLINGS));
        let FetchOutcome::Response(status) = result.outcome else {
            let outcome = result.outcome.clone();
            return Err(Failure::Retry(
                backoff,
                RecordSourceError::Unreachable { url: name, outcome },
            ));
        };
        match (status, &result.body) {
            (200, Some(body)) => self.parse_body(&name, body, fields, backoff),
            (429 | 503, _) => Err(self.pause(name, result.retry_after, backoff)),
            (500.., _) => Err(Failure::Retry(backoff, unreachable(name, status))),
            _ => Err(Failure::Final(unreachable(name, status))),
        }
    }

    /// Parses the body of a response.
    fn parse_body(
        &self,
        name: &str,
        body: &Body,
        fields: &[String],
        backoff: Duration,
    ) -> Result<OaiResponse, Failure> {
        if body.is_truncated {
            let limit = format!("{} MiB per page", self.settings.max_page_bytes >> 20);
            let source_name = name.to_owned();
            return Err(Failure::Final(RecordSourceError::TooLarge { source_name, limit }));
        }
        let text = decode(&body.bytes, charset(body));
        // A page that was cut off can be complete on the next attempt.
        let response =
            parse(name, &text, fields).map_err(|error| Failure::Retry(backoff, error))?;
        if response.root != "OAI-PMH" {
            return Err(Failure::Final(RecordSourceError::Malformed {
                source_name: name.to_owned(),
                line: 1,
                column: 1,
                record: None,
                reason: "the response is not OAI-PMH".to_owned(),
            }));
        }
        check_errors(name, response)
    }

    /// Returns the consequence of a response with which the provider requests a pause.
    fn pause(&self, url: String, retry_after: Option<u64>, backoff: Duration) -> Failure {
        let wait = retry_after.map_or(backoff, Duration::from_secs);
        let error = RecordSourceError::Busy { url, seconds: wait.as_secs() };
        if wait > self.settings.max_pause {
            Failure::Final(error)
        } else {
            Failure::Retry(wait, error)
        }
    }
}

fn unreachable(url: String, status: u16) -> RecordSourceError {
    RecordSourceError::Unreachable { url, outcome: FetchOutcome::Response(status) }
}

/// Fails if the response contains an error of the protocol. A list without records is not an
/// error.
fn check_errors(name: &str, response: OaiResponse) -> Result<OaiResponse, Failure> {
    let Some((code, message)) = response.errors.first().cloned() else { return Ok(response) };
    let url = name.to_owned();
    match code.as_str() {
        "noRecordsMatch" => Ok(response),
        "badResumptionToken" => Err(Failure::Final(RecordSourceError::InvalidToken { url })),
        _ => Err(Failure::Final(RecordSourceError::Refused { url, code, message })),
    }
}

/// Returns the URL without its query, which may contain a long token.
fn url_name(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    // Ignore the errors: these calls fail only for URLs that cannot have a user and
    // password.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

/// Returns the charset in the content type of a body.
fn charset(body: &Body) -> Option<&str> {
    let content_type = body.content_type.as_deref()?;
    let (_, charset) = content_type.split_once("charset=")?;
    charset.split(';').next().map(|charset| charset.trim().trim_matches('"'))
}

/// Returns the URL of a page of records. A token excludes all other arguments.
fn list_url(query: &RecordQuery) -> Url {
    let mut url = query.base_url.clone();
    let mut arguments = url.query_pairs_mut();
    arguments.append_pair("verb", "ListRecords");
    if let Some(token) = &query.token {
        arguments.append_pair("resumptionToken", token);
    } else {
        arguments.append_pair("metadataPrefix", &query.metadata_prefix);
        for (name, value) in [("set", &query.set), ("from", &query.from)] {
            if let Some(value) = value {
                arguments.append_pair(name, value);
            }
        }
    }
    drop(arguments);
    url
}

#[async_trait]
impl RecordSource for OaiClient {
    async fn identify(&self, base_url: &Url) -> Result<RepositoryInfo, RecordSourceError> {
        let mut url = base_url.clone();
        url.query_pairs_mut().append_pair("verb", "Identify");
        Ok(self.request(&url, &[]).await?.info)
    }

    async fn records(&self, query: &RecordQuery) -> Result<RecordPage, RecordSourceError> {
        Ok(self.request(&list_url(query), &query.location_fields).await?.page)
    }

    fn file_records(
        &self,
        name: &str,
        bytes: &[u8],
        location_fields: &[String],
    ) -> Result<RecordPage, RecordSourceError> {
        read_records(name, bytes, location_fields)
    }
}

#[cfg(test)]
mod tests;
