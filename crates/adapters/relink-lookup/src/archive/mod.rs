//! Web archives: on the web ([`WebArchive`]) and on the disk ([`LocalArchive`]).

mod cdx;
mod link_format;
mod listing;
mod local;
mod replay;
mod settings;
mod surt;
mod timemap;
mod timestamp;
mod web;

pub use cdx::CdxDialect;
pub use local::{LocalArchive, LocalProblem};
pub use settings::WebArchiveSettings;
pub use web::WebArchive;
