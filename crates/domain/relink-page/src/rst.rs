//! reStructuredText, as docutils and Sphinx read it.
//!
//! Blocks are told apart by their first line and their indentation; nothing is
//! nested here, because what stands within a directive is read as what stands
//! outside, further to the right. Text goes to [`inline`](Reader::inline), and
//! hyperlink targets are kept until the end, when it is known which of them the
//! text refers to.

mod blocks;
mod directive;
mod inline;
mod target;

use std::ops::Range;

use relink_model::SkipReason;

use crate::cut::Cut as _;
use crate::line::Line;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::{Extractor, LinkSink};
pub(crate) use blocks::read_blocks;
use target::Targets;

/// How many list marks may stand before a paragraph in one line.
const DEEPEST_MARKS: usize = 4;

/// reStructuredText.
pub(crate) struct Rst;

impl Extractor for Rst {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        let mut reader = RstParser::new(text);
        reader.read();
        let RstParser { mut mentions, targets, .. } = reader;
        targets.report(&mut mentions);
        mentions.report(0, found);
    }
}

/// Goes through the lines of a document.
struct RstParser<'t> {
    text: &'t str,
    /// Where the next line begins.
    at: usize,
    mentions: LinkCandidates<'t>,
    targets: Targets,
    /// The paragraph being read, and the column it stands in.
    paragraph: Option<(Range<usize>, usize)>,
}

impl<'t> RstParser<'t> {
    fn new(text: &'t str) -> Self {
        let mentions = LinkCandidates::new(text);
        Self { text, at: 0, mentions, targets: Targets::of(text), paragraph: None }
    }

    fn read(&mut self) {
        while let Some(line) = self.line() {
            self.at = line.next;
            if line.is_blank() {
                self.end_paragraph();
            } else {
                self.read_line(&line);
            }
        }
        self.end_paragraph();
    }

    /// The line that comes next.
    fn line(&self) -> Option<Line> {
        Line::at(self.text, self.at)
    }

    fn read_line(&mut self, line: &Line) {
        let (content, column) = self.without_list_marks(line);
        let written = self.text.cut(content.clone());
        let is_explicit =
            written.starts_with(".. ") || written == ".." || written.starts_with("..\t");
        if is_explicit {
            self.end_text();
            let start = content.start + "..".len();
            let space = written.len() - "..".len() - written.cut("..".len()..).trim_start().len();
            self.explicit(start + space..content.end, column);
        } else if self.paragraph.is_none() && written.starts_with("__ ") {
            self.target(content.start + "__".len()..content.end, column, None);
        } else if self.paragraph.is_none() && written.starts_with(">>>") {
            self.doctest(line.start);
        } else {
            let start = self.paragraph.take().map_or(content.start, |(range, _)| range.start);
            let column = if start == content.start { column } else { line.indent };
            self.begin_text(start..content.end, column);
        }
    }

    fn begin_text(&mut self, range: Range<usize>, column: usize) {
        self.targets.end_chain();
        self.paragraph = Some((range, column));
    }

    /// The content after the marks of list items, and its column.
    fn without_list_marks(&self, line: &Line) -> (Range<usize>, usize) {
        let (mut content, mut column) = (line.content.clone(), line.indent);
        if self.paragraph.is_some() {
            return (content, column);
        }
        for _ in 0..DEEPEST_MARKS {
            let mark = list_mark(self.text.cut(content.clone()));
            content.start += mark;
            column += mark;
            if mark == 0 {
                break;
            }
        }
        (content, column)
    }

    /// Ends a paragraph, without the literal block it may announce.
    fn end_text(&mut self) -> Option<(Range<usize>, usize)> {
        let (range, column) = self.paragraph.take()?;
        self.inline(range.clone());
        Some((range, column))
    }

    fn end_paragraph(&mut self) {
        if let Some((range, column)) = self.end_text()
            && self.text.cut(range).ends_with("::")
        {
            self.literal_block(column);
        }
    }

    /// Passes over what is further right than `column`, or else a block in which
    /// every line begins with the same sign.
    fn literal_block(&mut self, column: usize) {
        while let Some(line) = self.line().filter(Line::is_blank) {
            self.at = line.next;
        }
        let Some(first) = self.line() else { return };
        let start = first.start;
        if first.indent > column {
            self.at = self.block_end(column);
        } else {
            let sign = self.text.cut(first.content.clone()).chars().next();
            let Some(sign) = sign.filter(char::is_ascii_punctuation) else { return };
            while let Some(line) =
                self.line().filter(|line| line.written(self.text).starts_with(sign))
            {
                self.at = line.next;
            }
        }
        self.mentions.pass_over(start..self.at, SkipReason::Code);
    }

    /// Where the block ends that is further right than `column`.
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

    fn doctest(&mut self, start: usize) {
        while let Some(line) = self.line().filter(|line| !line.is_blank()) {
            self.at = line.next;
        }
        self.mentions.pass_over(start..self.at, SkipReason::Code);
    }

    /// Takes in what stands after the two dots.
    fn explicit(&mut self, rest: Range<usize>, column: usize) {
        let written = self.text.cut(rest.clone());
        if written.starts_with('_') {
            self.named_target(rest, column);
        } else if let Some(length) = note_mark(written) {
            self.begin_text(rest.start + length..rest.end, column);
        } else if let Some(directive) = directive::of(written) {
            self.targets.end_chain();
            self.directive(&directive, rest, column);
        } else {
            self.comment(rest, column);
        }
    }

    fn comment(&mut self, rest: Range<usize>, column: usize) {
        let is_empty = rest.is_empty() && self.line().is_none_or(|line| line.is_blank());
        if !is_empty {
            self.at = self.block_end(column);
        }
        self.mentions.pass_over(rest.start..self.at.max(rest.end), SkipReason::Comment);
    }

    /// The end of a text that begins in this line and goes on in those indented
    /// below it.
    fn continued(&mut self, end: usize, column: usize, goes_on: impl Fn(&str) -> bool) -> usize {
        let mut end = end;
        while let Some(line) = self.line() {
            if line.is_blank() || line.indent <= column || !goes_on(line.written(self.text)) {
                break;
            }
            end = line.content.end;
            self.at = line.next;
        }
        end
    }
}

/// The length of the mark of a footnote or citation, `[1]`.
fn note_mark(written: &str) -> Option<usize> {
    let inside = written.strip_prefix('[')?;
    let end = inside.find([']', ' ']).filter(|end| inside.cut(*end..).starts_with(']'))?;
    Some(end + "[]".len())
}

/// The length of a list item's mark with the white space after it; zero if the
/// line does not begin with one.
fn list_mark(written: &str) -> usize {
    let mark = written.find([' ', '\t']).filter(|length| is_list_mark(written.cut(..*length)));
    mark.map_or(0, |length| written.len() - written.cut(length..).trim_start().len())
}

fn is_list_mark(mark: &str) -> bool {
    if matches!(mark, "-" | "*" | "+" | "•") {
        return true;
    }
    let number = mark.strip_suffix(['.', ')']).unwrap_or_default();
    let number = number.strip_prefix('(').unwrap_or(number);
    let is_short = !number.is_empty() && number.len() <= 4;
    number == "#"
        || number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_alphabetic())
        || is_short && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
