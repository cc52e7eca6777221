//! What the reader of a markup has found, before it is in document order.
//!
//! Definitions are understood only at the end of a document, and constructs
//! may stand in each other. So a reader notes what it finds as it finds it, and
//! at the end everything is told in order, each byte belonging to one
//! destination at most.

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

use crate::bare::http_addresses;
use crate::link_sink::{DestinationSyntax, LinkSink};

/// The destinations of a text, as far as read.
pub(crate) struct LinkCandidates<'t> {
    text: &'t str,
    list: Vec<LinkCandidate>,
}

/// A destination, or what only looks like one.
struct LinkCandidate {
    range: Range<usize>,
    kind: LinkKind,
    notation: DestinationSyntax,
    skipped: Option<SkipReason>,
}

impl<'t> LinkCandidates<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, list: Vec::new() }
    }

    /// Notes a destination.
    pub(crate) fn link(
        &mut self,
        range: Range<usize>,
        kind: LinkKind,
        notation: DestinationSyntax,
    ) {
        self.list.push(LinkCandidate { range, kind, notation, skipped: None });
    }

    /// Notes what is not to be followed, and why.
    pub(crate) fn skip(&mut self, range: Range<usize>, kind: LinkKind, reason: SkipReason) {
        self.skip_as(range, kind, DestinationSyntax::Plain, reason);
    }

    /// Notes what is not to be followed, why, and how it reads.
    pub(crate) fn skip_as(
        &mut self,
        range: Range<usize>,
        kind: LinkKind,
        notation: DestinationSyntax,
        reason: SkipReason,
    ) {
        self.list.push(LinkCandidate { range, kind, notation, skipped: Some(reason) });
    }

    /// Notes the addresses of a part in which none is followed.
    pub(crate) fn pass_over(&mut self, part: Range<usize>, reason: SkipReason) {
        for range in http_addresses(self.text, part) {
            self.skip(range, LinkKind::BareUrl, reason);
        }
    }

    /// Marks what has been noted in these parts as not to be followed. The parts
    /// are in order and do not overlap.
    pub(crate) fn void(&mut self, parts: &[Range<usize>], reason: SkipReason) {
        if !parts.is_empty() {
            self.list.sort_by_key(|mention| mention.range.start);
        }
        for part in parts {
            let first = self.list.partition_point(|mention| mention.range.start < part.start);
            let after = self.list.iter_mut().skip(first);
            let inside = after.take_while(|mention| mention.range.end <= part.end);
            inside.for_each(|mention| mention.skipped = mention.skipped.or(Some(reason)));
        }
    }

    /// Tells everything in document order, `offset` bytes further on.
    ///
    /// Of two that overlap, the one that begins first is told.
    pub(crate) fn report(mut self, offset: usize, found: &mut LinkSink<'_>) {
        self.list.sort_by_key(|mention| mention.range.start);
        let mut end = 0;
        for LinkCandidate { range, kind, notation, skipped } in self.list {
            if range.start < end {
                continue;
            }
            end = range.end;
            let range = offset + range.start..offset + range.end;
            match skipped {
                None => found.link(range, kind, notation),
                Some(reason) => found.skip_as(range, kind, notation, reason),
            }
        }
    }
}
