//! Tests of probes with a scripted server.

use std::net::IpAddr;
use std::sync::Mutex;

use async_trait::async_trait;
use relink_model::Digest;

use super::*;

/// A server whose pages all have the version [`ETAG`]. `/moved` redirects to `/`.
#[derive(Default)]
struct Server {
    /// Numbers of conditional and of other requests.
    requests: Mutex<(usize, usize)>,
}

/// The current version of all pages.
const ETAG: &str = "\"v2\"";

#[async_trait]
impl Fetch for Server {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let etag = request.options.headers.iter().find(|(name, _)| name == "if-none-match");
        let is_unchanged = etag.is_some_and(|(_, value)| value == ETAG);
        let mut requests = self.requests.lock().unwrap();
        if etag.is_some() {
            requests.0 += 1;
        } else {
            requests.1 += 1;
        }
        let hop = |url: &str, status| Hop { url: url.to_owned(), status, location: None, ip: None };
        let status = if is_unchanged { 304 } else { 200 };
        let mut hops = vec![hop(request.url.as_str(), status)];
        if request.url.path() == "/moved" {
            hops = vec![hop(request.url.as_str(), 302), hop("http://a.test/", status)];
        }
        let body = Body {
            bytes: "<title>new</title>".into(),
            content_type: Some("text/html".to_owned()),
            ..Body::default()
        };
        FetchResult {
            hops,
            outcome: FetchOutcome::Response(status),
            timings: Timings::default(),
            retry_after: None,
            headers: vec![("etag".to_owned(), ETAG.to_owned())],
            body: (!is_unchanged).then_some(body),
        }
    }

    async fn resolve_ip(&self, _: &Url) -> Option<IpAddr> {
        None
    }
}

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

/// Probes a page of which this version is stored, with the title "stored". Returns the
/// title in the probe, whether a body was received, and the numbers of conditional and
/// of other requests.
async fn probe_known(path: &str, etag: &str) -> (Option<String>, bool, (usize, usize)) {
    let (server, url) = (Server::default(), Url::parse("http://a.test").unwrap());
    let url = url.join(path).unwrap();
    let digest = Digest { title: Some("stored".to_owned()), ..Digest::default() };
    let version = ResponseVersion { etag: Some(etag.to_owned()), ..ResponseVersion::default() };
    let history = History {
        verdict: Some(Verdict::Alive),
        final_url: Some(url.to_string()),
        digest: Some(digest.into()),
        version: Some(version.into()),
        ..History::default()
    };
    let rights = RequestRights::discovered();
    let request = ProbeRequest {
        known: Some(&history),
        ..ProbeRequest::new(&url, rights, UserAgent::Relink)
    };
    let (probe, body) = probe_url(&server, &FixedClock, request).await;
    assert_eq!(probe.outcome, FetchOutcome::Response(200));
    assert_eq!(probe.version.unwrap().etag.as_deref(), Some(ETAG));
    let requests = *server.requests.lock().unwrap();
    (probe.digest.and_then(|digest| digest.title), body.is_some(), requests)
}

#[tokio::test]
async fn unchanged_page_has_the_stored_digest() {
    assert_eq!(probe_known("/x", ETAG).await, (Some("stored".to_owned()), false, (1, 0)));
}

#[tokio::test]
async fn changed_page_has_a_new_digest() {
    assert_eq!(probe_known("/x", "\"v1\"").await, (Some("new".to_owned()), true, (1, 0)));
}

#[tokio::test]
async fn unchanged_page_behind_a_new_redirect_is_fetched_again() {
    assert_eq!(probe_known("/moved", ETAG).await, (Some("new".to_owned()), true, (1, 1)));
}

#[test]
fn parse_with_base_equals_parse_for_urls_of_the_same_origin() {
    let base = Url::parse("http://a.test:81/x/y?z").unwrap();
    for (url, is_same_origin) in [
        ("http://a.test:81/", true),
        ("http://a.test:81/b/c%20d?e=f&g", true),
        ("http://a.test:81//b.test/c", false),
        ("http://a.test:81/\\b.test", false),
        ("http://a.test:81/b/../c", false),
        ("http://a.test:8/", false),
        ("https://a.test:81/", false),
        ("http://a.test:810/", false),
    ] {
        let parsed = parse_with_base(&base, url);
        assert_eq!(parsed.is_some(), is_same_origin, "{url}");
        assert!(parsed.is_none_or(|parsed| parsed == Url::parse(url).unwrap()), "{url}");
    }
}
