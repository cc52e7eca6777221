//! Words and numbers of addresses and titles.
//!
//! FABLE, §4.1.2: whatever is no letter and no digit divides. Two rules are
//! ours: `01` equals `1`, and a short file extension is no word.

use percent_encoding::percent_decode_str;

/// The longest file extension that is passed over: `shtml`, `xhtml`.
const LONGEST_EXTENSION: usize = 5;

/// The words of a text, in lower case, numbers without leading zeros.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let text = percent_decode_str(text).decode_utf8_lossy();
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| unpadded(word).to_lowercase())
        .collect()
}

/// A file name without its extension, if it has a short one.
pub(crate) fn stem(name: &str) -> &str {
    extension_at(name).and_then(|at| name.get(..at)).unwrap_or(name)
}

/// Where the dot of a short extension stands.
///
/// An extension begins with a letter, or `1.92` would be a file `1`.
pub(crate) fn extension_at(name: &str) -> Option<usize> {
    let at = name.rfind('.').filter(|at| *at > 0)?;
    let extension = name.as_bytes().get(at + 1..)?;
    let is_short = (1..=LONGEST_EXTENSION).contains(&extension.len());
    let is_word = extension.iter().all(u8::is_ascii_alphanumeric);
    let is_name = extension.first().is_some_and(u8::is_ascii_alphabetic);
    (is_short && is_word && is_name).then_some(at)
}

/// A number without its leading zeros; anything else as it is.
pub(crate) fn unpadded(word: &str) -> &str {
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word;
    }
    let bare = word.trim_start_matches('0');
    if bare.is_empty() && !word.is_empty() { "0" } else { bare }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(tokens(text).join(" "), expect);
    }

    #[test]
    fn whatever_is_no_letter_and_no_digit_divides() {
        check("what_if-2008%201", "what if 2008 1");
        check("No Need: CEO", "no need ceo");
        check("--", "");
    }

    #[test]
    fn leading_zeros_do_not_count() {
        check("03/00/x01", "3 0 x01");
    }

    #[test]
    fn only_a_short_extension_is_one() {
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
