//! Pages for which no control exists: searches, empty lists, and front pages with a
//! query.
//!
//! A search returns a page for any text, and the page looks the same for all texts
//! without results. A front page accepts any query. A comparison would prove nothing, so
//! such pages are `alive` with low confidence.

use relink_model::PageFlag;

use super::{ContentAssessor, Finding, RuleResult};
use crate::confidence;
use crate::control_url::{likely_selects_page, varied_parameter};
use crate::linked_value::other_value_link;
use crate::phrases::{PhraseClass, find_phrase_in};
use crate::url_parts::{UrlParts, parameters};
use crate::url_words::words;

/// Names of query parameters that contain a search text.
const SEARCH_PARAMETERS: [&str; 22] = [
    "q",
    "s",
    "query",
    "search",
    "searchtext",
    "searchterm",
    "searchword",
    "searchphrase",
    "searchstring",
    "search_term",
    "keyword",
    "keywords",
    "kw",
    "term",
    "terms",
    "find",
    "wd",
    "words",
    "filter",
    "tag",
    "tags",
    "suche",
];

/// Words in the paths of searches.
const SEARCH_NAMES: [&str; 9] =
    ["search", "find", "suche", "recherche", "buscar", "busqueda", "ricerca", "pesquisa", "zoeken"];

impl ContentAssessor<'_> {
    /// Returns `alive` with low confidence for a page that cannot be compared.
    #[expect(clippy::unnecessary_wraps, reason = "has the signature of a rule")]
    pub(super) fn check_comparable(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        if page.is_redirected() {
            return Ok(None);
        }
        let url = page.url_parts();
        let what = if is_search(&url) || self.has_filled_search_field() {
            "a search"
        } else if self.is_empty_list() {
            "an empty list"
        } else if url.is_front_page_with_query() && !self.may_be_selected_by_query() {
            "a front page with a query"
        } else {
            return Ok(None);
        };
        Ok(Some(self.not_comparable(what)))
    }

    /// Returns `alive` with low confidence.
    pub(super) fn not_comparable(&self, what: &str) -> Finding {
        self.alive(confidence::NOT_COMPARABLE, Some(format!("not comparable: {what}")))
    }

    /// Whether the page shows a requested text in a search field.
    fn has_filled_search_field(&self) -> bool {
        let has_query = self.page.url_parts().query.is_some();
        has_query && self.page.has(PageFlag::FilledSearchField)
    }

    /// Whether the page lists nothing, and does not call itself an error page.
    pub(super) fn is_empty_list(&self) -> bool {
        let page = &self.page;
        let is_data = !page.is_html() && page.digest.content_type.is_some();
        let is_empty_data = is_data
            && page.digest.text_length > 0
            && !page.digest.text_start.chars().any(char::is_alphanumeric);
        let has_phrase = page.main_phrase(PhraseClass::EmptyList).is_some()
            || page
                .short_main_text()
                .is_some_and(|text| find_phrase_in(text, PhraseClass::EmptyList).is_some());
        is_empty_data || (has_phrase && page.main_phrase(PhraseClass::NotFound).is_none())
    }

    /// Whether the query of a front page may select another page, as in
    /// `/?page_id=7`.
    fn may_be_selected_by_query(&self) -> bool {
        let url = self.page.url_parts();
        varied_parameter(url).is_some_and(|parameter| {
            likely_selects_page(url, &parameter)
                || other_value_link(&self.page, parameter).is_some()
        }) || self.page.find_phrase(PhraseClass::NotFound).is_some()
    }
}

/// Whether a URL is that of a search.
fn is_search(url: &UrlParts<'_>) -> bool {
    let Some(query) = url.query else { return false };
    let has_text = parameters(query).any(|parameter| {
        let name = parameter.name.to_ascii_lowercase();
        !parameter.value.is_empty() && SEARCH_PARAMETERS.contains(&name.as_str())
    });
    has_text || words(url.name()).any(|word| SEARCH_NAMES.contains(&word.as_str()))
}
