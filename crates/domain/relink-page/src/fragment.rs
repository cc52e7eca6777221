//! URL fragments, and how browsers find the element for a fragment.
//!
//! Follows "find a potential indicated element" of the HTML standard: the ids are
//! compared with the fragment as it is, and then with the percent-decoded fragment.
//! Ids may contain percent signs (`id="impl-From%3CT%3E"`), so both comparisons are
//! needed.

use std::borrow::Cow;
use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// ASCII characters that the URL standard percent-encodes in a fragment.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');

/// Start of a fragment directive, such as text to search for.
const DIRECTIVE: &str = ":~:";

/// The fragment of a URL: the text after `#`, percent-encoded as by a URL
/// parser, without directives such as `:~:text=`.
///
/// ```
/// use relink_page::Fragment;
/// let fragment = Fragment::new("impl-From<T>");
/// assert_eq!(fragment.as_str(), "impl-From%3CT%3E");
/// assert!(fragment.indicates(|id| id == "impl-From%3CT%3E"));
/// assert!(fragment.indicates(|id| id == "impl-From<T>"));
/// assert!(!fragment.indicates(|id| id == "impl-From"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fragment(String);

impl Fragment {
    /// Creates a fragment from the text after `#`. Percent-encoded text is
    /// unchanged.
    pub fn new(text: &str) -> Self {
        let name = text.split_once(DIRECTIVE).map_or(text, |(name, _)| name);
        // URL parsers remove these characters.
        let name: Cow<'_, str> = if name.contains(['\t', '\n', '\r']) {
            name.replace(['\t', '\n', '\r'], "").into()
        } else {
            name.into()
        };
        Self(utf8_percent_encode(&name, ESCAPED).to_string())
    }

    /// Returns the fragment as part of a URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the percent-decoded fragment.
    pub fn decoded(&self) -> Cow<'_, str> {
        percent_decode_str(&self.0).decode_utf8_lossy()
    }

    /// Whether the fragment refers to the top of a page.
    pub fn is_top(&self) -> bool {
        self.0.is_empty() || self.decoded().eq_ignore_ascii_case("top")
    }

    /// Whether the fragment indicates an element of a page. `has` returns whether the
    /// page has an id.
    ///
    /// A line range (`12-34`) matches if both lines have an id: source code
    /// viewers select such ranges with a script.
    pub fn indicates(&self, has: impl Fn(&str) -> bool) -> bool {
        self.is_top() || has(&self.0) || has(&self.decoded()) || self.is_line_range(&has)
    }

    fn is_line_range(&self, has: &impl Fn(&str) -> bool) -> bool {
        let is_line = |id: &str| {
            let digits = id.strip_prefix('L').unwrap_or(id);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && has(id)
        };
        self.0.split_once('-').is_some_and(|(from, to)| is_line(from) && is_line(to))
    }
}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Asserts whether a fragment indicates an element of a page with these ids.
    #[track_caller]
    fn check(fragment: &str, ids: &[&str], expect: bool) {
        let found = Fragment::new(fragment).indicates(|id| ids.contains(&id));
        assert_eq!(found, expect, "#{fragment} with {ids:?}");
    }

    #[test]
    fn indicates_compares_undecoded_ids_first() {
        check("impl-From%3CT%3E", &["impl-From%3CT%3E"], true);
        check("impl-From<T>", &["impl-From%3CT%3E"], true);
        check("a%2520b", &["a%2520b"], true);
    }

    #[test]
    fn indicates_compares_decoded_ids_second() {
        check("impl-From%3CT%3E", &["impl-From<T>"], true);
        check("two%20words", &["two words"], true);
        check("two words", &["two words"], true);
        check("gr%C3%B6%C3%9Fe", &["größe"], true);
        check("größe", &["größe"], true);
    }

    #[test]
    fn indicates_decodes_once_and_is_case_sensitive() {
        check("a%2520b", &["a b"], false);
        check("Part", &["part"], false);
        check("part", &[], false);
        check("%ff", &["\u{fffd}"], true);
    }

    #[test]
    fn indicates_top_and_text_directives_without_ids() {
        for fragment in ["", "top", "TOP", "t%6Fp", ":~:text=words"] {
            check(fragment, &[], true);
        }
        check("part:~:text=words", &["part"], true);
        check("part:~:text=words", &[], false);
    }

    #[test]
    fn indicates_line_ranges_with_both_ends() {
        check("12-34", &["12", "34"], true);
        check("L12-L34", &["L12", "L34"], true);
        check("12-34", &["12"], false);
        check("12-", &["12"], false);
        check("a-b", &["a", "b"], false);
    }

    proptest! {
        #[test]
        fn new_is_idempotent(text in ".*") {
            let once = Fragment::new(&text);
            prop_assert_eq!(Fragment::new(once.as_str()), once);
        }

        #[test]
        fn new_agrees_with_the_url_parser(text in "[^\u{0}]*") {
            // `Fragment` drops directives; the URL parser does not.
            prop_assume!(!text.contains(DIRECTIVE));
            let mut url = url::Url::parse("https://example.org/").unwrap();
            url.set_fragment(Some(&text));
            let fragment = Fragment::new(&text);
            prop_assert_eq!(Some(fragment.as_str()), url.fragment());
        }

        #[test]
        fn indicates_every_id_linked_as_is(id in "[^\t\n\r]+") {
            prop_assume!(!id.contains('%') && !id.contains(DIRECTIVE));
            prop_assert!(Fragment::new(&id).indicates(|other| other == id));
        }
    }
}
