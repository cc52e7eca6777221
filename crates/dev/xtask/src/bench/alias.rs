//! Measures the time and precision to find aliases: which live page of a large site is
//! the new URL of a dead page.
//!
//! The site is generated. A dead page and a live page with the same number are aliases. A dead
//! page with a higher number than any live page was deleted. The benchmark uses one core.

use std::fmt;
use std::time::{Duration, Instant};

use relink_revive::matching::{MatchResult, PageInfo, SiteMatcher};

/// Maximum time.
const MAX_TIME: Duration = Duration::from_mins(1);

/// Pages per folder.
const PAGES_PER_FOLDER: usize = 40;

/// Minimum precision of the aliases found.
const MIN_CORRECT_SHARE: f64 = 0.95;

/// Words of the page names.
const WORDS: [&str; 24] = [
    "apple", "bridge", "candle", "desert", "engine", "forest", "garden", "harbor", "island",
    "jungle", "kettle", "ladder", "marble", "needle", "orchid", "pepper", "quarry", "river",
    "saddle", "temple", "urchin", "violin", "window", "yellow",
];

/// The size of the site.
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

/// The time and the precision of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AliasBenchResult {
    size: AliasSize,
    /// Time to analyze the pages of the site.
    learn: Duration,
    /// Time to match all dead pages.
    matching: Duration,
    /// Number of aliases found.
    found: usize,
    /// Number of correct aliases.
    correct: usize,
}

impl AliasBenchResult {
    /// Whether the precision is reached.
    #[expect(clippy::cast_precision_loss, reason = "three digits are compared")]
    pub fn is_correct(&self) -> bool {
        self.correct > 0 && self.correct as f64 >= MIN_CORRECT_SHARE * self.found as f64
    }

    /// Whether the time limit is kept.
    pub fn is_fast(&self) -> bool {
        self.learn + self.matching <= MAX_TIME
    }
}

impl fmt::Display for AliasBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size: AliasSize { dead, live }, learn, matching, found, correct } = self;
        write!(f, "alias {dead} dead, {live} live: learn {learn:.1?}, match {matching:.1?} ")?;
        write!(f, "(limit {MAX_TIME:.0?})  {found} aliases, {correct} correct")
    }
}

/// Matches a generated site.
pub fn bench_alias(size: AliasSize) -> AliasBenchResult {
    let dead: Vec<String> = (0..size.dead).map(|number| generate_url("archive", number)).collect();
    let live: Vec<String> =
        (0..size.live).map(|number| generate_url("library/shelf", number)).collect();
    let page = |url| PageInfo { url, title: None, text: None };
    let dead_pages: Vec<PageInfo> = dead.iter().map(|url| page(url)).collect();
    let live_pages: Vec<PageInfo> = live.iter().map(|url| page(url)).collect();
    let start = Instant::now();
    let matcher = SiteMatcher::new(&dead_pages, &live_pages, &[]);
    let learn = start.elapsed();
    let start = Instant::now();
    let results: Vec<MatchResult> = (0..dead.len()).map(|page| matcher.match_page(page)).collect();
    let matching = start.elapsed();
    let alias_of = |result: &MatchResult| match result {
        MatchResult::Alias(alias) => Some(alias.live),
        MatchResult::Nothing(_) => None,
    };
    let aliases = results.iter().map(alias_of).enumerate();
    let found = aliases.clone().filter(|(_, live)| live.is_some()).count();
    let correct = aliases.filter(|(dead, live)| *live == Some(*dead)).count();
    AliasBenchResult { size, learn, matching, found, correct }
}

/// Returns the URL of a page. Pages of the same number are aliases.
fn generate_url(top: &str, number: usize) -> String {
    let word = |index: usize| WORDS[index % WORDS.len()];
    let (folder, word_count) = (number / PAGES_PER_FOLDER, WORDS.len());
    // The words are the digits of the number in base `word_count`.
    let name = format!(
        "{}-{}-{}",
        word(number),
        word(number / word_count),
        word(number / word_count / word_count)
    );
    format!("https://example.org/{top}/{}-{folder}/{name}-{number}", word(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alias_bench_matches_a_small_site() {
        let outcome = bench_alias(AliasSize { dead: 400, live: 200 });
        assert!(outcome.is_correct(), "{outcome}");
        assert!(outcome.correct > 100, "{outcome}");
    }
}
