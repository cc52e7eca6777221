//! Settings of the HTTP client.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use thiserror::Error;
use url::Url;

use crate::{ClientIdentity, HeaderHost, Proxies, ResolveOverride};

/// Settings of a [`crate::Fetcher`].
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// Time limit of one fetch, including redirects. It also limits each phase.
    pub timeout: Duration,
    /// The `User-Agent` header. It is sent as is, or wrapped in the format of a
    /// browser for servers that expect a browser.
    pub user_agent: String,
    /// User-supplied headers. Only the first host of a redirect chain receives
    /// them.
    pub headers: Vec<(String, String)>,
    /// The hosts that receive `headers`. `None` means every host that the user
    /// supplied, including the hosts of links in documents.
    pub header_hosts: Option<Vec<HeaderHost>>,
    /// User-supplied headers for single hosts.
    pub host_headers: Vec<(HeaderHost, (String, String))>,
    /// Whether discovered URLs and redirects may resolve to private IP
    /// addresses.
    pub allow_private: bool,
    /// IP addresses that replace the result of the DNS lookup. A proxy resolves
    /// host names itself, so with a proxy the overrides apply only to the proxy's own
    /// name.
    pub resolve: Vec<ResolveOverride>,
    /// The DNS server to use instead of the system's servers.
    pub dns_server: Option<SocketAddr>,
    /// The proxies to send requests through.
    pub proxies: Proxies,
    /// Maximum number of bytes of a text body, both as sent and after decoding.
    pub max_text_bytes: usize,
    /// Maximum number of bytes of any other body.
    pub max_other_bytes: usize,
    /// Maximum number of redirects to follow.
    pub max_redirects: usize,
    /// Certificate authorities to trust in addition to the public authorities, in DER.
    pub tls_roots: Vec<Vec<u8>>,
    /// The client certificate for the hosts that receive `headers`.
    pub identity: Option<ClientIdentity>,
    /// Settings for single hosts.
    pub hosts: Vec<HostSettings>,
}

/// Settings for one host. They apply to user-supplied and discovered URLs of the host.
/// `Debug` does not print header values.
#[derive(Clone)]
pub struct HostSettings {
    /// Scheme, host and port. The other parts of the URL are ignored.
    pub origin: Url,
    /// Headers for every request to this host. They may contain secrets.
    pub headers: Vec<(String, String)>,
    /// User name and password for every request to this host.
    pub login: Option<(String, String)>,
    /// The client certificate for this host.
    pub identity: Option<ClientIdentity>,
}

impl fmt::Debug for HostSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("HostSettings")
            .field("origin", &self.origin.origin().ascii_serialization())
            .field("headers", &names)
            .field("has_login", &self.login.is_some())
            .field("identity", &self.identity)
            .finish()
    }
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            user_agent: concat!("Relink/", env!("CARGO_PKG_VERSION")).to_owned(),
            headers: Vec::new(),
            header_hosts: None,
            host_headers: Vec::new(),
            allow_private: false,
            resolve: Vec::new(),
            dns_server: None,
            proxies: Proxies::default(),
            max_text_bytes: 512 * 1024,
            max_other_bytes: 16 * 1024,
            max_redirects: 20,
            tls_roots: Vec::new(),
            identity: None,
            hosts: Vec::new(),
        }
    }
}

/// Invalid [`FetchSettings`].
#[derive(Debug, Error)]
pub enum SetupError {
    /// The user agent is not a valid header value.
    #[error("invalid user agent: `{0}` contains characters that cannot be sent")]
    UserAgent(String),
    /// Invalid header name. The value may be secret and is not shown.
    #[error("invalid header name: `{0}`")]
    HeaderName(String),
    /// Invalid header value. The value may be secret and is not shown.
    #[error("invalid value of header `{0}`: it contains characters that cannot be sent")]
    HeaderValue(String),
    /// The header is controlled by the HTTP client.
    #[error("cannot set header `{0}`: it is reserved for the HTTP client")]
    HeaderReserved(String),
    /// Invalid certificate authority.
    #[error("cannot parse an additional certificate authority")]
    Root(#[source] rustls::Error),
    /// TLS initialization failed.
    #[error("cannot initialize TLS")]
    Tls(#[source] rustls::Error),
    /// The client certificate does not match its private key.
    #[error("cannot use the client certificate with its private key")]
    Identity(#[source] rustls::Error),
    /// The login is not a valid header value. The login may be secret and is not
    /// shown.
    #[error("invalid login for `{0}`: it contains characters that cannot be sent")]
    Login(String),
    /// The DNS resolver could not be initialized.
    #[error("cannot initialize the DNS resolver: {0}")]
    Resolver(String),
}
