//! Judging with panic isolation: a panic in a rule affects only the page it
//! judges.

use relink_judge::{Decision, JudgeInput, Judgment, Policy, conclude, internal_error, judge};

use relink_requests::isolate;

/// Decides whether a page is judged, fetched again or compared with a control (a page
/// fetched only for comparison). Concludes with an internal error if a rule panics.
pub(crate) fn judge_page(policy: &Policy, input: &JudgeInput<'_>) -> Decision {
    isolate(input.url, || judge(policy, input))
        .unwrap_or_else(|_| Decision::Conclude(internal_error(input)))
}

/// Judges a page by the evidence at hand. Returns an internal error if a rule panics.
pub(crate) fn conclude_page(policy: &Policy, input: &JudgeInput<'_>) -> Judgment {
    isolate(input.url, || conclude(policy, input)).unwrap_or_else(|_| internal_error(input))
}
