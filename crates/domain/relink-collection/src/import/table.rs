//! Tables: CSV and TSV with a column of URLs.

use relink_page::{DocumentFormat, TableCell, for_each_row};

use crate::outline::{OutlineBuilder, OutlineEntry, is_web_url, split_tags};

/// The positions of the columns.
#[derive(Debug, Default, Clone, Copy)]
struct Columns {
    url: Option<usize>,
    title: Option<usize>,
    annotation: Option<usize>,
    tags: Option<usize>,
    folder: Option<usize>,
}

/// Reads a table. If the first row contains no URL, the row is the header.
pub(super) fn read(text: &str, builder: &mut OutlineBuilder) {
    let mut columns: Option<Columns> = None;
    for_each_row(DocumentFormat::Csv, text.as_bytes(), &mut |row: &[TableCell]| {
        let known = match columns {
            Some(known) => known,
            None if row.iter().any(|cell| is_web_url(&cell.text)) => Columns::default(),
            None => {
                columns = Some(Columns::from_header(row));
                return;
            }
        };
        columns = Some(known);
        known.read_row(row, builder);
    });
}

impl Columns {
    /// Finds the columns by their names in the header.
    fn from_header(row: &[TableCell]) -> Self {
        let find = |names: &[&str]| {
            row.iter().position(|cell| names.contains(&cell.text.to_ascii_lowercase().as_str()))
        };
        Self {
            url: find(&["url", "link", "href", "address", "uri"]),
            title: find(&["title", "name", "label"]),
            annotation: find(&["annotation", "note", "notes", "description", "comment"]),
            tags: find(&["tags", "keywords", "labels"]),
            folder: find(&["folder", "collection", "section", "category", "path"]),
        }
    }

    /// Adds the entry of a row. Without a column for URLs, the first URL of the row is used.
    fn read_row(self, row: &[TableCell], builder: &mut OutlineBuilder) {
        let cell = |column: Option<usize>| {
            column.and_then(|at| row.get(at)).map(|cell| cell.text.as_str()).unwrap_or_default()
        };
        let first_url = || row.iter().map(|cell| cell.text.as_str()).find(|text| is_web_url(text));
        let url = self.url.map(|_| cell(self.url)).or_else(first_url).unwrap_or_default();
        builder.select_path(cell(self.folder).split('/'));
        builder.add(OutlineEntry {
            url: url.to_owned(),
            title: cell(self.title).to_owned(),
            annotation: cell(self.annotation).to_owned(),
            tags: split_tags(cell(self.tags)),
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::{ImportFormat, read_outline};

    #[test]
    fn columns_are_found_by_name() {
        let text = "Title,URL,Note,Tags,Folder\n\
                    \"Owl, snowy\",https://a.test/owl,white,\"a;b\",Birds/Owls\nx,,,,\n";
        let outline = read_outline(ImportFormat::Csv, text);
        assert_eq!(outline.folders[1].path, ["Birds", "Owls"]);
        let owl = &outline.folders[1].entries[0];
        assert_eq!((owl.title.as_str(), owl.annotation.as_str()), ("Owl, snowy", "white"));
        assert_eq!(owl.tags, ["a", "b"]);
        assert_eq!(outline.skipped, 1);
    }

    #[test]
    fn table_without_a_header_uses_the_first_url_of_a_row() {
        let outline = read_outline(ImportFormat::Csv, "a,http://a.test/1\nb,http://a.test/2\n");
        assert_eq!(outline.len(), 2);
    }
}
