//! The discovery tree of a crawl: the first page that linked to each URL.
//!
//! The *lineage* of a URL is the set of all sets of pages (see [`super::endless`]) to which the
//! pages on the way from a start page to the URL belong. If the lineage of a URL contains the
//! set of the URL, the URL was found only because another page of the set was fetched. A link
//! is *remote* if the pages that link to the URL have no common ancestor near them, except a
//! start page. In a generated set, pages link to their own children, siblings and parents. In
//! a real section, many links are remote.
//!
//! URLs and keys of sets are stored as hashes, so that a URL takes about 32 bytes.

use std::collections::HashMap;

/// Maximum number of sets in a lineage. The sets next to the start page are retained.
const MAX_LINEAGE: usize = 32;
/// Number of steps to a common ancestor up to which two pages are near each other.
const NEAR_STEPS: usize = 2;

/// Index of the lineage without sets.
const EMPTY_LINEAGE: u32 = 0;

/// The origin of a URL.
#[derive(Debug, Clone, Copy)]
struct Origin {
    /// The hash of the first page that linked to the URL, or `None` for a start page.
    parent: Option<u64>,
    /// Index of the lineage.
    lineage: u32,
    /// Whether a remote page linked to the URL.
    has_remote_link: bool,
}

/// The origins of all accepted URLs.
#[derive(Debug, Default)]
pub(super) struct DiscoveryTree {
    origins: HashMap<u64, Origin>,
    /// The distinct lineages. The hashes of each are in the order of discovery.
    lineages: Vec<Box<[u64]>>,
    /// The index of each lineage, as in [`Origin::lineage`].
    lineage_indexes: HashMap<Box<[u64]>, u32>,
    /// The last parent and the index of the lineage of its children.
    last_parent: Option<(u64, u32)>,
}

impl DiscoveryTree {
    /// Adds a start page, or a URL whose first link is not known.
    pub(super) fn add_start(&mut self, url: u64) {
        let origin = Origin { parent: None, lineage: EMPTY_LINEAGE, has_remote_link: false };
        self.origins.entry(url).or_insert(origin);
    }

    /// Adds a URL that the page `parent` discovered. `parent_sets` returns the sets of the
    /// parent.
    pub(super) fn add(&mut self, url: u64, parent: u64, parent_sets: impl FnOnce() -> Vec<u64>) {
        let lineage = match self.last_parent {
            Some((last_parent, lineage)) if last_parent == parent => lineage,
            _ => self.lineage_of_children(parent, parent_sets),
        };
        self.last_parent = Some((parent, lineage));
        let origin = Origin { parent: Some(parent), lineage, has_remote_link: false };
        self.origins.entry(url).or_insert(origin);
    }

    /// Returns the lineage of the URLs that a page discovers: the lineage of the page and the
    /// sets of the page. A start page has no part in a lineage, because all URLs descend from
    /// start pages.
    fn lineage_of_children(&mut self, parent: u64, parent_sets: impl FnOnce() -> Vec<u64>) -> u32 {
        let discovered = self.origins.get(&parent).filter(|origin| origin.parent.is_some());
        let Some(origin) = discovered else {
            return EMPTY_LINEAGE;
        };
        let lineage = origin.lineage;
        let mut sets = self.sets(lineage).to_vec();
        for key in parent_sets() {
            if sets.len() < MAX_LINEAGE && !sets.contains(&key) {
                sets.push(key);
            }
        }
        if sets.len() == self.sets(lineage).len() { lineage } else { self.insert_lineage(sets) }
    }

    /// Returns the index of a lineage that is not empty. Stores the lineage if it is new.
    fn insert_lineage(&mut self, sets: Vec<u64>) -> u32 {
        let sets = sets.into_boxed_slice();
        if let Some(index) = self.lineage_indexes.get(&sets) {
            return *index;
        }
        self.lineages.push(sets.clone());
        // Index 0 is the empty lineage.
        let index = u32::try_from(self.lineages.len()).unwrap_or(EMPTY_LINEAGE);
        self.lineage_indexes.insert(sets, index);
        index
    }

    /// Returns the hashes of the sets of a lineage.
    fn sets(&self, lineage: u32) -> &[u64] {
        // Index 0 is the empty lineage, which is not stored.
        let index = usize::try_from(lineage).ok().and_then(|index| index.checked_sub(1));
        index.and_then(|index| self.lineages.get(index)).map_or(&[], |sets| sets)
    }

    /// Returns the lineage of a URL. The lineage of an unknown URL is empty.
    pub(super) fn lineage(&self, url: u64) -> &[u64] {
        self.origins.get(&url).map_or(&[], |origin| self.sets(origin.lineage))
    }

    /// Records a link from the page `from` to a URL that another page discovered. Returns
    /// whether it is the first remote link to the URL.
    pub(super) fn record_link(&mut self, url: u64, from: u64) -> bool {
        let Some(origin) = self.origins.get(&url).filter(|origin| !origin.has_remote_link) else {
            return false;
        };
        let is_remote = origin.parent.is_some_and(|parent| !self.are_near(parent, from));
        if let Some(origin) = self.origins.get_mut(&url).filter(|_| is_remote) {
            origin.has_remote_link = true;
        }
        is_remote
    }

    /// Whether two pages have a common ancestor near them that is not a start page.
    fn are_near(&self, one: u64, other: u64) -> bool {
        let others: Vec<u64> = self.near_ancestors(other).collect();
        self.near_ancestors(one).any(|page| others.contains(&page))
    }

    /// Returns a page and its nearest ancestors, without start pages.
    fn near_ancestors(&self, page: u64) -> impl Iterator<Item = u64> {
        let parent = |page: &u64| self.origins.get(page).and_then(|origin| origin.parent);
        let is_discovered = move |page: &u64| parent(page).is_some();
        std::iter::successors(Some(page), parent).take(NEAR_STEPS + 1).filter(is_discovered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Home page 1 links to 2 and 3. Page 2 links to 4 and 5, page 3 to 6, page 4 to 7. Pages
    /// with an even number belong to set 100, the others to set 101.
    fn tree() -> DiscoveryTree {
        let mut tree = DiscoveryTree::default();
        tree.add_start(1);
        for (url, parent) in [(2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 4)] {
            tree.add(url, parent, || vec![100 + parent % 2]);
        }
        tree
    }

    #[test]
    fn lineage_contains_sets_of_all_ancestors_except_start() {
        let tree = tree();
        assert!(tree.lineage(2).is_empty());
        assert_eq!(tree.lineage(4), [100]);
        assert_eq!(tree.lineage(6), [101]);
        assert_eq!(tree.lineage(7), [100]);
        assert!(tree.lineage(99).is_empty());
    }

    #[test]
    fn link_from_another_branch_is_remote_once() {
        let mut tree = tree();
        assert!(!tree.record_link(7, 5), "sibling of the parent");
        assert!(!tree.record_link(7, 2), "grandparent");
        assert!(!tree.record_link(1, 6), "start page");
        assert!(tree.record_link(7, 6), "only the start page is a common ancestor");
        assert!(!tree.record_link(7, 6), "second remote link");
        assert!(tree.record_link(4, 1), "link from the start page");
    }
}
