//! Formats the distribution of decay scores as bars, in terminal text and SVG.
//!
//! The scale from 0 to 1 is divided into ten bars; each bar counts the pages in its tenth.

use super::{BARS, SigmaDecay, WebDecay};
use crate::human::{grouped, padded};

/// Columns of the longest bar.
const COLUMNS: u64 = 30;

/// Columns of the labels in front of the bars.
const LABEL_COLUMNS: usize = 11;
/// Columns of a bar of decay scores with its number.
const HALF_COLUMNS: usize = 40;

/// Draws two bars for each tenth of the scale: the decay score and the share of
/// dead links.
pub(super) fn bars(scores: &SigmaDecay) -> String {
    let counts = scores.by_decay.iter().chain(&scores.by_dead_links);
    let max = counts.copied().max().unwrap_or(0).max(1);
    let head = padded("", LABEL_COLUMNS) + &padded("decay", HALF_COLUMNS) + "share of dead links\n";
    let row = |bar: usize| {
        let count = |bars: &[u64]| bars.get(bar).copied().unwrap_or_default();
        let (decay, dead) = (count(&scores.by_decay), count(&scores.by_dead_links));
        let left = padded(&format!("{} {}", blocks(decay, max), grouped(decay)), HALF_COLUMNS);
        let line = format!("  {}  {left}{} {}", range_label(bar), blocks(dead, max), grouped(dead));
        format!("{}\n", line.trim_end())
    };
    head + &(0..BARS).map(row).collect::<String>()
}

/// Returns the range of a bar: `0.3–0.4`.
fn range_label(bar: usize) -> String {
    let edge = |tenths: usize| format!("{}.{}", tenths / 10, tenths % 10);
    format!("{}–{}", edge(bar), edge(bar + 1))
}

/// Draws a bar; `max` is the count of the longest bar.
fn blocks(count: u64, max: u64) -> String {
    let columns = (count * COLUMNS).div_ceil(max);
    "█".repeat(usize::try_from(columns).unwrap_or(0))
}

/// Height of a chart.
const HEIGHT: u64 = 160;
/// Width of a bar.
const BAR_WIDTH: u64 = 20;
/// Distance between two pairs of bars.
const PAIR_WIDTH: u64 = 50;
/// Left margin.
const LEFT: u64 = 20;
/// Height of a chart with its margins.
const CHART_HEIGHT: u64 = HEIGHT + 80;

/// Draws the charts of a graph, one per σ (the probability that a walk stops at a live page).
/// Every bar has its number as a title,
/// so color is not the only distinction.
pub fn svg(web: &WebDecay) -> String {
    let width = LEFT * 2 + PAIR_WIDTH * BARS as u64;
    let height = CHART_HEIGHT * web.scores.len() as u64;
    let charts: String =
        (0..).zip(&web.scores).map(|(index, scores)| chart(index, scores)).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>Distribution of decay over pages</title>\n{charts}</svg>\n"
    )
}

/// Returns the bars of one σ. `index` is the number of the chart in the image, from 0.
fn chart(index: u64, scores: &SigmaDecay) -> String {
    let counts = scores.by_decay.iter().chain(&scores.by_dead_links);
    let max = counts.copied().max().unwrap_or(0).max(1);
    let baseline = index * CHART_HEIGHT + 40 + HEIGHT;
    let title = format!(
        "<text x=\"{LEFT}\" y=\"{}\">σ {}: decay (dark) and share of dead links (light) of {} pages</text>\n",
        index * CHART_HEIGHT + 20,
        scores.sigma,
        grouped(scores.pages),
    );
    let pair = |bar: usize| {
        let x = LEFT + PAIR_WIDTH * bar as u64;
        let count = |bars: &[u64]| bars.get(bar).copied().unwrap_or_default();
        let dark = (count(&scores.by_decay), "#334", "decay");
        let light = (count(&scores.by_dead_links), "#9ab", "share of dead links");
        let label =
            format!("<text x=\"{x}\" y=\"{}\">{}</text>\n", baseline + 16, range_label(bar));
        column(x, baseline, dark, max, bar)
            + &column(x + BAR_WIDTH, baseline, light, max, bar)
            + &label
    };
    title + &(0..BARS).map(pair).collect::<String>()
}

/// Returns one bar.
fn column(
    x: u64,
    baseline: u64,
    (count, color, quantity): (u64, &str, &str),
    max: u64,
    bar: usize,
) -> String {
    let height = (count * HEIGHT).div_ceil(max);
    format!(
        "<rect x=\"{x}\" y=\"{}\" width=\"{BAR_WIDTH}\" height=\"{height}\" fill=\"{color}\">\
         <title>{quantity} {}: {} pages</title></rect>\n",
        baseline - height,
        range_label(bar),
        grouped(count),
    )
}
