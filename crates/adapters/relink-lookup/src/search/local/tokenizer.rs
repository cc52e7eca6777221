//! Tokenizer of the local index.
//!
//! A word consists of letters and digits, in lower case. In scripts without
//! spaces between words each character is a word, so that phrases are found
//! anywhere in a text.

use relink_model::is_indic_punctuation;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Name of the tokenizer in the index.
pub(super) const NAME: &str = "words";

/// Maximum length of a word in bytes. Longer words are skipped.
const MAX_WORD_BYTES: usize = 80;

/// Iterates over the words of a text, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    tokens(text).into_iter().map(|token| token.text)
}

/// Splits a text into words.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = None;
    for (index, character) in text.char_indices() {
        let is_single = is_single_character_word(character);
        let is_word_part = character.is_alphanumeric() && !is_single;
        if is_word_part {
            start.get_or_insert(index);
            continue;
        }
        // A combining mark belongs to the word before it.
        if start.is_some() && is_mark(character) {
            continue;
        }
        if let Some(start) = start.take() {
            push_word(&mut tokens, text, start, index);
        }
        if is_single {
            push_word(&mut tokens, text, index, index + character.len_utf8());
        }
    }
    if let Some(start) = start {
        push_word(&mut tokens, text, start, text.len());
    }
    tokens
}

/// Adds the word in this byte range, unless it is too long.
fn push_word(tokens: &mut Vec<Token>, text: &str, offset_from: usize, offset_to: usize) {
    let Some(word) = text.get(offset_from..offset_to).filter(|word| word.len() <= MAX_WORD_BYTES)
    else {
        return;
    };
    let word = word.to_lowercase();
    let position = tokens.len();
    tokens.push(Token { offset_from, offset_to, position, text: word, position_length: 1 });
}

/// Whether a character is a mark that belongs to the letter before it:
/// combining accents, and vowel signs and joiners of Indic and Thai scripts.
fn is_mark(character: char) -> bool {
    match character {
        '\u{300}'..='\u{36f}' | '\u{e31}'..='\u{e4e}' => true,
        '\u{900}'..='\u{dff}' => !is_indic_punctuation(character),
        _ => false,
    }
}

/// Whether a character is a word of its own, as in Chinese and Japanese.
fn is_single_character_word(character: char) -> bool {
    matches!(character,
        '\u{3041}'..='\u{30ff}' // kana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

/// Splits texts into words for the index.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordTokenizer;

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream {
        WordStream { tokens: tokens(text).into_iter(), token: Token::default() }
    }
}

/// Iterator over the words of one text.
pub(super) struct WordStream {
    tokens: std::vec::IntoIter<Token>,
    token: Token,
}

impl TokenStream for WordStream {
    fn advance(&mut self) -> bool {
        let next = self.tokens.next();
        let has_next = next.is_some();
        self.token = next.unwrap_or_default();
        has_next
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong slice fails the test")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(words(text).collect::<Vec<_>>().join("|"), expect);
    }

    #[test]
    fn words_are_lower_case_letters_and_digits() {
        check("The Snowy-Owl's 2nd\nnest!", "the|snowy|owl|s|2nd|nest");
        check("ÄRGER e\u{301}t\u{e9}", "ärger|e\u{301}t\u{e9}");
        check("", "");
        check(&format!("a {} b", "x".repeat(100)), "a|b");
    }

    #[test]
    fn scripts_without_spaces_are_split_by_character() {
        check("東京tower へ", "東|京|tower|へ");
        check("हिन्दी शब्द।", "हिन्दी|शब्द");
    }

    proptest! {
        #[test]
        fn token_offsets_match_the_text(text in ".{0,80}") {
            for token in tokens(&text) {
                let slice = &text[token.offset_from..token.offset_to];
                prop_assert_eq!(slice.to_lowercase(), token.text);
            }
        }
    }
}
