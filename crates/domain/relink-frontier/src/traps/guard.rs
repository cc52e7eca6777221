//! Decides which URLs of a site a crawl fetches.
//!
//! Combines all evidence about spider traps: parameters that do not change a page, the order
//! of parameters, other spellings of URLs, budgets and endless sets.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use url::Url;

use super::budget::PageValue;
use super::discovery::DiscoveryTree;
use super::endless::key_hash;
use super::variants::{UrlVariants, section};
use super::{
    DetectedTrap, EndlessTest, PageFingerprint, PageLinks, TrapDecision, TrapDetector, TrapKind,
};
use crate::parameters::{DuplicateParameters, PageContent, ParameterLearner};
use crate::query::{parameters, sort_parameters};
use crate::{UrlFilter, host_key};

/// Limits of a crawl, and traps that the user allows it to enter.
#[derive(Debug, Clone)]
pub struct TrapLimits {
    /// Maximum number of pages of a set of URLs to which only pages of the set link, and which
    /// grows faster than it is fetched.
    pub pattern_pages: u32,
    /// Maximum number of pages per host.
    pub host_pages: u64,
    /// URLs that are fetched even if they are part of a trap; `None` for none.
    pub entered: Option<UrlFilter>,
}

impl Default for TrapLimits {
    fn default() -> Self {
        Self { pattern_pages: 1_500, host_pages: 1_000_000, entered: None }
    }
}

/// Protects a crawl from spider traps.
///
/// ```
/// use relink_frontier::{PageFingerprint, TrapDecision, TrapGuard, TrapLimits};
/// let mut guard = TrapGuard::new(2026, TrapLimits::default());
/// let page = |number: u32| format!("https://example.org/list?p={number}").parse();
/// for number in 0..100 {
///     let (url, next) = (page(number)?, page(number + 1)?);
///     let text = PageFingerprint::from_text(&url, Some("List"), "Nothing here");
///     guard.accept(&next, Some(&url));
///     guard.record_page(&url, &text, &[next]);
/// }
/// assert!(matches!(guard.check(&page(200)?, Some(&page(100)?)), TrapDecision::Reject(..)));
/// assert_eq!(guard.report()[0].pattern, "example.org/list?…");
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TrapGuard {
    #[serde(skip)]
    limits: TrapLimits,
    pub(super) detector: TrapDetector,
    learner: ParameterLearner,
    variants: UrlVariants,
    /// Contents of pages whose URLs differ in one parameter.
    #[serde(skip)]
    duplicates: DuplicateParameters,
    /// The first accepted URL of each set of URLs that differ only in the order of parameters,
    /// by the hash of the URL with sorted parameters.
    #[serde(skip)]
    spellings: HashMap<u64, Box<str>>,
    /// Accepted URLs that are not fetched yet, with the first page that links to each.
    #[serde(skip)]
    queued: HashMap<u64, Option<Arc<str>>>,
    /// The first page that linked to each accepted URL. Not stored: after an interruption, URLs
    /// that were accepted before it are taken for start pages.
    #[serde(skip)]
    tree: DiscoveryTree,
    /// The page whose links were accepted last.
    #[serde(skip)]
    last_page: Option<Arc<str>>,
    /// Number of accepted URLs by host.
    #[serde(skip)]
    host_pages: BTreeMap<String, u64>,
}

impl TrapGuard {
    /// Returns a guard for a crawl that starts in `year`.
    pub fn new(year: i16, limits: TrapLimits) -> Self {
        Self { limits, detector: TrapDetector::new(year), ..Self::default() }
    }

    /// Continues with a stored guard. Every URL that was accepted before must be passed to
    /// [`accept`](Self::accept) again.
    #[must_use]
    pub fn resume(mut self, limits: TrapLimits) -> Self {
        self.detector.endless.restart_tests();
        Self { limits, ..self }
    }

    /// Returns the URL under which a link is fetched: without parameters that do not change
    /// the page, and with the parameters in the order of the first such URL.
    pub fn rewrite(&mut self, url: &Url, from: &Url) -> Url {
        if url.query().is_none() || self.is_exempt(url) {
            return url.clone();
        }
        let (stripped, removed) = self.learner.strip(url);
        if !removed.is_empty() {
            let key = removed.first().map_or("", String::as_str);
            let branch = format!("{}/…?{key}=…", host_key(url));
            self.count(TrapKind::IrrelevantParameters, &branch, url, Some(from));
        }
        let spelling = self.spellings.get(&hash(&sort_parameters(&stripped)));
        spelling.and_then(|first| Url::parse(first).ok()).unwrap_or(stripped)
    }

    /// Decides whether to fetch a new URL that the page `from` links to. Start pages have no
    /// such page and are always fetched. Every rejection is counted.
    pub fn check(&mut self, url: &Url, from: Option<&Url>) -> TrapDecision {
        let Some(from) = from.filter(|_| !self.is_exempt(url)) else { return TrapDecision::Allow };
        let trap = self.find_trap(url, from);
        self.decide(url, trap, Some(from))
    }

    /// Decides whether an accepted URL is still fetched.
    pub fn check_again(&mut self, url: &Url) -> TrapDecision {
        if self.is_exempt(url) {
            return TrapDecision::Allow;
        }
        let from = self.queued.get(&hash(url.as_str())).and_then(Option::as_deref);
        let from = from.and_then(|from| Url::parse(from).ok());
        let duplicate = self.variants.find_fetched_duplicate(url);
        let trap = duplicate
            .map(|section| (TrapKind::SameSpelling, section))
            .or_else(|| from.as_ref().and_then(|from| self.endless(url, from)))
            .or_else(|| self.detector.find_trap(url));
        self.decide(url, trap, from.as_ref())
    }

    /// Rejects a URL that belongs to a trap, and counts the rejection.
    fn decide(
        &mut self,
        url: &Url,
        trap: Option<(TrapKind, String)>,
        from: Option<&Url>,
    ) -> TrapDecision {
        let Some((kind, branch)) = trap else { return TrapDecision::Allow };
        self.count(kind, &branch, url, from);
        TrapDecision::Reject(kind, branch)
    }

    /// Counts a rejection for the report.
    fn count(&mut self, kind: TrapKind, branch: &str, url: &Url, from: Option<&Url>) {
        let from = from.map(section).unwrap_or_default();
        self.detector.rejections.count(kind, branch, url, &from);
    }

    /// Returns the trap and the branch of a new URL.
    fn find_trap(&mut self, url: &Url, from: &Url) -> Option<(TrapKind, String)> {
        if let Some(section) = self.variants.find_duplicate(url) {
            return Some((TrapKind::SameSpelling, section));
        }
        let host = host_key(url);
        if self.host_pages.get(&host).is_some_and(|pages| *pages >= self.limits.host_pages) {
            return Some((TrapKind::HostBudget, host));
        }
        self.detector.find_trap(url).or_else(|| self.endless(url, from))
    }

    /// Returns the endless set of a URL if the page that links to it is in the set, or was found
    /// through it.
    fn endless(&self, url: &Url, from: &Url) -> Option<(TrapKind, String)> {
        let detector = &self.detector;
        let mut lineage = self.tree.lineage(hash(from.as_str())).to_vec();
        lineage.extend(self.set_hashes(from));
        let pages = self.limits.pattern_pages;
        let set = detector.endless.endless_set(&detector.chain(url), &lineage, pages)?;
        Some((TrapKind::Generated, set))
    }

    /// Returns the hashes of the sets of a URL.
    fn set_hashes(&self, url: &Url) -> Vec<u64> {
        let keys = self.detector.chain(url).endless_keys();
        keys.iter().map(|key| key_hash(key)).collect()
    }

    /// Whether the user wants this URL to be fetched even if it is part of a trap.
    fn is_exempt(&self, url: &Url) -> bool {
        self.limits.entered.as_ref().is_some_and(|filter| filter.matches(url.as_str()))
    }

    /// Records that a URL will be fetched, and the page that links to it.
    pub fn accept(&mut self, url: &Url, from: Option<&Url>) {
        if parameters(url).nth(1).is_some() {
            let first = || url.as_str().into();
            self.spellings.entry(hash(&sort_parameters(url))).or_insert_with(first);
        }
        self.variants.accept(url);
        *self.host_pages.entry(host_key(url)).or_default() += 1;
        let own_hash = hash(url.as_str());
        let Some(from) = from else {
            self.tree.add_start(own_hash);
            return;
        };
        let is_last = self.last_page.as_deref() == Some(from.as_str());
        if !is_last {
            self.last_page = Some(from.as_str().into());
        }
        self.queued.insert(own_hash, self.last_page.clone());
        let detector = &mut self.detector;
        let keys = || detector.chain(from).endless_keys();
        let hashes = || keys().iter().map(|key| key_hash(key)).collect();
        self.tree.add(own_hash, hash(from.as_str()), hashes);
        let link = detector.chain(url);
        detector.endless.record_discovery(&link, self.tree.lineage(own_hash));
    }

    /// Records a link to a URL that was accepted before.
    pub fn record_known_link(&mut self, url: &Url, from: &Url) {
        // A page may contain the same link twice; only links from other pages count.
        let own_hash = hash(url.as_str());
        let discoverer = self.queued.get(&own_hash).and_then(Option::as_deref);
        let is_repeated = discoverer.is_some_and(|page| page != from.as_str());
        if is_repeated && self.tree.record_link(own_hash, hash(from.as_str())) {
            let detector = &mut self.detector;
            let link = detector.chain(url);
            detector.endless.record_remote_link(&link, self.tree.lineage(own_hash));
        }
    }

    /// Records that a URL redirects.
    pub fn record_redirect(&mut self, from: &Url, to: &Url) {
        self.queued.remove(&hash(from.as_str()));
        self.detector.record_redirect(from, to);
    }

    /// Records that the redirects of a URL do not end.
    pub fn record_endless_redirect(&mut self, url: &Url) {
        self.detector.record_endless_redirect(url);
    }

    /// Records the text of a fetched page and its new links that were accepted. Missing pages
    /// are not evidence, so the caller must not record them. Returns invented URLs to fetch that
    /// are needed to decide whether the page is part of an endless set.
    pub fn record_page(
        &mut self,
        url: &Url,
        page: &PageFingerprint,
        new_links: &[Url],
    ) -> Vec<EndlessTest> {
        let own_hash = hash(url.as_str());
        let from = self.queued.remove(&own_hash).flatten();
        let from = from.and_then(|from| Url::parse(&from).ok());
        let lineage = self.tree.lineage(own_hash);
        let links = PageLinks { from: from.as_ref(), lineage, new: new_links };
        let (value, tests) = self.detector.record_page(url, page, links);
        let content = PageContent {
            exact: page.exact,
            masked: page.masked(),
            is_growing: value == PageValue::Growing,
        };
        // A page that leads to new content is worth fetching even if its text is known, so its
        // parameters and spelling must not be taken for irrelevant.
        if value != PageValue::Linked {
            self.variants.record_page(url, content);
            self.duplicates.compare(url, content, &mut self.learner);
        }
        tests
    }

    /// Records the pages at the invented URLs of a test; `None` for a URL that does not
    /// exist.
    pub fn record_test(&mut self, key: &str, pages: &[Option<PageFingerprint>]) {
        self.detector.record_test(key, pages);
    }

    /// Returns the traps, each once.
    pub fn report(&self) -> Vec<DetectedTrap> {
        self.detector.rejections.report()
    }
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
