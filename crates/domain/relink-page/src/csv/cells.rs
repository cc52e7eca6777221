//! Splits a table into cells.
//!
//! A cell with broken quotes is parsed as unquoted, so it ends with its line.
//! This also keeps parsing linear: each search for a closing quote starts after
//! the previous quote.

use std::ops::Range;

use memchr::memchr;

use crate::safe_slice::SafeSlice as _;
use crate::window::InputEnd;

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    /// Range of the content, without quotes.
    pub(super) range: Range<usize>,
    /// Row number, from 0.
    pub(super) row: usize,
    /// Column number, from 0.
    pub(super) column: usize,
    pub(super) is_quoted: bool,
    /// Whether the cell starts with a quote that is not closed at its end.
    pub(super) has_broken_quotes: bool,
    /// Whether the cell ends its row.
    pub(super) is_last_in_row: bool,
}

/// Position of the next cell in the table. A table is read in parts; the parsing of each part
/// resumes here.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CellPosition {
    row: usize,
    column: usize,
    /// Whether a separator precedes the position, so a cell must follow.
    expects_cell: bool,
}

/// Iterator over the cells of a table.
pub(super) struct Cells<'t> {
    bytes: &'t [u8],
    separator: u8,
    at: usize,
    position: CellPosition,
    input_end: InputEnd,
}

/// Result of parsing a cell that starts with a quote.
enum Quoted {
    /// Range of the content, and the end of the cell.
    Closed(Range<usize>, usize),
    /// The closing quote is followed by other text.
    Broken,
    /// The text ends before the closing quote.
    Open,
}

impl<'t> Cells<'t> {
    /// Iterates over the cells of a part of the table whose first cell is at
    /// `position`.
    pub(super) fn resume(
        text: &'t str,
        separator: u8,
        input_end: InputEnd,
        position: CellPosition,
    ) -> Self {
        Self { bytes: text.as_bytes(), separator, at: 0, position, input_end }
    }

    /// Returns the offset of the next cell and its position in the table.
    pub(super) fn checkpoint(&self) -> (usize, CellPosition) {
        (self.at, self.position)
    }

    /// Parses the current cell, which starts with a quote.
    fn parse_quoted(&self) -> Quoted {
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

    /// Returns the range of the content of the current cell, the end of the cell, and whether
    /// the cell is quoted. Returns `None` if the following input could change the result.
    fn parse_content(&self, opens_quote: bool) -> Option<(Range<usize>, usize, bool)> {
        let quoted = if opens_quote { self.parse_quoted() } else { Quoted::Broken };
        let (range, end, is_quoted) = match quoted {
            Quoted::Closed(range, end) => (range, end, true),
            Quoted::Open if self.input_end == InputEnd::More => return None,
            Quoted::Open | Quoted::Broken => {
                let end = self.plain_end();
                (self.at..end, end, false)
            }
        };
        (!self.is_truncated(end)).then_some((range, end, is_quoted))
    }

    /// Whether the following input decides where the cell ends. A `\r` at the
    /// end may be followed by `\n`.
    fn is_truncated(&self, end: usize) -> bool {
        self.input_end == InputEnd::More
            && match self.bytes.get(end) {
                None => true,
                Some(b'\r') => end + 1 == self.bytes.len(),
                Some(_) => false,
            }
    }

    /// Returns the end of the current cell if it is parsed as unquoted.
    fn plain_end(&self) -> usize {
        let rest = self.bytes.slice(self.at..);
        self.at + rest.iter().position(|&byte| self.ends_cell(byte)).unwrap_or(rest.len())
    }

    fn ends_cell(&self, byte: u8) -> bool {
        byte == self.separator || matches!(byte, b'\n' | b'\r')
    }

    /// Skips the separator or line end at `end`. Returns whether the row ends.
    fn advance_past(&mut self, end: usize) -> bool {
        let delimiter = self.bytes.get(end);
        let position = &mut self.position;
        position.expects_cell = delimiter == Some(&self.separator);
        self.at = match delimiter {
            None => end,
            Some(b'\r') if self.bytes.get(end + 1) == Some(&b'\n') => end + 2,
            Some(_) => end + 1,
        };
        if position.expects_cell {
            position.column += 1;
        } else {
            position.row += 1;
            position.column = 0;
        }
        !position.expects_cell
    }
}

impl Iterator for Cells<'_> {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        if self.at >= self.bytes.len() && !self.position.expects_cell {
            return None;
        }
        let opens_quote = self.bytes.get(self.at) == Some(&b'"');
        let (range, end, is_quoted) = self.parse_content(opens_quote)?;
        let CellPosition { row, column, .. } = self.position;
        let is_last_in_row = self.advance_past(end);
        Some(Cell {
            range,
            row,
            column,
            is_quoted,
            has_broken_quotes: opens_quote && !is_quoted,
            is_last_in_row,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the cells of a table. In `expect`, `|` follows a cell, and `/` follows the last
    /// cell of a row.
    #[track_caller]
    fn check(table: &str, expect: &str) {
        let mut actual = String::new();
        for cell in Cells::resume(table, b',', InputEnd::Last, CellPosition::default()) {
            actual.push_str(table.slice(cell.range));
            actual.push(if cell.is_last_in_row { '/' } else { '|' });
        }
        assert_eq!(actual, expect);
    }

    #[test]
    fn rows_and_cells_are_split() {
        check("a,b\nc,\r\n,d\re", "a|b/c|/|d/e/");
        check("a\n", "a/");
        check("a,", "a|/");
        check("", "");
        check("\n\n", "//");
    }

    #[test]
    fn valid_quotes_are_removed() {
        check("\"a,\n\",\"\",\"b\"\"\"", "a,\n||b\"\"/");
        check("\"a\"b,c", "\"a\"b|c/");
        check("\"a,b", "\"a|b/");
        check("a\"b\",c", "a\"b\"|c/");
    }
}
