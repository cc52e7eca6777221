//! Bars lying down, each with its name before and its number behind it.

use super::super::markup::Markup;
use super::{WIDTH, block, drawing, label, scaled};
use crate::human::grouped;

/// Height of a bar with the space below it.
const ROW: f64 = 26.0;
/// Space before the bars, for names.
const BEFORE: f64 = 96.0;
/// Space behind the bars, for numbers.
const BEHIND: f64 = 76.0;
/// The least that is seen of a bar.
const LEAST: f64 = 1.5;

/// A bar.
#[derive(Debug, Clone)]
pub(in super::super) struct HorizontalBar {
    /// What is counted.
    pub(in super::super) name: String,
    /// How many.
    pub(in super::super) value: u64,
    /// Its class in the style sheet.
    pub(in super::super) class: &'static str,
}

/// Draws bars below each other.
pub(in super::super) fn across(says: &str, bars: &[HorizontalBar]) -> Markup {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0);
    let mut marks = Markup::default();
    let mut y = 0.0;
    for bar in bars {
        let length = scaled(bar.value, most, WIDTH - BEFORE - BEHIND).max(LEAST);
        marks.push(label("side", BEFORE - 8.0, y + 17.0, bar.name.as_str()));
        marks.push(block(bar.class, (BEFORE, y + 4.0), (length, ROW - 8.0)));
        marks.push(label("start strong", BEFORE + length + 6.0, y + 17.0, grouped(bar.value)));
        y += ROW;
    }
    drawing(WIDTH, y, says, marks)
}
