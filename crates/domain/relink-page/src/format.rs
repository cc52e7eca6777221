//! Which format a document is in, and who reads it.
//!
//! A name's extension is believed before content, because people name files
//! with care. Where a name says nothing (`.txt`, stdin), the content decides.

mod data;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::asciidoc::AsciiDoc;
use crate::bare::PlainText;
use crate::css::Css;
use crate::csv::Table;
use crate::cut::Cut as _;
use crate::document::text_of;
use crate::html::{Html, HtmlParts};
use crate::json::Json;
use crate::link_sink::Extractor;
use crate::list::{UrlList, looks_like_list};
use crate::markdown::Markdown;
use crate::notebook::Notebook;
use crate::options::Options;
use crate::rst::Rst;
use crate::source::Source;
use crate::wikitext::Wikitext;
use crate::window::{IncrementalExtractor, WholeDocument};
use crate::xml::{Xml, XmlParts};

/// How much of a document is looked at to tell its format.
const SNIFF_LENGTH: usize = 64 * 1024;

/// How much is looked at to tell text from other bytes.
const BINARY_SNIFF_LENGTH: usize = 1024;

/// A format whose links can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentFormat {
    /// CommonMark with GitHub's extensions.
    Markdown,
    /// HTML and XHTML.
    Html,
    /// One address a line.
    UrlList,
    /// Text with addresses in it.
    PlainText,
    /// reStructuredText.
    Rst,
    /// AsciiDoc.
    AsciiDoc,
    /// MediaWiki's markup.
    Wikitext,
    /// Style sheets.
    Css,
    /// XML: sitemaps, feeds, outlines, and what else has addresses in it.
    Xml,
    /// Jupyter notebooks.
    Notebook,
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// JSON, bookmark files of browsers among it.
    Json,
    /// One JSON value a line.
    JsonLines,
    /// Program source: its comments.
    Source,
}

/// No format has this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseFormatError(String);

impl fmt::Display for ParseFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = DocumentFormat::ALL.map(DocumentFormat::as_str).join(", ");
        write!(f, "no format is called `{}`; the names are {names}", self.0)
    }
}

impl std::error::Error for ParseFormatError {}

impl FromStr for DocumentFormat {
    type Err = ParseFormatError;

    fn from_str(name: &str) -> Result<Self, ParseFormatError> {
        Self::named(name).ok_or_else(|| ParseFormatError(name.to_owned()))
    }
}

impl fmt::Display for DocumentFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl DocumentFormat {
    /// Every format.
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

    /// The format of this name, in whatever case.
    ///
    /// ```
    /// use relink_page::Format;
    /// assert_eq!(Format::named("list"), Some(Format::UrlList));
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str().eq_ignore_ascii_case(name))
    }

    /// The name a user calls it by.
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

    /// Tells a local document's format, by its name's extension, then by content.
    ///
    /// ```
    /// use relink_page::Format;
    /// assert_eq!(Format::of_file(Some("README.md"), b""), Format::Markdown);
    /// assert_eq!(Format::of_file(None, b"https://example.org/"), Format::UrlList);
    /// ```
    pub fn of_file(name: Option<&str>, content: &[u8]) -> Self {
        name.and_then(Self::of_extension).unwrap_or_else(|| Self::of_text(&head(content)))
    }

    /// Tells a fetched document's format by its `Content-Type`; nothing if its
    /// links cannot be read. Without the header, the content decides.
    pub fn of_content_type(content_type: Option<&str>, content: &[u8]) -> Option<Self> {
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
            "" if !is_binary(content) => Some(Self::of_text(&head(content))),
            other => data::of_media_type(other, &head(content)),
        }
    }

    /// The reader of this format, as the options have it.
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
            // A string ends with its line, so lines need no reader of their own.
            Self::Json | Self::JsonLines => Box::new(Json),
            Self::Source => Box::new(Source(options.language)),
        }
    }

    /// The reader of this format part by part, as the options have it.
    pub(crate) fn parts(self, options: &Options) -> Box<dyn IncrementalExtractor + Send + '_> {
        let column = options.column.as_ref();
        match self {
            Self::Html => Box::new(HtmlParts::default()),
            Self::Xml => Box::new(XmlParts::default()),
            Self::Csv => Box::new(Table::csv(column).parts()),
            Self::Tsv => Box::new(Table::tsv(column).parts()),
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

    /// Whether a document of this format can be read in bounded memory, as
    /// [`Windows`](crate::Windows) does it.
    pub const fn is_cut(self) -> bool {
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

    fn of_extension(name: &str) -> Option<Self> {
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
            _ => data::of_name(file_name),
        }
    }

    fn of_text(text: &str) -> Self {
        if starts_as_html(text) {
            Self::Html
        } else if let Some(format) = data::of_text(text) {
            format
        } else if looks_like_list(text) {
            Self::UrlList
        } else {
            Self::PlainText
        }
    }
}

/// The media type of a `Content-Type`, without parameters, in lower case.
pub(crate) fn media_type(content_type: &str) -> String {
    let essence = content_type.split([';', ',']).next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

fn head(content: &[u8]) -> Cow<'_, str> {
    text_of(content.cut(..content.len().min(SNIFF_LENGTH)), None)
}

/// Whether the content is no text; UTF-16 holds zeros, but begins with its mark.
pub fn is_binary(content: &[u8]) -> bool {
    let is_utf16 = content.starts_with(b"\xFF\xFE") || content.starts_with(b"\xFE\xFF");
    let head = content.cut(..content.len().min(BINARY_SNIFF_LENGTH));
    !is_utf16 && (head.contains(&0) || head.starts_with(b"%PDF-"))
}

fn starts_as_html(text: &str) -> bool {
    let start = after_comments(text);
    ["<!doctype html", "<html", "<!doctype netscape-bookmark-file"].iter().any(|opening| {
        start.get(..opening.len()).is_some_and(|head| head.eq_ignore_ascii_case(opening))
    })
}

/// The text after white space, an XML declaration and comments.
fn after_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with("<!--") || rest.starts_with("<?xml") {
        let end = if rest.starts_with("<?") { "?>" } else { "-->" };
        match rest.find(end) {
            Some(at) => rest = rest.cut(at + end.len()..).trim_start(),
            None => return rest,
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use DocumentFormat::{Html, Markdown, PlainText, UrlList};

    #[track_caller]
    fn check(name: Option<&str>, content: &str, expect: DocumentFormat) {
        assert_eq!(DocumentFormat::of_file(name, content.as_bytes()), expect);
    }

    #[test]
    fn a_telling_name_decides() {
        check(Some("docs/a.MD"), "<html>", Markdown);
        check(Some("a.htm"), "https://a.test", Html);
        check(Some("v1.2/notes"), "words", PlainText);
    }

    #[test]
    fn else_the_content_decides() {
        check(Some("a.txt"), "# list\nhttps://a.test\nb\n", UrlList);
        check(Some("a.txt"), "https://a.test\nb\nc", PlainText);
        check(Some("a.txt"), "see https://a.test", PlainText);
        check(None, "\u{feff}\n<!-- x --><!DOCTYPE HTML>", Html);
        check(None, "<?xml version='1.0'?>\n<html xmlns='x'>", Html);
        check(None, "", PlainText);
        assert_eq!(DocumentFormat::of_file(None, b"\xFF\xFEh\0:\0/\0/\0"), UrlList);
    }

    #[track_caller]
    fn check_type(content_type: Option<&str>, content: &[u8], expect: Option<DocumentFormat>) {
        assert_eq!(DocumentFormat::of_content_type(content_type, content), expect);
    }

    #[test]
    fn a_server_is_believed_about_the_type() {
        check_type(Some("Text/HTML; charset=utf-8"), b"", Some(Html));
        check_type(Some("text/plain"), b"<html>", Some(PlainText));
        check_type(Some("text/plain"), b"http://a.test", Some(UrlList));
        check_type(Some("text/markdown"), b"", Some(Markdown));
        check_type(Some("image/png"), b"<html>", None);
        check_type(Some("application/pdf"), b"", None);
    }

    #[test]
    fn markups_are_told_by_name_and_type() {
        check(Some("a/index.rst"), "https://a.test", DocumentFormat::Rst);
        check(Some("README.adoc"), "", DocumentFormat::AsciiDoc);
        check(Some("a.mediawiki"), "", DocumentFormat::Wikitext);
        check(Some("a.mdx"), "", Markdown);
        check_type(Some("text/x-rst"), b"", Some(DocumentFormat::Rst));
        check_type(Some("text/asciidoc; charset=utf-8"), b"", Some(DocumentFormat::AsciiDoc));
        check_type(Some("text/x-wiki"), b"", Some(DocumentFormat::Wikitext));
    }

    #[test]
    fn data_is_told_by_name() {
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
    fn data_is_told_by_content() {
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
    fn data_is_told_by_type() {
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
    fn every_format_is_found_by_its_own_name() {
        for format in DocumentFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "word".parse::<DocumentFormat>().unwrap_err().to_string();
        assert!(error.starts_with("no format is called `word`; the names are markdown"), "{error}");
    }

    #[test]
    fn a_silent_server_leaves_it_to_the_content() {
        check_type(None, b"<html>", Some(Html));
        check_type(Some(""), b"words", Some(PlainText));
        check_type(None, b"\x89PNG\r\n\0\0", None);
    }
}
