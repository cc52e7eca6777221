//! Surveys of catalogs whose truth is known.

mod comparison;
mod federation;

pub use comparison::{ComparedRun, LE_SHULMAN_TABLE_1, PaperRun, compare};
pub use federation::{Breakage, Federation, FederationShape, Naming};

use crate::catalog::{Catalog, UrlId};
use crate::estimate::RecallEstimate;
use crate::ledger::{CheckCounts, UrlHealth};
use crate::named::SamplingPlanName;
use crate::plan::SamplingPlan;

/// How many URLs are asked for at a time.
pub const BATCH: usize = 500;

/// What a plan came to, where the truth is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulationResult {
    /// How many URLs the catalog has.
    pub urls: u32,
    /// How many of them are broken.
    pub broken: u32,
    /// What was checked and found.
    pub tally: CheckCounts,
    /// What the plan says of its recall.
    pub estimate: RecallEstimate,
}

impl SimulationResult {
    /// The share of the URLs that were checked, in percent.
    pub fn checked(&self) -> f64 {
        100.0 * f64::from(self.tally.checked) / f64::from(self.urls.max(1))
    }

    /// The share of the broken URLs that were found, in percent.
    pub fn found(&self) -> f64 {
        if self.broken == 0 {
            return 100.0;
        }
        100.0 * f64::from(self.tally.broken) / f64::from(self.broken)
    }

    /// The share of the checks that found a broken URL, in percent.
    pub fn rate(&self) -> f64 {
        100.0 * self.tally.rate()
    }

    /// Whether the interval of the estimate holds the truth.
    pub fn interval_holds(&self) -> bool {
        const ROUNDING: f64 = 1e-9;
        let found = self.found();
        self.estimate.low() - ROUNDING <= found && found <= self.estimate.high() + ROUNDING
    }
}

/// Runs a plan to its end, each answer given by the truth.
pub fn run(plan: &mut dyn SamplingPlan, truth: impl Fn(UrlId) -> UrlHealth) {
    loop {
        let batch = plan.next_batch(BATCH);
        if batch.is_empty() {
            return;
        }
        for url in batch {
            plan.take(url, truth(url));
        }
    }
}

/// Runs a plan some times, each run knowing what the one before found broken.
pub fn runs(
    name: SamplingPlanName,
    catalog: &Catalog,
    truth: impl Fn(UrlId) -> UrlHealth,
    count: u32,
    seed: u64,
) -> Vec<SimulationResult> {
    let broken = catalog.urls().filter(|url| truth(*url) == UrlHealth::Broken).count();
    let broken = u32::try_from(broken).unwrap_or(u32::MAX);
    let mut known = Vec::new();
    let mut outcomes = Vec::new();
    for number in 0..count {
        let mut plan = name.begin(catalog, &known, seed.wrapping_add(u64::from(number)));
        run(plan.as_mut(), &truth);
        let (urls, tally) = (catalog.len(), plan.ledger().total());
        outcomes.push(SimulationResult { urls, broken, tally, estimate: plan.estimate() });
        known = plan.ledger().broken().collect();
    }
    outcomes
}

/// A number as a count; what is no number or below 0 counts as 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float out of range becomes the nearest count"
)]
pub(crate) fn count(number: f64) -> u32 {
    number as u32
}
