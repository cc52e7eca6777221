//! Opens the byte stream to a host, directly or through a proxy.
//!
//! Every connection is opened here. For direct connections and `socks5://`
//! proxies, this crate resolves the host and checks all of its IP addresses
//! before it uses any of them. All other proxies resolve the host themselves.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use relink_model::{ConnectError, FetchOutcome, Phase};
use relink_ports::UserAgent;
use tokio::net::TcpStream;
use url::Url;

use crate::connector;
use crate::fetcher::Fetcher;
use crate::policy::{AddressPolicy, AllowedAddrs};
use crate::proxies::Route;
use crate::proxy::{Proxy, ProxyProtocol};
use crate::proxy_client;
use crate::socks::{self, Target};
use crate::stopwatch::Stopwatch;
use crate::transport::Transport;

/// A host to connect to, and the route to it.
pub(crate) struct HostDialer<'a> {
    /// The fetcher whose resolver and TLS settings are used.
    pub fetcher: &'a Fetcher,
    /// The URL of the host.
    pub url: &'a Url,
    /// The policy for the host's IP addresses.
    pub policy: AddressPolicy,
    /// The route to the host.
    pub route: Route<'a>,
}

impl HostDialer<'_> {
    /// Connects to the host. The IP address is `None` if a proxy resolved the
    /// host.
    pub async fn connect(
        &self,
        stopwatch: &mut Stopwatch,
    ) -> Result<(Transport, Option<IpAddr>), FetchOutcome> {
        let proxy = match self.route {
            Route::Direct => {
                let allowed = self.resolve(stopwatch).await?;
                stopwatch.enter(Phase::Connect);
                let (stream, peer) = connector::connect(&allowed).await?;
                return Ok((Transport::Plain(stream), Some(peer)));
            }
            Route::Forward(proxy) | Route::Tunnel(proxy) => proxy,
        };
        if proxy.protocol() == ProxyProtocol::Socks5 {
            let allowed = self.resolve(stopwatch).await?;
            stopwatch.enter(Phase::Connect);
            let (stream, peer) = self.connect_via_socks(proxy, &allowed).await?;
            return Ok((Transport::Plain(stream), Some(peer)));
        }
        // The proxy resolves the host and connects to it. Both count as the connect phase.
        stopwatch.enter(Phase::Connect);
        Ok((self.connect_via(proxy).await?, None))
    }

    /// Resolves the host and applies the address policy.
    async fn resolve(&self, stopwatch: &mut Stopwatch) -> Result<AllowedAddrs, FetchOutcome> {
        stopwatch.enter(Phase::Dns);
        let addresses = self.fetcher.resolver.addresses(self.url).await;
        let addresses = addresses.map_err(FetchOutcome::DnsFailed)?;
        self.policy.check(addresses).map_err(FetchOutcome::PrivateAddress)
    }

    /// Connects to one of the host's addresses. Each attempt uses its own
    /// connection to the proxy.
    async fn connect_via_socks(
        &self,
        proxy: &Proxy,
        host: &AllowedAddrs,
    ) -> Result<(TcpStream, IpAddr), FetchOutcome> {
        // The attempts run concurrently as tasks, so they share the proxy.
        let shared = Arc::new((proxy.clone(), self.proxy_addresses(proxy).await?));
        let attempt = |address: SocketAddr| {
            let shared = Arc::clone(&shared);
            async move {
                let (proxy, addresses) = &*shared;
                let mut stream = connect_to_proxy(addresses).await?;
                let target = Target::from_address(address);
                socks::connect(&mut stream, &target, proxy.login()).await?;
                Ok(stream)
            }
        };
        connector::race(host, attempt).await
    }

    /// Connects to a proxy that resolves the host. Unless the proxy forwards
    /// requests, also opens a tunnel to the host.
    async fn connect_via(&self, proxy: &Proxy) -> Result<Transport, FetchOutcome> {
        let failed = FetchOutcome::ConnectFailed(ConnectError::Other);
        let stream = connect_to_proxy(&self.proxy_addresses(proxy).await?).await?;
        let mut transport = Transport::Plain(stream);
        if proxy.protocol() == ProxyProtocol::Https {
            let host = proxy.url().host().ok_or_else(|| failed.clone())?;
            let encrypted = self.fetcher.connector.encrypt_proxy(transport, &host).await;
            transport = encrypted.map_err(|_| failed.clone())?;
        }
        match self.route {
            Route::Tunnel(_) if proxy.is_http() => {
                let user_agent = self.fetcher.request_headers.user_agent(UserAgent::Relink);
                proxy_client::tunnel(&mut transport, self.url, proxy, user_agent).await?;
            }
            Route::Tunnel(_) => {
                let target = Target::from_url(self.url).ok_or(failed)?;
                socks::connect(&mut transport, &target, proxy.login()).await?;
            }
            Route::Direct | Route::Forward(_) => {}
        }
        Ok(transport)
    }

    /// Resolves the proxy's name. Private addresses are allowed, because the user
    /// configured the proxy. A DNS error is reported as a failed connection, because it
    /// says nothing about the requested host.
    async fn proxy_addresses(&self, proxy: &Proxy) -> Result<AllowedAddrs, FetchOutcome> {
        let addresses = self.fetcher.resolver.addresses(proxy.url()).await;
        let addresses = addresses.map_err(|_| FetchOutcome::ConnectFailed(ConnectError::Other))?;
        AddressPolicy::Any.check(addresses).map_err(FetchOutcome::PrivateAddress)
    }
}

/// Connects to a proxy. Errors other than timeouts are reported as a failed connection,
/// because they say nothing about the requested host.
async fn connect_to_proxy(addresses: &AllowedAddrs) -> Result<TcpStream, FetchOutcome> {
    match connector::connect(addresses).await {
        Ok((stream, _)) => Ok(stream),
        Err(FetchOutcome::TimedOut(phase)) => Err(FetchOutcome::TimedOut(phase)),
        Err(_) => Err(FetchOutcome::ConnectFailed(ConnectError::Other)),
    }
}
