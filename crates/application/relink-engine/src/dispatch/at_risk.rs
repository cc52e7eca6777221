//! Live pages from which readers often reach dead pages: RL901.
//!
//! The *decay* of a page is the probability that a reader who follows random links from
//! it ends on a dead page (Bar-Yossef et al. 2004). The scores come from measurements
//! (`relink decay`). No request is sent.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_judge::codes;
use relink_model::{FetchTask, Verdict};
use relink_ports::{Store, StoreError, StoredDecay, TargetResult};

/// Decay from which a live page is at risk: half of the readers who start there end
/// on a dead page. The threshold is Relink's own; the paper has none.
pub const AT_RISK_DECAY: f64 = 0.5;

/// Number of dead pages that a reason names.
const NAMED_DEAD_ENDS: usize = 3;

/// The stored scores at or above [`AT_RISK_DECAY`].
#[derive(Debug, Default)]
pub(super) struct AtRiskPages(HashMap<String, StoredDecay>);

impl AtRiskPages {
    /// Loads the scores.
    pub(super) async fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let pages = store.decayed_pages(AT_RISK_DECAY).await?;
        Ok(Self(pages.into_iter().map(|page| (page.url.clone(), page)).collect()))
    }

    /// Changes the result of a live page that is at risk.
    pub(super) fn apply(&self, task: &FetchTask, result: &mut TargetResult, now: Timestamp) {
        let is_healthy = result.verdict == Verdict::Alive && result.code.is_none();
        let Some(score) = self.0.get(&task.url).filter(|_| is_healthy) else { return };
        let history = &task.history;
        let was_at_risk = history.verdict == Some(Verdict::AtRisk);
        result.verdict = Verdict::AtRisk;
        result.code = Some(codes::MANY_DEAD_NEIGHBORS);
        result.since = history.since.filter(|_| was_at_risk).unwrap_or(now);
        result.reason = reason(score);
    }
}

/// Returns the reason shown to users, with the dead pages that are reached most often.
fn reason(score: &StoredDecay) -> String {
    let named: Vec<&str> =
        score.dead_ends.iter().take(NAMED_DEAD_ENDS).map(String::as_str).collect();
    let dead_ends = match named.as_slice() {
        [] => String::new(),
        named => format!("; dead ends: {}", named.join(", ")),
    };
    format!(
        "alive, but its decay is {:.2} (measured on {}){dead_ends}",
        score.decay,
        score.measured_at.strftime("%Y-%m-%d")
    )
}
