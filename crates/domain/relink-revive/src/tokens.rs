//! Tokens of URLs and titles.
//!
//! FABLE, §4.1.2: all characters that are not letters or digits are separators.
//! Two additional rules: `01` equals `1`, and a short file extension is not a
//! token.

use percent_encoding::percent_decode_str;

/// Maximum length of a file extension that is removed, such as `shtml`.
const MAX_EXTENSION_LENGTH: usize = 5;

/// Splits a text into tokens in lower case. Numbers lose their leading zeros.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let text = percent_decode_str(text).decode_utf8_lossy();
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| strip_leading_zeros(word).to_lowercase())
        .collect()
}

/// Returns a file name without its extension if that is short.
pub(crate) fn stem(name: &str) -> &str {
    extension_start(name).and_then(|at| name.get(..at)).unwrap_or(name)
}

/// Returns the position of the dot before a short extension.
///
/// An extension starts with a letter, so `1.92` has none.
pub(crate) fn extension_start(name: &str) -> Option<usize> {
    let at = name.rfind('.').filter(|at| *at > 0)?;
    let extension = name.as_bytes().get(at + 1..)?;
    let is_short = (1..=MAX_EXTENSION_LENGTH).contains(&extension.len());
    let is_word = extension.iter().all(u8::is_ascii_alphanumeric);
    let starts_with_letter = extension.first().is_some_and(u8::is_ascii_alphabetic);
    (is_short && is_word && starts_with_letter).then_some(at)
}

/// Removes leading zeros from a number. Returns other words unchanged.
pub(crate) fn strip_leading_zeros(word: &str) -> &str {
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word;
    }
    let stripped = word.trim_start_matches('0');
    if stripped.is_empty() && !word.is_empty() { "0" } else { stripped }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the tokens of a text, joined with spaces.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(tokens(text).join(" "), expect);
    }

    #[test]
    fn other_characters_separate_tokens() {
        check("what_if-2008%201", "what if 2008 1");
        check("No Need: CEO", "no need ceo");
        check("--", "");
    }

    #[test]
    fn leading_zeros_of_numbers_are_removed() {
        check("03/00/x01", "3 0 x01");
    }

    #[test]
    fn only_short_extensions_are_removed() {
        for (name, expect) in [
            ("a.html", "a"),
            ("announce-1.92", "announce-1.92"),
            ("announce-1.92.php", "announce-1.92"),
            ("v1.final_cut", "v1.final_cut"),
            (".htaccess", ".htaccess"),
            ("a.", "a."),
            ("song.mp3", "song"),
        ] {
            assert_eq!(stem(name), expect);
        }
    }
}
