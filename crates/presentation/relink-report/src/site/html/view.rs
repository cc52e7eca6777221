//! The context that all sections of the page share.

use std::cell::Cell;

use relink_model::Verdict;

use super::markup::{Markup, element};
use super::table::{Column, Table};
use super::url::UrlFormatter;
use crate::human::counted;
use crate::site::SiteReport;

/// Maximum size of all tables together in bytes. The page stays below 5 MB.
const MAX_TABLE_BYTES: usize = 4_500_000;
/// Each table may use at most a third of the remaining bytes.
const TABLE_FRACTION: usize = 3;

/// A report, its URL formatter and the remaining byte budget.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) report: &'a SiteReport,
    pub(super) urls: UrlFormatter,
    remaining_bytes: Cell<usize>,
}

impl<'a> View<'a> {
    /// Creates the context of a report with the full byte budget.
    pub(super) fn new(report: &'a SiteReport) -> Self {
        Self {
            report,
            urls: UrlFormatter::new(&report.seeds),
            remaining_bytes: Cell::new(MAX_TABLE_BYTES),
        }
    }

    /// Returns the maximum size of the next table.
    pub(super) fn max_table_bytes(&self) -> usize {
        self.remaining_bytes.get() / TABLE_FRACTION
    }

    /// Subtracts the size of a table from the budget.
    pub(super) fn use_bytes(&self, used: usize) {
        self.remaining_bytes.set(self.remaining_bytes.get().saturating_sub(used));
    }

    /// Renders a table with a row for each item of `all`; `total` is the number of all
    /// rows.
    pub(super) fn table<const N: usize, T>(
        &self,
        caption: &'static str,
        columns: [Column; N],
        all: &[T],
        total: u64,
        cells: impl Fn(&T) -> [Markup; N],
    ) -> Markup {
        let mut table = Table::new(caption, columns, self.max_table_bytes());
        for item in all {
            if table.is_full() {
                break;
            }
            table.row(cells(item));
        }
        let table = table.finish(total);
        self.use_bytes(table.len());
        table
    }
}

/// Renders a verdict with its symbol and color.
pub(super) fn badge(verdict: Verdict) -> Markup {
    let symbol = element("span", [("aria-hidden", "true")], symbol(verdict));
    element(
        "span",
        [("class", &format!("verdict {}", class(verdict)))],
        [symbol, verdict.as_str().into()],
    )
}

/// Returns the CSS class of a verdict.
pub(crate) fn class(verdict: Verdict) -> String {
    format!("is-{verdict}")
}

/// Returns the symbol of a verdict in text style, not as an emoji.
pub(crate) fn symbol(verdict: Verdict) -> String {
    /// Variation selector that requests the text style.
    const AS_TEXT: char = '\u{fe0e}';
    format!("{}{AS_TEXT} ", verdict.symbol())
}

/// Formats a number of URLs: `1 URL`, `212 URLs`.
pub(super) fn url_count(count: u64) -> String {
    counted(count, "URL")
}
