//! The fetcher against real sockets on loopback: good servers, bad ones, and
//! a listener nobody may reach.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod addresses;
mod agents;
mod bodies;
mod dialing;
mod errors;
mod families;
mod http2;
mod identities;
mod names;
mod privacy;
mod proxies;
mod redirects;
mod reuse;
mod terms;
mod tls;

use std::time::Duration;

use relink_fetch::{FetchSettings, Fetcher};
use relink_model::RequestRights;
use relink_ports::{Fetch, FetchRequest, FetchResult, RequestOptions, UserAgent};
use url::Url;

/// A fetcher with patience enough for a busy machine.
fn client(settings: FetchSettings) -> Fetcher {
    Fetcher::new(settings).expect("the settings are good")
}

/// Settings for servers that never answer.
fn impatient() -> FetchSettings {
    FetchSettings { timeout: Duration::from_millis(300), ..FetchSettings::default() }
}

/// Fetches as if the user had named the URL.
async fn named(client: &Fetcher, url: Url) -> FetchResult {
    client.fetch(asking(url, RequestRights::named_by_user(), RequestOptions::default())).await
}

/// Fetches as if a page had named the URL.
async fn found(client: &Fetcher, url: Url) -> FetchResult {
    client.fetch(asking(url, RequestRights::discovered(), RequestOptions::default())).await
}

/// Asks for a URL in our own name.
fn asking(url: Url, rights: RequestRights, terms: RequestOptions) -> FetchRequest {
    FetchRequest { url, rights, agent: UserAgent::Plain, options: terms }
}

/// The ending as people read it.
fn ending(fetched: &FetchResult) -> String {
    fetched.outcome.to_string()
}

/// The body as text.
fn text(fetched: &FetchResult) -> String {
    let body = fetched.body.as_ref().expect("a body was read");
    String::from_utf8_lossy(&body.bytes).into_owned()
}
