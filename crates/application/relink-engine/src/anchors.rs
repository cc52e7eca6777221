//! Places on web pages: which ones links want, and which ones pages offer.
//!
//! Only what can be told is told. A page that scripts build, that was not read
//! to its end or that leads on to another may have any place.

use relink_model::{PageFlag, Probe};
use relink_page::{DocumentFormat, Fragment, SlugStyle};
use relink_ports::{Body, anchor_hash};

/// What sites that show other people's text put before its ids, and their own
/// scripts take away again.
const GUEST_PREFIX: &str = "user-content-";

/// The fragment of a destination, escaped as in a URL, if it names a place that
/// a page must have: the top of a page is always there, and a text is looked
/// for by the browser.
pub(crate) fn wanted(text: &str) -> Option<String> {
    let fragment = Fragment::new(text.split_once('#')?.1);
    let name = fragment.decoded();
    let is_wanted = !fragment.is_top() && !is_route(&name) && !is_line(&name);
    is_wanted.then(|| fragment.as_str().to_owned())
}

/// What scripts and viewers write after `#`: whole paths (`/a/b`, `!a`) and
/// parameters (`page=3`, `t=10&autoplay`).
fn is_route(name: &str) -> bool {
    let is_key = |key: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte);
        !key.is_empty() && key.bytes().all(is_plain)
    };
    name.starts_with(['/', '!']) || name.split_once('=').is_some_and(|(key, _)| is_key(key))
}

/// A fragment as it is shown to people.
pub(crate) fn shown(fragment: &str) -> String {
    Fragment::new(fragment).decoded().into_owned()
}

/// Lines of a file, as sites that show sources know them: `L10`, `L10-L12`,
/// `L10C3`.
pub(crate) fn is_line(fragment: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_spot = |part: &str| {
        let part = part.strip_prefix('L').unwrap_or(part);
        let (line, column) = part.split_once('C').unwrap_or((part, "1"));
        is_number(line) && is_number(column)
    };
    fragment.starts_with('L') && fragment.split('-').all(is_spot)
}

/// The places a document offers, hashed and sorted; nothing where they cannot
/// be told.
pub(crate) fn offered(format: DocumentFormat, bytes: &[u8], is_cut: bool) -> Option<Vec<u32>> {
    let anchors = relink_page::anchors(format, bytes, SlugStyle::Any)?;
    if is_cut || anchors.is_open() {
        return None;
    }
    let bare = anchors.iter().filter_map(|name| name.strip_prefix(GUEST_PREFIX));
    let mut hashes: Vec<u32> = anchors.iter().chain(bare).map(anchor_hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    Some(hashes)
}

/// The places that a look at a page found there.
pub(crate) fn offered_by(probe: &Probe, body: &Body) -> Option<Vec<u32>> {
    let format = DocumentFormat::of_content_type(body.content_type.as_deref(), &body.bytes)?;
    let is_shell = probe.digest.as_ref().is_some_and(|digest| digest.has(PageFlag::AppShell));
    // A redirect may name a place of its own, and then the link's is dropped.
    let is_led = |location: &String| location.contains('#');
    let is_led = probe.hops.iter().filter_map(|hop| hop.location.as_ref()).any(is_led);
    if format != DocumentFormat::Html || is_shell || is_led {
        return None;
    }
    offered(format, &body.bytes, body.is_truncated)
}

/// Whether the fragment leads to one of the places offered.
pub(crate) fn offers(anchors: &[u32], fragment: &str) -> bool {
    let has = |id: &str| anchors.binary_search(&anchor_hash(id)).is_ok();
    Fragment::new(fragment).indicates(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, name: &str, expect: Option<bool>) {
        let anchors = offered(DocumentFormat::Html, page.as_bytes(), false);
        assert_eq!(anchors.map(|anchors| offers(&anchors, name)), expect);
    }

    #[test]
    fn only_places_that_a_page_must_have_are_wanted() {
        let of = |text| wanted(text);
        assert_eq!(of("a.html#two%20words").as_deref(), Some("two%20words"));
        assert_eq!(of("a.html#impl-Add<Output=T>").as_deref(), Some("impl-Add%3COutput=T%3E"));
        assert_eq!(of("a.html#part:~:text=x").as_deref(), Some("part"));
        let none = [
            "a.html",
            "#",
            "#top",
            "#TOP",
            "#:~:text=x",
            "#/a/b",
            "#!a",
            "#page=3",
            "#t=1&x",
            "#L10-L12",
        ];
        for text in none {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn a_page_offers_its_ids_and_names() {
        check("<h1 id=a>A</h1><a name='b c'>B</a>", "a", Some(true));
        check("<h1 id=a>A</h1><a name='b c'>B</a>", "b c", Some(true));
        check("<h1 id=a>A</h1>", "A", Some(false));
    }

    #[test]
    fn offers_compares_undecoded_then_decoded() {
        let rustdoc = "<h2 id=x></h2><section id='impl-From%3CT%3E'></section>";
        check(rustdoc, "impl-From%3CT%3E", Some(true));
        check(rustdoc, "impl-From<T>", Some(true));
        check("<h2 id=x></h2><h2 id='impl-From<T>'></h2>", "impl-From%3CT%3E", Some(true));
        check("<i id=1></i><i id=2></i><i id=3></i>", "1-3", Some(true));
        check("<i id=1></i><i id=2></i><i id=3></i>", "1-4", Some(false));
    }

    #[test]
    fn text_shown_for_others_offers_its_own_names() {
        check("<h1 id=user-content-usage>Usage</h1>", "usage", Some(true));
        check("<h1 id=user-content-usage>Usage</h1>", "user-content-usage", Some(true));
    }

    #[test]
    fn what_scripts_build_or_is_cut_short_cannot_be_told() {
        check("<div id=root></div><script src=app.js></script>", "a", None);
        assert_eq!(offered(DocumentFormat::Html, b"<h1 id=a>", true), None);
        assert_eq!(offered(DocumentFormat::Css, b"a{}", false), None);
    }

    #[test]
    fn lines_are_places_where_files_are_shown_by_line() {
        for fragment in ["L10", "L10-L12", "L10-12", "L1C2-L3C4"] {
            assert!(is_line(fragment), "{fragment}");
        }
        for fragment in ["L", "Links", "10", "L1-x", "L1-"] {
            assert!(!is_line(fragment), "{fragment}");
        }
    }
}
