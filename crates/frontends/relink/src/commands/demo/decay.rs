//! Measures the decay of a page of the demo site and compares it with the ground truth.
//!
//! Decay is the probability that a random walk over links ends on a dead page.

use std::time::Duration;

use relink_decay::{DecayDefinition, Sigma, StoppingRule};
use relink_demo::{DecayedNeighborhood, Library};
use relink_frontier::PolitenessPolicy;
use relink_judge::Policy;
use relink_measure::{
    FailureList, FailureModel, MeasureOutcome, MeasurePorts, MeasureSettings, PageDecayDetails,
    measure,
};
use relink_report::human::counted;
use relink_requests::{Ports, StopSignal};

use super::VerdictCollector;
use crate::error::CommandError;

/// Maximum number of links that are repaired in the example.
const MAX_REPAIRS: usize = 5;
/// Maximum error of the score. It is small because every page is fetched.
const TOLERANCE: f64 = 0.001;

/// A measurement and its ground truth.
pub(super) struct DemoDecay {
    measured: MeasureOutcome,
    truth: DecayedNeighborhood,
}

/// Measures the page of the demo site that has decayed neighbors.
pub(super) async fn measure_page(
    ports: &Ports,
    library: &Library,
) -> Result<DemoDecay, CommandError> {
    let truth = library.neighborhood();
    let url = relink_engine::parse_seed(&truth.url)
        .map_err(|error| CommandError::internal("invalid URL of the demo page").cause(error))?;
    let settings = MeasureSettings {
        is_user_supplied: true,
        uses_controls: true,
        failure_list: FailureList::default(),
        radius: None,
        reuses_results: false,
        url,
        sigma: Sigma::default(),
        definition: DecayDefinition::Plain,
        // Fetch all pages: the half width never reaches 0, so the measurement does not stop
        // earlier.
        stopping_rule: StoppingRule {
            target_half_width: 0.0,
            push_pages: usize::MAX,
            ..StoppingRule::default()
        },
        seed: 1,
        failure_model: FailureModel::default(),
        politeness: PolitenessPolicy::check(1, Duration::ZERO),
        policy: Policy { retries: 1, ..Policy::default() },
        max_host_wait: Duration::ZERO,
    };
    let mut collector = VerdictCollector::default();
    let stop = StopSignal::never();
    let ports = MeasurePorts { fetch: &*ports.fetch, clock: &*ports.clock, store: None };
    let measured = measure(ports, &settings, &mut collector, &stop).await;
    Ok(DemoDecay { measured, truth })
}

impl DemoDecay {
    /// Whether the score equals the ground truth.
    pub(super) fn matches_truth(&self) -> bool {
        (self.details().decay.get() - self.truth.decay).abs() < TOLERANCE
    }

    /// Formats the line `5/8 decay    portal.test 0.65 without dead links of its own …`
    pub(super) fn line(&self) -> String {
        let details = self.details();
        let repairs = details.top_repairs(MAX_REPAIRS);
        let is_clean = details.own_links.as_ref().is_some_and(|own| own.dead <= 0.0);
        let own_links = if is_clean { "without dead links" } else { "with dead links" };
        let expected = if self.matches_truth() {
            String::new()
        } else {
            format!(" (expected {:.2})", self.truth.decay)
        };
        format!(
            "5/8 decay    portal.test {:.2}{expected} {own_links} of its own; \
             repairing {} → {:.2}   {}, {}",
            details.decay.get(),
            counted(repairs.len() as u64, "link"),
            details.decay_after(repairs).get(),
            counted(self.measured.cost.pages, "page"),
            counted(self.measured.cost.requests, "request"),
        )
    }

    fn details(&self) -> &PageDecayDetails {
        &self.measured.details
    }
}
