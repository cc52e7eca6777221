//! Jupyter notebooks: the links of their Markdown cells.
//!
//! A notebook is JSON that keeps each cell's text as a string or as a list of
//! lines. The text is put together and read as Markdown, and every place is
//! led back through the escapes to the bytes of the file. Addresses in code
//! are told as passed over; outputs are what a program said, and not read.

use std::ops::Range;

use relink_model::{Link, LinkTarget, SkipReason};

use crate::bare::PlainText;
use crate::cut::Cut as _;
use crate::document::SourceText;
use crate::json::{Token, Tokenizer, resolve};
use crate::link_sink::{Extractor, LinkSink};
use crate::markdown::Markdown;
use crate::resolved::UnescapedText;

/// Reads the links of notebooks.
pub(crate) struct Notebook;

impl Extractor for Notebook {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        let mut reader =
            NotebookParser { text, depth: 0, cells: None, key: Key::Other, cell: None };
        let mut tokens = Tokenizer::new(text, 0..text.len());
        while let Some(token) = tokens.next_token() {
            match token {
                Token::Open => reader.open(),
                Token::Close => reader.close(found),
                Token::Key(range) => reader.key = Key::named(text.cut(range)),
                Token::Text(range) => reader.read(range),
                Token::Unclosed(at) => found.problem(at, "a string is not closed"),
                Token::Comment(_) => {}
            }
        }
        // Of a notebook cut short, the last cell counts as far as it goes.
        reader.end_cell(found);
    }
}

/// The name of the member whose value comes next, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Cells,
    CellType,
    Source,
    Other,
}

impl Key {
    fn named(name: &str) -> Self {
        match name {
            "cells" => Self::Cells,
            "cell_type" => Self::CellType,
            // Notebooks before format 4 call the text of a code cell `input`.
            "source" | "input" => Self::Source,
            _ => Self::Other,
        }
    }
}

/// A cell being read.
#[derive(Debug, Default)]
struct Cell {
    kind: Option<Range<usize>>,
    sources: Vec<Range<usize>>,
}

/// Follows the brackets of a notebook by their depth alone.
struct NotebookParser<'t> {
    text: &'t str,
    depth: usize,
    /// The depth inside the list of cells, while in it.
    cells: Option<usize>,
    key: Key,
    cell: Option<Cell>,
}

impl NotebookParser<'_> {
    fn open(&mut self) {
        self.depth += 1;
        match self.cells {
            None if self.key == Key::Cells => self.cells = Some(self.depth),
            Some(cells) if self.depth == cells + 1 => self.cell = Some(Cell::default()),
            // The lines of a source are a list of their own.
            Some(cells) if self.depth == cells + 2 && self.key == Key::Source => return,
            _ => {}
        }
        self.key = Key::Other;
    }

    fn close(&mut self, found: &mut LinkSink<'_>) {
        match self.cells {
            Some(cells) if self.depth == cells + 1 => self.end_cell(found),
            Some(cells) if self.depth <= cells => self.cells = None,
            _ => {}
        }
        self.key = Key::Other;
        self.depth = self.depth.saturating_sub(1);
    }

    fn read(&mut self, string: Range<usize>) {
        let (Some(cells), Some(cell)) = (self.cells, &mut self.cell) else {
            return;
        };
        match self.key {
            Key::CellType if self.depth == cells + 1 => cell.kind = Some(string),
            Key::Source if self.depth <= cells + 2 => cell.sources.push(string),
            _ => {}
        }
        if self.depth == cells + 1 {
            self.key = Key::Other;
        }
    }

    fn end_cell(&mut self, found: &mut LinkSink<'_>) {
        let Some(cell) = self.cell.take() else {
            return;
        };
        let mut source = UnescapedText::default();
        for range in cell.sources {
            resolve(self.text, range, &mut source);
        }
        match cell.kind.map_or("", |kind| self.text.cut(kind)) {
            "markdown" | "heading" => for_each_link(&Markdown, &source, found, None),
            "code" => for_each_link(&PlainText, &source, found, Some(SkipReason::Code)),
            _ => for_each_link(&PlainText, &source, found, None),
        }
    }
}

/// Reports the links that `extractor` finds in a cell's text, all of them as
/// passed over if there is a reason.
fn for_each_link(
    extractor: &dyn Extractor,
    source: &UnescapedText,
    found: &mut LinkSink<'_>,
    skipped: Option<SkipReason>,
) {
    let document = SourceText::read(source.text().as_bytes(), None);
    let mut each = |link: Link| {
        let range = source.written(link.location.span.range());
        let target = match skipped {
            Some(reason) => LinkTarget::Skipped(link.raw, reason),
            None => link.target,
        };
        found.target(range, link.location.kind, target);
    };
    extractor.extract(document.text(), &mut LinkSink::new(&document, &mut each));
}

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use crate::{DocumentFormat, links};

    #[track_caller]
    fn cell(cell: &str, expect: &[&str]) {
        check(
            DocumentFormat::Notebook,
            &format!("{{\"cells\":[\n{cell}\n],\"nbformat\":4}}"),
            expect,
        );
    }

    #[test]
    fn markdown_cells_have_links() {
        cell(
            r#"{"cell_type":"markdown","metadata":{},"source":["[a](x.md)\n","<http://b.test>"]}"#,
            &["2:54 link x.md", "2:65 autolink http://b.test"],
        );
        cell(r#"{"source":"![](p.png)","cell_type":"markdown"}"#, &["2:16 embed p.png"]);
    }

    #[test]
    fn a_link_is_found_through_the_escapes_around_and_in_it() {
        let notebook = br#"{"cells":[{"cell_type":"markdown","source":
            ["\"q\"\n", "\n[\u00e9](https:\/\/a.test\/?b\u0026c \"t\")"]}]}"#;
        let found = links(DocumentFormat::Notebook, notebook).links;
        assert_eq!(found[0].raw, r"https:\/\/a.test\/?b\u0026c");
        assert_eq!(found[0].target.text(), "https://a.test/?b&c");
        assert_eq!(notebook[found[0].location.span.range()], *found[0].raw.as_bytes());
    }

    #[test]
    fn code_is_passed_over_and_told_and_outputs_are_not_read() {
        cell(
            r#"{"cell_type":"code","outputs":[{"text":["http://a.test"],"source":"http://b.test"}],"source":["get('http://c.test')\n"]}"#,
            &["2:101 bare http://c.test -"],
        );
        cell(r#"{"cell_type":"raw","source":"http://a.test\n"}"#, &["2:30 bare http://a.test"]);
    }

    #[test]
    fn what_is_no_cell_has_no_links() {
        check(
            DocumentFormat::Notebook,
            r#"{"metadata":{"source":"http://a.test"},"cells":[]}"#,
            &[],
        );
        check(DocumentFormat::Notebook, r#"{"cells":[],"source":"http://a.test"}"#, &[]);
        check(DocumentFormat::Notebook, "", &[]);
    }

    #[test]
    fn a_notebook_cut_short_yields_what_can_be_read() {
        check(
            DocumentFormat::Notebook,
            "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":[\"[a](x)\\n\",\n\"[b](y",
            &["1:50 link x"],
        );
    }

    #[test]
    fn older_notebooks_keep_their_cells_in_worksheets() {
        check(
            DocumentFormat::Notebook,
            r#"{"worksheets":[{"cells":[{"cell_type":"markdown","source":["[a](x)"]}]}]}"#,
            &["1:65 link x"],
        );
    }
}
