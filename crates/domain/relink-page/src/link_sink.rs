//! The interface between extractors and callers.
//!
//! An extractor passes ranges of destinations to a [`LinkSink`]. The sink maps
//! each range to the original bytes, tracks lines and columns, and classifies
//! the destination.

use std::borrow::Cow;
use std::ops::Range;

use relink_model::{Link, LinkKind, LinkTarget, SkipReason, SourceLocation};

use crate::problem::{MAX_PROBLEMS, Problem};
use crate::source_text::{Cursor, Origin, SourceText};
use crate::target::{classify, classify_list_line, classify_page_name};

/// An extractor for the links of one format.
pub trait Extractor {
    /// Reports every link of `text` to `sink`, in document order.
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>);
}

/// The encoding of a destination in the source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DestinationSyntax {
    /// Not encoded.
    Plain,
    /// With HTML character references, as in an attribute.
    Html,
    /// A line of a URL list, which must be an absolute URL.
    Line,
    /// Already decoded by the extractor; holds the result.
    Decoded(String),
    /// The name of a page, in which a colon does not end a scheme.
    Name,
    /// The name of a page, already decoded by the extractor.
    DecodedName(String),
}

/// Properties of a document in addition to its links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentInfo {
    /// The base URL for relative links.
    pub base: Option<String>,
    /// The first 100 syntax problems.
    pub problems: Vec<Problem>,
}

/// Receives the links of one document.
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

    /// Creates a sink for a part of a document that starts at `origin`.
    pub(crate) fn starting_at(
        document: &'d SourceText<'d>,
        origin: Origin,
        each: &'d mut dyn FnMut(Link),
    ) -> Self {
        let cursor = Cursor::new(origin);
        Self { document, cursor, each, base: None, problems: Vec::new() }
    }

    /// Returns the position within the whole document of the offset `at` of this part.
    pub(crate) fn origin_of(&mut self, at: usize) -> Origin {
        self.cursor.move_to(self.document, at);
        self.cursor.origin(self.document)
    }

    /// Reports the destination at `range` of the text.
    pub fn report_link(&mut self, range: Range<usize>, kind: LinkKind, syntax: DestinationSyntax) {
        self.emit(range, kind, |raw| resolve_target(raw, syntax));
    }

    /// Reports the text at `range` as a destination that is not checked.
    pub fn report_skipped(&mut self, range: Range<usize>, kind: LinkKind, reason: SkipReason) {
        self.report_skipped_as(range, kind, DestinationSyntax::Plain, reason);
    }

    /// Reports the text at `range`, written in `syntax`, as a destination that
    /// is not checked.
    pub(crate) fn report_skipped_as(
        &mut self,
        range: Range<usize>,
        kind: LinkKind,
        syntax: DestinationSyntax,
        reason: SkipReason,
    ) {
        self.emit(range, kind, |raw| {
            let text = match syntax {
                DestinationSyntax::Plain | DestinationSyntax::Line | DestinationSyntax::Name => {
                    raw.to_owned()
                }
                DestinationSyntax::Html => unescape_attribute(raw).into_owned(),
                DestinationSyntax::Decoded(text) | DestinationSyntax::DecodedName(text) => text,
            };
            LinkTarget::Skipped(text, reason)
        });
    }

    /// Reports a destination that is already classified.
    pub(crate) fn report_target(
        &mut self,
        range: Range<usize>,
        kind: LinkKind,
        target: LinkTarget,
    ) {
        self.emit(range, kind, |_| target);
    }

    /// Passes the link at `range` to the callback. `classify` maps the source
    /// text to the target.
    fn emit(
        &mut self,
        range: Range<usize>,
        kind: LinkKind,
        classify: impl FnOnce(&str) -> LinkTarget,
    ) {
        self.cursor.move_to(self.document, range.start);
        let span = self.cursor.span_to(self.document, range.end);
        let raw = self.document.raw(range);
        let target = classify(&raw);
        let location =
            SourceLocation { span, line: self.cursor.line(), column: self.cursor.column(), kind };
        (self.each)(Link { location, raw, target });
    }

    /// Reports a problem at offset `at` of the text. Problems must be reported
    /// in document order among the links.
    pub(crate) fn report_problem(&mut self, at: usize, text: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.cursor.move_to(self.document, at);
            self.problems.push(Problem { line: self.cursor.line(), text: text.into() });
        }
    }

    /// Sets the base URL for relative links. Only the first call has an effect.
    pub fn set_base(&mut self, href: &str) {
        self.base.get_or_insert_with(|| href.to_owned());
    }

    pub(crate) fn into_info(self) -> DocumentInfo {
        DocumentInfo { base: self.base, problems: self.problems }
    }
}

/// Decodes and classifies a destination.
fn resolve_target(raw: &str, syntax: DestinationSyntax) -> LinkTarget {
    match syntax {
        DestinationSyntax::Plain => classify(raw),
        DestinationSyntax::Html => classify(&unescape_attribute(raw)),
        DestinationSyntax::Line => classify_list_line(raw),
        DestinationSyntax::Decoded(text) => classify(&text),
        DestinationSyntax::Name => classify_page_name(raw),
        DestinationSyntax::DecodedName(text) => classify_page_name(&text),
    }
}

/// Resolves the character references of an attribute value.
pub(crate) fn unescape_attribute(value: &str) -> Cow<'_, str> {
    htmlize::unescape_attribute(value)
}
