//! Callbacks for results and progress.

use std::time::Duration;

use relink_ports::CheckedTarget;
use relink_survey::Forecast;

/// Progress of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Documents are being read.
    Loading {
        /// Documents read so far.
        documents: u64,
        /// Links found so far.
        links: u64,
    },
    /// Targets are being fetched.
    Checking {
        /// Checked targets.
        checked: u64,
        /// Known targets.
        targets: u64,
        /// Requests in flight.
        in_flight: usize,
        /// Hosts that delay the run, longest wait first.
        waiting: Vec<Waiting>,
    },
    /// URLs of a catalog are being fetched.
    Surveying {
        /// Checked URLs.
        requests: u64,
        /// Requests in flight.
        in_flight: usize,
        /// Hosts that delay the run, longest wait first.
        waiting: Vec<Waiting>,
        /// State of the domains so far.
        domain_counts: DomainCounts,
    },
}

/// Number of domains of a catalog in each state. A survey checks a sample of the URLs of
/// each domain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DomainCounts {
    /// Domains without a broken URL in the sample.
    pub accepted: u64,
    /// Domains with broken URLs. Their broken directories are checked in full.
    pub suspicious: u64,
    /// Domains of which more than half of the URLs are broken.
    pub broken: u64,
    /// Domains without a checked URL so far.
    pub unchecked: u64,
}

/// The expected cost of a survey, computed after its first checks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurveyForecast {
    /// Share of the broken URLs that is to be found, in percent.
    pub recall: f64,
    /// Expected number of checks that find this share, including those so far.
    pub checks: Forecast,
    /// Number of URLs in the catalog.
    pub urls: u32,
}

/// A host that delays the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The name of the host.
    pub host: String,
    /// The remaining wait.
    pub wait: Duration,
    /// Whether the host limits the request rate.
    pub is_throttled: bool,
}

/// Receives results and progress of a run.
pub trait Observer: Send {
    /// Called after a target is checked and stored. An error ends the run;
    /// stored results are not lost.
    fn on_result(&mut self, checked: &CheckedTarget) -> std::io::Result<()>;

    /// Called at most ten times per second.
    fn on_progress(&mut self, progress: &Progress);

    /// Called when a survey can forecast its cost.
    fn on_forecast(&mut self, _forecast: &SurveyForecast) {}
}
