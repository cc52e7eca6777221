//! Where did the page go?
//!
//! Pure rules: nothing here asks an archive, a search engine or a server.
//! What they said comes in as values; an alias, or the reason why there is
//! none, goes out. Whether an answer is alive is for others to check.
//!
//! The rules follow Zhu et al., "Reviving Dead Links on the Web with FABLE",
//! IMC 2023. Where measurements led us elsewhere, the paper's own rule stays
//! as a named policy and the difference is written beside it.
//!
//! - [`directory`], [`site`]: which addresses belong together.
//! - [`redirects`]: which redirects of old can be trusted.
//! - [`pattern`]: how a new address is made, roughly.
//! - [`program`]: how it is made, exactly, learned from examples.
//! - [`dead_directory`]: where looking is futile.
//! - [`matching`]: which live page of the site is the dead one, if any.
//! - [`replacement`]: which page elsewhere has its content.
//! - [`evidence`], [`reason`], [`cost`]: what an answer rests on, why there is
//!   none, and what it took.

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

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

mod address;
mod old_page;
mod tokens;

pub use directory::Directory;
pub use old_page::OldPage;
pub use reason::NoAliasReason;
pub use site::Site;
