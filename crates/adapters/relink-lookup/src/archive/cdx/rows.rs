//! Reads the rows of an index, in whatever form they come.
//!
//! - an array of arrays, the first of which names the columns, with a key to
//!   go on from at the end (the Internet Archive);
//! - a JSON object in each line (pywb);
//! - CDXJ: key, time and a JSON object in each line (files, pywb);
//! - columns between spaces, named by a first line ` CDX N b a …` or else in
//!   the order of the Internet Archive.

use serde_json::{Map, Value};

use super::ROW_CAP;
use super::array::{self, ArrayRow};

/// One row; what the index leaves out or marks as missing (`-`) is `None`.
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

/// What an answer holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CdxResponse {
    pub rows: Vec<Row>,
    /// How many rows made no sense.
    pub skipped: usize,
    /// Whether the answer ends within a row.
    pub is_truncated: bool,
    /// Where to go on.
    pub resume: Option<String>,
}

/// The columns where no line names them.
const USUAL_COLUMNS: [&str; 7] =
    ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"];

impl Row {
    /// Sets a column by the name it has in one dialect or another.
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

    fn of_object(object: Map<String, Value>) -> Self {
        let mut row = Self::default();
        for (column, value) in object {
            if let Some(value) = text_of(value) {
                row.set(&column, value);
            }
        }
        row
    }
}

/// Reads an answer, at most `limit` rows of it, or says that it is no index.
/// `is_cut` says that the bytes are not all of it.
pub(crate) fn read(bytes: &[u8], limit: usize, is_cut: bool) -> Option<CdxResponse> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut answer = match array::rows(bytes) {
        Some(rows) => of_arrays(rows, limit),
        None => of_lines(bytes, limit, is_cut),
    };
    answer.is_truncated |= is_cut;
    let is_noise = answer.rows.is_empty() && answer.skipped > 0;
    (!is_noise).then_some(answer)
}

fn of_arrays(rows: array::Rows<'_>, limit: usize) -> CdxResponse {
    let mut answer = CdxResponse::default();
    let mut columns = Vec::new();
    let mut is_over = false;
    for found in rows {
        let cells = match found {
            ArrayRow::Row(row) => cells(row),
            ArrayRow::TooLong => None,
            ArrayRow::Cut => {
                answer.is_truncated = true;
                break;
            }
        };
        match cells {
            Some(cells) if columns.is_empty() => columns = cells,
            // An empty row stands before the key to go on from.
            Some(cells) if cells.is_empty() => is_over = true,
            Some(mut cells) if is_over && cells.len() == 1 => answer.resume = cells.pop(),
            Some(cells) if cells.len() == columns.len() && answer.rows.len() < limit => {
                let mut row = Row::default();
                columns.iter().zip(cells).for_each(|(column, cell)| row.set(column, cell));
                answer.rows.push(row);
            }
            Some(cells) if cells.len() == columns.len() => answer.is_truncated = true,
            _ => answer.skipped += 1,
        }
    }
    answer
}

fn cells(row: &[u8]) -> Option<Vec<String>> {
    let cells: Vec<Value> = serde_json::from_slice(row).ok()?;
    cells.into_iter().map(text_of).collect()
}

/// A value as text. Servers differ in whether numbers are quoted.
fn text_of(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Null => Some(String::new()),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn of_lines(bytes: &[u8], limit: usize, is_cut: bool) -> CdxResponse {
    let mut answer = CdxResponse::default();
    let mut columns: Vec<String> = USUAL_COLUMNS.map(str::to_owned).to_vec();
    // The last line of a cut answer is not whole.
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    let bytes = if is_cut { &bytes[..whole] } else { bytes };
    for line in bytes.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii_end();
        if line.is_empty() {
            continue;
        }
        if let Some(named) = line.strip_prefix(b" CDX ") {
            columns = words(named).map(str::to_owned).collect();
            continue;
        }
        if answer.rows.len() >= limit {
            answer.is_truncated = true;
            break;
        }
        match of_line(line, &columns) {
            Some(row) => answer.rows.push(row),
            None => answer.skipped += 1,
        }
    }
    answer
}

fn of_line(line: &[u8], columns: &[String]) -> Option<Row> {
    let text = str::from_utf8(line).ok().filter(|line| line.len() <= ROW_CAP)?;
    if text.starts_with('{') {
        return serde_json::from_str(text).ok().map(Row::of_object);
    }
    if let Some((front, object)) = text.split_once(" {") {
        let (key, time) = front.split_once(' ')?;
        let object = serde_json::from_str(&format!("{{{object}")).ok()?;
        let named =
            Row { key: Some(key.to_owned()), time: Some(time.to_owned()), ..Row::default() };
        let row = Row::of_object(object);
        return Some(Row { key: row.key.or(named.key), time: row.time.or(named.time), ..row });
    }
    let cells: Vec<&str> = words(line).collect();
    if cells.len() != columns.len() {
        return None;
    }
    let mut row = Row::default();
    columns.iter().zip(cells).for_each(|(column, cell)| row.set(column, cell.to_owned()));
    Some(row)
}

fn words(line: &[u8]) -> impl Iterator<Item = &str> {
    str::from_utf8(line).unwrap_or_default().split_ascii_whitespace()
}

#[cfg(test)]
mod tests;
