//! Spider traps: endless URLs without new content.
//!
//! There are two kinds of evidence. The *shape* of a URL may result from a broken relative
//! link (repeated segments, host names in the path). And the *pages* of one
//! [pattern](UrlPattern) of URLs may be near duplicates: each pattern has a budget for
//! near duplicates, which grows with new content. A large section of real pages is therefore
//! never cut off, and an endless calendar is.
//!
//! This module does not fetch and does not read the clock. Its state can be stored, so that
//! a crawl can be resumed.

mod budget;
mod calendar;
mod fingerprint;
mod host_in_path;
mod html_text;
mod pattern;
mod segment_class;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;

use budget::PatternBudget;
pub use fingerprint::PageFingerprint;
use fingerprint::TextFingerprint;
use host_in_path::HostTrials;
pub use pattern::UrlPattern;

/// Maximum number of stored patterns. If there are more, the half with the lowest eviction
/// priority is dropped, so that memory is bounded.
const MAX_PATTERNS: usize = 4_096;

/// Maximum number of reported patterns per kind. Further ones are counted together.
const MAX_REPORTED: usize = 1_000;

/// The name of the patterns beyond [`MAX_REPORTED`].
const OTHERS: &str = "(other patterns)";

/// The kind of a spider trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrapKind {
    /// Too many path segments.
    TooDeep,
    /// One segment repeated many times.
    RepeatedSegment,
    /// Longer than browsers and caches accept.
    TooLong,
    /// Too many query parameters.
    TooManyParameters,
    /// A host name in the path.
    HostInPath,
    /// The same pages with changing session ids.
    SessionIds,
    /// Endless dates without content.
    EndlessCalendar,
    /// Endless numbered pages with the same content.
    EndlessPages,
    /// Other URLs of one pattern with the same content.
    NearDuplicates,
}

impl TrapKind {
    /// Returns a description for reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooDeep => "paths with too many segments",
            Self::RepeatedSegment => "paths with repeated segments",
            Self::TooLong => "URLs too long for browsers",
            Self::TooManyParameters => "too many query parameters",
            Self::HostInPath => "host names in the path (a link without `https://`)",
            Self::EndlessCalendar => "an endless calendar",
            Self::EndlessPages => "endless numbered pages",
            Self::SessionIds => "the same pages with changing session ids",
            Self::NearDuplicates => "many URLs with the same content",
        }
    }
}

/// Whether a crawl fetches a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrapDecision {
    /// It does.
    Allow,
    /// It does not; holds the trap and the pattern of the URL.
    Reject(TrapKind, String),
}

/// A pattern of rejected URLs, for reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetectedTrap {
    /// The kind of trap.
    pub kind: TrapKind,
    /// The pattern of the URLs.
    pub pattern: String,
    /// Number of rejected URLs.
    pub count: u64,
    /// The first of them.
    pub example: String,
}

/// Detects spider traps during a crawl.
///
/// ```
/// use relink_frontier::{PageFingerprint, TrapDecision, TrapDetector};
/// let mut detector = TrapDetector::new(2026);
/// let page = |number: u32| format!("https://example.org/list?p={number}").parse();
/// for number in 0..30 {
///     let text = format!("Page {number}: nothing here");
///     detector.record_page(&page(number)?, &PageFingerprint::from_text(None, &text, 0));
/// }
/// assert!(matches!(detector.check(&page(31)?, 9), TrapDecision::Reject(..)));
/// assert_eq!(detector.report()[0].pattern, "example.org/list?p={n}");
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TrapDetector {
    /// The year in which the crawl started.
    year: i16,
    budgets: BTreeMap<String, PatternBudget>,
    hosts: HostTrials,
    /// Patterns of redirects, with the patterns of their targets.
    #[serde(default)]
    redirect_targets: BTreeMap<String, String>,
    rejected: BTreeMap<TrapKind, BTreeMap<String, Rejections>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Rejections {
    count: u64,
    example: String,
}

impl TrapDetector {
    /// Returns a detector for a crawl that starts in `year`. Dates far from it get a smaller
    /// budget.
    pub fn new(year: i16) -> Self {
        Self { year, ..Self::default() }
    }

    /// Decides whether to fetch `url`, found `depth` links from a seed. Seeds are always
    /// allowed.
    ///
    /// Call it when a link is found and again before it is fetched: a page may contain a
    /// thousand links before the first of them is fetched. Every rejection is counted, so do
    /// not check a rejected URL again.
    pub fn check(&mut self, url: &Url, depth: u32) -> TrapDecision {
        if depth == 0 {
            return TrapDecision::Allow;
        }
        let Some((kind, pattern)) = self.find_trap(url) else { return TrapDecision::Allow };
        self.count(kind, &pattern, url, 1);
        TrapDecision::Reject(kind, pattern)
    }

    /// Records that the link `url` was replaced by another URL, because one of its parameters
    /// is irrelevant.
    pub fn record_stripped(&mut self, url: &Url) {
        let pattern = UrlPattern::new(url, self.year);
        self.count(pattern.kind(), pattern.as_str(), url, 1);
    }

    /// Records a redirect from `from` to `to`. The first pattern then uses the budget of the
    /// second. Otherwise the redirecting URLs would count as outlinks of the pages behind
    /// them.
    pub fn record_redirect(&mut self, from: &Url, to: &Url) {
        let (from, to) = (UrlPattern::new(from, self.year), UrlPattern::new(to, self.year));
        let is_relevant = from.is_variable() && to.is_variable() && from != to;
        if is_relevant && self.redirect_targets.len() < MAX_PATTERNS {
            self.redirect_targets.insert(from.into_string(), to.into_string());
        }
    }

    /// Records the content of a successfully fetched page. Do not call it for missing pages,
    /// which are not evidence about their pattern.
    pub fn record_page(&mut self, url: &Url, page: &PageFingerprint) {
        self.hosts.record_page(url, page);
        let pattern = UrlPattern::new(url, self.year);
        // A pattern without variable parts has one URL and is not a trap.
        if !pattern.is_variable() {
            return;
        }
        if self.budgets.len() >= MAX_PATTERNS && !self.budgets.contains_key(pattern.as_str()) {
            self.evict_half();
        }
        let budget = self.budgets.entry(pattern.as_str().to_owned()).or_default();
        budget.record_page(page, &pattern);
    }

    /// Counts the new links on `page` that lead out of its pattern to patterns that are not
    /// traps. [`PageFingerprint`] needs this number. Links within the pattern do not count,
    /// because every page of a calendar has a new link to the next.
    pub fn new_outlinks<'a>(&self, page: &Url, found: impl IntoIterator<Item = &'a Url>) -> usize {
        let own = UrlPattern::new(page, self.year).into_string();
        let leads_out = |link: &&Url| {
            let pattern = UrlPattern::new(link, self.year).into_string();
            let target = self.redirect_targets.get(&pattern).unwrap_or(&pattern);
            *target != own && pattern != own && self.find_trap(link).is_none()
        };
        found.into_iter().filter(leads_out).count()
    }

    /// Returns the rejected patterns by kind, the largest first.
    pub fn report(&self) -> Vec<DetectedTrap> {
        let all = self.rejected.iter().flat_map(|(kind, patterns)| {
            patterns.iter().map(|(pattern, rejections)| DetectedTrap {
                kind: *kind,
                pattern: pattern.clone(),
                count: rejections.count,
                example: rejections.example.clone(),
            })
        });
        let mut report: Vec<DetectedTrap> = all.collect();
        report.sort_by(|one, other| (one.kind, other.count).cmp(&(other.kind, one.count)));
        report
    }

    fn find_trap(&self, url: &Url) -> Option<(TrapKind, String)> {
        if let Some(trap) = shape::find_trap(url) {
            return Some(trap);
        }
        if let Some(pattern) = self.hosts.find_trap(url) {
            return Some((TrapKind::HostInPath, pattern));
        }
        let pattern = UrlPattern::new(url, self.year);
        let target =
            self.redirect_targets.get(pattern.as_str()).map_or(pattern.as_str(), String::as_str);
        let budget = self.budgets.get(target)?;
        budget.is_exhausted(pattern.is_far()).then(|| (pattern.kind(), pattern.into_string()))
    }

    fn count(&mut self, kind: TrapKind, pattern: &str, url: &Url, rejected: u64) {
        let patterns = self.rejected.entry(kind).or_default();
        let is_full = patterns.len() >= MAX_REPORTED && !patterns.contains_key(pattern);
        let name = if is_full { OTHERS } else { pattern };
        let first = || Rejections { count: 0, example: url.to_string() };
        patterns.entry(name.to_owned()).or_insert_with(first).count += rejected;
    }

    fn evict_half(&mut self) {
        let mut priorities: Vec<u32> =
            self.budgets.values().map(PatternBudget::eviction_priority).collect();
        priorities.sort_unstable();
        let median = priorities.get(priorities.len() / 2).copied().unwrap_or_default();
        let mut remaining = self.budgets.len() / 2;
        self.budgets.retain(|_, budget| {
            let is_evicted = remaining > 0 && budget.eviction_priority() <= median;
            remaining -= usize::from(is_evicted);
            !is_evicted
        });
    }
}

/// Whether a fingerprint differs from all earlier ones.
fn is_new<'a>(
    fingerprint: &TextFingerprint,
    mut earlier: impl Iterator<Item = &'a TextFingerprint>,
) -> bool {
    !earlier.any(|other| fingerprint.is_same(other))
}
