//! Describes errors in a configuration file without its values.
//!
//! A value may contain a password, so error messages contain the position and the
//! expected type, but neither the line nor the value.

use toml::{Table, Value};

/// Replaces a value in a message.
const MASK: &str = "…";

/// Describes an error in one line: its position and what was expected. The strings
/// of the file are masked.
pub(super) fn describe(text: &str, values: &[&str], error: &toml::de::Error) -> String {
    let mut message = error.message().trim_end().replace('\n', ", ");
    for value in values {
        message = message.replace(&format!("{value:?}"), MASK).replace(value, MASK);
    }
    let Some(span) = error.span() else { return message };
    let (line, column) = position(text, span.start);
    format!("line {line}, column {column}: {message}")
}

/// Returns the strings of a file that are long enough to be masked, longest first.
pub(super) fn strings(table: &Table) -> Vec<&str> {
    let mut strings = Vec::new();
    table.values().for_each(|value| collect(value, &mut strings));
    strings.sort_by_key(|text| std::cmp::Reverse(text.len()));
    strings
}

/// Minimum length of a masked string. Shorter ones occur in ordinary words.
const MIN_MASKED: usize = 3;

fn collect<'a>(value: &'a Value, strings: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if text.len() >= MIN_MASKED => strings.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, strings)),
        Value::Table(table) => table.values().for_each(|item| collect(item, strings)),
        _ => {}
    }
}

/// Returns the line and the column of a byte, from 1.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (line, before.get(start..).unwrap_or_default().chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Config;

    /// Returns the error message of an invalid file.
    fn cause(text: &str) -> String {
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
            let cause = cause(text);
            assert!(!cause.contains("SECRET") && !cause.contains('\n'), "{text}: {cause}");
            assert!(cause.starts_with("line "), "{text}: {cause}");
        }
    }

    #[test]
    fn describe_counts_lines_and_columns_from_1() {
        assert!(cause("retries = 1\n\"é\" = = 2\n").starts_with("line 2, column 7: "));
    }
}
