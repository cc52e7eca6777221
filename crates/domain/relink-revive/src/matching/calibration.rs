//! From the chance the model gives to how often such answers are right.
//!
//! The model was fitted on some sites; on others it is too sure of itself in
//! the middle and about right at the top. How much was learned from its answers
//! on each of eleven sites when that site was left out of the fit, with and
//! without known aliases, and with and without pages taken off the list of
//! live ones: the share that was right among those of about the same chance,
//! made to rise throughout. A wrong answer on a deleted page whose siblings
//! moved counts as much as one on any other.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use relink_model::Confidence;

/// Chances, and how often answers with that chance were right.
const RIGHT: [(f32, f32); 17] = [
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

/// The chance that an answer is right to which the model gives `chance`.
pub fn calibrated(chance: f32) -> f32 {
    let above = RIGHT.partition_point(|&(known, _)| known < chance);
    let Some(&(high, right_high)) = RIGHT.get(above) else { return 1.0 };
    let (low, right_low) = RIGHT[above.saturating_sub(1)];
    if high <= low {
        return right_high;
    }
    right_low + (right_high - right_low) * (chance - low) / (high - low)
}

/// A calibrated chance as a confidence, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a chance is from zero to one"
)]
pub fn confidence(chance: f32) -> Confidence {
    Confidence::percent((chance * 100.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_hardly_surer_than_the_model() {
        for hundredths in 0..=100_u8 {
            let chance = f32::from(hundredths) / 100.0;
            let calibrated = calibrated(chance);
            assert!((0.0..=chance + 0.015).contains(&calibrated), "{chance}: {calibrated}");
        }
    }

    #[test]
    fn a_surer_answer_stays_surer() {
        let chances = (0..=100_u8).map(|hundredths| calibrated(f32::from(hundredths) / 100.0));
        assert!(chances.is_sorted());
    }
}
