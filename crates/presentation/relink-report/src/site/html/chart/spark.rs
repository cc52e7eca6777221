//! Charts that fit into a line of a table.

use super::super::markup::Markup;
use super::{block, drawing, rule, scaled};

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 30.0;
/// The least that is seen of a bar that is not empty.
const LEAST: f64 = 2.0;

/// Draws one bar for each value, on a scale of `most`.
pub(in super::super) fn spark(says: &str, values: &[u32], most: u32) -> Markup {
    let step = WIDTH / scaled(values.len().max(1) as u64, 1, 1.0);
    let mut x = 0.0;
    let mut marks = rule("grid", (0.0, HEIGHT), (WIDTH, HEIGHT));
    for value in values {
        if *value > 0 {
            let height = scaled((*value).into(), most.into(), HEIGHT).max(LEAST);
            marks.push(block("filled", (x, HEIGHT - height), (step * 0.85, height)));
        }
        x += step;
    }
    drawing(WIDTH, HEIGHT, says, marks)
}

/// Draws one lying bar in two parts, on a scale of `most`.
pub(in super::super) fn part_bar(says: &str, filled: u64, hatched: u64, most: u64) -> Markup {
    const HEIGHT: f64 = 10.0;
    let (first, second) = (scaled(filled, most, WIDTH), scaled(hatched, most, WIDTH));
    let marks = [
        block("filled", (0.0, 1.0), (first, HEIGHT - 2.0)),
        block("hatched", (first, 1.0), (second, HEIGHT - 2.0)),
    ];
    drawing(WIDTH, HEIGHT, says, marks.into())
}
