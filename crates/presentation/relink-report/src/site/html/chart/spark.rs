//! Draws charts that fit into a table row.

use super::super::markup::Markup;
use super::{line_element, rectangle, scaled, svg};

/// Width of a chart in pixels.
const WIDTH: f64 = 300.0;
/// Height of a chart of values.
const HEIGHT: f64 = 30.0;
/// Minimum height of a bar that is not empty.
const MIN_HEIGHT: f64 = 2.0;

/// Draws one bar per value, scaled to `max`.
pub(in super::super) fn sparkline(alt: &str, values: &[u32], max: u32) -> Markup {
    let step = WIDTH / scaled(values.len().max(1) as u64, 1, 1.0);
    let mut x = 0.0;
    let mut marks = line_element("grid", (0.0, HEIGHT), (WIDTH, HEIGHT));
    for value in values {
        if *value > 0 {
            let height = scaled((*value).into(), max.into(), HEIGHT).max(MIN_HEIGHT);
            marks.push(rectangle("filled", (x, HEIGHT - height), (step * 0.85, height)));
        }
        x += step;
    }
    svg(WIDTH, HEIGHT, alt, marks)
}

/// Draws one horizontal bar with two parts, scaled to `max`.
pub(in super::super) fn part_bar(alt: &str, filled: u64, hatched: u64, max: u64) -> Markup {
    const HEIGHT: f64 = 10.0;
    let (first, second) = (scaled(filled, max, WIDTH), scaled(hatched, max, WIDTH));
    let marks = [
        rectangle("filled", (0.0, 1.0), (first, HEIGHT - 2.0)),
        rectangle("hatched", (first, 1.0), (second, HEIGHT - 2.0)),
    ];
    svg(WIDTH, HEIGHT, alt, marks.into())
}
