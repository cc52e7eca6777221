//! Splits a block of text into words and punctuation, with the boundaries that a
//! phrase must not cross.

use std::ops::Range;

use relink_model::is_indic_punctuation;
use relink_page::{BlockText, InlineMark, InlineMarkKind};

/// Maximum length of a word, in characters. Longer words count as punctuation, so that no
/// phrase contains them.
const MAX_WORD_LENGTH: usize = 30;

/// A word or a punctuation character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// The text as written.
    pub(crate) text: &'t str,
    /// Whether the token is a word.
    pub(crate) is_word: bool,
    /// Whether a phrase must not continue from the previous token to this token,
    /// because a tag other than a link is between them.
    pub(crate) has_boundary: bool,
    /// Whether the text is emphasized.
    pub(crate) is_emphasized: bool,
}

/// A reader of the inline tags of a page, in order.
pub(crate) struct MarkReader<'p> {
    marks: std::iter::Peekable<std::slice::Iter<'p, InlineMark>>,
    /// Number of open elements with emphasis.
    depth: usize,
}

impl<'p> MarkReader<'p> {
    pub(crate) fn new(page: &'p BlockText) -> Self {
        Self { marks: page.marks.iter().peekable(), depth: 0 }
    }

    /// Skips the marks before a block. Emphasis does not continue in another block.
    fn skip_to(&mut self, start: usize) {
        while self.marks.next_if(|mark| mark.offset < start).is_some() {}
        self.depth = 0;
    }

    /// Reads the marks up to an offset and returns whether there were any.
    fn read_to(&mut self, offset: usize) -> bool {
        let mut has_marks = false;
        while let Some(mark) = self.marks.next_if(|mark| mark.offset <= offset) {
            has_marks = true;
            match mark.kind {
                InlineMarkKind::EmphasisStart => self.depth += 1,
                InlineMarkKind::EmphasisEnd => self.depth = self.depth.saturating_sub(1),
                InlineMarkKind::Tag => {}
            }
        }
        has_marks
    }
}

/// Returns the tokens of a block. Blocks must be passed in document order.
pub(crate) fn block_tokens<'p>(
    page: &'p BlockText,
    range: &Range<usize>,
    marks: &mut MarkReader<'_>,
) -> Vec<Token<'p>> {
    marks.skip_to(range.start);
    let text = page.text().get(range.clone()).unwrap_or_default();
    let mut tokens = Vec::new();
    for_each_token(text, |at, text, is_word| {
        let has_boundary = marks.read_to(range.start + at);
        let is_emphasized = marks.depth > 0;
        tokens.push(Token { text, is_word, has_boundary, is_emphasized });
    });
    tokens
}

/// Returns the tokens of a text without tags.
pub(crate) fn text_tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for_each_token(text, |_, text, is_word| {
        tokens.push(Token { text, is_word, has_boundary: false, is_emphasized: false });
    });
    tokens
}

/// Calls `each` with the offset and text of every token, and whether it is a word.
fn for_each_token<'t>(text: &'t str, mut each: impl FnMut(usize, &'t str, bool)) {
    let mut characters = text.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        if character.is_whitespace() {
            continue;
        }
        let mut end = start + character.len_utf8();
        let is_word = character.is_alphanumeric();
        if is_word {
            let continues_word = |(at, next): &(usize, char)| {
                next.is_alphanumeric() || is_combining(*next) || is_inner(text, *at, *next)
            };
            while let Some((at, next)) = characters.next_if(continues_word) {
                end = at + next.len_utf8();
            }
        }
        let token = text.get(start..end).unwrap_or_default();
        each(start, token, is_word && token.chars().count() <= MAX_WORD_LENGTH);
    }
}

/// Whether a character is a combining mark, for example in Indic scripts.
fn is_combining(character: char) -> bool {
    match character {
        '\u{300}'..='\u{36f}' | '\u{200c}' | '\u{200d}' => true,
        '\u{900}'..='\u{d7f}' => !is_indic_punctuation(character),
        _ => false,
    }
}

/// Whether a character is an apostrophe or hyphen before a letter or digit.
fn is_inner(text: &str, at: usize, character: char) -> bool {
    let after = text.get(at + character.len_utf8()..).and_then(|rest| rest.chars().next());
    matches!(character, '\'' | '’' | '-') && after.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use relink_page::{DocumentFormat, block_text};

    /// Returns the tokens of a page, with `|` at boundaries and `!` before emphasized tokens.
    fn formatted(html: &str) -> String {
        let page = block_text(DocumentFormat::Html, html.as_bytes());
        let mut marks = MarkReader::new(&page);
        let mut text = String::new();
        for block in &page.blocks {
            for token in block_tokens(&page, &block.range, &mut marks) {
                if token.has_boundary {
                    text.push_str("| ");
                }
                if token.is_emphasized {
                    text.push('!');
                }
                text.push_str(token.text);
                text.push(' ');
            }
        }
        text.trim_end().to_owned()
    }

    #[test]
    fn words_and_punctuation_are_separate_tokens() {
        let texts: Vec<&str> =
            text_tokens("A barn-owl's nest, (x)").iter().map(|token| token.text).collect();
        assert_eq!(texts, ["A", "barn-owl's", "nest", ",", "(", "x", ")"]);
    }

    #[test]
    fn tags_are_boundaries_except_links() {
        assert_eq!(formatted("<p>snowy <b>barn owl</b> nest"), "snowy | !barn !owl | nest");
        assert_eq!(formatted("<p>snowy <a href=x>owl</a> nest"), "snowy owl nest");
        assert_eq!(formatted("<p>snowy <span>owl</span>"), "snowy | owl");
    }

    #[test]
    fn emphasis_ends_with_its_block() {
        assert_eq!(formatted("<p><b>owl<p>nest"), "| !owl nest");
    }
}
