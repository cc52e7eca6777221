//! The [`Fetch`] implementation: combines the modules of the crate and applies
//! the deadline.

use std::net::IpAddr;

use async_trait::async_trait;
use relink_ports::{Fetch, FetchRequest, FetchResult};
use tokio::time::timeout;
use url::Url;

use crate::chain::RedirectChain;
use crate::connector::Connector;
use crate::outcome;
use crate::pending_connections::PendingConnections;
use crate::pool::Pool;
use crate::request_headers::RequestHeaders;
use crate::resolver::Resolver;
use crate::settings::{FetchSettings, SetupError};

/// An HTTP client for HTTP/1.1, and for HTTP/2 if the server selects it in the
/// TLS handshake.
///
/// Must be used within a Tokio runtime. One fetcher runs any number of fetches
/// concurrently and reuses connections between them.
pub struct Fetcher {
    pub(crate) settings: FetchSettings,
    pub(crate) request_headers: RequestHeaders,
    pub(crate) resolver: Resolver,
    pub(crate) connector: Connector,
    pub(crate) pool: Pool,
    pub(crate) pending: PendingConnections,
}

impl Fetcher {
    /// Creates a fetcher. Does not access the network.
    pub fn new(settings: FetchSettings) -> Result<Self, SetupError> {
        Ok(Self {
            request_headers: RequestHeaders::new(&settings)?,
            resolver: Resolver::new(&settings)?,
            connector: Connector::new(&settings)?,
            pool: Pool::new(),
            pending: PendingConnections::default(),
            settings,
        })
    }
}

#[async_trait]
impl Fetch for Fetcher {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let limit = request.options.timeout.unwrap_or(self.settings.timeout);
        // The delays before redirects do not count against the timeout.
        let max_delays = u32::try_from(self.settings.max_redirects).unwrap_or(u32::MAX);
        let limit = limit.saturating_add(request.options.redirect_delay.saturating_mul(max_delays));
        let mut chain = RedirectChain::new(self, request);
        // A single deadline also limits each phase.
        let outcome = match timeout(limit, chain.run()).await {
            Ok(outcome) => outcome,
            Err(_) => outcome::from_timeout(chain.phase()),
        };
        chain.finish(outcome)
    }

    async fn resolve_ip(&self, url: &Url) -> Option<IpAddr> {
        if self.settings.proxies.route(url).resolves_remotely() {
            return None;
        }
        let addresses = timeout(self.settings.timeout, self.resolver.addresses(url)).await;
        Some(addresses.ok()?.ok()?.first()?.ip())
    }
}
