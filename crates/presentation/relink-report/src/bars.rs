//! Shares as bars, on a terminal and as SVG.
//!
//! The picture needs nothing but itself: no script, no style sheet, no font
//! that is fetched, and every number stands beside its bar.

use crate::human::{padded, width};
use crate::printable;

/// Columns of the longest bar on a terminal.
const BAR_COLUMNS: f64 = 40.0;
/// Parts of a column, from an empty one to all but a full one.
const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A picture's measures, in its own units.
const WIDTH: u32 = 720;
const LABEL_WIDTH: u32 = 170;
const BAR_WIDTH: u32 = 340;
const ROW_HEIGHT: u32 = 28;
const BAR_HEIGHT: u32 = 18;
const TITLE_HEIGHT: u32 = 44;

/// A group of bars under one title.
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// What the bars show.
    pub title: String,
    /// The bars, in order.
    pub bars: Vec<ChartBar>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartBar {
    /// What it stands for.
    pub label: String,
    /// Its length, 0 to 1.
    pub share: f64,
    /// What is said beside it.
    pub note: String,
}

impl BarChart {
    /// The chart as lines of text; the longest bar is as long as there is room.
    pub fn text(&self) -> String {
        let labels = self.bars.iter().map(|bar| width(&printable(&bar.label))).max().unwrap_or(0);
        let mut text = format!("{}\n", printable(&self.title));
        for bar in &self.bars {
            let label = padded(&printable(&bar.label), labels);
            let line = format!("  {label}  {} {}", filled(self.length(bar)), printable(&bar.note));
            text.extend([line.trim_end(), "\n"]);
        }
        text
    }

    /// A bar's length beside the longest one.
    fn length(&self, bar: &ChartBar) -> f64 {
        let longest = self.bars.iter().map(|bar| bar.share).fold(0.0, f64::max);
        if longest <= 0.0 { 0.0 } else { (bar.share / longest).clamp(0.0, 1.0) }
    }

    fn height(&self) -> u32 {
        let bars = u32::try_from(self.bars.len()).unwrap_or(u32::MAX);
        TITLE_HEIGHT + bars.saturating_mul(ROW_HEIGHT)
    }

    fn svg(&self, top: u32) -> String {
        let title = escaped(&self.title);
        let mut text = format!(
            "<text x=\"12\" y=\"{}\" font-size=\"16\" font-weight=\"bold\">{title}</text>\n",
            top + 28
        );
        for (row, bar) in (0..).zip(&self.bars) {
            text.push_str(&self.svg_bar(bar, top + TITLE_HEIGHT + row * ROW_HEIGHT));
        }
        text
    }

    fn svg_bar(&self, bar: &ChartBar, y: u32) -> String {
        let length = self.length(bar) * f64::from(BAR_WIDTH);
        let (label, note) = (escaped(&bar.label), escaped(&bar.note));
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

/// Charts as one picture, one below the other.
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

/// A bar of this length, 0 to 1.
#[expect(clippy::indexing_slicing, reason = "a number modulo 8 is less than the 8 parts")]
fn filled(length: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a length between 0 and 1 times a few hundred"
    )]
    let parts = (length * BAR_COLUMNS * 8.0).round() as usize;
    // What is not nothing is seen.
    let parts = if length > 0.0 { parts.max(1) } else { 0 };
    format!("{}{}", "█".repeat(parts / 8), PARTS[parts % 8])
}

/// Text inside XML.
fn escaped(text: &str) -> String {
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

    fn chart(bars: &[(&str, f64)]) -> BarChart {
        let bar = |(label, share): &(&str, f64)| ChartBar {
            label: (*label).to_owned(),
            share: *share,
            note: format!("{:.0} %", share * 100.0),
        };
        BarChart { title: "a < b".to_owned(), bars: bars.iter().map(bar).collect() }
    }

    #[test]
    fn the_longest_bar_is_full_and_a_small_one_is_seen() {
        let text = chart(&[("one", 0.5), ("three", 0.25), ("x", 0.0001), ("none", 0.0)]).text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], format!("  one    {} 50 %", "█".repeat(40)));
        assert_eq!(lines[2], format!("  three  {} 25 %", "█".repeat(20)));
        assert_eq!(lines[3], "  x      ▏ 0 %");
        assert_eq!(lines[4], "  none    0 %");
    }

    #[test]
    fn a_picture_is_well_formed_and_says_every_number() {
        let picture = svg(&[chart(&[("1", 0.6)]), chart(&[("2–10", 0.4)])]);
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
        assert!(picture.contains("a &lt; b") && picture.contains("60 %"), "{picture}");
        assert_eq!(picture.matches("<rect ").count(), 3);
    }
}
