//! The text that a crawl has fetched so far. Decides whether a page has new text.
//!
//! Memory is bounded: hashes are added to a current set. When the current set is full, it
//! replaces the previous set, and an empty set becomes the current set. Text that occurs again
//! is added again, so only text that has not occurred for a long time is forgotten. A page with
//! forgotten text counts as new, which never ends a crawl too early.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::PageFingerprint;

/// Maximum number of hashes in one set.
const MAX_HASHES: usize = 1 << 17;
/// Minimum number of new words on a new page.
const MIN_NEW_WORDS: u32 = 3;
/// A page is new if the number of its new words, times this number, is at least the number of all
/// its words: one word in 20.
const NEW_WORD_SHARE: u32 = 20;
/// A page with this many new words is new, regardless of their share.
const MANY_NEW_WORDS: u32 = 40;

/// Hashes of the pieces and titles of all pages, see [`PageFingerprint`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct KnownText {
    pieces: HashHistory,
    titles: HashHistory,
}

impl KnownText {
    /// Adds the text of a page. Returns whether it has new content: enough new text or a
    /// new title.
    pub(super) fn add(&mut self, page: &PageFingerprint) -> bool {
        let mut new_words = 0;
        for piece in &page.pieces {
            if self.pieces.insert(piece.hash) {
                new_words += u32::from(piece.words);
            }
        }
        let has_new_title = page.title.is_some_and(|title| self.titles.insert(title));
        let has_new_text =
            new_words >= MIN_NEW_WORDS && new_words * NEW_WORD_SHARE >= page.word_count();
        has_new_title || has_new_text || new_words >= MANY_NEW_WORDS
    }
}

/// A bounded set of hashes.
#[derive(Debug, Clone, Default, PartialEq)]
struct HashHistory {
    current: HashSet<u32>,
    previous: HashSet<u32>,
}

impl HashHistory {
    /// Adds a hash. Returns whether it is new.
    fn insert(&mut self, hash: u32) -> bool {
        if self.current.len() >= MAX_HASHES {
            self.previous = std::mem::take(&mut self.current);
        }
        self.current.insert(hash) && !self.previous.contains(&hash)
    }
}

/// The sets as hexadecimal digits, because a JSON array would be much longer.
impl Serialize for HashHistory {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (to_hex(&self.current), to_hex(&self.previous)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HashHistory {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (current, previous) = <(String, String)>::deserialize(deserializer)?;
        Ok(Self { current: from_hex(&current), previous: from_hex(&previous) })
    }
}

/// Number of hexadecimal digits of a hash.
const HEX_DIGITS: usize = 8;

/// Returns the hashes as hexadecimal digits, sorted.
fn to_hex(hashes: &HashSet<u32>) -> String {
    use std::fmt::Write as _;
    let mut sorted: Vec<u32> = hashes.iter().copied().collect();
    sorted.sort_unstable();
    let mut text = String::with_capacity(HEX_DIGITS * sorted.len());
    for hash in sorted {
        // Writing to a string does not fail.
        let _ = write!(text, "{hash:08x}");
    }
    text
}

/// Parses hashes. Ignores text that is not a hash.
fn from_hex(text: &str) -> HashSet<u32> {
    let digits = text.as_bytes().chunks_exact(HEX_DIGITS);
    let parse = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    digits.filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn page(title: &str, text: &str) -> PageFingerprint {
        let url = Url::parse("https://example.org/").unwrap();
        PageFingerprint::from_text(&url, Some(title), text)
    }

    #[test]
    fn selection_of_known_text_is_not_new() {
        let mut known = KnownText::default();
        assert!(known.add(&page("Shop", "Blue mug\nRed kettle\nGreen lamp\nOld clock")));
        assert!(!known.add(&page("Shop", "Old clock\nBlue mug")));
        assert!(!known.add(&page("Shop", "Old clock\n12 mugs")));
        assert!(known.add(&page("Shop", "Old clock\nA large table of oak")));
    }

    #[test]
    fn new_title_is_new_content() {
        let mut known = KnownText::default();
        known.add(&page("Photo", "Next"));
        assert!(known.add(&page("A fox 1", "Next")));
        assert!(!known.add(&page("A fox 2", "Next")));
    }

    #[test]
    fn few_new_words_on_a_long_page_are_not_new() {
        let mut known = KnownText::default();
        let lines: Vec<String> = (0..100).map(|n| format!("line of {}", "x".repeat(n))).collect();
        let long = lines.join("\n");
        known.add(&page("Long", &long));
        assert!(!known.add(&page("Long", &format!("{long}\nquote of today"))));
    }

    #[test]
    fn stored_known_text_is_read_unchanged() {
        let mut known = KnownText::default();
        known.add(&page("Shop", "Blue mug\nRed kettle"));
        let json = serde_json::to_string(&known).unwrap();
        assert_eq!(serde_json::from_str::<KnownText>(&json).unwrap(), known);
    }

    #[test]
    fn memory_is_bounded() {
        let mut history = HashHistory::default();
        for hash in 0..400_000_u32 {
            history.insert(hash);
        }
        assert!(history.current.len() + history.previous.len() <= 2 * MAX_HASHES);
        assert!(!history.insert(399_999));
    }
}
