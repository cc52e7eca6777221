//! Makes connections, to cleared addresses only.
//!
//! Names are the resolver's business and permission the policy's; what comes
//! in here is the list both agreed on.

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
use crate::wire::{ALPN_HTTP1, ALPN_HTTP2, Transport};

/// How long one address may hang before the next is tried in addition to it
/// (RFC 8305, section 8).
const STAGGER: Duration = Duration::from_millis(250);

/// How many of a host's addresses are tried; some names have dozens.
const ATTEMPTS: usize = 8;

/// Makes TLS connections.
pub(crate) struct Connector {
    anonymous: Tls,
    /// With the certificate for the hosts that the user named.
    named: Option<Tls>,
    /// With the certificate for one host.
    hosts: HashMap<PoolKey, Tls>,
}

/// TLS with one client certificate, or without one.
struct Tls {
    /// Offers HTTP/2 and HTTP/1.1.
    any: TlsConnector,
    /// Offers HTTP/1.1 only.
    http1: TlsConnector,
}

/// The versions of HTTP to offer in a TLS handshake (ALPN).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Versions {
    /// HTTP/2, or else HTTP/1.1.
    Any,
    /// HTTP/1.1 only.
    Http1,
}

impl Connector {
    /// Trusts the public certificate authorities and those of the settings.
    pub fn new(settings: &FetchSettings) -> Result<Self, SetupError> {
        let roots = Arc::new(roots(&settings.tls_roots)?);
        let tls = |identity: &ClientIdentity| Tls::new(&roots, Some(identity));
        let host = |host: &HostSettings| {
            let identity = host.identity.as_ref()?;
            Some(tls(identity).map(|tls| (PoolKey::of(&host.origin), tls)))
        };
        Ok(Self {
            anonymous: Tls::new(&roots, None)?,
            named: settings.identity.as_ref().map(tls).transpose()?,
            hosts: settings.hosts.iter().filter_map(host).collect::<Result<_, _>>()?,
        })
    }

    /// Whether hosts that the user named get a certificate that others do not.
    pub fn has_named_identity(&self) -> bool {
        self.named.is_some()
    }

    /// Agrees on encryption with the host of a connection's `origin`.
    pub async fn encrypt(
        &self,
        wire: Transport,
        host: &Host<&str>,
        origin: &PoolKey,
        versions: Versions,
    ) -> Result<Transport, FetchOutcome> {
        let tls = match self.hosts.get(&origin.anonymous()) {
            Some(tls) => tls,
            None if origin.is_named() => self.named.as_ref().unwrap_or(&self.anonymous),
            None => &self.anonymous,
        };
        tls.handshake(wire, host, versions).await
    }

    /// Agrees on encryption with a proxy. Client certificates are for hosts.
    pub async fn encrypt_proxy(
        &self,
        wire: Transport,
        host: &Host<&str>,
    ) -> Result<Transport, FetchOutcome> {
        self.anonymous.handshake(wire, host, Versions::Http1).await
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

    async fn handshake(
        &self,
        wire: Transport,
        host: &Host<&str>,
        versions: Versions,
    ) -> Result<Transport, FetchOutcome> {
        let name = server_name(host).ok_or(FetchOutcome::Tls(TlsError::WrongName))?;
        let tls = match versions {
            Versions::Any => &self.any,
            Versions::Http1 => &self.http1,
        };
        match tls.connect(name, wire).await {
            Ok(stream) => Ok(Transport::Tls(Box::new(stream))),
            Err(error) => Err(FetchOutcome::Tls(outcome::of_tls(&error))),
        }
    }
}

fn roots(extra: &[Vec<u8>]) -> Result<RootCertStore, SetupError> {
    let public = webpki_roots::TLS_SERVER_ROOTS.iter().cloned();
    let mut roots: RootCertStore = public.collect();
    for der in extra {
        roots.add(CertificateDer::from(der.clone())).map_err(SetupError::Root)?;
    }
    Ok(roots)
}

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

/// Connects to the first address that answers.
pub(crate) async fn connect(cleared: &AllowedAddrs) -> Result<(TcpStream, IpAddr), FetchOutcome> {
    race(cleared, |address| async move {
        let stream = TcpStream::connect(address).await;
        let stream = stream.map_err(|error| outcome::of_connect(&error))?;
        // One small write per request: waiting to fill a packet only delays it.
        // A system that cannot switch that off still serves.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    })
    .await
}

/// Attempts the addresses in their order until one is reached (RFC 8305,
/// section 5): the next one when an attempt fails, or in addition to it after
/// [`STAGGER`].
pub(crate) async fn race<T, F, A>(
    cleared: &AllowedAddrs,
    attempt: A,
) -> Result<(T, IpAddr), FetchOutcome>
where
    T: Send + 'static,
    F: Future<Output = Result<T, FetchOutcome>> + Send + 'static,
    A: Fn(SocketAddr) -> F,
{
    if let [address] = cleared.addresses() {
        return attempt(*address).await.map(|reached| (reached, address.ip()));
    }
    let mut waiting = cleared.addresses().iter().take(ATTEMPTS).copied();
    let mut attempts = JoinSet::new();
    let mut told: Option<FetchOutcome> = None;
    loop {
        match waiting.next() {
            Some(address) => {
                let reached = attempt(address);
                attempts.spawn(async move { reached.await.map(|it| (it, address.ip())) });
            }
            None if attempts.is_empty() => break,
            None => {}
        }
        let patience = if waiting.len() == 0 { Duration::MAX } else { STAGGER };
        match timeout(patience, attempts.join_next()).await {
            Ok(Some(Ok(Ok(reached)))) => return Ok(reached),
            Ok(Some(Ok(Err(ending)))) => told = Some(more_specific(told, ending)),
            _ => {}
        }
    }
    Err(told.unwrap_or(FetchOutcome::ConnectFailed(ConnectError::Other)))
}

/// Of two failed addresses, the one that says more about the host: an IPv6
/// address without a route says nothing where IPv4 was refused.
fn more_specific(told: Option<FetchOutcome>, ending: FetchOutcome) -> FetchOutcome {
    match (told, ending) {
        (
            Some(told),
            FetchOutcome::ConnectFailed(ConnectError::Unreachable | ConnectError::Other),
        ) => told,
        (_, ending) => ending,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_more_than_a_missing_route() {
        let refused = FetchOutcome::ConnectFailed(ConnectError::Refused);
        let unreachable = FetchOutcome::ConnectFailed(ConnectError::Unreachable);
        let told = more_specific(Some(refused.clone()), unreachable.clone());
        assert_eq!(told, refused);
        assert_eq!(more_specific(Some(unreachable.clone()), refused.clone()), refused);
        assert_eq!(more_specific(None, unreachable.clone()), unreachable);
    }

    #[test]
    fn a_final_dot_is_no_part_of_the_certified_name() {
        let name = server_name(&Host::Domain("example.org.")).unwrap();
        assert_eq!(name.to_str(), "example.org");
    }
}
