//! When a rule's pattern fits a path.
//!
//! Both are brought to one normal form first: letters that need no escape
//! stand bare, all others that are not reserved are escaped in capitals (RFC
//! 9309, §2.2.2). In a pattern `*` stands for anything and a last `$` for the
//! end; in a path both stand for themselves and are escaped, so that `%2A` in
//! a pattern means the star (§2.2.3).

use std::fmt::Write;

/// A path with its query, in normal form.
pub(super) fn normal_path(path: &str) -> String {
    let mut normal = String::with_capacity(path.len());
    for letter in Letters(path.as_bytes()) {
        match letter {
            Letter::Bare(b'*') => normal.push_str("%2A"),
            Letter::Bare(b'$') => normal.push_str("%24"),
            other => push(&mut normal, other),
        }
    }
    normal
}

/// A pattern in normal form.
pub(super) fn normal_pattern(pattern: &str) -> String {
    let (body, end) = match pattern.strip_suffix('$') {
        Some(body) => (body, "$"),
        None => (pattern, ""),
    };
    let mut normal = String::with_capacity(pattern.len());
    for letter in Letters(body.as_bytes()) {
        match letter {
            Letter::Bare(b'$') => normal.push_str("%24"),
            other => push(&mut normal, other),
        }
    }
    normal + end
}

/// Whether a pattern fits a path, both in normal form. An empty one fits none.
///
/// The pieces between stars are found from left to right, each at its first
/// place, which leaves most room for the rest: no pattern takes long.
pub(super) fn pattern_fits(pattern: &str, path: &str) -> bool {
    if pattern.is_empty() {
        return false;
    }
    let (body, is_anchored) = match pattern.strip_suffix('$') {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    let mut pieces = body.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = pieces.next_back() else { return !is_anchored || rest.is_empty() };
    for piece in pieces {
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    if is_anchored { rest.ends_with(last) } else { rest.contains(last) }
}

/// One letter of a path.
#[derive(Clone, Copy)]
enum Letter {
    /// Written as itself.
    Bare(u8),
    /// Written as an escape.
    Escaped(u8),
}

/// The letters of a path, escapes read.
struct Letters<'a>(&'a [u8]);

impl Iterator for Letters<'_> {
    type Item = Letter;

    fn next(&mut self) -> Option<Letter> {
        if let [b'%', high, low, rest @ ..] = self.0
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            self.0 = rest;
            return Some(Letter::Escaped(16 * high + low));
        }
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(Letter::Bare(*first))
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn push(normal: &mut String, letter: Letter) {
    match letter {
        Letter::Bare(byte) if is_unreserved(byte) || is_reserved(byte) => {
            normal.push(char::from(byte));
        }
        Letter::Escaped(byte) if is_unreserved(byte) => normal.push(char::from(byte)),
        Letter::Bare(byte) | Letter::Escaped(byte) => {
            // Writing to a string cannot fail.
            let _ = write!(normal, "%{byte:02X}");
        }
    }
}

/// RFC 3986, §2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// RFC 3986, §2.2.
fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}
