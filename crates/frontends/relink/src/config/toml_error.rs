//! Describes errors in a configuration file without its strings.
//!
//! A string may contain a password. Messages of the TOML parser can contain values, so this
//! module masks all strings of the file in a message. Keys, numbers and dates are not masked. It
//! prints the position of an error, not the text of the line. Messages of syntax errors contain no
//! values.

use toml::{Table, Value};

/// The text that replaces a value in a message.
const MASK: &str = "…";

/// Describes an error in one line: its position and what was expected. Masks `values`. The
/// longest value must come first, because a short value may be part of a long one.
pub(super) fn describe(text: &str, values: &[&str], error: &toml::de::Error) -> String {
    let mut message = error.message().trim_end().replace('\n', ", ");
    for value in values {
        // The parser prints values in quotes and with escapes, or as they are.
        message = message.replace(&format!("{value:?}"), MASK).replace(value, MASK);
    }
    let Some(span) = error.span() else { return message };
    let (line, column) = line_and_column(text, span.start);
    format!("line {line}, column {column}: {message}")
}

/// Returns the strings of a file that are long enough to be masked, longest first.
pub(super) fn strings(table: &Table) -> Vec<&str> {
    let mut strings = Vec::new();
    table.values().for_each(|value| collect_strings(value, &mut strings));
    strings.sort_by_key(|text| std::cmp::Reverse(text.len()));
    strings
}

/// Minimum length of a masked string. Masking shorter strings would damage the words of a
/// message.
const MIN_MASKED_LENGTH: usize = 3;

fn collect_strings<'a>(value: &'a Value, strings: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if text.len() >= MIN_MASKED_LENGTH => strings.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, strings)),
        Value::Table(table) => table.values().for_each(|item| collect_strings(item, strings)),
        _ => {}
    }
}

/// Returns the line and the column of a byte offset. Both are counted from 1.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |line_feed| line_feed + 1);
    (line, before.get(line_start..).unwrap_or_default().chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Config;

    /// Returns the cause in the error of an invalid configuration file.
    fn error_cause(text: &str) -> String {
        let error = Config::parse(text, Path::new("relink.toml")).unwrap_err();
        error.causes().join(" ")
    }

    #[test]
    fn describe_contains_the_position_but_no_value() {
        for text in [
            "header = \"SECRET\n",
            "header = \"A: SECRET\"\n",
            "header = [\"A: b\", SECRET]\n",
            "proxy = [\"http://u:SECRET@h\"]\n",
            "timeout = \"SECRET\"\n",
            "resolve = [\"SECRET\"]\n",
            "base-url = \"SECRET \\\"x\\\"\"\n",
            "format = \"SECRET\"\n",
            "fail-on = [\"SECRET\"]\n",
            "dns-server = \"SECRET\"\n",
            "concurrency = \"SECRET\"\n",
            "[revive]\ndate = \"SECRET\"\n",
            "[revive]\nsearch = \"SECRET\"\n",
        ] {
            let cause = error_cause(text);
            assert!(!cause.contains("SECRET") && !cause.contains('\n'), "{text}: {cause}");
            assert!(cause.starts_with("line "), "{text}: {cause}");
        }
    }

    #[test]
    fn describe_counts_lines_and_columns_from_1() {
        assert!(error_cause("retries = 1\n\"é\" = = 2\n").starts_with("line 2, column 7: "));
    }
}
