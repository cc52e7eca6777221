//! Values of structured data that are an address as a whole.
//!
//! A cell, a field or the text of an element may hold anything. It is taken
//! for a link only if nothing but an address stands in it; what the address
//! means is left to [`classify`](crate::classify).

use crate::cut::Cut as _;

/// Whether a value, escapes resolved, is a web address and nothing else.
///
/// An address with a placeholder in it is one, so that it is told as passed
/// over; an ellipsis such as `http://...` is none.
pub(crate) fn is_address(value: &str) -> bool {
    let value = value.trim();
    after_web_scheme(value).is_some_and(|rest| {
        rest.starts_with(|first: char| {
            first.is_alphanumeric() || matches!(first, '[' | '{' | '$' | '<')
        }) && !rest.contains(char::is_whitespace)
    })
}

fn after_web_scheme(value: &str) -> Option<&str> {
    ["https://", "http://"].iter().find_map(|scheme| {
        let head = value.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme).then(|| value.cut(scheme.len()..))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_web_address_counts() {
        for value in [
            "https://a.test",
            " HTTP://a.test/x \n",
            "http://[::1]/",
            "https://{{host}}/",
            "http://é",
        ] {
            assert!(is_address(value), "{value}");
        }
        for value in [
            "",
            "http://",
            "https://...",
            "see http://a.test",
            "http://a.test b",
            "ftp://a.test",
            "//a",
        ] {
            assert!(!is_address(value), "{value}");
        }
    }
}
