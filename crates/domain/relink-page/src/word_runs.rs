//! Splits text into words and into runs of content words, which are separated
//! by stop words, numbers and punctuation.

use crate::safe_slice::SafeSlice as _;
use crate::stop_words::is_stop_word;

/// Maximum number of bytes of a text that are split into words.
const MAX_TEXT: usize = 256 * 1024;

/// Maximum length of a word, in characters; longer ones are skipped.
const MAX_WORD_LENGTH: usize = 30;

/// Endings of the English genitive.
const GENITIVES: [&str; 2] = ["'s", "’s"];

/// Iterates over the words of a text in lower case: letters and digits with
/// inner apostrophes and hyphens.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    clauses(text).flat_map(|clause| clause.split_whitespace().filter_map(normalize))
}

/// Calls `each` with every run of content words.
pub(crate) fn for_each_run(text: &str, mut each: impl FnMut(&[String])) {
    let mut run = Vec::new();
    let mut end = |run: &mut Vec<String>| {
        if !run.is_empty() {
            each(run);
            run.clear();
        }
    };
    for clause in clauses(text) {
        for word in clause.split_whitespace() {
            match normalize(word).filter(|word| is_content_word(word)) {
                Some(word) => run.push(word),
                None => end(&mut run),
            }
            // The genitive ending is removed, so the word and the next one do
            // not form a phrase of the page.
            if is_genitive(word) {
                end(&mut run);
            }
        }
        end(&mut run);
    }
}

/// Splits a text at punctuation.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let text = text.slice(..text.floor_char_boundary(MAX_TEXT));
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

/// Whether a word is an English genitive.
fn is_genitive(word: &str) -> bool {
    GENITIVES.iter().any(|ending| word.ends_with(ending))
}

/// Converts a word to lower case and removes the genitive ending and
/// punctuation at both ends. Returns `None` if nothing is left or if the word is
/// too long.
fn normalize(word: &str) -> Option<String> {
    let word = GENITIVES.iter().fold(word, |word, end| word.strip_suffix(end).unwrap_or(word));
    let word = word.replace('’', "'").to_lowercase();
    let word = word.trim_matches(|character: char| !character.is_alphanumeric());
    (!word.is_empty() && word.chars().count() <= MAX_WORD_LENGTH).then(|| word.to_owned())
}

/// Whether a word may be part of a keyphrase: it has at least two letters, does
/// not look like an adverb, and is not a stop word.
fn is_content_word(word: &str) -> bool {
    let has_letters = word.chars().filter(|character| character.is_alphabetic()).nth(1).is_some();
    let is_adverb = word.len() > 5 && word.ends_with("ly");
    has_letters && !is_adverb && !is_stop_word(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let mut runs = Vec::new();
        for_each_run(text, |run| runs.push(run.join(" ")));
        assert_eq!(runs.join(" | "), expect);
    }

    #[test]
    fn stop_words_punctuation_and_numbers_end_a_run() {
        check("The Snowy Owl of the far North, a white bird", "snowy owl | far north | white bird");
        check("owl 12 nest; slowly x moving", "owl | nest | moving");
        check("the snowy owl’s nest\nbarn-owl", "snowy owl | nest | barn-owl");
        check("Schnee-Eule und “Uhu”", "schnee-eule | uhu");
        check("", "");
    }

    #[test]
    fn words_of_other_scripts_are_not_split() {
        check("हिन्दी शब्द। café", "हिन्दी शब्द | café");
        check("雪鴞、北極", "雪鴞 | 北極");
    }
}
