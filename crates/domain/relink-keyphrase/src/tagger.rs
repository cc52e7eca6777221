//! The part of speech of each word.
//!
//! English words are tagged by the Brill tagger of the crate `harper-brill`, whose model is
//! part of the binary. A word that the tagger does not know counts as a noun. For other
//! languages, there is no tagger. Rules on word forms exclude adverbs and, in German, find
//! nouns by their capital letter.

use harper_brill::{Tagger as _, UPOS, brill_tagger};
use relink_change::TextLanguage;

use crate::tokens::Token;

/// The part of speech of a word, as far as phrases need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PartOfSpeech {
    Noun,
    Adjective,
    Verb,
    /// A content word of a language without a tagger.
    Content,
    /// Any other word, and punctuation.
    Other,
}

/// Endings of adverbs, with the minimum length of the word.
const ADVERB_ENDINGS: [(TextLanguage, &str, usize); 4] = [
    (TextLanguage::Fr, "ment", 8),
    (TextLanguage::Es, "mente", 8),
    (TextLanguage::Pt, "mente", 8),
    (TextLanguage::Other, "ly", 6),
];

/// Returns the part of speech of each token.
pub(crate) fn parts_of_speech(language: TextLanguage, tokens: &[Token<'_>]) -> Vec<PartOfSpeech> {
    match language {
        TextLanguage::En => tag_english(tokens),
        TextLanguage::De => tokens.iter().map(tag_german).collect(),
        _ => tokens.iter().map(|token| tag_by_ending(language, token)).collect(),
    }
}

fn tag_english(tokens: &[Token<'_>]) -> Vec<PartOfSpeech> {
    let words: Vec<String> = tokens.iter().map(|token| token.text.replace('’', "'")).collect();
    let tags = brill_tagger().tag_sentence(&words);
    let part = |(token, tag): (&Token<'_>, Option<UPOS>)| match tag {
        _ if !token.is_word => PartOfSpeech::Other,
        None | Some(UPOS::NOUN | UPOS::PROPN) => PartOfSpeech::Noun,
        Some(UPOS::ADJ) => PartOfSpeech::Adjective,
        Some(UPOS::VERB) => PartOfSpeech::Verb,
        Some(_) => PartOfSpeech::Other,
    };
    tokens.iter().zip(tags).map(part).collect()
}

/// Tags a German word. Nouns start with a capital letter. A word in lower case before a noun
/// may be an adjective.
fn tag_german(token: &Token<'_>) -> PartOfSpeech {
    if !token.is_word {
        return PartOfSpeech::Other;
    }
    let is_noun = token.text.chars().next().is_some_and(char::is_uppercase);
    if is_noun { PartOfSpeech::Noun } else { PartOfSpeech::Adjective }
}

/// Tags a word of another language. Every word that does not end like an adverb may be part
/// of a phrase.
fn tag_by_ending(language: TextLanguage, token: &Token<'_>) -> PartOfSpeech {
    let is_adverb = ADVERB_ENDINGS.iter().any(|(known, ending, length)| {
        *known == language && token.text.len() >= *length && token.text.ends_with(ending)
    });
    if token.is_word && !is_adverb { PartOfSpeech::Content } else { PartOfSpeech::Other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::text_tokens;

    /// Asserts the part of speech of each token of a text.
    #[track_caller]
    fn check(language: TextLanguage, text: &str, expect: &[PartOfSpeech]) {
        assert_eq!(parts_of_speech(language, &text_tokens(text)), expect, "{text}");
    }

    #[test]
    fn english_words_are_tagged() {
        use PartOfSpeech::{Adjective, Noun, Other, Verb};
        check(TextLanguage::En, "The large owl sleeps.", &[Other, Adjective, Noun, Verb, Other]);
        check(TextLanguage::En, "the xyzzyx", &[Other, Noun]);
    }

    #[test]
    fn german_nouns_have_a_capital_letter() {
        use PartOfSpeech::{Adjective, Noun};
        check(TextLanguage::De, "weiße Eule", &[Adjective, Noun]);
    }

    #[test]
    fn adverbs_of_other_languages_are_excluded() {
        use PartOfSpeech::{Content, Other};
        check(TextLanguage::Fr, "hibou rapidement", &[Content, Other]);
        check(TextLanguage::Pt, "coruja lentamente", &[Content, Other]);
    }
}
