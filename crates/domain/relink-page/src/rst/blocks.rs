//! The blocks of a reStructuredText document.
//!
//! Lines form paragraphs. Titles are recognized by their underlines, code by a
//! preceding `::` or directive. Comments, targets and options are not visible and are
//! skipped. Inline markup is removed when a paragraph ends.

use crate::blocks::{BlockBuilder, BlockKind, is_underline, list_item};
use crate::line::Line;
use crate::safe_slice::SafeSlice as _;
use crate::{DocumentFormat, for_each_link};

/// Directives whose content is code.
const CODE_DIRECTIVES: &[&str] =
    &["code", "code-block", "sourcecode", "console", "math", "parsed-literal", "highlight", "raw"];

/// Directives whose content and arguments are settings or references.
#[rustfmt::skip]
const HIDDEN_DIRECTIVES: &[&str] = &[
    "currentmodule", "default-role", "image", "include", "index", "literalinclude", "meta",
    "module", "toctree",
];

/// Parses the blocks of a document.
pub(crate) fn read_blocks(text: &str, builder: &mut BlockBuilder) {
    let mut parser = RstBlockParser { text, at: 0, builder, paragraph: String::new() };
    parser.parse();
    parser.builder.end();
    for_each_link(DocumentFormat::Rst, text.as_bytes(), &mut |link| {
        builder.link_without_block(link.target.text());
    });
}

/// Parses a document line by line.
struct RstBlockParser<'b, 't> {
    text: &'t str,
    /// Offset of the next line.
    at: usize,
    builder: &'b mut BlockBuilder,
    /// The current paragraph, with its markup.
    paragraph: String,
}

impl<'t> RstBlockParser<'_, 't> {
    fn parse(&mut self) {
        while let Some(line) = Line::at(self.text, self.at) {
            self.at = line.next;
            self.parse_line(&line);
        }
        self.end_paragraph();
    }

    fn parse_line(&mut self, line: &Line) {
        let raw = line.text(self.text);
        if line.is_blank() {
            self.end_paragraph();
        } else if let Some(explicit) = explicit_text(raw) {
            self.end_paragraph();
            self.parse_explicit_markup(explicit, line.indent);
        } else if self.paragraph.is_empty() && is_underline(raw, "") {
            // An overline or a transition; the title comes next.
        } else if self.paragraph.is_empty() && self.next_underlines(raw) {
            self.builder.begin_content(BlockKind::Heading);
            self.builder.push(&remove_markup(raw));
            self.builder.begin_content(BlockKind::Paragraph);
        } else {
            self.parse_text_line(line);
        }
    }

    fn parse_text_line(&mut self, line: &Line) {
        let raw = line.text(self.text);
        let item = list_item(raw);
        if item.is_some() {
            self.end_paragraph();
            self.builder.begin_content(BlockKind::ListItem);
        }
        self.paragraph.push_str(item.unwrap_or(raw));
        self.paragraph.push('\n');
        let is_followed = Line::at(self.text, self.at).is_some_and(|next| !next.is_blank());
        if !is_followed && raw.ends_with("::") {
            self.end_paragraph();
            self.push_code(line.indent);
        }
    }

    /// Whether the next line underlines `title`. If so, skips the underline.
    fn next_underlines(&mut self, title: &str) -> bool {
        let Some(next) = Line::at(self.text, self.at) else { return false };
        let is_underline = is_underline(next.text(self.text), title);
        if is_underline {
            self.at = next.next;
        }
        is_underline
    }

    fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.paragraph);
        if !text.is_empty() {
            self.builder.push(&remove_markup(text.trim_end().trim_end_matches("::")));
        }
        self.builder.begin_content(BlockKind::Paragraph);
    }

    /// Parses the text after `.. `: a target, a directive or a comment.
    fn parse_explicit_markup(&mut self, raw: &'t str, indent: usize) {
        if raw.starts_with('_') || raw.starts_with('|') {
            return;
        }
        let name = raw.split_once("::").filter(|(name, _)| !name.contains(' '));
        let Some((name, argument)) = name else {
            if !raw.starts_with('[') {
                self.skip_block(indent);
            }
            return;
        };
        self.skip_options();
        if HIDDEN_DIRECTIVES.contains(&name) {
            self.skip_block(indent);
        } else if CODE_DIRECTIVES.contains(&name) {
            self.push_code(indent);
        } else if !argument.trim().is_empty() {
            self.paragraph.push_str(argument.trim());
            self.paragraph.push('\n');
        }
    }

    /// Skips the options of a directive: `:name: value`.
    fn skip_options(&mut self) {
        while let Some(line) = Line::at(self.text, self.at) {
            if line.indent == 0 || !line.text(self.text).starts_with(':') {
                break;
            }
            self.at = line.next;
        }
    }

    /// Adds the lines that are indented more than `indent` as code.
    fn push_code(&mut self, indent: usize) {
        let start = self.at;
        self.skip_block(indent);
        self.builder.begin_content(BlockKind::Code);
        self.builder.push(self.text.slice(start..self.at));
        self.builder.begin_content(BlockKind::Paragraph);
    }

    /// Skips the lines that are indented more than `indent`.
    fn skip_block(&mut self, indent: usize) {
        while let Some(line) = Line::at(self.text, self.at) {
            if !line.is_blank() && line.indent <= indent {
                break;
            }
            self.at = line.next;
        }
    }
}

/// Returns the text after the `..` of explicit markup.
fn explicit_text(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("..")?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim_start())
}

/// Removes inline markup: roles, backquotes, and the destinations of
/// references.
fn remove_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (index, part) in text.split('`').enumerate() {
        // Every second part is between backquotes.
        let is_quoted = index % 2 == 1;
        if is_quoted {
            plain.push_str(without_destination(part));
        } else {
            plain.push_str(without_role(part));
        }
    }
    plain
}

/// Removes the destination from `text <destination>`.
fn without_destination(quoted: &str) -> &str {
    let text = quoted.strip_suffix('>').and_then(|inside| inside.rsplit_once('<'));
    text.map_or(quoted, |(text, _)| text).trim_end()
}

/// Removes the name of a role, `:ref:`, at the end of the text before a
/// backquote.
fn without_role(text: &str) -> &str {
    let Some(inside) = text.strip_suffix(':') else { return text };
    let is_name =
        |letter: char| letter.is_alphanumeric() || matches!(letter, ':' | '-' | '_' | '.' | '+');
    let name = inside.trim_end_matches(is_name);
    if inside.slice(name.len()..).starts_with(':') { name } else { text }
}
