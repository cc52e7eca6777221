//! Report of a survey. A survey checks a sample of the URLs of each domain of a catalog.

use relink_survey::{DirectoryId, DomainId, RecallEstimate};

use super::survey_run::SurveyRun;
use crate::dispatch::Job as _;
use crate::observer::{DomainCounts, SurveyForecast};

/// Status of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainStatus {
    /// The sample has no broken URL, or fewer than the plan rejects.
    Accepted,
    /// The sample has broken URLs. Their directories are checked in full.
    Suspicious,
    /// More than half of the URLs are broken.
    Broken,
    /// No URL was checked.
    Unchecked,
}

impl DomainStatus {
    /// Returns the name used in all outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "ok",
            Self::Suspicious => "suspicious",
            Self::Broken => "broken",
            Self::Unchecked => "unchecked",
        }
    }
}

/// Results of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainReport {
    /// The name of the domain.
    pub name: String,
    /// Number of URLs in the catalog.
    pub urls: u32,
    /// Number of URLs checked in this run.
    pub checked: u32,
    /// Number of broken URLs, including failing ones.
    pub broken: u32,
    /// Number of failing URLs, which are not confirmed yet.
    pub failing: u32,
    /// The status.
    pub status: DomainStatus,
    /// Why checking the domain ended.
    pub reason: String,
    /// Directories with broken URLs: name, URLs, checked, broken; most broken
    /// first.
    pub directories: Vec<(String, u32, u32, u32)>,
}

/// A budget and its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetUse {
    /// Maximum number of URLs per week.
    pub allowed: u32,
    /// Number of URLs checked in the last seven days.
    pub already_used: u32,
}

/// Report of a survey.
#[derive(Debug, Clone, PartialEq)]
pub struct SurveyReport {
    /// Number of URLs in the catalog.
    pub urls: u32,
    /// Number of URLs checked in this run.
    pub checked: u32,
    /// Number of broken URLs, including failing ones.
    pub broken: u32,
    /// Number of failing URLs, which are not confirmed yet.
    pub failing: u32,
    /// Estimated recall, the share of the broken URLs that were found; `None` for a re-check.
    pub estimate: Option<RecallEstimate>,
    /// The forecast after the first checks, if the plan has one.
    pub forecast: Option<SurveyForecast>,
    /// Number of domains by status.
    pub domain_counts: DomainCounts,
    /// All domains, in the order of the catalog.
    pub domains: Vec<DomainReport>,
}

impl SurveyReport {
    /// Builds the report of a survey.
    pub(super) fn from_run(survey_run: &SurveyRun<'_>) -> Self {
        let catalog = &survey_run.loaded.catalog;
        let total = survey_run.selector.check_log().total();
        let domains: Vec<DomainReport> =
            catalog.domains().map(|domain| domain_report(survey_run, domain)).collect();
        Self {
            urls: catalog.len(),
            checked: total.checked,
            broken: total.broken,
            failing: domains.iter().map(|domain| domain.failing).sum(),
            estimate: survey_run.selector.estimate(),
            forecast: survey_run.forecast,
            domain_counts: survey_run.domain_counts().unwrap_or_default(),
            domains,
        }
    }
}

fn domain_report(survey_run: &SurveyRun<'_>, domain: DomainId) -> DomainReport {
    let catalog = &survey_run.loaded.catalog;
    DomainReport {
        name: catalog.domain_name(domain).to_owned(),
        urls: catalog.domain_size(domain),
        checked: survey_run.selector.check_log().domain(domain).checked,
        broken: survey_run.selector.broken(domain),
        failing: survey_run.failing(domain),
        status: survey_run.domain_status(domain),
        reason: survey_run.selector.reason(domain),
        directories: broken_directories(survey_run, domain),
    }
}

/// Returns the directories with broken URLs, most broken first; see
/// [`DomainReport::directories`].
fn broken_directories(
    survey_run: &SurveyRun<'_>,
    domain: DomainId,
) -> Vec<(String, u32, u32, u32)> {
    let (catalog, check_log) = (&survey_run.loaded.catalog, survey_run.selector.check_log());
    let row = |directory: DirectoryId| {
        let counts = check_log.directory(directory);
        let name = catalog.directory_name(directory).to_owned();
        (name, catalog.directory_size(directory), counts.checked, counts.broken)
    };
    let mut rows: Vec<_> =
        catalog.directories_of(domain).map(row).filter(|(.., broken)| *broken > 0).collect();
    rows.sort_by(|(left_name, .., left_broken), (right_name, .., right_broken)| {
        right_broken.cmp(left_broken).then_with(|| left_name.cmp(right_name))
    });
    rows
}
