//! One look at a target: ask, and keep a digest instead of the body.

use relink_model::{Ending, Hop, Malformation, Probe, Timings};
use relink_ports::{Body, Request};
use relink_wire::redact;
use url::Url;

use crate::Ports;

/// Asks for a URL; the body comes back beside the probe and is in no probe.
pub(crate) async fn look(ports: &Ports, url: &Url, is_named: bool) -> (Probe, Option<Body>) {
    let asked = ports.now();
    let fetched = ports.fetch.fetch(Request { url: url.clone(), is_named }).await;
    let digest = fetched.body.as_ref().map(|body| {
        let content_type = body.content_type.as_deref();
        relink_page::digest(content_type, body.language.as_deref(), &body.bytes, body.is_cut)
    });
    let probe = Probe {
        asked,
        hops: fetched.hops.into_iter().map(without_password).collect(),
        ending: fetched.ending,
        timings: fetched.timings,
        retry_after: fetched.retry_after,
        digest,
    };
    (probe, fetched.body)
}

/// A server may point anywhere, even at an address with a password in it; it
/// is followed, but not stored.
fn without_password(mut hop: Hop) -> Hop {
    hop.location = hop.location.map(|location| redact(&location).into_owned());
    hop
}

/// A look at a stored URL, which was canonical when it was stored.
pub(super) async fn look_at(ports: &Ports, url: &str, is_named: bool) -> Probe {
    match Url::parse(url) {
        Ok(url) => look(ports, &url, is_named).await.0,
        Err(_) => Probe {
            asked: ports.now(),
            hops: Vec::new(),
            ending: Ending::Malformed(Malformation::NotAnAddress),
            timings: Timings::default(),
            retry_after: None,
            digest: None,
        },
    }
}
