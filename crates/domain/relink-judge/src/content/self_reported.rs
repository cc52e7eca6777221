//! The page says by itself that it is not there.
//!
//! Phrases are weak evidence, so they are counted together with everything
//! else that is usual for error pages and unusual for articles about them.

use relink_model::{ControlKind, DeadReason, PageFlag};

use super::{ContentAssessor, ControlResponse, Finding, RuleResult};
use crate::page_similarity::{HeadingMatch, labels};
use crate::phrases::{PhraseClass, count, point_of, said};
use crate::{codes, confidence};

/// Points at which a page is convicted.
const ENOUGH: i32 = 4;
/// Characters of a page that says next to nothing.
const NEXT_TO_NOTHING: u64 = 160;

impl ContentAssessor<'_> {
    /// The page is an error page by its own words and looks.
    pub(super) fn says_it_is_absent(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        if !page.may_say(PhraseClass::NotFound) {
            return Ok(None);
        }
        let in_title = point_of(page.title(), PhraseClass::NotFound);
        let headings = page.digest.headings.iter();
        let in_heading =
            headings.clone().find_map(|heading| point_of(heading, PhraseClass::NotFound));
        let opening = page.digest.is_short().then_some(&page.digest.text_start);
        let in_text = opening.and_then(|opening| said(opening, PhraseClass::NotFound));
        let Some(phrase) = in_title.or(in_heading).or(in_text) else { return Ok(None) };
        let spoken = i32::from(in_text.is_some())
            + match (in_title, in_heading) {
                (Some(_), Some(_)) => 3,
                (None, None) => 0,
                _ => 2,
            };
        if spoken + self.insistence() + self.looks_like_an_error()? < ENOUGH {
            return Ok(None);
        }
        let reason = format!("answers {}, but says “{phrase}”", self.status());
        let dead = Finding::dead(DeadReason::Soft404, codes::SOFT_404, reason, confidence::SAYS_SO);
        let sign = format!("{} characters of text in all", page.digest.text_length);
        Ok(Some(dead.by_sign(sign)))
    }

    /// Error pages say it in several ways.
    fn insistence(&self) -> i32 {
        let page = &self.page;
        let mut all: String = page.labels().collect::<Vec<_>>().join(" | ");
        if page.digest.is_short() {
            all.push_str(" | ");
            all.push_str(&page.digest.text_start);
        }
        match count(&all, PhraseClass::NotFound) {
            0 | 1 => 0,
            2 => 1,
            _ => 2,
        }
    }

    /// What else is usual for error pages, against what is unusual for them.
    fn looks_like_an_error(&self) -> RuleResult<i32> {
        let page = &self.page;
        let names_itself = page.canonical().is_some_and(|address| address == page.landing);
        let (is_named_as_strays, do_strays_echo) =
            match self.control_response(ControlKind::RandomName)? {
                ControlResponse::Page(stray) => {
                    (labels(page, &stray) != HeadingMatch::Differ, stray.is_about_its_address())
                }
                ControlResponse::Refused(_) | ControlResponse::Unknown => (false, false),
            };
        // Where strays are called by their address, that says nothing.
        let about = match (page.is_named_as_its_address(), page.is_about_its_address()) {
            _ if do_strays_echo => 0,
            (true, _) => 4,
            _ if page.is_asked_about_errors() => 4,
            (_, true) => 2,
            _ => 0,
        };
        Ok(i32::from(page.digest.is_short())
            + i32::from(page.digest.text_length <= NEXT_TO_NOTHING)
            + i32::from(page.has(PageFlag::NoIndex))
            + 2 * i32::from(self.has_changed())
            + 2 * i32::from(self.status() == 300)
            + 2 * i32::from(is_named_as_strays)
            - about
            - i32::from(names_itself))
    }

    pub(super) fn status(&self) -> u16 {
        self.case.probe.outcome.status().unwrap_or(200)
    }
}
