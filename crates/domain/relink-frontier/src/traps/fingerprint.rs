//! The text of a page, as hashes of short pieces of the text.
//!
//! A *piece* is a part of a sentence. It ends at a tag, at punctuation or after a word whose
//! hash is divisible by 8 (content-defined chunking). Pieces therefore do not depend on
//! their position: a page that shows known text in another order, or a selection of it, has
//! no new pieces. Numbers, months, weekdays and the words of the page's own URL are
//! *masked*: replaced by a constant, because generated pages often differ only in them.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use relink_model::Digest;
use url::Url;

use super::{calendar, html_text};

/// Maximum number of pieces of a page. The rest of a longer page is ignored.
const MAX_PIECES: usize = 4_096;
/// Minimum number of words after which a word can end a piece.
const MIN_PIECE_WORDS: u16 = 4;
/// Maximum number of words in a piece.
const MAX_PIECE_WORDS: u16 = 32;
/// A word whose hash is divisible by this number ends a piece.
const WORDS_PER_END: u64 = 8;

/// Start value of the hash FNV-1a with 64 bits.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
/// Factor of the hash FNV-1a with 64 bits.
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Hash of a masked word.
const MASK: u64 = 1;

/// The text of a fetched page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFingerprint {
    /// Hash of the masked title, or `None` if nothing is left of it.
    pub(super) title: Option<u32>,
    /// The different pieces.
    pub(super) pieces: Vec<Piece>,
    /// Hash of the complete text, with numbers.
    pub(super) exact: u64,
}

/// A piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub(super) hash: u32,
    /// Number of words that are not masked.
    pub(super) words: u16,
}

impl PageFingerprint {
    /// Returns the fingerprint of the HTML page at `url`.
    pub fn from_html(url: &Url, body: &[u8]) -> Self {
        let html = String::from_utf8_lossy(body);
        let (title, text) = html_text::title_and_text(&html);
        Self::from_text(url, title, &text)
    }

    /// Returns the fingerprint of a page by its title and visible text. Lines are separate
    /// pieces.
    pub fn from_text(url: &Url, title: Option<&str>, text: &str) -> Self {
        let own_words = url_words(url);
        let title = title.map(|title| split_into_pieces(title, &own_words));
        let title = title.filter(|pieces| !pieces.is_empty());
        Self {
            title: title.map(|pieces| {
                // 17 is an arbitrary start value.
                pieces.iter().fold(17_u32, |hash, piece| hash.rotate_left(5) ^ piece.hash)
            }),
            pieces: split_into_pieces(text, &own_words),
            exact: hash_of_words(text),
        }
    }

    /// Returns the fingerprint of a file without text, such as a picture: one long piece that
    /// is equal for equal bytes.
    pub fn from_digest(digest: &Digest) -> Self {
        let bytes = digest.fingerprint.map_or(0, u64::from);
        let exact = add_hash(add_hash(FNV_OFFSET, bytes), digest.text_length);
        let pieces =
            vec![Piece { hash: upper_half(add_hash(exact, bytes)), words: MAX_PIECE_WORDS }];
        Self { title: None, pieces, exact }
    }

    /// Returns a hash of the title and the text, without masked words.
    pub(super) fn masked(&self) -> u64 {
        let pieces = self.pieces.iter().map(|piece| u64::from(piece.hash));
        pieces.fold(u64::from(self.title.unwrap_or_default()), add_hash)
    }

    /// Returns the number of words that are not masked.
    pub(super) fn word_count(&self) -> u32 {
        self.pieces.iter().map(|piece| u32::from(piece.words)).sum()
    }
}

/// Returns the hashes of the words in the path and the query values of a URL.
fn url_words(url: &Url) -> BTreeSet<u64> {
    let path = percent_decode_str(url.path()).decode_utf8_lossy();
    let query = url.query().unwrap_or_default().replace('+', " ");
    let query = percent_decode_str(&query).decode_utf8_lossy();
    let words = |text: &str| -> Vec<u64> { Words::new(text).map(|word| word.hash).collect() };
    words(&path).into_iter().chain(words(&query)).collect()
}

/// Splits a text into pieces. Returns the distinct pieces, sorted. The words `own_words` of
/// the page's URL are masked.
fn split_into_pieces(text: &str, own_words: &BTreeSet<u64>) -> Vec<Piece> {
    let mut pieces = BTreeSet::new();
    // The state of the current piece.
    let (mut hash, mut words, mut was_masked) = (FNV_OFFSET, 0_u16, false);
    for word in Words::new(text) {
        let is_masked = word.is_number_like || own_words.contains(&word.hash);
        // Consecutive masked words are hashed as one, so that their number does not matter.
        if !(is_masked && was_masked) {
            hash = add_hash(hash, if is_masked { MASK } else { word.hash });
        }
        was_masked = is_masked;
        words += u16::from(!is_masked);
        let ends_by_hash = words >= MIN_PIECE_WORDS && word.hash % WORDS_PER_END == 0;
        if word.ends_sentence || ends_by_hash || words >= MAX_PIECE_WORDS {
            pieces.extend((words > 0).then(|| Piece { hash: upper_half(hash), words }));
            (hash, words, was_masked) = (FNV_OFFSET, 0, false);
            if pieces.len() >= MAX_PIECES {
                break;
            }
        }
    }
    pieces.extend((words > 0).then(|| Piece { hash: upper_half(hash), words }));
    pieces.into_iter().collect()
}

/// Returns the upper half of a hash, which has the better distribution.
fn upper_half(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or_default()
}

/// Returns a hash of all words and numbers of a text.
fn hash_of_words(text: &str) -> u64 {
    let words = text.split_ascii_whitespace();
    words.fold(FNV_OFFSET, |hash, word| add_hash(hash, word_hash(word)))
}

/// A word of a text.
struct Word {
    hash: u64,
    /// Whether the word is a month or a weekday, starts with a digit, or has a letter after a
    /// digit.
    is_number_like: bool,
    /// Whether punctuation or a line end follows.
    ends_sentence: bool,
}

/// Iterates over the words of a text. ASCII letters are converted to lower case. Other
/// characters are used unchanged.
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self(text.as_bytes())
    }
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        let start = self.0.iter().position(is_letter)?;
        let word = self.0.get(start..)?;
        let (mut hash, mut length, mut letters) = (FNV_OFFSET, 0, 0);
        let mut is_number_like = false;
        for byte in word.iter().take_while(|byte| is_letter(byte)) {
            length += 1;
            if byte.is_ascii_digit() {
                is_number_like |= letters == 0;
                continue;
            }
            // A letter after a digit occurs in tokens, times and ordinal numbers.
            is_number_like |= letters + 1 < length;
            letters += 1;
            hash = add_letter(hash, byte.to_ascii_lowercase());
        }
        self.0 = word.get(length..).unwrap_or_default();
        let after = self.0.iter().take_while(|byte| !is_letter(byte));
        let ends_sentence = after.enumerate().any(|(index, byte)| {
            *byte == b'\n' || index == 0 && matches!(byte, b'.' | b'!' | b'?' | b';' | b'|')
        });
        let is_number_like = is_number_like || calendar::is_calendar_name(hash, length);
        Some(Word { hash, is_number_like, ends_sentence })
    }
}

fn add_letter(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
}

/// Returns the hash of a word in lower case.
pub(super) fn word_hash(word: &str) -> u64 {
    word.bytes().fold(FNV_OFFSET, add_letter)
}

/// Adds a word to a hash of words. The order matters.
fn add_hash(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(path: &str, text: &str) -> PageFingerprint {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        PageFingerprint::from_text(&url, Some("Title"), text)
    }

    /// Asserts whether two texts have the same pieces.
    #[track_caller]
    fn check(one: &str, other: &str, are_equal: bool) {
        let (one_page, other_page) = (fingerprint("/a", one), fingerprint("/b", other));
        assert_eq!(one_page.pieces == other_page.pieces, are_equal, "{one} / {other}");
    }

    #[test]
    fn numbers_and_dates_are_masked() {
        check("Page 7 of 9", "Page 12 of 120", true);
        check("Mon 1 March 2031: no events", "Tue 30 April 2042: no EVENTS", true);
        check("at 10am on the 3rd: a4f09c", "at 11pm on the 4th: 7be12d", true);
        check("Sizes 7 8 9", "Sizes 10 11", true);
        check("", "", true);
    }

    #[test]
    fn words_and_their_order_matter() {
        check("one red fish", "one blue fish", false);
        check("man bites dog", "dog bites man", false);
        check("", "a", false);
    }

    #[test]
    fn order_of_sentences_does_not_matter() {
        check("One fish. Two birds. Red fox", "Red fox. One fish. Two birds", true);
        check("One fish\nTwo birds", "Two birds\nOne fish", true);
    }

    #[test]
    fn words_of_the_own_url_are_masked() {
        let one = fingerprint("/search?q=blue+fish", "Results for blue fish");
        let other = fingerprint("/search?q=red+bird", "Results for red bird");
        assert_eq!(one.pieces, other.pieces);
        assert_ne!(one.exact, other.exact);
    }

    #[test]
    fn files_differ_by_their_bytes() {
        let file = |bytes: u32| {
            let digest = Digest { fingerprint: Some(bytes), ..Digest::default() };
            PageFingerprint::from_digest(&digest)
        };
        assert_eq!(file(1), file(1));
        assert_ne!(file(1).pieces, file(2).pieces);
    }
}
