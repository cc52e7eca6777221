//! Detects the separator of a table. Spreadsheets write semicolons in locales
//! with a decimal comma.

use crate::safe_slice::SafeSlice as _;

/// Number of lines inspected.
const LINES_TO_SNIFF: usize = 16;
/// Number of bytes inspected.
const HEAD_LENGTH: usize = 64 * 1024;

const COMMA: u8 = b',';
/// Candidate separators, in order of precedence.
const CANDIDATES: [u8; 4] = [COMMA, b';', b'\t', b'|'];

/// Returns the first candidate that occurs equally often in every line. Without such
/// a candidate, returns the most frequent candidate of the first line, or the comma.
pub(super) fn detect(text: &str) -> u8 {
    let head = text.slice(..text.floor_char_boundary(HEAD_LENGTH));
    let lines = || head.lines().filter(|line| !line.trim().is_empty()).take(LINES_TO_SNIFF);
    let occurs_equally = |separator: &u8| {
        let mut counts = lines().map(|line| count(line, *separator));
        counts.next().is_some_and(|first| first > 0 && counts.all(|other| other == first))
    };
    if let Some(separator) = CANDIDATES.into_iter().find(occurs_equally) {
        return separator;
    }
    let first = lines().next().unwrap_or_default();
    // The line may be a single URL, which may contain any candidate.
    if first.trim_start().starts_with("http") {
        return COMMA;
    }
    let most_frequent =
        CANDIDATES.into_iter().rev().max_by_key(|&separator| count(first, separator));
    most_frequent.filter(|&separator| count(first, separator) > 0).unwrap_or(COMMA)
}

/// Whether more input would not change the result.
pub(super) fn is_certain(text: &str) -> bool {
    let is_whole = |line: &&str| line.ends_with('\n') && !line.trim().is_empty();
    text.len() > HEAD_LENGTH
        || text.split_inclusive('\n').filter(is_whole).nth(LINES_TO_SNIFF - 1).is_some()
}

/// Counts a separator outside of quotes.
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
    fn separator_with_equal_count_in_every_line_is_detected() {
        assert_eq!(detect("a,b\nc,d"), b',');
        assert_eq!(detect("a;b\nc;d,e"), b';');
        assert_eq!(detect("\"a,b\"\tc\n1\t2"), b'\t');
        assert_eq!(detect("a;b;c,d\n\"x\ny\";1;2"), b';');
        assert_eq!(detect(""), b',');
        assert_eq!(detect("one\ntwo"), b',');
    }
}
