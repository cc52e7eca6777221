//! Spider traps: endless URLs without new content.
//!
//! There are four kinds of evidence:
//!
//! - The [shape](shape) of a URL may result from a broken relative link: repeated segments,
//!   or host names in the path.
//! - A *branch* is a set of URLs with something in common, such as a directory or a path
//!   with any query. The number of pages without new text that are fetched from a
//!   [branch](branch) is limited by the [budget](budget) of the branch. A branch with new
//!   text is *promising*.
//! - A set of pages with text of their own may be [endless](endless).
//! - Several [spellings](variants) of a URL may lead to the same page.
//!
//! A large section of real pages is not cut off, because its text is new. An endless
//! calendar is cut off, because its pages differ only in numbers and names of months.
//!
//! [`TrapGuard`] combines all evidence and is the interface to the crawl.
//!
//! This module does not fetch and does not read the clock. Its state can be stored, so that
//! a crawl can be resumed.

mod branch;
mod budget;
mod calendar;
mod discovery;
mod endless;
mod fingerprint;
mod guard;
mod host_in_path;
mod html_text;
mod invented_url;
mod kind;
mod known_text;
mod pattern;
mod report;
mod segment_class;
mod shape;
#[cfg(test)]
mod tests;

mod variants;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;

use branch::{BranchChain, is_domain_key};
use budget::{BranchBudget, BranchKind, PageValue};
pub use endless::EndlessTest;
use endless::{DiscoveredPage, EndlessSets};
pub use fingerprint::PageFingerprint;
pub use guard::{TrapGuard, TrapLimits};
use host_in_path::HostTrials;
use invented_url::Inventor;
pub use kind::TrapKind;
use known_text::KnownText;
pub use pattern::UrlPattern;
pub use report::DetectedTrap;
use report::Rejections;

/// Maximum number of stored branches. If there are more, the half with the lowest eviction
/// priority is dropped, so that memory is bounded.
const MAX_BRANCHES: usize = 16_384;
/// Maximum number of stored redirects.
const MAX_REDIRECTS: usize = 4_096;
/// Number of endless redirects after which no URL of the same pattern is fetched. Each endless
/// redirect costs twice as many requests as the maximum number of redirects.
const MAX_ENDLESS_REDIRECTS: u32 = 3;

/// Whether a crawl fetches a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrapDecision {
    /// The URL is fetched.
    Allow,
    /// The URL is not fetched. Holds the kind of trap and the branch of the URL.
    Reject(TrapKind, String),
}

/// How a page was found, and its links.
#[derive(Debug, Clone, Copy)]
struct PageLinks<'a> {
    /// The first page that linked to this page.
    from: Option<&'a Url>,
    /// Hashes of the sets to which the pages on the way to this page belong.
    lineage: &'a [u64],
    /// URLs on this page that no earlier page contained.
    new: &'a [Url],
}

/// Detects spider traps by the text of pages and the shape of URLs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct TrapDetector {
    /// The year in which the crawl started.
    year: i16,
    budgets: BTreeMap<String, BranchBudget>,
    known_text: KnownText,
    endless: EndlessSets,
    hosts: HostTrials,
    /// Patterns of redirects, with one of their targets.
    redirect_targets: BTreeMap<String, String>,
    /// Number of endless redirects by pattern.
    #[serde(default)]
    endless_redirects: BTreeMap<String, u32>,
    rejections: Rejections,
}

impl TrapDetector {
    /// Returns a detector for a crawl that starts in `year`. URLs with dates far from this
    /// year get a smaller budget.
    fn new(year: i16) -> Self {
        Self { year, ..Self::default() }
    }

    /// Returns the branches of a URL, the largest first.
    fn branch_chain(&self, url: &Url) -> BranchChain {
        BranchChain::new(url, self.year)
    }

    /// Returns the branches of the redirect target if the URLs of this pattern redirect,
    /// otherwise `url_chain`.
    fn target_chain(&self, url_chain: BranchChain) -> BranchChain {
        let target = self.redirect_targets.get(url_chain.pattern().as_str());
        match target.and_then(|target| Url::parse(target).ok()) {
            Some(target) => self.branch_chain(&target),
            None => url_chain,
        }
    }

    /// Returns the kind of trap that a URL belongs to and the name of its branch, or `None` if the
    /// URL may be fetched. A URL of an exhausted branch may be fetched as a trial if no page of
    /// its smallest branch was fetched.
    fn find_trap(&mut self, url: &Url) -> Option<(TrapKind, String)> {
        if let Some(trap) = shape::find_trap(url) {
            return Some(trap);
        }
        if let Some(pattern) = self.hosts.find_trap(url) {
            return Some((TrapKind::HostInPath, pattern));
        }
        let url_chain = self.branch_chain(url);
        let redirects = self.endless_redirects.get(url_chain.pattern().as_str());
        if redirects.is_some_and(|count| *count >= MAX_ENDLESS_REDIRECTS) {
            return Some((TrapKind::EndlessRedirects, url_chain.pattern().as_str().to_owned()));
        }
        let kind = url_chain.pattern().kind();
        let chain = self.target_chain(url_chain);
        let exhausted = self.exhausted_branch(&chain)?;
        let is_unseen =
            |key: &String| self.budgets.get(key).is_none_or(|budget| budget.is_unseen());
        let is_smallest_unseen = chain.keys().last().is_some_and(is_unseen);
        if is_smallest_unseen
            && let Some(budget) = self.budgets.get_mut(&exhausted)
            && budget.has_trial()
        {
            budget.use_trial();
            return None;
        }
        // The name of a whole host would not be useful in a report. Use its next branch.
        let name = if chain.is_host(&exhausted) {
            chain.keys_below_host().first().cloned()
        } else {
            Some(exhausted)
        };
        Some((kind, name.unwrap_or_else(|| chain.pattern().as_str().to_owned())))
    }

    /// Returns the largest exhausted branch of a URL, or `None` if a smaller branch is promising.
    fn exhausted_branch(&self, chain: &BranchChain) -> Option<String> {
        let mut exhausted = None;
        for key in chain.keys() {
            let Some(budget) = self.budgets.get(key) else { continue };
            let kind = match key {
                _ if is_domain_key(key) => BranchKind::Domain,
                _ if chain.is_host(key) => BranchKind::Host,
                _ if chain.pattern().is_far() => BranchKind::FarDates,
                _ => BranchKind::Other,
            };
            if budget.is_exhausted(kind) {
                exhausted = exhausted.or(Some(key));
            } else if budget.is_promising() {
                exhausted = None;
            }
        }
        exhausted.cloned()
    }

    /// Records the text of a fetched page and the new URLs that it links to. Returns the value
    /// of the page for its smallest branch, and the tests that are due.
    fn record_page(
        &mut self,
        url: &Url,
        page: &PageFingerprint,
        links: PageLinks<'_>,
    ) -> (PageValue, Vec<EndlessTest>) {
        let new_links = links.new;
        self.hosts.record_page(url, page);
        let chain = self.branch_chain(url);
        let has_new_text = self.known_text.add(page);
        // The text of a generated page is new, but has no value.
        let is_new = has_new_text && !self.endless.is_generated(&chain);
        let source = links.from.map(|from| (from, self.branch_chain(from)));
        if let Some((_, source_chain)) = &source
            && is_new
        {
            self.record_discovery(source_chain, &chain);
        }
        let promising_links: Vec<BranchChain> =
            if is_new { Vec::new() } else { self.promising_branches(new_links) };
        // The last iteration sets the value of the page for its smallest branch.
        let mut value_for_smallest = PageValue::Inert;
        for key in chain.keys() {
            let leads_to_other_branch = || promising_links.iter().any(|link| !link.contains(key));
            let value = if is_new {
                PageValue::New
            } else if new_links.is_empty() {
                PageValue::Inert
            } else if leads_to_other_branch() {
                PageValue::Linked
            } else {
                PageValue::Growing
            };
            self.budget_mut(key).record_page(value);
            value_for_smallest = value;
        }
        let source = source.as_ref().map(|(from, source_chain)| (*from, source_chain));
        let page = DiscoveredPage { url, branch_chain: &chain, source, lineage: links.lineage };
        let tests = self.endless.record_page(page, has_new_text, Inventor::new(self.year));
        (value_for_smallest, tests)
    }

    /// Credits the branches of the page `from`, which led to new content in another branch.
    fn record_discovery(&mut self, from: &BranchChain, discovered: &BranchChain) {
        for key in from.keys().iter().filter(|key| !discovered.contains(key)) {
            if let Some(budget) = self.budgets.get_mut(key) {
                budget.record_discovery();
            }
        }
    }

    /// Returns the branches of the URLs that may lead to new content.
    fn promising_branches(&self, urls: &[Url]) -> Vec<BranchChain> {
        let chains = urls.iter().map(|url| self.target_chain(self.branch_chain(url)));
        chains.filter(|chain| self.is_promising(chain)).collect()
    }

    /// Whether the smallest known branch of a URL is promising. A URL is also promising if no
    /// branch below the host is known.
    fn is_promising(&self, chain: &BranchChain) -> bool {
        let keys = chain.keys_below_host().iter();
        let smallest_known = keys.rev().find_map(|key| self.budgets.get(key));
        smallest_known.is_none_or(|budget| budget.is_promising())
    }

    /// Returns the budget of a branch. A new branch gets an unspent budget.
    fn budget_mut(&mut self, key: &str) -> &mut BranchBudget {
        if self.budgets.len() >= MAX_BRANCHES && !self.budgets.contains_key(key) {
            self.evict_half();
        }
        self.budgets.entry(key.to_owned()).or_default()
    }

    /// Records a redirect from `from` to `to`. URLs with the pattern of `from` then use the
    /// budget of `to`. A redirect to a branch without new content costs as much as a page.
    fn record_redirect(&mut self, from: &Url, to: &Url) {
        let target_chain = self.branch_chain(to);
        if !self.is_promising(&target_chain) {
            for key in self.branch_chain(from).keys() {
                self.budget_mut(key).record_page(PageValue::Growing);
            }
        }
        let from_pattern = UrlPattern::new(from, self.year);
        let to_pattern = UrlPattern::new(to, self.year);
        let is_relevant = from_pattern.is_variable() && from_pattern != to_pattern;
        if is_relevant && self.redirect_targets.len() < MAX_REDIRECTS {
            self.redirect_targets.insert(from_pattern.into_string(), to.to_string());
        }
    }

    /// Records a URL whose redirects exceed the maximum number.
    fn record_endless_redirect(&mut self, url: &Url) {
        let pattern = UrlPattern::new(url, self.year);
        let is_full = self.endless_redirects.len() >= MAX_REDIRECTS;
        if pattern.is_variable() && !is_full {
            *self.endless_redirects.entry(pattern.into_string()).or_default() += 1;
        }
    }

    /// Records the pages at the invented URLs of a test. `None` stands for a URL that does not
    /// exist. The set is generated if all invented URLs are pages with new text.
    fn record_test(&mut self, key: &str, pages: &[Option<PageFingerprint>]) {
        // Each page is compared with the earlier pages of the test, too. If all pages are equal,
        // only the first is new.
        let mut is_new = |page: &Option<PageFingerprint>| {
            page.as_ref().is_some_and(|page| self.known_text.add(page))
        };
        let is_generated = pages.len() > 1 && pages.iter().all(&mut is_new);
        // A list may return its last page for every larger number.
        let mut texts: Vec<u64> = pages.iter().flatten().map(PageFingerprint::masked).collect();
        texts.dedup();
        let is_same_page = texts.len() <= 1;
        self.endless.record_test(key, is_generated, is_same_page);
    }

    /// Drops the half of the budgets with the lowest eviction priority.
    fn evict_half(&mut self) {
        let priority = |budget: &BranchBudget| budget.eviction_priority();
        let mut priorities: Vec<u32> = self.budgets.values().map(priority).collect();
        priorities.sort_unstable();
        let median = priorities.get(priorities.len() / 2).copied().unwrap_or_default();
        let mut remaining = self.budgets.len() / 2;
        self.budgets.retain(|_, budget| {
            let is_evicted = remaining > 0 && priority(budget) <= median;
            remaining -= usize::from(is_evicted);
            !is_evicted
        });
    }
}
