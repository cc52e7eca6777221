//! Parses attribute values that contain URLs and other text: `srcset` and
//! `meta` refresh.
//!
//! Values are parsed as written: a separator that is written as a character
//! reference (`&#44;`) is not recognized. This does not occur in practice.

use std::ops::Range;

use crate::safe_slice::SafeSlice as _;

/// Returns the ranges of the URLs in a `srcset` (HTML standard, 4.8.4.2), a list of
/// candidates: URLs with optional descriptors, such as `a.png 2x`.
pub(crate) fn srcset(value: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + prefix_length(value.slice(at..), |byte| is_space(byte) || byte == b',');
        if start == value.len() {
            return None;
        }
        let end = start + prefix_length(value.slice(start..), |byte| !is_space(byte));
        let url = value.slice(start..end).trim_end_matches(',');
        // A comma directly after the URL ends the candidate. Otherwise its
        // descriptors follow.
        at = if url.len() < end - start {
            end
        } else {
            end + descriptors_length(value.slice(end..))
        };
        Some(start..start + url.len())
    })
}

/// Returns the length of the descriptors, up to the comma that ends the candidate. Commas
/// in parentheses do not end a candidate.
fn descriptors_length(rest: &str) -> usize {
    let mut is_parenthesized = false;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' => is_parenthesized = true,
            b')' => is_parenthesized = false,
            b',' if !is_parenthesized => return at,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the range of the URL in a refresh, `5; url=here` (HTML standard,
/// 4.2.5.3, shared declarative refresh steps).
pub(crate) fn refresh(content: &str) -> Option<Range<usize>> {
    let after_time =
        prefix_length(content, |byte| is_space(byte) || byte.is_ascii_digit() || byte == b'.');
    let separators = prefix_length(content.slice(after_time..), |byte| {
        is_space(byte) || matches!(byte, b';' | b',')
    });
    // A time without a URL reloads the page itself. A URL without a time is
    // ignored.
    let time = content.slice(..after_time);
    let is_separated = separators > 0 || time.ends_with(char::is_whitespace);
    if time.trim().is_empty() || !is_separated {
        return None;
    }
    let start = after_url_prefix(content, after_time + separators);
    let range = match content.slice(start..).bytes().next()? {
        quote @ (b'"' | b'\'') => {
            let inside = start + 1;
            inside..inside + prefix_length(content.slice(inside..), |byte| byte != quote)
        }
        _ => start..content.len(),
    };
    Some(range)
}

/// Returns the position after `url =`, or `at` if this prefix is missing.
fn after_url_prefix(content: &str, at: usize) -> usize {
    let rest = content.slice(at..);
    let is_url = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("url"));
    if !is_url {
        return at;
    }
    let equals = 3 + prefix_length(rest.slice(3..), is_space);
    if rest.as_bytes().get(equals) != Some(&b'=') {
        return at;
    }
    let after = equals + 1;
    at + after + prefix_length(rest.slice(after..), is_space)
}

/// Returns the number of leading bytes that satisfy the condition.
fn prefix_length(text: &str, holds: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|&byte| holds(byte)).count()
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the URLs of the candidates of a `srcset` attribute.
    #[track_caller]
    fn check_srcset(value: &str, expect: &[&str]) {
        let found: Vec<&str> = srcset(value).map(|range| value.slice(range)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn srcset_yields_the_url_of_each_candidate() {
        check_srcset("a.png", &["a.png"]);
        check_srcset(" a.png 1x , b.png 2x", &["a.png", "b.png"]);
        check_srcset("a.png, b.png 2x,c.png", &["a.png", "b.png", "c.png"]);
        check_srcset("a,b.png 480w (x, y), c 2x", &["a,b.png", "c"]);
        check_srcset("data:,x 1x, b 2x", &["data:,x", "b"]);
        check_srcset(" , ,", &[]);
        check_srcset("", &[]);
    }

    /// Asserts the URL in the content of a `<meta http-equiv=refresh>`.
    #[track_caller]
    fn check_refresh(content: &str, expect: Option<&str>) {
        assert_eq!(refresh(content).map(|range| content.slice(range)), expect);
    }

    #[test]
    fn refresh_yields_the_url_after_the_time() {
        check_refresh("0; url=https://a.test/", Some("https://a.test/"));
        check_refresh("5;URL = 'a b' x", Some("a b"));
        check_refresh("0.5,url=\"x\"", Some("x"));
        check_refresh("3; other", Some("other"));
        check_refresh("0 url=x", Some("x"));
        check_refresh("3", None);
        check_refresh("3;", None);
        check_refresh("url=x", None);
        check_refresh("3x", None);
    }
}
