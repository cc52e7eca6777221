//! Iterates over the rows of a table, for callers that need more than its URLs.

use relink_model::{LinkKind, SourceLocation};

use super::cells::{CellPosition, Cells};
use super::separator;
use crate::DocumentFormat;
use crate::list::trim_range;
use crate::safe_slice::SafeSlice as _;
use crate::source_text::{Cursor, Origin, SourceText};
use crate::window::InputEnd;

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCell {
    /// The content, without quotes and surrounding white space.
    pub text: String,
    /// Source location of the content.
    pub location: SourceLocation,
}

/// Calls `each` for every row of a table, in order, except blank rows.
///
/// The separator is a tab for [`DocumentFormat::Tsv`] and detected for other
/// formats.
///
/// ```
/// use relink_page::{DocumentFormat, for_each_row};
/// let mut rows = Vec::new();
/// for_each_row(DocumentFormat::Csv, b"domain,url\na.test,http://a.test/1\n", &mut |row| {
///     rows.push(row.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>());
/// });
/// assert_eq!(rows[1], ["a.test", "http://a.test/1"]);
/// ```
pub fn for_each_row(format: DocumentFormat, bytes: &[u8], each: &mut dyn FnMut(&[TableCell])) {
    let document = SourceText::decode(bytes, None);
    let text = document.text();
    let separator = if format == DocumentFormat::Tsv { b'\t' } else { separator::detect(text) };
    let mut cursor = Cursor::new(Origin::default());
    let mut row = Vec::new();
    // The text is the whole table: its first cell is at the default position, and
    // no input follows.
    for cell in Cells::resume(text, separator, InputEnd::Last, CellPosition::default()) {
        let range = trim_range(text, cell.range.clone());
        cursor.move_to(&document, range.start);
        let location = SourceLocation {
            span: cursor.span_to(&document, range.end),
            line: cursor.line(),
            column: cursor.column(),
            kind: LinkKind::Value,
        };
        row.push(TableCell { text: cell.unquote(text.slice(range)).into_owned(), location });
        if cell.is_last_in_row {
            if row.iter().any(|cell| !cell.text.is_empty()) {
                each(&row);
            }
            row.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the rows of a table. In `expect`, a cell is `line:column text|`, and `/` follows
    /// a row.
    #[track_caller]
    fn check(format: DocumentFormat, table: &str, expect: &str) {
        let mut actual = String::new();
        for_each_row(format, table.as_bytes(), &mut |row| {
            for cell in row {
                let SourceLocation { line, column, .. } = cell.location;
                actual.extend([format!("{line}:{column} {}|", cell.text)]);
            }
            actual += "/";
        });
        assert_eq!(actual, expect);
    }

    #[test]
    fn every_cell_has_text_and_location() {
        check(DocumentFormat::Csv, "a,\"b\"\"c\"\n\nd, e \n", "1:1 a|1:4 b\"c|/3:1 d|3:4 e|/");
        check(DocumentFormat::Tsv, "a,b\tc\n", "1:1 a,b|1:5 c|/");
        check(DocumentFormat::Csv, "a;b\nc;d", "1:1 a|1:3 b|/2:1 c|2:3 d|/");
        check(DocumentFormat::Csv, "", "");
    }
}
