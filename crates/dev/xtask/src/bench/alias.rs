//! Matching of dead pages with live pages of a large site: time and quality.
//!
//! The site is generated: folders that moved, folders that were deleted, and
//! pages that never moved. Uses one core.

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

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AliasBenchResult {
    size: AliasSize,
    learn: Duration,
    answer: Duration,
    answers: usize,
    right: usize,
}

impl AliasBenchResult {
    /// Whether the precision is reached.
    #[expect(clippy::cast_precision_loss, reason = "three digits are compared")]
    pub fn is_right(&self) -> bool {
        self.right > 0 && self.right as f64 >= MIN_CORRECT_SHARE * self.answers as f64
    }

    /// Whether the time limit is kept.
    pub fn is_fast(&self) -> bool {
        self.learn + self.answer <= MAX_TIME
    }
}

impl fmt::Display for AliasBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size: AliasSize { dead, live }, learn, answer, answers, right } = self;
        write!(f, "alias {dead} dead, {live} live: learn {learn:.1?}, answer {answer:.1?} ")?;
        write!(f, "(limit {MAX_TIME:.0?})  {answers} answers, {right} right")
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
    let study = SiteMatcher::new(&dead_pages, &live_pages, &[]);
    let learn = start.elapsed();
    let start = Instant::now();
    let found: Vec<MatchResult> = (0..dead.len()).map(|at| study.match_page(at)).collect();
    let answer = start.elapsed();
    let named = |answer: &MatchResult| match answer {
        MatchResult::Alias(found) => Some(found.live),
        MatchResult::Nothing(_) => None,
    };
    let places = found.iter().map(named).enumerate();
    let answers = places.clone().filter(|(_, live)| live.is_some()).count();
    let right = places.filter(|(at, live)| *live == Some(*at)).count();
    AliasBenchResult { size, learn, answer, answers, right }
}

/// Returns the URL of a page. Pages of the same number are aliases.
fn generate_url(top: &str, number: usize) -> String {
    let word = |at: usize| WORDS[at % WORDS.len()];
    let (folder, count) = (number / PAGES_PER_FOLDER, WORDS.len());
    let name =
        format!("{}-{}-{}", word(number), word(number / count), word(number / count / count));
    format!("https://example.org/{top}/{}-{folder}/{name}-{number}", word(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alias_bench_matches_a_small_site() {
        let outcome = bench_alias(AliasSize { dead: 400, live: 200 });
        assert!(outcome.is_right(), "{outcome}");
        assert!(outcome.right > 100, "{outcome}");
    }
}
