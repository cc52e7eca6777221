//! CDX: the index of a web archive, asked over HTTP.
//!
//! Two servers, two dialects: how each is asked is in `question`, what they
//! answer is in `rows`, which reads every form without being told which, and
//! what a row means is in `meaning`.

mod array;
mod capture;
mod query_url;
mod rows;

pub(crate) use capture::{capture, resolve_revisits};
pub use query_url::CdxDialect;
pub(crate) use query_url::{CdxCursor, bare, query_url};
pub(crate) use rows::{CdxResponse, Row, read};

/// The longest row read; longer ones are skipped. Servers give up on URLs of a
/// quarter of this.
pub(crate) const ROW_CAP: usize = 64 * 1024;
