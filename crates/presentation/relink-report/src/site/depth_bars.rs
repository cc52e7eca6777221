//! Pages by depth as a line of small bars.

use super::DepthRow;
use crate::human::{COLUMNS, counted, grouped, width};

/// Full blocks of the longest bar.
const LONGEST: u64 = 6;
/// Depths that are drawn; a crawl that only went deeper has many.
const DRAWN: usize = 24;
/// Blocks from an eighth to the whole.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// What the first line begins with, and what stands between bars.
const LABEL: &str = "depth ";
const GAP: &str = "   ";

/// Pages by depth: `depth 0 ▏1   1 ▎14   2 ███ 212`.
///
/// Lines are broken where a terminal would, and the last has no line end.
///
/// ```
/// use relink_report::site::{DepthRow, depth_bars};
/// let rows = [(0, 1), (1, 14), (2, 212), (3, 540), (4, 97)];
/// let rows = rows.map(|(depth, pages)| DepthRow { depth, pages, ..DepthRow::default() });
/// assert_eq!(depth_bars(&rows), "depth 0 ▏1   1 ▎14   2 ███ 212   3 ██████ 540   4 ██ 97");
/// ```
pub fn depth_bars(rows: &[DepthRow]) -> String {
    let most = rows.iter().map(|row| row.pages).max().unwrap_or(0);
    let (drawn, others) = rows.split_at(rows.len().min(DRAWN));
    let mut parts: Vec<String> = drawn
        .iter()
        .map(|row| format!("{} {}{}", row.depth, bar(row.pages, most), grouped(row.pages)))
        .collect();
    if !others.is_empty() {
        let pages = others.iter().map(|row| row.pages).fold(0, u64::saturating_add);
        parts.push(format!("deeper {}", counted(pages, "page")));
    }
    lines(&parts)
}

/// Whole blocks where the bar is longer than one, and a part of one where it is
/// not; both rounded up, so that something is seen of everything.
fn bar(pages: u64, most: u64) -> String {
    if pages == 0 {
        return String::new();
    }
    let (pages, most) = (u128::from(pages), u128::from(most));
    let blocks = |of_each: u128| (pages * u128::from(LONGEST) * of_each).div_ceil(most);
    if blocks(8) < 8 {
        let eighths = usize::try_from(blocks(8)).unwrap_or(1);
        let part = EIGHTHS.get(eighths.saturating_sub(1)).or(EIGHTHS.last());
        return part.map(ToString::to_string).unwrap_or_default();
    }
    let full = usize::try_from(blocks(1)).unwrap_or(1);
    format!("{} ", "█".repeat(full))
}

fn lines(parts: &[String]) -> String {
    let mut text = String::new();
    let mut used = 0;
    for part in parts {
        let needed = GAP.len() + width(part);
        if text.is_empty() {
            text.push_str(LABEL);
            used = LABEL.len() + width(part);
        } else if used + needed > COLUMNS {
            text.push('\n');
            text.push_str(&" ".repeat(LABEL.len()));
            used = LABEL.len() + width(part);
        } else {
            text.push_str(GAP);
            used += needed;
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pages: &[u64], expect: &str) {
        let row =
            |(depth, pages): (u32, &u64)| DepthRow { depth, pages: *pages, ..DepthRow::default() };
        assert_eq!(depth_bars(&(0..).zip(pages).map(row).collect::<Vec<_>>()), expect);
    }

    #[test]
    fn bars_are_as_long_as_their_share_of_the_longest() {
        check(&[1, 14, 212, 540, 97], "depth 0 ▏1   1 ▎14   2 ███ 212   3 ██████ 540   4 ██ 97");
        check(&[1], "depth 0 ██████ 1");
        check(&[1, 0], "depth 0 ██████ 1   1 0");
        check(&[u64::MAX], "depth 0 ██████ 18,446,744,073,709,551,615");
        check(&[0], "depth 0 0");
        check(&[], "");
    }

    #[test]
    fn many_depths_take_several_lines_and_the_deepest_one_sum() {
        let row = |depth| DepthRow { depth, pages: 2, ..DepthRow::default() };
        let text = depth_bars(&(0..100).map(row).collect::<Vec<_>>());
        assert!(text.lines().all(|line| width(line) <= COLUMNS), "{text}");
        assert!(text.ends_with("deeper 152 pages"), "{text}");
    }
}
