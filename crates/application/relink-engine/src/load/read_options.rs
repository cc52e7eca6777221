//! Options for reading documents and resolving their local links.

use std::path::PathBuf;

use relink_page::{Column, DocumentFormat, SlugStyle};
use url::Url;

/// Options for reading documents.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Format of all documents; detected from name and content if `None`.
    pub format: Option<DocumentFormat>,
    /// Table column with the URLs.
    pub column: Option<Column>,
    /// Rules for local links.
    pub local: LocalRules,
    /// Whether the fragments of links to web pages are checked.
    pub remote_anchors: bool,
    /// Whether hosts reserved for examples are skipped in files.
    pub skips_reserved: bool,
}

/// Rules for local links.
#[derive(Debug, Clone)]
pub struct LocalRules {
    /// Directory of root-relative links (`/…`).
    pub root: Option<PathBuf>,
    /// URL under which the documents are published. If set, relative links are
    /// resolved to web URLs.
    pub base: Option<Url>,
    /// File names of which a directory must contain at least one. `.` means
    /// the directory itself. If empty, the directory suffices.
    pub index_files: Vec<String>,
    /// Extensions that links may omit.
    pub fallback_extensions: Vec<String>,
    /// Style of heading anchors; anchors are not checked if `None`.
    pub anchors: Option<SlugStyle>,
}

impl Default for LocalRules {
    fn default() -> Self {
        Self {
            root: None,
            base: None,
            index_files: Vec::new(),
            fallback_extensions: Vec::new(),
            anchors: Some(SlugStyle::Any),
        }
    }
}
