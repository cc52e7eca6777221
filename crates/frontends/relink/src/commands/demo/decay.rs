//! The score of a page of the library, beside its truth.

use std::time::Duration;

use relink_decay::{DecayDefinition, Sigma, StoppingRule};
use relink_demo::{Library, RottenNeighborhood};
use relink_engine::{
    FailureModel, MeasureOutcome, MeasurePorts, MeasureSettings, PageDecayDetails, Ports,
    StopSignal, measure,
};
use relink_frontier::PolitenessPolicy;
use relink_judge::Policy;
use relink_report::human::counted;

use super::VerdictCollector;
use crate::error::CommandError;

/// Links that are fixed in the example, at most.
const FIXED: usize = 5;
/// What a score may be off by and still be right: every page is looked at.
const SLACK: f64 = 0.001;

/// A score and its truth.
pub(super) struct Decayed {
    measured: MeasureOutcome,
    truth: RottenNeighborhood,
}

/// Measures the page of the library whose neighborhood decays.
pub(super) async fn measured(ports: &Ports, library: &Library) -> Result<Decayed, CommandError> {
    let truth = library.neighborhood();
    let url = relink_engine::seed(&truth.address)
        .map_err(|fault| CommandError::internal("the library has no such page").cause(fault))?;
    let settings = MeasureSettings {
        url,
        sigma: Sigma::default(),
        form: DecayDefinition::Plain,
        stopping_rule: StoppingRule {
            half_width: 0.0,
            push: usize::MAX,
            ..StoppingRule::default()
        },
        seed: 1,
        fails: FailureModel::default(),
        politeness: PolitenessPolicy::check(1, Duration::ZERO),
        policy: Policy { retries: 1, ..Policy::default() },
        wait: Duration::ZERO,
    };
    let mut nobody = VerdictCollector::default();
    let stop = StopSignal::new().1;
    let outside = MeasurePorts { fetch: &*ports.fetch, clock: &*ports.clock, store: None };
    let measured = measure(outside, &settings, &mut nobody, &stop).await;
    Ok(Decayed { measured, truth })
}

impl Decayed {
    /// Whether the score is the truth.
    pub(super) fn is_right(&self) -> bool {
        (self.account().decay.get() - self.truth.decay).abs() < SLACK
    }

    /// `5/5 decay    portal.test 0.65 without a dead link of its own …`
    pub(super) fn line(&self) -> String {
        let account = self.account();
        let first = account.first_repairs(FIXED);
        let is_clean = account.own.as_ref().is_some_and(|own| own.dead <= 0.0);
        let own = if is_clean { "without a dead link" } else { "with dead links" };
        let wrong = if self.is_right() {
            String::new()
        } else {
            format!(" (planted: {:.2})", self.truth.decay)
        };
        format!(
            "5/5 decay    portal.test {:.2}{wrong} {own} of its own; \
             fix the worst {} around it → {:.2}   {}, {}",
            account.decay.get(),
            counted(first.len() as u64, "link"),
            account.after(first).get(),
            counted(self.measured.expense.pages, "page"),
            counted(self.measured.expense.requests, "request"),
        )
    }

    fn account(&self) -> &PageDecayDetails {
        &self.measured.account
    }
}
