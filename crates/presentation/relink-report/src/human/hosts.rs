//! Formats the table of hosts with their requests.

use super::{TextStyle, duration, grouped, padded, shown_url, width};
use crate::HostRow;

/// Number of columns of the table.
const COLUMN_COUNT: usize = 7;

/// The titles of the columns.
const TITLES: [&str; COLUMN_COUNT] =
    ["host", "requests", "control", "responses", "throttled", "request time", "wait time"];

/// Formats the host table. Returns an empty string if there are no hosts.
pub fn hosts(style: TextStyle, rows: &[HostRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let cells: Vec<[String; COLUMN_COUNT]> = rows.iter().map(row_cells).collect();
    let widths = column_widths(&cells);
    let titles = table_line(&TITLES.map(str::to_owned), &widths);
    let mut text = format!("{}\n", style.quiet(&titles));
    for row in &cells {
        text.push_str(&table_line(row, &widths));
        text.push('\n');
    }
    text
}

/// Returns the cells of a row.
fn row_cells(row: &HostRow) -> [String; COLUMN_COUNT] {
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
fn column_widths(cells: &[[String; COLUMN_COUNT]]) -> [usize; COLUMN_COUNT] {
    let mut widths = TITLES.map(width);
    for row in cells {
        for (column_width, cell) in widths.iter_mut().zip(row) {
            *column_width = (*column_width).max(width(cell));
        }
    }
    widths
}

/// Formats a row with the name aligned left and the numbers aligned right.
fn table_line(cells: &[String; COLUMN_COUNT], widths: &[usize; COLUMN_COUNT]) -> String {
    let [name, numbers @ ..] = cells;
    let numbers: Vec<String> = numbers
        .iter()
        .zip(&widths[1..])
        .map(|(number, columns)| format!("{number:>columns$}"))
        .collect();
    format!("  {}  {}", padded(name, widths[0]), numbers.join("  "))
}
