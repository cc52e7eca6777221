//! Fragments of links to web pages, and the anchors of web pages.
//!
//! A *fragment* is the `#` part of a URL; an *anchor* is an id or name in a page. The
//! anchors of some pages are unknown: pages built by scripts, pages that were not read
//! completely, and pages behind a redirect whose location has a fragment.

use relink_model::{PageFlag, Probe};
use relink_page::{DocumentFormat, Fragment, SlugStyle};
use relink_ports::{Body, anchor_hash};

/// Prefix that sites add to the ids of user-supplied text. Scripts of the site
/// remove it.
const USER_CONTENT_PREFIX: &str = "user-content-";

/// Returns the fragment of a link destination, percent-encoded, if the page
/// must have an anchor for it. `#top` and text fragments need no anchor.
pub fn required_fragment(text: &str) -> Option<String> {
    let fragment = Fragment::new(text.split_once('#')?.1);
    let name = fragment.decoded();
    let is_required = !fragment.is_top() && !is_route(&name) && !is_line_fragment(&name);
    is_required.then(|| fragment.as_str().to_owned())
}

/// Whether a fragment is read by a script or a document viewer: a path (`/a/b`, `!a`) or
/// parameters (`page=3`, `t=10&autoplay`).
fn is_route(name: &str) -> bool {
    let is_parameter_name = |text: &str| {
        let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte);
        !text.is_empty() && text.bytes().all(is_name_byte)
    };
    name.starts_with(['/', '!'])
        || name.split_once('=').is_some_and(|(before, _)| is_parameter_name(before))
}

/// Returns the decoded fragment for messages.
pub fn decoded(fragment: &str) -> String {
    Fragment::new(fragment).decoded().into_owned()
}

/// Whether a fragment refers to lines of a source file: `L10`, `L10-L12`,
/// `L10C3`.
pub fn is_line_fragment(fragment: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_position = |part: &str| {
        let part = part.strip_prefix('L').unwrap_or(part);
        let default_column = "1";
        let (line, column) = part.split_once('C').unwrap_or((part, default_column));
        is_number(line) && is_number(column)
    };
    fragment.starts_with('L') && fragment.split('-').all(is_position)
}

/// Returns the hashes of the anchors of a document, sorted; `None` if they are
/// unknown.
pub fn anchor_hashes(format: DocumentFormat, bytes: &[u8], is_truncated: bool) -> Option<Vec<u32>> {
    let anchors = relink_page::anchors(format, bytes, SlugStyle::Any)?;
    if is_truncated || anchors.may_have_more() {
        return None;
    }
    let without_prefix = anchors.iter().filter_map(|name| name.strip_prefix(USER_CONTENT_PREFIX));
    let mut hashes: Vec<u32> = anchors.iter().chain(without_prefix).map(anchor_hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    Some(hashes)
}

/// Returns the hashes of the anchors of a fetched page; `None` if they are
/// unknown.
pub fn page_anchor_hashes(probe: &Probe, body: &Body) -> Option<Vec<u32>> {
    let format = DocumentFormat::from_content_type(body.content_type.as_deref(), &body.bytes)?;
    let is_built_by_script =
        probe.digest.as_ref().is_some_and(|digest| digest.has_flag(PageFlag::AppShell));
    // The fragment of a redirect replaces the fragment of the link.
    let redirect_has_fragment = probe
        .hops
        .iter()
        .filter_map(|hop| hop.location.as_ref())
        .any(|location| location.contains('#'));
    if format != DocumentFormat::Html || is_built_by_script || redirect_has_fragment {
        return None;
    }
    anchor_hashes(format, &body.bytes, body.is_truncated)
}

/// Whether the fragment matches one of the anchors, given by their sorted hashes.
pub fn has_anchor(anchors: &[u32], fragment: &str) -> bool {
    let is_anchor = |id: &str| anchors.binary_search(&anchor_hash(id)).is_ok();
    Fragment::new(fragment).indicates(is_anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks whether an HTML page has an anchor for a fragment; `None` if the anchors of
    /// the page are unknown.
    #[track_caller]
    fn check(page: &str, fragment: &str, expected: Option<bool>) {
        let anchors = anchor_hashes(DocumentFormat::Html, page.as_bytes(), false);
        assert_eq!(anchors.map(|anchors| has_anchor(&anchors, fragment)), expected);
    }

    #[test]
    fn required_fragment_is_percent_encoded_and_without_text_directive() {
        for (text, expected) in [
            ("a.html#two%20words", "two%20words"),
            ("a.html#impl-Add<Output=T>", "impl-Add%3COutput=T%3E"),
            ("a.html#part:~:text=x", "part"),
        ] {
            assert_eq!(required_fragment(text).as_deref(), Some(expected));
        }
    }

    #[test]
    fn required_fragment_ignores_top_text_line_and_route_fragments() {
        for text in [
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
        ] {
            assert_eq!(required_fragment(text), None, "{text}");
        }
    }

    #[test]
    fn anchors_are_ids_and_names() {
        check("<h1 id=a>A</h1><a name='b c'>B</a>", "a", Some(true));
        check("<h1 id=a>A</h1><a name='b c'>B</a>", "b c", Some(true));
        check("<h1 id=a>A</h1>", "A", Some(false));
    }

    #[test]
    fn has_anchor_compares_undecoded_then_decoded() {
        let rustdoc = "<h2 id=x></h2><section id='impl-From%3CT%3E'></section>";
        check(rustdoc, "impl-From%3CT%3E", Some(true));
        check(rustdoc, "impl-From<T>", Some(true));
        check("<h2 id=x></h2><h2 id='impl-From<T>'></h2>", "impl-From%3CT%3E", Some(true));
    }

    #[test]
    fn has_anchor_accepts_a_range_if_both_ends_are_anchors() {
        check("<i id=1></i><i id=2></i><i id=3></i>", "1-3", Some(true));
        check("<i id=1></i><i id=2></i><i id=3></i>", "1-4", Some(false));
    }

    #[test]
    fn anchors_of_user_content_match_with_and_without_the_prefix() {
        check("<h1 id=user-content-usage>Usage</h1>", "usage", Some(true));
        check("<h1 id=user-content-usage>Usage</h1>", "user-content-usage", Some(true));
    }

    #[test]
    fn anchors_of_script_pages_truncated_pages_and_other_formats_are_unknown() {
        check("<div id=root></div><script src=app.js></script>", "a", None);
        let is_truncated = true;
        assert_eq!(anchor_hashes(DocumentFormat::Html, b"<h1 id=a>", is_truncated), None);
        assert_eq!(anchor_hashes(DocumentFormat::Css, b"a{}", !is_truncated), None);
    }

    #[test]
    fn is_line_fragment_accepts_lines_and_ranges() {
        for fragment in ["L10", "L10-L12", "L10-12", "L1C2-L3C4"] {
            assert!(is_line_fragment(fragment), "{fragment}");
        }
        for fragment in ["L", "Links", "10", "L1-x", "L1-"] {
            assert!(!is_line_fragment(fragment), "{fragment}");
        }
    }
}
