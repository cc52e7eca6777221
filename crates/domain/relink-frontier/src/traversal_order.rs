//! In which order the pages of a crawl are visited.
//!
//! An order is a number for each task, known when the task is found and
//! never changed after: a durable queue claims the least one, and a crawl that
//! was interrupted goes on as if it had not been.
//!
//! Links are numbered as they are found, through the whole crawl. The links
//! of one page get numbers in a row; the first of them names their *batch*.
//!
//! - Breadth first: shallow pages before deep ones, then as found.
//!   `depth · 2⁴³ + batch + position`.
//! - Depth first: the newest batch before all others (a stack of pages, not
//!   of links), inside it the order of the page.
//!   `(2⁴³ − 1 − batch) · 2²⁰ + position`.
//!
//! Where a link is found again while its task still waits, keeping the
//! lesser of both keys (and of both depths) makes depth first exact on graphs
//! as well as trees. Breadth first keys only grow, so the rule is the same.

use serde::{Deserialize, Serialize};

/// Numbers of links: eight million million to a crawl.
const NUMBER_BITS: u32 = 43;
/// Depths, or places on a page: a million.
const PLACE_BITS: u32 = 20;

const LAST_NUMBER: u64 = (1 << NUMBER_BITS) - 1;
const LAST_PLACE: u64 = (1 << PLACE_BITS) - 1;

/// The order of a crawl (Website Health Analyser, §III).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraversalOrder {
    /// All pages of one depth before any of the next.
    #[default]
    BreadthFirst,
    /// One branch to its end before the next.
    DepthFirst,
}

/// Where in a crawl a link was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkDiscovery {
    /// How many links lead from a seed to it; 0 for a seed.
    pub depth: u32,
    /// How many links the crawl had numbered before the page it stands on;
    /// 0 for the seeds.
    pub batch: u64,
    /// Its place among the links of that page, from 0.
    pub position: u32,
}

impl TraversalOrder {
    /// The number by which a task is claimed: the least one first.
    ///
    /// ```
    /// use relink_frontier::{Discovery, Order};
    /// let old = Discovery { depth: 1, batch: 1, position: 2 };
    /// let new = Discovery { depth: 2, batch: 4, position: 0 };
    /// assert!(Order::BreadthFirst.key(old) < Order::BreadthFirst.key(new));
    /// assert!(Order::DepthFirst.key(new) < Order::DepthFirst.key(old));
    /// ```
    pub fn key(self, found: LinkDiscovery) -> i64 {
        let LinkDiscovery { depth, batch, position } = found;
        let key = match self {
            Self::BreadthFirst => {
                let number = batch.saturating_add(position.into()).min(LAST_NUMBER);
                (u64::from(depth).min(LAST_PLACE) << NUMBER_BITS) | number
            }
            Self::DepthFirst => {
                let newest_first = LAST_NUMBER - batch.min(LAST_NUMBER);
                (newest_first << PLACE_BITS) | u64::from(position).min(LAST_PLACE)
            }
        };
        // 63 bits are in use, so the sign is never touched.
        i64::try_from(key).unwrap_or(i64::MAX)
    }
}

/// Whether a page of this depth is visited: at the limit it still is, below it
/// no more (Website Health Analyser, Fig. 2).
pub fn is_within_depth(depth: u32, limit: Option<u32>) -> bool {
    limit.is_none_or(|limit| depth <= limit)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// The tree of the paper's Fig. 1: a page and the pages it links to.
    const FIGURE_1: [(u32, &[u32]); 5] =
        [(1, &[2, 3, 4]), (2, &[5, 6]), (4, &[7, 8]), (5, &[9, 10]), (7, &[11, 12])];

    /// Crawls from page 1 with one worker and a queue that knows only keys.
    fn crawl(
        links: &BTreeMap<u32, Vec<u32>>,
        order: TraversalOrder,
        limit: Option<u32>,
    ) -> Vec<u32> {
        let seed = LinkDiscovery { depth: 0, batch: 0, position: 0 };
        let mut queue = BTreeMap::from([(order.key(seed), (1, 0))]);
        let (mut known, mut batch) = (BTreeSet::from([1]), 1);
        let mut visited = Vec::new();
        while let Some((_, (page, depth))) = queue.pop_first() {
            visited.push(page);
            let found = links.get(&page).map_or(&[][..], Vec::as_slice);
            for (link, position) in found.iter().zip(0..) {
                if is_within_depth(depth + 1, limit) && known.insert(*link) {
                    let found = LinkDiscovery { depth: depth + 1, batch, position };
                    queue.insert(order.key(found), (*link, depth + 1));
                }
            }
            batch += found.len() as u64;
        }
        visited
    }

    #[track_caller]
    fn check(order: TraversalOrder, limit: Option<u32>, expect: &str) {
        let links = FIGURE_1.iter().map(|(page, links)| (*page, links.to_vec())).collect();
        let visited = crawl(&links, order, limit);
        let visited: Vec<String> = visited.iter().map(ToString::to_string).collect();
        assert_eq!(visited.join(" "), expect);
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
    fn the_largest_numbers_still_have_a_key() {
        let last = LinkDiscovery { depth: u32::MAX, batch: u64::MAX, position: u32::MAX };
        for order in [TraversalOrder::BreadthFirst, TraversalOrder::DepthFirst] {
            assert!(order.key(last) >= 0);
        }
    }

    proptest! {
        #[test]
        fn no_two_links_share_a_key(
            one in (0_u32..99, 0_u64..9_999, 0_u32..9),
            other in (0_u32..99, 0_u64..9_999, 0_u32..9),
        ) {
            // Batches are ten numbers apart, so no two links share a number.
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
