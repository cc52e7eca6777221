//! How documents are read, and by which rule their local links are followed.

use std::path::PathBuf;

use relink_page::{Column, DocumentFormat, SlugStyle};
use url::Url;

/// How documents are read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format of every document, instead of what its name and content say.
    pub format: Option<DocumentFormat>,
    /// The column of tables that holds the addresses.
    pub column: Option<Column>,
    /// By which rule local links are followed.
    pub local: LocalRules,
    /// Whether places on web pages are looked for.
    pub remote_anchors: bool,
    /// Whether names reserved for examples are passed over in files.
    pub skips_reserved: bool,
}

/// By which rule local links are followed.
#[derive(Debug, Clone)]
pub struct LocalRules {
    /// The directory that `/…` starts from.
    pub root: Option<PathBuf>,
    /// The address that documents are published under. With one, relative links
    /// are web addresses.
    pub base: Option<Url>,
    /// What a directory must hold one of; `.` stands for the directory itself,
    /// and with no names it is enough.
    pub index_files: Vec<String>,
    /// Extensions that may be left out in links.
    pub fallback_extensions: Vec<String>,
    /// Whose anchors headings have; without, anchors are not checked.
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
