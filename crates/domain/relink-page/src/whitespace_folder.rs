//! Folds white space: replaces consecutive white space with one space, trims the text
//! and cuts it to a maximum length.

/// Maximum length of a title, in characters.
const MAX_TITLE_LENGTH: usize = 200;

/// Initial capacity of the text, in bytes; most titles and headings fit.
const INITIAL_CAPACITY: usize = 64;

/// Folds the white space of a title. Returns `None` if the title is blank.
pub(crate) fn fold_title(text: &str) -> Option<String> {
    let mut title = WhitespaceFolder::new(MAX_TITLE_LENGTH);
    title.push(text);
    title.finish()
}

/// Folds the white space of a text that arrives in chunks.
pub(crate) struct WhitespaceFolder {
    text: String,
    /// Number of characters that may still be added.
    remaining: usize,
    needs_space: bool,
}

impl WhitespaceFolder {
    /// Begins a text of at most `max_length` characters.
    pub(crate) fn new(max_length: usize) -> Self {
        Self {
            text: String::with_capacity(INITIAL_CAPACITY),
            remaining: max_length,
            needs_space: false,
        }
    }

    /// Adds the next chunk. Its last word may continue in the following chunk.
    pub(crate) fn push(&mut self, text: &str) {
        for character in text.chars() {
            if character.is_whitespace() {
                self.needs_space = true;
                continue;
            }
            let needs_space = self.needs_space && !self.text.is_empty();
            let Some(remaining) = self.remaining.checked_sub(1 + usize::from(needs_space)) else {
                self.remaining = 0;
                return;
            };
            if needs_space {
                self.text.push(' ');
            }
            self.text.push(character);
            (self.remaining, self.needs_space) = (remaining, false);
        }
    }

    /// Separates the last word from the next word.
    pub(crate) fn push_break(&mut self) {
        self.needs_space = true;
    }

    /// Whether the maximum length is reached.
    pub(crate) fn is_full(&self) -> bool {
        self.remaining == 0
    }

    /// Returns the folded text, or `None` if it is empty.
    pub(crate) fn finish(self) -> Option<String> {
        (!self.text.is_empty()).then_some(self.text)
    }
}
