//! Takes an array of arrays apart without building it.
//!
//! An answer may be cut anywhere, be one line of megabytes, or nest without
//! end; a row is found by counting brackets, and only a row of decent length
//! is parsed.

use super::ROW_CAP;

/// The inner arrays of an array of arrays, as they stand.
pub(super) struct Rows<'a> {
    rest: &'a [u8],
}

/// One inner array.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ArrayRow<'a> {
    /// Brackets and all.
    Row(&'a [u8]),
    /// Longer than any row should be.
    TooLong,
    /// It has no end: the answer was cut.
    Cut,
}

/// Begins after the outer bracket, if there is one.
pub(super) fn rows(text: &[u8]) -> Option<Rows<'_>> {
    let text = text.trim_ascii_start();
    let rest = text.strip_prefix(b"[")?;
    let next = rest.trim_ascii_start().first();
    matches!(next, None | Some(b'[' | b']')).then_some(Rows { rest })
}

impl<'a> Iterator for Rows<'a> {
    type Item = ArrayRow<'a>;

    fn next(&mut self) -> Option<ArrayRow<'a>> {
        let start = self.rest.iter().position(|byte| matches!(byte, b'[' | b']'))?;
        if self.rest[start] == b']' {
            self.rest = &[];
            return None;
        }
        let row = &self.rest[start..];
        let Some(length) = length_of_row(row) else {
            self.rest = &[];
            return Some(ArrayRow::Cut);
        };
        self.rest = &row[length..];
        Some(if length > ROW_CAP { ArrayRow::TooLong } else { ArrayRow::Row(&row[..length]) })
    }
}

/// The length of the array that `text` begins with; brackets in strings do not
/// count.
fn length_of_row(text: &[u8]) -> Option<usize> {
    let (mut depth, mut is_quoted, mut is_escaped) = (0usize, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b'[' if !is_quoted => depth += 1,
            b']' if !is_quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let name = |found: ArrayRow<'_>| match found {
            ArrayRow::Row(row) => String::from_utf8(row.to_vec()).unwrap(),
            ArrayRow::TooLong => "too long".to_owned(),
            ArrayRow::Cut => "cut".to_owned(),
        };
        let found: Vec<_> = rows(text.as_bytes()).unwrap().map(name).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn rows_are_told_apart() {
        check("[]", &[]);
        check("[[\"a\"],\n[],[\"b]\", \"\\\"[\"]]", &["[\"a\"]", "[]", "[\"b]\", \"\\\"[\"]"]);
        check("[[[1],[2]],[3]] [4]", &["[[1],[2]]", "[3]"]);
    }

    #[test]
    fn a_cut_answer_says_so() {
        check("[[\"a\"],[\"b", &["[\"a\"]", "cut"]);
        check("[", &[]);
    }

    #[test]
    fn a_row_of_megabytes_is_passed_over() {
        let long = format!("[[\"{}\"],[1]]", "x".repeat(10 << 20));
        check(&long, &["too long", "[1]"]);
    }

    #[test]
    fn other_things_are_no_array_of_arrays() {
        for text in ["", "{}", "[1, 2]", "[{\"a\": 1}]", "<html>"] {
            assert!(rows(text.as_bytes()).is_none(), "{text}");
        }
    }
}
