//! The order in which a crawl fetches pages.
//!
//! The order is a sort key of each task. It is fixed when the task is found, so a durable
//! queue can claim the task with the smallest key, and an interrupted crawl resumes in the
//! same order.
//!
//! All links of a crawl are numbered in the order in which they are found. The links of one
//! page have consecutive numbers. Together they are a *batch*, which is identified by its
//! first number. The *position* of a link is its index in the batch.
//!
//! - Breadth first: by depth, then in the order in which links were found.
//!   `depth · 2⁴³ + batch + position`.
//! - Depth first: the newest batch first, then in the order of links on the page.
//!   `(2⁴³ − 1 − batch) · 2²⁰ + position`.
//!
//! If a link is found again while its task is waiting, the smaller key and the smaller depth
//! are used. This makes depth first exact on graphs as well as on trees. Breadth first never
//! finds a smaller key later, so the rule has no effect there.

use serde::{Deserialize, Serialize};

/// Bits of a link number: 8.8 · 10¹² links per crawl.
const NUMBER_BITS: u32 = 43;
/// Bits of a depth or a position on a page: about a million.
const POSITION_BITS: u32 = 20;

const MAX_NUMBER: u64 = (1 << NUMBER_BITS) - 1;
const MAX_POSITION: u64 = (1 << POSITION_BITS) - 1;

/// The order of a crawl (paper "Website Health Analyser", section III).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraversalOrder {
    /// All pages of one depth before the pages of the next depth.
    #[default]
    BreadthFirst,
    /// The links of the last fetched page first.
    DepthFirst,
}

/// The position at which a crawl found a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkDiscovery {
    /// Number of links from a seed to the page, or 0 for a seed.
    pub depth: u32,
    /// Number of links that the crawl had found before the page with this link, or 0 for seeds.
    pub batch: u64,
    /// Index among the links of the page that contains this link.
    pub position: u32,
}

impl TraversalOrder {
    /// Returns the sort key of a task. The smallest is claimed first.
    ///
    /// ```
    /// use relink_frontier::{LinkDiscovery, TraversalOrder};
    /// let old = LinkDiscovery { depth: 1, batch: 1, position: 2 };
    /// let new = LinkDiscovery { depth: 2, batch: 4, position: 0 };
    /// assert!(TraversalOrder::BreadthFirst.key(old) < TraversalOrder::BreadthFirst.key(new));
    /// assert!(TraversalOrder::DepthFirst.key(new) < TraversalOrder::DepthFirst.key(old));
    /// ```
    pub fn key(self, discovery: LinkDiscovery) -> i64 {
        let LinkDiscovery { depth, batch, position } = discovery;
        let key = match self {
            Self::BreadthFirst => {
                let number = batch.saturating_add(position.into()).min(MAX_NUMBER);
                (u64::from(depth).min(MAX_POSITION) << NUMBER_BITS) | number
            }
            Self::DepthFirst => {
                let newest_first = MAX_NUMBER - batch.min(MAX_NUMBER);
                (newest_first << POSITION_BITS) | u64::from(position).min(MAX_POSITION)
            }
        };
        // 63 bits are in use, so the sign bit is never set.
        i64::try_from(key).unwrap_or(i64::MAX)
    }
}

/// Whether a page of this depth is fetched. The limit is inclusive (Website Health Analyser,
/// Fig. 2).
pub fn is_within_depth(depth: u32, limit: Option<u32>) -> bool {
    limit.is_none_or(|limit| depth <= limit)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// The tree of figure 1 of the paper "Website Health Analyser": each page and the pages
    /// that it links to.
    const FIGURE_1: [(u32, &[u32]); 5] =
        [(1, &[2, 3, 4]), (2, &[5, 6]), (4, &[7, 8]), (5, &[9, 10]), (7, &[11, 12])];

    /// Crawls from page 1 with one worker and a queue sorted by key. Returns the pages in the
    /// order in which they are fetched.
    fn crawl(
        links: &BTreeMap<u32, Vec<u32>>,
        order: TraversalOrder,
        limit: Option<u32>,
    ) -> Vec<u32> {
        let seed = LinkDiscovery { depth: 0, batch: 0, position: 0 };
        let mut queue = BTreeMap::from([(order.key(seed), (1, 0))]);
        let (mut known, mut batch) = (BTreeSet::from([1]), 1);
        let mut fetched = Vec::new();
        while let Some((_, (page, depth))) = queue.pop_first() {
            fetched.push(page);
            let page_links = links.get(&page).map_or(&[][..], Vec::as_slice);
            for (link, position) in page_links.iter().zip(0..) {
                if is_within_depth(depth + 1, limit) && known.insert(*link) {
                    let discovery = LinkDiscovery { depth: depth + 1, batch, position };
                    queue.insert(order.key(discovery), (*link, depth + 1));
                }
            }
            batch += page_links.len() as u64;
        }
        fetched
    }

    /// Asserts the order of the pages in a crawl of [`FIGURE_1`] with a limit of the depth.
    #[track_caller]
    fn check(order: TraversalOrder, limit: Option<u32>, expect: &str) {
        let links = FIGURE_1.iter().map(|(page, links)| (*page, links.to_vec())).collect();
        let fetched = crawl(&links, order, limit);
        let fetched: Vec<String> = fetched.iter().map(ToString::to_string).collect();
        assert_eq!(fetched.join(" "), expect);
    }

    #[test]
    fn website_health_analyser_figure_1() {
        check(TraversalOrder::BreadthFirst, None, "1 2 3 4 5 6 7 8 9 10 11 12");
        check(TraversalOrder::DepthFirst, None, "1 2 5 9 10 6 3 4 7 11 12 8");
    }

    #[test]
    fn website_health_analyser_figure_2() {
        check(TraversalOrder::DepthFirst, Some(2), "1 2 5 6 3 4 7 8");
        check(TraversalOrder::BreadthFirst, Some(2), "1 2 3 4 5 6 7 8");
        check(TraversalOrder::BreadthFirst, Some(0), "1");
    }

    #[test]
    fn key_of_largest_numbers_is_not_negative() {
        let last = LinkDiscovery { depth: u32::MAX, batch: u64::MAX, position: u32::MAX };
        for order in [TraversalOrder::BreadthFirst, TraversalOrder::DepthFirst] {
            assert!(order.key(last) >= 0);
        }
    }

    proptest! {
        #[test]
        fn keys_are_unique(
            one in (0_u32..99, 0_u64..9_999, 0_u32..9),
            other in (0_u32..99, 0_u64..9_999, 0_u32..9),
        ) {
            // Batches are ten numbers apart, so link numbers are unique.
            let [one, other] = [one, other].map(|(depth, batch, position)| {
                LinkDiscovery { depth, batch: 10 * batch, position }
            });
            prop_assume!((one.batch, one.position) != (other.batch, other.position));
            for order in [TraversalOrder::BreadthFirst, TraversalOrder::DepthFirst] {
                prop_assert_ne!(order.key(one), order.key(other));
            }
        }
    }
}
