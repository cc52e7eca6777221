//! A mention of an address in a document: the thing a person can fix.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A range of bytes in a document as it lies on disk or came over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The span as a range, to slice with.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

/// Where in its document a link is written.
///
/// The span covers the destination as written and nothing else, because a
/// repair rewrites just those bytes. Line and column count from one; the
/// column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceLocation {
    /// The bytes of the destination.
    pub span: Span,
    /// The line it starts on, from 1.
    pub line: u32,
    /// The character in that line, from 1.
    pub column: u32,
    /// The kind of place.
    pub kind: LinkKind,
}

/// The kind of place a link stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// `[text](here)` and `<a href>`: something a reader may follow.
    Hyperlink,
    /// A picture, sound, film or frame that the page shows.
    Embed,
    /// A style sheet, icon, script or other part the page needs.
    Resource,
    /// The address a form or button sends to.
    Form,
    /// A redirect written in the page (`meta refresh`).
    Refresh,
    /// The destination of a reference definition, `[name]: here`.
    Definition,
    /// `<https://…>` in Markdown.
    Autolink,
    /// An address in running text.
    BareUrl,
    /// A line of a list of addresses.
    ListEntry,
    /// An address given on the command line.
    Argument,
    /// A cross-reference to another document of the same project (`xref:`,
    /// `[[page]]`, `{{#include}}`).
    Reference,
    /// A value of structured data: a cell, a field, a record.
    Value,
    /// What the document says of itself: canonical, feed, Open Graph, JSON-LD.
    Metadata,
}

impl LinkKind {
    /// Every kind.
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

    /// The kind that JSON spells so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The kind as JSON spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hyperlink => "link",
            Self::Embed => "embed",
            Self::Resource => "resource",
            Self::Form => "form",
            Self::Refresh => "refresh",
            Self::Definition => "definition",
            Self::Autolink => "autolink",
            Self::BareUrl => "bare",
            Self::ListEntry => "line",
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

/// One mention of an address: where it stands, how it is written, what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it stands.
    pub location: SourceLocation,
    /// The destination as written, byte for byte (lossy only where the
    /// document is not valid UTF-8).
    pub raw: String,
    /// What it means, entities and escapes resolved. Not yet resolved against
    /// a base and not normalised.
    pub target: LinkTarget,
}

/// What a destination means, by its form alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// An address on the web, `http` or `https`, or protocol-relative.
    Web(String),
    /// A path, relative or root-relative, perhaps with query and fragment.
    Path(String),
    /// Only a fragment: a place in the same document.
    Fragment(String),
    /// Nothing to check, and why.
    Skipped(String, SkipReason),
    /// Meant as an address, but not one; with the reason in plain words.
    Malformed(String, String),
}

impl LinkTarget {
    /// The destination's text, whatever its kind.
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

/// Why a link is not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// A scheme that leads to no page (`mailto:`, `tel:`, `data:` …).
    Scheme,
    /// A template's placeholder, not yet an address.
    Placeholder,
    /// An empty destination.
    Empty,
    /// It stands in code or literal text.
    Code,
    /// It stands in a comment.
    Comment,
    /// A definition that nothing refers to.
    Unused,
    /// A name reserved for examples (RFC 2606).
    Reserved,
    /// The document says to ignore it.
    Ignored,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Scheme => "its scheme leads to no page",
            Self::Placeholder => "it holds a template placeholder",
            Self::Empty => "it is empty",
            Self::Code => "it stands in code",
            Self::Comment => "it stands in a comment",
            Self::Unused => "nothing refers to it",
            Self::Reserved => "its name is reserved for examples",
            Self::Ignored => "the document says to ignore it",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_own_name() {
        for kind in LinkKind::ALL {
            assert_eq!(LinkKind::named(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
