//! Options for reading documents and resolving their local links.

use std::path::PathBuf;

use relink_frontier::UrlRemap;
use relink_page::{Column, DocumentFormat, SlugStyle};
use relink_sites::Generator;
use url::Url;

/// Options for reading documents.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent flag of the user")]
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
    /// Whether others write the documents, such as the pages of a wiki. Their URLs must
    /// not reach private addresses or receive the user's headers.
    pub is_third_party: bool,
    /// Whether links in code are checked.
    pub includes_code: bool,
    /// Whether the syntax of mail addresses is checked.
    pub checks_mail: bool,
    /// Rules that replace URLs before they are checked.
    pub remap: UrlRemap,
}

/// Rules for local links.
#[derive(Debug, Clone)]
pub struct LocalRules {
    /// Directories of root-relative links (`/…`), in order.
    pub roots: Vec<PathBuf>,
    /// Directories of root-relative links with a prefix, in order.
    pub maps: Vec<PathMap>,
    /// Whether the rules of a site generator apply.
    pub site: SiteChoice,
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

/// Which site generator publishes the documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SiteChoice {
    /// The one whose configuration file is found.
    #[default]
    Detect,
    /// Only this one, if its configuration file is found.
    Only(Generator),
    /// None.
    Off,
}

/// A directory that is published below a URL path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMap {
    /// The URL path, such as `/guide`.
    pub prefix: String,
    /// The directory.
    pub dir: PathBuf,
}

impl LocalRules {
    /// Returns the files that a root-relative path may refer to: those of the
    /// maps, then those of the roots.
    pub fn paths_of(&self, path: &str) -> Vec<PathBuf> {
        let below = |map: &PathMap| {
            let rest = path.strip_prefix(map.prefix.trim_end_matches('/'))?;
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| map.dir.join(rest.trim_start_matches('/')))
        };
        let mapped = self.maps.iter().filter_map(below);
        let rooted = self.roots.iter().map(|root| root.join(path.trim_start_matches('/')));
        mapped.chain(rooted).collect()
    }
}

impl Default for LocalRules {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            maps: Vec::new(),
            site: SiteChoice::Detect,
            base: None,
            index_files: Vec::new(),
            fallback_extensions: Vec::new(),
            anchors: Some(SlugStyle::Any),
        }
    }
}
