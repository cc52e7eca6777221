//! The page against addresses that cannot exist.
//!
//! The rules begin with those of sic-transit §3 and FABLE §2.1 and add what
//! those cannot see: frames heavier than their pages, error pages that change
//! with every visit, addresses of which only a number counts. That strays get
//! the same page convicts it only if the page also gives a reason to believe
//! that nothing is there; a wall treats all alike, too.

use relink_model::{Confidence, ControlKind, DeadReason, PageFlag};

use super::redirects::{is_error, keeps_name};
use super::{ContentAssessor, ControlResponse, Finding, RuleResult, redirect_code};
use crate::confidence;
use crate::page::PageView;
use crate::page_similarity::{
    ErrorPageMatch, FinalUrlMatch, HeadingMatch, PageSimilarity, SAME_TEXT, compare, kinship,
    labels, text,
};
use crate::phrases::PhraseClass;
use crate::url_parts::{UrlParts, numbers};

/// From this resemblance on no second stray is needed.
const IDENTICAL: f64 = 0.995;
/// Below this resemblance a page has changed between two looks.
const CHANGES_BY_THE_MINUTE: f64 = 0.7;
/// From this resemblance on two pages are one if both ask not to be indexed.
const SAME_UNINDEXED: f64 = 0.4;

/// In which way a page is what strays get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MatchKind {
    /// One text for all.
    Text,
    /// One message for all, whatever stands around it.
    Message,
    /// A new text each time, for both.
    Rotating,
}

impl<'a> ContentAssessor<'a> {
    /// The page is what the server shows for addresses that cannot exist.
    pub(super) fn stray_like(&self) -> RuleResult<Option<Finding>> {
        if self.is_trusted() {
            return Ok(None);
        }
        if let Some(opinion) = self.chosen_by_query()? {
            return Ok(Some(opinion));
        }
        if let ControlResponse::Page(stray) = self.control_response(ControlKind::RandomName)?
            && let Some(opinion) = self.in_soft_directory(&stray)?
        {
            return Ok(Some(opinion));
        }
        self.chosen_by_number()
    }

    /// Any value of the query gives this page, and it is no page for any value.
    fn chosen_by_query(&self) -> RuleResult<Option<Finding>> {
        // Servers send a file with any query.
        let is_chosen = self.page.address().choosing().next().is_some();
        if !is_chosen || self.page.is_resource() {
            return Ok(None);
        }
        let ControlResponse::Page(stray) = self.control_response(ControlKind::RandomQueryValue)?
        else {
            return Ok(None);
        };
        let likeness = compare(&self.page, &stray);
        let sameness = self.alike(&stray, &likeness);
        // A parameter that chooses nothing leaves the page as it is.
        let is_empty = self.page.is_html()
            && self.page.digest.text_length == 0
            && !self.page.has(PageFlag::AppShell);
        let is_absent = is_empty
            || self.is_caught(&likeness)
            || self.page.mentions(PhraseClass::NotFound).is_some();
        match sameness.filter(|_| is_absent) {
            Some(sameness) => {
                self.soft_404_finding(ControlKind::RandomQueryValue, &likeness, sameness)
            }
            None => Ok(None),
        }
    }

    /// Any number in the path gives this page.
    fn chosen_by_number(&self) -> RuleResult<Option<Finding>> {
        if !self.is_number_worth_changing() {
            return Ok(None);
        }
        let ControlResponse::Page(stray) = self.control_response(ControlKind::RandomPathNumber)?
        else {
            return Ok(None);
        };
        let likeness = compare(&self.page, &stray);
        // Where the name leads to the right place, the number chooses nothing.
        let is_chosen_by_name = keeps_name(&self.page.address(), &self.page.arrival())
            || self.page.is_about_its_address();
        match self.alike(&stray, &likeness).filter(|_| !is_chosen_by_name) {
            Some(sameness) => {
                self.soft_404_finding(ControlKind::RandomPathNumber, &likeness, sameness)
            }
            None => Ok(None),
        }
    }

    /// Whether a number chooses the page, and asking for another is cheap,
    /// because the number is all of the name and so the answer is shared, or
    /// advisable, because the page is odd.
    fn is_number_worth_changing(&self) -> bool {
        let address = self.page.address();
        let stem = address.extension().map_or_else(|| address.name(), |(stem, _)| stem);
        let is_number = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
        let is_advisable = self.page.is_elsewhere() || self.page.may_say(PhraseClass::NotFound);
        (is_number || is_advisable) && numbers(address.path).next().is_some()
    }

    /// Strays are answered here; is this page one of them?
    pub(super) fn in_soft_directory(&self, stray: &PageView<'a>) -> RuleResult<Option<Finding>> {
        // The page that strays are sent to is a page of its own.
        if stray.landing == self.page.landing && !self.page.is_elsewhere() {
            return Ok(None);
        }
        let likeness = compare(&self.page, stray);
        let sameness = match self.alike(stray, &likeness) {
            None | Some(MatchKind::Text) if !self.is_caught(&likeness) => {
                self.sameness(stray, &likeness)?
            }
            sameness => sameness,
        };
        let Some(sameness) = sameness else { return Ok(None) };
        if self.number_matters()? || self.is_named_by(stray) {
            return Ok(None);
        }
        self.soft_404_finding(ControlKind::RandomName, &likeness, sameness)
    }

    /// Both were redirected to one place.
    fn is_caught(&self, likeness: &PageSimilarity) -> bool {
        likeness.landing == FinalUrlMatch::Same && self.page.is_elsewhere()
    }

    /// Whether a page is what one stray gets, as far as that one can tell.
    fn alike(&self, stray: &PageView<'_>, likeness: &PageSimilarity) -> Option<MatchKind> {
        let is_one_name = matches!(likeness.labels, HeadingMatch::Same | HeadingMatch::Silent);
        if self.is_caught(likeness) {
            return Some(MatchKind::Text);
        }
        if !likeness.is_same_kind || !is_one_name {
            return None;
        }
        if likeness.text >= SAME_TEXT {
            return Some(MatchKind::Text);
        }
        let message = self.page.mentions(PhraseClass::NotFound);
        let is_one_message = message.is_some()
            && message == stray.mentions(PhraseClass::NotFound)
            && !self.page.is_named_as_its_address();
        let both_hide = self.page.has(PageFlag::NoIndex) && stray.has(PageFlag::NoIndex);
        let is_near = likeness.text >= SAME_UNINDEXED;
        (is_one_message || (both_hide && is_near)).then_some(MatchKind::Message)
    }

    /// Whether a page is what strays get, told with the help of a second one.
    fn sameness(
        &self,
        stray: &PageView<'a>,
        likeness: &PageSimilarity,
    ) -> RuleResult<Option<MatchKind>> {
        if !likeness.is_same_kind || likeness.labels == HeadingMatch::Differ {
            return Ok(None);
        }
        let is_same_name = likeness.labels != HeadingMatch::Partly;
        if is_same_name && likeness.text >= IDENTICAL && self.is_as_long_as(stray) {
            return Ok(Some(MatchKind::Text));
        }
        let ControlResponse::Page(second) = self.control_response(ControlKind::SecondRandomName)?
        else {
            let is_same = is_same_name && likeness.text >= SAME_TEXT;
            return Ok(is_same.then_some(MatchKind::Text));
        };
        let strays_agree = labels(stray, &second) != HeadingMatch::Partly;
        match kinship(&self.page, stray, &second) {
            _ if !is_same_name && strays_agree => Ok(None),
            ErrorPageMatch::Same => Ok(Some(MatchKind::Text)),
            ErrorPageMatch::Other => Ok(None),
            ErrorPageMatch::Rotating => self.rotates(),
        }
    }

    fn is_as_long_as(&self, stray: &PageView<'_>) -> bool {
        let apart = self.page.digest.text_length.abs_diff(stray.digest.text_length);
        apart <= 24 + 4 * self.page.url.len().abs_diff(stray.url.len()) as u64
    }

    /// Strays get a new text each time. So does this page, if it changes
    /// between two looks; pages with content of their own rarely do.
    fn rotates(&self) -> RuleResult<Option<MatchKind>> {
        let changes = match self.control_response(ControlKind::Refetch)? {
            ControlResponse::Page(again) => text(&self.page, &again) < CHANGES_BY_THE_MINUTE,
            ControlResponse::Refused(_) | ControlResponse::Unknown => false,
        };
        let says_so = self.page.point(PhraseClass::NotFound).is_some();
        Ok((changes || says_so).then_some(MatchKind::Rotating))
    }

    /// Whether another number in the path gives another page: then the number
    /// chooses, whatever name stands beside it.
    fn number_matters(&self) -> RuleResult<bool> {
        if numbers(self.page.address().path).next().is_none() {
            return Ok(false);
        }
        Ok(match self.control_response(ControlKind::RandomPathNumber)? {
            ControlResponse::Refused(_) => true,
            ControlResponse::Page(other) => {
                let likeness = compare(&self.page, &other);
                self.alike(&other, &likeness).is_none() && likeness.landing != FinalUrlMatch::Same
            }
            ControlResponse::Unknown => false,
        })
    }

    /// Whether the stray names a canonical address that is this page's and not
    /// its own: then this page is real, and the stray another spelling of it
    /// (FABLE §2.1: a canonical address almost always means a page).
    fn is_named_by(&self, stray: &PageView<'_>) -> bool {
        let (Some(own), Some(named)) = (self.page.canonical(), stray.canonical()) else {
            return false;
        };
        let is_one = own == named && named != stray.url && named != stray.landing;
        let Some(address) = UrlParts::of(&own) else { return false };
        is_one
            && !address.is_front()
            && !self.page.address().is_below(&address)
            && !is_error(&address)
    }

    /// What follows if a page is what strays get: a wall, a notice, or nothing
    /// is there.
    fn soft_404_finding(
        &self,
        kind: ControlKind,
        likeness: &PageSimilarity,
        sameness: MatchKind,
    ) -> RuleResult<Option<Finding>> {
        let note = match (self.is_caught(likeness), sameness) {
            (true, _) => "redirected to the same address",
            (false, MatchKind::Text) => "the same page",
            (false, MatchKind::Message) => "the same message",
            (false, MatchKind::Rotating) => "as much unlike itself from visit to visit",
        };
        let ground = self.ground(kind, note, Some(likeness.text));
        if let Some(wall) = self.common_wall() {
            return Ok(Some(wall.because(ground)));
        }
        if !self.is_explained()? {
            return Ok(Some(Self::site_notice().because(ground)));
        }
        let (reason, confidence) = self.sentence(kind, likeness, sameness);
        let code = redirect_code(&self.page);
        let dead = Finding::dead(DeadReason::Soft404, code, reason, confidence);
        Ok(Some(dead.because(ground)))
    }

    fn sentence(
        &self,
        kind: ControlKind,
        likeness: &PageSimilarity,
        sameness: MatchKind,
    ) -> (String, Confidence) {
        let status = self.status();
        if self.is_caught(likeness) {
            let reason = format!("redirects to {}, as does {kind}", self.page.landing);
            return (reason, confidence::SAME_LANDING);
        }
        let text = likeness.text;
        match sameness {
            MatchKind::Text => (
                format!("answers {status}, but equals the answer to {kind} (shingle {text:.2})"),
                confidence::SAME_PAGE,
            ),
            MatchKind::Message => (
                format!("answers {status}, but says the same as the answer to {kind}"),
                confidence::SAME_PAGE,
            ),
            MatchKind::Rotating => (
                format!("answers {status} with a page that changes as that of {kind} does"),
                confidence::SAME_ROTATING,
            ),
        }
    }

    /// Whether there is a reason to believe that nothing is there: the page
    /// says so, it lies where others are sent as well, or it is more than a few
    /// words. A few words for all addresses, the front page among them, may be
    /// a site that is closed for today.
    fn is_explained(&self) -> RuleResult<bool> {
        let page = &self.page;
        if !page.is_slight()
            || page.is_elsewhere()
            || page.mentions(PhraseClass::NotFound).is_some()
        {
            return Ok(true);
        }
        Ok(match self.control_response(ControlKind::HomePage)? {
            ControlResponse::Page(front) => self.alike(&front, &compare(page, &front)).is_none(),
            ControlResponse::Refused(_) | ControlResponse::Unknown => true,
        })
    }
}
