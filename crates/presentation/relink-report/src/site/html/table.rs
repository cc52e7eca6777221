//! Tables with a size limit that state the number of omitted rows.

use super::markup::{Markup, element};
use super::url::omitted_note;

/// A column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    title: &'static str,
    class: &'static str,
}

/// The CSS class of text columns.
const TEXT: &str = "text";

/// Creates a text column.
pub(crate) const fn text_column(title: &'static str) -> Column {
    Column { title, class: TEXT }
}

/// Creates a number column.
pub(crate) const fn number_column(title: &'static str) -> Column {
    Column { title, class: "number" }
}

/// A table builder.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    caption: &'static str,
    columns: [Column; N],
    rows: Markup,
    shown: u64,
    max_bytes: usize,
}

impl<const N: usize> Table<N> {
    /// Creates an empty table of at most `max_bytes`.
    pub(crate) fn new(caption: &'static str, columns: [Column; N], max_bytes: usize) -> Self {
        Self { caption, columns, rows: Markup::default(), shown: 0, max_bytes }
    }

    /// Adds a row if it fits.
    pub(crate) fn row(&mut self, cells: [Markup; N]) {
        self.classed_row("", cells);
    }

    /// Adds a row with a CSS class if it fits.
    pub(crate) fn classed_row(&mut self, class: &str, cells: [Markup; N]) {
        let cells: Markup = self
            .columns
            .iter()
            .zip(cells)
            .map(|(column, cell)| {
                element("td", [("class", column.class), ("data-label", column.title)], cell)
            })
            .collect();
        let row = match class {
            "" => element("tr", [], cells),
            class => element("tr", [("class", class)], cells),
        };
        // If a row does not fit, omit all later rows too, because they are less important.
        let fits = self.rows.len() + row.len() <= self.max_bytes;
        if fits {
            self.rows.push(row);
            self.shown += 1;
        } else {
            self.max_bytes = 0;
        }
    }

    /// Whether no further rows are accepted.
    pub(crate) const fn is_full(&self) -> bool {
        self.max_bytes == 0
    }

    /// Whether a narrow screen shows the cells of a row below each other. This applies to
    /// tables with several text columns.
    fn stacks_cells(&self) -> bool {
        const MANY_COLUMNS: usize = 4;
        let text_columns = self.columns.iter().filter(|column| column.class == TEXT).count();
        N >= MANY_COLUMNS && text_columns > 1
    }

    /// Renders the table and the number of omitted rows; `total` is the number of all
    /// rows.
    pub(crate) fn finish(self, total: u64) -> Markup {
        let class = if self.stacks_cells() { "wide cards" } else { "wide" };
        let head: Markup = self
            .columns
            .iter()
            .map(|column| element("th", [("scope", "col"), ("class", column.class)], column.title))
            .collect();
        let table = element(
            "table",
            [],
            [
                element("caption", [], self.caption),
                element("thead", [], element("tr", [], head)),
                element("tbody", [], self.rows),
            ],
        );
        let attributes =
            [("class", class), ("role", "region"), ("tabindex", "0"), ("aria-label", self.caption)];
        let omitted = total.saturating_sub(self.shown);
        [element("div", attributes, table), omitted_note(omitted, "more, not shown")].into()
    }
}
