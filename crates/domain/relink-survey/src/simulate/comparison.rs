//! Compares plans with each other and with Table 1 of Le & Shulman.

use super::{Federation, SimulationResult, run_repeatedly};
use crate::named::SamplingPlanName;

/// A run in Table 1 of Le & Shulman, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperRun {
    /// URLs selected for checking, in percent of all URLs.
    pub checked: f64,
    /// Broken URLs found, in percent of all broken URLs.
    pub found: f64,
    /// Broken URLs found, in percent of the selected URLs.
    pub rate: f64,
}

/// Table 1 of Le & Shulman (section 3.3): three runs of Algorithm 1 on 236,763 URLs.
pub const LE_SHULMAN_TABLE_1: [PaperRun; 3] = [
    PaperRun { checked: 17.36, found: 73.48, rate: 81.72 },
    PaperRun { checked: 44.40, found: 94.92, rate: 41.27 },
    PaperRun { checked: 48.57, found: 98.67, rate: 39.22 },
];

/// One run of a plan, as the mean over repetitions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparedRun {
    /// The plan.
    pub plan: SamplingPlanName,
    /// The number of the run, from 1. Each run knows the broken URLs of the previous one.
    pub run: u32,
    /// URLs checked, in percent of all URLs.
    pub checked: f64,
    /// Broken URLs found, in percent of all broken URLs.
    pub found: f64,
    /// Broken URLs found, in percent of the checked URLs.
    pub rate: f64,
    /// Share of the repetitions in which the interval of recall contained the true value, in
    /// percent.
    pub coverage: f64,
}

/// Simulates every plan `repetitions` times with `count` runs each.
pub fn compare(
    plans: &[SamplingPlanName],
    federation: &Federation,
    count: u32,
    repetitions: u32,
    seed: u64,
) -> Vec<ComparedRun> {
    let mut compared = Vec::new();
    for &plan in plans {
        let simulate = |repetition: u32| {
            // Each run of a repetition uses the next seed.
            let seed = seed.wrapping_add(u64::from(repetition) * u64::from(count));
            run_repeatedly(plan, &federation.catalog, |url| federation.health(url), count, seed)
        };
        let results: Vec<Vec<SimulationResult>> = (0..repetitions.max(1)).map(simulate).collect();
        for run in 0..count {
            let results = results.iter().filter_map(|results| results.get(run as usize));
            compared.push(mean(plan, run + 1, &results.collect::<Vec<_>>()));
        }
    }
    compared
}

/// Returns the means of the results that the repetitions have for the same run.
fn mean(plan: SamplingPlanName, run: u32, results: &[&SimulationResult]) -> ComparedRun {
    let repetitions = f64::from(u32::try_from(results.len()).unwrap_or(u32::MAX));
    let mean = |value: &dyn Fn(&SimulationResult) -> f64| {
        results.iter().map(|result| value(result)).sum::<f64>() / repetitions
    };
    ComparedRun {
        plan,
        run,
        checked: mean(&SimulationResult::checked),
        found: mean(&SimulationResult::found),
        rate: mean(&SimulationResult::rate),
        coverage: mean(&|result| 100.0 * f64::from(u8::from(result.interval_holds()))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::FederationShape;
    use super::*;

    /// Returns a small random federation.
    fn federation() -> Federation {
        let shape = FederationShape { urls: 20_000, domains: 100, ..FederationShape::default() };
        Federation::draw(&shape, 7)
    }

    #[test]
    fn full_check_finds_everything() {
        let full = compare(&[SamplingPlanName::Full], &federation(), 1, 1, 1)[0];
        assert!((full.checked - 100.0).abs() < 1e-9 && (full.found - 100.0).abs() < 1e-9);
    }

    #[test]
    fn algorithm_1_finds_more_with_every_run() {
        let runs = compare(&[SamplingPlanName::LeShulman], &federation(), 3, 2, 1);
        assert!(runs[0].found < runs[2].found, "{runs:?}");
        assert!(runs[0].checked < runs[2].checked, "{runs:?}");
    }

    #[test]
    fn default_plan_beats_sprt_if_directories_die() {
        let runs =
            compare(&[SamplingPlanName::Sprt, SamplingPlanName::Default], &federation(), 1, 2, 1);
        assert!(runs[1].rate > 1.5 * runs[0].rate, "{runs:?}");
        assert!(runs[1].found > 93.0 && runs[1].checked < runs[0].checked, "{runs:?}");
    }
}
