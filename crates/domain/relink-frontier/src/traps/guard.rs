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

/// Limits of a crawl, and exceptions that the user has allowed.
#[derive(Debug, Clone)]
pub struct TrapLimits {
    /// Maximum number of pages of a growing set of URLs to which only pages of the set link.
    /// The set grows faster than it is fetched.
    pub pattern_pages: u32,
    /// Maximum number of pages per host.
    pub host_pages: u64,
    /// URLs that are fetched even if they belong to a trap. `None` means no URLs.
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
    /// Accepted URLs that are not fetched yet, by their hash, with the first page that links to
    /// each.
    #[serde(skip)]
    queued: HashMap<u64, Option<Arc<str>>>,
    /// The first page that linked to each accepted URL. Not stored: after an interruption, URLs
    /// that were accepted before the interruption count as start pages.
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

    /// Returns the URL under which a link is fetched. Parameters that do not change the page are
    /// removed. The other parameters are in the order of the first accepted URL with the same
    /// parameters.
    pub fn rewrite(&mut self, url: &Url, from: &Url) -> Url {
        if url.query().is_none() || self.is_exempt(url) {
            return url.clone();
        }
        let (stripped, removed) = self.learner.strip(url);
        if let Some(key) = removed.first() {
            let branch = format!("{}/…?{key}=…", host_key(url));
            self.count_rejection(TrapKind::IrrelevantParameters, &branch, url, Some(from));
        }
        let spelling = self.spellings.get(&hash_of(&sort_parameters(&stripped)));
        spelling.and_then(|first| Url::parse(first).ok()).unwrap_or(stripped)
    }

    /// Decides whether to fetch a new URL that the page `from` links to. A start page, for which
    /// `from` is `None`, is always fetched. Every rejection is counted.
    pub fn check(&mut self, url: &Url, from: Option<&Url>) -> TrapDecision {
        let Some(from) = from else { return TrapDecision::Allow };
        if self.is_exempt(url) {
            return TrapDecision::Allow;
        }
        let trap = self.find_trap(url, from);
        self.decide(url, trap, Some(from))
    }

    /// Decides whether an accepted URL is still fetched.
    pub fn check_again(&mut self, url: &Url) -> TrapDecision {
        if self.is_exempt(url) {
            return TrapDecision::Allow;
        }
        let from = self.queued.get(&hash_of(url.as_str())).and_then(Option::as_deref);
        let from = from.and_then(|from| Url::parse(from).ok());
        let duplicate_section = self.variants.find_fetched_duplicate(url);
        let trap = duplicate_section
            .map(|section| (TrapKind::SameSpelling, section))
            .or_else(|| from.as_ref().and_then(|from| self.find_endless_set(url, from)))
            .or_else(|| self.detector.find_trap(url));
        self.decide(url, trap, from.as_ref())
    }

    /// Rejects a URL if it belongs to a trap, and counts the rejection.
    fn decide(
        &mut self,
        url: &Url,
        trap: Option<(TrapKind, String)>,
        from: Option<&Url>,
    ) -> TrapDecision {
        let Some((kind, branch)) = trap else { return TrapDecision::Allow };
        self.count_rejection(kind, &branch, url, from);
        TrapDecision::Reject(kind, branch)
    }

    /// Counts a rejection for the report.
    fn count_rejection(&mut self, kind: TrapKind, branch: &str, url: &Url, from: Option<&Url>) {
        let from_section = from.map(section).unwrap_or_default();
        self.detector.rejections.count(kind, branch, url, &from_section);
    }

    /// Returns the kind of trap that a new URL belongs to, and the name of its branch.
    fn find_trap(&mut self, url: &Url, from: &Url) -> Option<(TrapKind, String)> {
        if let Some(section) = self.variants.find_duplicate(url) {
            return Some((TrapKind::SameSpelling, section));
        }
        let host = host_key(url);
        let is_host_full =
            self.host_pages.get(&host).is_some_and(|pages| *pages >= self.limits.host_pages);
        if is_host_full {
            return Some((TrapKind::HostBudget, host));
        }
        self.detector.find_trap(url).or_else(|| self.find_endless_set(url, from))
    }

    /// Returns the endless set of a URL if the page `from`, which links to the URL, is in the set
    /// or was found through the set.
    fn find_endless_set(&self, url: &Url, from: &Url) -> Option<(TrapKind, String)> {
        let detector = &self.detector;
        let mut lineage = self.tree.lineage(hash_of(from.as_str())).to_vec();
        lineage.extend(self.set_hashes(from));
        let max_pages = self.limits.pattern_pages;
        let set = detector.endless.endless_set(&detector.branch_chain(url), &lineage, max_pages)?;
        Some((TrapKind::Generated, set))
    }

    /// Returns the hashes of the sets of a URL.
    fn set_hashes(&self, url: &Url) -> Vec<u64> {
        let keys = self.detector.branch_chain(url).endless_keys();
        keys.iter().map(|key| key_hash(key)).collect()
    }

    /// Whether the user has exempted this URL from the detection of traps.
    fn is_exempt(&self, url: &Url) -> bool {
        self.limits.entered.as_ref().is_some_and(|filter| filter.matches(url.as_str()))
    }

    /// Records that a URL will be fetched, and the page that links to it.
    pub fn accept(&mut self, url: &Url, from: Option<&Url>) {
        let has_several_parameters = parameters(url).nth(1).is_some();
        if has_several_parameters {
            let spelling = || url.as_str().into();
            self.spellings.entry(hash_of(&sort_parameters(url))).or_insert_with(spelling);
        }
        self.variants.accept(url);
        *self.host_pages.entry(host_key(url)).or_default() += 1;
        let url_hash = hash_of(url.as_str());
        let Some(from) = from else {
            self.tree.add_start(url_hash);
            return;
        };
        if self.last_page.as_deref() != Some(from.as_str()) {
            self.last_page = Some(from.as_str().into());
        }
        self.queued.insert(url_hash, self.last_page.clone());
        let detector = &mut self.detector;
        let sets_of_from = || {
            let keys = detector.branch_chain(from).endless_keys();
            keys.iter().map(|key| key_hash(key)).collect()
        };
        self.tree.add(url_hash, hash_of(from.as_str()), sets_of_from);
        let branches = detector.branch_chain(url);
        detector.endless.record_discovery(&branches, self.tree.lineage(url_hash));
    }

    /// Records a link to a URL that was accepted before.
    pub fn record_known_link(&mut self, url: &Url, from: &Url) {
        // A page may contain the same link twice. Only links from other pages count.
        let url_hash = hash_of(url.as_str());
        let first_page = self.queued.get(&url_hash).and_then(Option::as_deref);
        let is_from_other_page = first_page.is_some_and(|page| page != from.as_str());
        if is_from_other_page && self.tree.record_link(url_hash, hash_of(from.as_str())) {
            let detector = &mut self.detector;
            let branches = detector.branch_chain(url);
            detector.endless.record_remote_link(&branches, self.tree.lineage(url_hash));
        }
    }

    /// Records that a URL redirects.
    pub fn record_redirect(&mut self, from: &Url, to: &Url) {
        self.queued.remove(&hash_of(from.as_str()));
        self.detector.record_redirect(from, to);
    }

    /// Records that the redirects of a URL do not end.
    pub fn record_endless_redirect(&mut self, url: &Url) {
        self.detector.record_endless_redirect(url);
    }

    /// Records the text of a fetched page and its new links that were accepted. The caller must
    /// not record missing pages, because they prove nothing. Returns invented URLs to fetch. They
    /// decide whether the page is part of an endless set.
    pub fn record_page(
        &mut self,
        url: &Url,
        page: &PageFingerprint,
        new_links: &[Url],
    ) -> Vec<EndlessTest> {
        let url_hash = hash_of(url.as_str());
        let from = self.queued.remove(&url_hash).flatten();
        let from = from.and_then(|from| Url::parse(&from).ok());
        let lineage = self.tree.lineage(url_hash);
        let links = PageLinks { from: from.as_ref(), lineage, new: new_links };
        let (value, tests) = self.detector.record_page(url, page, links);
        let content = PageContent {
            exact: page.exact,
            masked: page.masked(),
            is_growing: value == PageValue::Growing,
        };
        // A page that leads to new content has value even if its text is known. Therefore, its
        // parameters and spelling must not count as irrelevant.
        if value != PageValue::Linked {
            self.variants.record_page(url, content);
            self.duplicates.compare(url, content, &mut self.learner);
        }
        tests
    }

    /// Records the pages at the invented URLs of a test. `None` stands for a URL that does not
    /// exist.
    pub fn record_test(&mut self, key: &str, pages: &[Option<PageFingerprint>]) {
        self.detector.record_test(key, pages);
    }

    /// Returns the detected traps without duplicates.
    pub fn report(&self) -> Vec<DetectedTrap> {
        self.detector.rejections.report()
    }
}

fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
