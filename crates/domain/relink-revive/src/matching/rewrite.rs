//! Rewrites: how a new slug was made from the old slug or title.
//!
//! A rewrite consists of the source of the new slug and of what was added or removed
//! before and after the common words. Only the class of these words is stored: the
//! page ids that a site adds to its slugs differ, but all are words with digits.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use super::profile::{Key, PageProfile, Word, hash_keys};

/// The part of the old page that a new slug was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum RewriteSource {
    /// The old slug.
    Slug,
    /// The old title.
    Title,
    /// The old slug and the component before it.
    ParentAndSlug,
}

/// Class of a sequence of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum WordClass {
    /// No word.
    Nothing,
    /// Words without a meaning of their own, such as `the`.
    StopWords,
    /// Words with digits, such as page ids, dates and codes.
    Codes,
    /// Other words.
    Words,
}

/// How a new slug was made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rewrite {
    /// What the slug was made from.
    pub source: RewriteSource,
    /// What was added before and after the common words.
    pub added: [WordClass; 2],
    /// What was removed before and after the common words.
    pub removed: [WordClass; 2],
    /// Share of the words of source and slug that they have in common.
    pub common: f32,
}

impl Rewrite {
    /// Returns the rewrite with the most common words, if there are any.
    pub fn detect(old: &PageProfile, new: &PageProfile) -> Option<Self> {
        if old.slug_key == new.slug_key {
            return Some(Self::unchanged(RewriteSource::Slug));
        }
        if old.title_key == Some(new.slug_key) {
            return Some(Self::unchanged(RewriteSource::Title));
        }
        let both: Vec<Word> = old.parent_words.iter().chain(&old.slug_words).copied().collect();
        let sources = [
            (RewriteSource::Slug, old.slug_words.as_slice()),
            (RewriteSource::Title, old.title_words.as_slice()),
            (RewriteSource::ParentAndSlug, both.as_slice()),
        ];
        let mut best: Option<Self> = None;
        for (source, words) in sources {
            let found = Self::from_words(source, words, &new.slug_words);
            if found.is_some_and(|it| best.is_none_or(|best| it.common > best.common)) {
                best = found;
            }
        }
        best
    }

    /// Returns the rewrite that uses the whole source.
    fn unchanged(source: RewriteSource) -> Self {
        Self {
            source,
            added: [WordClass::Nothing; 2],
            removed: [WordClass::Nothing; 2],
            common: 1.0,
        }
    }

    fn from_words(source: RewriteSource, old: &[Word], new: &[Word]) -> Option<Self> {
        let (old_start, new_start, length) = longest_common_run(old, new);
        let run = new.get(new_start..new_start + length).filter(|run| !run.is_empty())?;
        if run.iter().all(|word| word.class == WordClass::StopWords) {
            return None;
        }
        let around = |words: &[Word], start: usize| {
            [highest_class(&words[..start]), highest_class(&words[start + length..])]
        };
        #[expect(clippy::cast_precision_loss, reason = "slugs are short")]
        let common = 2.0 * length as f32 / (old.len() + new.len()) as f32;
        Some(Self {
            source,
            added: around(new, new_start),
            removed: around(old, old_start),
            common,
        })
    }

    /// Returns a key that is equal for rewrites of the same kind.
    pub fn key(&self) -> Key {
        let classes = self.added.iter().chain(&self.removed).map(|class| *class as u64);
        let keys: Vec<Key> = std::iter::once(self.source as u64).chain(classes).collect();
        hash_keys(&keys)
    }
}

/// Returns the class of a sequence of words: the class of its most distinctive word.
fn highest_class(words: &[Word]) -> WordClass {
    words.iter().map(|word| word.class).max().unwrap_or(WordClass::Nothing)
}

/// Returns the longest run of words that both lists contain: its start in `one`, its start in
/// `other`, and its length.
fn longest_common_run(one: &[Word], other: &[Word]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    // For each position in `other`, the length of the common run that ends before it.
    let mut lengths = vec![0_usize; other.len() + 1];
    for (at, word) in one.iter().enumerate() {
        for position in (0..other.len()).rev() {
            let is_equal = other[position].key == word.key;
            lengths[position + 1] = if is_equal { lengths[position] + 1 } else { 0 };
            let length = lengths[position + 1];
            if length > best.2 {
                best = (at + 1 - length, position + 1 - length, length);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::vocabulary::Vocabulary;

    /// Detects the rewrite from an old path and title to a new path. An empty title is unknown.
    fn detect(old: &str, title: &str, new: &str) -> Option<Rewrite> {
        let mut vocabulary = Vocabulary::default();
        let title = Some(title).filter(|title| !title.is_empty());
        let mut page = |path, title| {
            PageProfile::new(&format!("https://a.test/{path}"), title, &mut vocabulary)
        };
        let (old, new) = (page(old, title), page(new, None));
        Rewrite::detect(&old, &new)
    }

    /// Asserts whether the slugs of two pairs are rewritten in the same way. A pair consists of
    /// old path, old title and new path.
    #[track_caller]
    fn check(one: (&str, &str, &str), other: (&str, &str, &str), expect: bool) {
        let key = |(old, title, new)| detect(old, title, new).map(|it| it.key());
        assert_eq!(key(one).is_some() && key(one) == key(other), expect);
    }

    #[test]
    fn new_ids_do_not_matter() {
        let rancher =
            ("x/rancher000724", "Rancher survives tornado", "n/rancher-survives-tornado-1.215189");
        let potter = ("x/mb_12Potter", "Potter book flies", "n/potter-book-flies-1.201722");
        check(rancher, potter, true);
        check(("f/apple-pie", "", "r/17-apple-pie"), ("f/rye-bread", "", "r/2204-rye-bread"), true);
        check(("c/cs262", "", "c/languages--cs262"), ("c/ud405", "", "c/games--ud405"), true);
        check(("f/apple-pie", "", "r/17-apple-pie"), ("f/rye-bread", "", "r/rye-bread-9"), false);
    }

    #[test]
    fn common_stop_words_are_not_a_rewrite() {
        assert_eq!(detect("x/the", "", "y/of-the-cat"), None);
        assert_eq!(detect("x/one", "", "y/two"), None);
    }
}
