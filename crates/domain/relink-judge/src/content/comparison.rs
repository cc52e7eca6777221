//! Comparison of the page with random pages: the responses to URLs that cannot exist.
//!
//! The rules extend those of sic-transit §3 and FABLE §2.1 to pages with large
//! shared templates, error pages that change with every request, and URLs in
//! which only a number selects the page. A page that equals the response to
//! random URLs is dead only if nothing else explains the match, such as an access
//! wall or a site-wide notice.

use relink_model::{ControlKind, PageFlag};

use super::redirects::{is_error, retains_name};
use super::{ContentAssessor, ControlResponse, Finding, RuleResult, describe_control_outcome};
use crate::confidence;
use crate::page::PageView;
use crate::page_similarity::{
    ErrorPageMatch, FinalUrlMatch, HeadingMatch, LENGTH_TOLERANCE, MAX_URL_REPETITIONS,
    PageSimilarity, SAME_TEXT, compare, compare_headings, error_page_match, has_same_stable_title,
    may_have_changing_title, text_resemblance,
};
use crate::phrases::PhraseClass;
use crate::url_parts::{UrlParts, has_identifier, numbers};

/// Minimum resemblance at which one random name suffices, without a second one.
const IDENTICAL_TEXT: f64 = 0.995;
/// Below this resemblance, a page changed between two requests.
const UNCHANGED_TEXT: f64 = 0.7;
/// Minimum resemblance of two equal pages if both are `noindex`.
const SAME_UNINDEXED_TEXT: f64 = 0.4;

/// Maximum ratio of the length of a page without a title to that of a random page with the
/// same message.
const MAX_MESSAGE_GROWTH: u64 = 2;
/// Number of characters by which a page with the same message may be longer in addition.
const MESSAGE_TOLERANCE: u64 = 20;

/// How a page matches the response to random URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchKind {
    /// The same text.
    Text,
    /// The same message with different text around it.
    Message,
    /// Both texts change with every request.
    Rotating,
}

impl<'a> ContentAssessor<'a> {
    /// Returns a finding if the page equals the response to URLs that cannot exist.
    pub(super) fn check_random_url(&self) -> RuleResult<Option<Finding>> {
        if let Some(finding) = self.check_query_value()? {
            return Ok(Some(finding));
        }
        if self.page.url_parts().is_front_page_with_query() && !self.page.is_redirected() {
            return self.front_page_finding().map(Some);
        }
        if let ControlResponse::Page(random_page) =
            self.control_response(ControlKind::RandomName)?
            && let Some(finding) = self.compare_with_random_name(&random_page)?
        {
            return Ok(Some(finding));
        }
        self.check_path_number()
    }

    /// Returns the result of a front page with a query. It is not compared with
    /// random names, because many sites return the front page for them.
    fn front_page_finding(&self) -> RuleResult<Finding> {
        let kind = ControlKind::RandomQueryValue;
        Ok(match self.control_response(kind)? {
            ControlResponse::Rejected(outcome) => {
                let note = format!("{kind} {}", describe_control_outcome(outcome));
                self.alive(confidence::ALIVE_RANDOM_NAME_REJECTED, Some(note))
            }
            ControlResponse::Page(other)
                if self.match_with(&other, &compare(&self.page, &other)).is_none() =>
            {
                let note = format!("{kind} gets a different page");
                self.alive(confidence::ALIVE_UNLIKE_RANDOM_NAME, Some(note))
            }
            _ => self.not_comparable("a front page with a query"),
        })
    }

    /// Returns a finding if every number in the path returns this page.
    fn check_path_number(&self) -> RuleResult<Option<Finding>> {
        if !self.should_vary_number() {
            return Ok(None);
        }
        let ControlResponse::Page(random_page) =
            self.control_response(ControlKind::RandomPathNumber)?
        else {
            return Ok(None);
        };
        let similarity = compare(&self.page, &random_page);
        // If the name selects the page, the number is irrelevant.
        let is_selected_by_name =
            retains_name(&self.page.url_parts(), &self.page.final_url_parts())
                || self.page.has_url_words_in_title();
        match self.match_with(&random_page, &similarity).filter(|_| !is_selected_by_name) {
            Some(match_kind) => {
                self.soft_404_finding(ControlKind::RandomPathNumber, &similarity, match_kind)
            }
            None => Ok(None),
        }
    }

    /// Whether to fetch the URL with another number. If the number is the whole name, all
    /// pages of the directory share this control, so it is cheap. Otherwise it is fetched
    /// only for suspicious pages.
    fn should_vary_number(&self) -> bool {
        let url = self.page.url_parts();
        let stem = url.extension().map_or_else(|| url.name(), |(stem, _)| stem);
        let is_number = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
        let is_suspicious =
            self.page.is_redirected() || self.page.may_contain(PhraseClass::NotFound);
        (is_number || is_suspicious) && numbers(url.path).next().is_some()
    }

    /// Compares the page with a random name that got a success response.
    pub(super) fn compare_with_random_name(
        &self,
        random_page: &PageView<'a>,
    ) -> RuleResult<Option<Finding>> {
        if self.is_target_of(random_page) {
            return Ok(None);
        }
        let similarity = compare(&self.page, random_page);
        let match_kind = match self.match_with(random_page, &similarity) {
            None | Some(MatchKind::Text) if !self.has_same_redirect_target(&similarity) => {
                self.confirm_match(random_page, &similarity)?
            }
            match_kind => match_kind,
        };
        let Some(match_kind) = match_kind else { return Ok(None) };
        if match_kind == MatchKind::Message && self.is_message_of_template()? {
            return Ok(None);
        }
        if self.number_selects_page()? || self.is_canonical_of(random_page) {
            return Ok(None);
        }
        self.soft_404_finding(ControlKind::RandomName, &similarity, match_kind)
    }

    /// Whether random names are redirected to this page, perhaps with the requested URL in
    /// the query, as redirects to a login page have. The target of redirects exists.
    pub(super) fn is_target_of(&self, random_page: &PageView<'_>) -> bool {
        let (page, target) = (self.page.final_url_parts(), random_page.final_url_parts());
        !self.page.is_redirected()
            && (random_page.final_url == self.page.final_url
                || (random_page.is_redirected()
                    && page.origin == target.origin
                    && page.path == target.path
                    && target.query.is_some()))
    }

    /// Whether the message that the page shares with the response to random URLs is
    /// part of the page template, because the home page contains it, too.
    pub(super) fn is_message_of_template(&self) -> RuleResult<bool> {
        let page = &self.page;
        if page.main_phrase(PhraseClass::NotFound).is_some() {
            return Ok(false);
        }
        let Some(message) = page.find_phrase(PhraseClass::NotFound) else { return Ok(false) };
        Ok(match self.control_response(ControlKind::HomePage)? {
            ControlResponse::Page(home) => home.find_phrase(PhraseClass::NotFound) == Some(message),
            _ => false,
        })
    }

    /// Whether both were redirected to the same URL.
    pub(super) fn has_same_redirect_target(&self, similarity: &PageSimilarity) -> bool {
        similarity.final_url == FinalUrlMatch::Same && self.page.is_redirected()
    }

    /// Compares the page with one random page.
    pub(super) fn match_with(
        &self,
        random_page: &PageView<'_>,
        similarity: &PageSimilarity,
    ) -> Option<MatchKind> {
        let has_same_headings =
            matches!(similarity.headings, HeadingMatch::Same | HeadingMatch::Empty);
        if self.has_same_redirect_target(similarity) {
            return Some(MatchKind::Text);
        }
        if !similarity.is_same_kind || !has_same_headings {
            return None;
        }
        if similarity.text >= SAME_TEXT {
            return Some(MatchKind::Text);
        }
        let has_same_message = self.has_same_message(random_page, similarity);
        let both_unindexed = self.page.has(PageFlag::NoIndex) && random_page.has(PageFlag::NoIndex);
        let is_similar = similarity.text >= SAME_UNINDEXED_TEXT;
        (has_same_message || (both_unindexed && is_similar)).then_some(MatchKind::Message)
    }

    /// Whether the page shows the message of a random page instead of a content of its own.
    fn has_same_message(&self, random_page: &PageView<'_>, similarity: &PageSimilarity) -> bool {
        let page = &self.page;
        let is_shown = random_page
            .find_phrase(PhraseClass::NotFound)
            .is_some_and(|message| page.shows_error_phrase(message));
        // Wikis repeat the name in the title of every page, missing or not.
        let has_own_title = page.has_all_url_words_in_title()
            && (!random_page.has_url_words_in_title() || page.short_main_text().is_none());
        let may_be_chance = self.has_much_more_text(random_page)
            || (similarity.headings == HeadingMatch::Empty
                && self.may_contain_message_by_chance(random_page));
        is_shown && !has_own_title && !may_be_chance
    }

    /// Whether a page whose headings do not contain an error phrase is so much longer than a
    /// random page that it may quote the message, as the source code of the server does.
    fn has_much_more_text(&self, random_page: &PageView<'_>) -> bool {
        let (own, random) = (self.page.digest.text_length, random_page.digest.text_length);
        let is_titled_error = self.page.main_phrase(PhraseClass::NotFound).is_some();
        !is_titled_error
            && own > random.saturating_mul(MAX_MESSAGE_GROWTH).saturating_add(MESSAGE_TOLERANCE)
    }

    /// Whether the page is so much longer than a random page that an error phrase in both
    /// is not evidence. That concerns pages without a title, such as the data of an API.
    pub(super) fn may_contain_message_by_chance(&self, random_page: &PageView<'_>) -> bool {
        let has_title = self.page.title_and_headings().next().is_some();
        let max_length = random_page.digest.text_length.saturating_mul(MAX_MESSAGE_GROWTH);
        !has_title && self.page.digest.text_length > max_length
    }

    /// Compares the page with a second random page, unless the first one suffices.
    fn confirm_match(
        &self,
        random_page: &PageView<'a>,
        similarity: &PageSimilarity,
    ) -> RuleResult<Option<MatchKind>> {
        if !similarity.is_same_kind {
            return Ok(None);
        }
        if similarity.headings == HeadingMatch::Different {
            return self.match_with_changing_title(random_page);
        }
        let has_same_headings = similarity.headings != HeadingMatch::TitleOnly;
        if has_same_headings
            && similarity.text >= IDENTICAL_TEXT
            && self.has_similar_length(random_page)
        {
            return Ok(Some(MatchKind::Text));
        }
        let ControlResponse::Page(second) = self.control_response(ControlKind::SecondRandomName)?
        else {
            let is_same = has_same_headings && similarity.text >= SAME_TEXT;
            return Ok(is_same.then_some(MatchKind::Text));
        };
        let random_pages_agree = compare_headings(random_page, &second) != HeadingMatch::TitleOnly;
        match error_page_match(&self.page, random_page, &second) {
            // Only this page has other headings, so it has content of its own.
            _ if !has_same_headings && random_pages_agree => Ok(None),
            ErrorPageMatch::Same => Ok(Some(MatchKind::Text)),
            ErrorPageMatch::Other => Ok(None),
            ErrorPageMatch::Rotating => self.rotating_match(),
        }
    }

    /// Compares the page with two random pages whose titles differ in words such as
    /// request ids. These words are ignored.
    fn match_with_changing_title(
        &self,
        random_page: &PageView<'a>,
    ) -> RuleResult<Option<MatchKind>> {
        if !may_have_changing_title(&self.page, random_page) {
            return Ok(None);
        }
        let ControlResponse::Page(second) = self.control_response(ControlKind::SecondRandomName)?
        else {
            return Ok(None);
        };
        let is_same = has_same_stable_title(&self.page, random_page, &second)
            && error_page_match(&self.page, random_page, &second) == ErrorPageMatch::Same;
        Ok(is_same.then_some(MatchKind::Text))
    }

    fn has_similar_length(&self, random_page: &PageView<'_>) -> bool {
        let difference = self.page.digest.text_length.abs_diff(random_page.digest.text_length);
        let url_difference = self.page.url.len().abs_diff(random_page.url.len()) as u64;
        difference <= LENGTH_TOLERANCE + MAX_URL_REPETITIONS * url_difference
    }

    /// Returns the match if the response to random names changes with every request. The
    /// page matches if it changes between two requests, too; real pages rarely do.
    fn rotating_match(&self) -> RuleResult<Option<MatchKind>> {
        let changes = match self.control_response(ControlKind::Refetch)? {
            ControlResponse::Page(again) => text_resemblance(&self.page, &again) < UNCHANGED_TEXT,
            _ => false,
        };
        let has_error_phrase = self.page.main_phrase(PhraseClass::NotFound).is_some();
        Ok((changes || has_error_phrase).then_some(MatchKind::Rotating))
    }

    /// Whether another number or identifier in the path returns another page. Then it
    /// selects the page, and the name next to it is irrelevant.
    fn number_selects_page(&self) -> RuleResult<bool> {
        if !has_identifier(self.page.url_parts().path) {
            return Ok(false);
        }
        Ok(match self.control_response(ControlKind::RandomPathNumber)? {
            ControlResponse::Rejected(_) => true,
            ControlResponse::Page(other) => {
                let similarity = compare(&self.page, &other);
                self.match_with(&other, &similarity).is_none()
                    && similarity.final_url != FinalUrlMatch::Same
            }
            ControlResponse::Blocked | ControlResponse::Unknown => false,
        })
    }

    /// Whether the random page declares this page as canonical. Then this page
    /// exists, and the random URL is an alias of it (FABLE §2.1: a canonical URL
    /// almost always means a page).
    fn is_canonical_of(&self, random_page: &PageView<'_>) -> bool {
        let (Some(own), Some(declared)) = (self.page.canonical(), random_page.canonical()) else {
            return false;
        };
        let is_same_page =
            own == declared && declared != random_page.url && declared != random_page.final_url;
        let Some(url) = UrlParts::parse(&own) else { return false };
        is_same_page
            && !url.is_home_page()
            && !self.page.url_parts().is_below(&url)
            && !is_error(&url)
    }
}
