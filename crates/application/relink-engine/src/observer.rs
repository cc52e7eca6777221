//! Who is told what happens while it happens.

use std::time::Duration;

use relink_ports::CheckedTarget;

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Documents are being read.
    Loading {
        /// Documents read so far.
        documents: u64,
        /// Links found so far.
        links: u64,
    },
    /// Targets are being asked.
    Asking {
        /// Targets settled.
        checked: u64,
        /// Targets in all.
        targets: u64,
        /// Requests in flight.
        in_flight: usize,
        /// Hosts that are being waited for, the longest wait first.
        waiting: Vec<Waiting>,
    },
    /// Samples of a catalog are being asked.
    Surveying {
        /// Targets settled.
        requests: u64,
        /// Requests in flight.
        in_flight: usize,
        /// Hosts that are being waited for, the longest wait first.
        waiting: Vec<Waiting>,
        /// What is made of the domains so far.
        standings: DomainCounts,
    },
}

/// What a survey makes of the domains of its catalog, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DomainCounts {
    /// Good as far as the sample goes.
    pub accepted: u64,
    /// With broken URLs, for which directories of it are checked in full.
    pub suspicious: u64,
    /// More than half of its URLs are broken.
    pub broken: u64,
    /// Without an answer so far.
    pub unseen: u64,
}

/// A host that is being waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The host.
    pub host: String,
    /// For how long yet.
    pub wait: Duration,
    /// Whether it asked us to slow down.
    pub is_throttled: bool,
}

/// Told about results as they come.
pub trait Observer: Send {
    /// A target is settled and stored. An error ends the run; what is stored
    /// stays.
    fn settled(&mut self, settled: &CheckedTarget) -> std::io::Result<()>;

    /// The run has come this far. Called a few times a second at most.
    fn progress(&mut self, progress: &Progress);
}
