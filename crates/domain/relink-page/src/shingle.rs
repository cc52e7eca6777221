//! Shingles: hashes of sequences of five words, by which texts are compared (Broder et
//! al., *Syntactic Clustering of the Web*, 1997).
//!
//! Words consist of letters and digits and are compared in lower case; punctuation is
//! ignored. A window of five words moves over the text, so only the start and the end
//! of the text are stored. The *sketch* of a text is a sample of its shingles: the
//! smallest hashes. Two sketches approximate the resemblance of their texts.

use std::collections::BTreeSet;

use relink_model::{Digest, Sketch};

use crate::safe_slice::SafeSlice as _;

/// Number of words in a shingle.
pub const SHINGLE_WORDS: usize = 5;

/// Number of buffered hashes after which all but the smallest are dropped.
const BUFFER_SIZE: usize = 8 * Sketch::SIZE;

/// Maximum length of the stored start of a text, in characters.
const MAX_START: u64 = Digest::MAX_TEXT_START as u64;

/// An odd number with evenly spread bits: 2^64 divided by the golden ratio
/// (Knuth, *The Art of Computer Programming* 3, 6.4).
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns all shingles of a text. A text with one to four words has one shingle
/// of all its words.
pub fn shingles(text: &str) -> BTreeSet<u32> {
    let mut window = ShingleWindow::default();
    let mut found = BTreeSet::new();
    window.push(text, &mut |shingle| {
        found.insert(shingle);
    });
    window.finish(&mut |shingle| {
        found.insert(shingle);
    });
    found
}

/// Returns the exact resemblance of two texts, from 0 to 1: the number of shared
/// shingles divided by the number of all shingles.
///
/// ```
/// use relink_page::shingle::resemblance;
/// let (left, right) = ("a b c d e f", "A b, c d e g");
/// assert!((resemblance(left, right) - 1.0 / 3.0).abs() < 1e-9);
/// ```
pub fn resemblance(left: &str, right: &str) -> f64 {
    let (left, right) = (shingles(left), shingles(right));
    let shared = left.intersection(&right).count();
    let all = left.len() + right.len() - shared;
    if all == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "no text has 2^52 words")]
    let ratio = shared as f64 / all as f64;
    ratio
}

/// Returns the sketch of a text, which approximates its set of shingles.
pub fn sketch(text: &str) -> Sketch {
    let mut visible = VisibleTextBuilder::default();
    visible.push(text);
    visible.finish().sketch
}

/// The stored summary of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextSummary {
    /// The length in characters, with white space folded.
    pub length: u64,
    /// The first [`Digest::MAX_TEXT_START`] characters, with white space folded.
    pub start: String,
    /// The end of the text; empty if `start` holds the whole text.
    pub end: String,
    /// The sketch of the words.
    pub sketch: Sketch,
}

/// Builds a [`TextSummary`] of visible text that arrives in chunks.
///
/// Runs of white space and control characters separate words and fold to one
/// space.
#[derive(Debug, Default)]
pub struct VisibleTextBuilder {
    length: u64,
    /// Whether a space precedes the next word.
    needs_space: bool,
    start: String,
    /// The end of the text so far, with white space as written.
    tail: String,
    /// Whether a space precedes the next chunk in `tail`.
    tail_needs_space: bool,
    window: ShingleWindow,
    smallest: SmallestHashes,
}

impl VisibleTextBuilder {
    /// Adds the next chunk. Its last word may continue in the following chunk.
    pub fn push(&mut self, text: &str) {
        let stored = if self.length < MAX_START { self.push_start(text) } else { 0 };
        self.measure(text.slice(stored..));
        self.push_tail(text);
        let smallest = &mut self.smallest;
        self.window.push(text, &mut |shingle| smallest.push(shingle));
    }

    /// Ends the current word.
    pub fn end_word(&mut self) {
        self.needs_space = true;
        self.tail_needs_space = !self.tail.is_empty();
        let smallest = &mut self.smallest;
        self.window.end_word(&mut |shingle| smallest.push(shingle));
    }

    /// Returns the length so far, in characters, with white space folded.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the summary.
    pub fn finish(mut self) -> TextSummary {
        let smallest = &mut self.smallest;
        self.window.finish(&mut |shingle| smallest.push(shingle));
        self.smallest.prune();
        let sketch = Sketch::from_hashes(self.smallest.hashes);
        let is_longer = self.length > MAX_START;
        let end = if is_longer { text_end(&self.tail) } else { String::new() };
        TextSummary { length: self.length, start: self.start, end, sketch }
    }

    /// Appends to the tail and drops its start when it gets too long.
    fn push_tail(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.tail.capacity() == 0 {
            self.tail.reserve(TAIL_SIZE);
        }
        if self.tail_needs_space {
            self.tail.push(' ');
            self.tail_needs_space = false;
        }
        self.tail
            .push_str(text.slice(text.ceil_char_boundary(text.len().saturating_sub(TAIL_SIZE))..));
        if self.tail.len() > 4 * TAIL_SIZE {
            let end = self.tail.ceil_char_boundary(self.tail.len() - TAIL_SIZE);
            self.tail.drain(..end);
        }
    }

    /// Appends to the start as much of the text as fits, word by word. Returns
    /// the number of bytes consumed.
    fn push_start(&mut self, text: &str) -> usize {
        if self.start.capacity() == 0 {
            self.start.reserve(Digest::MAX_TEXT_START);
        }
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.bytes().position(is_folded).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if !word.is_empty() {
                let stored = self.push_start_word(word);
                if stored < word.len() {
                    return text.len() - rest.len() + stored;
                }
            }
            // White space and control characters are one byte long.
            self.needs_space |= !after.is_empty();
            rest = after.get(1..).unwrap_or_default();
        }
        text.len()
    }

    /// Appends to the start as much of a word as fits. Returns the number of
    /// bytes appended.
    fn push_start_word(&mut self, word: &str) -> usize {
        self.needs_space &= self.length > 0;
        let space = u64::from(self.needs_space);
        let remaining = (MAX_START - self.length).saturating_sub(space);
        if remaining == 0 {
            return 0;
        }
        let (stored, count) = first_characters(word, remaining);
        if self.needs_space {
            self.start.push(' ');
        }
        self.start.push_str(word.slice(..stored));
        self.length += space + count;
        self.needs_space = false;
        stored
    }

    /// Adds the folded length of text after the start. The loop has no branches,
    /// because the branch predictor cannot predict the ends of words.
    fn measure(&mut self, text: &str) {
        let (mut length, mut needs_space) = (self.length, u64::from(self.needs_space));
        for byte in text.bytes() {
            let is_space = u64::from(is_folded(byte));
            let is_first = u64::from(is_first_byte(byte)) & (is_space ^ 1);
            length += is_first + (is_first & needs_space);
            needs_space = is_space | (needs_space & (is_first ^ 1));
        }
        (self.length, self.needs_space) = (length, needs_space == 1);
    }
}

/// Number of bytes that always contain [`Digest::MAX_TEXT_END`] characters.
const TAIL_SIZE: usize = 4 * Digest::MAX_TEXT_END;

/// Returns the last [`Digest::MAX_TEXT_END`] characters of a text, with white
/// space folded, starting with a whole word.
fn text_end(tail: &str) -> String {
    let folded = tail.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = folded.chars().count();
    let Some(excess) = length.checked_sub(Digest::MAX_TEXT_END).filter(|excess| *excess > 0) else {
        return folded;
    };
    let start = folded.char_indices().nth(excess).map_or(0, |(at, _)| at);
    let end = folded.slice(start..);
    end.split_once(' ').map_or(end, |(_, rest)| rest).to_owned()
}

/// Returns the length in bytes and the number of the first `max` characters of a
/// text.
fn first_characters(text: &str, max: u64) -> (usize, u64) {
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    if text.is_ascii() {
        let length = text.len().min(max);
        return (length, length as u64);
    }
    let length = text.char_indices().nth(max).map_or(text.len(), |(at, _)| at);
    (length, text.slice(..length).chars().count() as u64)
}

/// Whether a byte is white space or a control character.
fn is_folded(byte: u8) -> bool {
    byte <= b' '
}

/// Whether a byte is the first of its UTF-8 character.
fn is_first_byte(byte: u8) -> bool {
    (byte & 0xC0) != 0x80
}

/// The smallest of all hashes, in bounded memory.
#[derive(Debug)]
struct SmallestHashes {
    hashes: Vec<u32>,
    /// Upper bound of the smallest hashes; larger hashes are ignored.
    limit: u32,
}

impl Default for SmallestHashes {
    fn default() -> Self {
        Self { hashes: Vec::with_capacity(Sketch::SIZE / 2), limit: u32::MAX }
    }
}

impl SmallestHashes {
    fn push(&mut self, hash: u32) {
        if hash > self.limit {
            return;
        }
        self.hashes.push(hash);
        if self.hashes.len() >= BUFFER_SIZE {
            self.prune();
        }
    }

    /// Drops all but the smallest hashes.
    fn prune(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        self.hashes.truncate(Sketch::SIZE);
        if let Some(largest) = self.hashes.get(Sketch::SIZE - 1) {
            self.limit = *largest;
        }
    }
}

/// A window of [`SHINGLE_WORDS`] words that moves over a text.
#[derive(Debug)]
struct ShingleWindow {
    /// The hash of the current word in lower case, or [`EMPTY`].
    word: u64,
    /// The hashes of the last words, the newest last.
    last_words: [u64; SHINGLE_WORDS],
    /// Number of words read.
    count: usize,
}

/// The hash of the empty word: the offset basis of FNV-1a.
const EMPTY: u64 = 0xCBF2_9CE4_8422_2325;

/// The prime of FNV-1a. The hash is fast, with one multiplication per byte, but does not
/// mix the upper bits well. [`combine`] compensates for this.
const PRIME: u64 = 0x0100_0000_01B3;

impl Default for ShingleWindow {
    fn default() -> Self {
        Self { word: EMPTY, last_words: [0; SHINGLE_WORDS], count: 0 }
    }
}

/// Maps each byte to the letter or digit in lower case, to [`SEPARATOR`] or to
/// [`NON_ASCII`].
const LETTERS: [u8; 256] = letters();
/// Class of a byte that ends a word.
const SEPARATOR: u8 = 0;
/// Class of a byte that is part of a non-ASCII character.
const NON_ASCII: u8 = 1;

/// Computes the table [`LETTERS`].
#[expect(clippy::indexing_slicing, reason = "the table has an entry for every byte")]
const fn letters() -> [u8; 256] {
    let mut letters = [NON_ASCII; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        let letter =
            if byte.is_ascii_alphanumeric() { byte.to_ascii_lowercase() } else { SEPARATOR };
        letters[byte as usize] = letter;
        byte += 1;
    }
    letters
}

impl ShingleWindow {
    /// Adds text and calls `each` with every complete shingle.
    #[expect(clippy::indexing_slicing, reason = "the table has an entry for every byte")]
    fn push(&mut self, text: &str, each: &mut impl FnMut(u32)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            // Most bytes are letters, so the loop over letters is as small as possible.
            let mut rest = bytes.slice(at..).iter().map(|byte| LETTERS[usize::from(*byte)]);
            let mut word = self.word;
            let class = loop {
                match rest.next() {
                    Some(letter) if letter > NON_ASCII => word = with_byte(word, letter),
                    class => break class,
                }
            };
            self.word = word;
            at = bytes.len() - rest.len();
            match class {
                None => return,
                Some(NON_ASCII) => at += self.push_non_ascii(text.slice(at - 1..), each) - 1,
                Some(_) => self.end_word(each),
            }
        }
    }

    /// Adds one non-ASCII character and returns its length in bytes.
    fn push_non_ascii(&mut self, text: &str, each: &mut impl FnMut(u32)) -> usize {
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

    /// Ends the current word, and calls `each` with the shingle that the word completes.
    fn end_word(&mut self, each: &mut impl FnMut(u32)) {
        if self.word == EMPTY {
            return;
        }
        self.last_words.copy_within(1.., 0);
        self.last_words[SHINGLE_WORDS - 1] = std::mem::replace(&mut self.word, EMPTY);
        self.count += 1;
        if self.count >= SHINGLE_WORDS {
            each(combine(&self.last_words));
        }
    }

    /// Ends the text. A text shorter than a shingle yields one shingle.
    fn finish(&mut self, each: &mut impl FnMut(u32)) {
        self.end_word(each);
        if (1..SHINGLE_WORDS).contains(&self.count) {
            each(combine(self.last_words.get(SHINGLE_WORDS - self.count..).unwrap_or_default()));
        }
    }
}

/// Returns the hash of a word extended by one byte.
fn with_byte(word: u64, byte: u8) -> u64 {
    (word ^ u64::from(byte)).wrapping_mul(PRIME)
}

/// Combines the hashes of words, in order, into a hash of 32 bits.
///
/// One multiplication and fold per word mixes the bits well and is much cheaper
/// than hashing the bytes of the words again.
fn combine(words: &[u64]) -> u32 {
    let mut hash = words.len() as u64;
    for word in words {
        hash = (hash ^ word).wrapping_mul(MULTIPLIER);
        hash ^= hash >> 32;
    }
    #[expect(clippy::cast_possible_truncation, reason = "all bits of the hash are well mixed")]
    let half = hash as u32;
    half
}

/// Whether the character belongs to a script without spaces between words. Each
/// such character counts as a word.
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

    /// Asserts the resemblance of two texts, and of their sketches.
    #[track_caller]
    fn check(one: &str, other: &str, expect: f64) {
        let found = resemblance(one, other);
        assert!((found - expect).abs() < 1e-9, "{found} for {one:?} and {other:?}");
        let (one, other) = (sketch(one), sketch(other));
        assert!((one.resemblance(&other) - expect).abs() < 1e-9);
    }

    #[test]
    fn resemblance_ignores_case_punctuation_and_spaces() {
        check("The quick, brown fox: jumps!", "the  QUICK brown\nfox jumps", 1.0);
        check("ÄÖ ü", "äö Ü", 1.0);
    }

    #[test]
    fn short_text_has_one_shingle() {
        check("a b", "a b", 1.0);
        check("a b", "b a", 0.0);
        check("", " .", 1.0);
        check("a", "", 0.0);
        assert_eq!(shingles("a b c d").len(), 1);
        assert_eq!(shingles("a b c d e").len(), 1);
        assert_eq!(shingles("a b c d e f").len(), 2);
    }

    #[test]
    fn resemblance_is_the_share_of_common_shingles() {
        check("a b c d e f g", "a b c d e f h", 0.5);
    }

    #[test]
    fn text_without_spaces_is_compared_by_character() {
        assert_eq!(shingles("你好世界和平").len(), 2);
        check("你好世界和平", "你好 世界 和平", 1.0);
    }

    #[test]
    fn chunks_form_one_text() {
        let mut chunks = VisibleTextBuilder::default();
        for chunk in ["one tw", "o ", " three fo", "ur five six"] {
            chunks.push(chunk);
        }
        let found = chunks.finish();
        assert_eq!(found.start, "one two three four five six");
        assert_eq!(found.length, found.start.len() as u64);
        assert_eq!(found.sketch, sketch(&found.start));
    }

    /// Asserts the stored start and the length of a text in chunks, each of which ends a word.
    #[track_caller]
    fn check_start(chunks: &[&str], expect: &str) {
        let mut text = VisibleTextBuilder::default();
        for chunk in chunks {
            text.push(chunk);
            text.end_word();
        }
        let found = text.finish();
        assert_eq!(found.start, expect);
        assert_eq!(found.length, expect.chars().count() as u64);
    }

    #[test]
    fn start_is_folded_consistently_with_the_length() {
        check_start(&[" a\n\t b ", "", " ", "c\0d"], "a b c d");
        check_start(&["é", "\u{a0}你"], "é \u{a0}你");
        check_start(&[" \n"], "");
    }

    #[test]
    fn start_of_a_long_text_is_truncated() {
        for chunk in ["x", "é ", "a bc d", " 你 ", "long words and short"] {
            let mut text = VisibleTextBuilder::default();
            text.push(&chunk.repeat(500));
            let found = text.finish();
            let length = found.start.chars().count();
            assert!((399..=Digest::MAX_TEXT_START).contains(&length), "{length} of {chunk:?}");
            assert_eq!(found.start.trim_end(), found.start);
        }
    }

    #[test]
    fn sketch_of_a_long_text_has_its_smallest_shingles() {
        let words: Vec<String> = (0..20_000).map(|n| format!("w{n}")).collect();
        let text = words.join(" ");
        let all: Vec<u32> = shingles(&text).into_iter().take(Sketch::SIZE).collect();
        assert_eq!(sketch(&text).hashes(), all);
    }

    #[test]
    fn sketch_of_a_repetitive_text_has_all_shingles() {
        let text = "a b c d e f ".repeat(2_000);
        let all: Vec<u32> = shingles(&text).into_iter().collect();
        assert_eq!(sketch(&text).hashes(), all);
    }

    proptest! {
        #[test]
        fn start_is_a_prefix_of_the_folded_text_for_any_chunks(
            chunks in prop::collection::vec("[ \n\0aé你]{0,9}|[a-c]{150,250}|(é ){190,210}", 0..9)
        ) {
            let mut text = VisibleTextBuilder::default();
            for chunk in &chunks {
                text.push(chunk);
            }
            let found = text.finish();
            let whole = chunks.concat();
            let words = whole.split(|folded| folded <= ' ').filter(|word| !word.is_empty());
            let folded = words.collect::<Vec<_>>().join(" ");
            let start: String = folded.chars().take(Digest::MAX_TEXT_START).collect();
            prop_assert_eq!(found.start, start.trim_end());
            prop_assert_eq!(found.length, folded.chars().count() as u64);
            prop_assert_eq!(found.sketch, sketch(&folded));
        }
    }
}
