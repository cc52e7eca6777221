//! How do we ask a server? HTTP with one resolver and one address policy.
//!
//! [`Fetcher`] implements [`relink_ports::Fetch`]: it asks with GET, follows
//! redirects hop by hop, reads a bounded part of the last answer, and says how
//! it all ended. It judges nothing, reads no page and never retries an answer;
//! those are other crates' questions.
//!
//! Every connection goes the same way: `resolver` finds the addresses,
//! `policy` clears all of them or none, `connector` uses only cleared ones. That is
//! so for connections made for someone else, too ([`relink_ports::Dial`]).
//!
//! With a [`Proxy`], those are the addresses of the proxy, which the user named
//! and which may be private. Proxies look up the hosts themselves: only
//! addresses written into a URL and names under `localhost` can still be
//! barred, overrides of addresses do not reach them, and hops have no address.
//! A proxy that must not reach a private network has to be configured so. The
//! exception is a `socks5://` proxy, which gets addresses that we have looked
//! up and cleared.
//!
//! Over TLS, a server may choose HTTP/2 (ALPN); then all requests for its host
//! and port share one connection.

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
mod http1;
mod http2;
mod identity;
mod no_proxy;
mod openings;
mod outcome;
mod policy;
mod pool;
mod proxies;
mod proxy;
mod proxy_client;
mod reach;
mod redirects;
mod request_headers;
mod resolve_override;
mod resolver;
mod retry_after;
mod roots;
mod settings;
mod socks;
mod stopwatch;
mod wire;

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
