//! Sanitizes untrusted text for display: removes markup and control characters,
//! joins lines and limits the length.

/// Maximum number of characters of a title or snippet.
pub(super) const MAX_CHARACTERS: usize = 400;

/// Maximum number of bytes of the input.
const MAX_INPUT_BYTES: usize = 16 * 1024;

/// Returns the text of HTML (`<b>`, `&amp;`).
pub(super) fn from_html(text: &str) -> String {
    let text = truncate(text);
    let mut stripped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        stripped.push_str(before);
        let is_tag = tag.starts_with(|next: char| next.is_ascii_alphabetic() || next == '/');
        let after = tag.split_once('>').filter(|_| is_tag).map(|(_, after)| after);
        if after.is_none() {
            stripped.push('<');
        }
        rest = after.unwrap_or(tag);
    }
    stripped.push_str(rest);
    plain(&htmlize::unescape(stripped))
}

/// Returns a text on one line, truncated to [`MAX_CHARACTERS`].
pub(super) fn plain(text: &str) -> String {
    let text = truncate(text).replace(is_display_control, " ");
    let mut line = String::new();
    let mut remaining = MAX_CHARACTERS;
    for word in text.split_whitespace() {
        let length = word.chars().count() + usize::from(!line.is_empty());
        if length > remaining {
            // Cut a text without spaces in the middle.
            if line.is_empty() {
                line.extend(word.chars().take(remaining));
            }
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        remaining -= length;
    }
    line
}

/// Whether a character affects how other characters are displayed. This applies to
/// control characters and to characters that change the direction of text.
fn is_display_control(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn truncate(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_INPUT_BYTES)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the text of HTML.
    #[track_caller]
    fn check(markup: &str, expect: &str) {
        assert_eq!(from_html(markup), expect);
    }

    #[test]
    fn from_html_removes_tags_and_decodes_entities() {
        check("the <strong>snowy</strong>\n owl &amp; &#39;kin&#39;", "the snowy owl & 'kin'");
        check("a < b and <unclosed", "a < b and <unclosed");
        check("&lt;script&gt;", "<script>");
        check("<b", "<b");
        check("<>", "<>");
    }

    #[test]
    fn control_characters_are_removed() {
        assert_eq!(plain("\u{1b}[2Jowl\u{202e}lwo\0"), "[2Jowl lwo");
        check("&#27;[2J", "[2J");
    }

    #[test]
    fn long_text_is_truncated() {
        assert_eq!(plain(&"é".repeat(90_000)).chars().count(), MAX_CHARACTERS);
        let words = plain(&"word ".repeat(9_000));
        assert!(words.len() <= MAX_CHARACTERS && words.ends_with("word"));
    }
}
