//! Rules for pages that responded: decides whether the page is the linked one.
//!
//! The rules form a decision list, strongest evidence first. Each rule concludes,
//! does not apply, or requires a control. The rules use the content of the page,
//! the page of an earlier run, and how the server responds to random URLs. They
//! do not use status codes, which were evaluated before.

mod api_error;
mod comparison;
mod file;
mod history;
mod misdirection;
mod not_comparable;
mod notice;
mod query;
mod redirects;
mod rejected;
mod selection;
mod self_reported;
mod soft_404;
mod wall;

pub use self::misdirection::{Misdirection, misdirection};
pub(crate) use self::rejected::check_rejected;
pub(crate) use self::wall::is_login_page;
pub use self::wall::{CONSENT_NAMES, LOGIN_NAMES};

use relink_model::{
    Assessment, Confidence, ControlKind, ControlSummary, DeadReason, Evidence, FetchOutcome,
    FindingCode, InconclusiveReason, Verdict,
};

use crate::page::{PageView, is_success};
use crate::{JudgeInput, codes, confidence};

/// The result of a rule for a page that responded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) assessment: Assessment,
    pub(crate) verdict: Verdict,
    pub(crate) code: Option<FindingCode>,
    pub(crate) reason: String,
    pub(crate) confidence: Confidence,
    pub(crate) evidence: Vec<Evidence>,
}

/// A result, or the control that must be fetched first.
pub(crate) type RuleResult<T> = Result<T, ControlKind>;

/// A rule that concludes, does not apply, or requires a control.
type Rule<T> = fn(&T) -> RuleResult<Option<Finding>>;

/// Whether further controls may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlAccess {
    Allowed,
    Denied,
    /// No control can exist, as for a page in an archive.
    Impossible,
}

/// Assesses a page that responded.
pub(crate) fn assess(input: &JudgeInput<'_>, control_access: ControlAccess) -> RuleResult<Finding> {
    let page = PageView::new(input.url, input.probe).with_phrase_scan(input.phrase_scan);
    ContentAssessor { input, page, control_access }.finding()
}

/// Returns `alive` for a page whose content is unchanged although the status is
/// an error.
pub(crate) fn contradicts_error_status(input: &JudgeInput<'_>) -> Option<Finding> {
    let page = PageView::new(input.url, input.probe);
    let assessor = ContentAssessor { input, page, control_access: ControlAccess::Denied };
    let mut finding = assessor.check_unchanged()?;
    finding.reason = format!("{}, but the content is unchanged", input.probe.outcome);
    Some(finding)
}

/// The response to a control request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ControlResponse<'a> {
    /// An error, as expected for a page that does not exist.
    Rejected(&'a FetchOutcome),
    /// The server denied access, limited the rate or failed, which says nothing about
    /// missing pages.
    Blocked,
    /// A success response.
    Page(PageView<'a>),
    /// The control was not fetched, or there was no response.
    Unknown,
}

/// Applies the content rules to one page.
struct ContentAssessor<'a> {
    input: &'a JudgeInput<'a>,
    page: PageView<'a>,
    control_access: ControlAccess,
}

impl<'a> ContentAssessor<'a> {
    fn finding(&self) -> RuleResult<Finding> {
        let without_controls = [
            Self::check_api_error,
            Self::check_wall,
            Self::check_parked,
            Self::check_server_failure,
            Self::check_owner_change,
            Self::check_unchanged,
            Self::check_spam_home_page,
            Self::check_file_became_page,
        ];
        if let Some(finding) = without_controls.iter().find_map(|rule| rule(self)) {
            return Ok(finding);
        }
        let is_file = !self.page.is_text() && !self.page.is_redirected();
        if is_file {
            return self.check_file();
        }
        let with_controls: [Rule<Self>; 9] = [
            Self::check_login_form,
            Self::check_placeholder,
            Self::check_notice,
            Self::check_home_page,
            Self::check_comparable,
            Self::check_random_url,
            Self::check_restricted,
            Self::check_misdirected,
            Self::check_not_found_text,
        ];
        for rule in with_controls {
            if let Some(finding) = rule(self)? {
                return Ok(finding);
            }
        }
        if let Some(finding) = self.check_replaced().or_else(|| self.check_drifted()) {
            return Ok(finding);
        }
        self.alive_finding()
    }

    /// Returns the result of a home page. It is never dead because of random names, because
    /// many sites show the home page for those.
    fn check_home_page(&self) -> RuleResult<Option<Finding>> {
        if !self.page.is_home_page() {
            return Ok(None);
        }
        if let Some(finding) = self.check_site_wide_notice()? {
            return Ok(Some(finding));
        }
        let alive = || self.alive(confidence::ALIVE_HOME_PAGE, None);
        Ok(Some(self.check_drifted().unwrap_or_else(alive)))
    }

    /// Returns `alive`, because no rule found evidence against the page.
    fn alive_finding(&self) -> RuleResult<Finding> {
        Ok(match self.control_response(ControlKind::RandomName)? {
            ControlResponse::Rejected(outcome) => {
                let note =
                    format!("{} {}", ControlKind::RandomName, describe_control_outcome(outcome));
                self.alive(confidence::ALIVE_RANDOM_NAME_REJECTED, Some(note))
            }
            ControlResponse::Page(_) => {
                let note = "random names get a success response, but a different page".to_owned();
                self.alive(confidence::ALIVE_UNLIKE_RANDOM_NAME, Some(note))
            }
            ControlResponse::Blocked => {
                let note = "the control was refused".to_owned();
                self.alive(confidence::ALIVE_UNCOMPARED, Some(note))
            }
            ControlResponse::Unknown => {
                let note = "not compared with a random name".to_owned();
                self.alive(confidence::ALIVE_UNCOMPARED, Some(note))
            }
        })
    }

    /// Returns the response to the control of this kind. If the control is
    /// missing and may be fetched, returns its kind as the error.
    fn control_response(&self, kind: ControlKind) -> RuleResult<ControlResponse<'a>> {
        let known = self.input.controls.iter().find(|control| control.kind == kind);
        let Some(control) = known else {
            return if self.control_access == ControlAccess::Allowed {
                Err(kind)
            } else {
                Ok(ControlResponse::Unknown)
            };
        };
        let Some(probe) = &control.probe else { return Ok(ControlResponse::Unknown) };
        Ok(match &probe.outcome {
            _ if is_success(probe) => ControlResponse::Page(PageView::new(&control.url, probe)),
            FetchOutcome::Response(401 | 402 | 403 | 407 | 429 | 451 | 500..) => {
                ControlResponse::Blocked
            }
            FetchOutcome::Response(_)
            | FetchOutcome::RedirectLoop
            | FetchOutcome::TooManyRedirects
            | FetchOutcome::InvalidRedirect(_) => ControlResponse::Rejected(&probe.outcome),
            _ => ControlResponse::Unknown,
        })
    }

    fn alive(&self, confidence: Confidence, note: Option<String>) -> Finding {
        let reason = match note {
            None => self.input.probe.outcome.to_string(),
            Some(note) => format!("{}; {note}", self.input.probe.outcome),
        };
        Finding {
            assessment: Assessment::Alive,
            verdict: Verdict::Alive,
            code: None,
            reason,
            confidence,
            evidence: Vec::new(),
        }
    }

    /// Returns the control of this kind in the short form used in evidence.
    fn control_summary(&self, kind: ControlKind) -> Option<ControlSummary> {
        let control = self.input.controls.iter().find(|control| control.kind == kind)?;
        let status = control.probe.as_ref().and_then(|probe| probe.outcome.status());
        Some(ControlSummary { kind, url: control.url.clone(), status })
    }

    /// Returns evidence from a comparison with a control.
    fn comparison_evidence(
        &self,
        kind: ControlKind,
        note: &str,
        resemblance: Option<f64>,
    ) -> Evidence {
        let resemblance = resemblance.map(|share| (share * 100.0).round() / 100.0);
        Evidence { note: note.to_owned(), control: self.control_summary(kind), resemblance }
    }
}

impl Finding {
    fn dead(
        cause: DeadReason,
        code: FindingCode,
        reason: String,
        confidence: Confidence,
    ) -> Finding {
        let verdict =
            if cause == DeadReason::Hijacked { Verdict::Hijacked } else { Verdict::Soft404 };
        let assessment = Assessment::Dead(cause);
        Finding { assessment, verdict, code: Some(code), reason, confidence, evidence: Vec::new() }
    }

    fn inconclusive(doubt: InconclusiveReason, code: FindingCode, reason: String) -> Finding {
        Finding {
            assessment: Assessment::Inconclusive(doubt),
            verdict: Verdict::Blocked,
            code: Some(code),
            reason,
            confidence: confidence::WALL,
            evidence: Vec::new(),
        }
    }

    fn with_evidence(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// Adds a sign on the page itself as evidence.
    fn with_page_sign(self, note: impl Into<String>) -> Self {
        self.with_evidence(Evidence { note: note.into(), control: None, resemblance: None })
    }
}

fn describe_control_outcome(outcome: &FetchOutcome) -> String {
    match outcome {
        FetchOutcome::Response(status) => format!("gets status {status}"),
        other => format!("fails ({other})"),
    }
}

/// Returns RL203 if the page redirects to the home page or a parent directory.
fn redirect_code(page: &PageView<'_>) -> FindingCode {
    let (url, target) = (page.url_parts(), page.final_url_parts());
    let is_parent = page.is_redirected() && (target.is_home_page() || url.is_below(&target));
    if is_parent { codes::REDIRECT_HOME } else { codes::SOFT_404 }
}

#[cfg(test)]
mod tests;
