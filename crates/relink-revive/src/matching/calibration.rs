//! From the chance the model gives to how often such answers are right.
//!
//! The model was fitted on some sites; on others it is too sure of itself in
//! the middle and about right at the top. How much was learnt from its answers
//! on sites left out of the fit, one after the other: the share that was right
//! among those of about the same chance, made to rise throughout.

use relink_model::Confidence;

/// Chances, and how often answers with that chance were right.
const RIGHT: [(f32, f32); 11] = [
    (0.0, 0.0),
    (0.50, 0.40),
    (0.65, 0.59),
    (0.75, 0.66),
    (0.85, 0.76),
    (0.92, 0.80),
    (0.942, 0.86),
    (0.958, 0.955),
    (0.973, 0.965),
    (0.986, 0.989),
    (1.0, 1.0),
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
            assert!((0.0..=chance + 0.005).contains(&calibrated), "{chance}: {calibrated}");
        }
    }

    #[test]
    fn a_surer_answer_stays_surer() {
        let chances = (0..=100_u8).map(|hundredths| calibrated(f32::from(hundredths) / 100.0));
        assert!(chances.is_sorted());
    }
}
