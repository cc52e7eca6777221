//! Text with its white space folded, cut to a length.

/// How much of a title is kept, in characters.
const TITLE_LENGTH: usize = 200;

/// What most titles and headings fit in, in bytes.
const USUAL_LENGTH: usize = 64;

/// A title as a digest keeps it; nothing if it is blank.
pub(crate) fn folded_title(text: &str) -> Option<String> {
    let mut title = WhitespaceFolder::new(TITLE_LENGTH);
    title.push(text);
    title.finish()
}

/// Folds a text that comes in pieces.
pub(crate) struct WhitespaceFolder {
    text: String,
    left: usize,
    is_apart: bool,
}

impl WhitespaceFolder {
    /// Begins a text of at most so many characters.
    pub(crate) fn new(length: usize) -> Self {
        Self { text: String::with_capacity(USUAL_LENGTH), left: length, is_apart: false }
    }

    /// Takes in the next piece; a word may go on in the piece after it.
    pub(crate) fn push(&mut self, text: &str) {
        for character in text.chars() {
            if character.is_whitespace() {
                self.is_apart = true;
                continue;
            }
            let is_apart = self.is_apart && !self.text.is_empty();
            let Some(left) = self.left.checked_sub(1 + usize::from(is_apart)) else {
                self.left = 0;
                return;
            };
            if is_apart {
                self.text.push(' ');
            }
            self.text.push(character);
            (self.left, self.is_apart) = (left, false);
        }
    }

    /// Parts words though no white space is written.
    pub(crate) fn push_break(&mut self) {
        self.is_apart = true;
    }

    /// The text, unless there is none.
    pub(crate) fn finish(self) -> Option<String> {
        (!self.text.is_empty()).then_some(self.text)
    }
}
