//! Replaces byte ranges of a document.

use relink_model::Span;
use thiserror::Error;

/// The replacement of a byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The replaced bytes.
    pub span: Span,
    /// The content of the span before the edit.
    pub old: Vec<u8>,
    /// The content of the span after the edit.
    pub new: Vec<u8>,
}

/// Edits that do not fit the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EditError {
    /// The document has other bytes in the span, or is shorter.
    #[error("the text at byte {0} has changed")]
    Changed(usize),
    /// The span starts before the end of the previous span.
    #[error("the edits at byte {0} overlap")]
    Overlap(usize),
}

/// Applies edits, sorted by position, and returns the new document.
///
/// # Errors
///
/// Fails if the document does not contain the old bytes of an edit, or if edits
/// overlap or are not sorted.
pub fn apply(document: &[u8], edits: &[Edit]) -> Result<Vec<u8>, EditError> {
    let mut output = Vec::with_capacity(document.len() + 64 * edits.len());
    let mut end = 0;
    for edit in edits {
        let Span { start, end: edit_end } = edit.span;
        let unchanged = document.get(end..start).ok_or(EditError::Overlap(start))?;
        if document.get(edit.span.range()) != Some(&*edit.old) {
            return Err(EditError::Changed(start));
        }
        output.extend_from_slice(unchanged);
        output.extend_from_slice(&edit.new);
        end = edit_end;
    }
    output.extend_from_slice(document.get(end..).unwrap_or_default());
    Ok(output)
}

/// Returns the edits that restore the document to which `edits` were applied.
pub fn invert(edits: &[Edit]) -> Vec<Edit> {
    let (mut added, mut removed) = (0, 0);
    let mut inverse = Vec::with_capacity(edits.len());
    for edit in edits {
        let start = edit.span.start + added - removed;
        inverse.push(Edit {
            span: Span { start, end: start + edit.new.len() },
            old: edit.new.clone(),
            new: edit.old.clone(),
        });
        added += edit.new.len();
        removed += edit.old.len();
    }
    inverse
}

/// Maps positions of the old document to positions of the edited document.
pub(crate) struct Shifts {
    /// One entry per edit, by position.
    edits: Vec<Shift>,
}

/// The position of an edit, and the change of the document length up to the end of the edit.
struct Shift {
    /// Start of the edit in the old document.
    start: usize,
    /// End of the edit in the old document.
    end: usize,
    /// Number of bytes added by this edit and the edits before it.
    added: usize,
    /// Number of bytes removed by this edit and the edits before it.
    removed: usize,
}

impl Shifts {
    pub(crate) fn new(edits: &[Edit]) -> Self {
        let (mut added, mut removed) = (0, 0);
        let shift = |edit: &Edit| {
            added += edit.new.len();
            removed += edit.old.len();
            Shift { start: edit.span.start, end: edit.span.end, added, removed }
        };
        Self { edits: edits.iter().map(shift).collect() }
    }

    /// Returns the new span of a link. Text inserted at the end of a link does not belong to the
    /// link.
    pub(crate) fn apply(&self, span: Span) -> Span {
        let edits_before_start = self.edits.partition_point(|edit| edit.end <= span.start);
        // `edit.start < edit.end` excludes insertions at the end of the link.
        let edits_before_end = self.edits.partition_point(|edit| {
            edit.end < span.end || (edit.end == span.end && edit.start < edit.end)
        });
        Span {
            start: self.shift(span.start, edits_before_start),
            end: self.shift(span.end, edits_before_end),
        }
    }

    /// Returns the position of the new text of the edit that starts at `position`.
    pub(crate) fn start_of_edit(&self, position: usize) -> usize {
        let edits_before = self.edits.partition_point(|edit| edit.start < position);
        self.shift(position, edits_before)
    }

    /// Shifts a position by the first `count` edits.
    fn shift(&self, position: usize, count: usize) -> usize {
        let last = count.checked_sub(1).and_then(|index| self.edits.get(index));
        last.map_or(position, |edit| position + edit.added - edit.removed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the edit that replaces `old` at `start` by `new`.
    fn edit(start: usize, old: &[u8], new: &[u8]) -> Edit {
        Edit { span: (start..start + old.len()).into(), old: old.to_vec(), new: new.to_vec() }
    }

    #[test]
    fn apply_replaces_only_the_spans() {
        // `d` is at position 7.
        let edits = [edit(2, b"bb", b"XXX"), edit(6, b"d", b"")];
        assert_eq!(apply(b"a bb c d e", &edits), Err(EditError::Changed(6)));
        let edits = [edit(2, b"bb", b"XXX"), edit(7, b"d", b"")];
        assert_eq!(apply(b"a bb c d e", &edits).unwrap(), b"a XXX c  e");
    }

    #[test]
    fn apply_rejects_overlapping_and_unsorted_edits() {
        let overlap = [edit(0, b"ab", b"x"), edit(1, b"b", b"y")];
        assert_eq!(apply(b"abc", &overlap), Err(EditError::Overlap(1)));
        let unsorted = [edit(2, b"c", b"x"), edit(0, b"a", b"y")];
        assert_eq!(apply(b"abc", &unsorted), Err(EditError::Overlap(0)));
    }

    #[test]
    fn apply_rejects_a_document_that_is_too_short() {
        assert_eq!(apply(b"ab", &[edit(1, b"bc", b"x")]), Err(EditError::Changed(1)));
    }

    proptest! {
        #[test]
        fn inverse_restores_every_byte(
            parts in proptest::collection::vec((".{0,8}", "[a-z]{1,6}", "[a-z]{0,9}"), 0..9),
        ) {
            let mut document = Vec::new();
            let mut edits = Vec::new();
            for (gap, old, new) in &parts {
                document.extend_from_slice(gap.as_bytes());
                edits.push(edit(document.len(), old.as_bytes(), new.as_bytes()));
                document.extend_from_slice(old.as_bytes());
            }
            let edited = apply(&document, &edits).unwrap();
            prop_assert_eq!(apply(&edited, &invert(&edits)).unwrap(), document);
        }
    }
}
