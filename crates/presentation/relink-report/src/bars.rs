//! Bar charts, as terminal text and as SVG.
//!
//! The SVG is self-contained: it has no script, style sheet or font to load. Every
//! bar has its number next to it.

use crate::human::{padded, width};
use crate::printable;

/// Columns of the longest bar on a terminal.
const BAR_COLUMNS: f64 = 40.0;
/// Partial blocks, from empty to seven eighths of a column.
const PARTIAL_BLOCKS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Width of the SVG in pixels.
const WIDTH: u32 = 720;
/// Width of the labels in front of the bars.
const LABEL_WIDTH: u32 = 170;
/// Width of the longest bar.
const BAR_WIDTH: u32 = 340;
/// Height of a bar with the space below it.
const ROW_HEIGHT: u32 = 28;
/// Height of a bar.
const BAR_HEIGHT: u32 = 18;
/// Height of the title.
const TITLE_HEIGHT: u32 = 44;

/// A bar chart with a title.
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// The title.
    pub title: String,
    /// The bars, in order.
    pub bars: Vec<ChartBar>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartBar {
    /// The label in front of the bar.
    pub label: String,
    /// The value, from 0 to 1.
    pub share: f64,
    /// The text after the bar.
    pub note: String,
}

impl BarChart {
    /// Formats the chart as lines of text. The longest bar has the full width.
    pub fn text(&self) -> String {
        let label_widths = self.bars.iter().map(|bar| width(&printable(&bar.label)));
        let label_width = label_widths.max().unwrap_or(0);
        let mut text = format!("{}\n", printable(&self.title));
        for bar in &self.bars {
            let label = padded(&printable(&bar.label), label_width);
            let blocks = bar_text(self.relative_length(bar));
            let line = format!("  {label}  {blocks} {}", printable(&bar.note));
            text.extend([line.trim_end(), "\n"]);
        }
        text
    }

    /// Returns the length of a bar relative to the longest one.
    fn relative_length(&self, bar: &ChartBar) -> f64 {
        let longest = self.bars.iter().map(|bar| bar.share).fold(0.0, f64::max);
        if longest <= 0.0 { 0.0 } else { (bar.share / longest).clamp(0.0, 1.0) }
    }

    /// Returns the height of the chart in pixels.
    fn height(&self) -> u32 {
        let bars = u32::try_from(self.bars.len()).unwrap_or(u32::MAX);
        TITLE_HEIGHT + bars.saturating_mul(ROW_HEIGHT)
    }

    /// Formats the chart as SVG elements, starting at the y coordinate `top`.
    fn svg(&self, top: u32) -> String {
        let title = escape(&self.title);
        let mut text = format!(
            "<text x=\"12\" y=\"{}\" font-size=\"16\" font-weight=\"bold\">{title}</text>\n",
            top + 28
        );
        for (row, bar) in (0..).zip(&self.bars) {
            text.push_str(&self.svg_bar(bar, top + TITLE_HEIGHT + row * ROW_HEIGHT));
        }
        text
    }

    /// Formats a bar with its label and its value.
    fn svg_bar(&self, bar: &ChartBar, y: u32) -> String {
        let length = self.relative_length(bar) * f64::from(BAR_WIDTH);
        let (label, note) = (escape(&bar.label), escape(&bar.note));
        let baseline = y + BAR_HEIGHT - 4;
        format!(
            "<text x=\"{}\" y=\"{baseline}\" text-anchor=\"end\">{label}</text>\
             <rect x=\"{LABEL_WIDTH}\" y=\"{y}\" width=\"{length:.1}\" \
             height=\"{BAR_HEIGHT}\" fill=\"#2f6f9f\"/>\
             <text x=\"{:.1}\" y=\"{baseline}\">{note}</text>\n",
            LABEL_WIDTH - 10,
            f64::from(LABEL_WIDTH) + length + 8.0,
        )
    }
}

/// Draws charts below each other in one SVG.
pub fn svg(charts: &[BarChart]) -> String {
    let height: u32 = charts.iter().map(BarChart::height).sum::<u32>() + 12;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\" \
         fill=\"#222\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    let mut top = 0;
    for chart in charts {
        text += &chart.svg(top);
        top += chart.height();
    }
    text + "</svg>\n"
}

/// Draws a bar of the given length, from 0 to 1.
#[expect(clippy::indexing_slicing, reason = "a number modulo 8 is less than the 8 entries")]
fn bar_text(length: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a length between 0 and 1 times a few hundred"
    )]
    let eighths = (length * BAR_COLUMNS * 8.0).round() as usize;
    // A value above 0 is always visible.
    let eighths = if length > 0.0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), PARTIAL_BLOCKS[eighths % 8])
}

/// Escapes text for XML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a chart from labels and values.
    fn chart(bars: &[(&str, f64)]) -> BarChart {
        let bar = |(label, share): &(&str, f64)| ChartBar {
            label: (*label).to_owned(),
            share: *share,
            note: format!("{:.0} %", share * 100.0),
        };
        BarChart { title: "a < b".to_owned(), bars: bars.iter().map(bar).collect() }
    }

    #[test]
    fn text_draws_longest_bar_with_full_width_and_smallest_bar_visibly() {
        let text = chart(&[("one", 0.5), ("three", 0.25), ("x", 0.0001), ("none", 0.0)]).text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], format!("  one    {} 50 %", "█".repeat(40)));
        assert_eq!(lines[2], format!("  three  {} 25 %", "█".repeat(20)));
        assert_eq!(lines[3], "  x      ▏ 0 %");
        assert_eq!(lines[4], "  none    0 %");
    }

    #[test]
    fn svg_escapes_titles_and_contains_every_number() {
        let image = svg(&[chart(&[("1", 0.6)]), chart(&[("2–10", 0.4)])]);
        assert!(image.starts_with("<svg ") && image.ends_with("</svg>\n"), "{image}");
        assert!(image.contains("a &lt; b") && image.contains("60 %"), "{image}");
        // The background and two bars.
        assert_eq!(image.matches("<rect ").count(), 3);
    }
}
