//! Cuts a table into cells.
//!
//! A cell whose quotes are broken is read as if it had none, so that it ends
//! with its line at the latest. That keeps reading linear, too: a quote is
//! searched for from one quote to the next, and never twice past the same.

use std::ops::Range;

use memchr::memchr;

use crate::cut::Cut as _;
use crate::window::InputEnd;

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    /// Its content, without the quotes around it.
    pub(super) range: Range<usize>,
    /// From 0.
    pub(super) row: usize,
    /// From 0.
    pub(super) column: usize,
    pub(super) is_quoted: bool,
    /// Whether its quotes do not close where it ends.
    pub(super) is_broken: bool,
    /// Whether it ends its row.
    pub(super) is_last: bool,
}

/// How far a table has been read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    row: usize,
    column: usize,
    /// Whether a separator stands before the place, so that a cell must follow.
    owes_cell: bool,
}

/// Goes through a table cell by cell.
pub(super) struct Cells<'t> {
    bytes: &'t [u8],
    separator: u8,
    at: usize,
    progress: Progress,
    sequel: InputEnd,
}

/// What a cell that opens a quote turns out to be.
enum Quoted {
    /// Its content, and where it ends.
    Closed(Range<usize>, usize),
    /// The quote is followed by something else than the cell's end.
    Broken,
    /// The text ends before the quote does.
    Open,
}

impl<'t> Cells<'t> {
    /// Goes on after an earlier part of the table.
    pub(super) fn resume(
        text: &'t str,
        separator: u8,
        sequel: InputEnd,
        progress: Progress,
    ) -> Self {
        Self { bytes: text.as_bytes(), separator, at: 0, progress, sequel }
    }

    /// Where the next cell is read from, and how far that is in the table.
    pub(super) fn checkpoint(&self) -> (usize, Progress) {
        (self.at, self.progress)
    }

    fn quoted(&self) -> Quoted {
        let start = self.at + 1;
        let mut from = start;
        loop {
            let rest = self.bytes.get(from..).unwrap_or_default();
            let Some(length) = memchr(b'"', rest) else {
                return Quoted::Open;
            };
            let quote = from + length;
            match self.bytes.get(quote + 1) {
                Some(b'"') => from = quote + 2,
                after if after.is_none_or(|&byte| self.ends_cell(byte)) => {
                    return Quoted::Closed(start..quote, quote + 1);
                }
                _ => return Quoted::Broken,
            }
        }
    }

    /// The content of the cell here, where it ends, and whether it has quotes;
    /// nothing if what follows the text may change it.
    fn content(&self, opens_quote: bool) -> Option<(Range<usize>, usize, bool)> {
        let quoted = if opens_quote { self.quoted() } else { Quoted::Broken };
        let (range, end, is_quoted) = match quoted {
            Quoted::Closed(range, end) => (range, end, true),
            Quoted::Open if self.sequel == InputEnd::Follows => return None,
            Quoted::Open | Quoted::Broken => {
                let end = self.plain_end();
                (self.at..end, end, false)
            }
        };
        (!self.is_cut(end)).then_some((range, end, is_quoted))
    }

    /// Whether what follows the text tells how the cell ends. A `\n` may
    /// belong to the `\r` before it.
    fn is_cut(&self, end: usize) -> bool {
        self.sequel == InputEnd::Follows
            && match self.bytes.get(end) {
                None => true,
                Some(b'\r') => end + 1 == self.bytes.len(),
                Some(_) => false,
            }
    }

    fn plain_end(&self) -> usize {
        let rest = self.bytes.cut(self.at..);
        self.at + rest.iter().position(|&byte| self.ends_cell(byte)).unwrap_or(rest.len())
    }

    fn ends_cell(&self, byte: u8) -> bool {
        byte == self.separator || matches!(byte, b'\n' | b'\r')
    }

    /// Passes over what ends the cell at `end`, and says whether the row ends.
    fn go_past(&mut self, end: usize) -> bool {
        let mark = self.bytes.get(end);
        let progress = &mut self.progress;
        progress.owes_cell = mark == Some(&self.separator);
        self.at = match mark {
            None => end,
            Some(b'\r') if self.bytes.get(end + 1) == Some(&b'\n') => end + 2,
            Some(_) => end + 1,
        };
        if progress.owes_cell {
            progress.column += 1;
        } else {
            progress.row += 1;
            progress.column = 0;
        }
        !progress.owes_cell
    }
}

impl Iterator for Cells<'_> {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        if self.at >= self.bytes.len() && !self.progress.owes_cell {
            return None;
        }
        let opens_quote = self.bytes.get(self.at) == Some(&b'"');
        let (range, end, is_quoted) = self.content(opens_quote)?;
        let Progress { row, column, .. } = self.progress;
        let is_last = self.go_past(end);
        Some(Cell { range, row, column, is_quoted, is_broken: opens_quote && !is_quoted, is_last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(table: &str, expect: &str) {
        let mut told = String::new();
        for cell in Cells::resume(table, b',', InputEnd::None, Progress::default()) {
            told.push_str(table.cut(cell.range));
            told.push(if cell.is_last { '/' } else { '|' });
        }
        assert_eq!(told, expect);
    }

    #[test]
    fn rows_and_cells_are_told_apart() {
        check("a,b\nc,\r\n,d\re", "a|b/c|/|d/e/");
        check("a\n", "a/");
        check("a,", "a|/");
        check("", "");
        check("\n\n", "//");
    }

    #[test]
    fn quotes_are_taken_off_where_they_hold() {
        check("\"a,\n\",\"\",\"b\"\"\"", "a,\n||b\"\"/");
        check("\"a\"b,c", "\"a\"b|c/");
        check("\"a,b", "\"a|b/");
        check("a\"b\",c", "a\"b\"|c/");
    }
}
