//! What is wrong with a configuration file, without its values.
//!
//! A value may be a header or a proxy with a password, so neither the line nor
//! the value is repeated: the place and what was expected are enough.

use toml::{Table, Value};

/// Replaces a value in a message.
const MASK: &str = "…";

/// Describes an error in one line: where it is, and what was expected there.
/// The strings of the file, as far as it could be read, are masked.
pub(super) fn describe(text: &str, values: &[&str], error: &toml::de::Error) -> String {
    let mut message = error.message().trim_end().replace('\n', ", ");
    for value in values {
        message = message.replace(&format!("{value:?}"), MASK).replace(value, MASK);
    }
    let Some(span) = error.span() else { return message };
    let (line, column) = position(text, span.start);
    format!("line {line}, column {column}: {message}")
}

/// Every string of a file that is more than a word of one or two letters,
/// longest first.
pub(super) fn strings(table: &Table) -> Vec<&str> {
    let mut strings = Vec::new();
    table.values().for_each(|value| collect(value, &mut strings));
    strings.sort_by_key(|text| std::cmp::Reverse(text.len()));
    strings
}

/// The shortest string that is masked: shorter ones are part of many words.
const MIN_MASKED: usize = 3;

fn collect<'a>(value: &'a Value, strings: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if text.len() >= MIN_MASKED => strings.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, strings)),
        Value::Table(table) => table.values().for_each(|item| collect(item, strings)),
        _ => {}
    }
}

/// Line and column of a byte, from 1.
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

    /// The cause that a file is refused for.
    fn cause(text: &str) -> String {
        let failure = Config::parse(text, Path::new("relink.toml")).unwrap_err();
        failure.causes().join(" ")
    }

    #[test]
    fn describe_names_the_place_and_no_value() {
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
