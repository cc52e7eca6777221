//! Number of new links by crawl depth.
//!
//! The number of new links first rises with the depth and then falls, because more
//! and more links are already known (paper "Website Health Analyser", section V, figures 6,
//! 7 and 9). The depth from which few new links appear is a good limit for the next crawl.

use serde::{Deserialize, Serialize};

/// A depth is saturated if it has at most this percentage of the new links of the depth with
/// the most new links.
const SATURATION_PERCENT: u64 = 10;

/// The links on the pages of one depth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepthCount {
    /// Number of all links, including links that were known before.
    pub links: u64,
    /// Links that were not known before.
    pub new_links: u64,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DepthPoint {
    /// Number of links from a seed to the pages.
    pub depth: u32,
    /// Links on the pages of this depth.
    pub links: u64,
    /// Links that were not known before.
    pub new_links: u64,
    /// Difference to the new links of the previous depth, or `None` for the first.
    pub slope: Option<i64>,
    /// Share of all new links that is known after this depth, from 0 to 1.
    pub known: f64,
}

/// Links and new links by depth.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DepthCurve {
    /// One point per depth, starting with the seeds.
    pub points: Vec<DepthPoint>,
    /// The depth from which few new links appear, if the crawl reached it.
    pub saturation_depth: Option<u32>,
}

/// Returns the curve of these counts, which start with the depth of the seeds.
///
/// ```
/// use relink_frontier::{DepthCount, depth_curve};
/// let counts = [(10, 10), (90, 60), (700, 5)];
/// let counts = counts.map(|(links, new_links)| DepthCount { links, new_links });
/// let curve = depth_curve(&counts);
/// assert_eq!(curve.points[1].slope, Some(50));
/// assert_eq!(curve.saturation_depth, Some(2));
/// ```
pub fn depth_curve(counts: &[DepthCount]) -> DepthCurve {
    let total: u64 = counts.iter().map(|count| count.new_links).sum();
    let (mut known, mut previous) = (0, None);
    let mut points = Vec::with_capacity(counts.len());
    for (count, depth) in counts.iter().zip(0..) {
        known += count.new_links;
        points.push(DepthPoint {
            depth,
            links: count.links,
            new_links: count.new_links,
            slope: previous.map(|previous| signed_difference(previous, count.new_links)),
            known: share(known, total),
        });
        previous = Some(count.new_links);
    }
    DepthCurve { points, saturation_depth: saturation_depth(counts) }
}

/// Returns the first depth after the maximum from which all depths are saturated.
fn saturation_depth(counts: &[DepthCount]) -> Option<u32> {
    let max = counts.iter().map(|count| count.new_links).max().filter(|max| *max > 0)?;
    // If several depths have the maximum, the last one is the peak.
    let peak = counts.iter().rposition(|count| count.new_links == max)?;
    let is_saturated = |count: &DepthCount| {
        count.new_links.saturating_mul(100) <= max.saturating_mul(SATURATION_PERCENT)
    };
    // The peak itself is not saturated, so the count ends there at the latest.
    let after_peak = counts.iter().skip(peak);
    let saturated_depths = after_peak.rev().take_while(|count| is_saturated(count)).count();
    let first_saturated = counts.len() - saturated_depths;
    (saturated_depths > 0).then(|| u32::try_from(first_saturated).unwrap_or(u32::MAX))
}

fn signed_difference(before: u64, now: u64) -> i64 {
    let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    signed(now) - signed(before)
}

/// Returns `part / all` as a number from 0 to 1. 1 if `all` is 0.
#[expect(clippy::cast_precision_loss, reason = "no crawl finds 2^52 links")]
fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 1.0 } else { part as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the slopes and the saturation depth of a curve with these new links by depth.
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
    fn website_health_analyser_figure_9() {
        check(&[1, 20, 80, 140, 90, 40, 9], "+19 +60 +60 -50 -50 -31", Some(6));
    }

    #[test]
    fn growing_curve_has_no_saturation_depth() {
        check(&[1, 20, 400], "+19 +380", None);
        check(&[], "", None);
        check(&[0], "", None);
    }

    #[test]
    fn saturation_depth_ignores_a_dip_before_the_peak() {
        check(&[50, 2, 60, 1, 0], "-48 +58 -59 -1", Some(3));
    }
}
