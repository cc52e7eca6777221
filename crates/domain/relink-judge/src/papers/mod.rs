//! The rules of the papers, to the letter.
//!
//! They are kept beside our own as policies one can choose and as baselines to
//! be measured against; nothing here is improved.

pub(crate) mod fable;
pub(crate) mod sic_transit;

use relink_model::{Cause, Code, Control, ControlKind, FailureStreak, Verdict, Word};

use crate::{Case, Judgement, certainty, codes};

/// The control of this kind, if it was asked.
fn control<'a>(case: &Case<'a>, kind: ControlKind) -> Option<&'a Control> {
    case.controls.iter().find(|control| control.kind == kind)
}

/// The papers know two words, and are sure of both.
fn alive(case: &Case<'_>, reason: impl Into<String>) -> Judgement {
    Judgement {
        verdict: Verdict::Alive,
        word: Word::Alive,
        code: None,
        reason: reason.into(),
        streak: None,
        since: case.now,
        confidence: certainty::ALIVE_UNCOMPARED,
        grounds: Vec::new(),
    }
}

fn dead(case: &Case<'_>, why: Cause, reason: impl Into<String>) -> Judgement {
    let (word, code): (Word, Code) = match why {
        Cause::Soft404 => (Word::Soft404, codes::SOFT_404),
        Cause::NoHost => (Word::Dead, codes::NO_SUCH_HOST),
        Cause::NoAnswer => (Word::Dead, codes::NO_ANSWER),
        _ => (Word::Dead, codes::GONE),
    };
    Judgement {
        verdict: Verdict::Dead(why),
        word,
        code: Some(code),
        reason: reason.into(),
        streak: Some(FailureStreak::extended(case.history.streak, case.now)),
        since: case.now,
        confidence: certainty::ALIVE_UNCOMPARED,
        grounds: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
