//! Simulated surveys of catalogs with known ground truth.

mod comparison;
mod federation;
mod regret;

pub use comparison::{ComparedRun, LE_SHULMAN_TABLE_1, PaperRun, compare};
pub use federation::{BreakageShape, Federation, FederationShape, Naming};

use crate::catalog::{Catalog, UrlId};
use crate::check_log::{CheckCounts, UrlHealth};
use crate::estimate::RecallEstimate;
use crate::named::SamplingPlanName;
use crate::plan::SamplingPlan;

/// Number of URLs per batch.
pub const BATCH_SIZE: usize = 500;

/// The result of a plan with known ground truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulationResult {
    /// Number of URLs in the catalog.
    pub urls: u32,
    /// Number of broken URLs.
    pub broken: u32,
    /// Number of checked URLs, and number of broken URLs among them.
    pub counts: CheckCounts,
    /// The recall estimate of the plan.
    pub estimate: RecallEstimate,
}

impl SimulationResult {
    /// Returns the percentage of the URLs that was checked.
    pub fn checked(&self) -> f64 {
        100.0 * f64::from(self.counts.checked) / f64::from(self.urls.max(1))
    }

    /// Returns the percentage of the broken URLs that was found.
    pub fn found(&self) -> f64 {
        if self.broken == 0 {
            return 100.0;
        }
        100.0 * f64::from(self.counts.broken) / f64::from(self.broken)
    }

    /// Returns the percentage of the checks that found a broken URL.
    pub fn rate(&self) -> f64 {
        100.0 * self.counts.rate()
    }

    /// Whether the interval of the estimate contains the true recall.
    pub fn interval_holds(&self) -> bool {
        const ROUNDING: f64 = 1e-9;
        let found = self.found();
        self.estimate.low() - ROUNDING <= found && found <= self.estimate.high() + ROUNDING
    }
}

/// Runs a plan until it ends. Results come from the ground truth.
pub fn run(plan: &mut dyn SamplingPlan, truth: impl Fn(UrlId) -> UrlHealth) {
    loop {
        let batch = plan.next_batch(BATCH_SIZE);
        if batch.is_empty() {
            return;
        }
        for url in batch {
            plan.record(url, truth(url));
        }
    }
}

/// Runs a plan `count` times. Each run knows the broken URLs of the previous one.
pub fn run_repeatedly(
    name: SamplingPlanName,
    catalog: &Catalog,
    truth: impl Fn(UrlId) -> UrlHealth,
    count: u32,
    seed: u64,
) -> Vec<SimulationResult> {
    let broken = catalog.urls().filter(|url| truth(*url) == UrlHealth::Broken).count();
    let broken = u32::try_from(broken).unwrap_or(u32::MAX);
    let mut known = Vec::new();
    let mut results = Vec::new();
    for number in 0..count {
        let mut plan = name.create(catalog, &known, seed.wrapping_add(u64::from(number)));
        run(plan.as_mut(), &truth);
        let (urls, counts) = (catalog.len(), plan.check_log().total());
        results.push(SimulationResult { urls, broken, counts, estimate: plan.estimate() });
        known = plan.check_log().broken().collect();
    }
    results
}

/// Converts a number to a count; NaN and negative numbers become 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float out of range becomes the nearest count"
)]
pub(crate) fn count(number: f64) -> u32 {
    number as u32
}
