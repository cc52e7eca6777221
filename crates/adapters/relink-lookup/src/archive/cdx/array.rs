//! Splits a JSON array of arrays, the response of some archive indexes, without parsing
//! it as a whole.
//!
//! A response may be truncated, several megabytes long in one line, or deeply
//! nested. Rows are found by counting brackets, and only rows within the length
//! limit are returned.

use super::MAX_ROW_BYTES;

/// Iterator over the inner arrays, as raw text.
pub(super) struct Rows<'a> {
    rest: &'a [u8],
}

/// One inner array.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ArrayRow<'a> {
    /// A complete array, including its brackets.
    Row(&'a [u8]),
    /// An array longer than [`MAX_ROW_BYTES`].
    TooLong,
    /// An array without an end: the response is truncated.
    Truncated,
}

/// Returns the rows of an array of arrays, or `None` for other text.
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
        let Some(length) = row_length(row) else {
            self.rest = &[];
            return Some(ArrayRow::Truncated);
        };
        self.rest = &row[length..];
        Some(if length > MAX_ROW_BYTES { ArrayRow::TooLong } else { ArrayRow::Row(&row[..length]) })
    }
}

/// Returns the length of the array at the start of `text`. Brackets in strings
/// are ignored.
fn row_length(text: &[u8]) -> Option<usize> {
    let (mut depth, mut is_in_string, mut is_escaped) = (0usize, false, false);
    for (index, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_in_string => is_escaped = true,
            b'"' => is_in_string = !is_in_string,
            b'[' if !is_in_string => depth += 1,
            b']' if !is_in_string => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the texts of the rows.
    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let print = |row: ArrayRow<'_>| match row {
            ArrayRow::Row(row) => String::from_utf8(row.to_vec()).unwrap(),
            ArrayRow::TooLong => "too long".to_owned(),
            ArrayRow::Truncated => "truncated".to_owned(),
        };
        let found: Vec<_> = rows(text.as_bytes()).unwrap().map(print).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn rows_splits_inner_arrays() {
        check("[]", &[]);
        check("[[\"a\"],\n[],[\"b]\", \"\\\"[\"]]", &["[\"a\"]", "[]", "[\"b]\", \"\\\"[\"]"]);
        check("[[[1],[2]],[3]] [4]", &["[[1],[2]]", "[3]"]);
    }

    #[test]
    fn truncated_row_is_reported() {
        check("[[\"a\"],[\"b", &["[\"a\"]", "truncated"]);
        check("[", &[]);
    }

    #[test]
    fn overlong_row_is_skipped() {
        let long = format!("[[\"{}\"],[1]]", "x".repeat(10 << 20));
        check(&long, &["too long", "[1]"]);
    }

    #[test]
    fn rows_rejects_other_text() {
        for text in ["", "{}", "[1, 2]", "[{\"a\": 1}]", "<html>"] {
            assert!(rows(text.as_bytes()).is_none(), "{text}");
        }
    }
}
