//! Text of others, made fit to be shown: no markup, no orders to a terminal,
//! one line, not too long.

/// The most characters kept of a title or an excerpt.
pub(super) const MOST_CHARACTERS: usize = 400;

/// The most bytes of a text that are looked at.
const MOST_BYTES: usize = 16 * 1024;

/// A text that holds markup (`<b>`, `&amp;`), without it.
pub(super) fn from_markup(text: &str) -> String {
    let text = head(text);
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        bare.push_str(before);
        let is_tag = tag.starts_with(|next: char| next.is_ascii_alphabetic() || next == '/');
        let after = tag.split_once('>').filter(|_| is_tag).map(|(_, after)| after);
        if after.is_none() {
            bare.push('<');
        }
        rest = after.unwrap_or(tag);
    }
    bare.push_str(rest);
    plain(&htmlize::unescape(bare))
}

/// A plain text on one line, cut to what is shown.
pub(super) fn plain(text: &str) -> String {
    let text = head(text).replace(is_order, " ");
    let mut line = String::new();
    let mut left = MOST_CHARACTERS;
    for word in text.split_whitespace() {
        let length = word.chars().count() + usize::from(!line.is_empty());
        if length > left {
            // A text without spaces is cut where the room ends.
            if line.is_empty() {
                line.extend(word.chars().take(left));
            }
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        left -= length;
    }
    line
}

/// Whether a character says how others are shown: control characters, and
/// those that turn the direction of writing.
fn is_order(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(markup: &str, expect: &str) {
        assert_eq!(from_markup(markup), expect);
    }

    #[test]
    fn tags_and_entities_are_resolved() {
        check("the <strong>snowy</strong>\n owl &amp; &#39;kin&#39;", "the snowy owl & 'kin'");
        check("a < b and <unclosed", "a < b and <unclosed");
        check("&lt;script&gt;", "<script>");
        check("<b", "<b");
        check("<>", "<>");
    }

    #[test]
    fn orders_to_a_terminal_are_taken_out() {
        assert_eq!(plain("\u{1b}[2Jowl\u{202e}lwo\0"), "[2Jowl lwo");
        check("&#27;[2J", "[2J");
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(plain(&"é".repeat(90_000)).chars().count(), MOST_CHARACTERS);
        let words = plain(&"word ".repeat(9_000));
        assert!(words.len() <= MOST_CHARACTERS && words.ends_with("word"));
    }
}
