//! Finds the new URLs of dead pages.
//!
//! Pure rules: callers query archives, search engines and servers and pass the
//! responses as values. The result is an alias or the reason why there is none.
//! Callers verify that an alias is alive.
//!
//! The rules follow Zhu et al., "Reviving Dead Links on the Web with FABLE",
//! IMC 2023. Section numbers (§) in this crate refer to that paper. Where
//! measurements led to a different rule, the paper's rule remains as a named
//! policy, and a comment explains the difference.
//!
//! - [`directory`], [`site`]: group URLs.
//! - [`redirects`]: accepts or rejects historical redirects.
//! - [`pattern`]: coarse patterns of candidate URLs.
//! - [`program`]: URL programs, learned from examples.
//! - [`dead_directory`]: directories whose pages were deleted.
//! - [`matching`]: matches dead pages with live pages of the same site.
//! - [`replacement`]: pages on other sites with the same content.
//! - [`breakage`], [`copy_gap`]: how a page is broken, and what its archived
//!   copy lacks.
//! - [`evidence`], [`reason`], [`cost`]: the evidence for an alias, the reason
//!   why there is none, and the number of requests.

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

pub mod breakage;
pub mod copy_gap;
pub mod cost;
pub mod dead_directory;
pub mod directory;
pub mod evidence;
pub mod matching;
pub mod pattern;
pub mod program;
pub mod reason;
pub mod redirects;
pub mod replacement;
pub mod site;

mod old_page;
mod tokens;
mod url_parts;

pub use directory::Directory;
pub use old_page::OldPage;
pub use reason::NoAliasReason;
pub use site::{Site, is_same_site};
