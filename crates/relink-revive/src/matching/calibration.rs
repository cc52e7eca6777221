//! From the chance the model gives to how often such answers are right.

use relink_model::Confidence;

/// How sure an answer is that the model gives this chance.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a chance is at most one"
)]
pub fn confidence(chance: f32) -> Confidence {
    Confidence::percent((chance.clamp(0.0, 1.0) * 100.0) as u8)
}
