//! Integration tests of the fetcher over loopback sockets: correct servers,
//! faulty servers, and a canary listener that must not be contacted.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod address_families;
mod addresses;
mod bodies;
mod dialing;
mod dns;
mod errors;
mod http2;
mod identities;
mod privacy;
mod proxies;
mod redirects;
mod request_options;
mod reuse;
mod tls;
mod user_agents;

use std::time::Duration;

use relink_fetch::{FetchSettings, Fetcher};
use relink_model::RequestRights;
use relink_ports::{Fetch, FetchRequest, FetchResult, RequestOptions, UserAgent};
use url::Url;

/// Creates a fetcher.
fn client(settings: FetchSettings) -> Fetcher {
    Fetcher::new(settings).expect("valid settings")
}

/// Settings with a short timeout, for servers that never respond.
fn short_timeout() -> FetchSettings {
    FetchSettings { timeout: Duration::from_millis(300), ..FetchSettings::default() }
}

/// Fetches a URL as if the user had supplied it.
async fn fetch_user_supplied(client: &Fetcher, url: Url) -> FetchResult {
    client.fetch(request(url, RequestRights::user_supplied(), RequestOptions::default())).await
}

/// Fetches a URL as if a page had linked to it.
async fn fetch_discovered(client: &Fetcher, url: Url) -> FetchResult {
    client.fetch(request(url, RequestRights::discovered(), RequestOptions::default())).await
}

/// Creates a request with the native user agent.
fn request(url: Url, rights: RequestRights, options: RequestOptions) -> FetchRequest {
    FetchRequest { url, rights, user_agent: UserAgent::Relink, options }
}

/// Returns the outcome as text.
fn outcome(result: &FetchResult) -> String {
    result.outcome.to_string()
}

/// Returns the body as text.
fn text(result: &FetchResult) -> String {
    let body = result.body.as_ref().expect("a body was read");
    String::from_utf8_lossy(&body.bytes).into_owned()
}
