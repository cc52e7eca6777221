//! Links of a page to other values of its own query.
//!
//! A script that does not know a value often shows its start page or a list. The page is then
//! the same for a random value and without the parameter, as if the parameter had no effect.
//! But its links show which values the site uses. If a linked value gets another page, the
//! parameter selects pages, and the requested value is unknown.

use relink_model::{ControlKind, Probe};

use crate::control_safety::is_action;
use crate::control_url::{
    ControlUrl, VARIANT_PARAMETERS, is_identifier, second_parameter, varied_parameter,
};
use crate::page::PageView;
use crate::page_similarity::{HeadingMatch, compare_headings};
use crate::redirect_similarity::{has_other_value, is_other_page};
use crate::url_parts::{Parameter, UrlParts};
use crate::url_words::words;

/// Names of parameters that usually select a page although they do not identify a record.
const PAGE_PARAMETERS: [&str; 18] = [
    "page",
    "seite",
    "pagina",
    "section",
    "rubrik",
    "cat",
    "category",
    "kategorie",
    "categorie",
    "categoria",
    "content",
    "article",
    "topic",
    "product",
    "menu",
    "show",
    "file",
    "download",
];

/// Values that select what the page shows without the parameter. Sites rarely link to them.
const DEFAULT_VALUES: [&str; 12] = [
    "home", "start", "index", "main", "default", "all", "view", "show", "list", "overview",
    "welcome", "uvod",
];

/// Words of parameters that select a layout of the same page.
const LAYOUTS: [&str; 8] = ["theme", "skin", "style", "mode", "layout", "font", "filter", "format"];

/// Words of parameters that select a period. The current period is shown without a value, and
/// a calendar links only to the periods around it.
const PERIODS: [&str; 10] =
    ["date", "day", "month", "year", "week", "tag", "monat", "jahr", "datum", "time"];

/// Returns the URL with another value to which a page links, as a control.
pub fn linked_control(url: &str, probe: &Probe) -> Option<ControlUrl> {
    let page = PageView::new(url, probe);
    let parts = page.url_parts();
    let mut parameters = varied_parameter(parts).into_iter().chain(second_parameter(parts));
    let link = parameters.find_map(|parameter| other_value_link(&page, parameter))?;
    let key = format!("{} {link}", ControlKind::LinkedQueryValue.as_str());
    Some(ControlUrl { url: link, key })
}

/// Returns the first link of a page that differs from its URL only in the value of a
/// parameter. Returns `None` if the page also links to its own value, so that the value
/// is known, or if the parameter hardly selects pages.
pub(crate) fn other_value_link(page: &PageView<'_>, parameter: Parameter<'_>) -> Option<String> {
    if page.digest.query_links.is_empty() || page.is_redirected() || !may_select(page, parameter) {
        return None;
    }
    let links: Vec<String> = page.query_links().collect();
    if links.iter().any(|link| has_value(link, page, parameter)) {
        return None;
    }
    let is_other = |link: &String| {
        let Some(parts) = UrlParts::parse(link) else { return false };
        let mut values = parts.selecting_parameters().filter(|it| it.name == parameter.name);
        has_other_value(parameter, page.url, link)
            && values.any(|value| !is_default(value))
            && !is_action(&parts)
    };
    links.into_iter().find(is_other)
}

/// Whether a link to the path of a page has the same value of a parameter.
fn has_value(link: &str, page: &PageView<'_>, parameter: Parameter<'_>) -> bool {
    let Some(link) = UrlParts::parse(link) else { return false };
    link.path == page.url_parts().path
        && link.selecting_parameters().any(|other| {
            other.name == parameter.name && other.value.eq_ignore_ascii_case(parameter.value)
        })
}

/// Whether a parameter with this value may select a page other than the default one. Languages,
/// layouts and periods have defaults to which a page rarely links.
fn may_select(page: &PageView<'_>, parameter: Parameter<'_>) -> bool {
    let (name, value) = (parameter.name.to_ascii_lowercase(), parameter.value);
    let is_word_of = |names: &[&str]| words(&name).any(|word| names.contains(&word.as_str()));
    let may_name_page = value.parse::<u64>().is_ok()
        || is_identifier(&parameter)
        || page.url_parts().is_front_page_with_query()
        || names_page(&parameter);
    let selects_variant = is_word_of(&PERIODS)
        || is_word_of(&LAYOUTS)
        || (name != "page" && VARIANT_PARAMETERS.contains(&name.as_str()))
        || is_date(value)
        || is_language(value);
    may_name_page && !selects_variant && !is_default(parameter)
}

/// Whether a value is a date or a part of one: `2024-05`.
fn is_date(value: &str) -> bool {
    value.contains('-') && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// Whether a value may be the code of a language: `de`, `pt-br`, `eng`.
fn is_language(value: &str) -> bool {
    let code = value.split(['-', '_']).next().unwrap_or_default();
    matches!(code.len(), 2 | 3)
        && value.len() <= "zh-hant".len()
        && value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
}

/// Whether a page to which this page links with another value is another page. A text parameter
/// may sort or filter the same page, so the titles must differ.
pub(crate) fn is_other_linked_page(
    page: &PageView<'_>,
    linked: &PageView<'_>,
    parameter: Parameter<'_>,
) -> bool {
    let is_identified = is_identifier(&parameter) || parameter.value.parse::<u64>().is_ok();
    match compare_headings(page, linked) {
        HeadingMatch::Different => true,
        _ => is_identified && is_other_page(page, linked),
    }
}

/// Whether the name of a parameter is that of something that has a page.
pub(crate) fn names_page(parameter: &Parameter<'_>) -> bool {
    PAGE_PARAMETERS.contains(&parameter.name.to_ascii_lowercase().as_str())
}

/// Whether a value usually selects the page that is shown without the parameter.
fn is_default(parameter: Parameter<'_>) -> bool {
    let value = parameter.value.to_ascii_lowercase();
    value.parse::<u64>().map_or(DEFAULT_VALUES.contains(&value.as_str()), |number| number <= 1)
}
