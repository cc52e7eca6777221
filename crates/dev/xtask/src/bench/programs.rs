//! Measures the time to learn URL programs and to apply them.
//!
//! A *URL program* derives the new URL of a page from its old URL. It is learned from
//! examples: pairs of an old and a new URL. There is one group of examples per kind of
//! move ([`MOVES`]). Some examples of each are wrong (noise). URLs are parsed before
//! the measurement.

use std::fmt;
use std::time::{Duration, Instant};

use relink_revive::OldPage;
use relink_revive::program::{Example, LearnedProgram, learn};
use url::Url;

use crate::XtaskError;

/// Maximum time to learn from a group of 100.
const MAX_LEARN_TIME: Duration = Duration::from_millis(1);
/// Maximum time to apply a program.
const MAX_APPLY_TIME: Duration = Duration::from_micros(50);

/// Every 20th example is wrong.
const NOISE_INTERVAL: usize = 20;

/// Size of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramsSize {
    /// Examples per group.
    pub pairs: usize,
    /// Rounds per group.
    pub rounds: usize,
}

impl Default for ProgramsSize {
    fn default() -> Self {
        Self { pairs: 100, rounds: 200 }
    }
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramsBenchResult {
    pairs: usize,
    /// Time to learn from a group: median and 95th percentile.
    learn: [Duration; 2],
    /// Time to apply a program to a page: median and 95th percentile.
    apply: [Duration; 2],
    /// Number of pages for which the learned program gives the correct new URL.
    correct: usize,
    /// Number of pages, except those of wrong examples.
    expected: usize,
}

impl ProgramsBenchResult {
    /// Whether the programs produce the expected URLs, except for wrong examples.
    pub fn is_correct(&self) -> bool {
        self.correct == self.expected
    }

    /// Whether both medians keep their limits.
    pub fn is_fast(&self) -> bool {
        self.learn[0] <= MAX_LEARN_TIME && self.apply[0] <= MAX_APPLY_TIME
    }
}

impl fmt::Display for ProgramsBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pairs, learn: [learn, slow_learn], apply: [apply, slow_apply], .. } = self;
        write!(
            f,
            "learn {pairs} pairs {learn:.0?} p95 {slow_learn:.0?} (limit {MAX_LEARN_TIME:?})  "
        )?;
        write!(f, "apply {apply:.1?} p95 {slow_apply:.1?} (limit {MAX_APPLY_TIME:?})  ")?;
        write!(f, "{} of {} as expected", self.correct, self.expected)
    }
}

/// Learns and applies the programs of all groups.
pub fn bench_programs(size: ProgramsSize) -> Result<ProgramsBenchResult, XtaskError> {
    let (mut learning, mut applying) = (Vec::new(), Vec::new());
    let (mut correct, mut expected) = (0, 0);
    for move_page in MOVES {
        let examples = generate_examples(move_page, size.pairs)?;
        for _ in 0..size.rounds {
            let start = Instant::now();
            let programs = learn(&examples);
            learning.push(start.elapsed());
            let Some(best) = programs.first() else { continue };
            applying.push(apply(best, &examples));
        }
        let programs = learn(&examples);
        let clean = examples.iter().enumerate().filter(|(number, _)| !is_noise(*number));
        for (_, example) in clean {
            expected += 1;
            let derived = programs.first().and_then(|best| best.program.run(&example.old));
            correct += usize::from(derived.as_ref() == Some(&example.new));
        }
    }
    let (learn, apply) = (percentiles(learning), percentiles(applying));
    Ok(ProgramsBenchResult { pairs: size.pairs, learn, apply, correct, expected })
}

/// Returns the average time to apply a program to one page.
fn apply(learned: &LearnedProgram, examples: &[Example]) -> Duration {
    let start = Instant::now();
    let derived =
        examples.iter().filter(|example| learned.program.run(&example.old).is_some()).count();
    start.elapsed() / u32::try_from(derived.max(1)).unwrap_or(u32::MAX)
}

/// Returns the median and the 95th percentile.
fn percentiles(mut times: Vec<Duration>) -> [Duration; 2] {
    times.sort_unstable();
    [50, 95].map(|percent| times.get(times.len() * percent / 100).copied().unwrap_or_default())
}

/// A way in which pages move: old and new path of a page, by its number.
type Move = fn(usize) -> (String, String);

/// The kinds of moves.
const MOVES: [Move; 4] = [
    |number| (format!("docs/page_{number}.html"), format!("manual/en/page_{number}.html")),
    |number| {
        let (year, month) = (2000 + number % 20, 1 + number % 12);
        let old = format!("blog/{year}/{month}/{}-All_about_Topic_{number}.aspx", 5000 + number);
        (old, format!("news/{year}/{month:02}/all-about-topic-{number}"))
    },
    |number| (format!("show.php?id={number}&lang=en"), format!("items/{number}")),
    |number| {
        (
            format!("en/a/b/c{number}/Deep_Page_{number}"),
            format!("wiki/a/b/c{number}/deep-page-{number}"),
        )
    },
];

/// Whether the example of this number is wrong.
fn is_noise(number: usize) -> bool {
    number % NOISE_INTERVAL == NOISE_INTERVAL - 1
}

/// Generates the examples of a kind of move, some of them wrong.
fn generate_examples(move_page: Move, pairs: usize) -> Result<Vec<Example>, XtaskError> {
    let url = |path: &str| {
        let text = format!("https://example.org/{path}");
        Url::parse(&text).map_err(|error| XtaskError::new(format!("`{text}`: {error}")))
    };
    let example = |number| {
        let (old, new) = move_page(number);
        let new = if is_noise(number) { format!("lost/{}", number / 2) } else { new };
        Ok(Example { old: OldPage::new(url(&old)?), new: url(&new)?, is_certain: true })
    };
    (0..pairs).map(example).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_bench_learns_expected_programs() {
        let outcome = bench_programs(ProgramsSize { pairs: 25, rounds: 1 }).unwrap();
        assert!(outcome.is_correct(), "{outcome}");
        assert_eq!(outcome.expected, 24 * MOVES.len());
    }

    #[test]
    fn display_is_one_line() {
        let outcome = ProgramsBenchResult {
            pairs: 100,
            learn: [400, 700].map(Duration::from_micros),
            apply: [1500, 2500].map(Duration::from_nanos),
            correct: 95,
            expected: 95,
        };
        assert_eq!(
            outcome.to_string(),
            "learn 100 pairs 400µs p95 700µs (limit 1ms)  apply 1.5µs p95 2.5µs (limit 50µs)  \
             95 of 95 as expected"
        );
        assert!(outcome.is_fast() && outcome.is_correct());
    }
}
