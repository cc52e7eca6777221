//! Confidence of learned programs, by cross-validation on their examples: programs are learned
//! again without some examples (a *fold*) and tested on these.

use relink_model::Confidence;
use serde::{Deserialize, Serialize};

use super::UrlProgram;
use super::learn::{SearchEffort, learn_programs};
use super::parsed_example::{ParsedExample, ProgramOutcome};
use crate::matching::MAX_REVIEW_CONFIDENCE;

/// Maximum number of examples for which validation leaves out one example at a time. For more
/// examples, validation uses [`FOLDS`] folds to save time.
const MAX_LEAVE_ONE_OUT: usize = 8;
/// Number of folds for larger groups.
const FOLDS: usize = 3;

/// Maximum number of examples used for validation.
const MAX_TESTED: usize = 36;

/// Prior of [`TrackRecord::expected_share`]: the record of a program without any trial.
/// Measured on the ground truth published with FABLE (`fable-gt`, two random seeds): 72 % of
/// 109 URLs that programs from a single example produced were correct, alive or not.
const PRIOR_HITS: f64 = 1.4;
const PRIOR_TRIALS: f64 = 2.0;

/// Number of wrong URLs that are alive for each correct one, in the program's
/// own directory.
///
/// With this value and [`WRONG_LIVE_RATIO_BELOW`], Bayes' rule reproduces the
/// measurements on eleven sites with 50 %, 20 % or 5 % of the moves known, if
/// 25 % of the pages have an alias. Leaving out one site changed the values
/// little: 0.05 to 0.12, and 0.2 to 0.4.
const WRONG_LIVE_RATIO: f64 = 0.1;

/// Number of wrong URLs that are alive for each correct one, in a subdirectory without
/// examples. The moves of a parent directory are weaker evidence.
const WRONG_LIVE_RATIO_BELOW: f64 = 0.3;

/// The location of a page relative to the directory of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramScope {
    /// The page is in the directory that the program was learned for.
    OwnDirectory,
    /// The page is in a subdirectory.
    Subdirectory,
}

impl ProgramScope {
    fn wrong_live_ratio(self) -> f64 {
        match self {
            Self::OwnDirectory => WRONG_LIVE_RATIO,
            Self::Subdirectory => WRONG_LIVE_RATIO_BELOW,
        }
    }
}

/// Performance of a program on examples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TrackRecord {
    /// Number of examples that the program reproduces.
    pub support: usize,
    /// Number of examples for which it produces another URL.
    pub exceptions: usize,
    /// Number of left-out examples on which an equivalent program was tested.
    pub trials: usize,
    /// Number of left-out examples whose URL an equivalent program produced.
    pub hits: usize,
    /// Number of reproduced examples that are certain.
    #[serde(default, rename = "sure")]
    pub certain_support: usize,
    /// Number of reproduced examples in the program's own directory, not in a
    /// subdirectory.
    #[serde(default, rename = "own")]
    pub own_support: usize,
}

impl TrackRecord {
    /// Returns the expected share of correct URLs, before a URL is fetched.
    pub fn confidence(&self) -> Confidence {
        confidence(self.expected_share())
    }

    /// Returns the expected share of correct URLs among live URLs. Limited to
    /// [`MAX_REVIEW_CONFIDENCE`] if no example is certain, because an uncertain alias
    /// must not make the aliases of other pages certain.
    pub fn confidence_if_alive(&self, scope: ProgramScope) -> Confidence {
        let confidence = self.confidence_if_confirmed(scope);
        if self.certain_support > 0 { confidence } else { confidence.min(MAX_REVIEW_CONFIDENCE) }
    }

    /// Returns the expected share of correct URLs among live URLs by Bayes'
    /// rule, for a URL that other evidence confirms.
    pub fn confidence_if_confirmed(&self, scope: ProgramScope) -> Confidence {
        let share = self.expected_share();
        confidence(share / (share + (1.0 - share) * scope.wrong_live_ratio()))
    }

    /// Returns the smaller of two shares, combined with the prior. The first is the share of
    /// reproduced examples, without the example that the program was made from. The second is
    /// the share of passed trials.
    fn expected_share(&self) -> f64 {
        let others = as_f64((self.support + self.exceptions).saturating_sub(1));
        let reproduced = as_f64(self.support.saturating_sub(1)) / others.max(1.0);
        let passed = if self.trials == 0 { 1.0 } else { as_f64(self.hits) / as_f64(self.trials) };
        (reproduced.min(passed) * others + PRIOR_HITS) / (others + PRIOR_TRIALS)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share lies between 0 and 1"
)]
fn confidence(share: f64) -> Confidence {
    Confidence::from_percent((share.clamp(0.0, 1.0) * 100.0).floor() as u8)
}

#[expect(clippy::cast_precision_loss, reason = "counts of examples are small")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// A program with its track record.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LearnedProgram {
    /// The program.
    pub program: UrlProgram,
    /// Its track record.
    pub record: TrackRecord,
}

impl LearnedProgram {
    /// Returns the expected share of correct URLs, before a URL is fetched.
    pub fn confidence(&self) -> Confidence {
        self.record.confidence()
    }
}

/// Learns the programs of a group and validates them. Returns the most trusted
/// first.
pub(super) fn learn_and_validate(examples: &[&ParsedExample]) -> Vec<LearnedProgram> {
    let mut learned: Vec<LearnedProgram> = learn_programs(examples, SearchEffort::Thorough)
        .into_iter()
        .map(|program| LearnedProgram { record: count_outcomes(&program, examples), program })
        .collect();
    if learned.is_empty() || examples.len() < 2 {
        return learned;
    }
    let step = examples.len().div_ceil(MAX_TESTED);
    let tested: Vec<&ParsedExample> = examples.iter().copied().step_by(step).collect();
    let folds = if tested.len() <= MAX_LEAVE_ONE_OUT { tested.len() } else { FOLDS };
    for fold in 0..folds {
        let (mut left_out, mut retained) = (Vec::new(), Vec::new());
        for (at, example) in tested.iter().copied().enumerate() {
            if at % folds == fold {
                left_out.push(example);
            } else {
                retained.push(example);
            }
        }
        let trained = learn_programs(&retained, SearchEffort::Brief);
        for example in left_out {
            record_trial(&mut learned, &trained, example);
        }
    }
    learned.sort_by_key(|it| std::cmp::Reverse((it.confidence(), it.record.support)));
    learned
}

/// Counts the outcomes of a program on all examples.
fn count_outcomes(program: &UrlProgram, examples: &[&ParsedExample]) -> TrackRecord {
    let mut record = TrackRecord::default();
    for example in examples {
        match example.outcome(program) {
            ProgramOutcome::Correct => {
                record.support += 1;
                record.certain_support += usize::from(example.is_certain);
            }
            ProgramOutcome::Wrong => record.exceptions += 1,
            ProgramOutcome::NotApplicable => {}
        }
    }
    record
}

/// Tests the programs trained without an example on that example. The outcome
/// counts for the learned program that produces the same URL.
fn record_trial(learned: &mut [LearnedProgram], trained: &[UrlProgram], example: &ParsedExample) {
    let test = |program: &UrlProgram| match example.outcome(program) {
        ProgramOutcome::NotApplicable => None,
        outcome => Some((program.clone(), outcome)),
    };
    let Some((tested, outcome)) = trained.iter().find_map(test) else { return };
    let is_equivalent = |it: &&mut LearnedProgram| {
        it.program == tested
            || super::run::build(&it.program, &example.old)
                == super::run::build(&tested, &example.old)
    };
    if let Some(learned) = learned.iter_mut().find(is_equivalent) {
        learned.record.trials += 1;
        learned.record.hits += usize::from(outcome == ProgramOutcome::Correct);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::MIN_AUTOMATIC_CONFIDENCE;

    /// Asserts the confidence, in percent, in live URLs of the program's own directory and of a
    /// subdirectory.
    #[track_caller]
    fn check(support: usize, exceptions: usize, own: u8, below: u8) {
        let record =
            TrackRecord { support, exceptions, certain_support: 1, ..TrackRecord::default() };
        let confidence = |scope| record.confidence_if_alive(scope).as_percent();
        let found =
            (confidence(ProgramScope::OwnDirectory), confidence(ProgramScope::Subdirectory));
        assert_eq!(found, (own, below));
    }

    #[test]
    fn single_example_gives_low_confidence_for_subdirectories() {
        check(1, 0, 95, 88);
        check(2, 0, 97, 93);
        check(6, 0, 99, 97);
    }

    #[test]
    fn uncertain_examples_limit_confidence() {
        let record = TrackRecord { support: 40, ..TrackRecord::default() };
        assert!(record.confidence_if_alive(ProgramScope::OwnDirectory) < MIN_AUTOMATIC_CONFIDENCE);
        assert!(
            record.confidence_if_confirmed(ProgramScope::OwnDirectory) > MIN_AUTOMATIC_CONFIDENCE
        );
        let record = TrackRecord { certain_support: 1, ..record };
        assert!(record.confidence_if_alive(ProgramScope::OwnDirectory) > MIN_AUTOMATIC_CONFIDENCE);
    }

    #[test]
    fn exceptions_lower_confidence() {
        check(1, 1, 89, 74);
        check(3, 3, 90, 75);
    }
}
