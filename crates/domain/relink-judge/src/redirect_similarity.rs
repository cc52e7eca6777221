//! Which pages of a directory tell most about one that was redirected.

use relink_model::Probe;

use crate::control_url::FORMS;
use crate::page::PageView;
use crate::url_parts::{Parameter, UrlParts};

/// How much a neighbor tells about a page that was redirected, the most telling
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RedirectSimilarity {
    /// It was sent to the same place in the same way.
    SameChain,
    /// It was sent to the same place.
    SameTarget,
    /// It was sent somewhere else.
    Elsewhere,
    /// It was not sent away.
    NotRedirected,
}

/// The beginning that the URLs of a page's neighbors share: the directory it is
/// in, and for a directory the one it is in.
///
/// ```
/// use relink_judge::neighborhood;
/// let trees = Some("http://example.org/trees/");
/// assert_eq!(neighborhood("http://example.org/trees/oak?size=2"), trees);
/// assert_eq!(neighborhood("http://example.org/trees/oak/"), trees);
/// ```
pub fn neighborhood(url: &str) -> Option<&str> {
    let address = UrlParts::of(url)?;
    url.get(..address.origin.len() + address.parent().len())
}

/// What a neighbor is to a page, each with what was seen of it; `None` if it is
/// another form of the same page, or a part of it, and so no neighbor at all.
pub fn kinship(page: (&str, &Probe), other: (&str, &Probe)) -> Option<RedirectSimilarity> {
    if is_form_of(other.0, page.0) {
        return None;
    }
    let (page, other) = (PageView::of(page.0, page.1), PageView::of(other.0, other.1));
    Some(if !other.is_elsewhere() {
        RedirectSimilarity::NotRedirected
    } else if other.landing != page.landing {
        RedirectSimilarity::Elsewhere
    } else if other.way().eq(page.way()) {
        RedirectSimilarity::SameChain
    } else {
        RedirectSimilarity::SameTarget
    })
}

fn is_form_of(form: &str, page: &str) -> bool {
    let (Some(form), Some(page)) = (UrlParts::of(form), UrlParts::of(page)) else { return false };
    let (own, its) = (page.path.trim_end_matches('/'), form.path.trim_end_matches('/'));
    if own != its {
        return its.strip_prefix(own).is_some_and(|rest| rest.starts_with('/'));
    }
    let (chosen, other) = (choice(page), choice(form));
    chosen == other || chosen.is_empty() || other.is_empty()
}

/// The parameters that choose a page.
fn choice<'a>(address: UrlParts<'a>) -> Vec<(&'a str, &'a str)> {
    let chooses = |parameter: &Parameter<'a>| {
        let name = parameter.name.to_ascii_lowercase();
        !FORMS.contains(&name.as_str())
    };
    address.choosing().filter(chooses).map(|parameter| (parameter.name, parameter.value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Scene;

    #[track_caller]
    fn check(page: &str, other: &str, expect: Option<RedirectSimilarity>) {
        let (page, other) = (Scene::read(page, &[]), Scene::read(other, &[]));
        assert_eq!(kinship((&page.url, &page.probe), (&other.url, &other.probe)), expect);
    }

    #[test]
    fn the_way_tells_more_than_the_place() {
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
    fn another_spelling_on_the_way_is_no_other_way() {
        let page = "/a/oak -> /hub/ 200";
        check(page, "/a/elm -> /hub => /hub/ 200", Some(RedirectSimilarity::SameChain));
        check(page, "/a/elm => /a/elm/ -> /hub/ 200", Some(RedirectSimilarity::SameChain));
        check(page, "/a/elm => /a/elm/ 200", Some(RedirectSimilarity::NotRedirected));
    }

    #[test]
    fn another_form_of_the_page_is_no_neighbor() {
        let page = "/a/oak -> /hub 200";
        for form in ["/a/oak?lang=de", "/a/oak?print=1&page=2", "/a/oak/print", "/a/oak?id=5"] {
            check(page, &format!("{form} -> /hub 200"), None);
        }
        check("/a?id=5 -> /hub 200", "/a?id=6 -> /hub 200", Some(RedirectSimilarity::SameChain));
        check("/a?id=5 -> /hub 200", "/a?id=5&lang=de -> /hub 200", None);
        check(page, "/a/oaks -> /hub 200", Some(RedirectSimilarity::SameChain));
    }

    #[test]
    fn a_directory_is_a_page_of_the_one_above() {
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
