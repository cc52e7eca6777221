//! URL lists: one URL per line.
//!
//! Blank lines and lines that start with `#` are comments. Every other line
//! must be a URL; lines that are not URLs are reported as malformed.

use std::ops::Range;

use memchr::memchr;
use relink_model::LinkKind;

use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::safe_slice::SafeSlice as _;
use crate::window::{IncrementalExtractor, InputEnd};

/// Number of lines inspected to detect a list.
const LINES_TO_SNIFF: usize = 64;

/// Maximum number of words of a line that is not a sentence.
const MAX_WORDS: usize = 3;

/// Link extractor for URL lists.
pub(crate) struct UrlList;

impl Extractor for UrlList {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        for range in entries(text) {
            sink.report_link(range, LinkKind::ListEntry, DestinationSyntax::Line);
        }
    }
}

impl IncrementalExtractor for UrlList {
    fn extract_part(&mut self, text: &str, input_end: InputEnd, sink: &mut LinkSink<'_>) -> usize {
        let end = input_end.complete_lines_end(text);
        self.extract(text.slice(..end), sink);
        end
    }
}

/// Whether at least half of the first lines are a single word that contains
/// `://`, and more lines are URLs than sentences.
pub(crate) fn looks_like_list(text: &str) -> bool {
    let (mut seen, mut urls, mut sentences) = (0_usize, 0_usize, 0_usize);
    for range in entries(text).take(LINES_TO_SNIFF) {
        let line = text.slice(range);
        seen += 1;
        urls += usize::from(line.contains("://") && !line.contains(char::is_whitespace));
        sentences += usize::from(line.split_whitespace().count() > MAX_WORDS);
    }
    seen > 0 && 2 * urls >= seen && urls > sentences
}

/// Returns the ranges of all lines that are not blank or comments, without
/// surrounding white space.
fn entries(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut next_line = 0;
    std::iter::from_fn(move || {
        while next_line < text.len() {
            let line_break = memchr(b'\n', text.as_bytes().slice(next_line..));
            let end = line_break.map_or(text.len(), |length| next_line + length);
            let line = trim_range(text, next_line..end);
            next_line = end + 1;
            if !line.is_empty() && !text.slice(line.clone()).starts_with('#') {
                return Some(line);
            }
        }
        None
    })
}

/// Returns `range` without leading and trailing white space.
pub(crate) fn trim_range(text: &str, range: Range<usize>) -> Range<usize> {
    let line = text.slice(range.clone());
    let start = range.end - line.trim_start().len();
    let end = range.start + line.trim_end().len();
    start.min(end)..end
}

#[cfg(test)]
mod tests {
    use crate::DocumentFormat;
    use crate::properties::check;

    #[test]
    fn every_line_is_a_url_unless_blank_or_comment() {
        check(
            DocumentFormat::UrlList,
            "# good\r\n  https://a.test/ \r\n\r\nhttp://b.test/x\t\n \nno\n#http://c.test",
            &[
                "2:3 list-entry https://a.test/",
                "4:1 list-entry http://b.test/x",
                "6:1 list-entry no !",
            ],
        );
    }

    #[test]
    fn other_schemes_are_reported_as_skipped() {
        check(DocumentFormat::UrlList, "mailto:a@b.test", &["1:1 list-entry mailto:a@b.test -"]);
    }

    #[test]
    fn empty_list_has_no_links() {
        check(DocumentFormat::UrlList, "", &[]);
        check(DocumentFormat::UrlList, "\n\n", &[]);
    }
}
