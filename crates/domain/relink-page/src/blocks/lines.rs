//! The blocks of plain text and of formats that are parsed line by line.
//!
//! Blank lines, list markers and headings end blocks.

use super::{BlockBuilder, BlockKind};
use crate::{DocumentFormat, for_each_link};

/// Passes the blocks of a document to `builder`.
pub(crate) fn read_blocks(format: DocumentFormat, text: &str, builder: &mut BlockBuilder) {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        let is_underlined = lines.peek().is_some_and(|next| is_underline(next.trim(), trimmed));
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

/// Passes one line to `builder`.
fn read_line(format: DocumentFormat, line: &str, is_underlined: bool, builder: &mut BlockBuilder) {
    let trimmed = line.trim();
    let is_heading = is_underlined || is_marked_heading(format, trimmed);
    if trimmed.is_empty() || is_underline(trimmed, "") {
        builder.begin_content(BlockKind::Paragraph);
    } else if is_heading {
        builder.begin_content(BlockKind::Heading);
        builder.push(trimmed.trim_matches('='));
        builder.begin_content(BlockKind::Paragraph);
    } else if is_row_format(format) {
        builder.begin_content(BlockKind::TableCell);
        builder.push(trimmed);
    } else {
        if let Some(rest) = list_item(trimmed) {
            builder.begin_content(BlockKind::ListItem);
            builder.push(rest);
        } else {
            builder.push(trimmed);
        }
        builder.space();
    }
}

/// Whether each line of the format is one record.
fn is_row_format(format: DocumentFormat) -> bool {
    matches!(
        format,
        DocumentFormat::Csv
            | DocumentFormat::Tsv
            | DocumentFormat::UrlList
            | DocumentFormat::JsonLines
    )
}

/// Whether the line is a heading of the form `== Title`.
fn is_marked_heading(format: DocumentFormat, line: &str) -> bool {
    let has_marked_headings = matches!(format, DocumentFormat::AsciiDoc | DocumentFormat::Wikitext);
    has_marked_headings && line.starts_with('=') && line.trim_matches('=').len() < line.len()
}

/// Whether a line of one repeated character, such as `-----`, underlines the title in the
/// line above. If `title` is empty, returns whether the line separates blocks.
pub(crate) fn is_underline(line: &str, title: &str) -> bool {
    /// Minimum length of an underline.
    const MIN_LENGTH: usize = 3;
    let mut characters = line.chars();
    let Some(first) = characters.next() else { return false };
    let is_repetition = first.is_ascii_punctuation()
        && line.len() >= MIN_LENGTH
        && characters.all(|character| character == first);
    // A title may be at most two characters longer than its underline.
    is_repetition
        && (title.is_empty() || line.len() + 2 >= title.chars().count())
        && !starts_with_separator(title)
}

/// Whether the line is a separator itself, and therefore not a title.
fn starts_with_separator(title: &str) -> bool {
    title.starts_with("===") || title.starts_with("---")
}

/// Returns the text of a list item without its marker.
pub(crate) fn list_item(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '+', '•']).or_else(|| after_number(line))?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

/// Returns the text after the number of a numbered item.
fn after_number(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..)?;
    (1..=3).contains(&digits).then(|| rest.strip_prefix(['.', ')'])).flatten()
}
