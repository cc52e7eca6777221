//! A table row by row, for who needs more than its addresses.
//!
//! Which cell means what is the caller's business; here is only what each cell
//! says and where it stands.

use relink_model::{LinkKind, SourceLocation};

use super::cells::{Cells, Progress};
use super::separator;
use crate::DocumentFormat;
use crate::cut::Cut as _;
use crate::document::{Cursor, Origin, SourceText};
use crate::list::trim;
use crate::window::InputEnd;

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCell {
    /// What it says, without quotes and the white space around it.
    pub text: String,
    /// Where it stands.
    pub location: SourceLocation,
}

/// Hands the rows of a table to `each`, in order, blank ones left out.
///
/// What separates the cells is told by the format where it is
/// [`Format::Tsv`], else by the content.
///
/// ```
/// use relink_page::{Format, each_row};
/// let mut rows = Vec::new();
/// each_row(Format::Csv, b"domain,url\na.test,http://a.test/1\n", &mut |row| {
///     rows.push(row.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>());
/// });
/// assert_eq!(rows[1], ["a.test", "http://a.test/1"]);
/// ```
pub fn for_each_row(format: DocumentFormat, bytes: &[u8], each: &mut dyn FnMut(&[TableCell])) {
    let document = SourceText::read(bytes, None);
    let text = document.text();
    let separator = if format == DocumentFormat::Tsv { b'\t' } else { separator::of(text) };
    let mut cursor = Cursor::new(Origin::default());
    let mut row = Vec::new();
    for cell in Cells::resume(text, separator, InputEnd::None, Progress::default()) {
        let range = trim(text, cell.range.clone());
        cursor.move_to(&document, range.start);
        let place = SourceLocation {
            span: cursor.span_to(&document, range.end),
            line: cursor.line(),
            column: cursor.column(),
            kind: LinkKind::Value,
        };
        row.push(TableCell { text: cell.means(text.cut(range)).into_owned(), location: place });
        if cell.is_last {
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

    #[track_caller]
    fn check(format: DocumentFormat, table: &str, expect: &str) {
        let mut told = String::new();
        for_each_row(format, table.as_bytes(), &mut |row| {
            for cell in row {
                let SourceLocation { line, column, .. } = cell.location;
                told.extend([format!("{line}:{column} {}|", cell.text)]);
            }
            told += "/";
        });
        assert_eq!(told, expect);
    }

    #[test]
    fn every_cell_has_its_text_and_its_place() {
        check(DocumentFormat::Csv, "a,\"b\"\"c\"\n\nd, e \n", "1:1 a|1:4 b\"c|/3:1 d|3:4 e|/");
        check(DocumentFormat::Tsv, "a,b\tc\n", "1:1 a,b|1:5 c|/");
        check(DocumentFormat::Csv, "a;b\nc;d", "1:1 a|1:3 b|/2:1 c|2:3 d|/");
        check(DocumentFormat::Csv, "", "");
    }
}
