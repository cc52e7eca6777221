//! What separates the values of a table that does not say.
//!
//! Spreadsheets write semicolons where the comma is the decimal sign.

use crate::cut::Cut as _;

/// How many lines are looked at.
const LINES_TO_SNIFF: usize = 16;
/// How much of the table is looked at.
const HEAD_LENGTH: usize = 64 * 1024;

const COMMA: u8 = b',';
/// In the order they are believed.
const CANDIDATES: [u8; 4] = [COMMA, b';', b'\t', b'|'];

/// The first separator that stands in every line equally often, else the one
/// that is most frequent in the first line, else the comma.
pub(super) fn of(text: &str) -> u8 {
    let head = text.cut(..text.floor_char_boundary(HEAD_LENGTH));
    let lines = || head.lines().filter(|line| !line.trim().is_empty()).take(LINES_TO_SNIFF);
    let is_even = |separator: &u8| {
        let mut counts = lines().map(|line| count(line, *separator));
        counts.next().is_some_and(|first| first > 0 && counts.all(|other| other == first))
    };
    if let Some(even) = CANDIDATES.into_iter().find(is_even) {
        return even;
    }
    let first = lines().next().unwrap_or_default();
    // An address alone may hold any of them.
    if first.trim_start().starts_with("http") {
        return COMMA;
    }
    let frequent = CANDIDATES.into_iter().rev().max_by_key(|&separator| count(first, separator));
    frequent.filter(|&separator| count(first, separator) > 0).unwrap_or(COMMA)
}

/// Whether more of the table would change nothing.
pub(super) fn is_certain(text: &str) -> bool {
    let is_whole = |line: &&str| line.ends_with('\n') && !line.trim().is_empty();
    text.len() > HEAD_LENGTH
        || text.split_inclusive('\n').filter(is_whole).nth(LINES_TO_SNIFF - 1).is_some()
}

/// How often a separator stands in a line outside quotes.
fn count(line: &str, separator: u8) -> usize {
    let mut is_quoted = false;
    let mut count = 0;
    for byte in line.bytes() {
        is_quoted ^= byte == b'"';
        count += usize::from(byte == separator && !is_quoted);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_that_fits_every_line_is_taken() {
        assert_eq!(of("a,b\nc,d"), b',');
        assert_eq!(of("a;b\nc;d,e"), b';');
        assert_eq!(of("\"a,b\"\tc\n1\t2"), b'\t');
        assert_eq!(of("a;b;c,d\n\"x\ny\";1;2"), b';');
        assert_eq!(of(""), b',');
        assert_eq!(of("one\ntwo"), b',');
    }
}
