//! Host outages: all targets on a host fail at once.
//!
//! An outage is one incident of the host instead of one incident per target.

use super::CheckResult;

/// Minimum number of broken targets in an outage. A host with fewer targets gets one incident
/// per target.
const MIN_OUTAGE_TARGETS: u32 = 3;

/// The results of the targets of one host in one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostChecks {
    /// Number of live targets.
    pub alive: u32,
    /// Number of broken targets.
    pub broken: u32,
    /// Number of targets in doubt.
    pub unknown: u32,
}

impl HostChecks {
    /// Counts a result.
    pub fn add(&mut self, result: CheckResult) {
        let count = match result {
            CheckResult::Alive => &mut self.alive,
            CheckResult::Broken => &mut self.broken,
            CheckResult::Unknown => &mut self.unknown,
        };
        *count = count.saturating_add(1);
    }

    /// Whether the results show an outage: several targets were checked and all are broken.
    pub fn is_outage(self) -> bool {
        self.broken >= MIN_OUTAGE_TARGETS && self.alive == 0 && self.unknown == 0
    }

    /// Returns the result for the incident of the host. One live target ends an outage; one
    /// target in doubt means that the state of the host is unknown.
    pub fn host_result(self) -> CheckResult {
        if self.alive > 0 {
            CheckResult::Alive
        } else if self.unknown > 0 || self.broken == 0 {
            CheckResult::Unknown
        } else {
            CheckResult::Broken
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the conclusions from these numbers of results.
    #[track_caller]
    fn check(alive: u32, broken: u32, unknown: u32, is_outage: bool, result: CheckResult) {
        let checks = HostChecks { alive, broken, unknown };
        assert_eq!((checks.is_outage(), checks.host_result()), (is_outage, result));
    }

    #[test]
    fn outage_needs_three_broken_targets_and_no_other() {
        check(0, 3, 0, true, CheckResult::Broken);
        check(0, 2, 0, false, CheckResult::Broken);
        check(1, 90, 0, false, CheckResult::Alive);
        check(0, 90, 1, false, CheckResult::Unknown);
        check(0, 0, 0, false, CheckResult::Unknown);
    }
}
