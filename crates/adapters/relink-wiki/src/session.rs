//! One session of the API: cookies, tokens, and retries of requests that the wiki did not
//! process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use relink_model::{FetchOutcome, RequestRights};
use relink_ports::{
    Fetch, FetchRequest, FetchResult, RequestBody, RequestOptions, UserAgent, WikiError,
};
use serde_json::Value;
use tokio::time::sleep;
use url::Url;
use url::form_urlencoded::Serializer;

use crate::media_wiki::{MediaWikiSettings, WikiLogin};

/// Maximum size of a response. The API itself limits the content to 8 MiB.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// Codes of the API for requests that were not processed and can be repeated later.
const BUSY_CODES: [&str; 4] = ["maxlag", "ratelimited", "readonly", "actionthrottledtext"];

/// Maximum exponent of the backoff.
const MAX_DOUBLINGS: u32 = 6;

/// Parameters of a request.
pub(crate) type Parameters<'a> = Vec<(&'a str, String)>;

/// The HTTP method. A request whose result is unknown is repeated only with
/// [`Self::Get`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// Reads only.
    Get,
    /// Changes the wiki, or contains secrets.
    Post,
}

/// The session. Requests are sent one after the other.
pub(crate) struct Session {
    fetch: Arc<dyn Fetch>,
    settings: MediaWikiSettings,
    cookies: BTreeMap<String, String>,
    /// The token for edits.
    pub(crate) edit_token: Option<String>,
    /// The assertion of edits: `user` or `bot`.
    pub(crate) assertion: Option<&'static str>,
}

/// What to do after a response.
enum NextStep {
    /// The JSON of the response.
    Content(Value),
    /// Wait and repeat the request. If all retries are used up, return the error.
    Wait(Duration, WikiError),
    /// The request has failed.
    Failed(WikiError),
}

impl Session {
    pub(crate) fn new(fetch: Arc<dyn Fetch>, settings: MediaWikiSettings) -> Self {
        let (cookies, edit_token, assertion) = Default::default();
        Self { fetch, settings, cookies, edit_token, assertion }
    }

    /// Sends a request and returns the JSON of the response. Waits and repeats the
    /// request if the wiki is overloaded.
    pub(crate) async fn request(
        &mut self,
        method: Method,
        parameters: &Parameters<'_>,
    ) -> Result<Value, WikiError> {
        let mut attempt = 0;
        loop {
            let result = self.fetch.fetch(self.fetch_request(method, parameters)).await;
            self.store_cookies(&result);
            match self.next_step(method, &result, attempt) {
                NextStep::Content(content) => return Ok(content),
                NextStep::Failed(error) => return Err(error),
                NextStep::Wait(_, error) if attempt >= self.settings.retries => return Err(error),
                NextStep::Wait(duration, _) => sleep(duration).await,
            }
            attempt += 1;
        }
    }

    fn fetch_request(&self, method: Method, parameters: &Parameters<'_>) -> FetchRequest {
        let mut url = self.settings.api_url.clone();
        let form = self.form(parameters);
        let body = match method {
            Method::Get => {
                url.set_query(Some(&form));
                None
            }
            Method::Post => Some(RequestBody {
                content_type: "application/x-www-form-urlencoded",
                bytes: Bytes::from(form),
            }),
        };
        FetchRequest {
            url,
            rights: RequestRights::configured_service(),
            user_agent: UserAgent::Relink,
            options: RequestOptions {
                headers: self.headers(),
                response_headers: &["set-cookie"],
                max_body_bytes: Some(MAX_RESPONSE_BYTES),
                timeout: Some(self.settings.timeout),
                body,
                ..RequestOptions::default()
            },
        }
    }

    /// Encodes the parameters of a request and the parameters that all requests have.
    fn form(&self, parameters: &Parameters<'_>) -> String {
        let mut form = Serializer::new(String::new());
        form.append_pair("format", "json").append_pair("formatversion", "2");
        form.append_pair("maxlag", &self.settings.max_lag.to_string());
        form.extend_pairs(parameters);
        form.finish()
    }

    /// Returns the headers with the cookies and the access token.
    fn headers(&self) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        if !self.cookies.is_empty() {
            let pairs: Vec<String> =
                self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            headers.push(("cookie".to_owned(), pairs.join("; ")));
        }
        if let Some(WikiLogin::Token(token)) = &self.settings.login {
            headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        }
        headers
    }

    /// Stores the cookies of a response. A cookie with an empty value or `deleted` is
    /// removed.
    fn store_cookies(&mut self, result: &FetchResult) {
        let cookies = result.headers.iter().filter(|(name, _)| name == "set-cookie");
        for (_, cookie) in cookies {
            let pair = cookie.split(';').next().unwrap_or_default();
            let Some((name, value)) = pair.split_once('=') else { continue };
            if value.is_empty() || value == "deleted" {
                self.cookies.remove(name.trim());
            } else {
                self.cookies.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
    }

    /// Removes the cookies of the login and all tokens.
    pub(crate) fn reset(&mut self) {
        self.cookies.clear();
        self.edit_token = None;
        self.assertion = None;
    }

    /// Returns what to do after the result of a request.
    fn next_step(&self, method: Method, result: &FetchResult, attempt: u32) -> NextStep {
        let backoff = self.settings.retry_delay.saturating_mul(1 << attempt.min(MAX_DOUBLINGS));
        let pause = result.retry_after.map_or(backoff, Duration::from_secs);
        let pause = pause.min(self.settings.max_pause);
        let status = match &result.outcome {
            FetchOutcome::Response(status) => *status,
            outcome => {
                let error = WikiError::Unreachable { outcome: outcome.clone() };
                return match method {
                    Method::Get => NextStep::Wait(pause, error),
                    Method::Post => NextStep::Failed(error),
                };
            }
        };
        let body = result.body.as_ref().map(|body| &*body.bytes).unwrap_or_default();
        let content = serde_json::from_slice::<Value>(body).ok().filter(Value::is_object);
        if let Some(error) = content.as_ref().and_then(|content| content.get("error")) {
            return after_api_error(error, pause);
        }
        match (status, content) {
            (200..=299, Some(content)) => NextStep::Content(content),
            (429 | 503, _) => NextStep::Wait(pause, busy(&status.to_string(), "overloaded")),
            (500.., _) if method == Method::Get => {
                NextStep::Wait(pause, unreachable(FetchOutcome::Response(status)))
            }
            (200..=299, None) => NextStep::Failed(WikiError::InvalidResponse { expected: "JSON" }),
            _ => NextStep::Failed(unreachable(FetchOutcome::Response(status))),
        }
    }
}

fn unreachable(outcome: FetchOutcome) -> WikiError {
    WikiError::Unreachable { outcome }
}

fn busy(code: &str, message: &str) -> WikiError {
    WikiError::Busy { code: code.to_owned(), message: message.to_owned() }
}

/// Returns what to do after an error of the API. If the replication lag exceeds `maxlag`, the
/// wiki states the pause in `Retry-After`.
fn after_api_error(error: &Value, pause: Duration) -> NextStep {
    let text = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (code, message) = (text("code"), text("info"));
    if BUSY_CODES.contains(&code.as_str()) {
        return NextStep::Wait(pause, WikiError::Busy { code, message });
    }
    NextStep::Failed(WikiError::Rejected { code, message })
}

/// Whether a URL can be the endpoint of an API.
pub(crate) fn is_api_url(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.host().is_some()
}
