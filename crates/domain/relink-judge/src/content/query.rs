//! Comparison of the page with other values of its query.
//!
//! If a random value gets the same page, the page may be the error page for all unknown
//! values. That conclusion requires that the parameter selects the page. Servers ignore
//! unknown parameters, so a wiki page with `?x=1` is the same with any other value.
//! Therefore the page is also fetched without the parameter. If that is the same page,
//! the parameter usually does not select it. But a script may show its error page
//! without a parameter, too. Known pages with other values can prove that.

use relink_model::{ControlKind, PageFlag};

use super::comparison::MatchKind;
use super::{ContentAssessor, ControlResponse, Finding, RuleResult};
use crate::control_url::{is_identifier, second_parameter, varied_parameter};
use crate::page::PageView;
use crate::page_similarity::{HeadingMatch, PageSimilarity, SAME_TEXT, compare, text_resemblance};
use crate::phrases::PhraseClass;
use crate::redirect_similarity::{has_other_value, is_other_page};
use crate::url_parts::{Parameter, numbers};
use crate::url_words::{percent_decoded, words};

/// Difference of resemblance between an error page and the page of another value.
const OTHER_VALUE_MARGIN: f64 = 0.1;
/// Minimum resemblance of two variants of one page, such as one for printing.
const SAME_CONTENT: f64 = 0.6;

/// A parameter that may select the page, and the controls that vary it.
#[derive(Clone, Copy)]
struct VariedParameter<'a> {
    parameter: Parameter<'a>,
    /// The control with a random value.
    random_value: ControlKind,
    /// The control without the parameter.
    without: ControlKind,
}

impl<'a> ContentAssessor<'a> {
    /// Returns a finding if every query value returns this page, and the parameter
    /// selects pages. If the most likely parameter does not select the page, the next
    /// one is varied.
    pub(super) fn check_query_value(&self) -> RuleResult<Option<Finding>> {
        for varied in self.varied_parameters() {
            if !self.should_vary(varied.parameter) {
                break;
            }
            let ControlResponse::Page(random_page) = self.control_response(varied.random_value)?
            else {
                break;
            };
            let similarity = compare(&self.page, &random_page);
            let Some(match_kind) = self.match_with(&random_page, &similarity) else { break };
            if self.is_missing(varied, &random_page, &similarity, match_kind)? {
                return self.soft_404_finding(varied.random_value, &similarity, match_kind);
            }
        }
        Ok(None)
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
        // Servers send the same file for any query.
        !self.page.is_resource()
            && (is_identifier(&parameter)
                || self.page.is_redirected()
                || self.is_empty_page()
                || self.page.is_brief()
                || self.page.find_phrase(PhraseClass::NotFound).is_some()
                || self.repeats_value(parameter))
    }

    /// Whether the title or the headings contain all words of a value.
    fn repeats_value(&self, parameter: Parameter<'_>) -> bool {
        let value = percent_decoded(parameter.value);
        let mut value_words = words(&value).filter(|word| word.chars().count() >= 3).peekable();
        let titles: Vec<String> = self.page.title_and_headings().flat_map(words).collect();
        value_words.peek().is_some() && value_words.all(|word| titles.contains(&word))
    }

    fn is_empty_page(&self) -> bool {
        let page = &self.page;
        page.is_html() && page.digest.text_length == 0 && !page.has(PageFlag::AppShell)
    }

    /// Whether the page is missing. The caller has found that it equals the response to a
    /// random value of the parameter. The page without the parameter decides whether the
    /// parameter matters.
    fn is_missing(
        &self,
        varied: VariedParameter<'_>,
        random_page: &PageView<'_>,
        similarity: &PageSimilarity,
        match_kind: MatchKind,
    ) -> RuleResult<bool> {
        let page = &self.page;
        let is_identified = is_identifier(&varied.parameter);
        let has_main_phrase = page.main_phrase(PhraseClass::NotFound).is_some();
        let phrase = page.find_phrase(PhraseClass::NotFound);
        let is_error_page =
            (is_identified && self.may_be_error_page()) || page.failed_request_phrase().is_some();
        let is_missing = match self.control_response(varied.without)? {
            // The page without the parameter may be the same error page.
            ControlResponse::Page(bare) if self.is_same_content(&bare) => is_error_page,
            ControlResponse::Page(bare) => {
                let is_exact = match_kind == MatchKind::Text && is_identified;
                let is_own_message = phrase.is_some_and(|phrase| {
                    random_page.shows_error_phrase(phrase) && !bare.shows_error_phrase(phrase)
                });
                let has_same_target = self.has_same_redirect_target(similarity);
                is_exact || is_own_message || has_same_target || self.is_empty_page()
            }
            // Without its parameter, the script reports an error of its own.
            ControlResponse::Rejected(_) => {
                has_main_phrase || is_identified || self.is_empty_page() || phrase.is_some()
            }
            ControlResponse::Refused | ControlResponse::Unknown => {
                is_error_page || (has_main_phrase && is_identified)
            }
        };
        Ok(is_missing || self.is_selected_by_value(varied.parameter, similarity.text)?)
    }

    /// Whether the page has a heading of a script that failed, or a short main text that
    /// contains an error phrase or the output of such a script.
    fn may_be_error_page(&self) -> bool {
        let page = &self.page;
        let is_short = page.is_brief() || page.short_main_text().is_some();
        let has_phrase = |class| page.find_phrase(class).is_some();
        page.main_phrase(PhraseClass::ScriptError).is_some()
            || (is_short
                && (has_phrase(PhraseClass::NotFound) || has_phrase(PhraseClass::ScriptError)))
    }

    /// Whether known pages with other values of the parameter are other pages, so that
    /// the value selects the page.
    ///
    /// A list may ignore values that it does not know and show all entries. A long page
    /// therefore counts only if the value is a number or is repeated in the title, or if
    /// the name of the parameter says that it identifies something. The numbers 0 and 1
    /// do not count, because they select the first page of a list.
    ///
    /// `resemblance` is that of the page and the response to a random value. If those
    /// texts are equal, a neighbor with a less similar text is another page, even if all
    /// titles consist of the value.
    fn is_selected_by_value(&self, parameter: Parameter<'_>, resemblance: f64) -> RuleResult<bool> {
        let page = &self.page;
        let number = parameter.value.parse::<u64>();
        let may_identify = is_identifier(&parameter)
            || number.is_ok()
            || page.is_brief()
            || self.repeats_value(parameter);
        if !may_identify || number.is_ok_and(|number| number <= 1) || page.is_redirected() {
            return Ok(false);
        }
        for kind in [ControlKind::Neighbor, ControlKind::SecondNeighbor] {
            if let ControlResponse::Page(neighbor) = self.control_response(kind)?
                && has_other_value(parameter, page.url, neighbor.url)
                && (is_other_page(page, &neighbor)
                    || (resemblance >= SAME_TEXT
                        && text_resemblance(page, &neighbor) < resemblance - OTHER_VALUE_MARGIN))
            {
                return Ok(true);
            }
        }
        Ok(false)
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
        let is_same_site_title = has_same_title && similarity.text >= SAME_CONTENT / 2.0;
        is_same_site_title || similarity.text >= SAME_CONTENT
    }

    /// Returns a finding if a file has the same bytes as the file of a random identifier.
    pub(super) fn check_file_identifier(&self) -> RuleResult<Option<Finding>> {
        if self.page.digest.fingerprint.is_none() {
            return Ok(None);
        }
        let url = self.page.url_parts();
        // Servers send most files for any query.
        if let Some(parameter) = varied_parameter(url) {
            return if is_identifier(&parameter) { self.check_file_parameter() } else { Ok(None) };
        }
        let stem = url.extension().map_or_else(|| url.name(), |(stem, _)| stem);
        let is_number = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || numbers(url.path).next().is_none() {
            return Ok(None);
        }
        let kind = ControlKind::RandomPathNumber;
        let other = self.control_response(kind)?;
        Ok(match other {
            ControlResponse::Page(other) if self.has_same_bytes(&other) => {
                Some(self.same_file(kind))
            }
            _ => None,
        })
    }

    /// Compares a file with that of another query value, if the parameter selects the
    /// file.
    fn check_file_parameter(&self) -> RuleResult<Option<Finding>> {
        let kind = ControlKind::RandomQueryValue;
        let ControlResponse::Page(other) = self.control_response(kind)? else { return Ok(None) };
        if !self.has_same_bytes(&other) {
            return Ok(None);
        }
        Ok(match self.control_response(ControlKind::WithoutParameter)? {
            ControlResponse::Page(bare) if self.has_same_bytes(&bare) => None,
            ControlResponse::Page(_) | ControlResponse::Rejected(_) => Some(self.same_file(kind)),
            ControlResponse::Refused | ControlResponse::Unknown => None,
        })
    }
}
