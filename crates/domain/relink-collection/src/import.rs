//! Import formats of collections.

mod bookmarks;
mod crawl;
mod json;
mod markdown;
mod opml;
mod table;

use std::fmt;
use std::str::FromStr;

use relink_page::DocumentFormat;
use serde::{Deserialize, Serialize};

use crate::outline::{ContextKind, Outline, OutlineBuilder};

pub use crawl::{CrawledPage, crawl_outline};

/// A format of collections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportFormat {
    /// Bookmarks exported by a browser, or a web page with headings and links.
    Bookmarks,
    /// A Markdown document with links below headings.
    Markdown,
    /// A table with a column of URLs.
    Csv,
    /// An OPML outline.
    Opml,
    /// JSON: exported by Relink or a browser, or a list of URLs.
    Json,
    /// A sitemap.
    Sitemap,
    /// One URL per line.
    List,
}

/// A name that is not an import format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseImportFormatError(String);

impl fmt::Display for ParseImportFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = ImportFormat::ALL.iter().map(|format| format.as_str()).collect();
        write!(f, "unknown format `{}` (expected {})", self.0, names.join(", "))
    }
}

impl std::error::Error for ParseImportFormatError {}

impl ImportFormat {
    /// All formats.
    pub const ALL: [Self; 7] = [
        Self::Bookmarks,
        Self::Markdown,
        Self::Csv,
        Self::Opml,
        Self::Json,
        Self::Sitemap,
        Self::List,
    ];

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bookmarks => "bookmarks",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Opml => "opml",
            Self::Json => "json",
            Self::Sitemap => "sitemap",
            Self::List => "list",
        }
    }

    /// Returns the format of a file, from its extension and the start of its text.
    ///
    /// ```
    /// use relink_collection::ImportFormat;
    /// assert_eq!(ImportFormat::detect(Some("md"), ""), ImportFormat::Markdown);
    /// assert_eq!(ImportFormat::detect(None, "<opml version='2.0'>"), ImportFormat::Opml);
    /// ```
    pub fn detect(extension: Option<&str>, text: &str) -> Self {
        let start: String = text.trim_start().chars().take(2_000).collect();
        let start = start.to_ascii_lowercase();
        match extension.unwrap_or_default().to_ascii_lowercase().as_str() {
            "md" | "markdown" => Self::Markdown,
            "csv" | "tsv" => Self::Csv,
            "opml" => Self::Opml,
            "json" => Self::Json,
            "txt" | "list" => Self::List,
            _ if start.contains("<opml") => Self::Opml,
            _ if start.contains("<urlset") || start.contains("<sitemapindex") => Self::Sitemap,
            _ if start.starts_with('<') => Self::Bookmarks,
            _ if start.starts_with('{') || start.starts_with('[') && start.contains('"') => {
                Self::Json
            }
            _ if start.contains("](") => Self::Markdown,
            _ => Self::List,
        }
    }

    /// Returns the context of collections that do not declare a context. Each folder of
    /// bookmarks or of an outline has its own topic. A table or sitemap has one topic.
    pub const fn default_context(self) -> ContextKind {
        match self {
            Self::Bookmarks | Self::Markdown | Self::Opml | Self::Json => ContextKind::Folder,
            Self::Csv | Self::Sitemap | Self::List => ContextKind::All,
        }
    }
}

impl fmt::Display for ImportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ImportFormat {
    type Err = ParseImportFormatError;

    fn from_str(text: &str) -> Result<Self, ParseImportFormatError> {
        let format = Self::ALL.into_iter().find(|format| format.as_str() == text);
        format.ok_or_else(|| ParseImportFormatError(text.to_owned()))
    }
}

/// Whether a text is an index of sitemaps. Its entries are sitemaps and not pages.
///
/// ```
/// assert!(relink_collection::is_sitemap_index("<?xml version='1.0'?><sitemapindex>"));
/// assert!(!relink_collection::is_sitemap_index("<urlset>"));
/// ```
pub fn is_sitemap_index(text: &str) -> bool {
    let start: String = text.chars().take(2_000).collect();
    start.to_ascii_lowercase().contains("<sitemapindex")
}

/// Reads a file. A malformed file yields the entries that can be read.
///
/// ```
/// use relink_collection::{ImportFormat, read_outline};
/// let outline = read_outline(
///     ImportFormat::Markdown,
///     "# Birds\n## Owls\n- [Snowy owl](https://example.org/snowy): white",
/// );
/// assert_eq!(outline.title.as_deref(), Some("Birds"));
/// assert_eq!(outline.folders[1].path, ["Owls"]);
/// assert_eq!(outline.folders[1].entries[0].annotation, "white");
/// ```
pub fn read_outline(format: ImportFormat, text: &str) -> Outline {
    let mut builder = OutlineBuilder::default();
    match format {
        ImportFormat::Bookmarks => bookmarks::read(text, &mut builder),
        ImportFormat::Markdown => markdown::read(text, &mut builder),
        ImportFormat::Csv => table::read(text, &mut builder),
        ImportFormat::Opml => opml::read(text, &mut builder),
        ImportFormat::Json => json::read(text, &mut builder),
        ImportFormat::Sitemap => read_links(DocumentFormat::Xml, text, &mut builder),
        ImportFormat::List => read_list(text, &mut builder),
    }
    builder.finish()
}

/// Adds every link of a document as an entry without a title.
fn read_links(format: DocumentFormat, text: &str, builder: &mut OutlineBuilder) {
    relink_page::for_each_link(format, text.as_bytes(), &mut |link| {
        builder.add_url(&link.raw, "");
    });
}

/// Reads one URL per line; text after the URL is its title.
fn read_list(text: &str, builder: &mut OutlineBuilder) {
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (url, title) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if !line.starts_with('#') {
            builder.add_url(url, title);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detect_prefers_the_extension_and_reads_the_start() {
        let detect = ImportFormat::detect;
        assert_eq!(
            detect(Some("html"), "<!DOCTYPE NETSCAPE-Bookmark-file-1>"),
            ImportFormat::Bookmarks
        );
        assert_eq!(detect(Some("xml"), "<?xml?><urlset>"), ImportFormat::Sitemap);
        assert_eq!(detect(Some("xml"), "<?xml?><opml>"), ImportFormat::Opml);
        assert_eq!(detect(None, "[{\"url\":1}]"), ImportFormat::Json);
        assert_eq!(detect(None, "[a](http://a.test)"), ImportFormat::Markdown);
        assert_eq!(detect(None, "http://a.test/"), ImportFormat::List);
    }

    #[test]
    fn sitemap_and_list_have_one_folder() {
        let xml = "<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>";
        assert_eq!(read_outline(ImportFormat::Sitemap, xml).folders[0].entries.len(), 2);
        let list = read_outline(ImportFormat::List, "# mine\nhttp://a.test/1 First page\n\nx\n");
        assert_eq!((list.len(), list.skipped), (1, 1));
        assert_eq!(list.folders[0].entries[0].title, "First page");
    }
}
