//! Probes a page: fetches it, follows client-side redirects, and computes the digest of
//! the body.
//!
//! A *probe* is everything observed in one fetch. A *hop* is one request of the redirect
//! chain. A *digest* is a compact summary of a page: title, headings, a sketch of the
//! text. A *client-side redirect* is a meta refresh or a script that loads another page.

use jiff::Timestamp;
use relink_frontier::canonicalize;
use relink_model::{
    Attempt, FetchOutcome, FetchPurpose, History, Hop, InvalidRedirect, Probe, RequestRights,
    ResponseVersion, Timings, Verdict, is_same_host_and_port, redact_stored_url, without_userinfo,
};
use relink_ports::{Body, Clock, Fetch, FetchRequest, FetchResult, RequestOptions, UserAgent};
use url::{Position, Url};

use crate::isolation::{internal_error_probe, isolate_async};

/// Maximum number of client-side redirects that one probe follows.
const MAX_CLIENT_REDIRECTS: usize = 3;

/// Response headers that identify the version of a page.
const VERSION_HEADERS: [&str; 3] = ["last-modified", "etag", "date"];

/// Status of a response to a conditional request for an unchanged page.
const NOT_MODIFIED: u16 = 304;

/// A URL to probe.
#[derive(Debug, Clone)]
pub struct ProbeRequest<'a> {
    /// The URL.
    pub url: &'a Url,
    /// Permissions of the request.
    pub rights: RequestRights,
    /// The User-Agent to send.
    pub agent: UserAgent,
    /// Further options.
    pub options: RequestOptions,
    /// The known version of the page, if the content is needed only if it has
    /// changed.
    pub known: Option<&'a History>,
}

impl<'a> ProbeRequest<'a> {
    /// Creates a request with default options.
    pub fn new(url: &'a Url, rights: RequestRights, agent: UserAgent) -> Self {
        Self { url, rights, agent, options: RequestOptions::default(), known: None }
    }
}

/// Returns the User-Agent for an attempt. A missing page is confirmed with the
/// browser-compatible User-Agent, because a page that exists for one User-Agent is not
/// missing. After the native User-Agent was rejected, only the other one is used.
pub fn agent_for(purpose: FetchPurpose, attempts: &[Attempt]) -> UserAgent {
    let was_rejected =
        attempts.iter().any(|attempt| attempt.purpose == FetchPurpose::AlternateUserAgent);
    match purpose {
        _ if was_rejected => UserAgent::BrowserCompatible,
        FetchPurpose::Initial | FetchPurpose::Retry => UserAgent::Relink,
        FetchPurpose::Confirmation | FetchPurpose::AlternateUserAgent => {
            UserAgent::BrowserCompatible
        }
    }
}

/// Returns the current time in whole milliseconds, the precision of the store.
/// A result is then equal before and after it is stored.
pub fn current_time(clock: &dyn Clock) -> Timestamp {
    let now = clock.now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

/// Probes a page. Returns the body separately from the probe.
///
/// A client-side redirect is followed like an HTTP redirect and becomes a hop. A panic
/// results in [`FetchOutcome::InternalError`].
pub async fn probe_url(
    fetch: &dyn Fetch,
    clock: &dyn Clock,
    request: ProbeRequest<'_>,
) -> (Probe, Option<Body>) {
    let (requested_at, url) = (current_time(clock), request.url);
    let result =
        isolate_async(url.as_str(), probe_with_client_redirects(fetch, request, requested_at))
            .await;
    result.unwrap_or_else(|_| (internal_error_probe(requested_at), None))
}

async fn probe_with_client_redirects(
    fetch: &dyn Fetch,
    request: ProbeRequest<'_>,
    requested_at: Timestamp,
) -> (Probe, Option<Body>) {
    let (mut probe, mut body) = send_request(fetch, request.clone(), requested_at).await;
    for _ in 0..MAX_CLIENT_REDIRECTS {
        let Some(url) = redirect_target(&probe) else { break };
        let rights = request.rights.inherit(request.url, &url);
        let next = ProbeRequest { url: &url, rights, known: None, ..request.clone() };
        if request.options.redirect_filter.as_ref().is_some_and(|filter| !filter.allows(&url)) {
            break;
        }
        if is_same_host_and_port(&url, request.url) && !request.options.redirect_delay.is_zero() {
            tokio::time::sleep(request.options.redirect_delay).await;
        }
        let (redirect_probe, redirect_body) = send_request(fetch, next, requested_at).await;
        probe = join_probes(probe, redirect_probe, &url);
        body = redirect_body;
    }
    (probe, body)
}

/// Returns the URL of the last response, without the fragment.
pub fn final_url(probe: &Probe) -> Option<Url> {
    let mut url = Url::parse(&probe.hops.last()?.url).ok()?;
    url.set_fragment(None);
    Some(url)
}

/// A stored URL to probe. It was canonical when it was stored.
pub struct StoredUrlRequest<'a> {
    /// The URL.
    pub url: &'a str,
    /// A parsed URL that may have the same origin. It makes parsing faster.
    pub base: Option<&'a Url>,
    /// Permissions of the request.
    pub rights: RequestRights,
    /// The User-Agent to send.
    pub agent: UserAgent,
    /// Options for the host of the URL.
    pub options: RequestOptions,
    /// The known version of the page, if the content is needed only if it has
    /// changed.
    pub known: Option<&'a History>,
}

/// Probes a stored URL with default options.
pub async fn probe_with_default_options(
    fetch: &dyn Fetch,
    clock: &dyn Clock,
    url: &str,
    rights: RequestRights,
    agent: UserAgent,
) -> (Probe, Option<Body>) {
    let options = RequestOptions::default();
    probe_stored_url_with_body(
        fetch,
        clock,
        StoredUrlRequest { url, base: None, rights, agent, options, known: None },
    )
    .await
}

/// Probes a stored URL, and returns the body separately from the probe.
pub async fn probe_stored_url_with_body(
    fetch: &dyn Fetch,
    clock: &dyn Clock,
    request: StoredUrlRequest<'_>,
) -> (Probe, Option<Body>) {
    let StoredUrlRequest { url, base, rights, agent, options, known } = request;
    let parsed = base.and_then(|base| parse_with_base(base, url));
    match parsed.or_else(|| Url::parse(url).ok()) {
        Some(url) => {
            probe_url(fetch, clock, ProbeRequest { url: &url, rights, agent, options, known }).await
        }
        None => (invalid_url_probe(current_time(clock)), None),
    }
}

/// Parses a canonical URL relative to another URL of the same origin. That
/// skips parsing the host, which is most of the work.
fn parse_with_base(base: &Url, url: &str) -> Option<Url> {
    let path = url.strip_prefix(&base[..Position::BeforePath])?;
    let parsed = base.join(path).ok()?;
    // The result differs if the path starts with `//` and is read as a host, or if the
    // URL is not canonical.
    (parsed.as_str() == url).then_some(parsed)
}

/// Returns the probe of an invalid URL: no request is sent.
pub fn invalid_url_probe(requested_at: Timestamp) -> Probe {
    Probe {
        requested_at,
        hops: Vec::new(),
        outcome: FetchOutcome::InvalidRedirect(InvalidRedirect::NotAUrl),
        timings: Timings::default(),
        retry_after: None,
        digest: None,
        version: None,
    }
}

/// Sends a request, as a conditional one if a version of the page is known. If the page
/// has not changed since, the probe contains the stored digest, and there is no body.
async fn send_request(
    fetch: &dyn Fetch,
    request: ProbeRequest<'_>,
    requested_at: Timestamp,
) -> (Probe, Option<Body>) {
    let known = request.known.filter(|known| is_reusable(known, request.url));
    let (probe, body) = send_once(fetch, &request, known, requested_at).await;
    let Some(known) = known.filter(|_| probe.outcome == FetchOutcome::Response(NOT_MODIFIED))
    else {
        return (probe, body);
    };
    if probe.hops.len() > 1 {
        // The URL redirects now. The response is about the target of the redirect, whose
        // content is not stored, so fetch it without a condition.
        tokio::time::sleep(request.options.redirect_delay).await;
        return send_once(fetch, &request, None, requested_at).await;
    }
    let stored = known.version.as_deref().cloned().unwrap_or_default();
    let version = stored.confirmed_by(probe.version.map(|version| *version));
    let unchanged = Probe {
        // The stored response takes the place of the response (RFC 9111, section 4.3.3).
        outcome: FetchOutcome::Response(200),
        digest: known.digest.clone(),
        version: Some(Box::new(version)),
        ..probe
    };
    (unchanged, None)
}

/// Whether the stored content of a page can replace its body.
fn is_reusable(known: &History, url: &Url) -> bool {
    known.digest.is_some()
        && known.verdict.is_some_and(Verdict::is_reached)
        && known.final_url.as_deref() == Some(url.as_str())
        && known.version.as_ref().is_some_and(|version| version.has_validator())
}

/// Sends one request. It is conditional if `known` has a version of the page.
async fn send_once(
    fetch: &dyn Fetch,
    request: &ProbeRequest<'_>,
    known: Option<&History>,
    requested_at: Timestamp,
) -> (Probe, Option<Body>) {
    let ProbeRequest { url, rights, agent, options, .. } = request.clone();
    let mut options = RequestOptions { response_headers: &VERSION_HEADERS, ..options };
    let version = known.and_then(|known| known.version.as_deref());
    options.headers.extend(version.into_iter().flat_map(ResponseVersion::conditional_headers));
    let request = FetchRequest { url: url.clone(), rights, user_agent: agent, options };
    let result = fetch.fetch(request).await;
    let version = ResponseVersion::from_headers(|name| result.header(name)).map(Box::new);
    let FetchResult { hops, outcome, timings, retry_after, body, .. } = result;
    let digest = body.as_ref().map(|body| {
        let content_type = body.content_type.as_deref();
        let language = body.language.as_deref();
        Box::new(relink_page::digest(content_type, language, &body.bytes, body.is_truncated))
    });
    let hops = hops.into_iter().map(without_password).collect();
    (Probe { requested_at, hops, outcome, timings, retry_after, digest, version }, body)
}

/// Returns the target of a client-side redirect, unless the target is a hop already.
fn redirect_target(probe: &Probe) -> Option<Url> {
    let last =
        probe.hops.last().filter(|_| matches!(probe.outcome, FetchOutcome::Response(200..=299)))?;
    let location = probe.digest.as_ref()?.client_redirect.as_deref()?;
    let url = canonicalize(Some(&Url::parse(&last.url).ok()?), location).ok()?;
    let is_new = probe.hops.iter().all(|hop| hop.url != url.as_str());
    is_new.then_some(url)
}

/// Joins a probe and the probe of its client-side redirect target, which has this URL.
fn join_probes(mut first: Probe, second: Probe, url: &Url) -> Probe {
    if let Some(last_hop) = first.hops.last_mut() {
        last_hop.location = Some(redact_stored_url(url.as_str()).into_owned());
    }
    first.hops.extend(second.hops);
    Probe {
        requested_at: first.requested_at,
        hops: first.hops,
        timings: add_timings(first.timings, second.timings),
        ..second
    }
}

/// Adds the timings of two requests.
pub fn add_timings(first: Timings, second: Timings) -> Timings {
    Timings {
        dns: first.dns + second.dns,
        connect: first.connect + second.connect,
        tls: first.tls + second.tls,
        headers: first.headers + second.headers,
        body: first.body + second.body,
        total: first.total + second.total,
    }
}

/// Removes passwords from a hop. A server may redirect to a URL with a
/// password, which is followed but not stored.
fn without_password(mut hop: Hop) -> Hop {
    hop.url = without_userinfo(&hop.url).into_owned();
    hop.location = hop.location.map(|location| redact_stored_url(&location).into_owned());
    hop
}

#[cfg(test)]
mod tests;
