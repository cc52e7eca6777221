//! reStructuredText, following docutils and Sphinx.
//!
//! Blocks are recognized by their first line and indentation. They are not nested:
//! the content of a directive is parsed like other text with a larger indentation.
//! [`parse_inline`](RstParser::parse_inline) parses the text of paragraphs. Hyperlink
//! targets (`.. _name: url`) are reported at the end, when all references to the
//! targets are known.

mod blocks;
mod directive;
mod inline;
mod target;

use std::ops::Range;

use relink_model::SkipReason;

use crate::line::Line;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::{Extractor, LinkSink};
use crate::safe_slice::SafeSlice as _;
pub(crate) use blocks::read_blocks;
use target::Targets;

/// Maximum number of nested list markers at the start of a line.
const MAX_LIST_MARKERS: usize = 4;

/// Link extractor for reStructuredText.
pub(crate) struct Rst;

impl Extractor for Rst {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        let mut parser = RstParser::new(text);
        parser.parse();
        let RstParser { mut candidates, targets, .. } = parser;
        targets.report(&mut candidates);
        candidates.report(0, sink);
    }
}

/// Parses a document line by line.
struct RstParser<'t> {
    text: &'t str,
    /// Offset of the next line.
    at: usize,
    candidates: LinkCandidates<'t>,
    targets: Targets,
    /// Range of the current paragraph, and the column of its last line.
    paragraph: Option<(Range<usize>, usize)>,
}

impl<'t> RstParser<'t> {
    fn new(text: &'t str) -> Self {
        let candidates = LinkCandidates::new(text);
        Self { text, at: 0, candidates, targets: Targets::new(text), paragraph: None }
    }

    fn parse(&mut self) {
        while let Some(line) = self.peek_line() {
            self.at = line.next;
            if line.is_blank() {
                self.end_paragraph();
            } else {
                self.parse_line(&line);
            }
        }
        self.end_paragraph();
    }

    /// Returns the next line.
    fn peek_line(&self) -> Option<Line> {
        Line::at(self.text, self.at)
    }

    fn parse_line(&mut self, line: &Line) {
        let (content, column) = self.without_list_markers(line);
        let raw = self.text.slice(content.clone());
        let is_explicit = raw.starts_with(".. ") || raw == ".." || raw.starts_with("..\t");
        if is_explicit {
            // Explicit markup starts with `.. ` and ends the paragraph.
            self.parse_paragraph();
            let start = content.start + "..".len();
            let space = raw.len() - "..".len() - raw.slice("..".len()..).trim_start().len();
            self.parse_explicit_markup(start + space..content.end, column);
        } else if self.paragraph.is_none() && raw.starts_with("__ ") {
            // `__ url` is an anonymous target.
            self.parse_target(content.start + "__".len()..content.end, column, None);
        } else if self.paragraph.is_none() && raw.starts_with(">>>") {
            self.skip_doctest(line.start);
        } else {
            // Start a paragraph, or extend the current one.
            let start = self.paragraph.take().map_or(content.start, |(range, _)| range.start);
            let column = if start == content.start { column } else { line.indent };
            self.set_paragraph(start..content.end, column);
        }
    }

    /// Sets the range of the current paragraph, and the column of its last line. Target
    /// names without a URL are cleared, because they do not apply to a target after text.
    fn set_paragraph(&mut self, range: Range<usize>, column: usize) {
        self.targets.clear_pending_names();
        self.paragraph = Some((range, column));
    }

    /// Returns the content after list item markers, and its column. Inside a
    /// paragraph, there are no list items.
    fn without_list_markers(&self, line: &Line) -> (Range<usize>, usize) {
        let (mut content, mut column) = (line.content.clone(), line.indent);
        if self.paragraph.is_some() {
            return (content, column);
        }
        for _ in 0..MAX_LIST_MARKERS {
            let marker_length = list_marker_length(self.text.slice(content.clone()));
            content.start += marker_length;
            column += marker_length;
            if marker_length == 0 {
                break;
            }
        }
        (content, column)
    }

    /// Ends the current paragraph, parses its text, and returns its range and
    /// column.
    fn parse_paragraph(&mut self) -> Option<(Range<usize>, usize)> {
        let (range, column) = self.paragraph.take()?;
        self.parse_inline(range.clone());
        Some((range, column))
    }

    /// Ends the current paragraph. If it ends with `::`, skips the literal block that
    /// follows.
    fn end_paragraph(&mut self) {
        if let Some((range, column)) = self.parse_paragraph()
            && self.text.slice(range).ends_with("::")
        {
            self.skip_literal_block(column);
        }
    }

    /// Skips a literal block: lines indented more than `column`, or lines that
    /// all start with the same quoting character.
    fn skip_literal_block(&mut self, column: usize) {
        while let Some(line) = self.peek_line().filter(Line::is_blank) {
            self.at = line.next;
        }
        let Some(first) = self.peek_line() else { return };
        let start = first.start;
        if first.indent > column {
            self.at = self.block_end(column);
        } else {
            let quoting = self.text.slice(first.content.clone()).chars().next();
            let Some(quoting) = quoting.filter(char::is_ascii_punctuation) else { return };
            while let Some(line) =
                self.peek_line().filter(|line| line.text(self.text).starts_with(quoting))
            {
                self.at = line.next;
            }
        }
        self.candidates.push_skipped_urls(start..self.at, SkipReason::Code);
    }

    /// Returns the end of the block that is indented more than `column`.
    fn block_end(&self, column: usize) -> usize {
        let mut end = self.at;
        while let Some(line) = Line::at(self.text, end) {
            if !line.is_blank() && line.indent <= column {
                break;
            }
            end = line.next;
        }
        end
    }

    /// Skips a doctest block, which ends at a blank line.
    fn skip_doctest(&mut self, start: usize) {
        while let Some(line) = self.peek_line().filter(|line| !line.is_blank()) {
            self.at = line.next;
        }
        self.candidates.push_skipped_urls(start..self.at, SkipReason::Code);
    }

    /// Parses explicit markup: the text after `.. `.
    fn parse_explicit_markup(&mut self, rest: Range<usize>, column: usize) {
        let raw = self.text.slice(rest.clone());
        if raw.starts_with('_') {
            self.parse_named_target(rest, column);
        } else if let Some(length) = footnote_marker_length(raw) {
            self.set_paragraph(rest.start + length..rest.end, column);
        } else if let Some(directive) = directive::parse_directive(raw) {
            self.targets.clear_pending_names();
            self.apply_directive(&directive, rest, column);
        } else {
            self.skip_comment(rest, column);
        }
    }

    /// Skips a comment. An empty comment does not include the indented lines after
    /// the blank line.
    fn skip_comment(&mut self, rest: Range<usize>, column: usize) {
        let is_empty = rest.is_empty() && self.peek_line().is_none_or(|line| line.is_blank());
        if !is_empty {
            self.at = self.block_end(column);
        }
        self.candidates.push_skipped_urls(rest.start..self.at.max(rest.end), SkipReason::Comment);
    }

    /// Returns the end of a text that may continue in the indented lines below. `end` is
    /// its end in the current line; `continues` returns whether a line continues the text.
    fn continuation_end(
        &mut self,
        end: usize,
        column: usize,
        continues: impl Fn(&str) -> bool,
    ) -> usize {
        let mut end = end;
        while let Some(line) = self.peek_line() {
            if line.is_blank() || line.indent <= column || !continues(line.text(self.text)) {
                break;
            }
            end = line.content.end;
            self.at = line.next;
        }
        end
    }
}

/// Returns the length of a footnote or citation marker, `[1]`.
fn footnote_marker_length(raw: &str) -> Option<usize> {
    let inside = raw.strip_prefix('[')?;
    let end = inside.find([']', ' ']).filter(|end| inside.slice(*end..).starts_with(']'))?;
    Some(end + "[]".len())
}

/// Returns the length of a list item marker and the white space after it, or 0.
fn list_marker_length(raw: &str) -> usize {
    let marker = raw.find([' ', '\t']).filter(|length| is_list_marker(raw.slice(..*length)));
    marker.map_or(0, |length| raw.len() - raw.slice(length..).trim_start().len())
}

fn is_list_marker(marker: &str) -> bool {
    if matches!(marker, "-" | "*" | "+" | "•") {
        return true;
    }
    let number = marker.strip_suffix(['.', ')']).unwrap_or_default();
    let number = number.strip_prefix('(').unwrap_or(number);
    let is_short = !number.is_empty() && number.len() <= 4;
    number == "#"
        || number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_alphabetic())
        || is_short && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
