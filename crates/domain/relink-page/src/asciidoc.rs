//! AsciiDoc, following Asciidoctor.
//!
//! Blocks of code, comments and raw HTML are recognized by their delimiters. All
//! other blocks are parsed as text. Attributes (`:name: value`) are substituted in
//! destinations if the document defines them. If a destination consists of a
//! single attribute, the link is reported at the definition of the attribute,
//! because the URL is written there.

mod attributes;
mod inline;

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

use crate::html::for_each_destination;
use crate::line::Line;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::safe_slice::SafeSlice as _;
use attributes::Attributes;

/// Minimum length of a block delimiter.
const MIN_DELIMITER: usize = 4;

/// Styles of blocks and paragraphs that are not parsed as text.
const CODE_STYLES: [&str; 6] = ["source", "listing", "literal", "stem", "latexmath", "asciimath"];

/// Link extractor for AsciiDoc.
pub(crate) struct AsciiDoc;

impl Extractor for AsciiDoc {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        let mut parser = AsciiDocParser::new(text);
        parser.parse();
        let AsciiDocParser { mut candidates, attributes, .. } = parser;
        attributes.report(&mut candidates);
        candidates.report(0, sink);
    }
}

/// Content of a block that is not parsed as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockContent {
    Code,
    Comment,
    /// A passthrough block: raw HTML.
    Html,
}

/// Style of the next block, from the attribute list before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    content: Option<BlockContent>,
    /// Whether links are parsed in spite of the code style (`subs=+macros`).
    has_macros: bool,
}

/// Whether a line is the title of the document or of a section: `== Title`.
fn is_title(line: &str) -> bool {
    let marks = line.bytes().take_while(|byte| *byte == b'=').count();
    (1..=6).contains(&marks) && line.slice(marks..).starts_with(' ')
}

/// Parses a document line by line.
struct AsciiDocParser<'t> {
    text: &'t str,
    /// Offset of the next line.
    at: usize,
    candidates: LinkCandidates<'t>,
    attributes: Attributes,
    style: Style,
    paragraph: Option<Range<usize>>,
    /// Whether the line is in the header of the document.
    is_header: bool,
}

impl<'t> AsciiDocParser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            candidates: LinkCandidates::new(text),
            attributes: Attributes::new(text.len()),
            style: Style::default(),
            paragraph: None,
            is_header: false,
        }
    }

    fn parse(&mut self) {
        while let Some(line) = self.peek_line() {
            self.at = line.next;
            if line.is_blank() {
                self.end_paragraph();
                self.style = Style::default();
                self.is_header = false;
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
        let raw = self.text.slice(line.start..line.content.end);
        if let Some(delimiter) = parse_delimiter(raw) {
            self.end_paragraph();
            self.parse_delimited_block(raw, delimiter);
        } else if raw.starts_with("//") && !raw.starts_with("///") {
            self.end_paragraph();
            self.candidates.push_skipped_urls(line.content.clone(), SkipReason::Comment);
        } else if self.paragraph.is_none() && self.parse_block_start(line) {
            // `parse_block_start` has consumed the line.
        } else if self.paragraph.is_none() && (self.is_header || is_title(raw)) {
            // The lines after the title of the document, such as the author, are the header,
            // in which attributes follow without a blank line.
            self.is_header |= raw.starts_with("= ");
            self.parse_inline(line.start..line.content.end);
        } else {
            let start = self.paragraph.take().map_or(line.start, |range| range.start);
            self.paragraph = Some(start..line.content.end);
        }
    }

    /// Parses a construct that cannot be inside a paragraph. Returns whether the line
    /// starts such a construct.
    fn parse_block_start(&mut self, line: &Line) -> bool {
        let raw = self.text.slice(line.start..line.content.end);
        if let Some(attribute) = attributes::parse_definition(raw) {
            self.define_attribute(&attribute, line.start);
        } else if let Some((name, start)) = split_conditional(raw) {
            self.parse_conditional(name, line.start + start..line.content.end - 1);
        } else if let Some(list) = split_block_attributes(raw) {
            self.style = parse_style(list);
            self.parse_inline(line.content.clone());
        } else if let Some(content) = self.style.content.filter(|_| !self.style.has_macros) {
            self.skip_paragraph(line.start, content);
        } else if line.indent > 0 && !is_list_item(line.text(self.text)) {
            self.skip_paragraph(line.start, BlockContent::Code);
        } else {
            return false;
        }
        true
    }

    /// Defines the attribute of `ifndef::name[:name: value]`. The content of
    /// other conditions is parsed as text.
    fn parse_conditional(&mut self, condition: &str, content: Range<usize>) {
        let raw = self.text.slice(content.clone());
        match attributes::parse_definition(raw) {
            Some(_) if self.attributes.value(condition).is_some() => {}
            Some(attribute) => self.define_attribute(&attribute, content.start),
            None => self.parse_inline(content),
        }
    }

    fn end_paragraph(&mut self) {
        if let Some(paragraph) = self.paragraph.take() {
            self.parse_inline(paragraph);
        }
    }

    /// Skips the lines up to the next blank line, and adds them as a block.
    fn skip_paragraph(&mut self, start: usize, content: BlockContent) {
        while let Some(line) = self.peek_line().filter(|line| !line.is_blank()) {
            self.at = line.next;
        }
        self.style = Style::default();
        self.add_non_text_block(start..self.at, content);
    }

    /// Skips a block up to its closing delimiter, unless the block is parsed as text.
    fn parse_delimited_block(&mut self, delimiter: &str, content: Option<BlockContent>) {
        let style = std::mem::take(&mut self.style);
        let Some(content) = content.filter(|_| !style.has_macros) else { return };
        let content = style.content.filter(|_| content != BlockContent::Comment).unwrap_or(content);
        // A fence may be followed by a language name.
        let fence = delimiter.len() - delimiter.trim_start_matches('`').len();
        let closing = if fence > 0 { delimiter.slice(..fence) } else { delimiter };
        let start = self.at;
        let mut end = start;
        while let Some(line) = self.peek_line() {
            self.at = line.next;
            if self.text.slice(line.start..line.content.end) == closing {
                break;
            }
            end = line.next;
        }
        self.add_non_text_block(start..end, content);
    }

    fn add_non_text_block(&mut self, block: Range<usize>, content: BlockContent) {
        match content {
            BlockContent::Comment => self.candidates.push_skipped_urls(block, SkipReason::Comment),
            BlockContent::Code => {
                self.add_includes(block.clone());
                self.candidates.push_skipped_urls(block, SkipReason::Code);
            }
            BlockContent::Html => {
                let candidates = &mut self.candidates;
                for_each_destination(self.text.slice(block.clone()), &mut |range, kind| {
                    let destination = block.start + range.start..block.start + range.end;
                    candidates.push_link(destination, kind, DestinationSyntax::Html);
                });
            }
        }
    }

    /// Adds the files that code includes. Includes are processed before blocks,
    /// so they are active in code.
    fn add_includes(&mut self, block: Range<usize>) {
        let mut start = block.start;
        for line in self.text.slice(block).split_inclusive('\n') {
            if line.starts_with("include::")
                && let Some(length) = line.find('[')
            {
                let file = start + "include::".len()..start + length;
                self.add_destination(file, LinkKind::Reference);
            }
            start += line.len();
        }
    }
}

/// Parses a block delimiter. Returns `None` if the line is not a delimiter, and
/// `Some(None)` if the block contains text.
#[expect(clippy::option_option, reason = "no delimiter, or a delimiter of text")]
fn parse_delimiter(line: &str) -> Option<Option<BlockContent>> {
    if line.starts_with("```") {
        return Some(Some(BlockContent::Code));
    }
    let character = line.bytes().next()?;
    let is_delimiter = line.len() >= MIN_DELIMITER && line.bytes().all(|byte| byte == character);
    let content = match character {
        b'-' | b'.' => Some(BlockContent::Code),
        b'/' => Some(BlockContent::Comment),
        b'+' => Some(BlockContent::Html),
        b'=' | b'*' | b'_' => None,
        _ => return None,
    };
    is_delimiter.then_some(content)
}

/// Returns the attribute whose definition hides the content of `ifndef::name[content]` or
/// `ifdef::name[content]`, and the offset of the content. The attribute is empty for `ifdef`.
fn split_conditional(line: &str) -> Option<(&str, usize)> {
    let rest = line.strip_prefix("ifndef::").or_else(|| line.strip_prefix("ifdef::"))?;
    let (name, content) = rest.split_once('[')?;
    let content = content.strip_suffix(']').filter(|content| !content.is_empty())?;
    let name = if line.starts_with("ifndef") { name } else { "" };
    Some((name, line.len() - content.len() - 1))
}

/// Returns the inside of `[…]` if it is the whole line and not an anchor.
fn split_block_attributes(line: &str) -> Option<&str> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    (!inside.starts_with('[')).then_some(inside)
}

fn parse_style(attributes: &str) -> Style {
    let first = attributes.split([',', '%', '#', '.']).next().unwrap_or_default().trim();
    let content = match first {
        "comment" => Some(BlockContent::Comment),
        "pass" => Some(BlockContent::Html),
        name if CODE_STYLES.contains(&name) => Some(BlockContent::Code),
        _ => None,
    };
    let substitutions = attributes.split_once("subs").map_or("", |(_, list)| list);
    let has_macros = (substitutions.contains("macros") && !substitutions.contains("-macros"))
        || substitutions.contains("normal");
    Style { content, has_macros }
}

/// Whether an indented line is a list item and not literal text.
fn is_list_item(raw: &str) -> bool {
    let marker = raw.split([' ', '\t']).next().unwrap_or_default();
    let is_repeated =
        |character: char| !marker.is_empty() && marker.chars().all(|next| next == character);
    let is_number = marker.strip_suffix('.').is_some_and(|number| {
        number.len() <= 4 && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    marker == "-"
        || is_repeated('*')
        || is_repeated('.')
        || is_number
        || raw.ends_with("::")
        || raw.contains(":: ")
        || raw.contains(";; ")
}

#[cfg(test)]
mod tests;
