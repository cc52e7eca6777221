//! Web archives: on the web ([`WebArchive`]) and on the disk ([`LocalArchive`]).

mod cdx;
mod link_format;
mod listing;
mod local;
mod replay;
mod settings;
mod stamp;
mod surt;
mod timemap;
mod web;

pub use cdx::Dialect;
pub use local::{LocalArchive, LocalProblem};
pub use settings::WebArchiveSettings;
pub use web::WebArchive;
