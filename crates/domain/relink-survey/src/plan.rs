//! What every way of sampling can do.

use std::fmt;

use crate::catalog::{DirectoryId, DomainId, UrlId};
use crate::estimate::RecallEstimate;
use crate::ledger::{CheckLog, UrlHealth};

/// What a plan makes of a domain, for the time being or at last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LotDecision {
    /// Enough is known: the rest is taken for good.
    Accept,
    /// Everything is to be checked.
    CheckAll,
    /// It cannot be told yet: another group is to be checked.
    Continue,
}

impl fmt::Display for LotDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accept => "accept the rest",
            Self::CheckAll => "check all",
            Self::Continue => "take another group",
        })
    }
}

/// A way of finding many broken URLs with few checks.
///
/// A plan is asked for a batch, is told the answers in any order, and has
/// ended when it has no more to ask and no answer is owed to it. It never asks
/// for a URL twice, nor for one whose answer it was told unasked: that is how
/// an interrupted run goes on.
pub trait SamplingPlan: Send {
    /// The next URLs to check, at most so many, spread over domains; none if
    /// the plan waits for answers or has ended.
    fn next_batch(&mut self, at_most: usize) -> Vec<UrlId>;

    /// Takes the answer of a URL.
    fn take(&mut self, url: UrlId, answer: UrlHealth);

    /// What is known so far.
    fn ledger(&self) -> &CheckLog<'_>;

    /// Whether no answer is owed.
    fn is_settled(&self) -> bool {
        self.ledger().in_flight() == 0
    }

    /// How much of what is broken has been found so far.
    fn estimate(&self) -> RecallEstimate;

    /// How probable it is that an unchecked URL of a directory is broken, as
    /// far as the plan can tell.
    fn expected_rate(&self, directory: DirectoryId) -> f64;

    /// Whether the plan has seen that broken URLs lie scattered over their
    /// domains, so that any looks at a domain tell its rate.
    fn is_scattered(&self) -> bool {
        false
    }

    /// What the plan makes of a domain.
    fn ruling(&self, domain: DomainId) -> LotDecision;

    /// Why, in plain words.
    fn reason(&self, domain: DomainId) -> String;
}
