//! The page answered: is it what was linked?
//!
//! A decision list, strongest evidence first. Each rule either concludes, or
//! has nothing to say, or asks for another page to compare with. What the page
//! says of itself, what an earlier visit saw and how the server treats strays
//! all take part; status codes do not, for they have said what they can.

mod comparison;
mod history;
mod misdirection;
mod notice;
mod redirects;
mod self_reported;
mod wall;

pub use self::misdirection::{Misdirection, misdirection};
pub(crate) use self::wall::is_login_page;

use relink_model::{
    Assessment, Confidence, ControlKind, ControlSummary, DeadReason, Evidence, FetchOutcome,
    FindingCode, InconclusiveReason, Verdict,
};

use crate::page::{PageView, has_answered};
use crate::{JudgeInput, Soft404Profile, codes, confidence};

/// What is thought of a page that answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) assessment: Assessment,
    pub(crate) verdict: Verdict,
    pub(crate) code: Option<FindingCode>,
    pub(crate) reason: String,
    pub(crate) confidence: Confidence,
    pub(crate) evidence: Vec<Evidence>,
}

/// Either an opinion, or the page that must be asked first.
pub(crate) type RuleResult<T> = Result<T, ControlKind>;

/// A rule that may conclude, keep silent, or ask for a page to compare with.
type Rule<T> = fn(&T) -> RuleResult<Option<Finding>>;

/// Whether more may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlAccess {
    Open,
    Closed,
}

/// Weighs a page that answered.
pub(crate) fn assess(case: &JudgeInput<'_>, asking: ControlAccess) -> RuleResult<Finding> {
    let page = PageView::of(case.url, case.probe).phrase_scan(case.phrase_scan);
    ContentAssessor { case, page, asking }.opinion()
}

/// A status that says "not here", on a page that is as it was before: the
/// server lies, and the page is there.
pub(crate) fn contradicts_error_status(case: &JudgeInput<'_>) -> Option<Finding> {
    let page = PageView::of(case.url, case.probe);
    let inquiry = ContentAssessor { case, page, asking: ControlAccess::Closed };
    let mut opinion = inquiry.as_before()?;
    opinion.reason = format!("{}, but with the page as it was", case.probe.outcome);
    Some(opinion)
}

/// How a page asked for comparison answered.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ControlResponse<'a> {
    /// It was not there, as it should be.
    Refused(&'a FetchOutcome),
    /// It answered as if it were there.
    Page(PageView<'a>),
    /// Nobody asked, or nobody answered.
    Unknown,
}

/// The weighing of one page.
struct ContentAssessor<'a> {
    case: &'a JudgeInput<'a>,
    page: PageView<'a>,
    asking: ControlAccess,
}

impl<'a> ContentAssessor<'a> {
    fn opinion(&self) -> RuleResult<Finding> {
        let at_once =
            [Self::wall, Self::parked, Self::broken, Self::resold, Self::as_before, Self::flipped];
        if let Some(opinion) = at_once.iter().find_map(|rule| rule(self)) {
            return Ok(opinion);
        }
        let is_plain_file = !self.page.is_text() && !self.page.is_elsewhere();
        if is_plain_file {
            return self.file();
        }
        let compared: [Rule<Self>; 7] = [
            Self::placeholder,
            Self::notice,
            Self::front,
            Self::stray_like,
            Self::kept_from_us,
            Self::misdirected,
            Self::says_it_is_absent,
        ];
        for rule in compared {
            if let Some(opinion) = rule(self)? {
                return Ok(opinion);
            }
        }
        if let Some(opinion) = self.replaced().or_else(|| self.drifted()) {
            return Ok(opinion);
        }
        self.alive_finding()
    }

    /// A picture, a script or another file: error pages are rarely that, unless
    /// a random name in its directory gets the same bytes or the same text. Its
    /// query is not varied: many servers send a file with any query.
    fn file(&self) -> RuleResult<Finding> {
        let alive = self.alive(confidence::ALIVE_HONEST, None);
        if self.is_trusted() || self.page.is_front() {
            return Ok(alive);
        }
        let ControlResponse::Page(stray) = self.control_response(ControlKind::RandomName)? else {
            return Ok(alive);
        };
        let own = self.page.digest.fingerprint;
        if own.is_some() && stray.digest.fingerprint == own {
            return Ok(self.same_file());
        }
        let like = if self.page.digest.text_length > 0 && stray.digest.text_length > 0 {
            self.in_soft_directory(&stray)?
        } else {
            None
        };
        Ok(like.unwrap_or(alive))
    }

    fn same_file(&self) -> Finding {
        let reason =
            "the very same file is sent for a random name in the same directory".to_owned();
        let dead =
            Finding::dead(DeadReason::Soft404, codes::SOFT_404, reason, confidence::SAME_PAGE);
        dead.because(self.ground(ControlKind::RandomName, "the same file", Some(1.0)))
    }

    /// A front page redirects and answers as any stray does, so strays cannot
    /// convict it.
    #[expect(clippy::unnecessary_wraps, reason = "a rule among rules that may ask")]
    fn front(&self) -> RuleResult<Option<Finding>> {
        let is_front = self.page.is_front();
        Ok(is_front
            .then(|| self.drifted().unwrap_or_else(|| self.alive(confidence::ALIVE_FRONT, None))))
    }

    /// Nothing speaks against the page.
    fn alive_finding(&self) -> RuleResult<Finding> {
        if self.is_trusted() {
            return Ok(self.alive(confidence::ALIVE_BY_HABIT, None));
        }
        Ok(match self.control_response(ControlKind::RandomName)? {
            ControlResponse::Refused(ending) => {
                let note = format!("{} there {}", ControlKind::RandomName, tell(ending));
                self.alive(confidence::ALIVE_HONEST, Some(note))
            }
            ControlResponse::Page(_) => {
                let note = "strays are answered there, but differently".to_owned();
                self.alive(confidence::ALIVE_APART, Some(note))
            }
            ControlResponse::Unknown => self.alive(confidence::ALIVE_UNCOMPARED, None),
        })
    }

    /// How the page of this kind answered. Asks for it if that may still be
    /// done.
    fn control_response(&self, kind: ControlKind) -> RuleResult<ControlResponse<'a>> {
        let known = self.case.controls.iter().find(|control| control.kind == kind);
        let Some(control) = known else {
            return if self.asking == ControlAccess::Open {
                Err(kind)
            } else {
                Ok(ControlResponse::Unknown)
            };
        };
        let Some(probe) = &control.probe else { return Ok(ControlResponse::Unknown) };
        Ok(match &probe.outcome {
            _ if has_answered(probe) => ControlResponse::Page(PageView::of(&control.url, probe)),
            FetchOutcome::Response(_)
            | FetchOutcome::RedirectLoop
            | FetchOutcome::TooManyRedirects
            | FetchOutcome::InvalidRedirect(_) => ControlResponse::Refused(&probe.outcome),
            _ => ControlResponse::Unknown,
        })
    }

    /// Whether the host told strays apart wherever it was asked, and nothing
    /// about this page is odd.
    fn is_trusted(&self) -> bool {
        self.case.soft404_profile.is_honest() && !self.is_odd()
    }

    fn is_odd(&self) -> bool {
        let page = &self.page;
        page.is_elsewhere()
            || page.digest.is_short()
            || !page.digest.flags.is_empty()
            || page.point(crate::phrases::PhraseClass::NotFound).is_some()
    }

    fn alive(&self, confidence: Confidence, note: Option<String>) -> Finding {
        let reason = match note {
            None => self.case.probe.outcome.to_string(),
            Some(note) => format!("{}; {note}", self.case.probe.outcome),
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

    /// The page of this kind, in short, for the grounds.
    fn seen(&self, kind: ControlKind) -> Option<ControlSummary> {
        let control = self.case.controls.iter().find(|control| control.kind == kind)?;
        let status = control.probe.as_ref().and_then(|probe| probe.outcome.status());
        Some(ControlSummary { kind, url: control.url.clone(), status })
    }

    /// A ground that rests on a comparison.
    fn ground(&self, kind: ControlKind, note: &str, resemblance: Option<f64>) -> Evidence {
        let resemblance = resemblance.map(|share| (share * 100.0).round() / 100.0);
        Evidence { note: note.to_owned(), control: self.seen(kind), resemblance }
    }
}

impl Finding {
    fn dead(
        cause: DeadReason,
        code: FindingCode,
        reason: String,
        confidence: Confidence,
    ) -> Finding {
        let word = if cause == DeadReason::Hijacked { Verdict::Hijacked } else { Verdict::Soft404 };
        let assessment = Assessment::Dead(cause);
        Finding {
            assessment,
            verdict: word,
            code: Some(code),
            reason,
            confidence,
            evidence: Vec::new(),
        }
    }

    fn unclear(doubt: InconclusiveReason, code: FindingCode, reason: String) -> Finding {
        Finding {
            assessment: Assessment::Inconclusive(doubt),
            verdict: Verdict::Blocked,
            code: Some(code),
            reason,
            confidence: confidence::WALL,
            evidence: Vec::new(),
        }
    }

    fn because(mut self, ground: Evidence) -> Self {
        self.evidence.push(ground);
        self
    }

    /// Because of a sign on the page itself.
    fn by_sign(self, note: impl Into<String>) -> Self {
        self.because(Evidence { note: note.into(), control: None, resemblance: None })
    }
}

/// What a host does to strays, as far as it was asked in this run.
impl Soft404Profile {
    /// Directories in which strays must have been refused before a host is
    /// trusted elsewhere.
    const ENOUGH: u32 = 8;

    fn is_honest(self) -> bool {
        self.hard_404_directories >= Self::ENOUGH && self.soft_404_directories == 0
    }
}

fn tell(ending: &FetchOutcome) -> String {
    match ending {
        FetchOutcome::Response(status) => format!("gets {status}"),
        other => other.to_string(),
    }
}

/// The code of a page that redirects to the front page or a directory above.
fn redirect_code(page: &PageView<'_>) -> FindingCode {
    let (address, arrival) = (page.address(), page.arrival());
    let is_home = page.is_elsewhere() && (arrival.is_front() || address.is_below(&arrival));
    if is_home { codes::REDIRECT_HOME } else { codes::SOFT_404 }
}

#[cfg(test)]
mod tests;
