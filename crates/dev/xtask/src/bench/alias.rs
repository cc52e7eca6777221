//! Dead pages against live ones: what matching a large site takes.
//!
//! The site is made up: folders that moved whole, folders that were deleted,
//! and pages that were always where they are. One core is used.

use std::fmt;
use std::time::{Duration, Instant};

use relink_revive::matching::{MatchResult, PageInfo, SiteMatcher};

/// The longest that it may take.
const BAR: Duration = Duration::from_mins(1);

/// How many pages a folder has.
const FOLDER: usize = 40;

/// The share of right answers among those given that must be reached.
const RIGHT_SHARE: f64 = 0.95;

/// Words that names are made of.
const WORDS: [&str; 24] = [
    "apple", "bridge", "candle", "desert", "engine", "forest", "garden", "harbor", "island",
    "jungle", "kettle", "ladder", "marble", "needle", "orchid", "pepper", "quarry", "river",
    "saddle", "temple", "urchin", "violin", "window", "yellow",
];

/// How large the site is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AliasSize {
    /// Dead pages.
    pub dead: usize,
    /// Live pages.
    pub live: usize,
}

impl Default for AliasSize {
    fn default() -> Self {
        Self { dead: 100_000, live: 20_000 }
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AliasOutcome {
    size: AliasSize,
    learn: Duration,
    answer: Duration,
    answers: usize,
    right: usize,
}

impl AliasOutcome {
    /// Whether pages were found, and hardly any wrongly.
    #[expect(clippy::cast_precision_loss, reason = "three digits are compared")]
    pub fn is_right(&self) -> bool {
        self.right > 0 && self.right as f64 >= RIGHT_SHARE * self.answers as f64
    }

    /// Whether it was fast enough.
    pub fn is_fast(&self) -> bool {
        self.learn + self.answer <= BAR
    }
}

impl fmt::Display for AliasOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size: AliasSize { dead, live }, learn, answer, answers, right } = self;
        write!(f, "alias {dead} dead, {live} live: learn {learn:.1?}, answer {answer:.1?} ")?;
        write!(f, "(bar {BAR:.0?})  {answers} answers, {right} right")
    }
}

/// Matches a made-up site.
pub fn bench_alias(size: AliasSize) -> AliasOutcome {
    let dead: Vec<String> = (0..size.dead).map(|number| address("archive", number)).collect();
    let live: Vec<String> = (0..size.live).map(|number| address("library/shelf", number)).collect();
    let page = |url| PageInfo { url, title: None, text: None };
    let dead_pages: Vec<PageInfo> = dead.iter().map(|url| page(url)).collect();
    let live_pages: Vec<PageInfo> = live.iter().map(|url| page(url)).collect();
    let start = Instant::now();
    let study = SiteMatcher::new(&dead_pages, &live_pages, &[]);
    let learn = start.elapsed();
    let start = Instant::now();
    let found: Vec<MatchResult> = (0..dead.len()).map(|at| study.answer(at)).collect();
    let answer = start.elapsed();
    let named = |answer: &MatchResult| match answer {
        MatchResult::Alias(found) => Some(found.live),
        MatchResult::Nothing(_) => None,
    };
    let places = found.iter().map(named).enumerate();
    let answers = places.clone().filter(|(_, live)| live.is_some()).count();
    let right = places.filter(|(at, live)| *live == Some(*at)).count();
    AliasOutcome { size, learn, answer, answers, right }
}

/// The address of a page; that of the same number is its alias elsewhere.
fn address(top: &str, number: usize) -> String {
    let word = |at: usize| WORDS[at % WORDS.len()];
    let (folder, count) = (number / FOLDER, WORDS.len());
    let name =
        format!("{}-{}-{}", word(number), word(number / count), word(number / count / count));
    format!("https://example.org/{top}/{}-{folder}/{name}-{number}", word(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_site_is_matched_as_made() {
        let outcome = bench_alias(AliasSize { dead: 400, live: 200 });
        assert!(outcome.is_right(), "{outcome}");
        assert!(outcome.right > 100, "{outcome}");
    }
}
