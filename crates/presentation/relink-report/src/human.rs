//! The terminal report.
//!
//! The caller decides where the text is printed and whether the text has colors. Colors only
//! repeat information that symbols and words contain.

mod cause;
mod comparison;
mod counts;
mod finding;
mod footer;
mod hosts;
mod listing;
mod quantity;
mod revival;
mod single_page;
mod snippet;
mod text_style;

pub use cause::{CauseView, cause, cause_line};
pub use counts::{FindingCounts, counts};
pub use finding::{FindingView, finding};
pub use footer::{
    Footer, Headline, footer, headline, interrupted, no_network, not_checked, not_read, problem,
    sites, skipped, summary,
};
pub use hosts::hosts;
pub use listing::{ListedFinding, group_title, listed_finding};
pub use quantity::{age, counted, duration, grouped, resemblance, size};
pub use revival::{AliasView, ReplacementView, RevivalView, revival};
pub use single_page::{SinglePageView, single_page};
pub use snippet::Snippet;
pub use text_style::TextStyle;

pub(crate) use comparison::compared;
pub(crate) use finding::location_list;
pub(crate) use revival::{revival_lines, suggestions};
pub(crate) use snippet::cut_end;

use unicode_width::UnicodeWidthStr;

use crate::{printable, redact, redact_prose};

/// Maximum width of a block of the report, where possible.
pub(crate) const COLUMNS: usize = 100;

/// Maximum width of a URL.
const URL_COLUMNS: usize = 300;

/// Returns a URL that is safe to print: secrets are masked, control characters are replaced,
/// and a long URL is truncated.
pub(crate) fn shown_url(url: &str) -> String {
    let url = redact(url);
    let url = printable(&url);
    let start = snippet::prefix_of(&url, URL_COLUMNS);
    if start.len() == url.len() {
        return url.into_owned();
    }
    format!("{start}…")
}

/// Returns a sentence that is safe to print: secrets are masked and control characters are
/// replaced.
pub(crate) fn shown_prose(text: &str) -> String {
    printable(&redact_prose(text)).into_owned()
}

/// Returns the width of a text on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Pads a text with spaces to a width.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

#[cfg(test)]
mod tests;
