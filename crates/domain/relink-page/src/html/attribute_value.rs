//! Attribute values that hold an address among other things.
//!
//! Works on values as written. A separator spelled as a character reference
//! (`&#44;`) is not seen as one; nobody writes that.

use std::ops::Range;

use crate::cut::Cut as _;

/// The places of the addresses of a `srcset` (HTML standard, 4.8.4.2).
pub(crate) fn srcset(value: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + span_of(value.cut(at..), |byte| is_space(byte) || byte == b',');
        if start == value.len() {
            return None;
        }
        let end = start + span_of(value.cut(start..), |byte| !is_space(byte));
        let address = value.cut(start..end).trim_end_matches(',');
        // A comma right after the address ends the candidate; else its
        // descriptors follow.
        at = if address.len() < end - start {
            end
        } else {
            end + descriptors_length(value.cut(end..))
        };
        Some(start..start + address.len())
    })
}

/// The length up to the comma that ends the candidate; parentheses hide commas.
fn descriptors_length(rest: &str) -> usize {
    let mut is_hidden = false;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' => is_hidden = true,
            b')' => is_hidden = false,
            b',' if !is_hidden => return at,
            _ => {}
        }
    }
    rest.len()
}

/// The place of the address in a refresh, `5; url=here` (HTML standard,
/// 4.2.5.3, shared declarative refresh steps).
pub(crate) fn refresh(content: &str) -> Option<Range<usize>> {
    let after_time =
        span_of(content, |byte| is_space(byte) || byte.is_ascii_digit() || byte == b'.');
    let separators =
        span_of(content.cut(after_time..), |byte| is_space(byte) || matches!(byte, b';' | b','));
    // A time alone reloads the page itself; an address without a time is none.
    let time = content.cut(..after_time);
    let is_apart = separators > 0 || time.ends_with(char::is_whitespace);
    if time.trim().is_empty() || !is_apart {
        return None;
    }
    let start = after_url_sign(content, after_time + separators);
    let range = match content.cut(start..).bytes().next()? {
        quote @ (b'"' | b'\'') => {
            let inside = start + 1;
            inside..inside + span_of(content.cut(inside..), |byte| byte != quote)
        }
        _ => start..content.len(),
    };
    Some(range)
}

/// The place after `url =`, or `at` itself when the sign is not there.
fn after_url_sign(content: &str, at: usize) -> usize {
    let rest = content.cut(at..);
    let is_url = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("url"));
    if !is_url {
        return at;
    }
    let equals = 3 + span_of(rest.cut(3..), is_space);
    if rest.as_bytes().get(equals) != Some(&b'=') {
        return at;
    }
    let after = equals + 1;
    at + after + span_of(rest.cut(after..), is_space)
}

fn span_of(text: &str, holds: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|&byte| holds(byte)).count()
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_srcset(value: &str, expect: &[&str]) {
        let found: Vec<&str> = srcset(value).map(|range| value.cut(range)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn each_candidate_is_an_address_and_perhaps_descriptors() {
        check_srcset("a.png", &["a.png"]);
        check_srcset(" a.png 1x , b.png 2x", &["a.png", "b.png"]);
        check_srcset("a.png, b.png 2x,c.png", &["a.png", "b.png", "c.png"]);
        check_srcset("a,b.png 480w (x, y), c 2x", &["a,b.png", "c"]);
        check_srcset("data:,x 1x, b 2x", &["data:,x", "b"]);
        check_srcset(" , ,", &[]);
        check_srcset("", &[]);
    }

    #[track_caller]
    fn check_refresh(content: &str, expect: Option<&str>) {
        assert_eq!(refresh(content).map(|range| content.cut(range)), expect);
    }

    #[test]
    fn a_refresh_may_name_an_address() {
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
