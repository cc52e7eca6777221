//! Upright bars in two parts.

use super::super::markup::{Markup, element};
use super::{Plot, block, drawing, label, short};

/// The part of a step that its bar takes.
const FILLED: f64 = 0.72;
/// The pattern of the second part, so that it is known without its color.
const HATCH: &str = "hatch";

/// A bar: what is filled and what is hatched, from the bottom up.
#[derive(Debug, Clone)]
pub(in super::super) struct SplitBar {
    /// Its name.
    pub(in super::super) name: String,
    /// The lower part.
    pub(in super::super) filled: u64,
    /// The upper part.
    pub(in super::super) hatched: u64,
}

/// Draws bars beside each other. At most one such chart may be on a page,
/// because its pattern has a name.
pub(in super::super) fn split_bars(says: &str, bottom: &str, bars: &[SplitBar]) -> Markup {
    let whole = |bar: &SplitBar| bar.filled.saturating_add(bar.hatched);
    let plot = Plot::new(bars.iter().map(whole).max().unwrap_or(0), bars.len());
    let names: Vec<String> = bars.iter().map(|bar| bar.name.clone()).collect();
    let mut marks = pattern();
    marks.push(plot.axes(&names, bottom));
    for (step, bar) in bars.iter().enumerate() {
        let width = plot.step() * FILLED;
        let left = plot.x(step) - width / 2.0;
        let (ground, middle, top) = (plot.y(0), plot.y(bar.filled), plot.y(whole(bar)));
        marks.push(block("filled", (left, middle), (width, ground - middle)));
        marks.push(block("hatched", (left, top), (width, middle - top)));
        if plot.has_room() {
            marks.push(label("mid strong", plot.x(step), top - 5.0, short(whole(bar))));
        }
    }
    drawing(super::WIDTH, super::HEIGHT, says, marks)
}

/// The hatching that `.hatched` is filled with.
fn pattern() -> Markup {
    let lines = element("path", [("d", "M0 6L6 0M-1 1L1 -1M5 7L7 5"), ("class", "stroke")], "");
    let attributes =
        [("id", HATCH), ("width", "6"), ("height", "6"), ("patternUnits", "userSpaceOnUse")];
    element("defs", [], element("pattern", attributes, lines))
}
