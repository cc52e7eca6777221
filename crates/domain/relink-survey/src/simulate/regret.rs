//! Regret: how much less a plan finds than a reference plan with the same number of requests.
//!
//! The reference plan knows the true rate of broken URLs of each directory, but not the health of
//! single URLs. It checks the directories in the order of their rates.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::{Federation, SimulationResult};
use crate::check_log::{CheckCounts, UrlHealth};

impl Federation {
    /// Returns the percentage of the broken URLs that `requests` checks find on average if the
    /// true rate of every directory is known.
    pub fn best_found(&self, requests: u32) -> f64 {
        let mut directories = vec![CheckCounts::default(); self.catalog.directories().len()];
        for url in self.catalog.urls() {
            directories[self.catalog.directory_of(url).index()].add(self.health(url));
        }
        directories.sort_by(|one, other| other.rate().total_cmp(&one.rate()));
        let (mut remaining, mut found) = (requests, 0.0);
        for directory in directories {
            let checked = directory.checked.min(remaining);
            remaining -= checked;
            found += f64::from(checked) * directory.rate();
        }
        let is_broken = |health: &&UrlHealth| **health == UrlHealth::Broken;
        let broken = self.ground_truth.iter().filter(is_broken).count();
        100.0 * found / f64::from(u32::try_from(broken).unwrap_or(u32::MAX).max(1))
    }

    /// Returns how much less a run found than the reference plan with as many requests, in
    /// percentage points. A lucky run has a negative regret.
    pub fn regret(&self, result: &SimulationResult) -> f64 {
        self.best_found(result.counts.checked) - result.found()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BreakageShape, FederationShape, run_repeatedly};
    use super::*;
    use crate::catalog::Catalog;
    use crate::named::SamplingPlanName;

    /// Returns two directories of 10 URLs with `first` and `second` broken URLs.
    fn two_directories(first: usize, second: usize) -> Federation {
        let url = |at: usize| ("a.test", format!("http://a.test/{}/{}", at / 10, at % 10));
        let catalog = Catalog::new((0..20).map(url));
        let is_broken = |at: usize| at % 10 < if at < 10 { first } else { second };
        let health = |at| if is_broken(at) { UrlHealth::Broken } else { UrlHealth::Alive };
        Federation { catalog, ground_truth: (0..20).map(health).collect() }
    }

    #[test]
    fn best_found_checks_the_highest_rates_first() {
        let federation = two_directories(2, 8);
        assert!((federation.best_found(5) - 40.0).abs() < 1e-9);
        assert!((federation.best_found(10) - 80.0).abs() < 1e-9);
        assert!((federation.best_found(20) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn best_found_without_requests_is_zero() {
        assert!(two_directories(2, 8).best_found(0) <= 0.0);
    }

    /// Returns the regret and the result of a plan on one random federation.
    fn survey(
        plan: SamplingPlanName,
        shape: &FederationShape,
        seed: u64,
    ) -> (f64, SimulationResult) {
        let federation = Federation::draw(shape, seed);
        let health = |url| federation.health(url);
        let result = run_repeatedly(plan, &federation.catalog, health, 1, seed)[0];
        (federation.regret(&result), result)
    }

    /// Maximum regret of a random federation, in percentage points.
    const MAX_REGRET: f64 = 4.0;

    /// Asserts the regret of the default plan on a federation with this kind of breakage.
    #[track_caller]
    fn check_regret(breakage: BreakageShape) {
        let shape = FederationShape { breakage, ..FederationShape::default() };
        let (regret, result) = survey(SamplingPlanName::Default, &shape, 700);
        assert!(regret <= MAX_REGRET, "{regret} {result:?}");
    }

    #[test]
    fn regret_of_the_default_plan_is_low_on_all_shapes() {
        check_regret(BreakageShape::ByDirectory);
        check_regret(BreakageShape::Scattered);
        check_regret(BreakageShape::Mixed);
    }
}
