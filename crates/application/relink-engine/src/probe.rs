//! One look at a page: ask, follow where the page itself sends its reader, and
//! keep a digest instead of the body.

use jiff::Timestamp;
use relink_frontier::canonicalize;
use relink_model::{
    Attempt, FetchOutcome, FetchPurpose, Hop, InvalidRedirect, Probe, RequestRights, Timings,
    is_same_host_and_port, redact_stored_url, without_userinfo,
};
use relink_ports::{Body, Clock, Fetch, FetchRequest, FetchResult, RequestOptions, UserAgent};
use url::{Position, Url};

use crate::isolation::{internal_error, isolate_async};

/// Redirects written into pages that are followed in one look.
const MAX_CLIENT_REDIRECTS: usize = 3;

/// What to look at, on whose word, and as whom.
#[derive(Debug, Clone)]
pub(crate) struct ProbeRequest<'a> {
    /// The address.
    pub(crate) url: &'a Url,
    /// What the request may do.
    pub(crate) rights: RequestRights,
    /// As whom to ask.
    pub(crate) agent: UserAgent,
    /// What else is wanted.
    pub(crate) options: RequestOptions,
}

impl<'a> ProbeRequest<'a> {
    /// A look as checking a link needs it.
    pub(crate) fn new(url: &'a Url, rights: RequestRights, agent: UserAgent) -> Self {
        Self { url, rights, agent, options: RequestOptions::default() }
    }
}

/// As whom to ask on such a task. The second look at a missing page goes by
/// the other name, too: a page that is gone is gone for both. Where the first
/// name was turned away, the other one is kept.
pub(crate) fn agent_for(purpose: FetchPurpose, looks: &[Attempt]) -> UserAgent {
    let was_turned_away = looks.iter().any(|look| look.purpose == FetchPurpose::AlternateUserAgent);
    match purpose {
        _ if was_turned_away => UserAgent::Compatible,
        FetchPurpose::Initial | FetchPurpose::Retry => UserAgent::Plain,
        FetchPurpose::Confirmation | FetchPurpose::AlternateUserAgent => UserAgent::Compatible,
    }
}

/// The present moment in whole milliseconds, which is how the store keeps it:
/// a result then reads the same before and after it was stored.
pub(crate) fn moment(clock: &dyn Clock) -> Timestamp {
    let now = clock.now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

/// Looks; the body comes back beside the probe and is in no probe.
///
/// A redirect written into a page (a meta refresh, a script) is followed as
/// one sent by the server is: the page becomes a hop among others.
///
/// A panic on the way ends in [`Ending::InternalError`].
pub(crate) async fn look(
    fetch: &dyn Fetch,
    clock: &dyn Clock,
    at: ProbeRequest<'_>,
) -> (Probe, Option<Body>) {
    let (asked, url) = (moment(clock), at.url);
    let looked = isolate_async(url.as_str(), look_since(fetch, at, asked)).await;
    looked.unwrap_or_else(|_| (internal_error(asked), None))
}

async fn look_since(
    fetch: &dyn Fetch,
    at: ProbeRequest<'_>,
    asked: Timestamp,
) -> (Probe, Option<Body>) {
    let (mut probe, mut body) = ask(fetch, at.clone(), asked).await;
    for _ in 0..MAX_CLIENT_REDIRECTS {
        let Some(url) = onward(&probe) else { break };
        let rights = at.rights.inherited(at.url, &url);
        let next = ProbeRequest { url: &url, rights, ..at.clone() };
        if at.options.redirect_filter.as_ref().is_some_and(|gate| !gate.opens(&url)) {
            break;
        }
        if is_same_host_and_port(&url, at.url) && !at.options.redirect_delay.is_zero() {
            tokio::time::sleep(at.options.redirect_delay).await;
        }
        let (onward, onward_body) = ask(fetch, next, asked).await;
        probe = joined(probe, onward, &url);
        body = onward_body;
    }
    (probe, body)
}

/// Where a look ended, if somebody answered there.
pub(crate) fn landing(probe: &Probe) -> Option<Url> {
    let mut url = Url::parse(&probe.hops.last()?.url).ok()?;
    url.set_fragment(None);
    Some(url)
}

/// A stored URL to look at, which was canonical when it was stored.
pub(crate) struct StoredUrlRequest<'a> {
    pub(crate) url: &'a str,
    /// An address that may be of the same origin.
    pub(crate) like: Option<&'a Url>,
    pub(crate) rights: RequestRights,
    pub(crate) agent: UserAgent,
    /// What its host is owed.
    pub(crate) options: RequestOptions,
}

/// A look at a stored URL that nothing stands in the way of.
pub(crate) async fn look_at(
    fetch: &dyn Fetch,
    clock: &dyn Clock,
    url: &str,
    rights: RequestRights,
    agent: UserAgent,
) -> (Probe, Option<Body>) {
    let terms = RequestOptions::default();
    probe_stored_url_with_body(
        fetch,
        clock,
        StoredUrlRequest { url, like: None, rights, agent, options: terms },
    )
    .await
}

/// A look at a stored URL, without the body.
pub(crate) async fn probe_stored_url(
    fetch: &dyn Fetch,
    clock: &dyn Clock,
    asked: StoredUrlRequest<'_>,
) -> Probe {
    probe_stored_url_with_body(fetch, clock, asked).await.0
}

/// A look at a stored URL, with the body.
pub(crate) async fn probe_stored_url_with_body(
    fetch: &dyn Fetch,
    clock: &dyn Clock,
    asked: StoredUrlRequest<'_>,
) -> (Probe, Option<Body>) {
    let StoredUrlRequest { url, like, rights, agent, options: terms } = asked;
    let alike = like.and_then(|like| parsed_like(like, url));
    match alike.or_else(|| Url::parse(url).ok()) {
        Some(url) => {
            look(fetch, clock, ProbeRequest { url: &url, rights, agent, options: terms }).await
        }
        None => (no_address(moment(clock)), None),
    }
}

/// Takes a canonical URL apart by another one of its origin: most of the work
/// is the host's name.
fn parsed_like(like: &Url, url: &str) -> Option<Url> {
    let path = url.strip_prefix(&like[..Position::BeforePath])?;
    let parsed = like.join(path).ok()?;
    // A path that begins like a host, or that is not canonical after all.
    (parsed.as_str() == url).then_some(parsed)
}

/// The probe of what is no address: nothing was asked.
pub(crate) fn no_address(asked: Timestamp) -> Probe {
    Probe {
        requested_at: asked,
        hops: Vec::new(),
        outcome: FetchOutcome::InvalidRedirect(InvalidRedirect::NotAnAddress),
        timings: Timings::default(),
        retry_after: None,
        digest: None,
    }
}

async fn ask(fetch: &dyn Fetch, at: ProbeRequest<'_>, asked: Timestamp) -> (Probe, Option<Body>) {
    let ProbeRequest { url, rights, agent, options: terms } = at;
    let request = FetchRequest { url: url.clone(), rights, agent, options: terms };
    let FetchResult { hops, outcome: ending, timings, retry_after, body, .. } =
        fetch.fetch(request).await;
    let digest = body.as_ref().map(|body| {
        let content_type = body.content_type.as_deref();
        let language = body.language.as_deref();
        Box::new(relink_page::digest(content_type, language, &body.bytes, body.is_truncated))
    });
    let hops = hops.into_iter().map(without_password).collect();
    (Probe { requested_at: asked, hops, outcome: ending, timings, retry_after, digest }, body)
}

/// Where the page itself sends its reader, if that is a place not yet seen.
fn onward(probe: &Probe) -> Option<Url> {
    let last =
        probe.hops.last().filter(|_| matches!(probe.outcome, FetchOutcome::Response(200..=299)))?;
    let written = probe.digest.as_ref()?.client_redirect.as_deref()?;
    let url = canonicalize(Some(&Url::parse(&last.url).ok()?), written).ok()?;
    let is_new = probe.hops.iter().all(|hop| hop.url != url.as_str());
    is_new.then_some(url)
}

/// One probe made of two, the second being where the first one's page leads.
fn joined(mut first: Probe, second: Probe, url: &Url) -> Probe {
    if let Some(page) = first.hops.last_mut() {
        page.location = Some(redact_stored_url(url.as_str()).into_owned());
    }
    first.hops.extend(second.hops);
    Probe {
        requested_at: first.requested_at,
        hops: first.hops,
        timings: sum(first.timings, second.timings),
        ..second
    }
}

/// The timings of two requests, added.
pub(crate) fn sum(one: Timings, other: Timings) -> Timings {
    Timings {
        dns: one.dns + other.dns,
        connect: one.connect + other.connect,
        tls: one.tls + other.tls,
        head: one.head + other.head,
        body: one.body + other.body,
        total: one.total + other.total,
    }
}

/// A server may point anywhere, even at an address with a password in it; it
/// is followed, but not stored.
fn without_password(mut hop: Hop) -> Hop {
    hop.url = without_userinfo(&hop.url).into_owned();
    hop.location = hop.location.map(|location| redact_stored_url(&location).into_owned());
    hop
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart_by_another_as_it_is_by_itself() {
        let like = Url::parse("http://a.test:81/x/y?z").unwrap();
        for (url, is_alike) in [
            ("http://a.test:81/", true),
            ("http://a.test:81/b/c%20d?e=f&g", true),
            ("http://a.test:81//b.test/c", false),
            ("http://a.test:81/\\b.test", false),
            ("http://a.test:81/b/../c", false),
            ("http://a.test:8/", false),
            ("https://a.test:81/", false),
            ("http://a.test:810/", false),
        ] {
            let parsed = parsed_like(&like, url);
            assert_eq!(parsed.is_some(), is_alike, "{url}");
            assert!(parsed.is_none_or(|parsed| parsed == Url::parse(url).unwrap()), "{url}");
        }
    }
}
