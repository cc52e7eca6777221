//! Which pages of a directory tell most about one that was redirected.

use relink_model::Probe;

use crate::address::{Address, Parameter};
use crate::page::Page;
use crate::sibling::FORMS;

/// How much a neighbor tells about a page that was redirected, the most telling
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kinship {
    /// It was sent to the same place in the same way.
    SameWay,
    /// It was sent to the same place.
    SamePlace,
    /// It was sent somewhere else.
    Elsewhere,
    /// It was not sent away.
    AtHome,
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
    let address = Address::of(url)?;
    url.get(..address.origin.len() + address.parent().len())
}

/// What a neighbor is to a page, each with what was seen of it; `None` if it is
/// another form of the same page, or a part of it, and so no neighbor at all.
pub fn kinship(page: (&str, &Probe), other: (&str, &Probe)) -> Option<Kinship> {
    if is_form_of(other.0, page.0) {
        return None;
    }
    let (page, other) = (Page::of(page.0, page.1), Page::of(other.0, other.1));
    Some(if !other.is_elsewhere() {
        Kinship::AtHome
    } else if other.landing != page.landing {
        Kinship::Elsewhere
    } else if other.way().eq(page.way()) {
        Kinship::SameWay
    } else {
        Kinship::SamePlace
    })
}

fn is_form_of(form: &str, page: &str) -> bool {
    let (Some(form), Some(page)) = (Address::of(form), Address::of(page)) else { return false };
    let (own, its) = (page.path.trim_end_matches('/'), form.path.trim_end_matches('/'));
    if own != its {
        return its.strip_prefix(own).is_some_and(|rest| rest.starts_with('/'));
    }
    let (chosen, other) = (choice(page), choice(form));
    chosen == other || chosen.is_empty() || other.is_empty()
}

/// The parameters that choose a page.
fn choice<'a>(address: Address<'a>) -> Vec<(&'a str, &'a str)> {
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
    fn check(page: &str, other: &str, expect: Option<Kinship>) {
        let (page, other) = (Scene::read(page, &[]), Scene::read(other, &[]));
        assert_eq!(kinship((&page.url, &page.probe), (&other.url, &other.probe)), expect);
    }

    #[test]
    fn the_way_tells_more_than_the_place() {
        let page = "/a/oak -> /hub 200";
        check(page, "/a/elm -> /hub 200", Some(Kinship::SameWay));
        check(page, "/a/elm => /hub 200", Some(Kinship::SamePlace));
        check(page, "/a/elm -> /elm 200", Some(Kinship::Elsewhere));
        check(page, "/a/elm 200", Some(Kinship::AtHome));
        assert!(Kinship::SameWay < Kinship::SamePlace && Kinship::Elsewhere < Kinship::AtHome);
    }

    #[test]
    fn another_spelling_on_the_way_is_no_other_way() {
        let page = "/a/oak -> /hub/ 200";
        check(page, "/a/elm -> /hub => /hub/ 200", Some(Kinship::SameWay));
        check(page, "/a/elm => /a/elm/ -> /hub/ 200", Some(Kinship::SameWay));
        check(page, "/a/elm => /a/elm/ 200", Some(Kinship::AtHome));
    }

    #[test]
    fn another_form_of_the_page_is_no_neighbor() {
        let page = "/a/oak -> /hub 200";
        for form in ["/a/oak?lang=de", "/a/oak?print=1&page=2", "/a/oak/print", "/a/oak?id=5"] {
            check(page, &format!("{form} -> /hub 200"), None);
        }
        check("/a?id=5 -> /hub 200", "/a?id=6 -> /hub 200", Some(Kinship::SameWay));
        check("/a?id=5 -> /hub 200", "/a?id=5&lang=de -> /hub 200", None);
        check(page, "/a/oaks -> /hub 200", Some(Kinship::SameWay));
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
