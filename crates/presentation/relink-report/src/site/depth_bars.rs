//! Formats the number of pages by depth as a line of small bars.

use super::DepthRow;
use crate::human::{COLUMNS, counted, grouped, width};

/// Number of blocks of the longest bar.
const MAX_BLOCKS: u64 = 6;
/// Maximum number of depths that are drawn. Deeper pages are summed up.
const MAX_DEPTHS: usize = 24;
/// Blocks from one eighth to a full block.
const PARTIAL_BLOCKS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// The start of the first line. Other lines are indented by its width.
const LABEL: &str = "depth ";
/// The text between two bars.
const GAP: &str = "   ";

/// Draws pages by depth: `depth 0 ▏1   1 ▎14   2 ███ 212`.
///
/// Long lines are wrapped. The last line has no newline.
///
/// ```
/// use relink_report::site::{DepthRow, depth_bars};
/// let rows = [(0, 1), (1, 14), (2, 212), (3, 540), (4, 97)];
/// let rows = rows.map(|(depth, pages)| DepthRow { depth, pages, ..DepthRow::default() });
/// assert_eq!(depth_bars(&rows), "depth 0 ▏1   1 ▎14   2 ███ 212   3 ██████ 540   4 ██ 97");
/// ```
pub fn depth_bars(rows: &[DepthRow]) -> String {
    let max = rows.iter().map(|row| row.pages).max().unwrap_or(0);
    let (drawn, others) = rows.split_at(rows.len().min(MAX_DEPTHS));
    let mut parts: Vec<String> = drawn
        .iter()
        .map(|row| format!("{} {}{}", row.depth, bar(row.pages, max), grouped(row.pages)))
        .collect();
    if !others.is_empty() {
        let pages = others.iter().map(|row| row.pages).fold(0, u64::saturating_add);
        parts.push(format!("deeper {}", counted(pages, "page")));
    }
    wrapped_lines(&parts)
}

/// Draws a bar: whole blocks if the bar is at least one block long, otherwise a partial block.
/// Lengths are rounded up, so that every bar is visible.
fn bar(pages: u64, max: u64) -> String {
    if pages == 0 {
        return String::new();
    }
    let (pages, max) = (u128::from(pages), u128::from(max));
    // The length of the bar in parts of a block: 1 for whole blocks, 8 for eighths.
    let length = |parts: u128| (pages * u128::from(MAX_BLOCKS) * parts).div_ceil(max);
    if length(8) < 8 {
        let eighths = usize::try_from(length(8)).unwrap_or(1);
        let block = PARTIAL_BLOCKS.get(eighths.saturating_sub(1)).or(PARTIAL_BLOCKS.last());
        return block.map(ToString::to_string).unwrap_or_default();
    }
    let blocks = usize::try_from(length(1)).unwrap_or(1);
    format!("{} ", "█".repeat(blocks))
}

/// Joins the parts with gaps, and wraps them at the width of the report.
fn wrapped_lines(parts: &[String]) -> String {
    let mut text = String::new();
    let mut line_width = 0;
    for part in parts {
        let added_width = GAP.len() + width(part);
        if text.is_empty() {
            text.push_str(LABEL);
            line_width = LABEL.len() + width(part);
        } else if line_width + added_width > COLUMNS {
            text.push('\n');
            text.push_str(&" ".repeat(LABEL.len()));
            line_width = LABEL.len() + width(part);
        } else {
            text.push_str(GAP);
            line_width += added_width;
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the bars of a site with these numbers of pages at depths 0, 1, ….
    #[track_caller]
    fn check(pages: &[u64], expect: &str) {
        let row =
            |(depth, pages): (u32, &u64)| DepthRow { depth, pages: *pages, ..DepthRow::default() };
        assert_eq!(depth_bars(&(0..).zip(pages).map(row).collect::<Vec<_>>()), expect);
    }

    #[test]
    fn bar_lengths_are_relative_to_the_longest() {
        check(&[1, 14, 212, 540, 97], "depth 0 ▏1   1 ▎14   2 ███ 212   3 ██████ 540   4 ██ 97");
        check(&[1], "depth 0 ██████ 1");
        check(&[1, 0], "depth 0 ██████ 1   1 0");
        check(&[u64::MAX], "depth 0 ██████ 18,446,744,073,709,551,615");
        check(&[0], "depth 0 0");
        check(&[], "");
    }

    #[test]
    fn many_depths_are_wrapped_and_the_deepest_summed_up() {
        let row = |depth| DepthRow { depth, pages: 2, ..DepthRow::default() };
        let text = depth_bars(&(0..100).map(row).collect::<Vec<_>>());
        assert!(text.lines().all(|line| width(line) <= COLUMNS), "{text}");
        assert!(text.ends_with("deeper 152 pages"), "{text}");
    }
}
