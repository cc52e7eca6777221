//! Shingles: the runs of words by which texts are compared.
//!
//! A text's shingles are the hashes of its word 5-grams, on lower-cased words
//! of letters and digits; punctuation and markup do not count (Broder et al.,
//! *Syntactic Clustering of the Web*, 1997). Words pass through a window of
//! five, so of the text itself only the opening is held.

use std::collections::BTreeSet;

use relink_model::{Digest, Sketch};

use crate::cut::Cut as _;

/// How many words make a shingle.
pub const WORDS: usize = 5;

/// When so many hashes are held, only the smallest are kept.
const BUFFER: usize = 8 * Sketch::SIZE;

/// How much of a text is kept as its opening, in characters.
const OPENING_LENGTH: u64 = Digest::OPENING_LENGTH as u64;

/// An odd number with evenly spread bits: 2^64 by the golden ratio (Knuth,
/// *The Art of Computer Programming* 3, 6.4).
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// All shingles of a text. A text of fewer than five words has one, of all its words.
pub fn shingles(text: &str) -> BTreeSet<u32> {
    let mut words = Words::default();
    let mut found = BTreeSet::new();
    words.push(text, &mut |shingle| {
        found.insert(shingle);
    });
    words.finish(&mut |shingle| {
        found.insert(shingle);
    });
    found
}

/// How much two texts resemble each other, exactly: shared shingles by all
/// shingles, from 0 to 1.
///
/// ```
/// use relink_page::shingle::resemblance;
/// let (one, other) = ("a b c d e f", "A b, c d e g");
/// assert!((resemblance(one, other) - 1.0 / 3.0).abs() < 1e-9);
/// ```
pub fn resemblance(one: &str, other: &str) -> f64 {
    let (one, other) = (shingles(one), shingles(other));
    let shared = one.intersection(&other).count();
    let all = one.len() + other.len() - shared;
    if all == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "no text has 2^52 words")]
    let ratio = shared as f64 / all as f64;
    ratio
}

/// The sketch of a text, small enough to keep.
pub fn sketch(text: &str) -> Sketch {
    let mut visible = VisibleTextBuilder::default();
    visible.push(text);
    visible.finish().sketch
}

/// What is kept of a text once it has been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextSummary {
    /// The length in characters, white space folded.
    pub length: u64,
    /// The first [`Digest::OPENING_LENGTH`] characters, white space folded.
    pub opening: String,
    /// The end of the text, where it is longer than the opening.
    pub closing: String,
    /// The sketch of the words.
    pub sketch: Sketch,
}

/// The text a reader sees, taken in piece by piece.
///
/// White space and control characters part words and fold to one space.
#[derive(Debug, Default)]
pub struct VisibleTextBuilder {
    length: u64,
    is_apart: bool,
    opening: String,
    /// The last pieces, as they came.
    tail: String,
    is_tail_apart: bool,
    words: Words,
    smallest: Smallest,
}

impl VisibleTextBuilder {
    /// Takes in the next piece; a word may go on in the piece after it.
    pub fn push(&mut self, text: &str) {
        let kept = if self.length < OPENING_LENGTH { self.keep_opening(text) } else { 0 };
        self.measure(text.cut(kept..));
        self.keep_tail(text);
        let smallest = &mut self.smallest;
        self.words.push(text, &mut |shingle| smallest.push(shingle));
    }

    /// Says that the word so far ends here, though no white space is written.
    pub fn end_word(&mut self) {
        self.is_apart = true;
        self.is_tail_apart = !self.tail.is_empty();
        let smallest = &mut self.smallest;
        self.words.end_word(&mut |shingle| smallest.push(shingle));
    }

    /// The length so far, in characters, white space folded.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The text in short.
    pub fn finish(mut self) -> TextSummary {
        let smallest = &mut self.smallest;
        self.words.finish(&mut |shingle| smallest.push(shingle));
        self.smallest.prune();
        let sketch = Sketch::from_hashes(self.smallest.hashes);
        let is_longer = self.length > OPENING_LENGTH;
        let closing = if is_longer { closing(&self.tail) } else { String::new() };
        TextSummary { length: self.length, opening: self.opening, closing, sketch }
    }

    /// Keeps the end of what came so far, in bounded room.
    fn keep_tail(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.tail.capacity() == 0 {
            self.tail.reserve(TAIL);
        }
        if self.is_tail_apart {
            self.tail.push(' ');
            self.is_tail_apart = false;
        }
        self.tail.push_str(text.cut(text.ceil_char_boundary(text.len().saturating_sub(TAIL))..));
        if self.tail.len() > 4 * TAIL {
            let end = self.tail.ceil_char_boundary(self.tail.len() - TAIL);
            self.tail.drain(..end);
        }
    }

    /// Keeps and measures what still fits in the opening, word by word; returns
    /// its length in bytes.
    fn keep_opening(&mut self, text: &str) -> usize {
        if self.opening.capacity() == 0 {
            self.opening.reserve(Digest::OPENING_LENGTH);
        }
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.bytes().position(is_folded).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if !word.is_empty() {
                let kept = self.keep_word(word);
                if kept < word.len() {
                    return text.len() - rest.len() + kept;
                }
            }
            // What folds is one byte.
            self.is_apart |= !after.is_empty();
            rest = after.get(1..).unwrap_or_default();
        }
        text.len()
    }

    /// Keeps as much of a word as fits; returns its length in bytes.
    fn keep_word(&mut self, word: &str) -> usize {
        self.is_apart &= self.length > 0;
        let gap = u64::from(self.is_apart);
        let room = (OPENING_LENGTH - self.length).saturating_sub(gap);
        if room == 0 {
            return 0;
        }
        let (kept, count) = first_characters(word, room);
        if self.is_apart {
            self.opening.push(' ');
        }
        self.opening.push_str(word.cut(..kept));
        self.length += gap + count;
        self.is_apart = false;
        kept
    }

    /// Measures what comes after the opening. Without branches: where words
    /// end cannot be foreseen, and a wrong guess costs more than a letter.
    fn measure(&mut self, text: &str) {
        let (mut length, mut apart) = (self.length, u64::from(self.is_apart));
        for byte in text.bytes() {
            let space = u64::from(is_folded(byte));
            let begins = u64::from(begins_character(byte)) & (space ^ 1);
            length += begins + (begins & apart);
            apart = space | (apart & (begins ^ 1));
        }
        (self.length, self.is_apart) = (length, apart == 1);
    }
}

/// Bytes of the end that are surely enough for a closing.
const TAIL: usize = 4 * Digest::CLOSING_LENGTH;

/// The last characters of a text, white space folded, from a whole word on.
fn closing(tail: &str) -> String {
    let folded = tail.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = folded.chars().count();
    let Some(spare) = length.checked_sub(Digest::CLOSING_LENGTH).filter(|spare| *spare > 0) else {
        return folded;
    };
    let start = folded.char_indices().nth(spare).map_or(0, |(at, _)| at);
    let end = folded.cut(start..);
    end.split_once(' ').map_or(end, |(_, rest)| rest).to_owned()
}

/// The length in bytes of at most so many characters from the beginning of a
/// text, and how many they are.
fn first_characters(text: &str, most: u64) -> (usize, u64) {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if text.is_ascii() {
        let kept = text.len().min(most);
        return (kept, kept as u64);
    }
    let kept = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    (kept, text.cut(..kept).chars().count() as u64)
}

/// Whether a byte is white space or a control character, which fold.
fn is_folded(byte: u8) -> bool {
    byte <= b' '
}

/// Whether a byte of UTF-8 is the first of its character.
fn begins_character(byte: u8) -> bool {
    (byte & 0xC0) != 0x80
}

/// The smallest hashes seen, in bounded memory.
#[derive(Debug)]
struct Smallest {
    hashes: Vec<u32>,
    /// Nothing above can be among the smallest.
    limit: u32,
}

impl Default for Smallest {
    fn default() -> Self {
        Self { hashes: Vec::with_capacity(Sketch::SIZE / 2), limit: u32::MAX }
    }
}

impl Smallest {
    fn push(&mut self, hash: u32) {
        if hash > self.limit {
            return;
        }
        self.hashes.push(hash);
        if self.hashes.len() >= BUFFER {
            self.prune();
        }
    }

    fn prune(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        self.hashes.truncate(Sketch::SIZE);
        if let Some(largest) = self.hashes.get(Sketch::SIZE - 1) {
            self.limit = *largest;
        }
    }
}

/// A window of five words that moves over a text.
#[derive(Debug)]
struct Words {
    /// The hash of the word being read, in lower case; it begins at [`EMPTY`].
    word: u64,
    /// The hashes of the last words, oldest first once it is full.
    window: [u64; WORDS],
    /// How many words have been read.
    count: usize,
}

/// The hash of no letters: the offset basis of FNV-1a.
const EMPTY: u64 = 0xCBF2_9CE4_8422_2325;

/// The prime of FNV-1a. It mixes the upper bits poorly, which [`combined`]
/// makes good; in exchange a letter costs one multiplication.
const PRIME: u64 = 0x0100_0000_01B3;

impl Default for Words {
    fn default() -> Self {
        Self { word: EMPTY, window: [0; WORDS], count: 0 }
    }
}

/// What each byte is to a word: the letter or digit in lower case, or one of
/// the two marks below.
const LETTERS: [u8; 256] = letters();
/// Ends a word.
const GAP: u8 = 0;
/// Begins a character beyond ASCII.
const BEYOND: u8 = 1;

#[expect(clippy::indexing_slicing, reason = "the table has a cell for every byte")]
const fn letters() -> [u8; 256] {
    let mut letters = [BEYOND; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        let letter = if byte.is_ascii_alphanumeric() { byte.to_ascii_lowercase() } else { GAP };
        letters[byte as usize] = letter;
        byte += 1;
    }
    letters
}

impl Words {
    #[expect(clippy::indexing_slicing, reason = "the table has a cell for every byte")]
    fn push(&mut self, text: &str, each: &mut impl FnMut(u32)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            // Most bytes are letters, and their loop is kept as small as can be.
            let mut rest = bytes.cut(at..).iter().map(|byte| LETTERS[usize::from(*byte)]);
            let mut word = self.word;
            let mark = loop {
                match rest.next() {
                    Some(letter) if letter > BEYOND => word = with_byte(word, letter),
                    mark => break mark,
                }
            };
            self.word = word;
            at = bytes.len() - rest.len();
            match mark {
                None => return,
                Some(BEYOND) => at += self.push_other(text.cut(at - 1..), each) - 1,
                Some(_) => self.end_word(each),
            }
        }
    }

    /// Takes in one character beyond ASCII and returns its length.
    fn push_other(&mut self, text: &str, each: &mut impl FnMut(u32)) -> usize {
        let Some(character) = text.chars().next() else { return 0 };
        if is_word_by_itself(character) {
            self.end_word(each);
            self.push_character(character);
            self.end_word(each);
        } else if character.is_alphanumeric() {
            character.to_lowercase().for_each(|lower| self.push_character(lower));
        } else {
            self.end_word(each);
        }
        character.len_utf8()
    }

    fn push_character(&mut self, character: char) {
        let mut buffer = [0; 4];
        let encoded = character.encode_utf8(&mut buffer);
        encoded.bytes().for_each(|byte| self.push_byte(byte));
    }

    fn push_byte(&mut self, byte: u8) {
        self.word = with_byte(self.word, byte);
    }

    fn end_word(&mut self, each: &mut impl FnMut(u32)) {
        if self.word == EMPTY {
            return;
        }
        self.window.copy_within(1.., 0);
        self.window[WORDS - 1] = std::mem::replace(&mut self.word, EMPTY);
        self.count += 1;
        if self.count >= WORDS {
            each(combined(&self.window));
        }
    }

    fn finish(&mut self, each: &mut impl FnMut(u32)) {
        self.end_word(each);
        if (1..WORDS).contains(&self.count) {
            each(combined(self.window.get(WORDS - self.count..).unwrap_or_default()));
        }
    }
}

/// The hash of a word with one more byte.
fn with_byte(word: u64, byte: u8) -> u64 {
    (word ^ u64::from(byte)).wrapping_mul(PRIME)
}

/// The hash of some words' hashes in their order, cut to 32 bits.
///
/// Multiplying and folding once for each word mixes them well, and is much
/// cheaper than hashing their bytes again.
fn combined(words: &[u64]) -> u32 {
    let mut hash = words.len() as u64;
    for word in words {
        hash = (hash ^ word).wrapping_mul(MULTIPLIER);
        hash ^= hash >> 32;
    }
    #[expect(clippy::cast_possible_truncation, reason = "half of the hash is as good")]
    let half = hash as u32;
    half
}

/// Scripts that write no space between words count a character as a word.
fn is_word_by_itself(character: char) -> bool {
    matches!(character,
        '\u{3041}'..='\u{30ff}' // kana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str, expect: f64) {
        let found = resemblance(one, other);
        assert!((found - expect).abs() < 1e-9, "{found} for {one:?} and {other:?}");
        let (one, other) = (sketch(one), sketch(other));
        assert!((one.resemblance(&other) - expect).abs() < 1e-9);
    }

    #[test]
    fn case_punctuation_and_space_do_not_count() {
        check("The quick, brown fox: jumps!", "the  QUICK brown\nfox jumps", 1.0);
        check("ÄÖ ü", "äö Ü", 1.0);
    }

    #[test]
    fn short_texts_are_one_shingle() {
        check("a b", "a b", 1.0);
        check("a b", "b a", 0.0);
        check("", " .", 1.0);
        check("a", "", 0.0);
        assert_eq!(shingles("a b c d").len(), 1);
        assert_eq!(shingles("a b c d e").len(), 1);
        assert_eq!(shingles("a b c d e f").len(), 2);
    }

    #[test]
    fn the_share_of_common_runs_is_the_resemblance() {
        check("a b c d e f g", "a b c d e f h", 0.5);
    }

    #[test]
    fn scripts_without_spaces_are_compared_by_character() {
        assert_eq!(shingles("你好世界和平").len(), 2);
        check("你好世界和平", "你好 世界 和平", 1.0);
    }

    #[test]
    fn pieces_are_one_text() {
        let mut pieces = VisibleTextBuilder::default();
        for piece in ["one tw", "o ", " three fo", "ur five six"] {
            pieces.push(piece);
        }
        let found = pieces.finish();
        assert_eq!(found.opening, "one two three four five six");
        assert_eq!(found.length, found.opening.len() as u64);
        assert_eq!(found.sketch, sketch(&found.opening));
    }

    #[track_caller]
    fn check_opening(pieces: &[&str], expect: &str) {
        let mut text = VisibleTextBuilder::default();
        for piece in pieces {
            text.push(piece);
            text.end_word();
        }
        let found = text.finish();
        assert_eq!(found.opening, expect);
        assert_eq!(found.length, expect.chars().count() as u64);
    }

    #[test]
    fn the_opening_is_folded_as_the_length_is_counted() {
        check_opening(&[" a\n\t b ", "", " ", "c\0d"], "a b c d");
        check_opening(&["é", "\u{a0}你"], "é \u{a0}你");
        check_opening(&[" \n"], "");
    }

    #[test]
    fn the_opening_of_a_long_text_is_cut() {
        for piece in ["x", "é ", "a bc d", " 你 ", "long words and short"] {
            let mut text = VisibleTextBuilder::default();
            text.push(&piece.repeat(500));
            let found = text.finish();
            let kept = found.opening.chars().count();
            assert!((399..=Digest::OPENING_LENGTH).contains(&kept), "{kept} of {piece:?}");
            assert_eq!(found.opening.trim_end(), found.opening);
        }
    }

    #[test]
    fn a_long_text_keeps_the_smallest_of_all_its_shingles() {
        let words: Vec<String> = (0..20_000).map(|n| format!("w{n}")).collect();
        let text = words.join(" ");
        let all: Vec<u32> = shingles(&text).into_iter().take(Sketch::SIZE).collect();
        assert_eq!(sketch(&text).hashes(), all);
    }

    #[test]
    fn a_text_that_repeats_itself_keeps_every_shingle() {
        let text = "a b c d e f ".repeat(2_000);
        let all: Vec<u32> = shingles(&text).into_iter().collect();
        assert_eq!(sketch(&text).hashes(), all);
    }

    proptest! {
        /// In whatever pieces it comes.
        #[test]
        fn the_opening_is_the_beginning_of_the_folded_text(
            pieces in prop::collection::vec("[ \n\0aé你]{0,9}|[a-c]{150,250}|(é ){190,210}", 0..9)
        ) {
            let mut text = VisibleTextBuilder::default();
            for piece in &pieces {
                text.push(piece);
            }
            let found = text.finish();
            let whole = pieces.concat();
            let words = whole.split(|folded| folded <= ' ').filter(|word| !word.is_empty());
            let folded = words.collect::<Vec<_>>().join(" ");
            let opening: String = folded.chars().take(Digest::OPENING_LENGTH).collect();
            prop_assert_eq!(found.opening, opening.trim_end());
            prop_assert_eq!(found.length, folded.chars().count() as u64);
            prop_assert_eq!(found.sketch, sketch(&folded));
        }
    }
}
