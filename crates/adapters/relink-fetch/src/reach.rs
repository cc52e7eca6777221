//! Opens the byte stream to a host: directly, or through a proxy.
//!
//! Every connection goes through here. Directly and through `socks5://` the
//! host is looked up by us and all of its addresses are cleared before one is
//! used; every other proxy looks it up itself.

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
use crate::wire::Transport;

/// A host to reach, and how.
pub(crate) struct AddressAccess<'a> {
    /// Whose resolver and encryption to use.
    pub fetcher: &'a Fetcher,
    /// The URL of the host.
    pub url: &'a Url,
    /// Which addresses it may have.
    pub permit: AddressPolicy,
    /// The way to it.
    pub route: Route<'a>,
}

impl AddressAccess<'_> {
    /// Connects. The host's address is known unless a proxy looked it up.
    pub async fn connect(
        &self,
        watch: &mut Stopwatch,
    ) -> Result<(Transport, Option<IpAddr>), FetchOutcome> {
        let proxy = match self.route {
            Route::Direct => {
                let cleared = self.check(watch).await?;
                watch.enter(Phase::Connect);
                let (stream, peer) = connector::connect(&cleared).await?;
                return Ok((Transport::Plain(stream), Some(peer)));
            }
            Route::Forward(proxy) | Route::Tunnel(proxy) => proxy,
        };
        if proxy.protocol() == ProxyProtocol::Socks5 {
            let cleared = self.check(watch).await?;
            watch.enter(Phase::Connect);
            let (stream, peer) = self.through_socks(proxy, &cleared).await?;
            return Ok((Transport::Plain(stream), Some(peer)));
        }
        // All of this is one thing to the host asked: connecting.
        watch.enter(Phase::Connect);
        Ok((self.through(proxy).await?, None))
    }

    /// Looks up the host and applies the address policy.
    async fn check(&self, watch: &mut Stopwatch) -> Result<AllowedAddrs, FetchOutcome> {
        watch.enter(Phase::Dns);
        let found = self.fetcher.resolver.addresses(self.url).await;
        let found = found.map_err(FetchOutcome::DnsFailed)?;
        self.permit.check(found).map_err(FetchOutcome::PrivateAddress)
    }

    /// Connects to one of the host's addresses, each attempt over its own
    /// connection to the proxy.
    async fn through_socks(
        &self,
        proxy: &Proxy,
        host: &AllowedAddrs,
    ) -> Result<(TcpStream, IpAddr), FetchOutcome> {
        let shared = Arc::new((proxy.clone(), self.proxy_addresses(proxy).await?));
        let attempt = |address: SocketAddr| {
            let shared = Arc::clone(&shared);
            async move {
                let (proxy, addresses) = &*shared;
                let mut stream = connect_to_proxy(addresses).await?;
                let target = Target::of_address(address);
                socks::connect(&mut stream, &target, proxy.login()).await?;
                Ok(stream)
            }
        };
        connector::race(host, attempt).await
    }

    /// Connects to a proxy that looks up the host, and through it to the host
    /// unless it takes the request itself.
    async fn through(&self, proxy: &Proxy) -> Result<Transport, FetchOutcome> {
        let unreached = FetchOutcome::ConnectFailed(ConnectError::Other);
        let stream = connect_to_proxy(&self.proxy_addresses(proxy).await?).await?;
        let mut wire = Transport::Plain(stream);
        if proxy.protocol() == ProxyProtocol::Https {
            let host = proxy.url().host().ok_or_else(|| unreached.clone())?;
            let encrypted = self.fetcher.connector.encrypt_proxy(wire, &host).await;
            wire = encrypted.map_err(|_| unreached.clone())?;
        }
        match self.route {
            Route::Tunnel(_) if proxy.is_http() => {
                let user_agent = self.fetcher.greeting.user_agent(UserAgent::Plain);
                proxy_client::tunnel(&mut wire, self.url, proxy, user_agent).await?;
            }
            Route::Tunnel(_) => {
                let target = Target::of_url(self.url).ok_or(unreached)?;
                socks::connect(&mut wire, &target, proxy.login()).await?;
            }
            Route::Direct | Route::Forward(_) => {}
        }
        Ok(wire)
    }

    /// The user named the proxy, so it may be private. That it is not found
    /// says nothing about the host asked.
    async fn proxy_addresses(&self, proxy: &Proxy) -> Result<AllowedAddrs, FetchOutcome> {
        let found = self.fetcher.resolver.addresses(proxy.url()).await;
        let found = found.map_err(|_| FetchOutcome::ConnectFailed(ConnectError::Other))?;
        AddressPolicy::Any.check(found).map_err(FetchOutcome::PrivateAddress)
    }
}

/// That a proxy cannot be reached says nothing about the host asked.
async fn connect_to_proxy(addresses: &AllowedAddrs) -> Result<TcpStream, FetchOutcome> {
    match connector::connect(addresses).await {
        Ok((stream, _)) => Ok(stream),
        Err(FetchOutcome::TimedOut(phase)) => Err(FetchOutcome::TimedOut(phase)),
        Err(_) => Err(FetchOutcome::ConnectFailed(ConnectError::Other)),
    }
}
