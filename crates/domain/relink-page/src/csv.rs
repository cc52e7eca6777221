//! Tables: comma- or tab-separated values (RFC 4180).
//!
//! Which column holds addresses is found by looking: every cell that is one as
//! a whole is a link. A caller may name one column instead; then each of its
//! cells is meant as an address, and one that is none is reported. Rows are
//! read one by one and none is kept.

mod cells;
mod rows;
mod separator;

pub use self::rows::{TableCell, for_each_row};

use std::borrow::Cow;
use std::ops::Range;

use relink_model::LinkKind;

use self::cells::{Cell, Cells, Progress};
use crate::cut::Cut as _;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::list::trim;
use crate::options::Column;
use crate::target::{classify_line, scheme};
use crate::value::is_address;
use crate::window::{IncrementalExtractor, InputEnd};

/// How many column names a problem lists.
const NAMES_TO_TELL: usize = 20;

/// Reads the addresses of a table.
pub(crate) struct Table<'o> {
    /// What stands between cells; nothing if the content tells.
    separator: Option<u8>,
    column: Option<&'o Column>,
}

impl<'o> Table<'o> {
    /// A table of comma-separated values, or whatever else separates them.
    pub(crate) const fn csv(column: Option<&'o Column>) -> Self {
        Self { separator: None, column }
    }

    /// A table of tab-separated values.
    pub(crate) const fn tsv(column: Option<&'o Column>) -> Self {
        Self { separator: Some(b'\t'), column }
    }
}

impl Extractor for Table<'_> {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        self.parts().resume(text, InputEnd::None, found);
    }
}

impl<'o> Table<'o> {
    /// The reader of the table part by part.
    pub(crate) fn parts(&self) -> TableParts<'o> {
        let choice = match self.column {
            None => Choice::Addresses,
            Some(Column::Number(number)) => Choice::Index(number.saturating_sub(1)),
            Some(Column::Named(name)) => Choice::Named(name),
        };
        TableParts { separator: self.separator, choice, progress: Progress::default() }
    }
}

/// Reads the addresses of a table part by part.
pub(crate) struct TableParts<'o> {
    separator: Option<u8>,
    choice: Choice<'o>,
    progress: Progress,
}

/// Which cells are links.
#[derive(Debug, Clone, Copy)]
enum Choice<'o> {
    /// Those that are addresses.
    Addresses,
    /// Those of this column, from 0.
    Index(usize),
    /// Those of the column of this name, which is still to be looked for.
    Named(&'o str),
    /// None, for there is no such column.
    Nothing,
}

impl IncrementalExtractor for TableParts<'_> {
    fn resume(&mut self, text: &str, sequel: InputEnd, found: &mut LinkSink<'_>) -> usize {
        if self.separator.is_none() && sequel == InputEnd::Follows && !separator::is_certain(text) {
            return 0;
        }
        let separator = *self.separator.get_or_insert_with(|| separator::of(text));
        let mut cells = Cells::resume(text, separator, sequel, self.progress);
        if let Choice::Named(name) = self.choice {
            let Some(header) = header(&mut cells, sequel) else { return 0 };
            self.choice = index_of(text, &header, name).map_or(Choice::Nothing, Choice::Index);
            if matches!(self.choice, Choice::Nothing) {
                found.problem(0, no_such_column(text, &header, name));
            }
        }
        if matches!(self.choice, Choice::Nothing) {
            return text.len();
        }
        for cell in cells.by_ref() {
            tell_broken(&cell, found);
            match self.choice {
                Choice::Index(index) => tell_in_column(text, &cell, index, found),
                _ => tell_address(text, &cell, found),
            }
        }
        let (end, progress) = cells.checkpoint();
        self.progress = progress;
        end
    }
}

/// The cells of the first row; nothing if it is not there to its end.
fn header(cells: &mut Cells<'_>, sequel: InputEnd) -> Option<Vec<Cell>> {
    let mut header = Vec::new();
    for cell in cells {
        let is_last = cell.is_last;
        header.push(cell);
        if is_last {
            return Some(header);
        }
    }
    (sequel == InputEnd::None).then_some(header)
}

/// Reports a cell that is an address.
fn tell_address(text: &str, cell: &Cell, found: &mut LinkSink<'_>) {
    let range = trim(text, cell.range.clone());
    let means = cell.means(text.cut(range.clone()));
    if is_address(&means) {
        let notation = match means {
            Cow::Borrowed(_) => DestinationSyntax::Plain,
            Cow::Owned(means) => DestinationSyntax::Decoded(means),
        };
        found.link(range, LinkKind::Value, notation);
    }
}

/// Reports a cell if it is of the column, and a row that has no such column.
fn tell_in_column(text: &str, cell: &Cell, index: usize, found: &mut LinkSink<'_>) {
    if cell.column == index {
        report(text, cell, found);
    } else if cell.is_last && cell.column < index && !cell.is_blank_row(text) {
        let count = cell.column + 1;
        let problem = format!("the row has no column {}, only {count}", index + 1);
        found.problem(cell.range.start, problem);
    }
}

/// Reports a cell that is meant as an address. In the first row it may be the
/// column's name.
fn report(text: &str, cell: &Cell, found: &mut LinkSink<'_>) {
    let range = trim(text, cell.range.clone());
    let means = cell.means(text.cut(range.clone()));
    let is_name = cell.row == 0 && scheme(&means).is_none();
    if !range.is_empty() && !is_name {
        let target = classify_line(&means);
        found.target(range, LinkKind::Value, target);
    }
}

fn tell_broken(cell: &Cell, found: &mut LinkSink<'_>) {
    if cell.is_broken {
        found.problem(
            cell.range.start,
            "a quote is not closed where its cell ends; the row is read as it stands",
        );
    }
}

fn name_of<'t>(text: &'t str, cell: &Cell) -> Cow<'t, str> {
    cell.means(text.cut(trim(text, cell.range.clone())))
}

/// The column of this name; how it is cased decides only between two.
fn index_of(text: &str, header: &[Cell], name: &str) -> Option<usize> {
    let name = name.trim();
    let names = || header.iter().map(|cell| name_of(text, cell));
    names()
        .position(|other| other == name)
        .or_else(|| names().position(|other| other.to_lowercase() == name.to_lowercase()))
}

fn no_such_column(text: &str, header: &[Cell], name: &str) -> String {
    let names: Vec<String> = header
        .iter()
        .take(NAMES_TO_TELL)
        .map(|cell| format!("`{}`", name_of(text, cell)))
        .collect();
    format!("there is no column `{name}`, only {}", names.join(", "))
}

impl Cell {
    /// What is written in the cell, with doubled quotes made single.
    fn means<'t>(&self, written: &'t str) -> Cow<'t, str> {
        if self.is_quoted && written.contains("\"\"") {
            Cow::Owned(written.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(written)
        }
    }

    fn is_blank_row(&self, text: &str) -> bool {
        self.column == 0 && text.cut(Range::clone(&self.range)).trim().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use crate::{Column, DocumentFormat, Extraction, Options, links, links_with};

    #[track_caller]
    fn csv(document: &str, expect: &[&str]) {
        check(DocumentFormat::Csv, document, expect);
    }

    fn of_column(document: &str, column: &str) -> Extraction {
        let options = Options { column: Some(Column::from(column)), ..Options::default() };
        links_with(DocumentFormat::Csv, document.as_bytes(), &options)
    }

    #[track_caller]
    fn column(document: &str, column: &str, expect: &[&str]) {
        let found = of_column(document, column).links;
        let told: Vec<String> =
            found.iter().map(|link| format!("{} {:?}", link.location.line, link.target)).collect();
        let is_as_expected = told.len() == expect.len()
            && told.iter().zip(expect).all(|(told, expect)| told.starts_with(expect));
        assert!(is_as_expected, "{told:#?}");
    }

    #[track_caller]
    fn problems(found: &Extraction, expect: &[&str]) {
        let told: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
        assert_eq!(told, expect);
    }

    #[test]
    fn every_cell_that_is_an_address_is_a_link() {
        csv(
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
    fn quotes_hide_separators_line_ends_and_doubled_quotes() {
        csv("\"a\nhttp://no.test,\nb\",http://a.test", &["3:4 value http://a.test"]);
        let found = links(DocumentFormat::Csv, b"\"http://a.test/?q=\"\"x\"\"\"").links;
        assert_eq!(found[0].raw, "http://a.test/?q=\"\"x\"\"");
        assert_eq!(found[0].target.text(), "http://a.test/?q=\"x\"");
    }

    #[test]
    fn any_line_end_ends_a_row() {
        column(
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
    fn another_separator_is_found_by_looking() {
        csv("a;b\n1;http://a.test/,x\n", &["2:3 value http://a.test/,x"]);
        csv("a|b\n1|http://a.test\n", &["2:3 value http://a.test"]);
        csv(
            "http://a.test/x;y\nhttp://b.test\n",
            &["1:1 value http://a.test/x;y", "2:1 value http://b.test"],
        );
    }

    #[test]
    fn broken_quoting_costs_no_other_row() {
        let table = "a,b\n1,\"oops http://a.test\n2,http://b.test\n3,\"ok\",http://c.test\n";
        csv(table, &["3:3 value http://b.test", "4:8 value http://c.test"]);
        problems(
            &links(DocumentFormat::Csv, table.as_bytes()),
            &["line 2: a quote is not closed where its cell ends; the row is read as it stands"],
        );
        csv(
            "1,\"5\" disk,http://a.test\n2,http://b.test",
            &["1:12 value http://a.test", "2:3 value http://b.test"],
        );
        csv("\"http://a.test\n", &[]);
        csv("a,\"b\nhttp://c.test\n", &["2:1 value http://c.test"]);
    }

    #[test]
    fn a_column_is_chosen_by_name_or_number() {
        let table = "Name,Site URL\nhttp://n.test,http://a.test\nB,oops\nC,\nD,mailto:a@b.test\n";
        let expect: &[&str] =
            &["2 Web(\"http://a.test\")", "3 Malformed(\"oops\"", "5 Skipped(\"mailto:a@b.test\""];
        column(table, "site url", expect);
        column(table, "2", expect);
        column("http://a.test,x\n", "1", &["1 Web(\"http://a.test\")"]);
    }

    #[test]
    fn a_missing_column_is_a_problem() {
        problems(
            &of_column("a,\"b\"\n1,2\n", "url"),
            &["line 1: there is no column `url`, only `a`, `b`"],
        );
        problems(
            &of_column("a,url\n1\n\n2,http://a.test\n", "url"),
            &["line 2: the row has no column 2, only 1"],
        );
    }
}
