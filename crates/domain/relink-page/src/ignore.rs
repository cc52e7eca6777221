//! Parses `relink:ignore` directives.
//!
//! A directive is written in a comment of the document format, for example
//! `relink:ignore RL101 until 2027-01-01 because the site moves`. A directive applies to
//! the links of its line. If the line contains nothing but the comment, it also
//! applies to the next line that is not blank. The comment must start on the
//! line of the directive.
//!
//! This module does not suppress anything. The caller matches directives
//! against findings and checks the date.

use std::ops::RangeInclusive;

use jiff::civil::Date;
use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::DocumentFormat;
use crate::safe_slice::SafeSlice as _;
use crate::source_text::SourceText;

/// Start of a directive.
const MARKER: &str = "relink:ignore";

/// A directive to ignore findings for links on certain lines.
///
/// ```
/// use relink_page::{DocumentFormat, ignore_directives};
/// let html = b"<a href=x> <!-- relink:ignore RL101 because of a test -->";
/// let directives = ignore_directives(DocumentFormat::Html, html);
/// assert!(directives[0].covers(1) && directives[0].codes == ["RL101"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreDirective {
    /// Lines to which the directive applies, from 1.
    pub lines: RangeInclusive<u32>,
    /// Codes of the findings to ignore (`RL101`). If empty, all findings are
    /// ignored.
    pub codes: Vec<String>,
    /// Last day on which the directive is valid.
    pub until: Option<Date>,
    /// Reason given by the author.
    pub reason: Option<String>,
    /// First word that could not be parsed. A directive with an invalid word must not be
    /// applied.
    pub invalid_token: Option<String>,
}

impl IgnoreDirective {
    /// Whether the directive applies to links in `line`.
    pub fn covers(&self, line: u32) -> bool {
        self.lines.contains(&line)
    }
}

/// Parses the directives of a document, in document order.
pub fn ignore_directives(format: DocumentFormat, bytes: &[u8]) -> Vec<IgnoreDirective> {
    let comments = comment_syntaxes(format);
    // Search the raw bytes first: few documents contain a directive, and the
    // others need not be decoded. UTF-16 must be decoded before the search.
    let is_utf16 = bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
    if comments.is_empty() || (!is_utf16 && memmem::find(bytes, MARKER.as_bytes()).is_none()) {
        return Vec::new();
    }
    find_directives(SourceText::decode(bytes, None).text(), comments)
}

/// Delimiters of a comment.
struct CommentSyntax {
    opening: &'static str,
    /// End of the comment; `None` if it ends with the line.
    closing: Option<&'static str>,
    /// Whether only white space may precede the comment on its line.
    must_start_line: bool,
}

/// Returns the syntax of a comment with an opening and a closing text.
const fn block(opening: &'static str, closing: &'static str) -> CommentSyntax {
    CommentSyntax { opening, closing: Some(closing), must_start_line: false }
}

/// Returns the syntax of a comment that ends with its line.
const fn rest_of_line(opening: &'static str) -> CommentSyntax {
    CommentSyntax { opening, closing: None, must_start_line: false }
}

/// Returns the syntax of a comment that is a whole line.
const fn whole_line(opening: &'static str) -> CommentSyntax {
    CommentSyntax { opening, closing: None, must_start_line: true }
}

const HTML: &[CommentSyntax] = &[block("<!--", "-->")];
const MARKDOWN: &[CommentSyntax] =
    &[block("<!--", "-->"), block("{/*", "*/}"), block("[//]: # (", ")")];
const CSS: &[CommentSyntax] = &[block("/*", "*/")];
const SOURCE: &[CommentSyntax] = &[
    block("/*", "*/"),
    block("<!--", "-->"),
    rest_of_line("//"),
    rest_of_line("#"),
    rest_of_line("--"),
    rest_of_line(";"),
    rest_of_line("%"),
    whole_line("*"),
];
const RST: &[CommentSyntax] = &[whole_line(".. ")];
const ASCIIDOC: &[CommentSyntax] = &[whole_line("//")];
const LIST: &[CommentSyntax] = &[whole_line("#")];

/// Returns the comment syntaxes of a format. Data formats have none.
const fn comment_syntaxes(format: DocumentFormat) -> &'static [CommentSyntax] {
    match format {
        DocumentFormat::Markdown => MARKDOWN,
        DocumentFormat::Html | DocumentFormat::Xml | DocumentFormat::Wikitext => HTML,
        DocumentFormat::Css => CSS,
        DocumentFormat::Source => SOURCE,
        DocumentFormat::Rst => RST,
        DocumentFormat::AsciiDoc => ASCIIDOC,
        DocumentFormat::UrlList => LIST,
        _ => &[],
    }
}

/// Finds the directives of a text, at most one per line.
fn find_directives(text: &str, comments: &[CommentSyntax]) -> Vec<IgnoreDirective> {
    let bytes = text.as_bytes();
    let mut directives = Vec::new();
    // `line` is the number of the line at the offset `from`.
    let (mut from, mut line) = (0, 1_u32);
    while let Some(at) = memmem::find(bytes.slice(from..), MARKER.as_bytes()) {
        let marker = from + at;
        let start =
            memrchr(b'\n', bytes.slice(from..marker)).map_or(from, |newline| from + newline + 1);
        let line_ends = memchr_iter(b'\n', bytes.slice(from..start)).count();
        line = line.saturating_add(u32::try_from(line_ends).unwrap_or(u32::MAX));
        let end = memchr(b'\n', bytes.slice(marker..)).map_or(text.len(), |length| marker + length);
        if let Some((arguments, is_alone)) =
            directive_in_line(text.slice(start..end), marker - start, comments)
        {
            let following_lines =
                if is_alone { line_ends_before_text(text.slice(end..)) } else { 0 };
            directives.push(IgnoreDirective {
                lines: line..=line.saturating_add(following_lines),
                ..parse_directive(arguments)
            });
        }
        from = end;
    }
    directives
}

/// If the marker is in a comment, returns the text after the marker, and whether the
/// line contains only the comment.
fn directive_in_line<'t>(
    line: &'t str,
    marker: usize,
    comments: &[CommentSyntax],
) -> Option<(&'t str, bool)> {
    // Of the comments that start before the marker, use the last.
    let mut last: Option<(usize, &CommentSyntax)> = None;
    for comment in comments {
        let Some(opening) = line.slice(..marker).rfind(comment.opening) else { continue };
        let may_start = !comment.must_start_line || line.slice(..opening).trim().is_empty();
        if may_start && last.is_none_or(|(other, _)| opening >= other) {
            last = Some((opening, comment));
        }
    }
    let (opening, comment) = last?;
    let before_marker = line.slice(opening + comment.opening.len()..marker);
    if comment.closing.is_some_and(|closing| before_marker.contains(closing)) {
        return None;
    }
    let arguments = line.slice(marker + MARKER.len()..);
    let (arguments, rest) = comment
        .closing
        .and_then(|closing| arguments.split_once(closing))
        .unwrap_or((arguments, ""));
    // `relink:ignored` is another word.
    let continues_word =
        arguments.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '-' | '_'));
    let is_alone = line.slice(..opening).trim().is_empty() && rest.trim().is_empty();
    (!continues_word).then_some((arguments, is_alone))
}

/// Returns the number of line ends before the next line that is not blank.
fn line_ends_before_text(after: &str) -> u32 {
    let blank_length = after.len() - after.trim_start().len();
    let line_ends = memchr_iter(b'\n', after.as_bytes().slice(..blank_length)).count();
    u32::try_from(line_ends).unwrap_or(u32::MAX)
}

/// Parses `RL101 RL102 until 2027-01-01 because …`.
fn parse_directive(arguments: &str) -> IgnoreDirective {
    let (terms, reason) = match arguments.split_once("because") {
        Some((terms, reason)) => (terms, Some(reason.trim().to_owned())),
        None => (arguments, None),
    };
    let mut directive = IgnoreDirective {
        lines: 0..=0,
        codes: Vec::new(),
        until: None,
        reason: reason.filter(|reason| !reason.is_empty()),
        invalid_token: None,
    };
    let mut words = terms.split([' ', '\t', '\r', ',', ':']).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let is_valid = if word == "until" {
            directive.until = words.next().and_then(|day| day.parse().ok());
            directive.until.is_some()
        } else if is_code(word) {
            directive.codes.push(word.to_owned());
            true
        } else {
            false
        };
        if !is_valid && directive.invalid_token.is_none() {
            directive.invalid_token = Some(word.to_owned());
        }
    }
    directive
}

/// Whether the word is a code: `RL` and three digits.
fn is_code(word: &str) -> bool {
    word.strip_prefix("RL")
        .is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats a directive as `lines codes until because ?invalid-token`, without
    /// absent parts.
    fn format_directive(directive: &IgnoreDirective) -> String {
        let mut words = vec![format!("{}-{}", directive.lines.start(), directive.lines.end())];
        words.extend(directive.codes.iter().cloned());
        words.extend(directive.until.iter().map(|day| format!("until {day}")));
        words.extend(directive.reason.iter().map(|reason| format!("because {reason}")));
        words.extend(directive.invalid_token.iter().map(|word| format!("?{word}")));
        words.join(" ")
    }

    /// Asserts the directives of a document in the notation of [`format_directive`].
    #[track_caller]
    fn check(format: DocumentFormat, document: &str, expect: &[&str]) {
        let directives: Vec<String> =
            ignore_directives(format, document.as_bytes()).iter().map(format_directive).collect();
        assert_eq!(directives, expect, "{document}");
    }

    #[test]
    fn directive_has_codes_date_and_reason() {
        let full = "<p> <!-- relink:ignore RL101, RL203 until 2027-01-01 because it moves -->";
        check(DocumentFormat::Html, full, &["1-1 RL101 RL203 until 2027-01-01 because it moves"]);
        check(DocumentFormat::Html, "<p> <!-- relink:ignore -->", &["1-1"]);
        check(DocumentFormat::Html, "<p> <!-- relink:ignore because -->", &["1-1"]);
    }

    #[test]
    fn first_invalid_token_is_recorded() {
        check(DocumentFormat::Html, "a <!--relink:ignore RL1 until x-->", &["1-1 ?RL1"]);
        check(DocumentFormat::Html, "a <!--relink:ignore until 2027-13-01-->", &["1-1 ?until"]);
        check(
            DocumentFormat::Html,
            "a <!--relink:ignore RL101 utnil 2027-01-01-->",
            &["1-1 RL101 ?utnil"],
        );
    }

    #[test]
    fn directive_alone_on_its_line_covers_the_next_text() {
        check(DocumentFormat::Html, "\n <!-- relink:ignore --> \n<p>\n", &["2-3"]);
        check(DocumentFormat::Html, "<!-- relink:ignore -->\r\n\r\n\r\n<p>", &["1-4"]);
        check(DocumentFormat::Html, "<p>\n<p> <!-- relink:ignore -->\n<p>", &["2-2"]);
        check(DocumentFormat::Html, "<!-- relink:ignore --> <p>\n<p>", &["1-1"]);
        let directive =
            ignore_directives(DocumentFormat::Html, b"<!-- relink:ignore -->\n<p>").remove(0);
        assert!(directive.covers(1) && directive.covers(2) && !directive.covers(3));
    }

    #[test]
    fn comments_of_every_format_are_recognized() {
        check(DocumentFormat::Markdown, "a <!-- relink:ignore -->", &["1-1"]);
        check(DocumentFormat::Markdown, "a {/* relink:ignore */}", &["1-1"]);
        check(DocumentFormat::Markdown, "[//]: # (relink:ignore RL101)\na", &["1-2 RL101"]);
        check(DocumentFormat::Wikitext, "a <!-- relink:ignore -->", &["1-1"]);
        check(DocumentFormat::Rst, ".. relink:ignore RL101\n\na", &["1-3 RL101"]);
        check(DocumentFormat::AsciiDoc, "// relink:ignore\na", &["1-2"]);
        check(DocumentFormat::UrlList, "# relink:ignore\nhttps://a.test", &["1-2"]);
        check(DocumentFormat::Css, "a { } /* relink:ignore */", &["1-1"]);
        check(DocumentFormat::Source, "a(); // relink:ignore RL101", &["1-1 RL101"]);
    }

    #[test]
    fn marker_outside_a_comment_is_not_a_directive() {
        for text in [
            "relink:ignore",
            "<!-- a --> relink:ignore",
            "<!-- relink:ignored -->",
            "<!--\nrelink:ignore\n-->",
        ] {
            check(DocumentFormat::Html, text, &[]);
        }
        check(DocumentFormat::Rst, "a .. relink:ignore", &[]);
        check(DocumentFormat::AsciiDoc, "a // relink:ignore", &[]);
        check(DocumentFormat::Json, "\"// relink:ignore\"", &[]);
    }

    #[test]
    fn directives_in_utf16_are_found() {
        let utf16: Vec<u8> = "\u{feff}\né <!-- relink:ignore -->"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(format_directive(&ignore_directives(DocumentFormat::Html, &utf16)[0]), "2-2");
    }
}
