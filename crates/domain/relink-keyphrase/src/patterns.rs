//! Finds the phrases in a block of words with their parts of speech. A phrase has one to
//! three words: an optional adjective followed by nouns (Walden's Paths, section 5).

use relink_change::TextLanguage;
use relink_page::is_stop_word;

use crate::candidates::KeyphraseSettings;
use crate::function_words::is_function_word;
use crate::tagger::{PartOfSpeech, parts_of_speech};
use crate::tokens::Token;

/// Maximum number of words of a keyphrase (Walden's Paths, section 5).
pub(crate) const MAX_WORDS: usize = 3;

/// Length of a Japanese or Chinese phrase, in characters.
const UNSPACED_LENGTH: std::ops::RangeInclusive<usize> = 2..=8;

/// A word that may be part of a phrase.
struct Word {
    /// The word in lower case, without the ending of the genitive.
    text: String,
    part: PartOfSpeech,
    is_emphasized: bool,
    /// Whether a phrase may continue with the next word.
    continues: bool,
}

/// Calls `each` with every phrase of a block, and whether it is emphasized.
pub(crate) fn for_each_phrase(
    language: TextLanguage,
    tokens: &[Token<'_>],
    settings: &KeyphraseSettings,
    mut each: impl FnMut(&str, bool),
) {
    if language == TextLanguage::Ja {
        return for_each_unspaced_phrase(tokens, &mut each);
    }
    let mut run: Vec<Word> = Vec::new();
    let parts = parts_of_speech(language, tokens);
    for (at, (token, part)) in tokens.iter().zip(parts).enumerate() {
        let word = content_word(language, token, part);
        if token.has_boundary || word.is_none() {
            emit_run(&mut run, settings, &mut each);
        }
        let Some(word) = word else { continue };
        let continues = word.continues && tokens.get(at + 1).is_some_and(|next| next.is_word);
        run.push(word);
        if !continues {
            emit_run(&mut run, settings, &mut each);
        }
    }
    emit_run(&mut run, settings, &mut each);
}

/// Returns a word that may be part of a phrase: it has at least two letters, and is
/// not a stop word.
fn content_word(language: TextLanguage, token: &Token<'_>, part: PartOfSpeech) -> Option<Word> {
    if part == PartOfSpeech::Other {
        return None;
    }
    let text = token.text.replace('’', "'").to_lowercase();
    let is_genitive = text.ends_with("'s");
    let text = text.strip_suffix("'s").unwrap_or(&text);
    let has_letters = text.chars().filter(|character| character.is_alphabetic()).nth(1).is_some();
    let is_stop_word =
        is_stop_word(text) || (language != TextLanguage::En && is_function_word(text));
    (has_letters && !is_stop_word).then(|| Word {
        text: text.to_owned(),
        part,
        is_emphasized: token.is_emphasized,
        // Without its ending `'s`, the word and the next word do not form a phrase that occurs
        // on the page.
        continues: !is_genitive,
    })
}

/// Calls `each` with the phrases of a run of content words, and clears it.
fn emit_run(run: &mut Vec<Word>, settings: &KeyphraseSettings, each: &mut impl FnMut(&str, bool)) {
    for length in 1..=MAX_WORDS.min(run.len()) {
        for words in run.windows(length).filter(|words| is_phrase(words, settings)) {
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            each(&texts.join(" "), words.iter().all(|word| word.is_emphasized));
        }
    }
    run.clear();
}

/// Whether words have the form of a phrase: adjectives, then nouns.
fn is_phrase(words: &[Word], settings: &KeyphraseSettings) -> bool {
    let is_leading = |word: &&Word| match word.part {
        PartOfSpeech::Adjective => true,
        PartOfSpeech::Verb => settings.allows_verbs,
        _ => false,
    };
    let leading = words.iter().take_while(is_leading).count();
    let is_noun = |word: &Word| matches!(word.part, PartOfSpeech::Noun | PartOfSpeech::Content);
    let nouns = words.get(leading..).unwrap_or_default();
    leading <= settings.max_modifiers && !nouns.is_empty() && nouns.iter().all(is_noun)
}

/// Calls `each` with the phrases of a Japanese or Chinese text: runs of kanji or of katakana.
fn for_each_unspaced_phrase(tokens: &[Token<'_>], each: &mut impl FnMut(&str, bool)) {
    for token in tokens {
        let mut run = String::new();
        let mut last = None;
        for character in token.text.chars().chain(['\n']) {
            let script = script(character);
            if script != last && !run.is_empty() {
                if UNSPACED_LENGTH.contains(&run.chars().count()) {
                    each(&run, token.is_emphasized);
                }
                run.clear();
            }
            if script.is_some() {
                run.push(character);
            }
            last = script;
        }
    }
}

/// Returns the class of a character that can be part of a phrase.
fn script(character: char) -> Option<char> {
    match character {
        '\u{3400}'..='\u{9fff}' | '々' => Some('漢'),
        '\u{30a1}'..='\u{30ff}' => Some('カ'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::text_tokens;

    /// Asserts the phrases of a text, in order.
    #[track_caller]
    fn check(language: TextLanguage, text: &str, settings: &KeyphraseSettings, expect: &str) {
        let mut phrases = Vec::new();
        for_each_phrase(language, &text_tokens(text), settings, |text, _| {
            phrases.push(text.to_owned());
        });
        assert_eq!(phrases.join(", "), expect, "{text}");
    }

    #[test]
    fn english_phrase_is_an_adjective_and_nouns() {
        let settings = KeyphraseSettings::default();
        check(TextLanguage::En, "The snowy owl sleeps.", &settings, "owl, snowy owl");
        check(TextLanguage::En, "a large white bird", &settings, "bird, white bird");
        check(TextLanguage::En, "the owl's nest", &settings, "owl, nest");
    }

    #[test]
    fn wider_forms_are_optional() {
        let two = KeyphraseSettings { max_modifiers: 2, ..KeyphraseSettings::default() };
        check(TextLanguage::En, "a large white bird", &two, "bird, white bird, large white bird");
        let verbs = KeyphraseSettings { allows_verbs: true, ..KeyphraseSettings::default() };
        check(TextLanguage::En, "they eat mice", &verbs, "mice, eat mice");
    }

    #[test]
    fn other_languages_use_rules() {
        let settings = KeyphraseSettings::default();
        check(TextLanguage::De, "die weiße Eule schläft", &settings, "eule, weiße eule");
        check(TextLanguage::De, "Jedes Jahr kommen viele Eulen", &settings, "jahr, eulen");
        check(TextLanguage::Fr, "le hibou blanc", &settings, "hibou, blanc, hibou blanc");
        check(TextLanguage::Ja, "北極のフクロウは白い", &settings, "北極, フクロウ");
    }
}
