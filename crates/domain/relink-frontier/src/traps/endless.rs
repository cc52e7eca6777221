//! Endless sets of pages with text of their own.
//!
//! A set is a directory, the files of a directory, or a path with any query
//! ([`BranchChain::endless_keys`]). All pages of an endless set have new text, so the text
//! proves nothing. Two other kinds of evidence are used. First, a URL that the crawl invents
//! does not exist on a real site. If two invented URLs of a set are pages with different new
//! text, the server generates the set. Second, a set counts as endless after a fixed number
//! of pages if it grows faster than it is fetched, and if hardly any of its URLs is linked
//! from two of its pages. The pages of a real section link to each other.
//!
//! A URL of an endless set is fetched if a page outside of such sets links to it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;

use super::branch::BranchChain;
use super::invented_url::invent;

/// Number of new pages of a set after which it is tested with invented URLs.
const FIRST_TEST_PAGES: u32 = 150;
/// Factor by which the number of pages grows from one test to the next.
const TEST_GROWTH: u32 = 4;
/// A subset is tested in place of a larger set if it contains at least one in this many pages
/// of the larger set.
const SUBSET_SHARE: u32 = 2;
/// A set grows if its pages discover URLs of the set, at least this percentage of the number
/// of fetched pages.
const MIN_GROWTH_PERCENT: u32 = 150;
/// The pages of a set link to each other if one URL in this many is linked twice.
const URLS_PER_REPEATED_LINK: u32 = 50;
/// Maximum number of stored sets.
const MAX_SETS: usize = 8_192;

/// Two invented URLs of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndlessTest {
    /// The key of the set.
    pub key: String,
    /// URLs that no page links to.
    pub urls: Vec<Url>,
}

/// The result of testing a set with invented URLs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TestState {
    #[default]
    Untested,
    /// A test was started.
    Pending,
    /// Invented URLs do not exist.
    Finite,
    /// Invented URLs are new pages.
    Generated,
}

/// A set of URLs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct EndlessSet {
    /// Number of fetched pages with new content.
    new: u32,
    /// Number of URLs of the set that its own pages discovered.
    discovered: u32,
    /// Number of links within the set to URLs that another page of the set discovered, and
    /// that are not fetched yet.
    repeated: u32,
    /// Number of tests.
    tests: u32,
    verdict: TestState,
    /// The latest URL with new content.
    sample: Option<String>,
}

impl EndlessSet {
    /// Returns the number of new pages at which the next test is due.
    fn next_test(&self) -> u32 {
        FIRST_TEST_PAGES.saturating_mul(TEST_GROWTH.saturating_pow(self.tests))
    }

    /// Whether a test is due.
    fn needs_test(&self) -> bool {
        matches!(self.verdict, TestState::Untested | TestState::Finite)
            && self.new >= self.next_test()
    }

    /// Whether the server generates the set, or the set has `max_pages` pages, grows, and its
    /// pages do not link to each other.
    fn is_endless(&self, max_pages: u32) -> bool {
        let grows_alone = self.new >= max_pages
            && u64::from(self.discovered) * 100
                >= u64::from(self.new) * u64::from(MIN_GROWTH_PERCENT)
            && self.repeated.saturating_mul(URLS_PER_REPEATED_LINK) < self.discovered;
        self.verdict == TestState::Generated || grows_alone
    }
}

/// The sets of a crawl that may be endless.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EndlessSets {
    sets: BTreeMap<String, EndlessSet>,
}

impl EndlessSets {
    /// Records a page with new content. Returns a test if one is due.
    pub(super) fn record_page(&mut self, url: &Url, chain: &BranchChain) -> Option<EndlessTest> {
        let keys = chain.endless_keys();
        let mut previous = None;
        for key in &keys {
            let Some(set) = self.set(key) else { continue };
            set.new = set.new.saturating_add(1);
            let sample = set.sample.replace(url.to_string());
            // URLs are invented from this URL and the previous one of the smallest due set.
            previous = if set.needs_test() { sample.or(previous) } else { previous };
        }
        let key = self.set_to_test(&keys)?;
        let urls = invent(url, previous.and_then(|text| Url::parse(&text).ok()).as_ref());
        self.count_test(&keys);
        if urls.is_empty() {
            return None;
        }
        self.sets.get_mut(&key)?.verdict = TestState::Pending;
        Some(EndlessTest { key, urls })
    }

    /// Counts a test for each of these sets for which a test is due. Only one of the sets is
    /// tested; the next test of the others is due when they have grown.
    fn count_test(&mut self, keys: &[String]) {
        for key in keys {
            if let Some(set) = self.sets.get_mut(key).filter(|set| set.needs_test()) {
                set.tests = set.tests.saturating_add(1);
            }
        }
    }

    /// Returns the set to test; `None` if no test is due. If a test of a large set is due, it
    /// is the smallest subset that contains a large part of the pages.
    fn set_to_test(&self, keys: &[String]) -> Option<String> {
        let due = keys.iter().find_map(|key| self.sets.get(key).filter(|set| set.needs_test()))?;
        let is_testable = |set: &EndlessSet| {
            set.new.saturating_mul(SUBSET_SHARE) >= due.new
                && matches!(set.verdict, TestState::Untested | TestState::Finite)
        };
        let smallest =
            keys.iter().rev().find(|key| self.sets.get(*key).is_some_and(is_testable))?;
        Some(smallest.clone())
    }

    /// Marks tests that an interruption of the crawl ended as untested, so that they are
    /// repeated.
    pub(super) fn restart_tests(&mut self) {
        for set in self.sets.values_mut().filter(|set| set.verdict == TestState::Pending) {
            set.verdict = TestState::Untested;
            set.tests = set.tests.saturating_sub(1);
        }
    }

    /// Records the result of a test.
    pub(super) fn record_test(&mut self, key: &str, is_generated: bool) {
        if let Some(set) = self.sets.get_mut(key) {
            set.verdict = if is_generated { TestState::Generated } else { TestState::Finite };
        }
    }

    /// Records a new URL that a page discovered.
    pub(super) fn record_discovery(&mut self, page: &BranchChain, url: &BranchChain) {
        for key in common_keys(page, url) {
            if let Some(set) = self.sets.get_mut(&key) {
                set.discovered = set.discovered.saturating_add(1);
            }
        }
    }

    /// Records a link to a URL that another page discovered.
    pub(super) fn record_repetition(&mut self, page: &BranchChain, url: &BranchChain) {
        for key in common_keys(page, url) {
            if let Some(set) = self.sets.get_mut(&key) {
                set.repeated = set.repeated.saturating_add(1);
            }
        }
    }

    /// Returns the largest endless set of a URL.
    pub(super) fn endless_set(&self, chain: &BranchChain, max_pages: u32) -> Option<String> {
        if self.sets.is_empty() {
            return None;
        }
        let is_endless =
            |key: &String| self.sets.get(key).is_some_and(|set| set.is_endless(max_pages));
        chain.endless_keys().into_iter().find(is_endless)
    }

    /// Returns a set, which is added if it is new; `None` if too many sets are stored.
    fn set(&mut self, key: &str) -> Option<&mut EndlessSet> {
        if self.sets.len() >= MAX_SETS && !self.sets.contains_key(key) {
            // Sets with few pages are counted again from the start.
            self.sets.retain(|_, set| set.new > 1 || set.verdict != TestState::Untested);
            if self.sets.len() >= MAX_SETS {
                return None;
            }
        }
        Some(self.sets.entry(key.to_owned()).or_default())
    }
}

/// Returns the keys of the sets that contain both URLs.
fn common_keys(page: &BranchChain, url: &BranchChain) -> Vec<String> {
    let keys = page.endless_keys();
    url.endless_keys().into_iter().filter(|key| keys.contains(key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(path: &str) -> (Url, BranchChain) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        let chain = BranchChain::new(&url, 2026);
        (url, chain)
    }

    /// Records a page with new content at this path.
    fn record(sets: &mut EndlessSets, path: &str) -> Option<EndlessTest> {
        let (url, chain) = chain(path);
        sets.record_page(&url, &chain)
    }

    #[test]
    fn set_is_tested_once_it_is_large() {
        let mut sets = EndlessSets::default();
        let tests: Vec<EndlessTest> = (0..FIRST_TEST_PAGES + 10)
            .filter_map(|n| record(&mut sets, &format!("/p?n={n}")))
            .collect();
        assert_eq!(tests.len(), 1);
        assert_eq!(tests[0].key, "example.org/p?…");
        assert_eq!(tests[0].urls.len(), 2);
        sets.record_test(&tests[0].key, true);
        assert!(sets.endless_set(&chain("/p?n=7").1, 2_000).is_some());
        assert!(sets.endless_set(&chain("/q?n=7").1, 2_000).is_none());
    }

    #[test]
    fn smallest_large_set_is_tested() {
        let mut sets = EndlessSets::default();
        let test =
            (0..FIRST_TEST_PAGES).find_map(|n| record(&mut sets, &format!("/blog/page/{n}")));
        assert_eq!(test.unwrap().key, "example.org/blog/page/*");
        let mut sets = EndlessSets::default();
        let test =
            (0..FIRST_TEST_PAGES).find_map(|n| record(&mut sets, &format!("/tree/a{n}x/b{n}x/c")));
        assert_eq!(test.unwrap().key, "example.org/tree/a{n}x/b{n}x/*");
    }

    #[test]
    fn growing_set_without_repeated_links_is_endless() {
        let mut sets = EndlessSets::default();
        let page = chain("/tree/a").1;
        for n in 0..100 {
            record(&mut sets, &format!("/tree/{n}"));
            (0..3).for_each(|_| sets.record_discovery(&page, &chain("/tree/b").1));
        }
        assert!(sets.endless_set(&page, 101).is_none());
        assert!(sets.endless_set(&page, 100).is_some());
        // One repeated link per 50 of the 300 discovered URLs shows a real section.
        (0..6).for_each(|_| sets.record_repetition(&page, &chain("/tree/b").1));
        assert!(sets.endless_set(&page, 100).is_none());
    }
}
