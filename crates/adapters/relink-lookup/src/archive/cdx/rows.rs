//! Parses rows of archive indexes (CDX) in all known formats:
//!
//! - an array of arrays with a header row and, at the end, an optional resume key, with
//!   which the next request continues (Internet Archive);
//! - one JSON object per line (pywb);
//! - CDXJ: key, timestamp and a JSON object per line (files, pywb);
//! - columns separated by spaces, with a header line ` CDX N b a …` or in the default order of
//!   the Internet Archive.

use serde_json::{Map, Value};

use super::MAX_ROW_BYTES;
use super::array::{self, ArrayRow};

/// One row of an index. Missing fields and fields marked as missing (`-`) are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub key: Option<String>,
    pub time: Option<String>,
    pub url: Option<String>,
    pub mime: Option<String>,
    pub status: Option<String>,
    pub digest: Option<String>,
    pub length: Option<String>,
    pub redirect: Option<String>,
    pub offset: Option<String>,
    pub file: Option<String>,
}

/// A parsed response of a CDX server.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CdxResponse {
    pub rows: Vec<Row>,
    /// Number of rows that could not be parsed.
    pub skipped: usize,
    /// Whether the response is truncated.
    pub is_truncated: bool,
    /// Resume key for the next request.
    pub resume_key: Option<String>,
}

/// Column names of responses without a header.
const DEFAULT_COLUMNS: [&str; 7] =
    ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"];

impl Row {
    /// Sets a column. `column` is the name of the column in any of the formats.
    fn set(&mut self, column: &str, value: String) {
        let field = match column {
            "urlkey" | "N" => &mut self.key,
            "timestamp" | "b" => &mut self.time,
            "original" | "url" | "a" => &mut self.url,
            "mimetype" | "mime" | "m" => &mut self.mime,
            "statuscode" | "status" | "s" => &mut self.status,
            "digest" | "k" => &mut self.digest,
            "length" | "S" => &mut self.length,
            "redirect" | "r" => &mut self.redirect,
            "offset" | "V" => &mut self.offset,
            "filename" | "g" => &mut self.file,
            _ => return,
        };
        *field = Some(value).filter(|value| !matches!(value.as_str(), "" | "-"));
    }

    /// Reads the columns of a JSON object.
    fn from_object(object: Map<String, Value>) -> Self {
        let mut row = Self::default();
        for (column, value) in object {
            if let Some(value) = value_to_text(value) {
                row.set(&column, value);
            }
        }
        row
    }
}

/// Parses at most `max_rows` rows of a response. Returns `None` if the bytes are
/// not an index. `is_truncated` means that the end of the response is missing.
pub(crate) fn parse(bytes: &[u8], max_rows: usize, is_truncated: bool) -> Option<CdxResponse> {
    // Skip a UTF-8 byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut response = match array::rows(bytes) {
        Some(rows) => parse_arrays(rows, max_rows),
        None => parse_lines(bytes, max_rows, is_truncated),
    };
    response.is_truncated |= is_truncated;
    let is_invalid = response.rows.is_empty() && response.skipped > 0;
    (!is_invalid).then_some(response)
}

/// Parses an array of arrays with a header row.
fn parse_arrays(rows: array::Rows<'_>, max_rows: usize) -> CdxResponse {
    let mut response = CdxResponse::default();
    let mut columns = Vec::new();
    let mut is_before_resume_key = false;
    for row in rows {
        let cells = match row {
            ArrayRow::Row(row) => parse_cells(row),
            ArrayRow::TooLong => None,
            ArrayRow::Truncated => {
                response.is_truncated = true;
                break;
            }
        };
        match cells {
            Some(cells) if columns.is_empty() => columns = cells,
            // An empty row precedes the resume key.
            Some(cells) if cells.is_empty() => is_before_resume_key = true,
            Some(mut cells) if is_before_resume_key && cells.len() == 1 => {
                response.resume_key = cells.pop();
            }
            Some(cells) if cells.len() == columns.len() && response.rows.len() < max_rows => {
                let mut row = Row::default();
                columns.iter().zip(cells).for_each(|(column, cell)| row.set(column, cell));
                response.rows.push(row);
            }
            // A valid row beyond `max_rows`.
            Some(cells) if cells.len() == columns.len() => response.is_truncated = true,
            _ => response.skipped += 1,
        }
    }
    response
}

/// Returns the values of an array as texts.
fn parse_cells(row: &[u8]) -> Option<Vec<String>> {
    let cells: Vec<Value> = serde_json::from_slice(row).ok()?;
    cells.into_iter().map(value_to_text).collect()
}

/// Returns the text of a JSON value. Some servers quote numbers, others do not.
fn value_to_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Null => Some(String::new()),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Parses a format with one row per line.
fn parse_lines(bytes: &[u8], max_rows: usize, is_truncated: bool) -> CdxResponse {
    let mut response = CdxResponse::default();
    let mut columns: Vec<String> = DEFAULT_COLUMNS.map(str::to_owned).to_vec();
    // The last line of a truncated response is incomplete.
    let end = bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    let bytes = if is_truncated { &bytes[..end] } else { bytes };
    for line in bytes.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii_end();
        if line.is_empty() {
            continue;
        }
        if let Some(header) = line.strip_prefix(b" CDX ") {
            columns = split_columns(header).map(str::to_owned).collect();
            continue;
        }
        if response.rows.len() >= max_rows {
            response.is_truncated = true;
            break;
        }
        match parse_line(line, &columns) {
            Some(row) => response.rows.push(row),
            None => response.skipped += 1,
        }
    }
    response
}

/// Parses a row in one of the formats with one row per line.
fn parse_line(line: &[u8], columns: &[String]) -> Option<Row> {
    let text = str::from_utf8(line).ok().filter(|line| line.len() <= MAX_ROW_BYTES)?;
    if text.starts_with('{') {
        return serde_json::from_str(text).ok().map(Row::from_object);
    }
    // CDXJ: key, time and a JSON object.
    if let Some((key_and_time, object_text)) = text.split_once(" {") {
        let (key, time) = key_and_time.split_once(' ')?;
        let object = serde_json::from_str(&format!("{{{object_text}")).ok()?;
        let row = Row::from_object(object);
        // The key and the time in the object have precedence.
        let key = row.key.or_else(|| Some(key.to_owned()));
        let time = row.time.or_else(|| Some(time.to_owned()));
        return Some(Row { key, time, ..row });
    }
    let cells: Vec<&str> = split_columns(line).collect();
    if cells.len() != columns.len() {
        return None;
    }
    let mut row = Row::default();
    columns.iter().zip(cells).for_each(|(column, cell)| row.set(column, cell.to_owned()));
    Some(row)
}

/// Splits a line at white space. A line that is not UTF-8 has no columns.
fn split_columns(line: &[u8]) -> impl Iterator<Item = &str> {
    str::from_utf8(line).unwrap_or_default().split_ascii_whitespace()
}

#[cfg(test)]
mod tests;
