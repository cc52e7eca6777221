//! Makes strangers' text harmless on a terminal.
//!
//! An address, a title or a line of a document may hold escape sequences that
//! clear the screen, or marks that reverse the reading order. None of them
//! passes; one character stands for one character, so that columns stay true.
//! Secrets of URLs are masked on the way: see `relink_model::redact_text`.

use std::borrow::Cow;

use relink_model::redact_text;

/// Stands for a character that must not reach a terminal and has no picture.
const REPLACEMENT: char = '\u{FFFD}';

/// Text in which nothing can steer a terminal, and without secrets in its URLs.
///
/// Control characters become their pictures, a tab becomes a space, and marks
/// that hide text or change its direction become `U+FFFD`, as does what is no
/// character at all: HTML and XML may not hold it.
///
/// ```
/// assert_eq!(relink_report::printable("a\u{1b}[2Jb"), "a␛[2Jb");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    // Here, too, so that no caller can forget it.
    let text = redact_text(text);
    if text.chars().all(|char| shown(char) == char) {
        return text;
    }
    text.chars().map(shown).collect::<String>().into()
}

fn shown(char: char) -> char {
    match char {
        '\t' => ' ',
        // The block "Control Pictures" mirrors the C0 controls in order.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + char as u32).unwrap_or(REPLACEMENT),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' => REPLACEMENT,
        _ if is_deceptive(char) || is_no_character(char) => REPLACEMENT,
        _ => char,
    }
}

/// Whether a character changes direction, breaks lines or is never seen.
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

/// Whether Unicode has promised never to make this a character.
const fn is_no_character(char: char) -> bool {
    matches!(char, '\u{fdd0}'..='\u{fdef}') || char as u32 & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(printable(text), expect);
        assert_eq!(printable(text).chars().count(), text.chars().count());
    }

    #[test]
    fn nothing_steers_the_terminal() {
        check("\u{1b}]0;title\u{7}", "␛]0;title␇");
        check("a\r\nb\tc\u{8}\u{7f}", "a␍␊b c␈␡");
        check("\u{9b}31m", "\u{FFFD}31m");
    }

    #[test]
    fn nothing_turns_the_reading_order() {
        check("a\u{202e}gpj.exe", "a\u{FFFD}gpj.exe");
        check("\u{2066}x\u{2069}\u{200f}", "\u{FFFD}x\u{FFFD}\u{FFFD}");
    }

    #[test]
    fn what_is_no_character_is_not_shown_as_one() {
        check("a\u{fdd0}b\u{fffe}\u{1ffff}\u{10ffff}", "a\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}");
    }

    #[test]
    fn other_scripts_and_signs_stay_as_they_are() {
        for text in ["Überblick", "日本語", "עברית", "✓ → ⛔", "नमस्\u{200d}ते"]
        {
            check(text, text);
        }
    }

    #[test]
    fn no_character_at_all_is_left_as_a_control() {
        let all = (0..=0x0010_FFFF).filter_map(char::from_u32);
        assert_eq!(all.map(shown).filter(|char| char.is_control()).count(), 0);
    }
}
