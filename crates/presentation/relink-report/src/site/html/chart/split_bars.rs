//! Draws vertical bars with two parts.

use super::super::markup::{Markup, element};
use super::{Plot, label, rectangle, short_number, svg};

/// Width of a bar relative to its step.
const BAR_SHARE: f64 = 0.72;
/// The id of the hatch pattern, which distinguishes the second part without color.
const HATCH_ID: &str = "hatch";

/// A vertical bar with a filled and a hatched part.
#[derive(Debug, Clone)]
pub(in super::super) struct SplitBar {
    /// The label.
    pub(in super::super) name: String,
    /// The lower part.
    pub(in super::super) filled: u64,
    /// The upper part.
    pub(in super::super) hatched: u64,
}

/// Draws vertical bars. A page may have only one such chart, because the id of the hatch
/// pattern is fixed.
pub(in super::super) fn split_bars(alt: &str, axis_title: &str, bars: &[SplitBar]) -> Markup {
    let total = |bar: &SplitBar| bar.filled.saturating_add(bar.hatched);
    let plot = Plot::new(bars.iter().map(total).max().unwrap_or(0), bars.len());
    let names: Vec<String> = bars.iter().map(|bar| bar.name.clone()).collect();
    let mut marks = hatch_pattern();
    marks.push(plot.axes(&names, axis_title));
    for (step, bar) in bars.iter().enumerate() {
        let width = plot.step_width() * BAR_SHARE;
        let left = plot.x(step) - width / 2.0;
        let (baseline, middle, top) = (plot.y(0), plot.y(bar.filled), plot.y(total(bar)));
        marks.push(rectangle("filled", (left, middle), (width, baseline - middle)));
        marks.push(rectangle("hatched", (left, top), (width, middle - top)));
        if plot.has_room_for_labels() {
            marks.push(label("mid strong", plot.x(step), top - 5.0, short_number(total(bar))));
        }
    }
    svg(super::WIDTH, super::HEIGHT, alt, marks)
}

/// Defines the pattern of `.hatched`.
fn hatch_pattern() -> Markup {
    let lines = element("path", [("d", "M0 6L6 0M-1 1L1 -1M5 7L7 5"), ("class", "stroke")], "");
    let attributes =
        [("id", HATCH_ID), ("width", "6"), ("height", "6"), ("patternUnits", "userSpaceOnUse")];
    element("defs", [], element("pattern", attributes, lines))
}
