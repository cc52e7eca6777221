//! Lists: one address a line.
//!
//! Blank lines and lines that start with `#` are comments. Every other line is
//! meant as an address, so one that is none is reported, not passed over.

use std::ops::Range;

use memchr::memchr;
use relink_model::LinkKind;

use crate::cut::Cut as _;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::window::{IncrementalExtractor, InputEnd};

/// How many lines are looked at to tell a list from other text.
const LINES_TO_SNIFF: usize = 64;

/// Reads one address a line.
pub(crate) struct UrlList;

impl Extractor for UrlList {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        for range in lines(text) {
            found.link(range, LinkKind::ListEntry, DestinationSyntax::Line);
        }
    }
}

impl IncrementalExtractor for UrlList {
    fn resume(&mut self, text: &str, sequel: InputEnd, found: &mut LinkSink<'_>) -> usize {
        let end = sequel.end_of_lines(text);
        self.extract(text.cut(..end), found);
        end
    }
}

/// Whether at least half of the first lines are a single word with `://` in it.
pub(crate) fn looks_like_list(text: &str) -> bool {
    let (mut seen, mut addresses) = (0_usize, 0_usize);
    for range in lines(text).take(LINES_TO_SNIFF) {
        let line = text.cut(range);
        seen += 1;
        addresses += usize::from(line.contains("://") && !line.contains(char::is_whitespace));
    }
    seen > 0 && 2 * addresses >= seen
}

/// The lines that count, without the white space around them.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        while rest < text.len() {
            let end = memchr(b'\n', text.as_bytes().cut(rest..)).map_or(text.len(), |at| rest + at);
            let line = trim(text, rest..end);
            rest = end + 1;
            if !line.is_empty() && !text.cut(line.clone()).starts_with('#') {
                return Some(line);
            }
        }
        None
    })
}

/// The part of `range` between white space.
pub(crate) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let line = text.cut(range.clone());
    let start = range.end - line.trim_start().len();
    let end = range.start + line.trim_end().len();
    start.min(end)..end
}

#[cfg(test)]
mod tests {
    use crate::DocumentFormat;
    use crate::properties::check;

    #[test]
    fn every_line_is_an_address_unless_blank_or_comment() {
        check(
            DocumentFormat::UrlList,
            "# good\r\n  https://a.test/ \r\n\r\nhttp://b.test/x\t\n \nno\n#http://c.test",
            &["2:3 line https://a.test/", "4:1 line http://b.test/x", "6:1 line no !"],
        );
    }

    #[test]
    fn other_schemes_are_passed_over_and_told() {
        check(DocumentFormat::UrlList, "mailto:a@b.test", &["1:1 line mailto:a@b.test -"]);
    }

    #[test]
    fn an_empty_list_has_no_links() {
        check(DocumentFormat::UrlList, "", &[]);
        check(DocumentFormat::UrlList, "\n\n", &[]);
    }
}
