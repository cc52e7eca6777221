//! The shape of a link: its path without query and tokens.

use std::borrow::Cow;

/// Minimum length of a path segment that may be a token.
const MIN_TOKEN: usize = 8;

/// Returns a link without query and fragment, in which `*` replaces path segments
/// that look like tokens.
pub(super) fn link_shape(url: &str) -> Cow<'_, str> {
    let path = url.split(['?', '#', ';']).next().unwrap_or_default();
    if !path.split('/').any(is_token) {
        return Cow::Borrowed(path);
    }
    let shape = |segment| if is_token(segment) { "*" } else { segment };
    Cow::Owned(path.split('/').map(shape).collect::<Vec<_>>().join("/"))
}

/// Whether a segment looks like a random token: it is long and has letters and
/// digits.
fn is_token(segment: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=');
    segment.len() >= MIN_TOKEN
        && segment.bytes().all(is_word)
        && segment.bytes().any(|byte| byte.is_ascii_digit())
        && segment.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_shape_drops_queries_and_tokens() {
        assert_eq!(link_shape("/a/b?c=1#d"), "/a/b");
        assert_eq!(link_shape("/logout/9f86d081884c/x"), "/logout/*/x");
        assert_eq!(link_shape("/2024/owls"), "/2024/owls");
    }
}
