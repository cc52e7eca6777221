//! JSON strings and numbers, written directly into a buffer.
//!
//! Used where millions of rows are written. Tests compare the output with `serde_json`.

/// The escape sequence of each byte: 0 for none, otherwise the character after the backslash.
/// `u` means `\u00XX`.
const ESCAPES: [u8; 256] = escape_table();

/// Hexadecimal digits. The first ten are the decimal digits.
const DIGITS: [u8; 16] = *b"0123456789abcdef";

/// Appends `text` as a quoted JSON string.
#[expect(
    clippy::indexing_slicing,
    reason = "the table has an entry for every byte, and ranges lie within the text"
)]
pub(crate) fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    // The text between two escapes is copied at once.
    let mut copied = 0;
    for (index, byte) in bytes.iter().enumerate() {
        let escape = ESCAPES[usize::from(*byte)];
        if escape == 0 {
            continue;
        }
        out.extend_from_slice(&bytes[copied..index]);
        push_escape(out, *byte, escape);
        copied = index + 1;
    }
    out.extend_from_slice(&bytes[copied..]);
    out.push(b'"');
}

/// Appends an escape sequence. `escape` is the character after the backslash. The hexadecimal
/// code of the byte follows `u`.
#[expect(clippy::indexing_slicing, reason = "four bits are less than the 16 digits")]
fn push_escape(out: &mut Vec<u8>, byte: u8, escape: u8) {
    out.extend_from_slice(&[b'\\', escape]);
    if escape == b'u' {
        let (high, low) = (DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]);
        out.extend_from_slice(&[b'0', b'0', high, low]);
    }
}

/// Appends a number.
#[expect(clippy::indexing_slicing, reason = "a number of 64 bits has 20 digits at most")]
pub(crate) fn push_number(out: &mut Vec<u8>, mut number: usize) {
    let mut digits = [0_u8; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = DIGITS[number % 10];
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

/// Returns for each byte the letter of its escape sequence; 0 if it needs none.
#[expect(clippy::indexing_slicing, reason = "the table has an entry for every byte")]
const fn escape_table() -> [u8; 256] {
    let mut escapes = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escapes[byte] = b'u';
        byte += 1;
    }
    escapes[0x08] = b'b';
    escapes[0x09] = b't';
    escapes[0x0a] = b'n';
    escapes[0x0c] = b'f';
    escapes[0x0d] = b'r';
    escapes[b'"' as usize] = b'"';
    escapes[b'\\' as usize] = b'\\';
    escapes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_string_equals_serde_json() {
        let all: String = (0..=0x0250).filter_map(char::from_u32).collect();
        for text in ["", "a", "\"\\", "é\n\u{2028}日", &all] {
            let mut out = Vec::new();
            push_string(&mut out, text);
            assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(text).unwrap());
        }
    }

    #[test]
    fn push_number_equals_to_string() {
        for number in [0, 9, 10, 1_234_567_890, usize::MAX] {
            let mut out = Vec::new();
            push_number(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }
}
