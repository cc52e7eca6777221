//! The page answered: is it what was linked?
//!
//! A decision list, strongest evidence first. Each rule either concludes, or
//! has nothing to say, or asks for another page to compare with. What the page
//! says of itself, what an earlier visit saw and how the server treats strays
//! all take part; status codes do not, for they have said what they can.

mod absence;
mod comparison;
mod direction;
mod memory;
mod misdirection;
mod notice;
mod wall;

pub use self::misdirection::{Misdirection, misdirection};
pub(crate) use self::wall::is_login_page;

use relink_model::{
    Cause, Code, Confidence, ControlKind, ControlSeen, Doubt, Ending, Ground, Verdict, Word,
};

use crate::page::{Page, has_answered};
use crate::{Case, Habit, certainty, codes};

/// What is thought of a page that answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Opinion {
    pub(crate) verdict: Verdict,
    pub(crate) word: Word,
    pub(crate) code: Option<Code>,
    pub(crate) reason: String,
    pub(crate) confidence: Confidence,
    pub(crate) grounds: Vec<Ground>,
}

/// Either an opinion, or the page that must be asked first.
pub(crate) type Sought<T> = Result<T, ControlKind>;

/// A rule that may conclude, keep silent, or ask for a page to compare with.
type Rule<T> = fn(&T) -> Sought<Option<Opinion>>;

/// Whether more may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    Open,
    Closed,
}

/// Weighs a page that answered.
pub(crate) fn weigh(case: &Case<'_>, asking: Asking) -> Sought<Opinion> {
    let page = Page::of(case.url, case.probe).heard(case.heard);
    Inquiry { case, page, asking }.opinion()
}

/// A status that says "not here", on a page that is as it was before: the
/// server lies, and the page is there.
pub(crate) fn lies(case: &Case<'_>) -> Option<Opinion> {
    let page = Page::of(case.url, case.probe);
    let inquiry = Inquiry { case, page, asking: Asking::Closed };
    let mut opinion = inquiry.as_before()?;
    opinion.reason = format!("{}, but with the page as it was", case.probe.ending);
    Some(opinion)
}

/// How a page asked for comparison answered.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer<'a> {
    /// It was not there, as it should be.
    Refused(&'a Ending),
    /// It answered as if it were there.
    Page(Page<'a>),
    /// Nobody asked, or nobody answered.
    Unknown,
}

/// The weighing of one page.
struct Inquiry<'a> {
    case: &'a Case<'a>,
    page: Page<'a>,
    asking: Asking,
}

impl<'a> Inquiry<'a> {
    fn opinion(&self) -> Sought<Opinion> {
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
        self.unsuspected()
    }

    /// A picture, a script or another file: error pages are rarely that, unless
    /// a random name in its directory gets the same bytes or the same text. Its
    /// query is not varied: many servers send a file with any query.
    fn file(&self) -> Sought<Opinion> {
        let alive = self.alive(certainty::ALIVE_HONEST, None);
        if self.is_trusted() || self.page.is_front() {
            return Ok(alive);
        }
        let Answer::Page(stray) = self.consult(ControlKind::Stray)? else { return Ok(alive) };
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

    fn same_file(&self) -> Opinion {
        let reason =
            "the very same file is sent for a random name in the same directory".to_owned();
        let dead = Opinion::dead(Cause::Soft404, codes::SOFT_404, reason, certainty::SAME_PAGE);
        dead.because(self.ground(ControlKind::Stray, "the same file", Some(1.0)))
    }

    /// A front page redirects and answers as any stray does, so strays cannot
    /// convict it.
    #[expect(clippy::unnecessary_wraps, reason = "a rule among rules that may ask")]
    fn front(&self) -> Sought<Option<Opinion>> {
        let is_front = self.page.is_front();
        Ok(is_front
            .then(|| self.drifted().unwrap_or_else(|| self.alive(certainty::ALIVE_FRONT, None))))
    }

    /// Nothing speaks against the page.
    fn unsuspected(&self) -> Sought<Opinion> {
        if self.is_trusted() {
            return Ok(self.alive(certainty::ALIVE_BY_HABIT, None));
        }
        Ok(match self.consult(ControlKind::Stray)? {
            Answer::Refused(ending) => {
                let note = format!("{} there {}", ControlKind::Stray, tell(ending));
                self.alive(certainty::ALIVE_HONEST, Some(note))
            }
            Answer::Page(_) => {
                let note = "strays are answered there, but differently".to_owned();
                self.alive(certainty::ALIVE_APART, Some(note))
            }
            Answer::Unknown => self.alive(certainty::ALIVE_UNCOMPARED, None),
        })
    }

    /// How the page of this kind answered. Asks for it if that may still be
    /// done.
    fn consult(&self, kind: ControlKind) -> Sought<Answer<'a>> {
        let known = self.case.controls.iter().find(|control| control.kind == kind);
        let Some(control) = known else {
            return if self.asking == Asking::Open { Err(kind) } else { Ok(Answer::Unknown) };
        };
        let Some(probe) = &control.probe else { return Ok(Answer::Unknown) };
        Ok(match &probe.ending {
            _ if has_answered(probe) => Answer::Page(Page::of(&control.url, probe)),
            Ending::Answered(_) | Ending::Loop | Ending::TooManyHops | Ending::Malformed(_) => {
                Answer::Refused(&probe.ending)
            }
            _ => Answer::Unknown,
        })
    }

    /// Whether the host told strays apart wherever it was asked, and nothing
    /// about this page is odd.
    fn is_trusted(&self) -> bool {
        self.case.habit.is_honest() && !self.is_odd()
    }

    fn is_odd(&self) -> bool {
        let page = &self.page;
        page.is_elsewhere()
            || page.digest.is_short()
            || !page.digest.marks.is_empty()
            || page.point(crate::phrases::Saying::NotFound).is_some()
    }

    fn alive(&self, confidence: Confidence, note: Option<String>) -> Opinion {
        let reason = match note {
            None => self.case.probe.ending.to_string(),
            Some(note) => format!("{}; {note}", self.case.probe.ending),
        };
        Opinion {
            verdict: Verdict::Alive,
            word: Word::Alive,
            code: None,
            reason,
            confidence,
            grounds: Vec::new(),
        }
    }

    /// The page of this kind, in short, for the grounds.
    fn seen(&self, kind: ControlKind) -> Option<ControlSeen> {
        let control = self.case.controls.iter().find(|control| control.kind == kind)?;
        let status = control.probe.as_ref().and_then(|probe| probe.ending.status());
        Some(ControlSeen { kind, url: control.url.clone(), status })
    }

    /// A ground that rests on a comparison.
    fn ground(&self, kind: ControlKind, note: &str, resemblance: Option<f64>) -> Ground {
        let resemblance = resemblance.map(|share| (share * 100.0).round() / 100.0);
        Ground { note: note.to_owned(), control: self.seen(kind), resemblance }
    }
}

impl Opinion {
    fn dead(cause: Cause, code: Code, reason: String, confidence: Confidence) -> Opinion {
        let word = if cause == Cause::Hijacked { Word::Hijacked } else { Word::Soft404 };
        let verdict = Verdict::Dead(cause);
        Opinion { verdict, word, code: Some(code), reason, confidence, grounds: Vec::new() }
    }

    fn unclear(doubt: Doubt, code: Code, reason: String) -> Opinion {
        Opinion {
            verdict: Verdict::Unclear(doubt),
            word: Word::Blocked,
            code: Some(code),
            reason,
            confidence: certainty::WALL,
            grounds: Vec::new(),
        }
    }

    fn because(mut self, ground: Ground) -> Self {
        self.grounds.push(ground);
        self
    }

    /// Because of a sign on the page itself.
    fn by_sign(self, note: impl Into<String>) -> Self {
        self.because(Ground { note: note.into(), control: None, resemblance: None })
    }
}

/// What a host does to strays, as far as it was asked in this run.
impl Habit {
    /// Directories in which strays must have been refused before a host is
    /// trusted elsewhere.
    const ENOUGH: u32 = 8;

    fn is_honest(self) -> bool {
        self.refusing >= Self::ENOUGH && self.answering == 0
    }
}

fn tell(ending: &Ending) -> String {
    match ending {
        Ending::Answered(status) => format!("gets {status}"),
        other => other.to_string(),
    }
}

/// The code of a page that redirects to the front page or a directory above.
fn redirect_code(page: &Page<'_>) -> Code {
    let (address, arrival) = (page.address(), page.arrival());
    let is_home = page.is_elsewhere() && (arrival.is_front() || address.is_below(&arrival));
    if is_home { codes::REDIRECT_HOME } else { codes::SOFT_404 }
}

#[cfg(test)]
mod tests;
