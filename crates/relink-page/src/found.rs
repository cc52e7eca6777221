//! Where extractors put what they find.
//!
//! An extractor knows its format and says "here, from this byte to that one,
//! stands a destination". [`Found`] knows the document: it maps the range back
//! to the original bytes, counts lines and columns, and says what the
//! destination means.

use std::borrow::Cow;
use std::ops::Range;

use relink_model::{Link, LinkTarget, Place, PlaceKind};

use crate::document::{Cursor, Document};
use crate::target::{classify, classify_line};

/// Reads the links of one format.
pub trait Extractor {
    /// Reports every link of `text` to `found`, in document order.
    fn extract(&self, text: &str, found: &mut Found<'_>);
}

/// How a destination is to be read from its written form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notation {
    /// As it stands.
    Plain,
    /// With HTML character references, as in an attribute.
    Html,
    /// As a line of a list, which must be an absolute address.
    Line,
    /// As the extractor has already resolved it.
    Means(String),
}

/// A sink for the links of one document.
pub struct Found<'d> {
    document: &'d Document<'d>,
    cursor: Cursor,
    each: &'d mut dyn FnMut(Link),
    base: Option<String>,
}

impl<'d> Found<'d> {
    pub(crate) fn new(document: &'d Document<'d>, each: &'d mut dyn FnMut(Link)) -> Self {
        Self { document, cursor: Cursor::default(), each, base: None }
    }

    /// Takes in a destination that stands at `range` of the extractor's text.
    pub fn link(&mut self, range: Range<usize>, kind: PlaceKind, notation: Notation) {
        self.cursor.move_to(self.document, range.start);
        let span = self.cursor.span_to(self.document, range.end);
        let raw = self.document.written(range, span);
        let target = meaning(&raw, notation);
        let place = Place { span, line: self.cursor.line(), column: self.cursor.column(), kind };
        (self.each)(Link { place, raw, target });
    }

    /// Takes in the base of the document's relative links; the first one counts.
    pub fn base(&mut self, href: &str) {
        self.base.get_or_insert_with(|| href.to_owned());
    }

    pub(crate) fn into_base(self) -> Option<String> {
        self.base
    }
}

fn meaning(raw: &str, notation: Notation) -> LinkTarget {
    match notation {
        Notation::Plain => classify(raw),
        Notation::Html => classify(&unescaped(raw)),
        Notation::Line => classify_line(raw),
        Notation::Means(text) => classify(&text),
    }
}

/// An attribute's value with its character references resolved.
pub(crate) fn unescaped(value: &str) -> Cow<'_, str> {
    htmlize::unescape_attribute(value)
}
