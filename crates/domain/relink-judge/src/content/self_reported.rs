//! Pages whose text says that the page was not found.
//!
//! Phrases are weak evidence. They are combined with other properties that are
//! common for error pages and rare for articles about errors.

use relink_model::{Control, ControlKind, DeadReason, PageFlag};

use super::{ContentAssessor, ControlAccess, ControlResponse, Finding, RuleResult};
use crate::page::{PageView, is_success};
use crate::page_similarity::{HeadingMatch, compare_headings};
use crate::phrases::{
    PhraseClass, count_phrases, find_phrase_in, main_phrase_in, without_quotations,
};
use crate::url_words::words;
use crate::{codes, confidence};

/// Minimum score of an error page.
const MIN_ERROR_SCORE: i32 = 4;
/// Maximum length in characters of an almost empty page.
const ALMOST_EMPTY: u64 = 160;

impl ContentAssessor<'_> {
    /// Returns a finding if the page is an error page by its text and other properties.
    ///
    /// A phrase counts in the title, in a heading, or in a sentence of a short text that
    /// addresses the requested thing. Elsewhere in the text it counts only if the
    /// response to random names contains it, too. If the control was refused or not
    /// fetched, phrases do not suffice.
    pub(super) fn check_not_found_text(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        if !page.may_contain(PhraseClass::NotFound) {
            return Ok(None);
        }
        let in_title = main_phrase_in(page.title(), PhraseClass::NotFound);
        let headings = page.digest.headings.iter();
        let in_heading =
            headings.clone().find_map(|heading| main_phrase_in(heading, PhraseClass::NotFound));
        let text = page.short_main_text();
        let in_text = text.and_then(|text| find_phrase_in(text, PhraseClass::NotFound));
        let in_message = || failed_request(page).or_else(|| framed_message(page));
        let in_heading = in_heading.or_else(in_message);
        let Some(phrase) = in_title.or(in_heading).or(in_text) else { return Ok(None) };
        let is_script_message = self.is_script_message();
        if !is_script_message && !self.supports_phrase(in_title.or(in_heading), phrase)? {
            return Ok(None);
        }
        let phrase_score = i32::from(in_text.is_some())
            + match (in_title, in_heading) {
                (Some(_), Some(_)) => 3,
                (None, None) if is_script_message => 2,
                (None, None) => 0,
                _ => 2,
            };
        let score = phrase_score
            + self.repetition_score()
            + self.property_score()?
            + 2 * i32::from(is_only_failed_request(page));
        if score < MIN_ERROR_SCORE || self.has_own_text()? || self.has_own_heading() {
            return Ok(None);
        }
        let reason = format!("status {}, but the page contains “{phrase}”", self.status());
        let dead =
            Finding::dead(DeadReason::Soft404, codes::SOFT_404, reason, confidence::SELF_REPORTED);
        let sign = format!("{} characters of text", page.digest.text_length);
        Ok(Some(dead.with_page_sign(sign)))
    }

    /// Whether a script responds to a query with an error message as text or data, such as
    /// a map server that does not have a layer.
    fn is_script_message(&self) -> bool {
        let page = &self.page;
        let has_query = page.url_parts().selecting_parameters().next().is_some();
        has_query && !page.is_html() && page.is_only_a_message()
    }

    /// Whether a phrase may count: by its position, or because the response to random
    /// names contains it, or because the page changed since an earlier run.
    fn supports_phrase(&self, main: Option<&str>, phrase: &str) -> RuleResult<bool> {
        if self.title_and_text_changed() {
            return Ok(true);
        }
        Ok(match self.control_response(ControlKind::RandomName)? {
            ControlResponse::Rejected(_) => main.is_some(),
            ControlResponse::Page(random_page) => {
                let is_shared = random_page.find_phrase(PhraseClass::NotFound) == Some(phrase)
                    && !self.may_contain_message_by_chance(&random_page);
                main.is_some()
                    || (is_shared && !self.is_message_of_template()?)
                    || (self.page.is_only_a_message() && is_almost_empty(&random_page))
            }
            ControlResponse::Blocked => false,
            ControlResponse::Unknown => {
                main.is_some() && self.control_access == ControlAccess::Impossible
            }
        })
    }

    /// Returns the score for several different error phrases.
    fn repetition_score(&self) -> i32 {
        let page = &self.page;
        let mut all: String = page.title_and_headings().collect::<Vec<_>>().join(" | ");
        if let Some(text) = page.short_main_text() {
            all.push_str(" | ");
            all.push_str(text);
        }
        match count_phrases(&all, PhraseClass::NotFound) {
            0 | 1 => 0,
            2 => 1,
            _ => 2,
        }
    }

    /// Returns the score of the other properties; negative for a normal page.
    fn property_score(&self) -> RuleResult<i32> {
        let page = &self.page;
        let is_own_canonical = page.canonical().is_some_and(|url| url == page.final_url);
        let (has_random_page_headings, repeats_random_url) = match self
            .control_response(ControlKind::RandomName)?
        {
            ControlResponse::Page(random_page) => {
                let headings = compare_headings(page, &random_page);
                let repeats_url = random_page.has_url_words_in_title();
                (headings != HeadingMatch::Different, repeats_url || headings == HeadingMatch::Same)
            }
            _ => (false, false),
        };
        // If random names get the same title, or also a title with the words of their URL,
        // a match is not evidence.
        let match_score = match (page.has_all_url_words_in_title(), page.has_url_words_in_title()) {
            _ if page.url_mentions_errors() => 4,
            _ if repeats_random_url => 0,
            (true, _) => 4,
            (_, true) => 2,
            _ => 0,
        };
        Ok(i32::from(page.short_main_text().is_some())
            + i32::from(is_almost_empty(page))
            + i32::from(page.has(PageFlag::NoIndex))
            + 2 * i32::from(self.title_and_text_changed())
            + 2 * i32::from(self.status() == 300)
            + 2 * i32::from(has_random_page_headings)
            - match_score
            - i32::from(is_own_canonical))
    }

    /// Whether the server has another response for missing pages, and the text below the
    /// headings is prose that does not mention an error. Then the headings are the title of an
    /// article or a picture.
    fn has_own_text(&self) -> RuleResult<bool> {
        let has_other_error_page = match self.control_response(ControlKind::RandomName)? {
            ControlResponse::Rejected(_) => true,
            ControlResponse::Page(random_page) => {
                random_page.main_phrase(PhraseClass::NotFound).is_some()
                    && compare_headings(&self.page, &random_page) == HeadingMatch::Different
            }
            _ => false,
        };
        Ok(has_other_error_page && !self.title_and_text_changed() && has_prose(&self.page))
    }

    /// Whether a random name or value got an error page by its title or headings, and this page
    /// has other ones without an error phrase. Its text then only mentions errors, unless it
    /// says nothing else.
    fn has_own_heading(&self) -> bool {
        let page = &self.page;
        let is_unlike = |control: &Control| {
            let Some(probe) = control.probe.as_deref().filter(|probe| is_success(probe)) else {
                return false;
            };
            let random_page = PageView::new(&control.url, probe);
            control.kind.is_nonexistent()
                && random_page.main_phrase(PhraseClass::NotFound).is_some()
                && compare_headings(page, &random_page) != HeadingMatch::Same
        };
        page.main_phrase(PhraseClass::NotFound).is_none()
            && !page.digest.headings.is_empty()
            && !is_only_failed_request(page)
            && self.input.controls.iter().any(is_unlike)
    }

    pub(super) fn status(&self) -> u16 {
        self.input.probe.outcome.status().unwrap_or(200)
    }
}

/// Minimum length in characters of a sentence that counts as prose.
const MIN_PROSE: usize = 60;

/// Words of sentences that help the reader of an error page.
const GUIDANCE: [&str; 40] = [
    "home",
    "homepage",
    "search",
    "address",
    "url",
    "link",
    "links",
    "back",
    "contact",
    "check",
    "browse",
    "sorry",
    "moved",
    "removed",
    "deleted",
    "try",
    "visit",
    "return",
    "menu",
    "site",
    "startseite",
    "suche",
    "adresse",
    "seite",
    "accueil",
    "recherche",
    "lien",
    "page",
    "inicio",
    "buscar",
    "enlace",
    "página",
    "pagina",
    "cerca",
    "indirizzo",
    "início",
    "zoek",
    "strona",
    "страницу",
    "similar",
];

/// Whether a page with a short main text has a sentence that neither reports an error nor helps
/// the reader of an error page.
fn has_prose(page: &PageView<'_>) -> bool {
    let Some(body) = page.short_body_text() else { return false };
    let body = without_quotations(&body);
    let has_error = find_phrase_in(&body, PhraseClass::NotFound).is_some()
        || find_phrase_in(&body, PhraseClass::Requested).is_some();
    let is_prose =
        |sentence: &str| sentence.trim().chars().count() >= MIN_PROSE && !is_guidance(sentence);
    !has_error && sentences(&body).any(is_prose)
}

/// Words of sentences about a temporary state, such as a product that is out of stock.
const TEMPORARY: [&str; 14] = [
    "currently",
    "moment",
    "temporarily",
    "today",
    "soon",
    "stock",
    "derzeit",
    "momentan",
    "zurzeit",
    "actuellement",
    "actualmente",
    "momento",
    "attualmente",
    "momenteel",
];

/// Minimum number of words of a sentence that is not a label, such as a price.
const MIN_SENTENCE_WORDS: usize = 4;

/// Returns the phrase with which a page says that the requested thing does not exist. The
/// message must come first, and the state must not be temporary: below the description of a
/// product, it concerns the product and not the page.
fn failed_request(page: &PageView<'_>) -> Option<&'static str> {
    let phrase = page.failed_request_phrase()?;
    let body = page.short_body_text()?;
    let mut long = sentences(&body).filter(|it| words(it).count() >= MIN_SENTENCE_WORDS);
    let is_first = long.next().is_none_or(is_message_or_guidance);
    (is_first && !is_temporary(&body)).then_some(phrase)
}

/// Whether the main text says that the requested thing does not exist, and nothing else. Its
/// title may still be that of the thing.
fn is_only_failed_request(page: &PageView<'_>) -> bool {
    let Some(body) = page.short_body_text() else { return false };
    failed_request(page).is_some() && sentences(&body).all(is_message_or_guidance)
}

/// Whether a sentence reports an error, helps the reader of an error page, or is blank.
fn is_message_or_guidance(sentence: &str) -> bool {
    !sentence.chars().any(char::is_alphanumeric)
        || find_phrase_in(sentence, PhraseClass::NotFound).is_some()
        || is_guidance(sentence)
}

fn is_temporary(text: &str) -> bool {
    words(text).any(|word| TEMPORARY.contains(&word.as_str()))
}

/// Returns the phrase of a web page that shows nothing but a short error message in the frame of
/// its site.
fn framed_message(page: &PageView<'_>) -> Option<&'static str> {
    let is_framed = page.is_html() && page.digest.main_text.is_some();
    let body = page.short_body_text().filter(|_| is_framed)?;
    main_phrase_in(&body, PhraseClass::NotFound)
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', '\n'])
}

/// Whether a sentence helps the reader of an error page.
fn is_guidance(sentence: &str) -> bool {
    words(sentence).any(|word| GUIDANCE.contains(&word.as_str()))
}

fn is_almost_empty(page: &PageView<'_>) -> bool {
    page.digest.text_length <= ALMOST_EMPTY
}
