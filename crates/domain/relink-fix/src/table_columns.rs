//! Writes new URLs into columns of a table: `new_url`, `archive_url` and `confidence`.
//!
//! A table has no room for a second link after a URL. Missing columns are added at the
//! end of every row. If the table has the columns, only empty cells are filled.

use relink_model::{SourceLocation, Span};
use relink_page::{DocumentFormat, Options, TableCell, for_each_row};

use crate::link_edit::{EditStyle, LinkEdit, Refusal, RefusedEdit};
use crate::rewrite::Candidate;
use crate::url_form::UrlForm;

/// The names of the columns.
const COLUMNS: [&str; 3] = ["new_url", "archive_url", "confidence"];

/// Characters that separate columns.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The values of the columns for one link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnValues {
    /// The new URL of the page.
    pub new_url: Option<String>,
    /// The URL of the archived copy.
    pub archive_url: Option<String>,
    /// The confidence of the new URL, such as `0.97`.
    pub confidence: Option<String>,
}

impl ColumnValues {
    /// Returns the texts of the cells, in the order of [`COLUMNS`].
    fn cells(&self) -> [&str; 3] {
        [&self.new_url, &self.archive_url, &self.confidence]
            .map(|value| value.as_deref().unwrap_or_default())
    }

    /// Returns the number of URLs.
    fn urls(&self) -> usize {
        usize::from(self.new_url.is_some()) + usize::from(self.archive_url.is_some())
    }
}

/// A link with the values of its columns.
type LinkValues<'a> = (SourceLocation, &'a ColumnValues);

/// A text that is inserted into a table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CellInsertion {
    /// The location of the link for which the text is inserted.
    location: SourceLocation,
    /// The position at which the text is inserted.
    position: usize,
    text: String,
    /// Number of URLs in the text.
    urls: usize,
}

/// Returns the edits of a table for the links whose new URLs are written into columns.
pub(crate) fn column_edits(
    format: DocumentFormat,
    options: &Options,
    bytes: &[u8],
    requested: &[LinkEdit],
) -> Vec<Result<Candidate, RefusedEdit>> {
    let values = |request: &LinkEdit| match &request.style {
        EditStyle::Columns(values) => Some((request.location, values.clone())),
        _ => None,
    };
    let links: Vec<(SourceLocation, ColumnValues)> = requested.iter().filter_map(values).collect();
    if links.is_empty() {
        return Vec::new();
    }
    let links: Vec<(SourceLocation, &ColumnValues)> =
        links.iter().map(|(location, values)| (*location, values)).collect();
    let (links, mut refused) = first_link_of_each_row(format, bytes, links);
    let (insertions, other_refused) = column_insertions(format, bytes, &links);
    refused.extend(other_refused);
    let refused = refused.into_iter();
    let refused = refused.map(|(location, reason)| Err(RefusedEdit { location, reason }));
    let made = insertions.into_iter().map(|insertion| {
        let position = insertion.position;
        Ok(Candidate {
            location: insertion.location,
            // The edit does not replace the URL of a link, so the index is not used.
            index: usize::MAX,
            url: String::new(),
            span: Span { start: position, end: position },
            old: Vec::new(),
            markup: (insertion.text, String::new()),
            // If the user selected a column, URLs in other columns are not links.
            added_links: if options.column.is_none() { insertion.urls } else { 0 },
            form: Some(UrlForm::Plain),
            is_removal: false,
        })
    });
    made.chain(refused).collect()
}

/// Returns the first link of each row. The other links are refused, because the columns of a row
/// hold one new URL.
fn first_link_of_each_row<'a>(
    format: DocumentFormat,
    bytes: &[u8],
    mut links: Vec<LinkValues<'a>>,
) -> (Vec<LinkValues<'a>>, Vec<(SourceLocation, Refusal)>) {
    links.sort_by_key(|(location, _)| location.span);
    let (mut first, mut refused) = (Vec::with_capacity(links.len()), Vec::new());
    let mut remaining = links.into_iter().peekable();
    for_each_row(format, bytes, &mut |row| {
        let Some(end) = row.last().map(|cell| cell.location.span.end) else { return };
        let mut has_link = false;
        while let Some(link) = remaining.next_if(|(location, _)| location.span.start <= end) {
            if has_link {
                refused.push((link.0, Refusal::SecondInRow));
            } else {
                first.push(link);
            }
            has_link = true;
        }
    });
    first.extend(remaining);
    (first, refused)
}

/// Returns the insertions for links, and the links for which no text can be inserted.
fn column_insertions(
    format: DocumentFormat,
    bytes: &[u8],
    links: &[(SourceLocation, &ColumnValues)],
) -> (Vec<CellInsertion>, Vec<(SourceLocation, Refusal)>) {
    let mut rows: Vec<Vec<TableCell>> = Vec::new();
    for_each_row(format, bytes, &mut |row| rows.push(row.to_vec()));
    let refuse = |reason: Refusal| links.iter().map(|(link, _)| (*link, reason)).collect();
    let (Some(header), Some((first, _))) = (rows.first(), links.first()) else {
        return (Vec::new(), refuse(Refusal::Changed));
    };
    if header.iter().any(|cell| cell.text.contains("://")) {
        // Without a header, the new columns would have no names.
        return (Vec::new(), refuse(Refusal::NoRoom));
    }
    let table = Table { bytes, separator: separator(bytes, header) };
    let indexes = COLUMNS.map(|name| header.iter().position(|cell| cell.text == name));
    let [Some(new), Some(archive), Some(confidence)] = indexes else {
        return (table.added_columns(&rows, links, *first), Vec::new());
    };
    table.filled_cells(&rows, links, [new, archive, confidence])
}

/// Returns the separator between the first two cells of the header.
fn separator(bytes: &[u8], header: &[TableCell]) -> u8 {
    let between = header.get(..2).and_then(|cells| {
        let [one, two] = cells else { return None };
        bytes.get(one.location.span.end..two.location.span.start)
    });
    let is_separator = |byte: &&u8| SEPARATORS.contains(byte);
    between.and_then(|text| text.iter().find(is_separator)).copied().unwrap_or(b',')
}

/// Whether a link is in a column that Relink adds to tables.
pub(crate) fn is_relink_column(format: DocumentFormat, bytes: &[u8], span: Span) -> bool {
    if !matches!(format, DocumentFormat::Csv | DocumentFormat::Tsv) {
        return false;
    }
    let (mut names, mut is_own) = (Vec::new(), false);
    for_each_row(format, bytes, &mut |row| {
        if names.is_empty() {
            names = row.iter().map(|cell| cell.text.clone()).collect();
        }
        if let Some(index) =
            row.iter().position(|cell| row_contains(std::slice::from_ref(cell), span))
        {
            is_own = names.get(index).is_some_and(|name| is_relink_column_name(name));
        }
    });
    is_own
}

/// Whether a column has one of the names that Relink writes. Tables with several URL columns
/// have names such as `archive_url_homepage`.
fn is_relink_column_name(name: &str) -> bool {
    COLUMNS.iter().any(|column| {
        name.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    })
}

/// A table and the separator of its columns.
struct Table<'a> {
    bytes: &'a [u8],
    separator: u8,
}

impl Table<'_> {
    /// Returns the insertions that add the columns to every row. Rows without a link get empty
    /// cells. Their insertions have the location of the link `first`.
    fn added_columns(
        &self,
        rows: &[Vec<TableCell>],
        links: &[(SourceLocation, &ColumnValues)],
        first: SourceLocation,
    ) -> Vec<CellInsertion> {
        let separator = char::from(self.separator);
        let mut insertions = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let Some(last) = row.last() else { continue };
            let link = links.iter().find(|(link, _)| row_contains(row, link.span));
            let empty = ColumnValues::default();
            let (location, values) = link.map_or((first, &empty), |(link, values)| (*link, values));
            let cells = if index == 0 { COLUMNS } else { values.cells() };
            let text: String =
                cells.iter().flat_map(|cell| [separator.to_string(), self.to_cell(cell)]).collect();
            let position = self.row_end(last.location.span);
            insertions.push(CellInsertion { location, position, text, urls: values.urls() });
        }
        insertions
    }

    /// Returns the insertions that fill the empty cells of existing columns.
    fn filled_cells(
        &self,
        rows: &[Vec<TableCell>],
        links: &[(SourceLocation, &ColumnValues)],
        columns: [usize; 3],
    ) -> (Vec<CellInsertion>, Vec<(SourceLocation, Refusal)>) {
        let (mut insertions, mut refused) = (Vec::new(), Vec::new());
        for (location, values) in links {
            let row = rows.iter().find(|row| row_contains(row, location.span));
            let cells: Vec<Option<&TableCell>> =
                columns.iter().map(|index| row.and_then(|row| row.get(*index))).collect();
            if cells.iter().any(Option::is_none) {
                refused.push((*location, Refusal::NoRoom));
                continue;
            }
            if cells.iter().flatten().any(|cell| !cell.text.is_empty()) {
                refused.push((*location, Refusal::AlreadyPresent));
                continue;
            }
            for (cell, value) in cells.into_iter().flatten().zip(values.cells()) {
                if !value.is_empty() {
                    insertions.push(CellInsertion {
                        location: *location,
                        position: cell.location.span.start,
                        text: self.to_cell(value),
                        urls: usize::from(value.contains("://")),
                    });
                }
            }
        }
        (insertions, refused)
    }

    /// Returns the end of a row: the line end after its last cell.
    fn row_end(&self, last: Span) -> usize {
        let rest = self.bytes.get(last.end..).unwrap_or_default();
        let length = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
        last.end + length.unwrap_or(rest.len())
    }

    /// Returns a value as the text of a cell, in quotes if necessary.
    fn to_cell(&self, value: &str) -> String {
        let needs_quotes = value
            .bytes()
            .any(|byte| byte == self.separator || matches!(byte, b'"' | b'\r' | b'\n'));
        if needs_quotes { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_owned() }
    }
}

/// Whether a row contains a link.
fn row_contains(row: &[TableCell], link: Span) -> bool {
    row.iter()
        .any(|cell| cell.location.span.start <= link.start && link.end <= cell.location.span.end)
}
