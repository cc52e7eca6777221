//! What do others remember? Web archives, on the web and on the disk.
//!
//! [`WebArchive`] asks an archive over HTTP, [`LocalArchive`] reads archive
//! files; both implement [`relink_ports::Archive`]. What they bring is what
//! was archived, error pages and all: nothing here judges a copy or compares
//! it with anything.
//!
//! HTTP goes through the [`relink_ports::Fetch`] it is given, so that there is
//! one address policy, and through one gate for each service, which asks one
//! thing at a time, slowly, and takes no for an answer ([`Manners`]).

mod archive;
mod gate;

pub use archive::{Dialect, LocalArchive, LocalProblem, WebArchive, WebArchiveSettings};
pub use gate::Manners;
