//! All plans side by side, beside the paper's Table 1.

use super::{Federation, SimulationResult, runs};
use crate::named::SamplingPlanName;

/// A run in Table 1 of Le & Shulman, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperRun {
    /// URLs selected for checking, of all URLs.
    pub checked: f64,
    /// Broken URLs found, of all broken ones.
    pub found: f64,
    /// Broken URLs found, of those selected.
    pub rate: f64,
}

/// Table 1 of Le & Shulman (§3.3): three runs of Algorithm 1 on 236,763 URLs.
pub const LE_SHULMAN_TABLE_1: [PaperRun; 3] = [
    PaperRun { checked: 17.36, found: 73.48, rate: 81.72 },
    PaperRun { checked: 44.40, found: 94.92, rate: 41.27 },
    PaperRun { checked: 48.57, found: 98.67, rate: 39.22 },
];

/// One run of a plan, as the mean of repetitions, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparedRun {
    /// By which plan.
    pub plan: SamplingPlanName,
    /// Which run, from 1 on; each knows what the one before found broken.
    pub run: u32,
    /// URLs checked, of all URLs.
    pub checked: f64,
    /// Broken URLs found, of all broken ones.
    pub found: f64,
    /// Broken URLs found, of those checked.
    pub rate: f64,
    /// How often the interval of recall held the truth.
    pub held: f64,
}

/// Plays every plan, each `repetitions` times with `count` runs.
pub fn compare(
    plans: &[SamplingPlanName],
    federation: &Federation,
    count: u32,
    repetitions: u32,
    seed: u64,
) -> Vec<ComparedRun> {
    let mut compared = Vec::new();
    for &plan in plans {
        let play = |repetition: u32| {
            let seed = seed.wrapping_add(u64::from(repetition) * u64::from(count));
            runs(plan, &federation.catalog, |url| federation.answer(url), count, seed)
        };
        let played: Vec<Vec<SimulationResult>> = (0..repetitions.max(1)).map(play).collect();
        for run in 0..count {
            let outcomes = played.iter().filter_map(|outcomes| outcomes.get(run as usize));
            compared.push(mean(plan, run + 1, &outcomes.collect::<Vec<_>>()));
        }
    }
    compared
}

fn mean(plan: SamplingPlanName, run: u32, outcomes: &[&SimulationResult]) -> ComparedRun {
    let repetitions = f64::from(u32::try_from(outcomes.len()).unwrap_or(u32::MAX));
    let mean = |value: &dyn Fn(&SimulationResult) -> f64| {
        outcomes.iter().map(|outcome| value(outcome)).sum::<f64>() / repetitions
    };
    ComparedRun {
        plan,
        run,
        checked: mean(&SimulationResult::checked),
        found: mean(&SimulationResult::found),
        rate: mean(&SimulationResult::rate),
        held: mean(&|outcome| 100.0 * f64::from(u8::from(outcome.interval_holds()))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::FederationShape;
    use super::*;

    fn federation() -> Federation {
        let shape = FederationShape { urls: 20_000, domains: 100, ..FederationShape::default() };
        Federation::draw(&shape, 7)
    }

    #[test]
    fn checking_everything_finds_everything() {
        let full = compare(&[SamplingPlanName::Full], &federation(), 1, 1, 1)[0];
        assert!((full.checked - 100.0).abs() < 1e-9 && (full.found - 100.0).abs() < 1e-9);
    }

    #[test]
    fn algorithm_1_finds_more_from_run_to_run() {
        let runs = compare(&[SamplingPlanName::LeShulman], &federation(), 3, 2, 1);
        assert!(runs[0].found < runs[2].found, "{runs:?}");
        assert!(runs[0].checked < runs[2].checked, "{runs:?}");
    }

    #[test]
    fn the_default_beats_the_sample_of_domains_where_directories_die() {
        let runs =
            compare(&[SamplingPlanName::Sprt, SamplingPlanName::Default], &federation(), 1, 2, 1);
        assert!(runs[1].rate > 1.5 * runs[0].rate, "{runs:?}");
        assert!(runs[1].found > 93.0 && runs[1].checked < runs[0].checked, "{runs:?}");
    }
}
