//! Makes untrusted text safe to print on a terminal.
//!
//! A URL, a title or a line of a document may contain escape sequences that clear the screen,
//! or characters that reverse the reading order. Each unsafe character is replaced by exactly
//! one other character, so that columns do not shift. Secrets in URLs are masked too: see
//! `relink_model::redact_text`.

use std::borrow::Cow;

use relink_model::redact_text;

/// The replacement of unsafe characters that have no control picture.
const REPLACEMENT: char = '\u{FFFD}';

/// Returns text without control characters and without secrets in its URLs.
///
/// Control characters become control pictures, and a tab becomes a space. These characters
/// become `U+FFFD`: characters that hide text or change its direction, and noncharacters,
/// because HTML and XML do not allow them.
///
/// ```
/// assert_eq!(relink_report::printable("a\u{1b}[2Jb"), "a␛[2Jb");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    // Mask secrets here too, in case a caller has not masked them.
    let text = redact_text(text);
    if text.chars().all(|char| printable_character(char) == char) {
        return text;
    }
    text.chars().map(printable_character).collect::<String>().into()
}

/// Returns the printable replacement of a character, or the character itself.
fn printable_character(char: char) -> char {
    match char {
        '\t' => ' ',
        // The block "Control Pictures" has the order of the C0 controls.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + char as u32).unwrap_or(REPLACEMENT),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' => REPLACEMENT,
        _ if is_deceptive(char) || is_noncharacter(char) => REPLACEMENT,
        _ => char,
    }
}

/// Whether a character changes the text direction, breaks lines or is invisible.
const fn is_deceptive(char: char) -> bool {
    matches!(
        char,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Whether this is a Unicode noncharacter.
const fn is_noncharacter(char: char) -> bool {
    matches!(char, '\u{fdd0}'..='\u{fdef}') || char as u32 & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the printable form of a text, and that the number of characters is unchanged.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(printable(text), expect);
        assert_eq!(printable(text).chars().count(), text.chars().count());
    }

    #[test]
    fn printable_replaces_control_characters() {
        check("\u{1b}]0;title\u{7}", "␛]0;title␇");
        check("a\r\nb\tc\u{8}\u{7f}", "a␍␊b c␈␡");
        check("\u{9b}31m", "\u{FFFD}31m");
    }

    #[test]
    fn printable_replaces_direction_marks() {
        check("a\u{202e}gpj.exe", "a\u{FFFD}gpj.exe");
        check("\u{2066}x\u{2069}\u{200f}", "\u{FFFD}x\u{FFFD}\u{FFFD}");
    }

    #[test]
    fn printable_replaces_noncharacters() {
        check("a\u{fdd0}b\u{fffe}\u{1ffff}\u{10ffff}", "a\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}");
    }

    #[test]
    fn printable_preserves_other_scripts_and_symbols() {
        for text in ["Überblick", "日本語", "עברית", "✓ → ⛔", "नमस्\u{200d}ते"]
        {
            check(text, text);
        }
    }

    #[test]
    fn printable_replaces_every_control_character() {
        let all = (0..=0x0010_FFFF).filter_map(char::from_u32);
        assert_eq!(all.map(printable_character).filter(|char| char.is_control()).count(), 0);
    }
}
