//! From features to a chance: the weighted sum of all that speaks for a guess.

use super::collective::Features;
use super::weights::{BASE, BEYOND_WEIGHTS, PAIR_WEIGHTS, WAY_WEIGHTS};

/// The chance that a guess is right, all things seen.
pub fn chance(features: &Features) -> f32 {
    let pair: f32 =
        PAIR_WEIGHTS.iter().map(|&(feature, weight)| weight * features.pair(feature)).sum();
    let beyond: f32 =
        BEYOND_WEIGHTS.iter().map(|&(feature, weight)| weight * features.beyond(feature)).sum();
    let ways: f32 = WAY_WEIGHTS
        .iter()
        .flat_map(|(way, weights)| weights.iter().zip(&features.ways[*way as usize]))
        .map(|(weight, value)| weight * value)
        .sum();
    logistic(BASE + pair + beyond + ways)
}

/// The chance whose logarithm of odds this is.
pub fn logistic(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}
