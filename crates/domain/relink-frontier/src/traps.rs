//! Spider traps: addresses without end that lead to nothing new.
//!
//! Two kinds of evidence. The *shape* of an address may be one that only a
//! broken relative link makes (segments that repeat, host names inside the
//! path). And the *pages* behind one [pattern](UrlPattern) of addresses may
//! all be alike: each pattern has a budget of pages that resemble earlier
//! ones, which grows while new content appears. A large section of real pages
//! is never cut, an endless calendar ends by itself.
//!
//! Nothing here fetches or knows the date; the state can be stored, so that a
//! crawl goes on where it was.

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

/// Patterns remembered. When there are more, the half that gives least cause
/// for worry is forgotten, so that no site makes a crawl grow.
const MOST_PATTERNS: usize = 4_096;

/// Patterns named in a report, per kind; what is beyond is counted together.
const MOST_REPORTED: usize = 1_000;

/// How patterns beyond [`MOST_REPORTED`] are named.
const OTHERS: &str = "(other patterns)";

/// Why an address is not entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrapKind {
    /// More path segments than any reader follows.
    TooDeep,
    /// One segment again and again.
    RepeatedSegment,
    /// Longer than browsers and caches take.
    TooLong,
    /// More query parameters than a page has use for.
    TooManyParameters,
    /// A host name inside the path.
    HostInPath,
    /// The same pages under ever new session names.
    SessionIds,
    /// Dates without end, and nothing on them.
    EndlessCalendar,
    /// Numbered pages without end, all alike.
    EndlessPages,
    /// Other addresses of one pattern that show the same.
    NearDuplicates,
    /// A page with more links than the limit. Only in crawls of version 0.1.0:
    /// such links are now counted on their own.
    TooManyLinks,
}

impl TrapKind {
    /// A sentence for the reader of a report.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooDeep => "paths that only get deeper",
            Self::RepeatedSegment => "paths that repeat themselves",
            Self::TooLong => "addresses too long for browsers",
            Self::TooManyParameters => "more parameters than a page has use for",
            Self::HostInPath => "host names inside the path (a link without `https://`)",
            Self::EndlessCalendar => "a calendar without end",
            Self::EndlessPages => "numbered pages without end",
            Self::SessionIds => "the same pages under ever new session names",
            Self::NearDuplicates => "many addresses for one page",
            Self::TooManyLinks => "a page with more links than any reader follows",
        }
    }
}

/// Whether an address is entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrapDecision {
    /// It is.
    Allow,
    /// It is not: the trap, and the pattern it stands for.
    Reject(TrapKind, String),
}

/// A pattern that was avoided, for the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetectedTrap {
    /// The trap.
    pub kind: TrapKind,
    /// What the addresses have in common.
    pub pattern: String,
    /// How many of them were refused.
    pub count: u64,
    /// The first of them.
    pub example: String,
}

/// Watches a crawl for traps.
///
/// ```
/// use relink_frontier::{Admission, PageSight, TrapWatch};
/// let mut watch = TrapWatch::new(2026);
/// let page = |number: u32| format!("https://example.org/list?p={number}").parse();
/// for number in 0..30 {
///     let text = format!("Page {number}: nothing here");
///     watch.seen(&page(number)?, &PageSight::of_text(None, &text, 0));
/// }
/// assert!(matches!(watch.admit(&page(31)?, 9), Admission::Avoid(..)));
/// assert_eq!(watch.report()[0].pattern, "example.org/list?p={n}");
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TrapDetector {
    /// The year in which the crawl began.
    year: i16,
    budgets: BTreeMap<String, PatternBudget>,
    hosts: HostTrials,
    /// Patterns that redirect, by where they lead.
    #[serde(default)]
    redirect_targets: BTreeMap<String, String>,
    avoided: BTreeMap<TrapKind, BTreeMap<String, Refusals>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Refusals {
    count: u64,
    example: String,
}

impl TrapDetector {
    /// A watch for a crawl that begins in `year`: dates far from it are
    /// looked at with less patience.
    pub fn new(year: i16) -> Self {
        Self { year, ..Self::default() }
    }

    /// Whether `url`, found `depth` links from a seed, is entered. Seeds are.
    ///
    /// Ask when a link is found, and again before it is fetched: a page may
    /// name a thousand others before the first of them is seen. Each refusal
    /// is counted, so a refused address should be remembered and not be asked
    /// about again.
    pub fn admit(&mut self, url: &Url, depth: u32) -> TrapDecision {
        if depth == 0 {
            return TrapDecision::Allow;
        }
        let Some((kind, pattern)) = self.trap_of(url) else { return TrapDecision::Allow };
        self.count(kind, &pattern, url, 1);
        TrapDecision::Reject(kind, pattern)
    }

    /// The link `url` was taken for another, because a parameter of it was
    /// found not to matter.
    pub fn note_stripped(&mut self, url: &Url) {
        let pattern = UrlPattern::of(url, self.year);
        self.count(pattern.kind(), pattern.as_str(), url, 1);
    }

    /// The page at `from` leads on to `to` at once. What the first pattern
    /// leads to is then judged by the second, or doors without end would pass
    /// for ways out of the rooms behind them.
    pub fn note_redirect(&mut self, from: &Url, to: &Url) {
        let (from, to) = (UrlPattern::of(from, self.year), UrlPattern::of(to, self.year));
        let is_worth = from.is_variable() && to.is_variable() && from != to;
        if is_worth && self.redirect_targets.len() < MOST_PATTERNS {
            self.redirect_targets.insert(from.into_string(), to.into_string());
        }
    }

    /// The page behind `url` was fetched and shows this. Only for pages that
    /// are there: what is missing says nothing about its pattern.
    pub fn seen(&mut self, url: &Url, sight: &PageFingerprint) {
        self.hosts.seen(url, sight);
        let pattern = UrlPattern::of(url, self.year);
        // Where nothing varies there is one address, and so no trap.
        if !pattern.is_variable() {
            return;
        }
        if self.budgets.len() >= MOST_PATTERNS && !self.budgets.contains_key(pattern.as_str()) {
            self.forget_half();
        }
        let budget = self.budgets.entry(pattern.as_str().to_owned()).or_default();
        budget.spend(sight, &pattern);
    }

    /// How many of the links first found on `page` lead elsewhere: to patterns
    /// that are still entered, and not to the page's own. This is what
    /// [`PageSight`] wants as new links, for each page of a calendar has a
    /// new link to the next.
    pub fn new_outlinks<'a>(&self, page: &Url, found: impl IntoIterator<Item = &'a Url>) -> usize {
        let own = UrlPattern::of(page, self.year).into_string();
        let leads_out = |link: &&Url| {
            let pattern = UrlPattern::of(link, self.year).into_string();
            let behind = self.redirect_targets.get(&pattern).unwrap_or(&pattern);
            *behind != own && pattern != own && self.trap_of(link).is_none()
        };
        found.into_iter().filter(leads_out).count()
    }

    /// What was avoided: by kind, the largest first.
    pub fn report(&self) -> Vec<DetectedTrap> {
        let all = self.avoided.iter().flat_map(|(kind, patterns)| {
            patterns.iter().map(|(pattern, refusals)| DetectedTrap {
                kind: *kind,
                pattern: pattern.clone(),
                count: refusals.count,
                example: refusals.example.clone(),
            })
        });
        let mut report: Vec<DetectedTrap> = all.collect();
        report.sort_by(|one, other| (one.kind, other.count).cmp(&(other.kind, one.count)));
        report
    }

    fn trap_of(&self, url: &Url) -> Option<(TrapKind, String)> {
        if let Some(trap) = shape::trap_of(url) {
            return Some(trap);
        }
        if let Some(pattern) = self.hosts.trap_of(url) {
            return Some((TrapKind::HostInPath, pattern));
        }
        let pattern = UrlPattern::of(url, self.year);
        let behind =
            self.redirect_targets.get(pattern.as_str()).map_or(pattern.as_str(), String::as_str);
        let budget = self.budgets.get(behind)?;
        budget.is_spent(pattern.is_far()).then(|| (pattern.kind(), pattern.into_string()))
    }

    fn count(&mut self, kind: TrapKind, pattern: &str, url: &Url, refused: u64) {
        let patterns = self.avoided.entry(kind).or_default();
        let is_full = patterns.len() >= MOST_REPORTED && !patterns.contains_key(pattern);
        let name = if is_full { OTHERS } else { pattern };
        let first = || Refusals { count: 0, example: url.to_string() };
        patterns.entry(name.to_owned()).or_insert_with(first).count += refused;
    }

    fn forget_half(&mut self) {
        let mut worries: Vec<u32> =
            self.budgets.values().map(PatternBudget::eviction_priority).collect();
        worries.sort_unstable();
        let median = worries.get(worries.len() / 2).copied().unwrap_or_default();
        let mut spare = self.budgets.len() / 2;
        self.budgets.retain(|_, budget| {
            let is_forgotten = spare > 0 && budget.eviction_priority() <= median;
            spare -= usize::from(is_forgotten);
            !is_forgotten
        });
    }
}

/// Whether a glimpse is new, given those before it.
fn is_new<'a>(
    glimpse: &TextFingerprint,
    mut earlier: impl Iterator<Item = &'a TextFingerprint>,
) -> bool {
    !earlier.any(|other| glimpse.is_same(other))
}
