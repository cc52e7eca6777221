//! Keeps passwords in addresses out of every output.
//!
//! Works on text, not on parsed addresses, because malformed ones are shown
//! too and hold passwords just as well.

use std::borrow::Cow;

/// What stands in place of a name and password.
const MASK: &str = "***@";

/// An address without the name and password it may hold.
///
/// ```
/// use relink_wire::redact;
/// assert_eq!(redact("https://ann:secret@example.org/a"), "https://***@example.org/a");
/// assert_eq!(redact("https://example.org/@ann"), "https://example.org/@ann");
/// ```
pub fn redact(url: &str) -> Cow<'_, str> {
    mask(url, None)
}

/// Running text without the names and passwords in its addresses.
///
/// Unlike in [`redact()`], white space and brackets end an address.
pub fn redact_prose(text: &str) -> Cow<'_, str> {
    mask(text, Some(ends_address))
}

fn ends_address(char: char) -> bool {
    char.is_whitespace() || matches!(char, '<' | '>' | '"' | '(' | ')' | '`')
}

fn mask(text: &str, ends: Option<fn(char) -> bool>) -> Cow<'_, str> {
    // Nothing after the last `@` can be masked; stopping there also keeps the
    // work linear in the length of a hostile text.
    let Some(last_at) = text.rfind('@') else { return Cow::Borrowed(text) };
    let mut masked = String::new();
    let mut copied = 0;
    let mut from = 0;
    let next = |from| authority_start(text, from, ends).filter(|start| *start <= last_at);
    while let Some(start) = next(from) {
        let rest = text.get(start..).unwrap_or_default();
        let end = ends.and_then(|ends| rest.find(ends)).unwrap_or(rest.len());
        if let Some(length) = userinfo_length(rest.get(..end).unwrap_or_default()) {
            masked.push_str(text.get(copied..start).unwrap_or_default());
            masked.push_str(MASK);
            copied = start + length;
        }
        from = start.max(copied);
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(masked)
}

/// Where the next authority starts: after `://`, or after `//` where an address
/// may begin. Backslashes count as slashes, as browsers read them.
fn authority_start(text: &str, from: usize, ends: Option<fn(char) -> bool>) -> Option<usize> {
    let slashes = |at: usize| {
        text.get(at..).unwrap_or_default().bytes().take_while(|byte| is_slash(*byte)).count()
    };
    let is_border = |char| ends.is_some_and(|ends| ends(char) || matches!(char, '=' | '\''));
    let begins = |at: usize| {
        let before = text.get(..at).unwrap_or_default().chars().next_back();
        before.is_none_or(|char| char == ':' || is_border(char))
    };
    let bytes = text.as_bytes();
    (from..bytes.len())
        .filter(|at| is_slash(bytes[*at]) && begins(*at))
        .map(|at| (at, slashes(at)))
        .find(|(_, slashes)| *slashes >= 2)
        .map(|(at, slashes)| at + slashes)
}

const fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// How many bytes of an address, from its authority on, are name and password,
/// the `@` included.
fn userinfo_length(address: &str) -> Option<usize> {
    let authority = address
        .find(['/', '\\', '?', '#'])
        .map_or(address, |end| address.get(..end).unwrap_or_default());
    if let Some(at) = authority.rfind('@') {
        return Some(at + 1);
    }
    // `https://ann:se/cret@host`: strictly a host with a bad port, but meant as
    // a password with a slash in it.
    let (_, port) = authority.rsplit_once(':')?;
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) || port.ends_with(']');
    if is_port {
        return None;
    }
    address.rfind('@').map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expect: &str) {
        assert_eq!(redact(url), expect, "{url}");
    }

    #[test]
    fn names_and_passwords_are_masked() {
        check("https://ann:secret@example.org/", "https://***@example.org/");
        check("https://ann@example.org", "https://***@example.org");
        check("//ann:secret@example.org/a", "//***@example.org/a");
        check("https:\\\\ann:secret@example.org", "https:\\\\***@example.org");
        check("https:///ann:secret@example.org", "https:///***@example.org");
        check("https://a@b:se@cret@example.org/x", "https://***@example.org/x");
    }

    #[test]
    fn an_at_sign_elsewhere_is_left_alone() {
        for url in [
            "https://example.org/@ann",
            "https://example.org:8080/a@b",
            "https://[2001:db8::1]/a@b",
            "https://example.org/?mail=a@b",
            "mailto:ann@example.org",
            "docs/a@b.md",
            "",
            "//",
            ":",
            "://",
        ] {
            check(url, url);
        }
    }

    #[test]
    fn a_password_in_a_malformed_address_is_masked_too() {
        check("https://ann:se/cret@example.org/", "https://***@example.org/");
        check("https://ann:se cret@exa mple/", "https://***@exa mple/");
        check("htp://ann:secret@", "htp://***@");
    }

    #[test]
    fn an_address_within_an_address_is_masked_too() {
        check(
            "https://example.org/?to=https://ann:secret@example.net/",
            "https://example.org/?to=https://***@example.net/",
        );
    }

    #[test]
    fn prose_keeps_what_is_no_address() {
        assert_eq!(
            redact_prose("see (https://example.org) or ask ann@example.org"),
            "see (https://example.org) or ask ann@example.org"
        );
        assert_eq!(
            redact_prose("[a](https://a:b@example.org/x) <ftp://c:d@example.net>"),
            "[a](https://***@example.org/x) <ftp://***@example.net>"
        );
        assert_eq!(
            redact_prose("[a](//a:b@example.org/x) href='//c:d@example.net a//b@c"),
            "[a](//***@example.org/x) href='//***@example.net a//b@c"
        );
    }
}
