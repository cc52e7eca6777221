//! Logistic model of a candidate with all features.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use super::context_features::{ContextFeature, Features, SUPPORT_FEATURES};
use super::features::Feature;
use super::moves::MoveKind;

/// Weights of the features. A feature that is not listed has weight 0.
#[derive(Debug)]
pub struct ModelWeights {
    /// The intercept of the model.
    pub intercept: f32,
    /// The weights of the features of the pair.
    pub pair: &'static [(Feature, f32)],
    /// The weights of the context features.
    pub context: &'static [(ContextFeature, f32)],
    /// The weights of the support for each kind of move: votes, their share,
    /// their rate, known aliases, their share. Swaps and edits could apply to
    /// any URL, so they have no rate.
    pub moves: &'static [(MoveKind, [f32; SUPPORT_FEATURES])],
}

/// Returns the probability that a candidate is the alias.
pub fn probability(weights: &ModelWeights, features: &Features) -> f32 {
    let pair: f32 =
        weights.pair.iter().map(|&(feature, weight)| weight * features.pair(feature)).sum();
    let context: f32 =
        weights.context.iter().map(|&(feature, weight)| weight * features.context(feature)).sum();
    let moves: f32 = weights
        .moves
        .iter()
        .flat_map(|(kind, weights)| weights.iter().zip(&features.moves[*kind as usize]))
        .map(|(weight, value)| weight * value)
        .sum();
    logistic(weights.intercept + pair + context + moves)
}

/// Returns the probability for a logarithm of odds.
pub fn logistic(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}
