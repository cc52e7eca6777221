//! Adapters for web archives and search engines, remote and local.
//!
//! [`WebArchive`] queries an archive over HTTP and [`LocalArchive`] reads
//! archive files. Both implement [`relink_ports::Archive`]. They return
//! captures as they were archived, including error pages, and do not judge or
//! compare them.
//!
//! Terms and formats of web archives:
//!
//! - A *capture* is an archived response. To *replay* it is to return this response.
//! - A *revisit* is a capture without a body: the body is that of an earlier capture
//!   with the same digest.
//! - *WARC* files contain responses. *CDX* and *CDXJ* are index formats, with one row
//!   per capture. *SURT* is their sort key: a URL with its host name reversed.
//! - *Memento* (RFC 7089) is the protocol to request a capture by URL and time.
//!
//! [`WebSearch`] queries a search engine over HTTP and `LocalIndex` (feature
//! `search`) is a local full-text index. Both implement
//! [`relink_ports::SearchEngine`]. They return URLs and do not check whether
//! these are alive.
//!
//! All HTTP requests use the given [`relink_ports::Fetch`], so there is a
//! single address policy. Each service has one client that sends one request at
//! a time and obeys rate limits and budgets ([`ServiceLimits`]).

mod archive;
mod search;
mod service_client;

pub use archive::{
    CdxDialect, LocalArchive, LocalProblem, PywbRecorder, SavePageNow, SavePageNowSettings,
    WarcWriter, WebArchive, WebArchiveSettings,
};
pub use search::{
    ApiKeyConfig, ApiKeyPlacement, ResponseMapping, SearchTemplate, SearchTemplateError,
    SiteFilter, TextKind, WebSearch, WebSearchSettings,
};
#[cfg(feature = "search")]
pub use search::{IndexedPage, LocalIndex};
pub use service_client::ServiceLimits;
