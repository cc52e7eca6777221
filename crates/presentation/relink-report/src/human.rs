//! The report for people at a terminal.
//!
//! Pure text: whoever calls decides where it goes and whether it is painted.
//! Colour only repeats what signs and words say already.

mod closing;
mod comparison;
mod finding;
mod hosts;
mod paint;
mod quantity;
mod revival;
mod snippet;

pub use closing::{
    Footer, Headline, closing, headline, interrupted, no_network, remark, skipped, summary,
};
pub use finding::{FindingView, finding};
pub use hosts::hosts;
pub use paint::TextStyle;
pub use quantity::{age, counted, duration, grouped, resemblance, size};
pub use revival::{AliasView, ReplacementView, RevivalView, revival};
pub use snippet::Snippet;

pub(crate) use comparison::compared;
pub(crate) use finding::spots;
pub(crate) use revival::{revival_lines, suggestions};
pub(crate) use snippet::cut_end;

use unicode_width::UnicodeWidthStr;

use crate::{printable, redact, redact_prose};

/// Columns a block of the report is kept within, where that is possible.
pub(crate) const COLUMNS: usize = 100;

/// Columns of an address that are shown before it is cut.
const URL_COLUMNS: usize = 300;

/// An address as a terminal may show it.
pub(crate) fn shown_url(url: &str) -> String {
    let url = redact(url);
    let url = printable(&url);
    let start = snippet::start_of(&url, URL_COLUMNS);
    if start.len() == url.len() {
        return url.into_owned();
    }
    format!("{start}…")
}

/// A sentence as a terminal may show it.
pub(crate) fn shown_prose(text: &str) -> String {
    printable(&redact_prose(text)).into_owned()
}

/// How many columns a text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Text filled up with spaces to so many columns.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

#[cfg(test)]
mod tests;
