//! The exact rules of the papers.
//!
//! They are available as policies and serve as baselines for measurements. They are
//! not improved.

pub(crate) mod fable;
pub(crate) mod sic_transit;

use relink_model::{
    Assessment, Control, ControlKind, DeadReason, FailureStreak, FindingCode, Verdict,
};

use crate::{JudgeInput, Judgment, codes, confidence};

/// Returns the control of this kind, if it was fetched.
fn control<'a>(input: &JudgeInput<'a>, kind: ControlKind) -> Option<&'a Control> {
    input.controls.iter().find(|control| control.kind == kind)
}

/// The papers have two results and no confidence.
fn alive(input: &JudgeInput<'_>, reason: impl Into<String>) -> Judgment {
    Judgment {
        assessment: Assessment::Alive,
        verdict: Verdict::Alive,
        code: None,
        reason: reason.into(),
        streak: None,
        since: input.now,
        confidence: confidence::ALIVE_UNCOMPARED,
        evidence: Vec::new(),
    }
}

fn dead(input: &JudgeInput<'_>, cause: DeadReason, reason: impl Into<String>) -> Judgment {
    let (verdict, code): (Verdict, FindingCode) = match cause {
        DeadReason::Soft404 => (Verdict::Soft404, codes::SOFT_404),
        DeadReason::HostNotFound => (Verdict::Dead, codes::NO_SUCH_HOST),
        DeadReason::NoResponse => (Verdict::Dead, codes::CONNECTION_FAILED),
        _ => (Verdict::Dead, codes::GONE),
    };
    Judgment {
        assessment: Assessment::Dead(cause),
        verdict,
        code: Some(code),
        reason: reason.into(),
        streak: Some(FailureStreak::extend(input.history.streak, input.now)),
        since: input.now,
        confidence: confidence::ALIVE_UNCOMPARED,
        evidence: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
