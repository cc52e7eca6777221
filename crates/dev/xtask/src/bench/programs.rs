//! URL programs: what learning a group of examples takes, and applying what
//! was learned.
//!
//! The groups are of several kinds, each with a few examples that are wrong.
//! Addresses are read before the clock starts; all else is measured, the trial
//! of what was learned included.

use std::fmt;
use std::time::{Duration, Instant};

use relink_revive::OldPage;
use relink_revive::program::{Example, LearnedProgram, learn};
use url::Url;

use crate::XtaskError;

/// The longest that learning a group of 100 may take.
const LEARN_BAR: Duration = Duration::from_millis(1);
/// The longest that applying a program may take.
const APPLY_BAR: Duration = Duration::from_micros(50);

/// One example in so many is wrong.
const NOISE: usize = 20;

/// How much is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramsSize {
    /// Examples of a group.
    pub pairs: usize,
    /// How often each group is learned.
    pub rounds: usize,
}

impl Default for ProgramsSize {
    fn default() -> Self {
        Self { pairs: 100, rounds: 200 }
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramsOutcome {
    pairs: usize,
    /// Median and 95th percentile.
    learn: [Duration; 2],
    apply: [Duration; 2],
    right: usize,
    asked: usize,
}

impl ProgramsOutcome {
    /// Whether the programs make the addresses that were planted, noise aside.
    pub fn is_right(&self) -> bool {
        self.right == self.asked
    }

    /// Whether both medians are below their bars.
    pub fn is_fast(&self) -> bool {
        self.learn[0] <= LEARN_BAR && self.apply[0] <= APPLY_BAR
    }
}

impl fmt::Display for ProgramsOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pairs, learn: [learn, slow_learn], apply: [apply, slow_apply], .. } = self;
        write!(f, "learn {pairs} pairs {learn:.0?} p95 {slow_learn:.0?} (bar {LEARN_BAR:?})  ")?;
        write!(f, "apply {apply:.1?} p95 {slow_apply:.1?} (bar {APPLY_BAR:?})  ")?;
        write!(f, "{} of {} as planted", self.right, self.asked)
    }
}

/// Learns and applies the programs of all groups.
pub fn bench_programs(size: ProgramsSize) -> Result<ProgramsOutcome, XtaskError> {
    let (mut learning, mut applying) = (Vec::new(), Vec::new());
    let (mut right, mut asked) = (0, 0);
    for kind in KINDS {
        let group = group(kind, size.pairs)?;
        for _ in 0..size.rounds {
            let start = Instant::now();
            let programs = learn(&group);
            learning.push(start.elapsed());
            let Some(best) = programs.first() else { continue };
            applying.push(apply(best, &group));
        }
        let programs = learn(&group);
        let sound = group.iter().enumerate().filter(|(at, _)| !is_noise(*at));
        for (_, example) in sound {
            asked += 1;
            let made = programs.first().and_then(|best| best.program.run(&example.old));
            right += usize::from(made.as_ref() == Some(&example.new));
        }
    }
    let (learn, apply) = (percentiles(learning), percentiles(applying));
    Ok(ProgramsOutcome { pairs: size.pairs, learn, apply, right, asked })
}

/// The time to apply a program to one page, on average over the group.
fn apply(learned: &LearnedProgram, group: &[Example]) -> Duration {
    let start = Instant::now();
    let made = group.iter().filter(|example| learned.program.run(&example.old).is_some()).count();
    start.elapsed() / u32::try_from(made.max(1)).unwrap_or(u32::MAX)
}

fn percentiles(mut times: Vec<Duration>) -> [Duration; 2] {
    times.sort_unstable();
    [50, 95].map(|percent| times.get(times.len() * percent / 100).copied().unwrap_or_default())
}

/// A way in which pages were moved: old and new path, from a number.
type Kind = fn(usize) -> (String, String);

const KINDS: [Kind; 4] = [
    |at| (format!("docs/page_{at}.html"), format!("manual/en/page_{at}.html")),
    |at| {
        let (year, month) = (2000 + at % 20, 1 + at % 12);
        let old = format!("blog/{year}/{month}/{}-All_about_Topic_{at}.aspx", 5000 + at);
        (old, format!("news/{year}/{month:02}/all-about-topic-{at}"))
    },
    |at| (format!("show.php?id={at}&lang=en"), format!("items/{at}")),
    |at| (format!("en/a/b/c{at}/Deep_Page_{at}"), format!("wiki/a/b/c{at}/deep-page-{at}")),
];

fn is_noise(at: usize) -> bool {
    at % NOISE == NOISE - 1
}

fn group(kind: Kind, pairs: usize) -> Result<Vec<Example>, XtaskError> {
    let url = |path: &str| {
        let text = format!("https://example.org/{path}");
        Url::parse(&text).map_err(|error| XtaskError::new(format!("`{text}`: {error}")))
    };
    let example = |at| {
        let (old, new) = kind(at);
        let new = if is_noise(at) { format!("lost/{}", at / 2) } else { new };
        Ok(Example { old: OldPage::new(url(&old)?), new: url(&new)?, is_sure: true })
    };
    (0..pairs).map(example).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_measurement_learns_what_was_planted() {
        let outcome = bench_programs(ProgramsSize { pairs: 25, rounds: 1 }).unwrap();
        assert!(outcome.is_right(), "{outcome}");
        assert_eq!(outcome.asked, 24 * KINDS.len());
    }

    #[test]
    fn the_outcome_is_one_line() {
        let outcome = ProgramsOutcome {
            pairs: 100,
            learn: [400, 700].map(Duration::from_micros),
            apply: [1500, 2500].map(Duration::from_nanos),
            right: 95,
            asked: 95,
        };
        assert_eq!(
            outcome.to_string(),
            "learn 100 pairs 400µs p95 700µs (bar 1ms)  apply 1.5µs p95 2.5µs (bar 50µs)  \
             95 of 95 as planted"
        );
        assert!(outcome.is_fast() && outcome.is_right());
    }
}
