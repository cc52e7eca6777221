//! Splits text into words in lower case, for title queries and lexical signatures.

/// Maximum number of bytes of a text that are split into words.
const MAX_TEXT: usize = 256 * 1024;

/// Maximum length of a word, in characters; longer words are skipped.
const MAX_WORD_LENGTH: usize = 30;

/// Endings of the English genitive.
const GENITIVES: [&str; 2] = ["'s", "’s"];

/// Iterates over the words of a text in lower case: letters and digits with
/// inner apostrophes and hyphens.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    clauses(text).flat_map(|clause| clause.split_whitespace().filter_map(normalize))
}

/// Splits a text at punctuation.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let text = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
    text.split(|character: char| {
        let is_inside =
            character.is_alphanumeric() || matches!(character, '\'' | '’' | '-' | ' ' | '\t');
        !is_inside && (character.is_ascii() || is_non_ascii_punctuation(character))
    })
}

/// Whether the character is punctuation of another script. Other characters
/// that are not alphanumeric may be combining marks, for example in Indic
/// scripts.
fn is_non_ascii_punctuation(character: char) -> bool {
    matches!(character,
        '«' | '»' | '·' | '¿' | '¡' | '।' | '॥'
        | '\u{2010}'..='\u{205e}' // dashes, quotation marks, bullets
        | '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}')
}

/// Converts a word to lower case and removes the genitive ending and
/// punctuation at both ends. Returns `None` if nothing is left or if the word is
/// too long.
fn normalize(word: &str) -> Option<String> {
    let mut word = word;
    for ending in GENITIVES {
        word = word.strip_suffix(ending).unwrap_or(word);
    }
    let word = word.replace('’', "'").to_lowercase();
    let word = word.trim_matches(|character: char| !character.is_alphanumeric());
    (!word.is_empty() && word.chars().count() <= MAX_WORD_LENGTH).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the words of a text, separated by ` | `.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(words(text).collect::<Vec<_>>().join(" | "), expect);
    }

    #[test]
    fn words_are_in_lower_case_without_punctuation() {
        check("the Snowy owl’s nest\nbarn-owl", "the | snowy | owl | nest | barn-owl");
        check("Schnee-Eule und “Uhu”", "schnee-eule | und | uhu");
        check("", "");
    }

    #[test]
    fn words_of_other_scripts_are_not_split() {
        check("हिन्दी शब्द। café", "हिन्दी | शब्द | café");
        check("雪鴞、北極", "雪鴞 | 北極");
    }
}
