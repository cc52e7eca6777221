//! Opens TCP and TLS connections, to allowed addresses only.
//!
//! This module does not resolve names and does not decide which addresses are
//! allowed. Its input is a list that the resolver and the policy have produced.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use relink_model::{ConnectError, FetchOutcome, TlsError};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::Host;

use crate::identity::ClientIdentity;
use crate::outcome;
use crate::policy::AllowedAddrs;
use crate::pool::PoolKey;
use crate::settings::{FetchSettings, HostSettings, SetupError};
use crate::transport::{ALPN_HTTP1, ALPN_HTTP2, Transport};

/// Delay before the next address is tried while the attempt at the previous address still runs
/// ("Connection Attempt Delay", RFC 8305, section 8).
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

/// Maximum number of addresses of a host to try. Some names have dozens of addresses.
const MAX_ATTEMPTS: usize = 8;

/// Opens TLS connections.
pub(crate) struct Connector {
    anonymous: Tls,
    /// TLS with the client certificate for user-supplied hosts.
    user_identity: Option<Tls>,
    /// TLS with the client certificates for single hosts.
    hosts: HashMap<PoolKey, Tls>,
}

/// TLS configuration with or without a client certificate.
struct Tls {
    /// Offers HTTP/2 and HTTP/1.1.
    any: TlsConnector,
    /// Offers HTTP/1.1 only.
    http1: TlsConnector,
}

/// The HTTP versions to offer in a TLS handshake (ALPN).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Versions {
    /// HTTP/2 and HTTP/1.1.
    Any,
    /// HTTP/1.1 only.
    Http1,
}

impl Connector {
    /// Creates a connector that trusts the public certificate authorities and
    /// the authorities in the settings.
    pub fn new(settings: &FetchSettings) -> Result<Self, SetupError> {
        let roots = Arc::new(roots(&settings.tls_roots)?);
        let tls = |identity: &ClientIdentity| Tls::new(&roots, Some(identity));
        let host = |host: &HostSettings| {
            let identity = host.identity.as_ref()?;
            Some(tls(identity).map(|tls| (PoolKey::from_url(&host.origin), tls)))
        };
        Ok(Self {
            anonymous: Tls::new(&roots, None)?,
            user_identity: settings.identity.as_ref().map(tls).transpose()?,
            hosts: settings.hosts.iter().filter_map(host).collect::<Result<_, _>>()?,
        })
    }

    /// Whether there is a client certificate for user-supplied hosts.
    pub fn has_user_identity(&self) -> bool {
        self.user_identity.is_some()
    }

    /// Performs the TLS handshake with the host of `key`.
    pub async fn encrypt(
        &self,
        transport: Transport,
        host: &Host<&str>,
        key: &PoolKey,
        versions: Versions,
    ) -> Result<Transport, FetchOutcome> {
        let tls = match self.hosts.get(&key.without_user_identity()) {
            Some(tls) => tls,
            // The fallback is never used, because such keys exist only if there is a certificate.
            None if key.uses_user_identity() => {
                self.user_identity.as_ref().unwrap_or(&self.anonymous)
            }
            None => &self.anonymous,
        };
        tls.handshake(transport, host, versions).await
    }

    /// Performs the TLS handshake with a proxy. Client certificates are never
    /// sent to proxies.
    pub async fn encrypt_proxy(
        &self,
        transport: Transport,
        host: &Host<&str>,
    ) -> Result<Transport, FetchOutcome> {
        self.anonymous.handshake(transport, host, Versions::Http1).await
    }
}

impl Tls {
    fn new(
        roots: &Arc<RootCertStore>,
        identity: Option<&ClientIdentity>,
    ) -> Result<Self, SetupError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(SetupError::Tls)?
            .with_root_certificates(Arc::clone(roots));
        let mut config = match identity {
            Some(identity) => builder
                .with_client_auth_cert(identity.chain(), identity.key())
                .map_err(SetupError::Identity)?,
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![ALPN_HTTP1.to_vec()];
        let http1 = config.clone();
        config.alpn_protocols.insert(0, ALPN_HTTP2.to_vec());
        let connector = |config| TlsConnector::from(Arc::new(config));
        Ok(Self { any: connector(config), http1: connector(http1) })
    }

    /// Performs the TLS handshake.
    async fn handshake(
        &self,
        transport: Transport,
        host: &Host<&str>,
        versions: Versions,
    ) -> Result<Transport, FetchOutcome> {
        let name = server_name(host).ok_or(FetchOutcome::TlsFailed(TlsError::WrongName))?;
        let tls = match versions {
            Versions::Any => &self.any,
            Versions::Http1 => &self.http1,
        };
        match tls.connect(name, transport).await {
            Ok(stream) => Ok(Transport::Tls(Box::new(stream))),
            Err(error) => Err(FetchOutcome::TlsFailed(outcome::from_tls_error(&error))),
        }
    }
}

/// Returns the public certificate authorities and additional authorities.
fn roots(extra: &[Vec<u8>]) -> Result<RootCertStore, SetupError> {
    let public = webpki_roots::TLS_SERVER_ROOTS.iter().cloned();
    let mut roots: RootCertStore = public.collect();
    for der in extra {
        roots.add(CertificateDer::from(der.clone())).map_err(SetupError::Root)?;
    }
    Ok(roots)
}

/// Returns the name that the server's certificate must be valid for.
fn server_name(host: &Host<&str>) -> Option<ServerName<'static>> {
    match host {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            ServerName::try_from(name.to_owned()).ok()
        }
        Host::Ipv4(address) => Some(IpAddr::V4(*address).into()),
        Host::Ipv6(address) => Some(IpAddr::V6(*address).into()),
    }
}

/// Connects to the first address that accepts the connection.
pub(crate) async fn connect(allowed: &AllowedAddrs) -> Result<(TcpStream, IpAddr), FetchOutcome> {
    race(allowed, |address| async move {
        let stream = TcpStream::connect(address).await;
        let stream = stream.map_err(|error| outcome::from_connect_error(&error))?;
        // Requests are small, so Nagle's algorithm would only delay them. The
        // connection also works without this option.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    })
    .await
}

/// Tries the addresses in order until an attempt succeeds (RFC 8305, section 5). The next
/// attempt starts when an attempt fails, or after [`ATTEMPT_DELAY`] while other attempts still
/// run.
pub(crate) async fn race<T, F, A>(
    allowed: &AllowedAddrs,
    attempt: A,
) -> Result<(T, IpAddr), FetchOutcome>
where
    T: Send + 'static,
    F: Future<Output = Result<T, FetchOutcome>> + Send + 'static,
    A: Fn(SocketAddr) -> F,
{
    if let [address] = allowed.addresses() {
        return attempt(*address).await.map(|reached| (reached, address.ip()));
    }
    let mut waiting = allowed.addresses().iter().take(MAX_ATTEMPTS).copied();
    let mut attempts = JoinSet::new();
    let mut failure: Option<FetchOutcome> = None;
    loop {
        match waiting.next() {
            Some(address) => {
                let reached = attempt(address);
                attempts.spawn(async move { reached.await.map(|value| (value, address.ip())) });
            }
            None if attempts.is_empty() => break,
            None => {}
        }
        // Without further addresses, wait until a running attempt ends.
        let wait = if waiting.len() == 0 { Duration::MAX } else { ATTEMPT_DELAY };
        match timeout(wait, attempts.join_next()).await {
            Ok(Some(Ok(Ok(reached)))) => return Ok(reached),
            Ok(Some(Ok(Err(outcome)))) => failure = Some(more_specific(failure, outcome)),
            // The delay has passed: start the next attempt.
            _ => {}
        }
    }
    Err(failure.unwrap_or(FetchOutcome::ConnectFailed(ConnectError::Other)))
}

/// Returns the outcome that says more about the host. For example, a refused IPv4 connection says
/// more than a missing IPv6 route.
fn more_specific(first: Option<FetchOutcome>, second: FetchOutcome) -> FetchOutcome {
    match (first, second) {
        (
            Some(first),
            FetchOutcome::ConnectFailed(ConnectError::Unreachable | ConnectError::Other),
        ) => first,
        (_, second) => second,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_specific_prefers_refusal_over_missing_route() {
        let refused = FetchOutcome::ConnectFailed(ConnectError::Refused);
        let unreachable = FetchOutcome::ConnectFailed(ConnectError::Unreachable);
        let outcome = more_specific(Some(refused.clone()), unreachable.clone());
        assert_eq!(outcome, refused);
        assert_eq!(more_specific(Some(unreachable.clone()), refused.clone()), refused);
        assert_eq!(more_specific(None, unreachable.clone()), unreachable);
    }

    #[test]
    fn server_name_has_no_trailing_dot() {
        let name = server_name(&Host::Domain("example.org.")).unwrap();
        assert_eq!(name.to_str(), "example.org");
    }
}
