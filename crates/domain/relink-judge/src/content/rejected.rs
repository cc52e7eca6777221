//! Pages that the server rejects as it rejects values that cannot exist.
//!
//! Status 400 alone says little: the server may reject the client, or every request.
//! If it rejects a random value or name in the same way and accepts a neighbor or the
//! home page, the page does not exist.

use relink_model::{ControlKind, DeadReason, FetchOutcome, Verdict};

use super::{ContentAssessor, ControlAccess, ControlResponse, Finding, RuleResult};
use crate::control_url::control_key;
use crate::page::PageView;
use crate::{JudgeInput, codes, confidence};

/// Random controls in order of preference.
const RANDOM_CONTROLS: [ControlKind; 3] =
    [ControlKind::RandomQueryValue, ControlKind::RandomPathNumber, ControlKind::RandomName];
/// Controls that show, if they succeed, that the server does not reject every request.
const EXISTING_CONTROLS: [ControlKind; 3] =
    [ControlKind::Neighbor, ControlKind::SecondNeighbor, ControlKind::HomePage];

/// Returns `dead` for a page with status 400 or 422 if a random value or name gets the
/// same status, and a neighbor or the home page is accepted.
pub(crate) fn check_rejected(
    input: &JudgeInput<'_>,
    control_access: ControlAccess,
) -> RuleResult<Option<Finding>> {
    let FetchOutcome::Response(status @ (400 | 422)) = input.probe.outcome else {
        return Ok(None);
    };
    let page = PageView::new(input.url, input.probe);
    let assessor = ContentAssessor { input, page, control_access };
    // A random name says nothing about a home page.
    let is_comparable = |kind: &ControlKind| {
        control_key(*kind, input.url).is_some()
            && !(page.is_home_page() && *kind == ControlKind::RandomName)
    };
    let Some(kind) = RANDOM_CONTROLS.into_iter().find(is_comparable) else { return Ok(None) };
    let random = assessor.control_response(kind)?;
    if !matches!(random, ControlResponse::Rejected(FetchOutcome::Response(other)) if *other == status)
    {
        return Ok(None);
    }
    for accepted in EXISTING_CONTROLS {
        if let ControlResponse::Page(_) = assessor.control_response(accepted)? {
            return Ok(Some(assessor.rejected_finding(status, kind, accepted)));
        }
    }
    Ok(None)
}

impl ContentAssessor<'_> {
    fn rejected_finding(&self, status: u16, kind: ControlKind, accepted: ControlKind) -> Finding {
        let reason = format!("status {status}, as for {kind}, but {accepted} is accepted");
        let confidence = confidence::REJECTED_LIKE_RANDOM;
        let dead = Finding::dead(DeadReason::Gone, codes::BAD_REQUEST, reason, confidence);
        let dead = Finding { verdict: Verdict::Dead, ..dead };
        dead.with_evidence(self.comparison_evidence(kind, "the same status", None))
            .with_evidence(self.comparison_evidence(accepted, "accepted", None))
    }
}
