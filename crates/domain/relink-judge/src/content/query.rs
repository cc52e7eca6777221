//! Comparison of the page with other values of its query.
//!
//! If a random value gets the same page, the page may be the error page for all unknown
//! values. That conclusion requires that the parameter selects the page. Servers ignore
//! unknown parameters, so a wiki page with `?x=1` is the same with any other value.
//! Therefore the page is also fetched without the parameter. If that is the same page,
//! the parameter usually does not select it. But a script may show its error page
//! without a parameter, too. If known or linked pages with other values are different, the
//! parameter selects the page after all (see the module `selection`).

use relink_model::{ControlKind, PageFlag};

use super::comparison::MatchKind;
use super::{ContentAssessor, ControlResponse, Finding, RuleResult};
use crate::control_url::{is_identifier, likely_selects_page, second_parameter, varied_parameter};
use crate::linked_value::{names_page, other_value_link};
use crate::page::PageView;
use crate::page_similarity::{HeadingMatch, PageSimilarity, compare, shares_message_only_with};
use crate::phrases::PhraseClass;
use crate::url_parts::Parameter;
use crate::url_words::{percent_decoded, without_accents, words};

/// Minimum resemblance of a page and a variant of it, such as its print version.
const SAME_CONTENT: f64 = 0.6;
/// Minimum resemblance of a page and a variant of it with the same title and headings.
const SAME_CONTENT_AND_TITLE: f64 = SAME_CONTENT / 2.0;

/// A parameter that may select the page, and the controls that vary it.
#[derive(Clone, Copy)]
struct VariedParameter<'a> {
    parameter: Parameter<'a>,
    /// The control with a random value.
    random_value: ControlKind,
    /// The control without the parameter.
    without: ControlKind,
}

/// The response to a random value of a parameter. It equals the page to judge.
struct RandomValue<'p, 'a> {
    varied: VariedParameter<'a>,
    page: &'p PageView<'a>,
    similarity: &'p PageSimilarity,
    match_kind: MatchKind,
    /// Whether a more likely parameter selects the page.
    is_selected_by_another: bool,
}

impl<'a> ContentAssessor<'a> {
    /// Returns a finding if a random value of a page-selecting parameter returns this page:
    /// then it is the error page for unknown values.
    ///
    /// The second parameter is tried in two cases: a random value of the first one returns this
    /// page, but that proves nothing; or the first one selects the page, which may report that a
    /// record is missing.
    pub(super) fn check_query_value(&self) -> RuleResult<Option<Finding>> {
        let mut is_selected_by_another = false;
        for varied in self.varied_parameters() {
            if !self.should_vary(varied.parameter) {
                break;
            }
            let response = self.control_response(varied.random_value)?;
            if let ControlResponse::Page(page) = &response {
                let similarity = &compare(&self.page, page);
                if let Some(match_kind) = self.match_with(page, similarity) {
                    let random = RandomValue {
                        varied,
                        page,
                        similarity,
                        match_kind,
                        is_selected_by_another,
                    };
                    if self.is_missing(&random)? {
                        return self.soft_404_finding(varied.random_value, similarity, match_kind);
                    }
                    continue;
                }
            }
            // The parameter selects the page; the next one may select a record on it.
            let is_selected =
                matches!(response, ControlResponse::Page(_) | ControlResponse::Rejected(_));
            if !is_selected || !self.may_lack_record() {
                break;
            }
            is_selected_by_another = true;
        }
        Ok(None)
    }

    /// Whether the page may exist while the record on it that the query selects does not, as
    /// in `?topic=1&post=99`.
    fn may_lack_record(&self) -> bool {
        self.page.find_phrase(PhraseClass::NotFound).is_some() && self.may_be_error_page()
    }

    fn varied_parameters(&self) -> impl Iterator<Item = VariedParameter<'a>> {
        let url = self.page.url_parts();
        let first = varied_parameter(url).map(|parameter| VariedParameter {
            parameter,
            random_value: ControlKind::RandomQueryValue,
            without: ControlKind::WithoutParameter,
        });
        let second = second_parameter(url).map(|parameter| VariedParameter {
            parameter,
            random_value: ControlKind::OtherQueryValue,
            without: ControlKind::WithoutOtherParameter,
        });
        first.into_iter().chain(second)
    }

    /// Whether to fetch the page with another query value: the parameter identifies
    /// something, the title repeats the value, or the page may be an error page.
    fn should_vary(&self, parameter: Parameter<'_>) -> bool {
        // A file is the same for any query, so it is not varied, unless a script redirected
        // to it.
        (!self.page.is_resource() || self.page.is_redirected())
            && (likely_selects_page(self.page.url_parts(), &parameter)
                || self.page.is_redirected()
                || self.is_empty_page()
                || self.page.is_brief()
                || self.page.find_phrase(PhraseClass::NotFound).is_some()
                || other_value_link(&self.page, parameter).is_some()
                || self.repeats_value(parameter))
    }

    /// Whether the title or the headings contain all words of a value.
    pub(super) fn repeats_value(&self, parameter: Parameter<'_>) -> bool {
        let value = percent_decoded(parameter.value);
        let mut value_words = words(&value).filter(|word| word.chars().count() >= 3).peekable();
        let titles = self.page.title_and_headings().flat_map(words);
        let titles: Vec<String> = titles.map(|word| without_accents(&word)).collect();
        value_words.peek().is_some()
            && value_words.all(|word| titles.contains(&without_accents(&word)))
    }

    fn is_empty_page(&self) -> bool {
        let page = &self.page;
        page.is_html() && page.digest.text_length == 0 && !page.has(PageFlag::AppShell)
    }

    /// Whether the page is missing. The page without the parameter decides whether the
    /// parameter matters.
    fn is_missing(&self, random: &RandomValue<'_, 'a>) -> RuleResult<bool> {
        let varied = random.varied;
        let is_missing = match self.control_response(varied.without)? {
            ControlResponse::Page(bare) => self.is_missing_given_bare_page(random, &bare)?,
            // The script requires this parameter; with no other one, it must be the one that
            // selects the page.
            ControlResponse::Rejected(_) => {
                let is_only_parameter = self.varied_parameters().count() == 1;
                self.page.find_phrase(PhraseClass::NotFound).is_some()
                    || self.likely_selects(varied)
                    || self.is_empty_page()
                    || (is_only_parameter && random.match_kind == MatchKind::Text)
            }
            // The page without the parameter cannot be compared. Status 500 for it still
            // shows that the script expects the parameter.
            ControlResponse::Blocked | ControlResponse::Unknown => {
                let fails_without =
                    self.fails_without(varied) && random.match_kind == MatchKind::Text;
                self.may_be_error_of(varied) || (self.likely_selects(varied) && fails_without)
            }
        };
        // If other values return other pages, the value selects the page. The page that a random
        // value returns as well is then the error page for unknown values.
        Ok(is_missing || self.is_selected_by_value(varied.parameter, random.similarity.text)?)
    }

    /// Whether the page is missing, if the page without the parameter exists.
    fn is_missing_given_bare_page(
        &self,
        random: &RandomValue<'_, 'a>,
        bare: &PageView<'_>,
    ) -> RuleResult<bool> {
        let page = &self.page;
        let varied = random.varied;
        // 1. An error phrase that only appears with a value.
        let phrase = page.find_phrase(PhraseClass::NotFound);
        let is_own_message = phrase.is_some_and(|phrase| {
            random.page.shows_error_phrase(phrase) && !bare.shows_error_phrase(phrase)
        });
        if is_own_message {
            return Ok(true);
        }
        // 2. The parameter changes nothing: it is ignored, or both are the same error page. A
        // message that only the page and the random value show is a change.
        let has_own_message =
            is_identifier(&varied.parameter) && shares_message_only_with(page, random.page, bare);
        if self.is_same_content(bare) && !has_own_message {
            if !self.may_be_error_of(varied) {
                return Ok(false);
            }
            // A page with more than a message may be the page that another parameter selects.
            let is_selected_otherwise = !page.is_only_a_message()
                && (random.is_selected_by_another
                    || self.is_selected_by_less_likely_parameter(varied)?);
            return Ok(!is_selected_otherwise);
        }
        // 3. The parameter changes the page, and the random value gives the same one.
        // A value that only the title repeats may be the text of a search.
        let is_exact = random.match_kind == MatchKind::Text && self.likely_selects(varied);
        let is_redirected = self.has_same_redirect_target(random.similarity);
        Ok(is_exact || is_redirected || self.is_empty_page())
    }

    /// Whether name or value of the parameter indicate that it selects the page.
    fn likely_selects(&self, varied: VariedParameter<'_>) -> bool {
        likely_selects_page(self.page.url_parts(), &varied.parameter)
    }

    /// Whether the page may be the error page for an unknown value of the parameter. The
    /// parameter must be one that usually selects pages, because servers ignore others.
    fn may_be_error_of(&self, varied: VariedParameter<'_>) -> bool {
        let (page, parameter) = (&self.page, &varied.parameter);
        let is_message = || {
            page.main_phrase(PhraseClass::NotFound).is_some()
                || page.failed_request_phrase().is_some()
                || page.is_only_a_message()
        };
        (is_identifier(parameter) && self.may_be_error_page())
            || ((self.likely_selects(varied) || names_page(parameter)) && is_message())
    }

    /// Whether the script fails without its parameter, because it expects one.
    fn fails_without(&self, varied: VariedParameter<'_>) -> bool {
        let control = self.control_summary(varied.without);
        control.is_some_and(|control| control.status == Some(500))
    }

    /// Whether a less likely parameter selects the page: another value of it returns another
    /// page or an error.
    fn is_selected_by_less_likely_parameter(
        &self,
        varied: VariedParameter<'_>,
    ) -> RuleResult<bool> {
        let is_other = |it: &VariedParameter<'_>| it.random_value != varied.random_value;
        for other in self.varied_parameters().skip_while(is_other).skip(1) {
            match self.control_response(other.random_value)? {
                ControlResponse::Rejected(_) => return Ok(true),
                ControlResponse::Page(page)
                    if self.match_with(&page, &compare(&self.page, &page)).is_none() =>
                {
                    return Ok(true);
                }
                _ => {}
            }
        }
        Ok(false)
    }

    /// Whether the page has a heading of a script that failed, or a short main text that
    /// contains an error phrase or the output of such a script.
    fn may_be_error_page(&self) -> bool {
        let page = &self.page;
        let is_short = page.is_brief() || page.short_main_text().is_some();
        let has_phrase = |class| page.find_phrase(class).is_some();
        page.main_phrase(PhraseClass::ScriptError).is_some()
            || page.main_phrase(PhraseClass::ServerError).is_some()
            || (is_short
                && (has_phrase(PhraseClass::NotFound) || has_phrase(PhraseClass::ScriptError)))
    }

    /// Whether the page has the same content as without the parameter, perhaps in
    /// another layout.
    fn is_same_content(&self, bare: &PageView<'_>) -> bool {
        let page = &self.page;
        if page.is_redirected() && bare.final_url == page.final_url {
            return true;
        }
        let similarity = compare(page, bare);
        let has_title = !page.title().is_empty() || !page.digest.headings.is_empty();
        let has_same_title = has_title && similarity.headings == HeadingMatch::Same;
        let min_resemblance = if has_same_title { SAME_CONTENT_AND_TITLE } else { SAME_CONTENT };
        similarity.text >= min_resemblance
    }
}
