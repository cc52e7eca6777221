//! Endless sets of pages with text of their own.
//!
//! A set is a directory, the files of a directory, or a path with any query
//! ([`BranchChain::endless_keys`]). All pages of an endless set have new text, so the text
//! proves nothing. Two other kinds of evidence are used.
//!
//! - *Invented URLs.* A URL that the crawl invents does not exist on a real site. If all
//!   invented URLs of a test are pages with different new text, the server generates the set.
//!   The set of the page that discovered the newest page is tested, too: the months of a
//!   calendar may be generated for any date, although the ids of its events are checked.
//! - *Growth.* A set counts as endless after a fixed number of pages that were found only
//!   through pages of the set, if its queue grows or its pages are found one after the other,
//!   and hardly any of its URLs has a remote link (see [`super::discovery`]).
//!
//! A URL of an endless set is fetched if a page links to it that was found without such sets.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use url::Url;

use super::branch::BranchChain;
use super::invented_url::{InventedForm, Inventor};

/// Number of new pages of a set after which it is tested with invented URLs.
const FIRST_TEST_PAGES: u32 = 150;
/// The first test of a set is due after `FIRST_TEST_PAGES` pages. For each further test, the number
/// of pages is multiplied by this factor.
const TEST_GROWTH: u32 = 2;
/// A subset is tested in place of a larger set if it contains at least half of the pages of the
/// larger set. This number is the divisor.
const SUBSET_SHARE: u32 = 2;
/// Minimum number of pages of a set that is tested because its pages discovered pages of
/// another set.
const MIN_SOURCE_PAGES: u32 = 5;
/// A set grows only if its pages discover many URLs of the set: at least this percentage of the
/// number of fetched pages.
const MIN_GROWTH_PERCENT: u32 = 150;
/// Minimum factor by which the queue of an endless set grows while the number of its fetched
/// pages at least doubles.
const MIN_QUEUE_GROWTH: u32 = 2;
/// Maximum number of URLs of a real set for each URL with a remote link.
const URLS_PER_REMOTE_LINK: u32 = 50;
/// Maximum number of stored sets.
const MAX_SETS: usize = 8_192;

/// A test of a set with URLs that the crawl invented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndlessTest {
    /// The key of the set.
    pub key: String,
    /// URLs that no page links to.
    pub urls: Vec<Url>,
}

/// A fetched page and the way to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiscoveredPage<'a> {
    pub(super) url: &'a Url,
    pub(super) branch_chain: &'a BranchChain,
    /// The first page that linked to this page, with its branches.
    pub(super) source: Option<(&'a Url, &'a BranchChain)>,
    /// Hashes of the sets to which the pages on the way to this page belong.
    pub(super) lineage: &'a [u64],
}

/// The result of testing a set with invented URLs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TestState {
    #[default]
    Untested,
    /// A test was started.
    Pending,
    /// Invented URLs do not exist. They may exist in another form.
    Finite,
    /// Invented dates and numbers do not exist, so the set has an end.
    Bounded,
    /// Invented URLs are new pages.
    Generated,
    /// Pages of a generated set always lead to new pages of this set.
    Fed,
}

impl TestState {
    /// Whether the result of the test may change, so that the set may be tested again.
    fn is_open(self) -> bool {
        matches!(self, Self::Untested | Self::Finite | Self::Bounded)
    }
}

/// What is known about a set of URLs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct EndlessSet {
    /// Number of fetched pages.
    pages: u32,
    /// Number of fetched pages with new content.
    new: u32,
    /// Number of fetched pages whose lineage contains the set.
    descended: u32,
    /// Number of fetched pages, of any set below this set, whose lineage contains the smallest
    /// set of the page. Such pages are found one after the other.
    successive: u32,
    /// Number of URLs whose lineage contains the set.
    discovered: u32,
    /// The values of `discovered` after 1, 2, 4, 8, … descended pages.
    discovered_at: Vec<u32>,
    /// Number of URLs whose lineage contains the set, and to which a remote page links.
    remote: u32,
    /// Number of tests.
    tests: u32,
    verdict: TestState,
    /// Whether the pending test is decisive: if the set were endless, the invented URLs of the
    /// test would exist.
    is_decisive: bool,
    /// The set to which pages of this set lead, if this set is tested for that reason.
    leads_to: Option<String>,
    /// The latest URL with new content, from which URLs are invented.
    sample: Option<String>,
}

impl EndlessSet {
    /// Returns the number of new pages at which the next test is due.
    fn next_test(&self) -> u32 {
        FIRST_TEST_PAGES.saturating_mul(TEST_GROWTH.saturating_pow(self.tests))
    }

    /// Whether a test is due.
    fn needs_test(&self) -> bool {
        self.verdict.is_open() && self.new >= self.next_test()
    }

    /// Counts a page that was found through a page of the set.
    fn record_descended(&mut self) {
        self.descended = self.descended.saturating_add(1);
        if self.descended.is_power_of_two() {
            self.discovered_at.push(self.discovered);
        }
    }

    /// Whether the set has `max_pages` pages that were found only through pages of the set,
    /// grows, and has hardly any remote links.
    fn grows_alone(&self, max_pages: u32) -> bool {
        let has_remote_links =
            self.remote.saturating_mul(URLS_PER_REMOTE_LINK) >= self.discovered.max(1);
        let is_large_and_growing = self.descended >= max_pages && self.queue_grows(max_pages);
        self.verdict != TestState::Bounded
            && !has_remote_links
            && (is_large_and_growing || self.successive >= max_pages)
    }

    /// Whether the set discovers URLs faster than they are fetched, and its queue is much longer
    /// than at an earlier time.
    fn queue_grows(&self, max_pages: u32) -> bool {
        // The earlier time is after `max_pages / 2` descended pages, rounded down to a power of
        // two. `discovered_at` has one entry per power of two.
        let exponent = (max_pages / 2).checked_ilog2().unwrap_or_default();
        let position = usize::try_from(exponent).unwrap_or_default();
        let earlier_discovered = self.discovered_at.get(position).copied().unwrap_or_default();
        let earlier_queue = earlier_discovered.saturating_sub(1 << exponent);
        let queue = self.discovered.saturating_sub(self.descended);
        let grows_faster = u64::from(self.discovered) * 100
            >= u64::from(self.descended) * u64::from(MIN_GROWTH_PERCENT);
        grows_faster && queue >= earlier_queue.saturating_mul(MIN_QUEUE_GROWTH)
    }
}

/// The sets of a crawl that may be endless.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EndlessSets {
    sets: BTreeMap<String, EndlessSet>,
}

impl EndlessSets {
    /// Records a fetched page, and whether it has new content. Returns the tests that are due.
    /// `inventor` invents their URLs.
    pub(super) fn record_page(
        &mut self,
        page: DiscoveredPage<'_>,
        is_new: bool,
        inventor: Inventor,
    ) -> Vec<EndlessTest> {
        let keys = page.branch_chain.endless_keys();
        let smallest = keys.last().cloned().unwrap_or_default();
        let is_bounded =
            self.sets.get(&smallest).is_some_and(|set| set.verdict == TestState::Bounded);
        let is_successive = !is_bounded && page.lineage.contains(&key_hash(&smallest));
        let mut previous_sample = None;
        for key in &keys {
            let Some(set) = self.set_mut(key) else { continue };
            set.pages = set.pages.saturating_add(1);
            set.successive = set.successive.saturating_add(u32::from(is_successive));
            if page.lineage.contains(&key_hash(key)) {
                set.record_descended();
            }
            if !is_new {
                continue;
            }
            set.new = set.new.saturating_add(1);
            let sample = set.sample.replace(page.url.to_string());
            // The keys become smaller, so the last set with a due test is the smallest.
            if set.needs_test() && sample.is_some() {
                previous_sample = sample;
            }
        }
        if !is_new {
            return Vec::new();
        }
        let Some(key) = self.set_to_test(&keys) else { return Vec::new() };
        let source_test = self.start_source_test(page, &key, inventor);
        let round = self.sets.get(&key).map_or(0, |set| set.tests);
        self.count_due_tests(&keys);
        let previous_url = previous_sample.and_then(|text| Url::parse(&text).ok());
        let set_test =
            self.start_test(&key, page.url, previous_url.as_ref(), inventor.with_round(round));
        set_test.into_iter().chain(source_test).collect()
    }

    /// Starts a test of the set whose pages discover the pages of the set `leads_to`.
    fn start_source_test(
        &mut self,
        page: DiscoveredPage<'_>,
        leads_to: &str,
        inventor: Inventor,
    ) -> Option<EndlessTest> {
        let (url, source_chain) = page.source?;
        let key = source_chain.endless_keys().last().cloned().filter(|key| key != leads_to)?;
        let set = self.sets.get_mut(&key)?;
        if set.pages < MIN_SOURCE_PAGES || !set.verdict.is_open() {
            return None;
        }
        set.leads_to = Some(leads_to.to_owned());
        let previous = set.sample.as_deref().and_then(|text| Url::parse(text).ok());
        let previous = previous.filter(|previous| previous != url);
        self.start_test(&key, url, previous.as_ref(), inventor)
    }

    /// Starts a test of a set with invented URLs of the form of `url`. Returns `None` if no URL
    /// can be invented. `other` is another URL of the set.
    fn start_test(
        &mut self,
        key: &str,
        url: &Url,
        other: Option<&Url>,
        inventor: Inventor,
    ) -> Option<EndlessTest> {
        let invented = inventor.invent(url, other);
        let set = self.sets.get_mut(key).filter(|_| !invented.urls.is_empty())?;
        set.verdict = TestState::Pending;
        set.is_decisive = match invented.form {
            InventedForm::Date => true,
            InventedForm::Number(number) => are_pages_numbered(number, set.pages),
            InventedForm::Name => false,
        };
        Some(EndlessTest { key: key.to_owned(), urls: invented.urls })
    }

    /// Counts a test for each of these sets for which a test is due. Only one of these sets is
    /// tested. The next test of the other sets is due when they have grown.
    fn count_due_tests(&mut self, keys: &[String]) {
        for key in keys {
            if let Some(set) = self.sets.get_mut(key).filter(|set| set.needs_test()) {
                set.tests = set.tests.saturating_add(1);
            }
        }
    }

    /// Returns the set to test, or `None` if no test is due. If a test of a large set is due,
    /// returns its smallest subset that contains a large part of the pages.
    fn set_to_test(&self, keys: &[String]) -> Option<String> {
        let due = keys.iter().find_map(|key| self.sets.get(key).filter(|set| set.needs_test()))?;
        let is_testable = |set: &EndlessSet| {
            set.new.saturating_mul(SUBSET_SHARE) >= due.new && set.verdict.is_open()
        };
        let smallest =
            keys.iter().rev().find(|key| self.sets.get(*key).is_some_and(is_testable))?;
        Some(smallest.clone())
    }

    /// Marks pending tests as untested, so that they are repeated after an interruption of the
    /// crawl.
    pub(super) fn restart_tests(&mut self) {
        for set in self.sets.values_mut().filter(|set| set.verdict == TestState::Pending) {
            set.verdict = TestState::Untested;
            set.tests = set.tests.saturating_sub(1);
        }
    }

    /// Records the result of a test: whether the invented URLs are pages with new text
    /// (`is_generated`), and whether they do not exist or are all the same page (`are_missing`).
    pub(super) fn record_test(&mut self, key: &str, is_generated: bool, are_missing: bool) {
        let Some(set) = self.sets.get_mut(key) else { return };
        let leads_to = set.leads_to.take().filter(|_| is_generated);
        set.verdict = match (is_generated, set.is_decisive && are_missing) {
            (true, _) => TestState::Generated,
            (false, true) => TestState::Bounded,
            (false, false) => TestState::Finite,
        };
        if let Some(fed) = leads_to.and_then(|key| self.sets.get_mut(&key))
            && fed.verdict != TestState::Generated
        {
            fed.verdict = TestState::Fed;
        }
    }

    /// Whether the server generates the pages of a set that contains the URL.
    pub(super) fn is_generated(&self, chain: &BranchChain) -> bool {
        let is_generated = |key: &String| {
            let verdict = self.sets.get(key).map(|set| set.verdict);
            matches!(verdict, Some(TestState::Generated | TestState::Fed))
        };
        chain.endless_keys().iter().any(is_generated)
    }

    /// Records a new URL in its sets that the lineage of the URL contains.
    pub(super) fn record_discovery(&mut self, url: &BranchChain, lineage: &[u64]) {
        for key in keys_in_lineage(url, lineage) {
            if let Some(set) = self.sets.get_mut(&key) {
                set.discovered = set.discovered.saturating_add(1);
            }
        }
    }

    /// Records the first remote link to a URL.
    pub(super) fn record_remote_link(&mut self, url: &BranchChain, lineage: &[u64]) {
        for key in keys_in_lineage(url, lineage) {
            if let Some(set) = self.sets.get_mut(&key) {
                set.remote = set.remote.saturating_add(1);
            }
        }
    }

    /// Returns the largest endless set of a URL, if the page that links to the URL was found
    /// through this set. `lineage` is the lineage of that page and the sets of that page.
    pub(super) fn endless_set(
        &self,
        url: &BranchChain,
        lineage: &[u64],
        max_pages: u32,
    ) -> Option<String> {
        if self.sets.is_empty() {
            return None;
        }
        url.endless_keys().into_iter().find(|key| {
            let Some(set) = self.sets.get(key) else { return false };
            let is_endless = set.verdict == TestState::Generated
                || set.verdict == TestState::Fed
                || set.grows_alone(max_pages);
            is_endless && lineage.contains(&key_hash(key))
        })
    }

    /// Returns a set, and adds it if it is new, or `None` if too many sets are stored.
    fn set_mut(&mut self, key: &str) -> Option<&mut EndlessSet> {
        if self.sets.len() >= MAX_SETS && !self.sets.contains_key(key) {
            // Sets with few pages are counted again from the start.
            self.sets.retain(|_, set| set.pages > 1 || set.verdict != TestState::Untested);
            if self.sets.len() >= MAX_SETS {
                return None;
            }
        }
        Some(self.sets.entry(key.to_owned()).or_default())
    }
}

/// Maximum ratio of a number in a URL to the number of pages of its set, for a set whose pages
/// are numbered.
const MAX_NUMBER_STEP: u64 = 200;

/// Whether the pages of a set seem to be numbered: `number`, from the URL of one page, is not
/// much larger than the number of pages.
fn are_pages_numbered(number: u64, pages: u32) -> bool {
    number <= u64::from(pages).saturating_mul(MAX_NUMBER_STEP)
}

/// Returns the hash of a key in a lineage.
pub(super) fn key_hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Returns the keys of the sets of a URL that its lineage contains.
fn keys_in_lineage(url: &BranchChain, lineage: &[u64]) -> Vec<String> {
    if lineage.is_empty() {
        return Vec::new();
    }
    let mut keys = url.endless_keys();
    keys.retain(|key| lineage.contains(&key_hash(key)));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the URL of a path and its branches.
    fn branch_chain(path: &str) -> (Url, BranchChain) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        let branch_chain = BranchChain::new(&url, 2026);
        (url, branch_chain)
    }

    /// Returns the lineage of the URLs that the page at this path discovers.
    fn lineage(path: &str) -> Vec<u64> {
        branch_chain(path).1.endless_keys().iter().map(|key| key_hash(key)).collect()
    }

    /// Records a page with new content at `path`, found through the page at `from`.
    fn record_from(sets: &mut EndlessSets, path: &str, from: &str) -> Vec<EndlessTest> {
        let (url, own_chain) = branch_chain(path);
        let (source_url, source_chain) = branch_chain(from);
        let lineage = lineage(from);
        let source = Some((&source_url, &source_chain));
        let page =
            DiscoveredPage { url: &url, branch_chain: &own_chain, source, lineage: &lineage };
        sets.record_page(page, true, Inventor::new(2026))
    }

    /// Records a page with new content that the home page links to.
    fn record(sets: &mut EndlessSets, path: &str) -> Vec<EndlessTest> {
        let (url, own_chain) = branch_chain(path);
        let page =
            DiscoveredPage { url: &url, branch_chain: &own_chain, source: None, lineage: &[] };
        sets.record_page(page, true, Inventor::new(2026))
    }

    /// Whether a link from the page at `from` to `path` is rejected.
    fn is_endless(sets: &EndlessSets, path: &str, from: &str, max_pages: u32) -> bool {
        sets.endless_set(&branch_chain(path).1, &lineage(from), max_pages).is_some()
    }

    #[test]
    fn set_is_tested_once_it_is_large() {
        let mut sets = EndlessSets::default();
        let tests: Vec<EndlessTest> = (0..FIRST_TEST_PAGES + 10)
            .flat_map(|n| record(&mut sets, &format!("/p?n={n}")))
            .collect();
        assert_eq!(tests.len(), 1);
        assert_eq!(tests[0].key, "example.org/p?…");
        assert_eq!(tests[0].urls.len(), 2);
        sets.record_test(&tests[0].key, true, false);
        assert!(is_endless(&sets, "/p?n=7", "/p?n=8", 2_000));
        assert!(!is_endless(&sets, "/p?n=7", "/about", 2_000));
        assert!(!is_endless(&sets, "/q?n=7", "/p?n=8", 2_000));
    }

    #[test]
    fn smallest_large_set_is_tested() {
        let first_test = |path: fn(u32) -> String| {
            let mut sets = EndlessSets::default();
            (0..FIRST_TEST_PAGES).find_map(|n| record(&mut sets, &path(n)).pop()).unwrap().key
        };
        assert_eq!(first_test(|n| format!("/blog/page/{n}")), "example.org/blog/page/*");
        assert_eq!(
            first_test(|n| format!("/tree/a{n}x/b{n}x/c")),
            "example.org/tree/a{n}x/b{n}x/*"
        );
    }

    #[test]
    fn set_that_leads_to_many_pages_is_tested() {
        let mut sets = EndlessSets::default();
        let mut tests = Vec::new();
        for month in 0..FIRST_TEST_PAGES / 2 {
            let calendar = format!("/cal/{}-{:02}", 2026 + month / 12, month % 12 + 1);
            record(&mut sets, &calendar);
            for event in ["a", "b"] {
                let event = format!("/event/x{month}{event}");
                tests.extend(record_from(&mut sets, &event, &calendar));
            }
        }
        let keys: Vec<&str> = tests.iter().map(|test| test.key.as_str()).collect();
        assert!(keys.contains(&"example.org/cal/*"), "{keys:?}");
        sets.record_test("example.org/cal/*", true, false);
        assert!(is_endless(&sets, "/event/x7a", "/event/x8a", 2_000));
        assert!(!is_endless(&sets, "/event/x7a", "/cal/2026-05", 2_000));
    }

    #[test]
    fn growing_set_without_remote_links_is_endless() {
        let mut sets = EndlessSets::default();
        for number in 0..100 {
            record_from(&mut sets, &format!("/tree/{number}"), "/tree/a");
            for _ in 0..3 {
                sets.record_discovery(&branch_chain("/tree/b").1, &lineage("/tree/a"));
            }
        }
        assert!(!is_endless(&sets, "/tree/a", "/tree/b", 101));
        assert!(is_endless(&sets, "/tree/a", "/tree/b", 100));
        // One remote link per 50 of the 300 discovered URLs shows a real section.
        for _ in 0..6 {
            sets.record_remote_link(&branch_chain("/tree/b").1, &lineage("/tree/a"));
        }
        assert!(!is_endless(&sets, "/tree/a", "/tree/b", 100));
    }

    #[test]
    fn numbered_pages_that_end_are_not_endless() {
        let mut sets = EndlessSets::default();
        for number in 1..400 {
            for test in
                record_from(&mut sets, &format!("/p?n={number}"), &format!("/p?n={}", number - 1))
            {
                sets.record_test(&test.key, false, true);
            }
            sets.record_discovery(&branch_chain("/p?n=1").1, &lineage("/p?n=1"));
        }
        assert!(!is_endless(&sets, "/p?n=500", "/p?n=399", 300));
    }
}
