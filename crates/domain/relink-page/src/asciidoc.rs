//! AsciiDoc, as Asciidoctor reads it.
//!
//! Blocks are told apart by their delimiters; only those that hold no text need
//! to be known. Attributes (`:name: value`) are resolved in destinations as far
//! as the document itself defines them. A destination that is one attribute and
//! nothing more is written where the attribute is defined, so there it is told.

mod attributes;
mod inline;

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

use crate::cut::Cut as _;
use crate::html::each_destination;
use crate::line::Line;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use attributes::Attributes;

/// How many signs a delimiter has at least.
const SHORTEST_DELIMITER: usize = 4;

/// Block styles whose paragraph is not read as text.
const CODE_STYLES: [&str; 6] = ["source", "listing", "literal", "stem", "latexmath", "asciimath"];

/// AsciiDoc.
pub(crate) struct AsciiDoc;

impl Extractor for AsciiDoc {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        let mut reader = AsciiDocParser::new(text);
        reader.read();
        let AsciiDocParser { mut mentions, attributes, .. } = reader;
        attributes.report(&mut mentions);
        mentions.report(0, found);
    }
}

/// What a block without text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Code,
    Comment,
    /// Handed to the output as it stands.
    Html,
}

/// What the lines in brackets before a block say of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    content: Option<Content>,
    /// Whether links are read although it is code.
    has_macros: bool,
}

/// Goes through the lines of a document.
struct AsciiDocParser<'t> {
    text: &'t str,
    /// Where the next line begins.
    at: usize,
    mentions: LinkCandidates<'t>,
    attributes: Attributes,
    style: Style,
    paragraph: Option<Range<usize>>,
}

impl<'t> AsciiDocParser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            mentions: LinkCandidates::new(text),
            attributes: Attributes::new(text.len()),
            style: Style::default(),
            paragraph: None,
        }
    }

    fn read(&mut self) {
        while let Some(line) = self.line() {
            self.at = line.next;
            if line.is_blank() {
                self.end_paragraph();
                self.style = Style::default();
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
        let written = self.text.cut(line.start..line.content.end);
        if let Some(delimiter) = delimiter(written) {
            self.end_paragraph();
            self.delimited(written, delimiter);
        } else if written.starts_with("//") && !written.starts_with("///") {
            self.end_paragraph();
            self.mentions.pass_over(line.content.clone(), SkipReason::Comment);
        } else if self.paragraph.is_none() && self.block_start(line) {
            // A line of its own, which has been read.
        } else {
            let start = self.paragraph.take().map_or(line.start, |range| range.start);
            self.paragraph = Some(start..line.content.end);
        }
    }

    /// Reads what may stand only where no paragraph has begun; says whether
    /// there was such a thing.
    fn block_start(&mut self, line: &Line) -> bool {
        let written = self.text.cut(line.start..line.content.end);
        if let Some(attribute) = attributes::definition(written) {
            self.attribute(&attribute, line.start);
        } else if let Some(list) = block_attributes(written) {
            self.style = style(list);
            self.inline(line.content.clone());
        } else if let Some(content) = self.style.content.filter(|_| !self.style.has_macros) {
            self.pass_over_paragraph(line.start, content);
        } else if line.indent > 0 && !is_list_item(line.written(self.text)) {
            self.pass_over_paragraph(line.start, Content::Code);
        } else {
            return false;
        }
        true
    }

    fn end_paragraph(&mut self) {
        if let Some(paragraph) = self.paragraph.take() {
            self.inline(paragraph);
        }
    }

    fn pass_over_paragraph(&mut self, start: usize, content: Content) {
        while let Some(line) = self.line().filter(|line| !line.is_blank()) {
            self.at = line.next;
        }
        self.style = Style::default();
        self.without_text(start..self.at, content);
    }

    /// Reads a block up to the same delimiter, if it holds no text.
    fn delimited(&mut self, delimiter: &str, content: Option<Content>) {
        let style = std::mem::take(&mut self.style);
        let Some(content) = content.filter(|_| !style.has_macros) else { return };
        let content = style.content.filter(|_| content != Content::Comment).unwrap_or(content);
        // What is said of the code stands behind its fence.
        let fence = delimiter.len() - delimiter.trim_start_matches('`').len();
        let closing = if fence > 0 { delimiter.cut(..fence) } else { delimiter };
        let start = self.at;
        let mut end = start;
        while let Some(line) = self.line() {
            self.at = line.next;
            if self.text.cut(line.start..line.content.end) == closing {
                break;
            }
            end = line.next;
        }
        self.without_text(start..end, content);
    }

    fn without_text(&mut self, block: Range<usize>, content: Content) {
        match content {
            Content::Comment => self.mentions.pass_over(block, SkipReason::Comment),
            Content::Code => {
                self.includes(block.clone());
                self.mentions.pass_over(block, SkipReason::Code);
            }
            Content::Html => {
                let mentions = &mut self.mentions;
                each_destination(self.text.cut(block.clone()), &mut |range, kind| {
                    let place = block.start + range.start..block.start + range.end;
                    mentions.link(place, kind, DestinationSyntax::Html);
                });
            }
        }
    }

    /// Reads the files that code takes in; they are looked for before anything
    /// else is read.
    fn includes(&mut self, block: Range<usize>) {
        let mut start = block.start;
        for line in self.text.cut(block).split_inclusive('\n') {
            if line.starts_with("include::")
                && let Some(length) = line.find('[')
            {
                let file = start + "include::".len()..start + length;
                self.destination(file, LinkKind::Reference);
            }
            start += line.len();
        }
    }
}

/// What the block after a delimiter holds; nothing if the line is none. Blocks
/// of text are told as holding nothing special.
#[expect(clippy::option_option, reason = "no delimiter, or a delimiter of text")]
fn delimiter(line: &str) -> Option<Option<Content>> {
    if line.starts_with("```") {
        return Some(Some(Content::Code));
    }
    let sign = line.bytes().next()?;
    let is_delimiter = line.len() >= SHORTEST_DELIMITER && line.bytes().all(|byte| byte == sign);
    let content = match sign {
        b'-' | b'.' => Some(Content::Code),
        b'/' => Some(Content::Comment),
        b'+' => Some(Content::Html),
        b'=' | b'*' | b'_' => None,
        _ => return None,
    };
    is_delimiter.then_some(content)
}

/// The inside of `[…]`, if it is a line of its own and no anchor.
fn block_attributes(line: &str) -> Option<&str> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    (!inside.starts_with('[')).then_some(inside)
}

fn style(attributes: &str) -> Style {
    let first = attributes.split([',', '%', '#', '.']).next().unwrap_or_default().trim();
    let content = match first {
        "comment" => Some(Content::Comment),
        "pass" => Some(Content::Html),
        name if CODE_STYLES.contains(&name) => Some(Content::Code),
        _ => None,
    };
    let substitutions = attributes.split_once("subs").map_or("", |(_, list)| list);
    let has_macros = (substitutions.contains("macros") && !substitutions.contains("-macros"))
        || substitutions.contains("normal");
    Style { content, has_macros }
}

/// Whether an indented line is an item of a list and not literal text.
fn is_list_item(written: &str) -> bool {
    let mark = written.split([' ', '\t']).next().unwrap_or_default();
    let is_repeated = |sign: char| !mark.is_empty() && mark.chars().all(|next| next == sign);
    let is_number = mark.strip_suffix('.').is_some_and(|number| {
        number.len() <= 4 && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    mark == "-"
        || is_repeated('*')
        || is_repeated('.')
        || is_number
        || written.ends_with("::")
        || written.contains(":: ")
        || written.contains(";; ")
}

#[cfg(test)]
mod tests;
