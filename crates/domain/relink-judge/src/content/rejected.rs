//! Pages that the server rejects as it rejects values that cannot exist.
//!
//! Status 400 alone says little: the server may reject the client, or every request.
//! If it rejects a random value in the same way and accepts a neighbor, the page does
//! not exist.

use relink_model::{ControlKind, DeadReason, FetchOutcome, Verdict};

use super::{ContentAssessor, ControlAccess, ControlResponse, Finding, RuleResult};
use crate::control_url::control_key;
use crate::page::PageView;
use crate::{JudgeInput, codes, confidence};

/// Kinds of controls in order of preference.
const KINDS: [ControlKind; 2] = [ControlKind::RandomQueryValue, ControlKind::RandomPathNumber];

/// Returns `dead` for a page with status 400 or 422 if a random value gets the same
/// status and a neighbor gets a page.
pub(crate) fn check_rejected(
    input: &JudgeInput<'_>,
    control_access: ControlAccess,
) -> RuleResult<Option<Finding>> {
    let FetchOutcome::Response(status @ (400 | 422)) = input.probe.outcome else {
        return Ok(None);
    };
    let page = PageView::new(input.url, input.probe);
    let assessor = ContentAssessor { input, page, control_access };
    let kind = KINDS.into_iter().find(|kind| control_key(*kind, input.url).is_some());
    let Some(kind) = kind else { return Ok(None) };
    let random = assessor.control_response(kind)?;
    if !matches!(random, ControlResponse::Rejected(FetchOutcome::Response(other)) if *other == status)
    {
        return Ok(None);
    }
    for neighbor in [ControlKind::Neighbor, ControlKind::SecondNeighbor] {
        if let ControlResponse::Page(_) = assessor.control_response(neighbor)? {
            return Ok(Some(assessor.rejected_finding(status, kind, neighbor)));
        }
    }
    Ok(None)
}

impl ContentAssessor<'_> {
    fn rejected_finding(&self, status: u16, kind: ControlKind, neighbor: ControlKind) -> Finding {
        let reason = format!("status {status}, as for {kind}, but {neighbor} is accepted");
        let confidence = confidence::REJECTED_LIKE_RANDOM;
        let dead = Finding::dead(DeadReason::Gone, codes::BAD_REQUEST, reason, confidence);
        let dead = Finding { verdict: Verdict::Dead, ..dead };
        dead.with_evidence(self.comparison_evidence(kind, "the same status", None))
            .with_evidence(self.comparison_evidence(neighbor, "accepted", None))
    }
}
