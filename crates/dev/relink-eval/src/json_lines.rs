//! Reads files of JSON lines.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::EvalError;

/// Reads the rows of a file. Empty lines are skipped.
pub fn read_rows<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, EvalError> {
    let text = fs::read_to_string(path).map_err(|error| EvalError::File(path.to_owned(), error))?;
    parse_rows(path, &text)
}

/// Parses the rows of a file with this text.
fn parse_rows<T: DeserializeOwned>(path: &Path, text: &str) -> Result<Vec<T>, EvalError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let row = |(at, line)| {
        serde_json::from_str(line).map_err(|error| EvalError::Line(path.to_owned(), at + 1, error))
    };
    lines.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_are_skipped() {
        let rows: Vec<u32> = parse_rows(Path::new("a.jsonl"), "1\n\n2\n").unwrap();
        assert_eq!(rows, [1, 2]);
    }

    #[test]
    fn error_names_file_and_line() {
        let error = parse_rows::<u32>(Path::new("a.jsonl"), "1\n\nx\n").unwrap_err();
        assert!(error.to_string().starts_with("`a.jsonl`, line 3: "), "{error}");
    }
}
