//! Makes connections, to cleared addresses only.
//!
//! Names are the resolver's business and permission the policy's; what comes
//! in here is the list both agreed on.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use relink_model::{ConnectFault, Ending, TlsFault};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::Host;

use crate::endings;
use crate::line::Wire;
use crate::policy::Cleared;
use crate::settings::SetupError;

/// How long one address may hang before the next is tried beside it
/// (RFC 8305, section 8, names 250 ms as a default).
const STAGGER: Duration = Duration::from_millis(300);

/// How many of a host's addresses are tried; some names have dozens.
const ATTEMPTS: usize = 8;

/// Makes TCP and TLS connections.
pub(crate) struct Connector {
    tls: TlsConnector,
}

impl Connector {
    /// Trusts the public certificate authorities and `extra` ones, in DER.
    pub fn new(extra: &[Vec<u8>]) -> Result<Self, SetupError> {
        let public = webpki_roots::TLS_SERVER_ROOTS.iter().cloned();
        let mut roots: RootCertStore = public.collect();
        for der in extra {
            roots.add(CertificateDer::from(der.clone())).map_err(SetupError::Root)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(SetupError::Tls)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { tls: TlsConnector::from(Arc::new(config)) })
    }

    /// Agrees on encryption with the host the URL names.
    pub async fn encrypt(&self, stream: TcpStream, host: &Host<&str>) -> Result<Wire, Ending> {
        let name = server_name(host).ok_or(Ending::Tls(TlsFault::WrongName))?;
        match self.tls.connect(name, stream).await {
            Ok(stream) => Ok(Wire::Tls(Box::new(stream))),
            Err(fault) => Err(Ending::Tls(endings::of_tls(&fault))),
        }
    }
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
///
/// The next address is tried when one fails, or beside it when it hangs.
pub(crate) async fn connect(cleared: &Cleared) -> Result<(TcpStream, IpAddr), Ending> {
    let mut waiting = cleared.addresses().iter().take(ATTEMPTS).copied();
    let mut attempts = JoinSet::new();
    let mut told: Option<Ending> = None;
    loop {
        match waiting.next() {
            Some(address) if cleared.addresses().len() == 1 => return attempt(address).await,
            Some(address) => _ = attempts.spawn(attempt(address)),
            None if attempts.is_empty() => break,
            None => {}
        }
        let patience = if waiting.len() == 0 { Duration::MAX } else { STAGGER };
        match timeout(patience, attempts.join_next()).await {
            Ok(Some(Ok(Ok(connected)))) => return Ok(connected),
            Ok(Some(Ok(Err(ending)))) => told = Some(more_telling(told, ending)),
            _ => {}
        }
    }
    Err(told.unwrap_or(Ending::NoConnection(ConnectFault::Other)))
}

async fn attempt(address: SocketAddr) -> Result<(TcpStream, IpAddr), Ending> {
    let stream = TcpStream::connect(address).await.map_err(|fault| endings::of_connect(&fault))?;
    // One small write per request: waiting to fill a packet only delays it.
    // A system that cannot switch that off still serves.
    let _ = stream.set_nodelay(true);
    Ok((stream, address.ip()))
}

/// Of two failed addresses, the one that says more about the host: an IPv6
/// address without a route says nothing where IPv4 was refused.
fn more_telling(told: Option<Ending>, ending: Ending) -> Ending {
    match (told, ending) {
        (Some(told), Ending::NoConnection(ConnectFault::Unreachable | ConnectFault::Other)) => told,
        (_, ending) => ending,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_more_than_a_missing_route() {
        let refused = Ending::NoConnection(ConnectFault::Refused);
        let unreachable = Ending::NoConnection(ConnectFault::Unreachable);
        let told = more_telling(Some(refused.clone()), unreachable.clone());
        assert_eq!(told, refused);
        assert_eq!(more_telling(Some(unreachable.clone()), refused.clone()), refused);
        assert_eq!(more_telling(None, unreachable.clone()), unreachable);
    }

    #[test]
    fn a_final_dot_is_no_part_of_the_certified_name() {
        let name = server_name(&Host::Domain("example.org.")).unwrap();
        assert_eq!(name.to_str(), "example.org");
    }
}
