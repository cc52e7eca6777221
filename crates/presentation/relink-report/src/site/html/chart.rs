//! Small charts as inline SVG, each with a table of the same data.
//!
//! The parts of a chart differ in shape and not only in color. Every chart has a text
//! alternative.

mod horizontal_bars;
mod line;
mod spark;
mod split_bars;

pub(crate) use horizontal_bars::{HorizontalBar, horizontal_bars};
pub(super) use line::{LineChart, line_chart};
pub(super) use spark::{part_bar, sparkline};
pub(super) use split_bars::{SplitBar, split_bars};

use super::markup::{Markup, element};
use crate::human::grouped;

/// Width of a chart in pixels. Two charts fit side by side on a screen, and one on a
/// phone, without scaling.
const WIDTH: f64 = 360.0;
/// Height of a chart.
const HEIGHT: f64 = 230.0;
/// Left margin.
const LEFT_MARGIN: f64 = 46.0;
/// Right margin.
const RIGHT_MARGIN: f64 = 10.0;
/// Top margin.
const TOP_MARGIN: f64 = 26.0;
/// Bottom margin.
const BOTTOM_MARGIN: f64 = 40.0;
/// Maximum number of labels below a plot.
const MAX_LABELS: usize = 12;

/// Renders charts with a caption and a table of the same data.
pub(crate) fn figure(charts: impl Into<Markup>, caption: Markup, table: Markup) -> Markup {
    let summary = element("summary", [], "Show as a table");
    let details = element("details", [], [summary, table]);
    element("figure", [], [charts.into(), element("figcaption", [], caption), details])
}

/// Creates the SVG element, which scales with the page.
fn svg(width: f64, height: f64, alt: &str, marks: Markup) -> Markup {
    let view = format!("0 0 {width} {height}");
    let attributes =
        [("viewBox", view.as_str()), ("role", "img"), ("aria-label", alt), ("class", "chart")];
    element("svg", attributes, marks)
}

/// Scales `value` from the range 0 to `max` to the range 0 to `pixels`.
#[expect(clippy::cast_precision_loss, reason = "rounding errors are smaller than a pixel")]
fn scaled(value: u64, max: u64, pixels: f64) -> f64 {
    if max == 0 { 0.0 } else { value as f64 / max as f64 * pixels }
}

/// Formats a coordinate with a precision of a tenth of a pixel.
fn coordinate(pixels: f64) -> String {
    format!("{pixels:.1}")
}

/// Returns a text at a position.
fn label(class: &str, x: f64, y: f64, text: impl Into<Markup>) -> Markup {
    element("text", [("class", class), ("x", &coordinate(x)), ("y", &coordinate(y))], text)
}

/// Returns a line between two points, each (x, y).
fn line_element(class: &str, from: (f64, f64), to: (f64, f64)) -> Markup {
    let (x1, y1, x2, y2) =
        (coordinate(from.0), coordinate(from.1), coordinate(to.0), coordinate(to.1));
    element("line", [("class", class), ("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)], "")
}

/// Returns a rectangle; `corner` is its upper left corner.
fn rectangle(class: &str, corner: (f64, f64), size: (f64, f64)) -> Markup {
    let (x, y, width, height) =
        (coordinate(corner.0), coordinate(corner.1), coordinate(size.0), coordinate(size.1));
    let attributes =
        [("class", class), ("x", &*x), ("y", &*y), ("width", &*width), ("height", &*height)];
    element("rect", attributes, "")
}

/// A plot of numbers over steps.
struct Plot {
    /// The value at the upper end of the y axis.
    max: u64,
    /// The number of steps of the x axis.
    steps: usize,
}

impl Plot {
    /// Creates a plot for values up to `max`.
    fn new(max: u64, steps: usize) -> Self {
        let (max, _parts) = round_up(max);
        Self { max, steps: steps.max(1) }
    }

    /// Returns the width of a step.
    fn step_width(&self) -> f64 {
        (WIDTH - LEFT_MARGIN - RIGHT_MARGIN) / scaled(self.steps as u64, 1, 1.0)
    }

    /// Returns the x coordinate of the middle of a step.
    fn x(&self, step: usize) -> f64 {
        LEFT_MARGIN + self.step_width() * (scaled(step as u64, 1, 1.0) + 0.5)
    }

    /// Returns the y coordinate of a value.
    fn y(&self, value: u64) -> f64 {
        HEIGHT - BOTTOM_MARGIN - scaled(value, self.max, HEIGHT - TOP_MARGIN - BOTTOM_MARGIN)
    }

    /// Whether every step has room for a label.
    fn has_room_for_labels(&self) -> bool {
        self.steps <= MAX_LABELS
    }

    /// Draws the axes: round numbers on the left, names of steps and a title at the bottom.
    fn axes(&self, names: &[String], title: &str) -> Markup {
        let mut marks = Markup::default();
        let (max, parts) = round_up(self.max);
        for part in 0..=parts {
            let value = max / parts * part;
            let y = self.y(value);
            marks.push(line_element("grid", (LEFT_MARGIN, y), (WIDTH - RIGHT_MARGIN, y)));
            marks.push(label("side", LEFT_MARGIN - 6.0, y + 4.0, short_number(value)));
        }
        let steps_per_label = self.steps.div_ceil(MAX_LABELS);
        for (step, name) in names.iter().enumerate().step_by(steps_per_label) {
            marks.push(label("mid", self.x(step), HEIGHT - BOTTOM_MARGIN + 16.0, name.as_str()));
        }
        marks.push(label("mid quiet", f64::midpoint(LEFT_MARGIN, WIDTH), HEIGHT - 6.0, title));
        marks
    }
}

/// Returns the smallest round number of at least `max`, and the number of parts into which
/// labels divide the axis: `(600, 3)` for 540, with the labels 0, 200, 400 and 600.
fn round_up(max: u64) -> (u64, u64) {
    /// Leading digits of round numbers, with their number of parts.
    const ROUND_DIGITS: [(u64, u64); 8] =
        [(1, 5), (2, 4), (3, 3), (4, 4), (5, 5), (6, 3), (8, 4), (10, 5)];
    let mut unit: u64 = 1;
    while unit.saturating_mul(10) < max {
        unit = unit.saturating_mul(10);
    }
    for (digit, parts) in ROUND_DIGITS {
        let round = unit.saturating_mul(digit);
        if round >= max {
            return (round, parts.min(round));
        }
    }
    (max, 1)
}

/// Formats a round number briefly: `50k`, `1.5M`.
fn short_number(number: u64) -> String {
    match number {
        1_000_000.. if number.is_multiple_of(100_000) => {
            let (whole, tenth) = (number / 1_000_000, number / 100_000 % 10);
            if tenth == 0 { format!("{whole}M") } else { format!("{whole}.{tenth}M") }
        }
        10_000.. if number.is_multiple_of(1_000) => format!("{}k", number / 1_000),
        _ => grouped(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the labels of an axis for values up to `max`.
    #[track_caller]
    fn check_labels(max: u64, expect: &str) {
        let (round, parts) = round_up(max);
        let labels: Vec<String> =
            (0..=parts).map(|part| short_number(round / parts * part)).collect();
        assert_eq!(labels.join(" "), expect);
        assert!(round >= max && round.is_multiple_of(parts));
    }

    #[test]
    fn axis_labels_are_round_numbers() {
        check_labels(0, "0 1");
        check_labels(1, "0 1");
        check_labels(7, "0 2 4 6 8");
        check_labels(11, "0 5 10 15 20");
        check_labels(540, "0 200 400 600");
        check_labels(47_120, "0 10k 20k 30k 40k 50k");
        check_labels(1_999_999, "0 500k 1M 1.5M 2M");
    }

    #[test]
    fn round_up_accepts_the_largest_number() {
        assert!(round_up(u64::MAX).0 == u64::MAX);
    }
}
