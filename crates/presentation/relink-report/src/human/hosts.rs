//! Formats the table of hosts with their requests.

use super::{TextStyle, duration, grouped, padded, shown_url, width};
use crate::HostRow;

/// Number of columns.
const COLUMNS: usize = 7;

/// The titles of the columns.
const TITLES: [&str; COLUMNS] =
    ["host", "requests", "control", "responses", "throttled", "request time", "wait time"];

/// Formats the host table. Returns an empty string if there are no hosts.
pub fn hosts(style: TextStyle, rows: &[HostRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let cells: Vec<[String; COLUMNS]> = rows.iter().map(cells).collect();
    let widths = columns(&cells);
    let titles = line(&TITLES.map(str::to_owned), &widths);
    let mut text = format!("{}\n", style.quiet(&titles));
    for row in &cells {
        text.push_str(&line(row, &widths));
        text.push('\n');
    }
    text
}

/// Returns the cells of a row.
fn cells(row: &HostRow) -> [String; COLUMNS] {
    [
        shown_url(&row.name),
        grouped(row.requests),
        grouped(row.control_requests),
        grouped(row.responses),
        grouped(row.throttled),
        duration(row.request_ms),
        duration(row.politeness_wait_ms),
    ]
}

/// Returns the width of each column.
fn columns(cells: &[[String; COLUMNS]]) -> [usize; COLUMNS] {
    let mut widths = TITLES.map(width);
    for row in cells {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell));
        }
    }
    widths
}

/// Formats a row with the name aligned left and the numbers aligned right.
fn line(cells: &[String; COLUMNS], widths: &[usize; COLUMNS]) -> String {
    let [name, numbers @ ..] = cells;
    let numbers: Vec<String> = numbers
        .iter()
        .zip(&widths[1..])
        .map(|(number, columns)| format!("{number:>columns$}"))
        .collect();
    format!("  {}  {}", padded(name, widths[0]), numbers.join("  "))
}
