//! Compares the redirects and query values of a page and its neighbors.
//!
//! A neighbor is another page of the same directory. If neighbors are redirected like
//! the page, the redirect probably does not lead to the moved page. The caller fetches
//! only the most relevant neighbors; this module ranks them.

use relink_model::Probe;

use crate::control_url::{VARIANT_PARAMETERS, second_parameter, selects_variant, varied_parameter};
use crate::page::{PageView, is_success};
use crate::page_similarity::{HeadingMatch, SAME_TEXT, compare, text_resemblance};
use crate::url_parts::{Parameter, UrlParts};

/// Below this resemblance, two texts are those of different pages.
const OTHER_TEXT: f64 = 0.5;

/// How the redirect of a neighbor compares with that of a page, in order of
/// relevance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RedirectSimilarity {
    /// The same target with the same redirect statuses.
    SameChain,
    /// The same target.
    SameTarget,
    /// Another target.
    Elsewhere,
    /// No redirect.
    NotRedirected,
}

/// Returns the common URL prefix of a page's neighbors: its directory, or the parent
/// directory of a directory.
///
/// ```
/// use relink_judge::neighborhood;
/// let trees = Some("http://example.org/trees/");
/// assert_eq!(neighborhood("http://example.org/trees/oak?size=2"), trees);
/// assert_eq!(neighborhood("http://example.org/trees/oak/"), trees);
/// ```
pub fn neighborhood(url: &str) -> Option<&str> {
    let parts = UrlParts::parse(url)?;
    url.get(..parts.origin.len() + parts.parent().len())
}

/// Compares the redirects of a page and a neighbor, each given by its URL and probe.
/// Returns `None` if the neighbor is a variant or a part of the same page.
pub fn redirect_similarity(
    page: (&str, &Probe),
    other: (&str, &Probe),
) -> Option<RedirectSimilarity> {
    if is_variant_of(other.0, page.0) {
        return None;
    }
    let (page, other) = (PageView::new(page.0, page.1), PageView::new(other.0, other.1));
    Some(if !other.is_redirected() {
        RedirectSimilarity::NotRedirected
    } else if other.final_url != page.final_url {
        RedirectSimilarity::Elsewhere
    } else if other.redirect_statuses().eq(page.redirect_statuses()) {
        RedirectSimilarity::SameChain
    } else {
        RedirectSimilarity::SameTarget
    })
}

/// Whether a neighbor proves that a query parameter selects pages: its URL differs only
/// in the value of the parameter, and it is another page.
pub fn has_other_value_and_content(page: (&str, &Probe), other: (&str, &Probe)) -> bool {
    let Some(url) = UrlParts::parse(page.0) else { return false };
    let mut parameters = varied_parameter(url).into_iter().chain(second_parameter(url));
    let has_value = parameters.any(|parameter| has_other_value(parameter, page.0, other.0));
    has_value && is_success(other.1) && {
        let (page, other) = (PageView::new(page.0, page.1), PageView::new(other.0, other.1));
        is_other_page(&page, &other) || text_resemblance(&page, &other) < SAME_TEXT
    }
}

/// Whether two URLs differ only in the value of a parameter of the first.
pub(crate) fn has_other_value(varied: Parameter<'_>, page: &str, other: &str) -> bool {
    let (Some(page), Some(other)) = (UrlParts::parse(page), UrlParts::parse(other)) else {
        return false;
    };
    let is_unvaried = |(name, _): &(&str, &str)| *name != varied.name;
    let value = selecting_values(other).into_iter().find(|(name, _)| *name == varied.name);
    page.origin == other.origin
        && page.path == other.path
        && value.is_some_and(|(_, value)| value != varied.value)
        && selecting_values(page)
            .into_iter()
            .filter(is_unvaried)
            .eq(selecting_values(other).into_iter().filter(is_unvaried))
}

/// Whether two pages have different titles or headings, or, without titles, different
/// texts.
pub(crate) fn is_other_page(page: &PageView<'_>, other: &PageView<'_>) -> bool {
    let similarity = compare(page, other);
    match similarity.headings {
        HeadingMatch::Different => true,
        HeadingMatch::TitleOnly => similarity.text < SAME_TEXT,
        HeadingMatch::Empty => similarity.text < OTHER_TEXT,
        HeadingMatch::Same => false,
    }
}

/// Whether a URL is a variant or a part of a page: the page with other parameters, or a
/// URL below it.
fn is_variant_of(variant: &str, page: &str) -> bool {
    let (Some(variant), Some(page)) = (UrlParts::parse(variant), UrlParts::parse(page)) else {
        return false;
    };
    let page_path = page.path.trim_end_matches('/');
    let variant_path = variant.path.trim_end_matches('/');
    if page_path != variant_path {
        return variant_path.strip_prefix(page_path).is_some_and(|rest| rest.starts_with('/'));
    }
    // Only another value of the same parameter is another page.
    let own = selecting_values(page);
    let has_other_value = |(name, value): (&str, &str)| {
        own.iter().any(|(own_name, own_value)| *own_name == name && *own_value != value)
    };
    !selecting_values(variant).into_iter().any(has_other_value)
}

/// Returns the names and values of the parameters that select a page.
fn selecting_values<'a>(parts: UrlParts<'a>) -> Vec<(&'a str, &'a str)> {
    let selects = |parameter: &Parameter<'a>| {
        let name = parameter.name.to_ascii_lowercase();
        let names_page = name == "page" && !selects_variant(parameter);
        names_page || !VARIANT_PARAMETERS.contains(&name.as_str())
    };
    let parameters = parts.selecting_parameters().filter(selects);
    parameters.map(|parameter| (parameter.name, parameter.value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Scene;

    #[track_caller]
    fn check(page: &str, other: &str, expect: Option<RedirectSimilarity>) {
        let (page, other) = (Scene::parse(page, &[]), Scene::parse(other, &[]));
        assert_eq!(
            redirect_similarity((&page.url, &page.probe), (&other.url, &other.probe)),
            expect
        );
    }

    #[test]
    fn same_chain_ranks_before_same_target() {
        let page = "/a/oak -> /hub 200";
        check(page, "/a/elm -> /hub 200", Some(RedirectSimilarity::SameChain));
        check(page, "/a/elm => /hub 200", Some(RedirectSimilarity::SameTarget));
        check(page, "/a/elm -> /elm 200", Some(RedirectSimilarity::Elsewhere));
        check(page, "/a/elm 200", Some(RedirectSimilarity::NotRedirected));
        assert!(
            RedirectSimilarity::SameChain < RedirectSimilarity::SameTarget
                && RedirectSimilarity::Elsewhere < RedirectSimilarity::NotRedirected
        );
    }

    #[test]
    fn redirects_between_spellings_are_ignored() {
        let page = "/a/oak -> /hub/ 200";
        check(page, "/a/elm -> /hub => /hub/ 200", Some(RedirectSimilarity::SameChain));
        check(page, "/a/elm => /a/elm/ -> /hub/ 200", Some(RedirectSimilarity::SameChain));
        check(page, "/a/elm => /a/elm/ 200", Some(RedirectSimilarity::NotRedirected));
    }

    #[test]
    fn variant_of_page_is_not_a_neighbor() {
        let page = "/a/oak -> /hub 200";
        for variant in ["/a/oak?lang=de", "/a/oak?print=1&page=2", "/a/oak/print", "/a/oak?id=5"] {
            check(page, &format!("{variant} -> /hub 200"), None);
        }
        check("/a?id=5 -> /hub 200", "/a?id=6 -> /hub 200", Some(RedirectSimilarity::SameChain));
        check("/a?id=5 -> /hub 200", "/a?id=5&lang=de -> /hub 200", None);
        check("/?x=1 -> /hub 200", "/?debug=1 -> /hub 200", None);
        check(page, "/a/oaks -> /hub 200", Some(RedirectSimilarity::SameChain));
    }

    #[test]
    fn other_value_proves_that_a_parameter_selects_pages() {
        let check = |page: &str, other: &str, expect: bool| {
            let (page, other) = (Scene::parse(page, &[]), Scene::parse(other, &[]));
            let (page, other) = ((&*page.url, &page.probe), (&*other.url, &other.probe));
            assert_eq!(has_other_value_and_content(page, other), expect, "{} {}", page.0, other.0);
        };
        let page = "/t?t=99 200 \"Information\" {Sorry}";
        check(page, "/t?t=7 200 \"Old oak\" #1", true);
        check(page, "/t?t=7 200 \"Information\" {Sorry}", false);
        check(page, "/t?t=7 404 \"Old oak\" #1", false);
        check(page, "/t?t=7&view=print 200 \"Old oak\" #1", true);
        check(page, "/t?t=7&forum=2 200 \"Old oak\" #1", false);
        check(page, "/u?t=7 200 \"Old oak\" #1", false);
        check("/t?x=1 200 \"Oak\" #1", "/t?debug=1 200 \"Elm\" #2", false);
    }

    #[test]
    fn neighborhood_of_directory_is_its_parent() {
        for (url, expect) in [
            ("http://a.test/b/c", "http://a.test/b/"),
            ("http://a.test/b/c/", "http://a.test/b/"),
            ("http://a.test/b/c?d=/e/", "http://a.test/b/"),
            ("http://a.test/b", "http://a.test/"),
            ("http://a.test/", "http://a.test/"),
        ] {
            assert_eq!(neighborhood(url), Some(expect), "{url}");
        }
    }
}
