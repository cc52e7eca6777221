//! CDX, the index format of web archives.
//!
//! `query_url` builds the request in the dialect of the server, `rows` parses
//! all response formats, and `capture` converts rows to captures.

mod array;
mod capture;
mod query_url;
mod rows;

pub(crate) use capture::{capture_from_row, resolve_revisits};
pub use query_url::CdxDialect;
pub(crate) use query_url::{CdxCursor, query_url, sanitize_url};
pub(crate) use rows::{CdxResponse, Row, parse};

/// Maximum length of a row in bytes. Longer rows are skipped. Servers reject
/// URLs of a quarter of this length.
pub(crate) const MAX_ROW_BYTES: usize = 64 * 1024;
