//! The dead links of a run, and how many of them lie.
//!
//! Bar-Yossef et al. (WWW 2004, §5.2) found that more than a quarter of all
//! dead links answer as if they were alive. Whoever counts only error statuses
//! misses that share, so every summary tells it.

use std::collections::BTreeMap;

use relink_model::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema;

/// How many links are dead, and the share of soft-404s among them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLinks {
    /// Targets that are dead, soft-404 or hijacked.
    pub dead_links: u64,
    /// The share of soft-404s among them, or null if nothing is dead.
    #[schemars(schema_with = "schema::share_or_null")]
    pub soft_404_share: Option<f64>,
}

impl DeadLinks {
    /// The dead among the targets of a run, counted by word.
    ///
    /// ```
    /// use relink_model::Word;
    /// use relink_report::DeadLinks;
    /// let words = [(Word::Alive, 90), (Word::Dead, 9), (Word::Soft404, 3)].into();
    /// let dead = DeadLinks::among(&words);
    /// assert_eq!((dead.dead_links, dead.soft_404_share), (12, Some(0.25)));
    /// ```
    pub fn among(words: &BTreeMap<Verdict, u64>) -> Self {
        let dead_links = [Verdict::Dead, Verdict::Soft404, Verdict::Hijacked]
            .into_iter()
            .map(|word| count(words, word))
            .fold(0, u64::saturating_add);
        Self { dead_links, soft_404_share: share(count(words, Verdict::Soft404), dead_links) }
    }
}

fn count(words: &BTreeMap<Verdict, u64>, word: Verdict) -> u64 {
    words.get(&word).copied().unwrap_or(0)
}

fn share(part: u64, whole: u64) -> Option<f64> {
    const DECIMALS: f64 = 10_000.0;
    if whole == 0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "four decimals are kept")]
    let share = part as f64 / whole as f64;
    Some((share * DECIMALS).round() / DECIMALS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[(Verdict, u64)], dead_links: u64, soft_404_share: Option<f64>) {
        let words = words.iter().copied().collect();
        assert_eq!(DeadLinks::among(&words), DeadLinks { dead_links, soft_404_share });
    }

    #[test]
    fn only_what_is_gone_for_good_is_dead() {
        check(&[], 0, None);
        check(&[(Verdict::Failing, 4), (Verdict::Blocked, 2), (Verdict::Local, 1)], 0, None);
        check(&[(Verdict::Dead, 2), (Verdict::Hijacked, 1)], 3, Some(0.0));
    }

    #[test]
    fn the_share_counts_soft_404s_alone() {
        check(
            &[(Verdict::Dead, 1), (Verdict::Soft404, 1), (Verdict::Hijacked, 1)],
            3,
            Some(0.3333),
        );
        check(&[(Verdict::Soft404, 5)], 5, Some(1.0));
        check(&[(Verdict::Dead, u64::MAX), (Verdict::Soft404, u64::MAX)], u64::MAX, Some(1.0));
    }
}
