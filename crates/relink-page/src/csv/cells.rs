//! Cuts a table into cells.
//!
//! A cell whose quotes are broken is read as if it had none, so that it ends
//! with its line at the latest. That keeps reading linear, too: a quote is
//! searched for from one quote to the next, and never twice past the same.

use std::ops::Range;

use memchr::memchr;

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

/// Goes through a table cell by cell.
pub(super) struct Cells<'t> {
    bytes: &'t [u8],
    separator: u8,
    at: usize,
    row: usize,
    column: usize,
    /// Whether a separator stands before the place, so that a cell must follow.
    owes_cell: bool,
}

impl<'t> Cells<'t> {
    pub(super) fn new(text: &'t str, separator: u8) -> Self {
        Self { bytes: text.as_bytes(), separator, at: 0, row: 0, column: 0, owes_cell: false }
    }

    /// The content of the quoted cell here and where it ends; nothing if its
    /// quotes are broken.
    fn quoted(&self) -> Option<(Range<usize>, usize)> {
        let start = self.at + 1;
        let mut from = start;
        loop {
            let quote = from + memchr(b'"', self.bytes.get(from..)?)?;
            match self.bytes.get(quote + 1) {
                Some(b'"') => from = quote + 2,
                after if after.is_none_or(|&byte| self.ends_cell(byte)) => {
                    return Some((start..quote, quote + 1));
                }
                _ => return None,
            }
        }
    }

    fn plain_end(&self) -> usize {
        let rest = &self.bytes[self.at..];
        self.at + rest.iter().position(|&byte| self.ends_cell(byte)).unwrap_or(rest.len())
    }

    fn ends_cell(&self, byte: u8) -> bool {
        byte == self.separator || matches!(byte, b'\n' | b'\r')
    }

    /// Passes over what ends the cell at `end`, and says whether the row ends.
    fn go_past(&mut self, end: usize) -> bool {
        let mark = self.bytes.get(end);
        self.owes_cell = mark == Some(&self.separator);
        self.at = match mark {
            None => end,
            Some(b'\r') if self.bytes.get(end + 1) == Some(&b'\n') => end + 2,
            Some(_) => end + 1,
        };
        if self.owes_cell {
            self.column += 1;
        } else {
            self.row += 1;
            self.column = 0;
        }
        !self.owes_cell
    }
}

impl Iterator for Cells<'_> {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        if self.at >= self.bytes.len() && !self.owes_cell {
            return None;
        }
        let opens_quote = self.bytes.get(self.at) == Some(&b'"');
        let quoted = opens_quote.then(|| self.quoted()).flatten();
        let is_quoted = quoted.is_some();
        let (range, end) = quoted.unwrap_or_else(|| {
            let end = self.plain_end();
            (self.at..end, end)
        });
        let (row, column) = (self.row, self.column);
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
        for cell in Cells::new(table, b',') {
            told.push_str(&table[cell.range]);
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
