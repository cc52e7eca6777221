//! Calibrates the probability of the model.
//!
//! On sites that the model was not fitted on, medium probabilities are too high
//! and high ones about right. The table was measured by leaving out each of
//! eleven sites from the fit: with and without known aliases, and with and
//! without pages removed from the list of live pages. It holds the share of
//! correct matches among those with about the same probability, made monotonic.
//! Wrong matches of deleted pages whose siblings moved have the same weight as
//! other wrong matches.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use relink_model::Confidence;

/// Model probabilities, and the measured share of correct matches.
const CALIBRATION: [(f32, f32); 17] = [
    (0.000, 0.000),
    (0.120, 0.078),
    (0.222, 0.151),
    (0.325, 0.299),
    (0.438, 0.335),
    (0.549, 0.493),
    (0.644, 0.601),
    (0.732, 0.675),
    (0.802, 0.688),
    (0.858, 0.768),
    (0.898, 0.801),
    (0.930, 0.883),
    (0.952, 0.964),
    (0.972, 0.984),
    (0.988, 0.988),
    (0.998, 0.992),
    (1.000, 1.000),
];

/// Returns the expected share of correct matches for a model probability.
pub fn calibrate(probability: f32) -> f32 {
    let above = CALIBRATION.partition_point(|&(known, _)| known < probability);
    let Some(&(high, share_high)) = CALIBRATION.get(above) else { return 1.0 };
    let (low, share_low) = CALIBRATION[above.saturating_sub(1)];
    if high <= low {
        return share_high;
    }
    share_low + (share_high - share_low) * (probability - low) / (high - low)
}

/// Converts a calibrated probability to a confidence, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a probability is between 0 and 1"
)]
pub fn to_confidence(probability: f32) -> Confidence {
    Confidence::from_percent((probability * 100.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibrate_hardly_raises_probabilities() {
        for hundredths in 0..=100_u8 {
            let probability = f32::from(hundredths) / 100.0;
            let calibrated = calibrate(probability);
            assert!(
                (0.0..=probability + 0.015).contains(&calibrated),
                "{probability}: {calibrated}"
            );
        }
    }

    #[test]
    fn calibrate_is_monotonic() {
        let calibrated = (0..=100_u8).map(|hundredths| calibrate(f32::from(hundredths) / 100.0));
        assert!(calibrated.is_sorted());
    }
}
