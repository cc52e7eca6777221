//! Document formats: detection by file name, media type or content, and the
//! extractor of each format.
//!
//! The file extension takes precedence over the content. The content is used if the
//! extension is not specific (`.txt`) or there is no name (standard input).

mod data;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::asciidoc::AsciiDoc;
use crate::bare_url::PlainText;
use crate::css::Css;
use crate::csv::Table;
use crate::html::{Html, IncrementalHtml};
use crate::json::Json;
use crate::link_sink::Extractor;
use crate::list::{UrlList, looks_like_list};
use crate::markdown::Markdown;
use crate::notebook::Notebook;
use crate::options::Options;
use crate::rst::Rst;
use crate::safe_slice::SafeSlice as _;
use crate::source::Source;
use crate::source_text::decode_text;
use crate::wikitext::Wikitext;
use crate::window::{IncrementalExtractor, WholeDocument};
use crate::xml::{IncrementalXml, Xml};

/// Number of bytes inspected to detect the format.
const SNIFF_LENGTH: usize = 64 * 1024;

/// Number of bytes inspected to distinguish text from binary content.
const BINARY_SNIFF_LENGTH: usize = 1024;

/// A document format with a link extractor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentFormat {
    /// CommonMark with GitHub's extensions.
    Markdown,
    /// HTML and XHTML.
    Html,
    /// One URL per line.
    UrlList,
    /// Plain text with bare URLs.
    PlainText,
    /// reStructuredText.
    Rst,
    /// AsciiDoc.
    AsciiDoc,
    /// MediaWiki markup.
    Wikitext,
    /// Style sheets.
    Css,
    /// XML: sitemaps, feeds, OPML outlines and others.
    Xml,
    /// Jupyter notebooks.
    Notebook,
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// JSON, including bookmark files of browsers.
    Json,
    /// One JSON value per line.
    JsonLines,
    /// Source code: URLs in comments.
    Source,
}

/// Error returned when parsing an unknown format name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseFormatError(String);

impl fmt::Display for ParseFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = DocumentFormat::ALL.map(DocumentFormat::as_str).join(", ");
        write!(f, "unknown format `{}` (expected one of {names})", self.0)
    }
}

impl std::error::Error for ParseFormatError {}

impl FromStr for DocumentFormat {
    type Err = ParseFormatError;

    fn from_str(name: &str) -> Result<Self, ParseFormatError> {
        Self::from_name(name).ok_or_else(|| ParseFormatError(name.to_owned()))
    }
}

impl fmt::Display for DocumentFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl DocumentFormat {
    /// All formats.
    pub const ALL: [Self; 15] = [
        Self::Markdown,
        Self::Html,
        Self::Rst,
        Self::AsciiDoc,
        Self::Wikitext,
        Self::Css,
        Self::Xml,
        Self::Notebook,
        Self::Csv,
        Self::Tsv,
        Self::Json,
        Self::JsonLines,
        Self::UrlList,
        Self::PlainText,
        Self::Source,
    ];

    /// Returns the format with this name, ignoring case. `mediawiki` is another
    /// name of `wikitext`.
    ///
    /// ```
    /// use relink_page::DocumentFormat;
    /// assert_eq!(DocumentFormat::from_name("list"), Some(DocumentFormat::UrlList));
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name.eq_ignore_ascii_case("mediawiki") { "wikitext" } else { name };
        Self::ALL.into_iter().find(|format| format.as_str().eq_ignore_ascii_case(name))
    }

    /// Returns the name used on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Rst => "rst",
            Self::AsciiDoc => "asciidoc",
            Self::Wikitext => "wikitext",
            Self::Css => "css",
            Self::Xml => "xml",
            Self::Notebook => "notebook",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Json => "json",
            Self::JsonLines => "jsonl",
            Self::UrlList => "list",
            Self::PlainText => "text",
            Self::Source => "source",
        }
    }

    /// Detects the format of a local document by the file extension, then by
    /// content.
    ///
    /// ```
    /// use relink_page::DocumentFormat;
    /// assert_eq!(DocumentFormat::from_file(Some("README.md"), b""), DocumentFormat::Markdown);
    /// assert_eq!(DocumentFormat::from_file(None, b"https://example.org/"), DocumentFormat::UrlList);
    /// ```
    pub fn from_file(name: Option<&str>, content: &[u8]) -> Self {
        name.and_then(Self::from_extension).unwrap_or_else(|| Self::from_text(&head(content)))
    }

    /// Detects the format of a fetched document by its `Content-Type`, or by
    /// content if the header is missing. Returns `None` if the format has no
    /// links that can be extracted.
    pub fn from_content_type(content_type: Option<&str>, content: &[u8]) -> Option<Self> {
        let media_type = content_type.map(media_type).unwrap_or_default();
        match media_type.as_str() {
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            "text/markdown" | "text/x-markdown" => Some(Self::Markdown),
            "text/uri-list" => Some(Self::UrlList),
            "text/x-rst" | "text/prs.fallenstein.rst" => Some(Self::Rst),
            "text/asciidoc" | "text/x-asciidoc" => Some(Self::AsciiDoc),
            "text/x-wiki" | "text/x-mediawiki" | "text/mediawiki" => Some(Self::Wikitext),
            "text/plain" if looks_like_list(&head(content)) => Some(Self::UrlList),
            "text/plain" => Some(Self::PlainText),
            "" if !is_binary(content) => Some(Self::from_text(&head(content))),
            other => data::from_media_type(other, &head(content)),
        }
    }

    /// Returns the extractor of this format.
    pub(crate) fn extractor(self, options: &Options) -> Box<dyn Extractor + '_> {
        match self {
            Self::Markdown => Box::new(Markdown),
            Self::Html => Box::new(Html),
            Self::UrlList => Box::new(UrlList),
            Self::PlainText => Box::new(PlainText),
            Self::Rst => Box::new(Rst),
            Self::AsciiDoc => Box::new(AsciiDoc),
            Self::Wikitext => Box::new(Wikitext),
            Self::Css => Box::new(Css),
            Self::Xml => Box::new(Xml),
            Self::Notebook => Box::new(Notebook),
            Self::Csv => Box::new(Table::csv(options.column.as_ref())),
            Self::Tsv => Box::new(Table::tsv(options.column.as_ref())),
            // JSON strings end at a line end, so JSON Lines needs no extractor
            // of its own.
            Self::Json | Self::JsonLines => Box::new(Json),
            Self::Source => Box::new(Source(options.language)),
        }
    }

    /// Returns the incremental extractor of this format.
    pub(crate) fn incremental_extractor(
        self,
        options: &Options,
    ) -> Box<dyn IncrementalExtractor + Send + '_> {
        let column = options.column.as_ref();
        match self {
            Self::Html => Box::new(IncrementalHtml::default()),
            Self::Xml => Box::new(IncrementalXml::default()),
            Self::Csv => Box::new(Table::csv(column).incremental()),
            Self::Tsv => Box::new(Table::tsv(column).incremental()),
            Self::Json | Self::JsonLines => Box::new(Json),
            Self::UrlList => Box::new(UrlList),
            Self::PlainText => Box::new(PlainText),
            Self::Markdown => Box::new(WholeDocument(Markdown)),
            Self::Rst => Box::new(WholeDocument(Rst)),
            Self::AsciiDoc => Box::new(WholeDocument(AsciiDoc)),
            Self::Wikitext => Box::new(WholeDocument(Wikitext)),
            Self::Css => Box::new(WholeDocument(Css)),
            Self::Notebook => Box::new(WholeDocument(Notebook)),
            Self::Source => Box::new(WholeDocument(Source(options.language))),
        }
    }

    /// Whether documents of this format can be processed in bounded memory by a
    /// [`WindowedExtractor`](crate::WindowedExtractor).
    pub const fn is_incremental(self) -> bool {
        matches!(
            self,
            Self::Html
                | Self::Xml
                | Self::Csv
                | Self::Tsv
                | Self::Json
                | Self::JsonLines
                | Self::UrlList
                | Self::PlainText
        )
    }

    fn from_extension(name: &str) -> Option<Self> {
        let file_name = name.rsplit(['/', '\\']).next()?;
        let extension = file_name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdown" | "mdwn" | "mkd" | "mkdn" | "mdx" | "qmd" | "rmd" => {
                Some(Self::Markdown)
            }
            "html" | "htm" | "xhtml" | "xht" | "shtml" => Some(Self::Html),
            "urls" | "list" | "lst" => Some(Self::UrlList),
            "rst" | "rest" => Some(Self::Rst),
            "adoc" | "asciidoc" | "asc" => Some(Self::AsciiDoc),
            "wiki" | "wikitext" | "mediawiki" | "mw" => Some(Self::Wikitext),
            _ => data::from_file_name(file_name),
        }
    }

    fn from_text(text: &str) -> Self {
        if starts_like_html(text) {
            Self::Html
        } else if let Some(format) = data::from_text(text) {
            format
        } else if looks_like_list(text) {
            Self::UrlList
        } else {
            Self::PlainText
        }
    }
}

/// Returns the media type of a `Content-Type`, without parameters, in lower
/// case.
pub(crate) fn media_type(content_type: &str) -> String {
    let essence = content_type.split([';', ',']).next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Decodes the start of a document for the detection of its format.
fn head(content: &[u8]) -> Cow<'_, str> {
    decode_text(content.slice(..content.len().min(SNIFF_LENGTH)), None)
}

/// Whether the content is not text. UTF-16 text contains zero bytes, but starts
/// with a byte order mark.
pub fn is_binary(content: &[u8]) -> bool {
    let is_utf16 = content.starts_with(b"\xFF\xFE") || content.starts_with(b"\xFE\xFF");
    let head = content.slice(..content.len().min(BINARY_SNIFF_LENGTH));
    !is_utf16 && (head.contains(&0) || head.starts_with(b"%PDF-"))
}

/// Whether a text starts with an HTML document type or element.
fn starts_like_html(text: &str) -> bool {
    let start = skip_prolog(text);
    ["<!doctype html", "<html", "<!doctype netscape-bookmark-file"].iter().any(|opening| {
        start.get(..opening.len()).is_some_and(|head| head.eq_ignore_ascii_case(opening))
    })
}

/// Skips white space, an XML declaration and comments.
fn skip_prolog(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with("<!--") || rest.starts_with("<?xml") {
        let end = if rest.starts_with("<?") { "?>" } else { "-->" };
        match rest.find(end) {
            Some(at) => rest = rest.slice(at + end.len()..).trim_start(),
            None => return rest,
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use DocumentFormat::{Html, Markdown, PlainText, UrlList};

    /// Asserts the format of a file with this name and content.
    #[track_caller]
    fn check(name: Option<&str>, content: &str, expect: DocumentFormat) {
        assert_eq!(DocumentFormat::from_file(name, content.as_bytes()), expect);
    }

    #[test]
    fn from_file_uses_the_extension() {
        check(Some("docs/a.MD"), "<html>", Markdown);
        check(Some("a.htm"), "https://a.test", Html);
        check(Some("v1.2/notes"), "words", PlainText);
    }

    #[test]
    fn from_file_without_specific_extension_uses_the_content() {
        check(Some("a.txt"), "# list\nhttps://a.test\nb\n", UrlList);
        check(Some("a.txt"), "https://a.test\nb\nc", PlainText);
        check(Some("a.txt"), "see https://a.test", PlainText);
        check(None, "\u{feff}\n<!-- x --><!DOCTYPE HTML>", Html);
        check(None, "<?xml version='1.0'?>\n<html xmlns='x'>", Html);
        check(None, "", PlainText);
        assert_eq!(DocumentFormat::from_file(None, b"\xFF\xFEh\0:\0/\0/\0"), UrlList);
    }

    /// Asserts the format of a response with this `Content-Type` header and content.
    #[track_caller]
    fn check_type(content_type: Option<&str>, content: &[u8], expect: Option<DocumentFormat>) {
        assert_eq!(DocumentFormat::from_content_type(content_type, content), expect);
    }

    #[test]
    fn from_content_type_uses_the_header() {
        check_type(Some("Text/HTML; charset=utf-8"), b"", Some(Html));
        check_type(Some("text/plain"), b"<html>", Some(PlainText));
        check_type(Some("text/plain"), b"http://a.test", Some(UrlList));
        check_type(Some("text/markdown"), b"", Some(Markdown));
        check_type(Some("image/png"), b"<html>", None);
        check_type(Some("application/pdf"), b"", None);
    }

    #[test]
    fn markup_formats_are_detected_by_extension_and_media_type() {
        check(Some("a/index.rst"), "https://a.test", DocumentFormat::Rst);
        check(Some("README.adoc"), "", DocumentFormat::AsciiDoc);
        check(Some("a.mediawiki"), "", DocumentFormat::Wikitext);
        check(Some("a.mdx"), "", Markdown);
        check_type(Some("text/x-rst"), b"", Some(DocumentFormat::Rst));
        check_type(Some("text/asciidoc; charset=utf-8"), b"", Some(DocumentFormat::AsciiDoc));
        check_type(Some("text/x-wiki"), b"", Some(DocumentFormat::Wikitext));
    }

    #[test]
    fn data_formats_are_detected_by_file_name() {
        check(Some("a/sitemap.xml"), "", DocumentFormat::Xml);
        check(Some("a.RSS"), "", DocumentFormat::Xml);
        check(Some("a.ipynb"), "", DocumentFormat::Notebook);
        check(Some("a.csv"), "", DocumentFormat::Csv);
        check(Some("a.tsv"), "", DocumentFormat::Tsv);
        check(Some("a.json"), "", DocumentFormat::Json);
        check(Some("a.ndjson"), "", DocumentFormat::JsonLines);
        check(Some("a.css"), "", DocumentFormat::Css);
        check(Some("main.rs"), "", DocumentFormat::Source);
        check(Some("Makefile"), "", DocumentFormat::Source);
        check(Some("a.yaml"), "https://a.test", PlainText);
    }

    #[test]
    fn data_formats_are_detected_by_content() {
        check(None, "\n<?xml version='1.0'?><x>", DocumentFormat::Xml);
        check(Some("a.txt"), "<!-- x --><urlset>http://a.test", DocumentFormat::Xml);
        check(Some("a.txt"), "<rss version='2.0'>", DocumentFormat::Xml);
        check(Some("Bookmarks"), "{\n \"roots\":\"http://a.test\"}", DocumentFormat::Json);
        check(None, "[{\"a\":1}]", DocumentFormat::Json);
        check(None, "{\"cells\":[{\"cell_type\":\"code\"}]}", DocumentFormat::Notebook);
        check(None, "[a](https://a.test) is a link", PlainText);
        check(None, "{{ x }}", PlainText);
        check(None, "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL>", Html);
    }

    #[test]
    fn data_formats_are_detected_by_media_type() {
        check_type(Some("application/xml"), b"", Some(DocumentFormat::Xml));
        check_type(Some("text/xml"), b"<?xml version='1.0'?><html>", Some(Html));
        check_type(Some("application/rss+xml; charset=utf-8"), b"", Some(DocumentFormat::Xml));
        check_type(Some("application/ld+json"), b"", Some(DocumentFormat::Json));
        check_type(Some("application/x-ndjson"), b"", Some(DocumentFormat::JsonLines));
        check_type(Some("text/csv"), b"", Some(DocumentFormat::Csv));
        check_type(Some("text/css"), b"", Some(DocumentFormat::Css));
        check_type(Some("image/svg+xml"), b"", None);
        check_type(Some("application/octet-stream"), b"", None);
    }

    #[test]
    fn from_name_accepts_all_format_names() {
        for format in DocumentFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "word".parse::<DocumentFormat>().unwrap_err().to_string();
        assert!(error.starts_with("unknown format `word` (expected one of markdown"), "{error}");
    }

    #[test]
    fn from_content_type_without_header_uses_the_content() {
        check_type(None, b"<html>", Some(Html));
        check_type(Some(""), b"words", Some(PlainText));
        check_type(None, b"\x89PNG\r\n\0\0", None);
    }
}
