//! Tables that keep to their room and say what they leave out.

use super::address::more;
use super::markup::{Markup, element};

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    title: &'static str,
    class: &'static str,
}

/// The class of columns of words.
const WORDS: &str = "words";

/// A column of words.
pub(super) const fn words(title: &'static str) -> Column {
    Column { title, class: WORDS }
}

/// A column of numbers.
pub(super) const fn numbers(title: &'static str) -> Column {
    Column { title, class: "number" }
}

/// A table in the making.
#[derive(Debug)]
pub(super) struct Table<const N: usize> {
    caption: &'static str,
    columns: [Column; N],
    rows: Markup,
    shown: u64,
    room: usize,
}

impl<const N: usize> Table<N> {
    /// An empty one that takes no more bytes than it has `room` for.
    pub(super) fn new(caption: &'static str, columns: [Column; N], room: usize) -> Self {
        Self { caption, columns, rows: Markup::default(), shown: 0, room }
    }

    /// Adds a row, if there is room.
    pub(super) fn row(&mut self, cells: [Markup; N]) {
        self.classed_row("", cells);
    }

    /// Adds a row of a class that the style sheet knows, if there is room.
    pub(super) fn classed_row(&mut self, class: &str, cells: [Markup; N]) {
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
        // Once a row is left out all later ones are: the first are the worst.
        let has_room = self.rows.len() + row.len() <= self.room;
        if has_room {
            self.rows.push(row);
            self.shown += 1;
        } else {
            self.room = 0;
        }
    }

    /// Whether no more rows are taken, so that none need be made.
    pub(super) const fn is_full(&self) -> bool {
        self.room == 0
    }

    /// Whether its rows read better one below the other on a narrow screen:
    /// where much text stands beside each other, but not where numbers do.
    fn needs_width(&self) -> bool {
        const MANY_COLUMNS: usize = 4;
        let texts = self.columns.iter().filter(|column| column.class == WORDS).count();
        N >= MANY_COLUMNS && texts > 1
    }

    /// The table, and how many of `total` rows are not in it.
    pub(super) fn finish(self, total: u64) -> Markup {
        let class = if self.needs_width() { "wide cards" } else { "wide" };
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
        let wide =
            [("class", class), ("role", "region"), ("tabindex", "0"), ("aria-label", self.caption)];
        let more = more(total.saturating_sub(self.shown), "more, not shown");
        [element("div", wide, table), more].into()
    }
}
