//! Draws horizontal bars, with the name before and the number after each bar.

use super::super::markup::Markup;
use super::{WIDTH, label, rectangle, scaled, svg};
use crate::human::grouped;

/// Height of a bar and the space below it.
const ROW_HEIGHT: f64 = 26.0;
/// Space before the bars, for names.
const NAME_WIDTH: f64 = 96.0;
/// Space after the bars, for numbers.
const NUMBER_WIDTH: f64 = 76.0;
/// Minimum length of a bar.
const MIN_LENGTH: f64 = 1.5;

/// A horizontal bar.
#[derive(Debug, Clone)]
pub(crate) struct HorizontalBar {
    /// The label.
    pub(crate) name: String,
    /// The value.
    pub(crate) value: u64,
    /// The CSS class.
    pub(crate) class: &'static str,
}

/// Draws horizontal bars.
pub(crate) fn horizontal_bars(alt: &str, bars: &[HorizontalBar]) -> Markup {
    let max = bars.iter().map(|bar| bar.value).max().unwrap_or(0);
    let mut marks = Markup::default();
    let mut y = 0.0;
    for bar in bars {
        let length = scaled(bar.value, max, WIDTH - NAME_WIDTH - NUMBER_WIDTH).max(MIN_LENGTH);
        marks.push(label("side", NAME_WIDTH - 8.0, y + 17.0, bar.name.as_str()));
        marks.push(rectangle(bar.class, (NAME_WIDTH, y + 4.0), (length, ROW_HEIGHT - 8.0)));
        marks.push(label("start strong", NAME_WIDTH + length + 6.0, y + 17.0, grouped(bar.value)));
        y += ROW_HEIGHT;
    }
    svg(WIDTH, y, alt, marks)
}
