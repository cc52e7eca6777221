//! What every part of the page is given.

use std::cell::Cell;

use relink_model::Verdict;

use super::address::Addresses;
use super::markup::{Markup, element};
use super::table::{Column, Table};
use crate::human::grouped;
use crate::site::SiteReport;

/// Bytes that all tables may take together; the whole page stays below 5 MB.
const ROOM: usize = 4_500_000;
/// No table takes more than this part of the room that is left.
const PART: usize = 3;

/// A report, how its addresses are shown, and how much room there is.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) report: &'a SiteReport,
    pub(super) addresses: Addresses,
    room: Cell<usize>,
}

impl<'a> View<'a> {
    pub(super) fn of(report: &'a SiteReport) -> Self {
        Self { report, addresses: Addresses::of(&report.seeds), room: Cell::new(ROOM) }
    }

    /// How much the next piece may take.
    pub(super) fn room(&self) -> usize {
        self.room.get() / PART
    }

    /// Takes what a piece has used.
    pub(super) fn take(&self, used: usize) {
        self.room.set(self.room.get().saturating_sub(used));
    }

    /// A table with a row for each of `all`; `total` of them there are.
    pub(super) fn table<const N: usize, T>(
        &self,
        caption: &'static str,
        columns: [Column; N],
        all: &[T],
        total: u64,
        cells: impl Fn(&T) -> [Markup; N],
    ) -> Markup {
        let mut table = Table::new(caption, columns, self.room());
        for one in all {
            if table.is_full() {
                break;
            }
            table.row(cells(one));
        }
        let table = table.finish(total);
        self.take(table.len());
        table
    }
}

/// A word with its sign and its color.
pub(super) fn badge(word: Verdict) -> Markup {
    let sign = element("span", [("aria-hidden", "true")], sign(word));
    element("span", [("class", &format!("word {}", class(word)))], [sign, word.as_str().into()])
}

/// A word's class in the style sheet.
pub(super) fn class(word: Verdict) -> String {
    format!("is-{word}")
}

/// A word's sign, as a letter and not as a picture.
pub(super) fn sign(word: Verdict) -> String {
    /// Asks for the plain form of a sign that has a colored one.
    const AS_TEXT: char = '\u{fe0e}';
    format!("{}{AS_TEXT} ", word.symbol())
}

/// `1 address`, `212 addresses`.
pub(super) fn addresses(count: u64) -> String {
    let plural = if count == 1 { "" } else { "es" };
    format!("{} address{plural}", grouped(count))
}
