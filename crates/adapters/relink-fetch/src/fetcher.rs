//! The port's implementation: all parts together, and the deadline.

use std::net::IpAddr;

use async_trait::async_trait;
use relink_ports::{Fetch, FetchRequest, FetchResult};
use tokio::time::timeout;
use url::Url;

use crate::chain::RedirectChain;
use crate::connector::Connector;
use crate::openings::Openings;
use crate::outcome;
use crate::pool::Pool;
use crate::request_headers::RequestHeaders;
use crate::resolver::Resolver;
use crate::settings::{FetchSettings, SetupError};

/// Fetches from web servers over HTTP/1.1, and over HTTP/2 where the server
/// offers it within TLS.
///
/// Must be used within a Tokio runtime. One fetcher serves any number of
/// fetches at a time and keeps connections between them.
pub struct Fetcher {
    pub(crate) settings: FetchSettings,
    pub(crate) greeting: RequestHeaders,
    pub(crate) resolver: Resolver,
    pub(crate) connector: Connector,
    pub(crate) pool: Pool,
    pub(crate) openings: Openings,
}

impl Fetcher {
    /// Makes a fetcher; nothing is asked yet.
    pub fn new(settings: FetchSettings) -> Result<Self, SetupError> {
        Ok(Self {
            greeting: RequestHeaders::new(&settings)?,
            resolver: Resolver::new(&settings)?,
            connector: Connector::new(&settings)?,
            pool: Pool::new(),
            openings: Openings::default(),
            settings,
        })
    }
}

#[async_trait]
impl Fetch for Fetcher {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let limit = request.options.timeout.unwrap_or(self.settings.timeout);
        let rests = u32::try_from(self.settings.max_hops).unwrap_or(u32::MAX);
        let limit = limit.saturating_add(request.options.redirect_delay.saturating_mul(rests));
        let mut chain = RedirectChain::new(self, request);
        // One deadline for the whole is also the limit of each phase.
        let ending = match timeout(limit, chain.run()).await {
            Ok(ending) => ending,
            Err(_) => outcome::of_timeout(chain.phase()),
        };
        chain.finish(ending)
    }

    async fn resolve_ip(&self, url: &Url) -> Option<IpAddr> {
        if self.settings.proxies.route(url).hides_address() {
            return None;
        }
        let found = timeout(self.settings.timeout, self.resolver.addresses(url)).await;
        Some(found.ok()?.ok()?.first()?.ip())
    }
}
