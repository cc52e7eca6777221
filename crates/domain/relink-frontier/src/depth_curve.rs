//! How much a crawl finds, the deeper it goes.
//!
//! The deeper the page, the more of its links have been seen before: the
//! number of new links rises, and then falls (Website Health Analyser, §V,
//! Figs. 6, 7 and 9). From some depth on little new appears, which is where
//! the next crawl of the site may stop.

use serde::{Deserialize, Serialize};

/// Little is what is at most this part of the most that any depth gave, in
/// percent.
const LITTLE: u64 = 10;

/// What the pages of one depth gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepthCount {
    /// Links on its pages, known ones as well.
    pub links: u64,
    /// Links that were not known before.
    pub new_links: u64,
}

/// One point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DepthPoint {
    /// Links from a seed to the pages.
    pub depth: u32,
    /// Links on the pages of this depth.
    pub links: u64,
    /// Those that were not known before.
    pub new_links: u64,
    /// By how many new links this depth gave more than the one before; the
    /// first has none before it.
    pub slope: Option<i64>,
    /// The part of all new links that was known after this depth, from 0 to 1.
    pub known: f64,
}

/// Links and new links by depth.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DepthCurve {
    /// A point for each depth, the seeds' first.
    pub points: Vec<DepthPoint>,
    /// The depth from which little new appears, if the crawl got there.
    pub saturation_depth: Option<u32>,
}

/// The curve of what each depth gave, the seeds' first.
///
/// ```
/// use relink_frontier::{DepthCount, depth_curve};
/// let counts = [(10, 10), (90, 60), (700, 5)];
/// let counts = counts.map(|(links, new_links)| DepthCount { links, new_links });
/// let curve = depth_curve(&counts);
/// assert_eq!(curve.points[1].slope, Some(50));
/// assert_eq!(curve.little_new_from, Some(2));
/// ```
pub fn depth_curve(counts: &[DepthCount]) -> DepthCurve {
    let all: u64 = counts.iter().map(|count| count.new_links).sum();
    let (mut known, mut before) = (0, None);
    let mut points = Vec::with_capacity(counts.len());
    for (count, depth) in counts.iter().zip(0..) {
        known += count.new_links;
        points.push(DepthPoint {
            depth,
            links: count.links,
            new_links: count.new_links,
            slope: before.map(|before| difference(before, count.new_links)),
            known: share(known, all),
        });
        before = Some(count.new_links);
    }
    DepthCurve { points, saturation_depth: saturation_depth(counts) }
}

/// The first depth after the richest from which on all give little.
fn saturation_depth(counts: &[DepthCount]) -> Option<u32> {
    let most = counts.iter().map(|count| count.new_links).max().filter(|most| *most > 0)?;
    let richest = counts.iter().rposition(|count| count.new_links == most)?;
    let gives_little =
        |count: &DepthCount| count.new_links.saturating_mul(100) <= most.saturating_mul(LITTLE);
    let poor = counts.iter().skip(richest).rev().take_while(|count| gives_little(count)).count();
    (poor > 0).then(|| u32::try_from(counts.len() - poor).unwrap_or(u32::MAX))
}

fn difference(before: u64, now: u64) -> i64 {
    let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    signed(now) - signed(before)
}

#[expect(clippy::cast_precision_loss, reason = "no crawl finds 2^52 links")]
fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 1.0 } else { part as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(new_links: &[u64], slopes: &str, expect: Option<u32>) {
        let count = |new: &u64| DepthCount { links: 2 * new, new_links: *new };
        let curve = depth_curve(&new_links.iter().map(count).collect::<Vec<_>>());
        let found = curve.points.iter().filter_map(|point| point.slope);
        let found: Vec<String> = found.map(|slope| format!("{slope:+}")).collect();
        assert_eq!(found.join(" "), slopes);
        assert_eq!(curve.saturation_depth, expect, "{new_links:?}");
        assert!(curve.points.last().is_none_or(|last| (last.known - 1.0).abs() < 1e-9));
    }

    #[test]
    fn website_health_analyser_figure_9_rises_and_falls() {
        check(&[1, 20, 80, 140, 90, 40, 9], "+19 +60 +60 -50 -50 -31", Some(6));
    }

    #[test]
    fn a_crawl_that_still_finds_much_has_no_such_depth() {
        check(&[1, 20, 400], "+19 +380", None);
        check(&[], "", None);
        check(&[0], "", None);
    }

    #[test]
    fn a_dip_before_more_is_no_end() {
        check(&[50, 2, 60, 1, 0], "-48 +58 -59 -1", Some(3));
    }
}
