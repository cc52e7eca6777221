//! A survey in JSON: what a sample says of a catalog.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Redacted;

/// What a survey came to; in a report beside its targets, in JSON Lines after
/// them, as the only member `survey` of the last line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyRow<'a> {
    /// The plan that chose what was asked.
    pub plan: Cow<'a, str>,
    /// Where its chance came from.
    pub seed: u64,
    /// How it ended: `finished`, `up-to-date`, `budget-spent`, `no-network` or
    /// `interrupted`.
    pub end: Cow<'a, str>,
    /// URLs in the catalog.
    pub urls: u32,
    /// URLs with an answer in this run.
    pub checked: u32,
    /// Those of them that are broken, failing ones among them.
    pub broken: u32,
    /// Those of the broken ones that are bad now and not yet confirmed.
    pub failing: u32,
    /// How much of what is broken was found; null where nobody can say.
    pub recall: Option<RecallRow>,
    /// What was allowed in a week; null if everything was.
    pub budget: Option<BudgetRow>,
    /// Domains by what is made of them.
    pub standings: StandingsRow,
    /// Every domain, in the order of the catalog.
    pub domains: Vec<DomainRow<'a>>,
}

/// The share of the broken URLs that were found, in percent, with the bounds
/// of a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecallRow {
    /// Probably.
    pub estimate: f64,
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}

/// A budget and its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetRow {
    /// URLs that may be asked in seven days.
    pub allowed: u32,
    /// URLs that were asked in the seven days before this run.
    pub before: u32,
}

/// Domains by what is made of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingsRow {
    /// Good as far as the sample goes.
    pub ok: u64,
    /// With broken URLs, for which directories of it are checked in full.
    pub suspicious: u64,
    /// More than half of its URLs are broken.
    pub broken: u64,
    /// Without an answer.
    pub unseen: u64,
}

/// A domain of a survey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomainRow<'a> {
    /// Its name.
    pub name: Redacted<'a>,
    /// URLs in the catalog.
    pub urls: u32,
    /// URLs with an answer in this run.
    pub checked: u32,
    /// URLs known to be broken, failing ones among them.
    pub broken: u32,
    /// Those of them that are bad now and not yet confirmed.
    pub failing: u32,
    /// What is made of it: `ok`, `suspicious`, `broken` or `unseen`.
    pub status: Cow<'a, str>,
    /// Why it was checked no further, in plain words.
    pub reason: Redacted<'a>,
}
