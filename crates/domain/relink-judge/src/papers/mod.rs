//! The rules of the papers, to the letter.
//!
//! They are kept beside our own as policies one can choose and as baselines to
//! be measured against; nothing here is improved.

pub(crate) mod fable;
pub(crate) mod sic_transit;

use relink_model::{
    Assessment, Control, ControlKind, DeadReason, FailureStreak, FindingCode, Verdict,
};

use crate::{JudgeInput, Judgment, codes, confidence};

/// The control of this kind, if it was asked.
fn control<'a>(case: &JudgeInput<'a>, kind: ControlKind) -> Option<&'a Control> {
    case.controls.iter().find(|control| control.kind == kind)
}

/// The papers know two words, and are sure of both.
fn alive(case: &JudgeInput<'_>, reason: impl Into<String>) -> Judgment {
    Judgment {
        assessment: Assessment::Alive,
        verdict: Verdict::Alive,
        code: None,
        reason: reason.into(),
        streak: None,
        since: case.now,
        confidence: confidence::ALIVE_UNCOMPARED,
        evidence: Vec::new(),
    }
}

fn dead(case: &JudgeInput<'_>, why: DeadReason, reason: impl Into<String>) -> Judgment {
    let (word, code): (Verdict, FindingCode) = match why {
        DeadReason::Soft404 => (Verdict::Soft404, codes::SOFT_404),
        DeadReason::HostNotFound => (Verdict::Dead, codes::NO_SUCH_HOST),
        DeadReason::NoResponse => (Verdict::Dead, codes::NO_ANSWER),
        _ => (Verdict::Dead, codes::GONE),
    };
    Judgment {
        assessment: Assessment::Dead(why),
        verdict: word,
        code: Some(code),
        reason: reason.into(),
        streak: Some(FailureStreak::extended(case.history.streak, case.now)),
        since: case.now,
        confidence: confidence::ALIVE_UNCOMPARED,
        evidence: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
