//! What do others remember? Web archives and search engines, on the web and
//! on the disk.
//!
//! [`WebArchive`] asks an archive over HTTP, [`LocalArchive`] reads archive
//! files; both implement [`relink_ports::Archive`]. What they bring is what
//! was archived, error pages and all: nothing here judges a copy or compares
//! it with anything.
//!
//! [`WebSearch`] asks a search engine over HTTP, `LocalIndex` (with the feature
//! `search`) is one of our own; both implement [`relink_ports::SearchEngine`].
//! What they bring are names of pages: nobody here looks whether they live.
//!
//! HTTP goes through the [`relink_ports::Fetch`] it is given, so that there is
//! one address policy, and through one gate for each service, which asks one
//! thing at a time, slowly, and takes no for an answer ([`Manners`]).

mod archive;
mod search;
mod service_client;

pub use archive::{CdxDialect, LocalArchive, LocalProblem, WebArchive, WebArchiveSettings};
pub use search::{
    ApiKeyConfig, KeyPlace, ResponseMapping, SearchTemplate, SearchTemplateError, SiteFilter,
    TextKind, WebSearch, WebSearchSettings,
};
#[cfg(feature = "search")]
pub use search::{IndexedPage, LocalIndex};
pub use service_client::ServiceLimits;
