//! The port's implementation: all parts together, and the deadline.

use std::net::IpAddr;

use async_trait::async_trait;
use relink_ports::{Fetch, Fetched, Request};
use tokio::time::timeout;
use url::Url;

use crate::chain::Chain;
use crate::connector::Connector;
use crate::endings;
use crate::greeting::Greeting;
use crate::pool::Pool;
use crate::proxy::Proxy;
use crate::resolver::Resolver;
use crate::settings::{Settings, SetupError};

/// Asks web servers over HTTP/1.1, plain or encrypted.
///
/// Must be used within a Tokio runtime. One fetcher serves any number of
/// fetches at a time and keeps connections between them.
pub struct Fetcher {
    pub(crate) settings: Settings,
    pub(crate) greeting: Greeting,
    pub(crate) resolver: Resolver,
    pub(crate) connector: Connector,
    pub(crate) pool: Pool,
}

impl Fetcher {
    /// Makes a fetcher; nothing is asked yet.
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        Ok(Self {
            greeting: Greeting::new(&settings)?,
            resolver: Resolver::new(&settings)?,
            connector: Connector::new(&settings.tls_roots)?,
            pool: Pool::new(),
            settings,
        })
    }

    /// The proxy every request goes through, if there is one.
    pub(crate) fn proxy(&self) -> Option<&Proxy> {
        self.settings.proxy.as_ref()
    }
}

#[async_trait]
impl Fetch for Fetcher {
    async fn fetch(&self, request: Request) -> Fetched {
        let limit = request.terms.timeout.unwrap_or(self.settings.timeout);
        let rests = u32::try_from(self.settings.max_hops).unwrap_or(u32::MAX);
        let limit = limit.saturating_add(request.terms.pause.saturating_mul(rests));
        let mut chain = Chain::new(self, request);
        // One deadline for the whole is also the limit of each phase.
        let ending = match timeout(limit, chain.run()).await {
            Ok(ending) => ending,
            Err(_) => endings::of_timeout(chain.phase()),
        };
        chain.finish(ending)
    }

    async fn locate(&self, url: &Url) -> Option<IpAddr> {
        // The proxy looks names up, and does not tell.
        if self.proxy().is_some() {
            return None;
        }
        let found = timeout(self.settings.timeout, self.resolver.addresses(url)).await;
        Some(found.ok()?.ok()?.first()?.ip())
    }
}
