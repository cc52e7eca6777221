//! What is remembered of a page to know another like it.
//!
//! Numbers, months and days are masked: they are all in which the pages of a
//! calendar or of a list differ. Where only a digest of a page is at hand, its
//! beginning, its end and its headings are masked, and a sample of its shingles
//! tells whether what lies between is another text: numbers there count, so a
//! trap is recognized later, or not at all.

use relink_model::{Digest, Sketch};
use serde::{Deserialize, Serialize};

use super::{calendar, html_text};

/// Shingles kept of a page. A resemblance of 0.97 is then known to ±0.02.
const SAMPLE: usize = 64;

/// Hashes held before the smallest are chosen.
const BUFFER: usize = 8 * SAMPLE;

/// Pages that begin and end alike under one title are the same if what lies
/// between resembles at least so much.
const SAME: f64 = 0.97;

/// How much two pages under one title must resemble to be near. A short
/// article in a large frame resembles the next one, so this is much.
const NEAR: f64 = 0.97;

/// The same where addresses count pages, dates or sessions, and not articles.
const NEAR_IN_A_ROW: f64 = 0.9;

/// FNV-1a, 64 bits.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
/// See [`OFFSET`].
const PRIME: u64 = 0x0100_0000_01b3;

/// Stands for any run of words that are masked.
const MASK: u64 = 1;

/// What a fetched page shows, as far as traps are concerned.
#[derive(Debug, Clone, PartialEq)]
pub struct PageFingerprint {
    pub(super) glimpse: TextFingerprint,
    /// Links first found on it that lead elsewhere.
    pub(super) new_outlinks: usize,
}

/// The memory of one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TextFingerprint {
    /// Title, headings, beginning and end, masked.
    words: u64,
    /// Title and headings, masked.
    title: u64,
    /// A sample of the text; nothing where `words` is all of it.
    #[serde(default, skip_serializing_if = "Sketch::is_empty")]
    sample: Sketch,
}

impl PageFingerprint {
    /// The sight of a fetched page of HTML; `ways_out` is the number of links
    /// first found on it that lead elsewhere ([`TrapWatch::ways_out`]).
    ///
    /// [`TrapWatch::ways_out`]: super::TrapWatch::ways_out
    pub fn of_html(body: &[u8], ways_out: usize) -> Self {
        let html = String::from_utf8_lossy(body);
        let (title, text) = html_text::title_and_text(&html);
        Self::of_text(title, &text, ways_out)
    }

    /// The same sight with so many links first found that lead elsewhere.
    #[must_use]
    pub fn with_ways_out(self, ways_out: usize) -> Self {
        Self { new_outlinks: ways_out, ..self }
    }

    /// The sight of a digested page; `ways_out` is the number of links first
    /// found on it that lead elsewhere ([`TrapWatch::ways_out`]).
    ///
    /// [`TrapWatch::ways_out`]: super::TrapWatch::ways_out
    pub fn of_digest(digest: &Digest, ways_out: usize) -> Self {
        let headings = digest.headings.iter().map(String::as_str);
        let title = masked_all(digest.title.as_deref().into_iter().chain(headings));
        let text = masked_all([digest.text_start.as_str(), digest.text_end.as_str()]);
        let bytes = digest.fingerprint.map_or(0, u64::from);
        let words = mix(mix(title, text), bytes);
        let sample = if digest.is_short() { Sketch::default() } else { sample(&digest.sketch) };
        Self { glimpse: TextFingerprint { words, title, sample }, new_outlinks: ways_out }
    }

    /// The sight of a page of which title and visible text are at hand.
    pub fn of_text(title: Option<&str>, text: &str, ways_out: usize) -> Self {
        let title = masked_all(title);
        let words = mix(title, masked_all([text]));
        Self {
            glimpse: TextFingerprint { words, title, sample: masked_sample(text) },
            new_outlinks: ways_out,
        }
    }
}

impl TextFingerprint {
    /// Whether the other page differs in nothing but numbers and dates.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.words == other.words && self.sample.resemblance(&other.sample) >= SAME
    }

    /// Whether the other page differs in little; in less where the pages do
    /// not just count on.
    pub(super) fn is_near(&self, other: &Self, counts_on: bool) -> bool {
        let least = if counts_on { NEAR_IN_A_ROW } else { NEAR };
        let both_long = !self.sample.is_empty() && !other.sample.is_empty();
        both_long && self.title == other.title && self.sample.resemblance(&other.sample) >= least
    }
}

/// The smallest hashes of a sketch are a sketch.
fn sample(sketch: &Sketch) -> Sketch {
    Sketch::from_hashes(sketch.hashes().iter().take(SAMPLE).copied().collect())
}

/// A sample of the masked words of a text, each with its neighbor. Only the
/// smallest hashes are wanted, so the others are dropped on the way.
fn masked_sample(text: &str) -> Sketch {
    let (mut kept, mut last) = (Vec::with_capacity(BUFFER), OFFSET);
    let mut limit = u32::MAX;
    for word in masked(text) {
        // The upper half: the lower one is the weaker of a product.
        let pair = u32::try_from(mix(last, word) >> 32).unwrap_or_default();
        last = word;
        if pair >= limit {
            continue;
        }
        kept.push(pair);
        if kept.len() >= BUFFER {
            kept = sample(&Sketch::from_hashes(kept)).hashes().to_vec();
            limit = kept.get(SAMPLE - 1).copied().unwrap_or(limit);
        }
    }
    sample(&Sketch::from_hashes(kept))
}

fn masked_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    texts.into_iter().flat_map(masked).fold(OFFSET, mix)
}

/// Hashes of the words of a text; a run of numbers, names of months and days
/// is one [`MASK`]. Of a name with a number behind it the name counts: a text
/// may consist of such words.
fn masked(text: &str) -> impl Iterator<Item = u64> {
    let mut was_masked = false;
    Words(text.as_bytes()).filter(move |hash| {
        let is_masked = *hash == MASK;
        !(std::mem::replace(&mut was_masked, is_masked) && is_masked)
    })
}

/// The words of a text, hashed in one pass: letters and digits of ASCII in
/// lower case, and all that is no ASCII as it stands.
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
            // Letters after a digit: a token, an hour, an ordinal.
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

/// The hash of a word in lower case.
pub(super) fn hash_of(word: &str) -> u64 {
    word.bytes().fold(OFFSET, add_letter)
}

/// Adds a word to a hash of words, where order matters.
fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> TextFingerprint {
        PageFingerprint::of_text(Some("Title"), text, 0).glimpse
    }

    #[track_caller]
    fn check(one: &str, other: &str, expect: bool) {
        assert_eq!(text(one).is_same(&text(other)), expect, "{one} / {other}");
    }

    #[test]
    fn numbers_and_dates_make_no_difference() {
        check("Page 7 of 9", "Page 12 of 120", true);
        check("Mon 1 March 2031: no events", "Tue, 30. April 2042: no EVENTS", true);
        check("", "", true);
    }

    #[test]
    fn words_and_their_order_do() {
        check("one red fish", "one blue fish", false);
        check("man bites dog", "dog bites man", false);
        check("", "a", false);
    }

    #[test]
    fn near_is_a_long_text_with_a_few_other_words_under_one_title() {
        let words = |from: u32, to: u32| -> String {
            let letters = |n: u32| char::from_u32(0x4e00 + n).unwrap();
            (from..to).map(letters).flat_map(|letter| [letter, ' ']).collect()
        };
        let one = text(&words(0, 400));
        assert!(one.is_near(&text(&words(4, 404)), true));
        assert!(!one.is_near(&text(&words(100, 500)), true));
        assert!(!one.is_near(&text(&words(30, 430)), false));
        let other_title = PageFingerprint::of_text(Some("Other"), &words(4, 404), 0).glimpse;
        assert!(!one.is_near(&other_title, true));
    }

    #[test]
    fn a_name_with_a_number_counts_by_its_name() {
        let same = |one: &str, other: &str| {
            let glimpse = |text| PageFingerprint::of_text(None, text, 0).glimpse;
            glimpse(one).is_same(&glimpse(other))
        };
        assert!(same("item12 of 30", "item13 of 31"));
        assert!(!same("alpha12 beta7", "beta7 alpha12"));
        assert!(same("at 10am on the 3rd: a4f09c", "at 11pm on the 4th: 7be12d"));
    }

    #[test]
    fn a_digest_that_begins_and_ends_alike_may_be_another_text() {
        let digest = |hashes: std::ops::Range<u32>, title: &str| Digest {
            title: Some(title.to_owned()),
            text_length: 9_000,
            text_start: "Menu, part 1".to_owned(),
            text_end: "Imprint".to_owned(),
            sketch: Sketch::from_hashes(hashes.collect()),
            ..Digest::default()
        };
        let glimpse = |digest: &Digest| PageFingerprint::of_digest(digest, 0).glimpse;
        let one = glimpse(&digest(0..128, "List, page 1"));
        assert!(one.is_same(&glimpse(&digest(0..129, "List, page 2"))));
        assert!(!one.is_same(&glimpse(&digest(128..256, "List, page 2"))));
        assert!(!one.is_same(&glimpse(&digest(0..128, "Fish"))));
    }
}
