//! Which format a document is in, and who reads it.
//!
//! A name's extension is believed before content, because people name files
//! with care. Where a name says nothing (`.txt`, stdin), the content decides.

use std::borrow::Cow;

use crate::bare::PlainText;
use crate::document::text_of;
use crate::found::Extractor;
use crate::html::Html;
use crate::list::{UrlList, looks_like_list};
use crate::markdown::Markdown;

/// How much of a document is looked at to tell its format.
const SNIFF_LENGTH: usize = 64 * 1024;

/// How much is looked at to tell text from other bytes.
const BINARY_SNIFF_LENGTH: usize = 1024;

/// A format whose links can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// CommonMark with GitHub's extensions.
    Markdown,
    /// HTML and XHTML.
    Html,
    /// One address a line.
    UrlList,
    /// Text with addresses in it.
    PlainText,
}

impl Format {
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
            "text/plain" if looks_like_list(&head(content)) => Some(Self::UrlList),
            "text/plain" => Some(Self::PlainText),
            "" if !is_binary(content) => Some(Self::of_text(&head(content))),
            _ => None,
        }
    }

    /// The reader of this format.
    pub(crate) fn extractor(self) -> &'static dyn Extractor {
        match self {
            Self::Markdown => &Markdown,
            Self::Html => &Html,
            Self::UrlList => &UrlList,
            Self::PlainText => &PlainText,
        }
    }

    fn of_extension(name: &str) -> Option<Self> {
        let file_name = name.rsplit(['/', '\\']).next()?;
        let (_, extension) = file_name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdown" | "mdwn" | "mkd" | "mkdn" | "mdx" | "qmd" | "rmd" => {
                Some(Self::Markdown)
            }
            "html" | "htm" | "xhtml" | "xht" | "shtml" => Some(Self::Html),
            "urls" | "list" | "lst" => Some(Self::UrlList),
            _ => None,
        }
    }

    fn of_text(text: &str) -> Self {
        if starts_as_html(text) {
            Self::Html
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
    text_of(&content[..content.len().min(SNIFF_LENGTH)], None)
}

/// Whether the content is no text; UTF-16 holds zeros, but begins with its mark.
fn is_binary(content: &[u8]) -> bool {
    let is_utf16 = content.starts_with(b"\xFF\xFE") || content.starts_with(b"\xFE\xFF");
    let head = &content[..content.len().min(BINARY_SNIFF_LENGTH)];
    !is_utf16 && (head.contains(&0) || head.starts_with(b"%PDF-"))
}

fn starts_as_html(text: &str) -> bool {
    let start = after_comments(text);
    ["<!doctype html", "<html"].iter().any(|opening| {
        start.get(..opening.len()).is_some_and(|head| head.eq_ignore_ascii_case(opening))
    })
}

/// The text after white space, an XML declaration and comments.
fn after_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with("<!--") || rest.starts_with("<?xml") {
        let end = if rest.starts_with("<?") { "?>" } else { "-->" };
        match rest.find(end) {
            Some(at) => rest = rest[at + end.len()..].trim_start(),
            None => return rest,
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use Format::{Html, Markdown, PlainText, UrlList};

    #[track_caller]
    fn check(name: Option<&str>, content: &str, expect: Format) {
        assert_eq!(Format::of_file(name, content.as_bytes()), expect);
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
        assert_eq!(Format::of_file(None, b"\xFF\xFEh\0:\0/\0/\0"), UrlList);
    }

    #[track_caller]
    fn check_type(content_type: Option<&str>, content: &[u8], expect: Option<Format>) {
        assert_eq!(Format::of_content_type(content_type, content), expect);
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
    fn a_silent_server_leaves_it_to_the_content() {
        check_type(None, b"<html>", Some(Html));
        check_type(Some(""), b"words", Some(PlainText));
        check_type(None, b"\x89PNG\r\n\0\0", None);
    }
}
