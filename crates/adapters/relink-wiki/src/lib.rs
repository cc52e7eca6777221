//! Reads and edits wikis that run MediaWiki.
//!
//! [`MediaWiki`] implements the port `Wiki` with the Action API, on a `Fetch` port.
//! [`PageCopies`] stores the texts of pages in a directory and serves them as documents.
//! [`JsonJournal`] records edits in a file. The engine decides which links are repaired
//! and when a page is edited.

mod journal;
mod media_wiki;
mod page_copies;
mod response;
mod session;

pub use journal::JsonJournal;
pub use media_wiki::{MediaWiki, MediaWikiSettings, WikiLogin};
pub use page_copies::PageCopies;
