//! Collects link destinations before they are sorted into document order.
//!
//! Parsers of markup formats find destinations out of order: unused definitions
//! are known only at the end, and constructs may be nested. Therefore destinations
//! are collected as candidates. At the end, the candidates are reported in document
//! order; overlapping candidates are dropped.

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

use crate::bare_url::http_urls;
use crate::link_sink::{DestinationSyntax, LinkSink};

/// The destinations found so far in a text.
pub(crate) struct LinkCandidates<'t> {
    text: &'t str,
    list: Vec<LinkCandidate>,
}

/// A destination, or a text to report as skipped.
struct LinkCandidate {
    range: Range<usize>,
    kind: LinkKind,
    syntax: DestinationSyntax,
    skipped: Option<SkipReason>,
}

impl<'t> LinkCandidates<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, list: Vec::new() }
    }

    /// Returns the text that contains the destinations.
    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// Adds a destination.
    pub(crate) fn push_link(
        &mut self,
        range: Range<usize>,
        kind: LinkKind,
        syntax: DestinationSyntax,
    ) {
        self.list.push(LinkCandidate { range, kind, syntax, skipped: None });
    }

    /// Adds a destination to report as skipped.
    pub(crate) fn push_skipped(&mut self, range: Range<usize>, kind: LinkKind, reason: SkipReason) {
        self.push_skipped_as(range, kind, DestinationSyntax::Plain, reason);
    }

    /// Adds a destination to report as skipped, written in `syntax`.
    pub(crate) fn push_skipped_as(
        &mut self,
        range: Range<usize>,
        kind: LinkKind,
        syntax: DestinationSyntax,
        reason: SkipReason,
    ) {
        self.list.push(LinkCandidate { range, kind, syntax, skipped: Some(reason) });
    }

    /// Adds all bare URLs in `part` as skipped.
    pub(crate) fn push_skipped_urls(&mut self, part: Range<usize>, reason: SkipReason) {
        for range in http_urls(self.text, part) {
            self.push_skipped(range, LinkKind::BareUrl, reason);
        }
    }

    /// Marks all candidates in `parts` as skipped. The parts must be sorted and
    /// must not overlap.
    pub(crate) fn skip_within(&mut self, parts: &[Range<usize>], reason: SkipReason) {
        if !parts.is_empty() {
            self.list.sort_by_key(|candidate| candidate.range.start);
        }
        for part in parts {
            let first = self.list.partition_point(|candidate| candidate.range.start < part.start);
            let after = self.list.iter_mut().skip(first);
            for candidate in after.take_while(|candidate| candidate.range.end <= part.end) {
                candidate.skipped.get_or_insert(reason);
            }
        }
    }

    /// Reports all candidates to `sink` in document order, shifted by `offset`
    /// bytes.
    ///
    /// If two candidates overlap, only the one that starts first is reported.
    pub(crate) fn report(mut self, offset: usize, sink: &mut LinkSink<'_>) {
        self.list.sort_by_key(|candidate| candidate.range.start);
        let mut end = 0;
        for LinkCandidate { range, kind, syntax, skipped } in self.list {
            if range.start < end {
                continue;
            }
            end = range.end;
            let range = offset + range.start..offset + range.end;
            match skipped {
                None => sink.report_link(range, kind, syntax),
                Some(reason) => sink.report_skipped_as(range, kind, syntax, reason),
            }
        }
    }
}
