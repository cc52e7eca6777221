//! How do we ask a server? HTTP with one resolver and one address policy.
//!
//! [`Fetcher`] implements [`relink_ports::Fetch`]: it asks with GET, follows
//! redirects hop by hop, reads a bounded part of the last answer, and says how
//! it all ended. It judges nothing, reads no page and never retries an answer;
//! those are other crates' questions.
//!
//! Every connection goes the same way: `resolver` finds the addresses,
//! `policy` clears all of them or none, `connector` uses only cleared ones.

mod body;
mod chain;
mod connector;
mod cookies;
mod decode;
mod endings;
mod fetcher;
mod greeting;
mod line;
mod policy;
mod pool;
mod redirects;
mod resolve_override;
mod resolver;
mod retry_after;
mod settings;
mod stopwatch;

pub use fetcher::Fetcher;
pub use policy::is_global;
pub use resolve_override::{Override, ParseOverrideError};
pub use settings::{Settings, SetupError};
