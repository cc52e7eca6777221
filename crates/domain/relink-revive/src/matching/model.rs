//! From features to a chance: the weighted sum of all that speaks for a guess.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use super::collective::{ContextFeature, Features, SUPPORT};
use super::features::Feature;
use super::moves::MoveKind;

/// How much each feature speaks for a guess. A feature that is not named says
/// nothing.
#[derive(Debug)]
pub struct ModelWeights {
    /// What the sum of the weighted features begins with.
    pub base: f32,
    /// The weights of the features of the pair.
    pub pair: &'static [(Feature, f32)],
    /// The weights of the features beyond the pair.
    pub beyond: &'static [(ContextFeature, f32)],
    /// The weights of the support for each way: votes, their share, their
    /// rate, known aliases, their share. Swaps and edits could apply anywhere,
    /// so they have no rate.
    pub ways: &'static [(MoveKind, [f32; SUPPORT])],
}

/// The chance that a guess is right, all things seen.
pub fn chance(weights: &ModelWeights, features: &Features) -> f32 {
    let pair: f32 =
        weights.pair.iter().map(|&(feature, weight)| weight * features.pair(feature)).sum();
    let beyond: f32 =
        weights.beyond.iter().map(|&(feature, weight)| weight * features.beyond(feature)).sum();
    let ways: f32 = weights
        .ways
        .iter()
        .flat_map(|(way, weights)| weights.iter().zip(&features.ways[*way as usize]))
        .map(|(weight, value)| weight * value)
        .sum();
    logistic(weights.base + pair + beyond + ways)
}

/// The chance whose logarithm of odds this is.
pub fn logistic(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}
