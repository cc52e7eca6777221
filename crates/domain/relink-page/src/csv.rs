//! Tables: comma- or tab-separated values (RFC 4180).
//!
//! By default, every cell that consists of a URL is a link. If the caller
//! selects a column, each cell of the column must be a URL; other cells of the
//! column are reported as malformed. Cells are streamed and not stored.

mod cells;
mod rows;
mod separator;

pub use self::rows::{TableCell, for_each_row};

use std::borrow::Cow;
use std::ops::Range;

use relink_model::LinkKind;

use self::cells::{Cell, CellPosition, Cells};
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::list::trim_range;
use crate::options::Column;
use crate::safe_slice::SafeSlice as _;
use crate::target::{classify_list_line, scheme};
use crate::value::is_web_url;
use crate::window::{IncrementalExtractor, InputEnd};

/// Maximum number of column names listed in a problem.
const MAX_LISTED_NAMES: usize = 20;

/// Link extractor for tables.
pub(crate) struct Table<'o> {
    /// The separator; `None` to detect it.
    separator: Option<u8>,
    column: Option<&'o Column>,
}

impl<'o> Table<'o> {
    /// Creates an extractor that detects the separator.
    pub(crate) const fn csv(column: Option<&'o Column>) -> Self {
        Self { separator: None, column }
    }

    /// Creates an extractor for tab-separated values.
    pub(crate) const fn tsv(column: Option<&'o Column>) -> Self {
        Self { separator: Some(b'\t'), column }
    }
}

impl Extractor for Table<'_> {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        self.incremental().extract_part(text, InputEnd::Last, sink);
    }
}

impl<'o> Table<'o> {
    /// Returns the incremental extractor.
    pub(crate) fn incremental(&self) -> IncrementalTable<'o> {
        let filter = match self.column {
            None => ColumnFilter::AnyUrl,
            Some(Column::Number(number)) => ColumnFilter::Index(number.saturating_sub(1)),
            Some(Column::Named(name)) => ColumnFilter::Named(name),
        };
        IncrementalTable { separator: self.separator, filter, position: CellPosition::default() }
    }
}

/// Incremental link extractor for tables.
pub(crate) struct IncrementalTable<'o> {
    separator: Option<u8>,
    filter: ColumnFilter<'o>,
    position: CellPosition,
}

/// The cells that are links.
#[derive(Debug, Clone, Copy)]
enum ColumnFilter<'o> {
    /// All cells that are URLs.
    AnyUrl,
    /// The cells of this column, from 0.
    Index(usize),
    /// The cells of the column with this name. The header has not been parsed
    /// yet.
    Named(&'o str),
    /// No cell, because there is no column with the requested name.
    Nothing,
}

impl IncrementalExtractor for IncrementalTable<'_> {
    fn extract_part(&mut self, text: &str, input_end: InputEnd, sink: &mut LinkSink<'_>) -> usize {
        // Wait for more input if it could change the detected separator.
        if self.separator.is_none() && input_end == InputEnd::More && !separator::is_certain(text) {
            return 0;
        }
        let separator = *self.separator.get_or_insert_with(|| separator::detect(text));
        let mut cells = Cells::resume(text, separator, input_end, self.position);
        if let ColumnFilter::Named(name) = self.filter {
            // Without a complete header, no input is consumed.
            let Some(header) = read_header(&mut cells, input_end) else { return 0 };
            self.filter = column_index(text, &header, name)
                .map_or(ColumnFilter::Nothing, ColumnFilter::Index);
            if matches!(self.filter, ColumnFilter::Nothing) {
                sink.report_problem(0, missing_column_problem(text, &header, name));
            }
        }
        if matches!(self.filter, ColumnFilter::Nothing) {
            return text.len();
        }
        for cell in cells.by_ref() {
            report_broken_quotes(&cell, sink);
            match self.filter {
                ColumnFilter::Index(index) => report_in_column(text, &cell, index, sink),
                _ => report_url(text, &cell, sink),
            }
        }
        let (end, position) = cells.checkpoint();
        self.position = position;
        end
    }
}

/// Parses the first row. Returns `None` if it is not complete.
fn read_header(cells: &mut Cells<'_>, input_end: InputEnd) -> Option<Vec<Cell>> {
    let mut header = Vec::new();
    for cell in cells {
        let is_last_in_row = cell.is_last_in_row;
        header.push(cell);
        if is_last_in_row {
            return Some(header);
        }
    }
    (input_end == InputEnd::Last).then_some(header)
}

/// Reports a cell if it is a URL.
fn report_url(text: &str, cell: &Cell, sink: &mut LinkSink<'_>) {
    let range = trim_range(text, cell.range.clone());
    let decoded = cell.unquote(text.slice(range.clone()));
    if is_web_url(&decoded) {
        let syntax = match decoded {
            Cow::Borrowed(_) => DestinationSyntax::Plain,
            Cow::Owned(decoded) => DestinationSyntax::Decoded(decoded),
        };
        sink.report_link(range, LinkKind::Value, syntax);
    }
}

/// Reports a cell of the selected column, and rows without that column.
fn report_in_column(text: &str, cell: &Cell, index: usize, sink: &mut LinkSink<'_>) {
    if cell.column == index {
        report_required_url(text, cell, sink);
    } else if cell.is_last_in_row && cell.column < index && !cell.is_blank_row(text) {
        let count = cell.column + 1;
        let problem = format!("row has no column {} (found {count})", index + 1);
        sink.report_problem(cell.range.start, problem);
    }
}

/// Reports a cell that must be a URL. A cell of the first row may be the column
/// name instead.
fn report_required_url(text: &str, cell: &Cell, sink: &mut LinkSink<'_>) {
    let range = trim_range(text, cell.range.clone());
    let decoded = cell.unquote(text.slice(range.clone()));
    let is_name = cell.row == 0 && scheme(&decoded).is_none();
    if !range.is_empty() && !is_name {
        let target = classify_list_line(&decoded);
        sink.report_target(range, LinkKind::Value, target);
    }
}

fn report_broken_quotes(cell: &Cell, sink: &mut LinkSink<'_>) {
    if cell.has_broken_quotes {
        sink.report_problem(cell.range.start, "unclosed quote; the cell is parsed as unquoted");
    }
}

fn column_name<'t>(text: &'t str, cell: &Cell) -> Cow<'t, str> {
    cell.unquote(text.slice(trim_range(text, cell.range.clone())))
}

/// Returns the index of a column. An exact match takes precedence over a
/// case-insensitive match.
fn column_index(text: &str, header: &[Cell], name: &str) -> Option<usize> {
    let name = name.trim();
    let names = || header.iter().map(|cell| column_name(text, cell));
    names()
        .position(|other| other == name)
        .or_else(|| names().position(|other| other.to_lowercase() == name.to_lowercase()))
}

/// Returns the message for a missing column, with the names of the existing columns.
fn missing_column_problem(text: &str, header: &[Cell], name: &str) -> String {
    let names: Vec<String> = header
        .iter()
        .take(MAX_LISTED_NAMES)
        .map(|cell| format!("`{}`", column_name(text, cell)))
        .collect();
    format!("no column `{name}` (found {})", names.join(", "))
}

impl Cell {
    /// Replaces each doubled quote (`""`) of a quoted cell with one quote (`"`).
    fn unquote<'t>(&self, raw: &'t str) -> Cow<'t, str> {
        if self.is_quoted && raw.contains("\"\"") {
            Cow::Owned(raw.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(raw)
        }
    }

    /// Whether the cell is blank and the first in its row. If the cell also ends its row, the row
    /// is blank.
    fn is_blank_row(&self, text: &str) -> bool {
        self.column == 0 && text.slice(Range::clone(&self.range)).trim().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use crate::{Column, DocumentFormat, Extraction, Options, links, links_with};

    /// Asserts the links of a table as `line:column kind URL`.
    #[track_caller]
    fn check_csv(document: &str, expect: &[&str]) {
        check(DocumentFormat::Csv, document, expect);
    }

    /// Extracts the links of a column, given by its name or number.
    fn links_in_column(document: &str, column: &str) -> Extraction {
        let options = Options { column: Some(Column::from(column)), ..Options::default() };
        links_with(DocumentFormat::Csv, document.as_bytes(), &options)
    }

    /// Asserts the links in a column: their lines and the starts of their targets.
    #[track_caller]
    fn check_column(document: &str, column: &str, expect: &[&str]) {
        let found = links_in_column(document, column).links;
        let actual: Vec<String> =
            found.iter().map(|link| format!("{} {:?}", link.location.line, link.target)).collect();
        let is_as_expected = actual.len() == expect.len()
            && actual.iter().zip(expect).all(|(actual, expect)| actual.starts_with(expect));
        assert!(is_as_expected, "{actual:#?}");
    }

    /// Asserts the messages of the problems found in the file.
    #[track_caller]
    fn check_problems(found: &Extraction, expect: &[&str]) {
        let actual: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
        assert_eq!(actual, expect);
    }

    #[test]
    fn every_cell_that_is_a_url_is_a_link() {
        check_csv(
            "name,url,more\r\nA,https://a.test/,\"http://b.test/x,y\"\r\nB, http://c.test ,see http://d.test\r\n",
            &[
                "2:3 value https://a.test/",
                "2:20 value http://b.test/x,y",
                "3:4 value http://c.test",
            ],
        );
        check(
            DocumentFormat::Tsv,
            "a\thttp://a.test/,x\r\nb\t\"http://b.test\"",
            &["1:3 value http://a.test/,x", "2:4 value http://b.test"],
        );
    }

    #[test]
    fn quoted_cells_may_contain_separators_line_ends_and_quotes() {
        check_csv("\"a\nhttp://no.test,\nb\",http://a.test", &["3:4 value http://a.test"]);
        let found = links(DocumentFormat::Csv, b"\"http://a.test/?q=\"\"x\"\"\"").links;
        assert_eq!(found[0].raw, "http://a.test/?q=\"\"x\"\"");
        assert_eq!(found[0].target.text(), "http://a.test/?q=\"x\"");
    }

    #[test]
    fn every_kind_of_line_end_ends_a_row() {
        check_column(
            "url\rhttp://a.test\rb\r\nc\nhttp://d.test",
            "url",
            &[
                "1 Web(\"http://a.test\")",
                "1 Malformed(\"b\"",
                "2 Malformed(\"c\"",
                "3 Web(\"http://d.test\")",
            ],
        );
    }

    #[test]
    fn other_separators_are_detected() {
        check_csv("a;b\n1;http://a.test/,x\n", &["2:3 value http://a.test/,x"]);
        check_csv("a|b\n1|http://a.test\n", &["2:3 value http://a.test"]);
        check_csv(
            "http://a.test/x;y\nhttp://b.test\n",
            &["1:1 value http://a.test/x;y", "2:1 value http://b.test"],
        );
    }

    #[test]
    fn broken_quotes_do_not_affect_other_rows() {
        let table = "a,b\n1,\"oops http://a.test\n2,http://b.test\n3,\"ok\",http://c.test\n";
        check_csv(table, &["3:3 value http://b.test", "4:8 value http://c.test"]);
        check_problems(
            &links(DocumentFormat::Csv, table.as_bytes()),
            &["line 2: unclosed quote; the cell is parsed as unquoted"],
        );
        check_csv(
            "1,\"5\" disk,http://a.test\n2,http://b.test",
            &["1:12 value http://a.test", "2:3 value http://b.test"],
        );
        check_csv("\"http://a.test\n", &[]);
        check_csv("a,\"b\nhttp://c.test\n", &["2:1 value http://c.test"]);
    }

    #[test]
    fn column_is_selected_by_name_or_number() {
        let table = "Name,Site URL\nhttp://n.test,http://a.test\nB,oops\nC,\nD,mailto:a@b.test\n";
        let expect: &[&str] =
            &["2 Web(\"http://a.test\")", "3 Malformed(\"oops\"", "5 Skipped(\"mailto:a@b.test\""];
        check_column(table, "site url", expect);
        check_column(table, "2", expect);
        check_column("http://a.test,x\n", "1", &["1 Web(\"http://a.test\")"]);
    }

    #[test]
    fn missing_column_is_a_problem() {
        check_problems(
            &links_in_column("a,\"b\"\n1,2\n", "url"),
            &["line 1: no column `url` (found `a`, `b`)"],
        );
        check_problems(
            &links_in_column("a,url\n1\n\n2,http://a.test\n", "url"),
            &["line 2: row has no column 2 (found 1)"],
        );
    }
}
