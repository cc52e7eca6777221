//! The words of a text, as the index knows them.
//!
//! A word is letters and digits in lower case. Scripts that write no space
//! between words count a character as a word, so that a phrase of them is
//! found wherever it stands.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The name under which the index finds this way of taking words.
pub(super) const NAME: &str = "words";

/// The longest word kept, in bytes; what is longer is no word.
const LONGEST: usize = 80;

/// The words of a text, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    tokens(text).into_iter().map(|token| token.text)
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        let is_alone = is_word_by_itself(character);
        let is_part = character.is_alphanumeric() && !is_alone;
        if is_part {
            start.get_or_insert(at);
            continue;
        }
        // An accent written apart, or a joined vowel, stays with its word.
        if start.is_some() && is_mark(character) {
            continue;
        }
        if let Some(start) = start.take() {
            push(&mut tokens, text, start, at);
        }
        if is_alone {
            push(&mut tokens, text, at, at + character.len_utf8());
        }
    }
    if let Some(start) = start {
        push(&mut tokens, text, start, text.len());
    }
    tokens
}

fn push(tokens: &mut Vec<Token>, text: &str, offset_from: usize, offset_to: usize) {
    let Some(word) = text.get(offset_from..offset_to).filter(|word| word.len() <= LONGEST) else {
        return;
    };
    let word = word.to_lowercase();
    let position = tokens.len();
    tokens.push(Token { offset_from, offset_to, position, text: word, position_length: 1 });
}

/// Marks that belong to the letter before them and are no letters themselves:
/// combining accents, and the signs of Indic scripts that join letters.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{e31}'..='\u{e4e}')
}

fn is_word_by_itself(character: char) -> bool {
    matches!(character,
        '\u{3041}'..='\u{30ff}' // kana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

/// Takes the words of a text for the index.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordTokenizer;

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream {
        WordStream { tokens: tokens(text).into_iter(), token: Token::default() }
    }
}

/// The words of one text, one after the other.
pub(super) struct WordStream {
    tokens: std::vec::IntoIter<Token>,
    token: Token,
}

impl TokenStream for WordStream {
    fn advance(&mut self) -> bool {
        let next = self.tokens.next();
        let is_there = next.is_some();
        self.token = next.unwrap_or_default();
        is_there
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
    fn words_are_letters_and_digits_in_lower_case() {
        check("The Snowy-Owl's 2nd\nnest!", "the|snowy|owl|s|2nd|nest");
        check("ÄRGER e\u{301}t\u{e9}", "ärger|e\u{301}t\u{e9}");
        check("", "");
        check(&format!("a {} b", "x".repeat(100)), "a|b");
    }

    #[test]
    fn scripts_without_spaces_are_taken_by_character() {
        check("東京tower へ", "東|京|tower|へ");
        check("हिन्दी शब्द", "हिन्दी|शब्द");
    }

    proptest! {
        #[test]
        fn every_word_is_where_it_is_said_to_be(text in ".{0,80}") {
            for token in tokens(&text) {
                let there = &text[token.offset_from..token.offset_to];
                prop_assert_eq!(there.to_lowercase(), token.text);
            }
        }
    }
}
