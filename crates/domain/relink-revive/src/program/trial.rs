//! How far a learned program can be trusted.
//!
//! The examples are put to the test: some are kept back, programs are learned
//! from the others, and what they make of those kept back is counted.

use relink_model::Confidence;
use serde::{Deserialize, Serialize};

use super::UrlProgram;
use super::learn::{SearchEffort, programs};
use super::prepared::{ParsedExample, ProgramOutcome};
use crate::matching::TO_BE_ASKED;

/// Up to so many examples, each is kept back once by itself; of more, every
/// third together, to save time.
const ONE_BY_ONE: usize = 8;
const FOLDS: usize = 3;

/// How many examples are put to the test, at most.
const TESTED: usize = 36;

/// How right programs from a single example are: 72 % of 109 answers on
/// `fable-gt` (two seeds), without a look whether they are alive.
const PRIOR_HITS: f64 = 1.4;
const PRIOR_TRIALS: f64 = 2.0;

/// How many answers made wrongly are alive for each made right, in the page's
/// own directory.
///
/// This and [`WRONG_YET_ALIVE_BELOW`] make Bayes' rule say what was seen on
/// eleven sites of which a half, a fifth or a twentieth of the moves was shown,
/// a quarter of the pages taken to have an alias. They hardly changed when one
/// site was left out: 0.05 to 0.12, and 0.2 to 0.4.
const WRONG_YET_ALIVE: f64 = 0.1;

/// The same for a page of a directory below, of which no example is known:
/// what moved above it says less about it.
const WRONG_YET_ALIVE_BELOW: f64 = 0.3;

/// Whose answers a program gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramScope {
    /// Those of pages of the directory that it was learned for.
    Own,
    /// Those of pages of directories below.
    Below,
}

impl ProgramScope {
    fn wrong_yet_alive(self) -> f64 {
        match self {
            Self::Own => WRONG_YET_ALIVE,
            Self::Below => WRONG_YET_ALIVE_BELOW,
        }
    }
}

/// What is known of a program's past.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TrackRecord {
    /// How many examples it makes right.
    pub support: usize,
    /// For how many examples it makes another address than the known one.
    pub exceptions: usize,
    /// How often it, or its like, was asked about an example kept back.
    pub trials: usize,
    /// How often it was right then.
    pub hits: usize,
    /// How many of the examples it makes right are sure themselves.
    #[serde(default)]
    pub sure: usize,
    /// How many of them are of the directory that it was learned for, and not of
    /// one below.
    #[serde(default)]
    pub own: usize,
}

impl TrackRecord {
    /// The share of answers that are expected to be right, before anyone has
    /// looked whether they are alive.
    pub fn confidence(&self) -> Confidence {
        confidence(self.share())
    }

    /// The share of answers that are expected to be right among those found
    /// alive. Where no example is sure, no answer is: a doubtful alias would
    /// make sure ones of all its siblings.
    pub fn confidence_if_alive(&self, reach: ProgramScope) -> Confidence {
        let confidence = self.confidence_if_proven(reach);
        if self.sure > 0 { confidence } else { confidence.min(TO_BE_ASKED) }
    }

    /// The same by Bayes' rule alone, for an answer that something else bears
    /// out.
    pub fn confidence_if_proven(&self, reach: ProgramScope) -> Confidence {
        let share = self.share();
        confidence(share / (share + (1.0 - share) * reach.wrong_yet_alive()))
    }

    /// The smaller of two shares, that of examples made right besides the
    /// first and that of trials passed, drawn towards the prior.
    fn share(&self) -> f64 {
        let others = as_f64((self.support + self.exceptions).saturating_sub(1));
        let seen = as_f64(self.support.saturating_sub(1)) / others.max(1.0);
        let tried = if self.trials == 0 { 1.0 } else { as_f64(self.hits) / as_f64(self.trials) };
        (seen.min(tried) * others + PRIOR_HITS) / (others + PRIOR_TRIALS)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share lies between 0 and 1"
)]
fn confidence(share: f64) -> Confidence {
    Confidence::percent((share.clamp(0.0, 1.0) * 100.0).floor() as u8)
}

#[expect(clippy::cast_precision_loss, reason = "counts of examples are small")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// A program and its past.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LearnedProgram {
    /// The program.
    pub program: UrlProgram,
    /// Its past.
    pub record: TrackRecord,
}

impl LearnedProgram {
    /// The share of answers that are expected to be right, before anyone has
    /// looked whether they are alive.
    pub fn confidence(&self) -> Confidence {
        self.record.confidence()
    }
}

/// Learns the programs of a group and puts them to the test; the most trusted
/// come first.
pub(super) fn assess(examples: &[&ParsedExample]) -> Vec<LearnedProgram> {
    let mut learned: Vec<LearnedProgram> = programs(examples, SearchEffort::Thorough)
        .into_iter()
        .map(|program| LearnedProgram { record: seen(&program, examples), program })
        .collect();
    if learned.is_empty() || examples.len() < 2 {
        return learned;
    }
    let step = examples.len().div_ceil(TESTED);
    let tested: Vec<&ParsedExample> = examples.iter().copied().step_by(step).collect();
    let folds = if tested.len() <= ONE_BY_ONE { tested.len() } else { FOLDS };
    for fold in 0..folds {
        let pick = |back: bool| {
            let kept =
                tested.iter().enumerate().filter(move |(at, _)| (at % folds == fold) == back);
            kept.map(|(_, example)| *example).collect::<Vec<_>>()
        };
        let rehearsed = programs(&pick(false), SearchEffort::Brief);
        for example in pick(true) {
            put_to_test(&mut learned, &rehearsed, example);
        }
    }
    learned.sort_by_key(|it| std::cmp::Reverse((it.confidence(), it.record.support)));
    learned
}

fn seen(program: &UrlProgram, examples: &[&ParsedExample]) -> TrackRecord {
    let mut record = TrackRecord::default();
    for example in examples {
        match example.outcome(program) {
            ProgramOutcome::Right => {
                record.support += 1;
                record.sure += usize::from(example.is_sure);
            }
            ProgramOutcome::Wrong => record.exceptions += 1,
            ProgramOutcome::Silent => {}
        }
    }
    record
}

/// Asks the rehearsed programs about an example they have not seen. The
/// answer counts for the learned program that gives it too.
fn put_to_test(learned: &mut [LearnedProgram], rehearsed: &[UrlProgram], example: &ParsedExample) {
    let ask = |it: &UrlProgram| match example.outcome(it) {
        ProgramOutcome::Silent => None,
        outcome => Some((it.clone(), outcome)),
    };
    let Some((asked, outcome)) = rehearsed.iter().find_map(ask) else { return };
    let gives_it_too = |it: &&mut LearnedProgram| {
        it.program == asked
            || super::run::make(&it.program, &example.facts)
                == super::run::make(&asked, &example.facts)
    };
    if let Some(learned) = learned.iter_mut().find(gives_it_too) {
        learned.record.trials += 1;
        learned.record.hits += usize::from(outcome == ProgramOutcome::Right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::AUTOMATIC;

    #[track_caller]
    fn check(support: usize, exceptions: usize, own: u8, below: u8) {
        let record = TrackRecord { support, exceptions, sure: 1, ..TrackRecord::default() };
        let sure = |reach| record.confidence_if_alive(reach).as_percent();
        assert_eq!((sure(ProgramScope::Own), sure(ProgramScope::Below)), (own, below));
    }

    #[test]
    fn a_single_example_says_little_about_directories_below() {
        check(1, 0, 95, 88);
        check(2, 0, 97, 93);
        check(6, 0, 99, 97);
    }

    #[test]
    fn doubtful_examples_make_no_sure_answers() {
        let record = TrackRecord { support: 40, ..TrackRecord::default() };
        assert!(record.confidence_if_alive(ProgramScope::Own) < AUTOMATIC);
        assert!(record.confidence_if_proven(ProgramScope::Own) > AUTOMATIC);
        let record = TrackRecord { sure: 1, ..record };
        assert!(record.confidence_if_alive(ProgramScope::Own) > AUTOMATIC);
    }

    #[test]
    fn exceptions_make_less_sure() {
        check(1, 1, 89, 74);
        check(3, 3, 90, 75);
    }
}
