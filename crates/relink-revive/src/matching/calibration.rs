//! From the chance the model gives to how often such answers are right.
//!
//! The model was fitted on some sites; on others it is a little too sure of
//! itself. How much was learnt from answers on sites left out of the fit, one
//! after the other (Platt, 1999).

use relink_model::Confidence;

use super::model::logistic;

/// How far odds are drawn towards even.
const SLOPE: f32 = 0.886;

/// What is added to the odds.
const SHIFT: f32 = -0.244;

/// The chance that an answer is right to which the model gives `chance`.
pub fn calibrated(chance: f32) -> f32 {
    let chance = chance.clamp(f32::EPSILON, 1.0 - f32::EPSILON);
    logistic(SLOPE * (chance / (1.0 - chance)).ln() + SHIFT)
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
    fn an_answer_is_never_surer_than_the_model() {
        for hundredths in 50..=100_u8 {
            let chance = f32::from(hundredths) / 100.0;
            assert!(calibrated(chance) <= chance, "{chance}");
        }
    }

    #[test]
    fn a_surer_answer_stays_surer() {
        let chances = (0..=100_u8).map(|hundredths| calibrated(f32::from(hundredths) / 100.0));
        assert!(chances.is_sorted());
    }
}
