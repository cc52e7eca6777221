//! The interface of sampling plans.

use std::fmt;

use crate::catalog::{DirectoryId, DomainId, UrlId};
use crate::check_log::{CheckLog, UrlHealth};
use crate::estimate::RecallEstimate;

/// The current decision of a plan on a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LotDecision {
    /// Do not check the remaining URLs.
    Accept,
    /// Check all URLs.
    CheckAll,
    /// Check another group of URLs.
    Continue,
}

impl fmt::Display for LotDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accept => "accept the rest",
            Self::CheckAll => "check all",
            Self::Continue => "continue sampling",
        })
    }
}

/// Expected number of checks that find a share of the broken URLs, including those so far.
///
/// The first checks show how many directories are dead, but hardly how many broken URLs are
/// scattered over the others, so there are two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forecast {
    /// The number if almost all broken URLs are in dead directories.
    pub clustered: u32,
    /// The number if as many broken URLs are scattered as in catalogs that are typical for the
    /// prior of the plan.
    pub scattered: u32,
}

/// A strategy to find many broken URLs with few checks.
///
/// The caller requests batches and records the results in any order. The plan has ended when it
/// returns no batch and no check is in flight. A plan never returns a URL twice. It does not
/// return URLs whose results were recorded before, so an interrupted run is resumed by recording
/// its results again.
pub trait SamplingPlan: Send {
    /// Returns the next URLs to check, at most `max_urls`, spread over domains. The batch is
    /// empty if the plan waits for results or has ended.
    fn next_batch(&mut self, max_urls: usize) -> Vec<UrlId>;

    /// Records the result of a URL.
    fn record(&mut self, url: UrlId, health: UrlHealth);

    /// Returns the results so far.
    fn check_log(&self) -> &CheckLog<'_>;

    /// Whether no check is in flight.
    fn is_idle(&self) -> bool {
        self.check_log().in_flight() == 0
    }

    /// Returns the estimate of recall so far.
    fn estimate(&self) -> RecallEstimate;

    /// Returns the expected cost of finding `recall` percent of the broken URLs. Returns `None`
    /// if the plan has no forecast, or not yet.
    fn forecast(&self, recall: f64) -> Option<Forecast> {
        let _ = recall;
        None
    }

    /// Returns the estimated probability that an unchecked URL of a directory is broken.
    fn expected_rate(&self, directory: DirectoryId) -> f64;

    /// Returns the decision on a domain.
    fn decision(&self, domain: DomainId) -> LotDecision;

    /// Returns the reason for the decision.
    fn reason(&self, domain: DomainId) -> String;
}
