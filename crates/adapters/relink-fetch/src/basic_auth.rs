//! Creates header values for basic authentication (RFC 7617). The values are marked as
//! sensitive: `Debug` does not print them, and HTTP/2 does not store them in its header
//! table.

use hyper::header::HeaderValue;

/// Returns the value of `Authorization` or `Proxy-Authorization` for a login,
/// or `None` if the login cannot be sent in a header.
pub(crate) fn basic(user: &[u8], password: &[u8]) -> Option<HeaderValue> {
    // The first colon ends the user name, so the name cannot contain a colon.
    if user.contains(&b':') || user.iter().chain(password).any(u8::is_ascii_control) {
        return None;
    }
    let value = format!("Basic {}", base64(&[user, b":", password].concat()));
    let mut value = HeaderValue::try_from(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Encodes as Base64 with padding (RFC 4648, section 4).
pub(crate) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        // A group of n bytes has n + 1 digits. Padding replaces the other digits.
        for index in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * index)) as usize & 63];
            text.push(if index <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_matches_rfc_examples() {
        // RFC 4648, section 10.
        for (plain, expect) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), expect);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xbf]), "+/+/");
    }
}
