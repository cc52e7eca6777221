//! Links of documents, with their locations.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A range of bytes in the original document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// Returns the span as a `Range`.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

/// The location of a link in its document.
///
/// The span covers exactly the destination as written, because a repair
/// replaces these bytes. Line and column start at 1; the column counts
/// characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceLocation {
    /// The bytes of the destination.
    pub span: Span,
    /// The line of the first byte, from 1.
    pub line: u32,
    /// The position of the first byte in its line, in characters, from 1.
    pub column: u32,
    /// The kind of link.
    pub kind: LinkKind,
}

/// The syntactic kind of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// A link to follow: `[text](url)`, `<a href>`.
    Hyperlink,
    /// An embedded image, audio, video or frame.
    Embed,
    /// A style sheet, icon, script or other subresource.
    Resource,
    /// The action URL of a form or button.
    Form,
    /// A `meta refresh` redirect.
    Refresh,
    /// The destination of a reference definition, `[name]: url`.
    Definition,
    /// `<https://…>` in Markdown.
    Autolink,
    /// A URL in running text.
    BareUrl,
    /// A line of a URL list.
    ListEntry,
    /// A URL from the command line.
    Argument,
    /// A cross-reference to another document of the same project (`xref:`,
    /// `[[page]]`, `{{#include}}`).
    Reference,
    /// A value of structured data, such as a CSV cell or a JSON field.
    Value,
    /// Metadata of the document: canonical URL, feed, Open Graph, JSON-LD.
    Metadata,
}

impl LinkKind {
    /// All kinds.
    pub const ALL: [Self; 13] = [
        Self::Hyperlink,
        Self::Embed,
        Self::Resource,
        Self::Form,
        Self::Refresh,
        Self::Definition,
        Self::Autolink,
        Self::BareUrl,
        Self::ListEntry,
        Self::Argument,
        Self::Reference,
        Self::Value,
        Self::Metadata,
    ];

    /// Returns the kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hyperlink => "hyperlink",
            Self::Embed => "embed",
            Self::Resource => "resource",
            Self::Form => "form",
            Self::Refresh => "refresh",
            Self::Definition => "definition",
            Self::Autolink => "autolink",
            Self::BareUrl => "bare-url",
            Self::ListEntry => "list-entry",
            Self::Argument => "argument",
            Self::Reference => "reference",
            Self::Value => "value",
            Self::Metadata => "metadata",
        }
    }
}

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A link as found in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The location of the link.
    pub location: SourceLocation,
    /// The destination as written. Invalid UTF-8 is replaced.
    pub raw: String,
    /// The destination with entities and escapes decoded. It is not resolved
    /// against a base URL and not canonicalized.
    pub target: LinkTarget,
}

/// A destination, classified by its syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// An `http`, `https` or protocol-relative URL.
    Web(String),
    /// A relative or root-relative path with optional query and fragment.
    Path(String),
    /// Only a fragment: an anchor of the same document.
    Fragment(String),
    /// A destination that is not checked, with the reason.
    Skipped(String, SkipReason),
    /// A malformed URL, with the reason why it is malformed.
    Malformed(String, String),
}

impl LinkTarget {
    /// Returns the text of the destination.
    pub fn text(&self) -> &str {
        match self {
            Self::Web(text)
            | Self::Path(text)
            | Self::Fragment(text)
            | Self::Skipped(text, _)
            | Self::Malformed(text, _) => text,
        }
    }
}

/// The reason why a link is not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// A scheme other than http and https (`mailto:`, `tel:`, `data:` …).
    Scheme,
    /// A destination with a template placeholder.
    Placeholder,
    /// An empty destination.
    Empty,
    /// A link in code or literal text.
    Code,
    /// A link in a comment.
    Comment,
    /// A reference definition that is not used.
    Unused,
    /// A host name reserved for examples (RFC 2606).
    Reserved,
    /// A link that the document excludes with `relink:ignore`.
    Ignored,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Scheme => "unsupported scheme",
            Self::Placeholder => "contains a template placeholder",
            Self::Empty => "empty destination",
            Self::Code => "in code",
            Self::Comment => "in a comment",
            Self::Unused => "unused definition",
            Self::Reserved => "host name reserved for examples",
            Self::Ignored => "ignored by the document",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_names_round_trip() {
        for kind in LinkKind::ALL {
            assert_eq!(LinkKind::from_name(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
