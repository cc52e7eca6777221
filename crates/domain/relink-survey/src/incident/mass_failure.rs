//! Failures of most domains in one run.
//!
//! Unrelated domains rarely fail on the same day. If most domains of a run do, a failure of the
//! local network is more likely: its name server, its proxy, or a portal that responds for all
//! hosts. Targets that were already broken or in doubt before the run are not evidence.

use std::fmt;

use super::CheckResult;

/// Minimum number of domains for a conclusion.
const MIN_DOMAINS: usize = 5;
/// Minimum percentage of domains that fail.
const MIN_FAILED_PERCENT: usize = 80;

/// The results of the targets of one registrable domain in one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DomainChecks {
    /// Number of targets that worked at their previous check.
    worked_before: u32,
    /// Number of targets that were never checked before.
    new: u32,
    /// Number of targets that work.
    alive: u32,
    /// Number of targets whose host name was not resolved.
    unresolved: u32,
}

impl DomainChecks {
    /// Counts a target with the results of its previous check and of this one.
    pub fn add(&mut self, before: Option<CheckResult>, now: CheckResult, is_resolved: bool) {
        let count = match before {
            Some(CheckResult::Alive) => &mut self.worked_before,
            None => &mut self.new,
            Some(CheckResult::Broken | CheckResult::Unknown) => return,
        };
        *count = count.saturating_add(1);
        if now == CheckResult::Alive {
            self.alive = self.alive.saturating_add(1);
        }
        if !is_resolved {
            self.unresolved = self.unresolved.saturating_add(1);
        }
    }

    /// Whether no host name of the domain was resolved.
    fn is_unresolved(self) -> bool {
        self.unresolved > 0 && self.unresolved == self.worked_before.saturating_add(self.new)
    }
}

/// Most domains of a run fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MassFailure {
    /// Domains that worked at their previous check have no working target.
    Failed {
        /// Number of domains that fail.
        failed: usize,
        /// Number of domains that worked before.
        domains: usize,
    },
    /// The names of domains are not resolved.
    Unresolved {
        /// Number of domains that are not resolved.
        failed: usize,
        /// Number of domains that were not known to be broken.
        domains: usize,
    },
}

impl MassFailure {
    /// Returns the failure of most domains of a run, if there is one.
    pub fn of(checks: &[DomainChecks]) -> Option<Self> {
        let worked: Vec<_> = checks.iter().filter(|domain| domain.worked_before > 0).collect();
        let failed = worked.iter().filter(|domain| domain.alive == 0).count();
        let domains = worked.len();
        if is_most(failed, domains) {
            return Some(Self::Failed { failed, domains });
        }
        let was_not_broken = |domain: &&DomainChecks| domain.worked_before > 0 || domain.new > 0;
        let domains = checks.iter().filter(was_not_broken).count();
        let failed = checks.iter().filter(|domain| domain.is_unresolved()).count();
        is_most(failed, domains).then_some(Self::Unresolved { failed, domains })
    }
}

fn is_most(failed: usize, domains: usize) -> bool {
    domains >= MIN_DOMAINS && 100 * failed >= MIN_FAILED_PERCENT * domains
}

impl fmt::Display for MassFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { failed, domains } => {
                write!(f, "{failed} of {domains} domains that worked at their last check fail now")
            }
            Self::Unresolved { failed, domains } => {
                write!(f, "{failed} of {domains} domains could not be resolved")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALIVE: Option<CheckResult> = Some(CheckResult::Alive);

    /// Returns `count` domains with three equal targets each.
    fn domains(
        count: usize,
        before: Option<CheckResult>,
        now: CheckResult,
        is_resolved: bool,
    ) -> Vec<DomainChecks> {
        let mut checks = DomainChecks::default();
        (0..3).for_each(|_| checks.add(before, now, is_resolved));
        vec![checks; count]
    }

    /// Asserts the text of the mass failure; an empty text means that there is none.
    #[track_caller]
    fn check(parts: &[Vec<DomainChecks>], expect: &str) {
        let failure = MassFailure::of(&parts.concat());
        assert_eq!(failure.map(|it| it.to_string()).unwrap_or_default(), expect);
    }

    #[test]
    fn mass_failure_needs_four_fifths_of_five_domains_that_worked() {
        for now in [CheckResult::Broken, CheckResult::Unknown] {
            let failed = |count| domains(count, ALIVE, now, true);
            let alive = |count| domains(count, ALIVE, CheckResult::Alive, true);
            check(&[failed(5)], "5 of 5 domains that worked at their last check fail now");
            check(
                &[failed(4), alive(1)],
                "4 of 5 domains that worked at their last check fail now",
            );
            check(&[failed(4)], "");
            check(&[failed(7), alive(2)], "");
        }
    }

    #[test]
    fn mass_failure_ignores_targets_that_were_broken_before() {
        for before in [CheckResult::Broken, CheckResult::Unknown] {
            check(&[domains(100, Some(before), CheckResult::Broken, false)], "");
        }
        check(&[domains(100, None, CheckResult::Broken, true)], "");
    }

    #[test]
    fn mass_failure_includes_new_domains_without_ip_address() {
        let unresolved = |count| domains(count, None, CheckResult::Broken, false);
        let alive = |count| domains(count, None, CheckResult::Alive, true);
        check(&[unresolved(7), alive(1)], "7 of 8 domains could not be resolved");
        check(&[unresolved(4)], "");
        check(&[unresolved(7), alive(2)], "");
    }

    #[test]
    fn one_working_target_proves_that_a_domain_works() {
        let mut domain = DomainChecks::default();
        domain.add(ALIVE, CheckResult::Broken, true);
        domain.add(None, CheckResult::Alive, true);
        check(&[vec![domain; 10]], "");
    }
}
