//! Findings for pages that equal the response to random URLs.

use relink_model::{Confidence, ControlKind, DeadReason};

use super::comparison::MatchKind;
use super::{ContentAssessor, ControlResponse, Finding, RuleResult, redirect_code};
use crate::confidence;
use crate::page::PageView;
use crate::page_similarity::{PageSimilarity, compare};
use crate::phrases::PhraseClass;

impl ContentAssessor<'_> {
    /// Returns the finding for a page that equals the response to random URLs: an
    /// access wall, a site-wide notice, or a soft-404.
    pub(super) fn soft_404_finding(
        &self,
        kind: ControlKind,
        similarity: &PageSimilarity,
        match_kind: MatchKind,
    ) -> RuleResult<Option<Finding>> {
        let note = match (self.has_same_redirect_target(similarity), match_kind) {
            (true, _) => "redirected to the same URL",
            (false, MatchKind::Text) => "the same page",
            (false, MatchKind::Message) => "the same message",
            (false, MatchKind::Rotating) => "changes as much with every request",
        };
        let evidence = self.comparison_evidence(kind, note, Some(similarity.text));
        if let Some(wall) = self.check_shared_wall() {
            return Ok(Some(wall.with_evidence(evidence)));
        }
        if !self.is_error_page_plausible()? {
            let notice = self.check_site_wide_spam().unwrap_or_else(Self::site_notice);
            return Ok(Some(notice.with_evidence(evidence)));
        }
        let (reason, confidence) = self.soft_404_reason(kind, similarity, match_kind);
        let code = redirect_code(&self.page);
        let dead = Finding::dead(DeadReason::Soft404, code, reason, confidence);
        Ok(Some(dead.with_evidence(evidence)))
    }

    fn soft_404_reason(
        &self,
        kind: ControlKind,
        similarity: &PageSimilarity,
        match_kind: MatchKind,
    ) -> (String, Confidence) {
        let status = self.status();
        if self.has_same_redirect_target(similarity) {
            let reason = format!("redirects to {}, as does {kind}", self.page.final_url);
            return (reason, confidence::SAME_FINAL_URL);
        }
        // The evidence contains the resemblance.
        match match_kind {
            MatchKind::Text => (
                format!("status {status}, but equals the response to {kind}"),
                confidence::SAME_PAGE,
            ),
            MatchKind::Message => (
                format!("status {status}, but has the same message as the response to {kind}"),
                confidence::SAME_PAGE,
            ),
            MatchKind::Rotating => (
                format!(
                    "status {status}, but changes with every request, as the response to {kind} does"
                ),
                confidence::SAME_ROTATING,
            ),
        }
    }

    /// Whether the page can be an error page: it contains an error phrase, is the
    /// target of a redirect, or is not brief. If it is brief and the home page is
    /// the same, the whole site shows a notice, unless a neighbor is another page.
    fn is_error_page_plausible(&self) -> RuleResult<bool> {
        let page = &self.page;
        if !page.is_brief()
            || page.is_redirected()
            || page.find_phrase(PhraseClass::NotFound).is_some()
        {
            return Ok(true);
        }
        Ok(match self.control_response(ControlKind::HomePage)? {
            ControlResponse::Page(home) => self.is_unlike(&home) || self.is_unlike_neighbor()?,
            _ => true,
        })
    }

    fn is_unlike(&self, other: &PageView<'_>) -> bool {
        self.match_with(other, &compare(&self.page, other)).is_none()
    }

    fn is_unlike_neighbor(&self) -> RuleResult<bool> {
        Ok(match self.control_response(ControlKind::Neighbor)? {
            ControlResponse::Page(neighbor) => {
                !neighbor.is_redirected() && self.is_unlike(&neighbor)
            }
            _ => false,
        })
    }
}
