//! The blocks of plain text and of markups that are read line by line.
//!
//! Blank lines end blocks; so do the marks of lists and headings.

use super::{BlockBuilder, BlockKind};
use crate::{DocumentFormat, for_each_link};

/// Reads the blocks of a document.
pub(crate) fn read_blocks(format: DocumentFormat, text: &str, builder: &mut BlockBuilder) {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let written = line.trim();
        let is_underlined = lines.peek().is_some_and(|next| is_underline(next.trim(), written));
        read_line(format, line, is_underlined, builder);
        if is_underlined {
            lines.next();
        }
    }
    builder.end();
    for_each_link(format, text.as_bytes(), &mut |link| {
        builder.link_without_block(link.target.text());
    });
}

fn read_line(format: DocumentFormat, line: &str, is_underlined: bool, builder: &mut BlockBuilder) {
    let written = line.trim();
    let is_heading = is_underlined || is_marked_heading(format, written);
    if written.is_empty() || is_underline(written, "") {
        builder.begin(BlockKind::Paragraph, false, 0);
    } else if is_heading {
        builder.begin(BlockKind::Heading, false, 0);
        builder.push(written.trim_matches('='));
        builder.begin(BlockKind::Paragraph, false, 0);
    } else if is_row_format(format) {
        builder.begin(BlockKind::TableCell, false, 0);
        builder.push(written);
    } else {
        if let Some(rest) = list_item(written) {
            builder.begin(BlockKind::ListItem, false, 0);
            builder.push(rest);
        } else {
            builder.push(written);
        }
        builder.space();
    }
}

/// Whether each line is a record of its own.
fn is_row_format(format: DocumentFormat) -> bool {
    matches!(
        format,
        DocumentFormat::Csv
            | DocumentFormat::Tsv
            | DocumentFormat::UrlList
            | DocumentFormat::JsonLines
    )
}

fn is_marked_heading(format: DocumentFormat, line: &str) -> bool {
    let has_marks = matches!(format, DocumentFormat::AsciiDoc | DocumentFormat::Wikitext);
    has_marks && line.starts_with('=') && line.trim_matches('=').len() < line.len()
}

/// Whether a line of one repeated sign underlines the title above it. Without
/// a title, whether it is a rule.
pub(crate) fn is_underline(line: &str, title: &str) -> bool {
    /// Minimum length of an underline.
    const MIN_LENGTH: usize = 3;
    let mut signs = line.chars();
    let Some(first) = signs.next() else { return false };
    let is_rule =
        first.is_ascii_punctuation() && line.len() >= MIN_LENGTH && signs.all(|sign| sign == first);
    // Longer titles than underlines are text above a rule.
    is_rule && (title.is_empty() || line.len() + 2 >= title.chars().count()) && !has_rule(title)
}

fn has_rule(title: &str) -> bool {
    title.starts_with("===") || title.starts_with("---")
}

/// The text of a list item without its mark.
pub(crate) fn list_item(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '+', '•']).or_else(|| numbered(line))?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

/// What follows the number of a numbered item.
fn numbered(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..)?;
    (1..=3).contains(&digits).then(|| rest.strip_prefix(['.', ')'])).flatten()
}
