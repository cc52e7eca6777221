//! Judging with panic isolation: an error in a rule costs the page it judges.

use relink_judge::{Decision, JudgeInput, Judgment, Policy, conclude, internal_error, judge};

use crate::isolation::isolate;

/// Judges a page; an internal error is the result where a rule panics.
pub(crate) fn judge_page(policy: &Policy, case: &JudgeInput<'_>) -> Decision {
    isolate(case.url, || judge(policy, case))
        .unwrap_or_else(|_| Decision::Settle(internal_error(case)))
}

/// Concludes on a page; an internal error is the result where a rule panics.
pub(crate) fn conclude_page(policy: &Policy, case: &JudgeInput<'_>) -> Judgment {
    isolate(case.url, || conclude(policy, case)).unwrap_or_else(|_| internal_error(case))
}
