//! One look at a page: ask, follow where the page itself sends its reader, and
//! keep a digest instead of the body.

use jiff::Timestamp;
use relink_frontier::canonical;
use relink_model::{
    Ending, Hop, Look, Malformation, Probe, Purpose, RequestRights, Timings, is_same_host_and_port,
    redact_stored_url, without_userinfo,
};
use relink_ports::{Agent, Body, Clock, Fetch, Fetched, Request, Terms};
use url::{Position, Url};

use crate::isolation::{internal_error, isolate_async};

/// Redirects written into pages that are followed in one look.
const ONWARD: usize = 3;

/// What to look at, on whose word, and as whom.
#[derive(Debug, Clone)]
pub(crate) struct LookAt<'a> {
    /// The address.
    pub(crate) url: &'a Url,
    /// What the request may do.
    pub(crate) rights: RequestRights,
    /// As whom to ask.
    pub(crate) agent: Agent,
    /// What else is wanted.
    pub(crate) terms: Terms,
}

impl<'a> LookAt<'a> {
    /// A look as checking a link needs it.
    pub(crate) fn new(url: &'a Url, rights: RequestRights, agent: Agent) -> Self {
        Self { url, rights, agent, terms: Terms::default() }
    }
}

/// As whom to ask on such an errand. The second look at a missing page goes by
/// the other name, too: a page that is gone is gone for both. Where the first
/// name was turned away, the other one is kept.
pub(crate) fn agent_for(purpose: Purpose, looks: &[Look]) -> Agent {
    let was_turned_away = looks.iter().any(|look| look.purpose == Purpose::OtherAgent);
    match purpose {
        _ if was_turned_away => Agent::Compatible,
        Purpose::First | Purpose::Retry => Agent::Plain,
        Purpose::SecondLook | Purpose::OtherAgent => Agent::Compatible,
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
    at: LookAt<'_>,
) -> (Probe, Option<Body>) {
    let (asked, url) = (moment(clock), at.url);
    let looked = isolate_async(url.as_str(), look_since(fetch, at, asked)).await;
    looked.unwrap_or_else(|_| (internal_error(asked), None))
}

async fn look_since(fetch: &dyn Fetch, at: LookAt<'_>, asked: Timestamp) -> (Probe, Option<Body>) {
    let (mut probe, mut body) = ask(fetch, at.clone(), asked).await;
    for _ in 0..ONWARD {
        let Some(url) = onward(&probe) else { break };
        let rights = at.rights.inherited(at.url, &url);
        let next = LookAt { url: &url, rights, ..at.clone() };
        if at.terms.gate.as_ref().is_some_and(|gate| !gate.opens(&url)) {
            break;
        }
        if is_same_host_and_port(&url, at.url) && !at.terms.pause.is_zero() {
            tokio::time::sleep(at.terms.pause).await;
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
pub(crate) struct Asked<'a> {
    pub(crate) url: &'a str,
    /// An address that may be of the same origin.
    pub(crate) like: Option<&'a Url>,
    pub(crate) rights: RequestRights,
    pub(crate) agent: Agent,
    /// What its host is owed.
    pub(crate) terms: Terms,
}

/// A look at a stored URL that nothing stands in the way of.
pub(crate) async fn look_at(
    fetch: &dyn Fetch,
    clock: &dyn Clock,
    url: &str,
    rights: RequestRights,
    agent: Agent,
) -> (Probe, Option<Body>) {
    let terms = Terms::default();
    read_through(fetch, clock, Asked { url, like: None, rights, agent, terms }).await
}

/// A look at a stored URL, without the body.
pub(crate) async fn look_through(fetch: &dyn Fetch, clock: &dyn Clock, asked: Asked<'_>) -> Probe {
    read_through(fetch, clock, asked).await.0
}

/// A look at a stored URL, with the body.
pub(crate) async fn read_through(
    fetch: &dyn Fetch,
    clock: &dyn Clock,
    asked: Asked<'_>,
) -> (Probe, Option<Body>) {
    let Asked { url, like, rights, agent, terms } = asked;
    let alike = like.and_then(|like| parsed_like(like, url));
    match alike.or_else(|| Url::parse(url).ok()) {
        Some(url) => look(fetch, clock, LookAt { url: &url, rights, agent, terms }).await,
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
        asked,
        hops: Vec::new(),
        ending: Ending::Malformed(Malformation::NotAnAddress),
        timings: Timings::default(),
        retry_after: None,
        digest: None,
    }
}

async fn ask(fetch: &dyn Fetch, at: LookAt<'_>, asked: Timestamp) -> (Probe, Option<Body>) {
    let LookAt { url, rights, agent, terms } = at;
    let request = Request { url: url.clone(), rights, agent, terms };
    let Fetched { hops, ending, timings, retry_after, body, .. } = fetch.fetch(request).await;
    let digest = body.as_ref().map(|body| {
        let content_type = body.content_type.as_deref();
        let language = body.language.as_deref();
        Box::new(relink_page::digest(content_type, language, &body.bytes, body.is_cut))
    });
    let hops = hops.into_iter().map(without_password).collect();
    (Probe { asked, hops, ending, timings, retry_after, digest }, body)
}

/// Where the page itself sends its reader, if that is a place not yet seen.
fn onward(probe: &Probe) -> Option<Url> {
    let last = probe.hops.last().filter(|_| matches!(probe.ending, Ending::Answered(200..=299)))?;
    let written = probe.digest.as_ref()?.onward.as_deref()?;
    let url = canonical(Some(&Url::parse(&last.url).ok()?), written).ok()?;
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
        asked: first.asked,
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
