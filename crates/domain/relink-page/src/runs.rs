//! Runs of telling words: what stands between stop words and marks.

use crate::cut::Cut as _;
use crate::stop_words::is_stop_word;

/// How much of a text is read for its words, in bytes.
const MOST_TEXT: usize = 256 * 1024;

/// The longest word, in characters; what is longer is no word.
const LONGEST: usize = 30;

/// The endings of the English genitive.
const GENITIVES: [&str; 2] = ["'s", "’s"];

/// The words of a text in lower case, letters and digits with the apostrophes
/// and hyphens inside them.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    clauses(text).flat_map(|clause| clause.split_whitespace().filter_map(folded))
}

/// Hands every run of telling words to `each`. A run goes on until a stop
/// word, a number, or a mark ends it.
pub(crate) fn each_run(text: &str, mut each: impl FnMut(&[String])) {
    let mut run = Vec::new();
    let mut end = |run: &mut Vec<String>| {
        if !run.is_empty() {
            each(run);
            run.clear();
        }
    };
    for clause in clauses(text) {
        for word in clause.split_whitespace() {
            match folded(word).filter(|word| is_telling(word)) {
                Some(word) => run.push(word),
                None => end(&mut run),
            }
            // What it owns does not stand beside the bare word on the page.
            if is_genitive(word) {
                end(&mut run);
            }
        }
        end(&mut run);
    }
}

/// Pieces of a text between marks.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let text = text.cut(..text.floor_char_boundary(MOST_TEXT));
    text.split(|it: char| {
        let is_inside = it.is_alphanumeric() || matches!(it, '\'' | '’' | '-' | ' ' | '\t');
        !is_inside && (it.is_ascii() || is_mark_beyond_ascii(it))
    })
}

/// Marks of other scripts. What is neither letter nor such a mark may be part
/// of a letter, as the signs that join letters are in Indic scripts.
fn is_mark_beyond_ascii(character: char) -> bool {
    matches!(character,
        '«' | '»' | '·' | '¿' | '¡' | '।' | '॥'
        | '\u{2010}'..='\u{205e}' // dashes, quotation marks, bullets
        | '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}')
}

/// Whether a word has the ending of the English genitive, which is not part
/// of a name.
fn is_genitive(word: &str) -> bool {
    GENITIVES.iter().any(|ending| word.ends_with(ending))
}

/// A word in lower case, without marks at its ends and without a genitive.
fn folded(word: &str) -> Option<String> {
    let word = GENITIVES.iter().fold(word, |word, end| word.strip_suffix(end).unwrap_or(word));
    let word = word.replace('’', "'").to_lowercase();
    let word = word.trim_matches(|it: char| !it.is_alphanumeric());
    (!word.is_empty() && word.chars().count() <= LONGEST).then(|| word.to_owned())
}

/// Whether a word may be part of a keyphrase: no stop word, no number, no
/// single letter, and by its shape no adverb.
fn is_telling(word: &str) -> bool {
    let has_letters = word.chars().filter(|it| it.is_alphabetic()).nth(1).is_some();
    let is_adverb = word.len() > 5 && word.ends_with("ly");
    has_letters && !is_adverb && !is_stop_word(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let mut runs = Vec::new();
        each_run(text, |run| runs.push(run.join(" ")));
        assert_eq!(runs.join(" | "), expect);
    }

    #[test]
    fn stop_words_marks_and_numbers_end_a_run() {
        check("The Snowy Owl of the far North, a white bird", "snowy owl | far north | white bird");
        check("owl 12 nest; slowly x moving", "owl | nest | moving");
        check("the snowy owl’s nest\nbarn-owl", "snowy owl | nest | barn-owl");
        check("Schnee-Eule und “Uhu”", "schnee-eule | uhu");
        check("", "");
    }

    #[test]
    fn letters_beyond_ascii_stay_whole() {
        check("हिन्दी शब्द। café", "हिन्दी शब्द | café");
        check("雪鴞、北極", "雪鴞 | 北極");
    }
}
