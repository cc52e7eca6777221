//! HTTP client with one resolver and one address policy.
//!
//! [`Fetcher`] implements [`relink_ports::Fetch`]. It sends GET requests,
//! follows redirects, reads a bounded part of the last response body and
//! returns a `FetchOutcome`. It does not judge responses, parse pages or retry
//! failed fetches.
//!
//! Every connection takes the same path: `resolver` finds the IP addresses of
//! the host, `policy` allows all of them or none, and `connector` connects to
//! allowed addresses only. Connections for other components
//! ([`relink_ports::Dial`]) take this path too.
//!
//! With a [`Proxy`], the crate connects to the addresses of the proxy, which may be
//! private because the user configured the proxy. Most proxies resolve host names
//! themselves. With such a proxy, the address policy applies only to literal IP addresses
//! and names under `localhost`, address overrides have no effect, and hops have no IP
//! address. A proxy that must not reach a private network has to be configured
//! accordingly. A `socks5://` proxy is the exception: it receives IP addresses that this
//! crate has resolved and allowed.
//!
//! Over TLS, a server may select HTTP/2 (ALPN). All requests to its host and
//! port then share one connection.

mod basic_auth;
mod body;
mod chain;
mod connection;
mod connector;
mod cookies;
mod decode;
mod dial;
mod fetcher;
mod header_host;
mod host_dialer;
mod http1;
mod http2;
mod identity;
mod no_proxy;
mod outcome;
mod pending_connections;
mod policy;
mod pool;
mod proxies;
mod proxy;
mod proxy_client;
mod redirects;
mod request_headers;
mod resolve_override;
mod resolver;
mod retry_after;
mod roots;
mod settings;
mod socks;
mod stopwatch;
mod transport;

pub use fetcher::Fetcher;
pub use header_host::{HeaderHost, ParseHeaderHostError};
pub use identity::{ClientIdentity, ParseIdentityError};
pub use no_proxy::{NoProxy, ParseNoProxyError};
pub use policy::is_global;
pub use proxies::Proxies;
pub use proxy::{ParseProxyError, Proxy};
pub use resolve_override::{ParseOverrideError, ResolveOverride};
pub use roots::{SystemRootsError, system_roots};
pub use settings::{FetchSettings, HostSettings, SetupError};
