//! How the user wants servers asked.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use thiserror::Error;
use url::Url;

use crate::{ClientIdentity, HeaderHost, Proxies, ResolveOverride};

/// What a [`crate::Fetcher`] is told once, at its start.
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// The longest one fetch may take in all, and so in each of its phases.
    pub timeout: Duration,
    /// The `User-Agent` sent, or wrapped in what old servers expect.
    pub user_agent: String,
    /// Headers the user adds; the first host of a chain alone gets them.
    pub headers: Vec<(String, String)>,
    /// The hosts that get them; `None` is every host that the user named, also
    /// in a document.
    pub header_hosts: Option<Vec<HeaderHost>>,
    /// Headers that the user adds for one host.
    pub host_headers: Vec<(HeaderHost, (String, String))>,
    /// Whether pages and redirects may lead to private addresses.
    pub allow_private: bool,
    /// Addresses given by hand; they come before the name server's. Hosts
    /// that are asked through a proxy are looked up by it, so there they
    /// count for the proxy's own name alone.
    pub resolve: Vec<ResolveOverride>,
    /// The name server to ask instead of the system's.
    pub dns_server: Option<SocketAddr>,
    /// The proxies that requests go through.
    pub proxies: Proxies,
    /// The most bytes read of a text, both as sent and decoded.
    pub text_cap: usize,
    /// The most bytes read of anything else.
    pub other_cap: usize,
    /// The most redirects followed.
    pub max_hops: usize,
    /// Certificate authorities trusted beside the public ones, in DER.
    pub tls_roots: Vec<Vec<u8>>,
    /// The client certificate for the hosts that get the user's headers.
    pub identity: Option<ClientIdentity>,
    /// What single hosts get.
    pub hosts: Vec<HostSettings>,
}

/// What one host gets, however its URL was found. `Debug` does not show the
/// values of headers.
#[derive(Clone)]
pub struct HostSettings {
    /// Scheme, host and port; the rest of the URL has no meaning.
    pub origin: Url,
    /// Headers for every request to it; they may be secret.
    pub headers: Vec<(String, String)>,
    /// A user name and password for every request to it.
    pub login: Option<(String, String)>,
    /// The client certificate to show to it.
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
            text_cap: 512 * 1024,
            other_cap: 16 * 1024,
            max_hops: 20,
            tls_roots: Vec::new(),
            identity: None,
            hosts: Vec::new(),
        }
    }
}

/// A fetcher could not be made from its settings.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The user agent cannot be sent.
    #[error("the user agent `{0}` has characters that cannot be sent")]
    UserAgent(String),
    /// A header's name cannot be sent. Its value may be secret and is not shown.
    #[error("`{0}` is not a header name")]
    HeaderName(String),
    /// A header's value cannot be sent. The value may be secret and is not shown.
    #[error("the value of the header `{0}` has characters that cannot be sent")]
    HeaderValue(String),
    /// The header belongs to the connection and is ours to set.
    #[error("the header `{0}` cannot be set by hand")]
    HeaderReserved(String),
    /// A certificate authority cannot be read.
    #[error("an extra certificate authority cannot be read")]
    Root(#[source] rustls::Error),
    /// Encryption could not be set up.
    #[error("encryption could not be set up")]
    Tls(#[source] rustls::Error),
    /// A client certificate and its key do not fit together.
    #[error("a client certificate cannot be used with its key")]
    Identity(#[source] rustls::Error),
    /// A login cannot be put into a header. It may be secret and is not shown.
    #[error("the login for `{0}` has characters that cannot be sent")]
    Login(String),
    /// The resolver could not be set up.
    #[error("the resolver could not be set up: {0}")]
    Resolver(String),
}
