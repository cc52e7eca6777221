//! Formats the distribution of decay scores as bars, in terminal text and SVG.
//!
//! The scale from 0 to 1 is divided into ten bars; each bar counts the pages in its tenth.

use super::{BARS, SigmaDecay, WebDecay};
use crate::human::{grouped, padded};

/// Columns of the longest bar.
const BAR_COLUMNS: u64 = 30;

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
    let decimal = |tenths: usize| format!("{}.{}", tenths / 10, tenths % 10);
    format!("{}–{}", decimal(bar), decimal(bar + 1))
}

/// Draws a bar; `max` is the count of the longest bar.
fn blocks(count: u64, max: u64) -> String {
    let columns = (count * BAR_COLUMNS).div_ceil(max);
    "█".repeat(usize::try_from(columns).unwrap_or(0))
}

/// Height of a chart.
const HEIGHT: u64 = 160;
/// Width of a bar.
const BAR_WIDTH: u64 = 20;
/// Distance between two pairs of bars.
const PAIR_WIDTH: u64 = 50;
/// Left margin.
const LEFT_MARGIN: u64 = 20;
/// Height of a chart with its margins.
const CHART_HEIGHT: u64 = HEIGHT + 80;

/// Draws the charts of a graph, one per σ (the probability that a walk stops at a live page).
/// Every bar has its number as a title, so that readers do not depend on colors.
pub fn svg(web: &WebDecay) -> String {
    let width = LEFT_MARGIN * 2 + PAIR_WIDTH * BARS as u64;
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
        "<text x=\"{LEFT_MARGIN}\" y=\"{}\">σ {}: decay (dark) and share of dead links (light) of {} pages</text>\n",
        index * CHART_HEIGHT + 20,
        scores.sigma,
        grouped(scores.pages),
    );
    let pair = |bar: usize| {
        let x = LEFT_MARGIN + PAIR_WIDTH * bar as u64;
        let count = |bars: &[u64]| bars.get(bar).copied().unwrap_or_default();
        let range = range_label(bar);
        let dark = SvgBar {
            x,
            baseline,
            height: (count(&scores.by_decay) * HEIGHT).div_ceil(max),
            color: "#334",
            title: format!("decay {range}: {} pages", grouped(count(&scores.by_decay))),
        };
        let dead_links = count(&scores.by_dead_links);
        let light = SvgBar {
            x: x + BAR_WIDTH,
            baseline,
            height: (dead_links * HEIGHT).div_ceil(max),
            color: "#9ab",
            title: format!("share of dead links {range}: {} pages", grouped(dead_links)),
        };
        let label = format!("<text x=\"{x}\" y=\"{}\">{range}</text>\n", baseline + 16);
        dark.svg() + &light.svg() + &label
    };
    title + &(0..BARS).map(pair).collect::<String>()
}

/// A vertical bar of an SVG chart.
struct SvgBar {
    x: u64,
    /// The y coordinate of the lower end.
    baseline: u64,
    height: u64,
    color: &'static str,
    title: String,
}

impl SvgBar {
    fn svg(&self) -> String {
        let Self { x, baseline, height, color, title } = self;
        format!(
            "<rect x=\"{x}\" y=\"{}\" width=\"{BAR_WIDTH}\" height=\"{height}\" \
             fill=\"{color}\"><title>{title}</title></rect>\n",
            baseline - height,
        )
    }
}
