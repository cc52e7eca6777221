//! From features to a chance: the weighted sum of all that speaks for a guess.

use super::collective::Features;
use super::weights::{BASE, BEYOND_WEIGHTS, PAIR_WEIGHTS};

/// The chance that a guess is right, all things seen.
pub fn chance(features: &Features) -> f32 {
    let pair: f32 =
        PAIR_WEIGHTS.iter().map(|&(feature, weight)| weight * features[feature as usize]).sum();
    let beyond: f32 =
        BEYOND_WEIGHTS.iter().map(|&(feature, weight)| weight * features[feature as usize]).sum();
    logistic(BASE + pair + beyond)
}

/// The chance whose logarithm of odds this is.
pub fn logistic(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}
