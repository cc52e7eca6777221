//! CDX: the index of a web archive, asked over HTTP.
//!
//! Two servers, two dialects: how each is asked is in `question`, what they
//! answer is in `rows`, which reads every form without being told which, and
//! what a row means is in `meaning`.

mod array;
mod meaning;
mod question;
mod rows;

pub(crate) use meaning::{capture, resolve_revisits};
pub use question::Dialect;
pub(crate) use question::{Page, bare, question};
pub(crate) use rows::{Answer, Row, read};

/// The longest row read; longer ones are skipped. Servers give up on URLs of a
/// quarter of this.
pub(crate) const ROW_CAP: usize = 64 * 1024;
