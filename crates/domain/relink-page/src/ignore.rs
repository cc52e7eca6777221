//! Notes in a document that say which of its links to leave alone.
//!
//! `relink:ignore RL101 until 2027-01-01 because the site moves` in a comment
//! of the document's own format speaks of the links of its line. Where the
//! comment stands alone on its line, it speaks of the next line that is not
//! blank as well. The comment must begin on the line of the note.
//!
//! Nothing is left out here: which findings a note covers, and whether its day
//! has passed, is for those who know the findings and the day.

use std::ops::{Range, RangeInclusive};

use jiff::civil::Date;
use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::DocumentFormat;
use crate::cut::Cut as _;
use crate::document::SourceText;

/// What a note begins with.
const MARKER: &str = "relink:ignore";

/// A note that links of some lines are to be left alone.
///
/// ```
/// use relink_page::{Format, ignores};
/// let notes = ignores(Format::Html, b"<a href=x> <!-- relink:ignore RL101 because of a test -->");
/// assert!(notes[0].covers(1) && notes[0].codes == ["RL101"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreDirective {
    /// The lines it speaks of, from 1.
    pub lines: RangeInclusive<u32>,
    /// The findings it speaks of (`RL101`); all of them if there are none.
    pub codes: Vec<String>,
    /// The last day it holds.
    pub until: Option<Date>,
    /// Why.
    pub reason: Option<String>,
    /// The first word of the note that could not be read. Such a note is not
    /// to be trusted.
    pub invalid_token: Option<String>,
}

impl IgnoreDirective {
    /// Whether the note speaks of links in `line`.
    pub fn covers(&self, line: u32) -> bool {
        self.lines.contains(&line)
    }
}

/// Reads the notes of a document, in document order.
pub fn ignore_directives(format: DocumentFormat, bytes: &[u8]) -> Vec<IgnoreDirective> {
    let comments = comments_of(format);
    // Nearly no document has a note, so nearly none is decoded for it. UTF-16
    // hides the marker from this look, and begins with its mark.
    let is_utf16 = bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
    if comments.is_empty() || (!is_utf16 && memmem::find(bytes, MARKER.as_bytes()).is_none()) {
        return Vec::new();
    }
    notes(SourceText::read(bytes, None).text(), comments)
}

/// How a comment is written.
struct Comment {
    opening: &'static str,
    /// What ends it; else it ends with its line.
    closing: Option<&'static str>,
    /// Whether only white space may stand before it.
    is_first: bool,
}

const fn between(opening: &'static str, closing: &'static str) -> Comment {
    Comment { opening, closing: Some(closing), is_first: false }
}

const fn after(opening: &'static str) -> Comment {
    Comment { opening, closing: None, is_first: false }
}

const fn line(opening: &'static str) -> Comment {
    Comment { opening, closing: None, is_first: true }
}

const HTML: &[Comment] = &[between("<!--", "-->")];
const MARKDOWN: &[Comment] =
    &[between("<!--", "-->"), between("{/*", "*/}"), between("[//]: # (", ")")];
const CSS: &[Comment] = &[between("/*", "*/")];
const SOURCE: &[Comment] = &[
    between("/*", "*/"),
    between("<!--", "-->"),
    after("//"),
    after("#"),
    after("--"),
    after(";"),
    after("%"),
    line("*"),
];
const RST: &[Comment] = &[line(".. ")];
const ASCIIDOC: &[Comment] = &[line("//")];
const LIST: &[Comment] = &[line("#")];

/// The comments of a format. Data has none.
const fn comments_of(format: DocumentFormat) -> &'static [Comment] {
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

/// The notes of a text, one a line at most.
fn notes(text: &str, comments: &[Comment]) -> Vec<IgnoreDirective> {
    let bytes = text.as_bytes();
    let mut notes = Vec::new();
    let (mut from, mut number) = (0, 1_u32);
    while let Some(at) = memmem::find(bytes.cut(from..), MARKER.as_bytes()) {
        let marker = from + at;
        let start =
            memrchr(b'\n', bytes.cut(from..marker)).map_or(from, |newline| from + newline + 1);
        let passed = memchr_iter(b'\n', bytes.cut(from..start)).count();
        number = number.saturating_add(u32::try_from(passed).unwrap_or(u32::MAX));
        let end = memchr(b'\n', bytes.cut(marker..)).map_or(text.len(), |length| marker + length);
        if let Some((note, is_alone)) = note_in(text.cut(start..end), marker - start, comments) {
            let further = if is_alone { lines_to_text(text.cut(end..)) } else { 0 };
            notes.push(IgnoreDirective {
                lines: number..=number.saturating_add(further),
                ..read(note)
            });
        }
        from = end;
    }
    notes
}

/// What stands after the marker in the comment around it, and whether nothing
/// else stands in the line.
fn note_in<'t>(line: &'t str, marker: usize, comments: &[Comment]) -> Option<(&'t str, bool)> {
    let (opening, inside, comment) = comments
        .iter()
        .filter_map(|comment| {
            let opening = line.cut(..marker).rfind(comment.opening)?;
            let inside = opening + comment.opening.len()..marker;
            (!comment.is_first || line.cut(..opening).trim().is_empty())
                .then_some((opening, inside, comment))
        })
        .max_by_key(|(opening, ..)| *opening)?;
    if comment.closing.is_some_and(|closing| line.cut(Range::clone(&inside)).contains(closing)) {
        return None;
    }
    let note = line.cut(marker + MARKER.len()..);
    let (note, rest) =
        comment.closing.and_then(|closing| note.split_once(closing)).unwrap_or((note, ""));
    let goes_on =
        note.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '-' | '_'));
    let is_alone = line.cut(..opening).trim().is_empty() && rest.trim().is_empty();
    (!goes_on).then_some((note, is_alone))
}

/// How many lines further on the next text stands.
fn lines_to_text(after: &str) -> u32 {
    let blank = after.len() - after.trim_start().len();
    let lines = memchr_iter(b'\n', after.as_bytes().cut(..blank)).count();
    u32::try_from(lines).unwrap_or(u32::MAX)
}

/// Reads `RL101 RL102 until 2027-01-01 because …`.
fn read(note: &str) -> IgnoreDirective {
    let (terms, reason) = match note.split_once("because") {
        Some((terms, reason)) => (terms, Some(reason.trim().to_owned())),
        None => (note, None),
    };
    let mut ignore = IgnoreDirective {
        lines: 0..=0,
        codes: Vec::new(),
        until: None,
        reason: reason.filter(|reason| !reason.is_empty()),
        invalid_token: None,
    };
    let mut words = terms.split([' ', '\t', '\r', ',', ':']).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let is_read = if word == "until" {
            ignore.until = words.next().and_then(|day| day.parse().ok());
            ignore.until.is_some()
        } else if is_code(word) {
            ignore.codes.push(word.to_owned());
            true
        } else {
            false
        };
        if !is_read && ignore.invalid_token.is_none() {
            ignore.invalid_token = Some(word.to_owned());
        }
    }
    ignore
}

/// Whether the word names a kind of finding: `RL` and three digits.
fn is_code(word: &str) -> bool {
    word.strip_prefix("RL")
        .is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A note as `lines codes until because`, what is absent left out.
    fn told(note: &IgnoreDirective) -> String {
        let mut words = vec![format!("{}-{}", note.lines.start(), note.lines.end())];
        words.extend(note.codes.iter().cloned());
        words.extend(note.until.iter().map(|day| format!("until {day}")));
        words.extend(note.reason.iter().map(|reason| format!("because {reason}")));
        words.extend(note.invalid_token.iter().map(|word| format!("?{word}")));
        words.join(" ")
    }

    #[track_caller]
    fn check(format: DocumentFormat, document: &str, expect: &[&str]) {
        let notes: Vec<String> =
            ignore_directives(format, document.as_bytes()).iter().map(told).collect();
        assert_eq!(notes, expect, "{document}");
    }

    #[test]
    fn a_note_says_what_until_when_and_why() {
        let full = "<p> <!-- relink:ignore RL101, RL203 until 2027-01-01 because it moves -->";
        check(DocumentFormat::Html, full, &["1-1 RL101 RL203 until 2027-01-01 because it moves"]);
        check(DocumentFormat::Html, "<p> <!-- relink:ignore -->", &["1-1"]);
        check(DocumentFormat::Html, "<p> <!-- relink:ignore because -->", &["1-1"]);
    }

    #[test]
    fn what_cannot_be_read_is_kept() {
        check(DocumentFormat::Html, "a <!--relink:ignore RL1 until x-->", &["1-1 ?RL1"]);
        check(DocumentFormat::Html, "a <!--relink:ignore until 2027-13-01-->", &["1-1 ?until"]);
        check(
            DocumentFormat::Html,
            "a <!--relink:ignore RL101 utnil 2027-01-01-->",
            &["1-1 RL101 ?utnil"],
        );
    }

    #[test]
    fn a_note_alone_on_its_line_covers_the_next_text() {
        check(DocumentFormat::Html, "\n <!-- relink:ignore --> \n<p>\n", &["2-3"]);
        check(DocumentFormat::Html, "<!-- relink:ignore -->\r\n\r\n\r\n<p>", &["1-4"]);
        check(DocumentFormat::Html, "<p>\n<p> <!-- relink:ignore -->\n<p>", &["2-2"]);
        check(DocumentFormat::Html, "<!-- relink:ignore --> <p>\n<p>", &["1-1"]);
        let note =
            ignore_directives(DocumentFormat::Html, b"<!-- relink:ignore -->\n<p>").remove(0);
        assert!(note.covers(1) && note.covers(2) && !note.covers(3));
    }

    #[test]
    fn every_format_has_its_own_comments() {
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
    fn what_is_no_comment_or_no_marker_is_no_note() {
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
    fn notes_are_found_in_other_encodings() {
        let utf16: Vec<u8> = "\u{feff}\né <!-- relink:ignore -->"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(told(&ignore_directives(DocumentFormat::Html, &utf16)[0]), "2-2");
    }
}
