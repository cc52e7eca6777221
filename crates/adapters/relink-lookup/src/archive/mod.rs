//! Web archives, which store responses of web servers: remote ([`WebArchive`]) and local
//! ([`LocalArchive`]).

mod cdx;
mod link_format;
mod listing;
mod local;
mod replay;
mod settings;
mod submission;
mod surt;
mod timemap;
mod timestamp;
mod web;

pub use cdx::CdxDialect;
pub use local::{LocalArchive, LocalProblem, WarcWriter};
pub use settings::WebArchiveSettings;
pub use submission::{PywbRecorder, SavePageNow, SavePageNowSettings};
pub use web::WebArchive;
