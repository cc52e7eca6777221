//! Where extractors put what they find.
//!
//! An extractor knows its format and says "here, from this byte to that one,
//! stands a destination". [`Found`] knows the document: it maps the range back
//! to the original bytes, counts lines and columns, and says what the
//! destination means.

use std::borrow::Cow;
use std::ops::Range;

use relink_model::{Link, LinkKind, LinkTarget, SkipReason, SourceLocation};

use crate::document::{Cursor, Origin, SourceText};
use crate::problem::{PROBLEMS, Problem};
use crate::target::{classify, classify_line, classify_name};

/// Reads the links of one format.
pub trait Extractor {
    /// Reports every link of `text` to `found`, in document order.
    fn extract(&self, text: &str, found: &mut LinkSink<'_>);
}

/// How a destination is to be read from its written form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DestinationSyntax {
    /// As it stands.
    Plain,
    /// With HTML character references, as in an attribute.
    Html,
    /// As a line of a list, which must be an absolute address.
    Line,
    /// As the extractor has already resolved it.
    Decoded(String),
    /// As the name of a page, in which a colon is no sign of a scheme.
    Name,
}

/// What a document says beside its links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentInfo {
    /// The base the document sets for its relative links.
    pub base: Option<String>,
    /// What could not be read as the format has it, the first hundred.
    pub problems: Vec<Problem>,
}

/// A sink for the links of one document.
pub struct LinkSink<'d> {
    document: &'d SourceText<'d>,
    cursor: Cursor,
    each: &'d mut dyn FnMut(Link),
    base: Option<String>,
    problems: Vec<Problem>,
}

impl<'d> LinkSink<'d> {
    pub(crate) fn new(document: &'d SourceText<'d>, each: &'d mut dyn FnMut(Link)) -> Self {
        Self::starting_at(document, Origin::default(), each)
    }

    /// A sink for a part of a document, which begins at `origin`.
    pub(crate) fn starting_at(
        document: &'d SourceText<'d>,
        origin: Origin,
        each: &'d mut dyn FnMut(Link),
    ) -> Self {
        let cursor = Cursor::new(origin);
        Self { document, cursor, each, base: None, problems: Vec::new() }
    }

    /// Where a byte of the extractor's text stands in the whole document.
    pub(crate) fn origin_of(&mut self, at: usize) -> Origin {
        self.cursor.move_to(self.document, at);
        self.cursor.origin(self.document)
    }

    /// Takes in a destination that stands at `range` of the extractor's text.
    pub fn link(&mut self, range: Range<usize>, kind: LinkKind, notation: DestinationSyntax) {
        self.tell(range, kind, |raw| meaning(raw, notation));
    }

    /// Takes in something that looks like a destination and is none, for the
    /// reader is told what was passed over.
    pub fn skip(&mut self, range: Range<usize>, kind: LinkKind, reason: SkipReason) {
        self.skip_as(range, kind, DestinationSyntax::Plain, reason);
    }

    /// Takes in what is passed over, with how it would read.
    pub(crate) fn skip_as(
        &mut self,
        range: Range<usize>,
        kind: LinkKind,
        notation: DestinationSyntax,
        reason: SkipReason,
    ) {
        self.tell(range, kind, |raw| {
            let text = match notation {
                DestinationSyntax::Plain | DestinationSyntax::Line | DestinationSyntax::Name => {
                    raw.to_owned()
                }
                DestinationSyntax::Html => unescaped(raw).into_owned(),
                DestinationSyntax::Decoded(text) => text,
            };
            LinkTarget::Skipped(text, reason)
        });
    }

    /// Takes in a destination whose meaning is already known.
    pub(crate) fn target(&mut self, range: Range<usize>, kind: LinkKind, target: LinkTarget) {
        self.tell(range, kind, |_| target);
    }

    /// Hands on what stands at `range`, with what it means as written.
    fn tell(
        &mut self,
        range: Range<usize>,
        kind: LinkKind,
        meaning: impl FnOnce(&str) -> LinkTarget,
    ) {
        self.cursor.move_to(self.document, range.start);
        let span = self.cursor.span_to(self.document, range.end);
        let raw = self.document.written(range);
        let target = meaning(&raw);
        let place =
            SourceLocation { span, line: self.cursor.line(), column: self.cursor.column(), kind };
        (self.each)(Link { location: place, raw, target });
    }

    /// Takes in what is wrong with the document at a byte of the extractor's
    /// text. Problems come in order among the links.
    pub(crate) fn problem(&mut self, at: usize, text: impl Into<String>) {
        if self.problems.len() < PROBLEMS {
            self.cursor.move_to(self.document, at);
            self.problems.push(Problem { line: self.cursor.line(), text: text.into() });
        }
    }

    /// Takes in the base of the document's relative links; the first one counts.
    pub fn base(&mut self, href: &str) {
        self.base.get_or_insert_with(|| href.to_owned());
    }

    pub(crate) fn into_remarks(self) -> DocumentInfo {
        DocumentInfo { base: self.base, problems: self.problems }
    }
}

fn meaning(raw: &str, notation: DestinationSyntax) -> LinkTarget {
    match notation {
        DestinationSyntax::Plain => classify(raw),
        DestinationSyntax::Html => classify(&unescaped(raw)),
        DestinationSyntax::Line => classify_line(raw),
        DestinationSyntax::Decoded(text) => classify(&text),
        DestinationSyntax::Name => classify_name(raw),
    }
}

/// An attribute's value with its character references resolved.
pub(crate) fn unescaped(value: &str) -> Cow<'_, str> {
    htmlize::unescape_attribute(value)
}
