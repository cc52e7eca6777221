//! Learns from the decisions of reviewers.
//!
//! An *alias* is a live URL that `revive` found for a dead URL. A *pattern* is a rule by
//! which the URLs of a directory changed. Its transformations are *URL programs*.
//!
//! A confirmed alias becomes certain, so that URL programs are learned from it. A wrong
//! alias is removed. A pattern that was wrong at least as often as right is disabled.

use std::collections::BTreeMap;

use relink_model::Confidence;

use crate::Revival;
use relink_requests::{EngineError, Ports, to_json};

/// What the decisions changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LearnedDecisions {
    /// Aliases that are certain now.
    pub confirmed: usize,
    /// Aliases that were removed.
    pub removed: usize,
    /// Patterns that were disabled.
    pub disabled_patterns: usize,
}

/// Stores decisions about aliases: for each old and new URL, whether the new URL is right.
///
/// # Errors
///
/// Fails if the store fails.
pub async fn learn_decisions(
    ports: &Ports,
    decisions: &BTreeMap<(String, String), bool>,
) -> Result<LearnedDecisions, EngineError> {
    let mut learned = LearnedDecisions::default();
    // Numbers of correct and incorrect aliases, by the id of the pattern that predicted them.
    let mut patterns: BTreeMap<i64, (usize, usize)> = BTreeMap::new();
    for ((old, new), is_correct) in decisions {
        let Some(mut stored) = ports.store.revival(old).await? else { continue };
        let Ok(mut revival) = serde_json::from_str::<Revival>(&stored.report) else { continue };
        let Some(alias) = revival.alias.as_mut().filter(|alias| alias.url.as_str() == new) else {
            continue;
        };
        let pattern_counts = alias.pattern.map(|id| patterns.entry(id).or_default());
        if *is_correct {
            alias.confidence = Confidence::from_percent(100);
            stored.confidence = Some(alias.confidence);
            learned.confirmed += 1;
            if let Some(pattern_counts) = pattern_counts {
                pattern_counts.0 += 1;
            }
        } else {
            revival.alias = None;
            (stored.alias, stored.confidence) = (None, None);
            learned.removed += 1;
            if let Some(pattern_counts) = pattern_counts {
                pattern_counts.1 += 1;
            }
        }
        stored.report = to_json(&revival)?;
        ports.store.save_revivals(&[stored]).await?;
    }
    for (pattern, (correct, incorrect)) in patterns {
        if incorrect >= correct && ports.store.disable_pattern(pattern, true).await? {
            learned.disabled_patterns += 1;
        }
    }
    Ok(learned)
}
