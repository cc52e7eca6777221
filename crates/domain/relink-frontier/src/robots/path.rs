//! Matches patterns of rules with paths.
//!
//! Patterns and paths are normalized first: escaped unreserved characters are decoded, and
//! characters that are neither reserved nor unreserved are percent-encoded in upper case (RFC
//! 9309, §2.2.2). In a pattern, `*` matches any text and a trailing `$` the end. In a path,
//! `*` and `$` are literal and therefore encoded, so that `%2A` in a pattern matches a literal
//! star (§2.2.3).

use std::fmt::Write;

/// Normalizes a path with its query.
pub(super) fn normalize_path(path: &str) -> String {
    let mut normalized = String::with_capacity(path.len());
    for character in PathCharacters(path.as_bytes()) {
        match character {
            PathCharacter::Literal(b'*') => normalized.push_str("%2A"),
            PathCharacter::Literal(b'$') => normalized.push_str("%24"),
            other => push_normalized(&mut normalized, other),
        }
    }
    normalized
}

/// Normalizes a pattern.
pub(super) fn normalize_pattern(pattern: &str) -> String {
    let (body, end) = match pattern.strip_suffix('$') {
        Some(body) => (body, "$"),
        None => (pattern, ""),
    };
    let mut normalized = String::with_capacity(pattern.len());
    for character in PathCharacters(body.as_bytes()) {
        match character {
            PathCharacter::Literal(b'$') => normalized.push_str("%24"),
            other => push_normalized(&mut normalized, other),
        }
    }
    normalized + end
}

/// Whether a normalized pattern matches a normalized path. An empty pattern matches
/// nothing.
///
/// The parts between stars are searched from left to right, each at its first occurrence,
/// without backtracking.
pub(super) fn matches_pattern(pattern: &str, path: &str) -> bool {
    if pattern.is_empty() {
        return false;
    }
    let (body, is_anchored) = match pattern.strip_suffix('$') {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    // The first part is at the start of the path. The last part is at the end, if the
    // pattern ends with `$`.
    let mut parts = body.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else { return !is_anchored || rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    if is_anchored { rest.ends_with(last) } else { rest.contains(last) }
}

/// A character of a path.
#[derive(Clone, Copy)]
enum PathCharacter {
    /// Written literally.
    Literal(u8),
    /// Percent-encoded.
    Escaped(u8),
}

/// Iterates over the characters of a path and decodes escapes.
struct PathCharacters<'a>(&'a [u8]);

impl Iterator for PathCharacters<'_> {
    type Item = PathCharacter;

    fn next(&mut self) -> Option<PathCharacter> {
        if let [b'%', high, low, rest @ ..] = self.0
            && let (Some(high), Some(low)) = (hex_digit_value(*high), hex_digit_value(*low))
        {
            self.0 = rest;
            return Some(PathCharacter::Escaped(16 * high + low));
        }
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(PathCharacter::Literal(*first))
    }
}

fn hex_digit_value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// Appends a character in normalized form.
fn push_normalized(normalized: &mut String, character: PathCharacter) {
    match character {
        PathCharacter::Literal(byte) if is_unreserved(byte) || is_reserved(byte) => {
            normalized.push(char::from(byte));
        }
        PathCharacter::Escaped(byte) if is_unreserved(byte) => normalized.push(char::from(byte)),
        PathCharacter::Literal(byte) | PathCharacter::Escaped(byte) => {
            // Writing to a string cannot fail.
            let _ = write!(normalized, "%{byte:02X}");
        }
    }
}

/// Whether a byte is an unreserved character (RFC 3986, §2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Whether a byte is a reserved character (RFC 3986, §2.2).
fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}
