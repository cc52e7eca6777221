//! The number of dead links of a run, and the share of soft-404s among them.
//!
//! A soft-404 is a missing page that is served with a success status. Bar-Yossef et al.
//! (*Sic Transit Gloria Telae*, WWW 2004, section 5.2) found that more than a quarter of
//! all dead links are soft-404s. Checkers that only count error statuses miss soft-404s,
//! so every summary reports this share.

use std::collections::BTreeMap;

use relink_model::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema;

/// The number of dead links and the share of soft-404s among them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLinks {
    /// Targets that are dead, soft-404 or hijacked.
    pub dead_links: u64,
    /// The share of soft-404s among the dead links, or null if there are no dead links.
    #[schemars(schema_with = "schema::share_or_null")]
    pub soft_404_share: Option<f64>,
}

impl DeadLinks {
    /// Counts the dead links of a run, given the number of targets per verdict.
    ///
    /// ```
    /// use relink_model::Verdict;
    /// use relink_report::DeadLinks;
    /// let verdicts = [(Verdict::Alive, 90), (Verdict::Dead, 9), (Verdict::Soft404, 3)].into();
    /// let dead = DeadLinks::among(&verdicts);
    /// assert_eq!((dead.dead_links, dead.soft_404_share), (12, Some(0.25)));
    /// ```
    pub fn among(verdicts: &BTreeMap<Verdict, u64>) -> Self {
        let dead_links = [Verdict::Dead, Verdict::Soft404, Verdict::Hijacked]
            .into_iter()
            .map(|verdict| count(verdicts, verdict))
            .fold(0, u64::saturating_add);
        Self { dead_links, soft_404_share: share(count(verdicts, Verdict::Soft404), dead_links) }
    }
}

/// Returns the number of targets with a verdict.
fn count(verdicts: &BTreeMap<Verdict, u64>, verdict: Verdict) -> u64 {
    verdicts.get(&verdict).copied().unwrap_or(0)
}

/// Returns a share from 0 to 1, rounded to four decimals; `None` if the whole is 0.
fn share(part: u64, whole: u64) -> Option<f64> {
    const SCALE: f64 = 10_000.0;
    if whole == 0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "rounded to four decimals")]
    let share = part as f64 / whole as f64;
    Some((share * SCALE).round() / SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the result for a number of targets per verdict.
    #[track_caller]
    fn check(verdicts: &[(Verdict, u64)], dead_links: u64, soft_404_share: Option<f64>) {
        let verdicts = verdicts.iter().copied().collect();
        assert_eq!(DeadLinks::among(&verdicts), DeadLinks { dead_links, soft_404_share });
    }

    #[test]
    fn failing_blocked_and_local_links_are_not_dead() {
        check(&[], 0, None);
        check(&[(Verdict::Failing, 4), (Verdict::Blocked, 2), (Verdict::Local, 1)], 0, None);
        check(&[(Verdict::Dead, 2), (Verdict::Hijacked, 1)], 3, Some(0.0));
    }

    #[test]
    fn soft_404_share_is_relative_to_all_dead_links() {
        check(
            &[(Verdict::Dead, 1), (Verdict::Soft404, 1), (Verdict::Hijacked, 1)],
            3,
            Some(0.3333),
        );
        check(&[(Verdict::Soft404, 5)], 5, Some(1.0));
        check(&[(Verdict::Dead, u64::MAX), (Verdict::Soft404, u64::MAX)], u64::MAX, Some(1.0));
    }
}
