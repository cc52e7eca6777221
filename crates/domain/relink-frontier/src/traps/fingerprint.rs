//! Fingerprints of pages for near-duplicate detection.
//!
//! Numbers, months and weekdays are masked, because pages of a calendar or a list differ only
//! in them. If only the digest of a page is available, its start, end and headings are
//! masked, and a sample of its shingles represents the text between. Numbers in that text
//! are not masked, so a trap may be detected later or not at all.

use relink_model::{Digest, Sketch};
use serde::{Deserialize, Serialize};

use super::{calendar, html_text};

/// Number of stored shingles. A resemblance of 0.97 is then known to ±0.02.
const SAMPLE_SIZE: usize = 64;

/// Number of hashes in the buffer from which the smallest are selected.
const BUFFER_SIZE: usize = 8 * SAMPLE_SIZE;

/// Minimum resemblance of equal pages with the same title, start and end.
const SAME: f64 = 0.97;

/// Minimum resemblance of near duplicates with the same title. It is high, because short
/// articles in a large template resemble each other.
const NEAR: f64 = 0.97;

/// Minimum resemblance of near duplicates if the URLs number pages, dates or sessions.
const NEAR_IN_SEQUENCE: f64 = 0.9;

/// FNV-1a, 64 bits.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
/// See [`OFFSET`].
const PRIME: u64 = 0x0100_0000_01b3;

/// Hash of any run of masked words.
const MASK: u64 = 1;

/// The content of a fetched page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageFingerprint {
    pub(super) text: TextFingerprint,
    /// Number of new links that leave the pattern of the page.
    pub(super) new_outlinks: usize,
}

/// The fingerprint of the text of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TextFingerprint {
    /// Hash of the masked title, headings, start and end.
    words: u64,
    /// Hash of the masked title and headings.
    title: u64,
    /// A sample of the text; empty if `words` covers all of it.
    #[serde(default, skip_serializing_if = "Sketch::is_empty")]
    sample: Sketch,
}

impl PageFingerprint {
    /// Returns the fingerprint of an HTML page. `new_outlinks` is the result of
    /// [`TrapDetector::new_outlinks`].
    ///
    /// [`TrapDetector::new_outlinks`]: super::TrapDetector::new_outlinks
    pub fn from_html(body: &[u8], new_outlinks: usize) -> Self {
        let html = String::from_utf8_lossy(body);
        let (title, text) = html_text::title_and_text(&html);
        Self::from_text(title, &text, new_outlinks)
    }

    /// Sets the number of new links that leave the pattern of the page.
    #[must_use]
    pub fn with_new_outlinks(self, new_outlinks: usize) -> Self {
        Self { new_outlinks, ..self }
    }

    /// Returns the fingerprint of a digest. `new_outlinks` is the result of
    /// [`TrapDetector::new_outlinks`].
    ///
    /// [`TrapDetector::new_outlinks`]: super::TrapDetector::new_outlinks
    pub fn from_digest(digest: &Digest, new_outlinks: usize) -> Self {
        let headings = digest.headings.iter().map(String::as_str);
        let title = hash_masked(digest.title.as_deref().into_iter().chain(headings));
        let text = hash_masked([digest.text_start.as_str(), digest.text_end.as_str()]);
        let bytes = digest.fingerprint.map_or(0, u64::from);
        let words = mix(mix(title, text), bytes);
        let sample = if digest.is_short() { Sketch::default() } else { sample(&digest.sketch) };
        Self { text: TextFingerprint { words, title, sample }, new_outlinks }
    }

    /// Returns the fingerprint of a page by its title and visible text.
    pub fn from_text(title: Option<&str>, text: &str, new_outlinks: usize) -> Self {
        let title = hash_masked(title);
        let words = mix(title, hash_masked([text]));
        Self { text: TextFingerprint { words, title, sample: masked_sample(text) }, new_outlinks }
    }
}

impl TextFingerprint {
    /// Whether the other page differs only in numbers and dates.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.words == other.words && self.sample.resemblance(&other.sample) >= SAME
    }

    /// Whether the other page is a near duplicate. `is_sequence` tolerates larger
    /// differences.
    pub(super) fn is_near(&self, other: &Self, is_sequence: bool) -> bool {
        let min = if is_sequence { NEAR_IN_SEQUENCE } else { NEAR };
        let both_long = !self.sample.is_empty() && !other.sample.is_empty();
        both_long && self.title == other.title && self.sample.resemblance(&other.sample) >= min
    }
}

/// Returns the smallest hashes of a sketch, which are a sketch themselves.
fn sample(sketch: &Sketch) -> Sketch {
    Sketch::from_hashes(sketch.hashes().iter().take(SAMPLE_SIZE).copied().collect())
}

/// Returns a sample of the masked words of a text, each with its successor. Only the smallest
/// hashes are needed, so the others are dropped early.
fn masked_sample(text: &str) -> Sketch {
    let (mut hashes, mut last) = (Vec::with_capacity(BUFFER_SIZE), OFFSET);
    let mut limit = u32::MAX;
    for word in masked(text) {
        // The upper half of a product has the better distribution.
        let pair = u32::try_from(mix(last, word) >> 32).unwrap_or_default();
        last = word;
        if pair >= limit {
            continue;
        }
        hashes.push(pair);
        if hashes.len() >= BUFFER_SIZE {
            hashes = sample(&Sketch::from_hashes(hashes)).hashes().to_vec();
            limit = hashes.get(SAMPLE_SIZE - 1).copied().unwrap_or(limit);
        }
    }
    sample(&Sketch::from_hashes(hashes))
}

fn hash_masked<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    texts.into_iter().flat_map(masked).fold(OFFSET, mix)
}

/// Returns the hashes of the words of a text. A run of numbers, months and weekdays is one
/// [`MASK`]. Of a name followed by a number, only the name counts, because a text may consist
/// of such words.
fn masked(text: &str) -> impl Iterator<Item = u64> {
    let mut was_masked = false;
    Words(text.as_bytes()).filter(move |hash| {
        let is_masked = *hash == MASK;
        !(std::mem::replace(&mut was_masked, is_masked) && is_masked)
    })
}

/// Iterates over the hashes of the words of a text. ASCII letters are converted to lower case;
/// other characters are used unchanged.
struct Words<'a>(&'a [u8]);

impl Iterator for Words<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        let start = self.0.iter().position(is_letter)?;
        let word = self.0.get(start..)?;
        let (mut hash, mut length, mut letters) = (OFFSET, 0, 0);
        let mut is_number = false;
        for byte in word.iter().take_while(|byte| is_letter(byte)) {
            length += 1;
            if byte.is_ascii_digit() {
                is_number |= letters == 0;
                continue;
            }
            // Letters after a digit: a token, a time, an ordinal number.
            is_number |= letters + 1 < length;
            letters += 1;
            hash = add_letter(hash, byte.to_ascii_lowercase());
        }
        self.0 = word.get(length..).unwrap_or_default();
        let is_masked = is_number || calendar::is_name(hash, length);
        Some(if is_masked { MASK } else { hash })
    }
}

fn add_letter(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(PRIME)
}

/// Returns the hash of a word in lower case.
pub(super) fn hash_of(word: &str) -> u64 {
    word.bytes().fold(OFFSET, add_letter)
}

/// Adds a word to a hash of words; the order matters.
fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> TextFingerprint {
        PageFingerprint::from_text(Some("Title"), text, 0).text
    }

    #[track_caller]
    fn check(one: &str, other: &str, expect: bool) {
        assert_eq!(text(one).is_same(&text(other)), expect, "{one} / {other}");
    }

    #[test]
    fn numbers_and_dates_are_ignored() {
        check("Page 7 of 9", "Page 12 of 120", true);
        check("Mon 1 March 2031: no events", "Tue, 30. April 2042: no EVENTS", true);
        check("", "", true);
    }

    #[test]
    fn words_and_their_order_matter() {
        check("one red fish", "one blue fish", false);
        check("man bites dog", "dog bites man", false);
        check("", "a", false);
    }

    #[test]
    fn near_duplicate_is_a_long_text_with_few_other_words() {
        let words = |from: u32, to: u32| -> String {
            let letters = |n: u32| char::from_u32(0x4e00 + n).unwrap();
            (from..to).map(letters).flat_map(|letter| [letter, ' ']).collect()
        };
        let one = text(&words(0, 400));
        assert!(one.is_near(&text(&words(4, 404)), true));
        assert!(!one.is_near(&text(&words(100, 500)), true));
        assert!(!one.is_near(&text(&words(30, 430)), false));
        let other_title = PageFingerprint::from_text(Some("Other"), &words(4, 404), 0).text;
        assert!(!one.is_near(&other_title, true));
    }

    #[test]
    fn name_with_a_number_counts_by_its_name() {
        let same = |one: &str, other: &str| {
            let fingerprint = |text| PageFingerprint::from_text(None, text, 0).text;
            fingerprint(one).is_same(&fingerprint(other))
        };
        assert!(same("item12 of 30", "item13 of 31"));
        assert!(!same("alpha12 beta7", "beta7 alpha12"));
        assert!(same("at 10am on the 3rd: a4f09c", "at 11pm on the 4th: 7be12d"));
    }

    #[test]
    fn digests_with_same_start_and_end_may_differ() {
        let digest = |hashes: std::ops::Range<u32>, title: &str| Digest {
            title: Some(title.to_owned()),
            text_length: 9_000,
            text_start: "Menu, part 1".to_owned(),
            text_end: "Imprint".to_owned(),
            sketch: Sketch::from_hashes(hashes.collect()),
            ..Digest::default()
        };
        let fingerprint = |digest: &Digest| PageFingerprint::from_digest(digest, 0).text;
        let one = fingerprint(&digest(0..128, "List, page 1"));
        assert!(one.is_same(&fingerprint(&digest(0..129, "List, page 2"))));
        assert!(!one.is_same(&fingerprint(&digest(128..256, "List, page 2"))));
        assert!(!one.is_same(&fingerprint(&digest(0..128, "Fish"))));
    }
}
