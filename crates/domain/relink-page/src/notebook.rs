//! Jupyter notebooks: links of Markdown cells.
//!
//! A notebook is JSON. The text of a cell is a string or an array of lines. The text
//! is unescaped and parsed as Markdown, and each link is mapped back to the bytes of
//! the file. URLs in code cells are reported as skipped. Outputs are ignored.

use std::ops::Range;

use relink_model::{Link, LinkTarget, SkipReason};

use crate::bare_url::PlainText;
use crate::json::{Token, Tokenizer, unescape_into};
use crate::link_sink::{Extractor, LinkSink};
use crate::markdown::Markdown;
use crate::safe_slice::SafeSlice as _;
use crate::source_text::SourceText;
use crate::unescaped_text::UnescapedText;

/// Link extractor for notebooks.
pub(crate) struct Notebook;

impl Extractor for Notebook {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        let mut parser = NotebookParser::default();
        let mut tokens = Tokenizer::new(text, 0..text.len());
        while let Some(token) = tokens.next_token() {
            match token {
                Token::Open => parser.open(),
                Token::Close => parser.close().iter().for_each(|cell| cell.report(text, sink)),
                Token::Key(range) => parser.key = Key::from_name(text.slice(range)),
                Token::Text(range) => parser.read_string(range),
                Token::Unclosed(at) => sink.report_problem(at, "unclosed string"),
                Token::Comment(_) => {}
            }
        }
        // In a truncated notebook, the last cell is not closed.
        parser.cell.take().iter().for_each(|cell| cell.report(text, sink));
    }
}

/// Calls `each` with the text of each cell and whether it is Markdown.
pub(crate) fn for_each_cell(text: &str, each: &mut dyn FnMut(&str, bool)) {
    let mut parser = NotebookParser::default();
    let mut tokens = Tokenizer::new(text, 0..text.len());
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Open => parser.open(),
            Token::Close => {
                if let Some(cell) = parser.close() {
                    each(cell.source(text).text(), cell.kind(text) == "markdown");
                }
            }
            Token::Key(range) => parser.key = Key::from_name(text.slice(range)),
            Token::Text(range) => parser.read_string(range),
            Token::Unclosed(_) | Token::Comment(_) => {}
        }
    }
}

/// The key of the next value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Key {
    Cells,
    CellType,
    Source,
    #[default]
    Other,
}

impl Key {
    fn from_name(name: &str) -> Self {
        match name {
            "cells" => Self::Cells,
            "cell_type" => Self::CellType,
            // Before version 4 of the notebook format, the text of a code cell
            // is `input`.
            "source" | "input" => Self::Source,
            _ => Self::Other,
        }
    }
}

/// A cell that is being parsed.
#[derive(Debug, Default)]
struct Cell {
    /// The range of the value of `cell_type`.
    kind: Option<Range<usize>>,
    /// The ranges of the strings that contain the text.
    sources: Vec<Range<usize>>,
}

impl Cell {
    /// Returns the value of `cell_type`.
    fn kind<'t>(&self, text: &'t str) -> &'t str {
        self.kind.clone().map_or("", |kind| text.slice(kind))
    }

    /// Returns the unescaped text.
    fn source(&self, text: &str) -> UnescapedText {
        let mut source = UnescapedText::default();
        for range in &self.sources {
            unescape_into(text, range.clone(), &mut source);
        }
        source
    }

    /// Reports the links of the cell.
    fn report(&self, text: &str, sink: &mut LinkSink<'_>) {
        let source = self.source(text);
        match self.kind(text) {
            "markdown" | "heading" => report_links(&Markdown, &source, sink, None),
            "code" => report_links(&PlainText, &source, sink, Some(SkipReason::Code)),
            _ => report_links(&PlainText, &source, sink, None),
        }
    }
}

/// Tracks the nesting depth to find the cells of a notebook.
#[derive(Default)]
struct NotebookParser {
    depth: usize,
    /// Nesting depth of the array of cells, or `None` outside of this array. A cell is one
    /// level deeper than the array, and the lines of a cell are two levels deeper.
    cells: Option<usize>,
    key: Key,
    cell: Option<Cell>,
}

impl NotebookParser {
    fn open(&mut self) {
        self.depth += 1;
        match self.cells {
            None if self.key == Key::Cells => self.cells = Some(self.depth),
            Some(cells) if self.depth == cells + 1 => self.cell = Some(Cell::default()),
            // The lines of a source are an array; they belong to the same key.
            Some(cells) if self.depth == cells + 2 && self.key == Key::Source => return,
            _ => {}
        }
        self.key = Key::Other;
    }

    /// Returns the cell that ends here.
    fn close(&mut self) -> Option<Cell> {
        let mut ended = None;
        match self.cells {
            Some(cells) if self.depth == cells + 1 => ended = self.cell.take(),
            Some(cells) if self.depth <= cells => self.cells = None,
            _ => {}
        }
        self.key = Key::Other;
        self.depth = self.depth.saturating_sub(1);
        ended
    }

    /// Reads a string value.
    fn read_string(&mut self, string: Range<usize>) {
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
}

/// Reports the links that `extractor` finds in the text of a cell, as skipped
/// if `skipped` is set.
fn report_links(
    extractor: &dyn Extractor,
    source: &UnescapedText,
    sink: &mut LinkSink<'_>,
    skipped: Option<SkipReason>,
) {
    let document = SourceText::decode(source.text().as_bytes(), None);
    let mut each = |link: Link| {
        let range = source.source_range(link.location.span.range());
        let target = match skipped {
            Some(reason) => LinkTarget::Skipped(link.raw, reason),
            None => link.target,
        };
        sink.report_target(range, link.location.kind, target);
    };
    extractor.extract(document.text(), &mut LinkSink::new(&document, &mut each));
}

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use crate::{DocumentFormat, links};

    /// Asserts the links of a notebook with one cell, which is on line 2.
    #[track_caller]
    fn check_cell(cell: &str, expect: &[&str]) {
        check(
            DocumentFormat::Notebook,
            &format!("{{\"cells\":[\n{cell}\n],\"nbformat\":4}}"),
            expect,
        );
    }

    #[test]
    fn markdown_cells_have_links() {
        check_cell(
            r#"{"cell_type":"markdown","metadata":{},"source":["[a](x.md)\n","<http://b.test>"]}"#,
            &["2:54 hyperlink x.md", "2:65 autolink http://b.test"],
        );
        check_cell(r#"{"source":"![](p.png)","cell_type":"markdown"}"#, &["2:16 embed p.png"]);
    }

    #[test]
    fn link_with_escapes_has_its_source_range() {
        let notebook = br#"{"cells":[{"cell_type":"markdown","source":
            ["\"q\"\n", "\n[\u00e9](https:\/\/a.test\/?b\u0026c \"t\")"]}]}"#;
        let found = links(DocumentFormat::Notebook, notebook).links;
        assert_eq!(found[0].raw, r"https:\/\/a.test\/?b\u0026c");
        assert_eq!(found[0].target.text(), "https://a.test/?b&c");
        assert_eq!(notebook[found[0].location.span.range()], *found[0].raw.as_bytes());
    }

    #[test]
    fn code_is_skipped_and_outputs_are_ignored() {
        check_cell(
            r#"{"cell_type":"code","outputs":[{"text":["http://a.test"],"source":"http://b.test"}],"source":["get('http://c.test')\n"]}"#,
            &["2:101 bare-url http://c.test -"],
        );
        check_cell(
            r#"{"cell_type":"raw","source":"http://a.test\n"}"#,
            &["2:30 bare-url http://a.test"],
        );
    }

    #[test]
    fn text_outside_cells_has_no_links() {
        check(
            DocumentFormat::Notebook,
            r#"{"metadata":{"source":"http://a.test"},"cells":[]}"#,
            &[],
        );
        check(DocumentFormat::Notebook, r#"{"cells":[],"source":"http://a.test"}"#, &[]);
        check(DocumentFormat::Notebook, "", &[]);
    }

    #[test]
    fn truncated_notebook_yields_complete_links() {
        check(
            DocumentFormat::Notebook,
            "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":[\"[a](x)\\n\",\n\"[b](y",
            &["1:50 hyperlink x"],
        );
    }

    #[test]
    fn cells_in_worksheets_are_parsed() {
        check(
            DocumentFormat::Notebook,
            r#"{"worksheets":[{"cells":[{"cell_type":"markdown","source":["[a](x)"]}]}]}"#,
            &["1:65 hyperlink x"],
        );
    }
}
