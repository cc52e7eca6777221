//! Detects values of structured data (cells, JSON strings, element text) that
//! are URLs.
//!
//! A value is a link only if it consists of a URL and nothing else.
//! [`classify`](crate::classify) validates the URL.

use crate::safe_slice::SafeSlice as _;

/// Whether an unescaped value is an `http` or `https` URL and nothing else.
///
/// A URL with a placeholder is accepted, so that it is reported as skipped. An
/// ellipsis such as `http://...` is not accepted.
pub(crate) fn is_web_url(value: &str) -> bool {
    let value = value.trim();
    after_web_scheme(value).is_some_and(|rest| {
        rest.starts_with(|first: char| {
            first.is_alphanumeric() || matches!(first, '[' | '{' | '$' | '<')
        }) && !rest.contains(char::is_whitespace)
    })
}

/// Returns the text after `http://` or `https://`.
fn after_web_scheme(value: &str) -> Option<&str> {
    ["https://", "http://"].iter().find_map(|scheme| {
        let head = value.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme).then(|| value.slice(scheme.len()..))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_web_url_requires_the_whole_value() {
        for value in [
            "https://a.test",
            " HTTP://a.test/x \n",
            "http://[::1]/",
            "https://{{host}}/",
            "http://é",
        ] {
            assert!(is_web_url(value), "{value}");
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
            assert!(!is_web_url(value), "{value}");
        }
    }
}
