//! The JSON of a survey, which estimates from a sample of URLs how many URLs of a catalog
//! are broken.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Redacted;

/// The result of a survey. It is a member of a report; in JSON Lines it is the
/// only member, `survey`, of the last line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyRow<'a> {
    /// The sampling plan.
    pub plan: Cow<'a, str>,
    /// The random seed.
    pub seed: u64,
    /// The reason why the survey ended: `finished`, `up-to-date`, `budget-spent`,
    /// `no-network` or `interrupted`.
    pub end: Cow<'a, str>,
    /// URLs in the catalog.
    pub urls: u32,
    /// URLs checked in this run.
    pub checked: u32,
    /// Checked URLs that are broken, including failing ones.
    pub broken: u32,
    /// Broken URLs that are failing but not yet confirmed as dead.
    pub failing: u32,
    /// The estimated share of broken URLs that were found, or null if unknown.
    pub recall: Option<RecallRow>,
    /// The forecast that was made after the first checks, or null if there was none.
    pub forecast: Option<ForecastRow>,
    /// The weekly budget, or null if there is no limit.
    pub budget: Option<BudgetRow>,
    /// The number of domains by status.
    pub domain_counts: DomainCountsRow,
    /// Every domain, in the order of the catalog.
    pub domains: Vec<DomainRow<'a>>,
}

/// The share of the broken URLs that were found, in percent, with a 95 %
/// confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecallRow {
    /// The estimate.
    pub estimate: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// The expected cost of finding a share of the broken URLs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForecastRow {
    /// The share of the broken URLs, in percent.
    pub recall: f64,
    /// URLs that must be checked if almost all broken URLs are in dead directories.
    pub clustered: u32,
    /// URLs that must be checked if many broken URLs are scattered.
    pub scattered: u32,
}

/// A weekly budget and its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetRow {
    /// URLs that may be checked in seven days.
    pub allowed: u32,
    /// URLs that were checked in the seven days before this run.
    pub before: u32,
}

/// The number of domains by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomainCountsRow {
    /// Domains without a broken URL in the sample.
    pub ok: u64,
    /// Domains with broken URLs. Their affected directories are checked completely.
    pub suspicious: u64,
    /// Domains of which more than half of the URLs are broken.
    pub broken: u64,
    /// Domains of which no URL was checked.
    pub unchecked: u64,
}

/// A domain of a survey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomainRow<'a> {
    /// The host name.
    pub name: Redacted<'a>,
    /// URLs in the catalog.
    pub urls: u32,
    /// URLs checked in this run.
    pub checked: u32,
    /// URLs known to be broken, including failing ones.
    pub broken: u32,
    /// Broken URLs that are failing but not yet confirmed as dead.
    pub failing: u32,
    /// The status: `ok`, `suspicious`, `broken` or `unchecked`.
    pub status: Cow<'a, str>,
    /// The reason why the domain was not checked further.
    pub reason: Redacted<'a>,
}
