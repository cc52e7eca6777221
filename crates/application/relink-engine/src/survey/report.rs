//! What a survey came to.

use relink_survey::{DirectoryId, DomainId, RecallEstimate};

use super::surveyor::SurveyRun;
use crate::dispatch::TaskSource as _;
use crate::observer::DomainCounts;

/// What a survey makes of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainStatus {
    /// Good as far as the sample goes.
    Accepted,
    /// With broken URLs, for which directories of it are checked in full.
    Suspicious,
    /// More than half of its URLs are broken.
    Broken,
    /// Without an answer.
    Unseen,
}

impl DomainStatus {
    /// The standing as every output spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "ok",
            Self::Suspicious => "suspicious",
            Self::Broken => "broken",
            Self::Unseen => "unseen",
        }
    }
}

/// A domain in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainReport {
    /// Its name.
    pub name: String,
    /// How many URLs it has in the catalog.
    pub urls: u32,
    /// How many of them have an answer in this run.
    pub checked: u32,
    /// How many are known to be broken, failing ones among them.
    pub broken: u32,
    /// Those of them that are bad now and not yet confirmed.
    pub failing: u32,
    /// What is made of it.
    pub status: DomainStatus,
    /// Why it was checked no further, in plain words.
    pub reason: String,
    /// Its directories in which something is broken, as name, URLs, checked and
    /// broken, most broken first.
    pub directories: Vec<(String, u32, u32, u32)>,
}

/// How much was allowed, and how much of it is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetUse {
    /// How many URLs may be asked in a week.
    pub allowed: u32,
    /// How many were asked in the seven days before.
    pub before: u32,
}

/// What a survey came to.
#[derive(Debug, Clone, PartialEq)]
pub struct SurveyReport {
    /// How many URLs the catalog has.
    pub urls: u32,
    /// How many have an answer in this run.
    pub checked: u32,
    /// How many of those are broken, failing ones among them.
    pub broken: u32,
    /// Those of them that are bad now and not yet confirmed.
    pub failing: u32,
    /// How much of what is broken was found; a schedule of re-checks cannot say.
    pub estimate: Option<RecallEstimate>,
    /// The domains in numbers.
    pub standings: DomainCounts,
    /// Every domain, in the order of the catalog.
    pub domains: Vec<DomainReport>,
}

impl SurveyReport {
    /// Tells what came of a survey.
    pub(super) fn of(surveyor: &SurveyRun<'_>) -> Self {
        let catalog = &surveyor.read.catalog;
        let total = surveyor.course.ledger().total();
        let domains: Vec<DomainReport> =
            catalog.domains().map(|domain| domain_report(surveyor, domain)).collect();
        Self {
            urls: catalog.len(),
            checked: total.checked,
            broken: total.broken,
            failing: domains.iter().map(|domain| domain.failing).sum(),
            estimate: surveyor.course.estimate(),
            standings: surveyor.standings().unwrap_or_default(),
            domains,
        }
    }
}

fn domain_report(surveyor: &SurveyRun<'_>, domain: DomainId) -> DomainReport {
    let catalog = &surveyor.read.catalog;
    DomainReport {
        name: catalog.domain_name(domain).to_owned(),
        urls: catalog.domain_size(domain),
        checked: surveyor.course.ledger().domain(domain).checked,
        broken: surveyor.course.broken(domain),
        failing: surveyor.failing(domain),
        status: surveyor.standing(domain),
        reason: surveyor.course.reason(domain),
        directories: broken_directories(surveyor, domain),
    }
}

fn broken_directories(surveyor: &SurveyRun<'_>, domain: DomainId) -> Vec<(String, u32, u32, u32)> {
    let (catalog, ledger) = (&surveyor.read.catalog, surveyor.course.ledger());
    let row = |directory: DirectoryId| {
        let tally = ledger.directory(directory);
        let name = catalog.directory_name(directory).to_owned();
        (name, catalog.directory_size(directory), tally.checked, tally.broken)
    };
    let mut rows: Vec<_> =
        catalog.directories_of(domain).map(row).filter(|(.., broken)| *broken > 0).collect();
    rows.sort_by(|one, other| other.3.cmp(&one.3).then_with(|| one.0.cmp(&other.0)));
    rows
}
