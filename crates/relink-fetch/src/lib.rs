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
//! and which may be private. The hosts asked are looked up by the proxy, out
//! of our sight: only addresses written into a URL and names under `localhost`
//! can still be barred, overrides of addresses do not reach them, and no hop
//! tells an address. Whoever must not reach a private network through a proxy
//! has to say so to the proxy.

mod body;
mod chain;
mod connector;
mod cookies;
mod decode;
mod dial;
mod endings;
mod fetcher;
mod greeting;
mod header_host;
mod line;
mod policy;
mod pool;
mod proxy;
mod redirects;
mod relay;
mod resolve_override;
mod resolver;
mod retry_after;
mod roots;
mod settings;
mod stopwatch;

pub use fetcher::Fetcher;
pub use header_host::{HeaderHost, ParseHeaderHostError};
pub use policy::is_global;
pub use proxy::{ParseProxyError, Proxy};
pub use resolve_override::{Override, ParseOverrideError};
pub use roots::{SystemRootsError, system_roots};
pub use settings::{Settings, SetupError};
