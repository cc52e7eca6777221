//! The URL and title of a page as sets of terms and keys.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use xxhash_rust::xxh3::xxh3_64;

use super::rewrite::WordClass;
use super::url_components::UrlComponents;
use super::vocabulary::{Term, Vocabulary, union};
use super::words;

/// Hash of a normalized name; see [`words::normalized_name`].
pub type Key = u64;

/// The terms and keys of a page.
#[derive(Debug, Clone, Default)]
pub struct PageProfile {
    /// The terms of the last component.
    pub slug: Vec<Term>,
    /// The terms of the component before.
    pub parent: Vec<Term>,
    /// The terms of all components.
    pub path: Vec<Term>,
    /// The terms of the title, if one is known.
    pub title: Option<Vec<Term>>,
    /// The terms of slug and title.
    pub slug_and_title: Vec<Term>,
    /// The terms of path and title.
    pub path_and_title: Vec<Term>,
    /// The key of the slug, or of the host for a home page.
    pub slug_key: Key,
    /// The key of the title, if one is known and not empty.
    pub title_key: Option<Key>,
    /// The keys of the host and each component.
    pub components: Vec<Key>,
    /// The keys of the host and each word of the path.
    pub words: Vec<Key>,
    /// The words of each component after the host.
    pub component_words: Vec<Vec<Key>>,
    /// The words of the slug.
    pub slug_words: Vec<Word>,
    /// The words of the component before the slug.
    pub parent_words: Vec<Word>,
    /// The words of the title; empty if none is known.
    pub title_words: Vec<Word>,
    /// For each component after the host, whether it consists of numbers.
    pub is_number: Vec<bool>,
    /// The keys of the trigrams of the slug, sorted.
    pub trigrams: Vec<Key>,
    /// The numbers in the slug, sorted.
    pub numbers: Vec<String>,
    /// The numbers in all components, sorted.
    pub path_numbers: Vec<String>,
}

/// A word of a slug or title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The key of the word.
    pub key: Key,
    /// The class of the word.
    pub class: WordClass,
}

impl Word {
    fn new(word: &str) -> Self {
        let class = if word.bytes().any(|byte| byte.is_ascii_digit()) {
            WordClass::Codes
        } else if STOP_WORDS.contains(&word) {
            WordClass::StopWords
        } else {
            WordClass::Words
        };
        Self { key: hash_name(word), class }
    }
}

/// English words that occur in titles and are often left out of slugs.
const STOP_WORDS: [&str; 26] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "how", "in", "is", "it", "its",
    "of", "on", "or", "that", "the", "this", "to", "what", "with", "you", "your",
];

impl PageProfile {
    /// Profiles a page. Adds its terms to the vocabulary.
    pub fn new(url: &str, title: Option<&str>, vocabulary: &mut Vocabulary) -> Self {
        let url = UrlComponents::parse(url);
        let title = title.map(str::trim).filter(|title| !title.is_empty());
        let slug = vocabulary.terms(url.slug());
        let parent = vocabulary.terms(url.parent());
        let path = vocabulary.terms(&url.components.join("/"));
        let title_terms = title.map(|title| vocabulary.terms(title));
        let known_title_terms = title_terms.as_deref().unwrap_or_default();
        let numbers = sorted(words::numbers(url.slug()));
        let path_numbers = sorted(words::numbers(&url.components.join("/")));
        let mut parts = url.components.clone();
        parts.retain(|part| !words::normalized_name(part).is_empty());
        let components = keys(&url.host, parts.iter().map(|part| words::normalized_name(part)));
        let component_words = parts
            .iter()
            .map(|part| words::words(part).iter().map(|word| hash_name(word)).collect());
        Self {
            slug_and_title: union(&slug, known_title_terms),
            path_and_title: union(&path, known_title_terms),
            slug_key: components[components.len() - 1],
            title_key: title
                .map(words::normalized_name)
                .filter(|key| !key.is_empty())
                .map(|key| hash_name(&key)),
            words: keys(&url.host, url.components.iter().flat_map(|part| words::words(part))),
            component_words: component_words.collect(),
            is_number: parts.iter().map(|part| is_number(part)).collect(),
            slug_words: word_list(url.slug()),
            parent_words: word_list(url.parent()),
            title_words: title.map(word_list).unwrap_or_default(),
            trigrams: trigrams(&words::normalized_name(url.slug())),
            slug,
            parent,
            path,
            title: title_terms,
            components,
            numbers,
            path_numbers,
        }
    }

    /// Returns the keys of the host and of all components except the slug.
    pub fn folder(&self) -> &[Key] {
        &self.components[..self.components.len().saturating_sub(1).max(1)]
    }

    /// Returns the key of the component before the last.
    pub fn parent_key(&self) -> Option<Key> {
        self.components.len().checked_sub(2).filter(|&at| at > 0).map(|at| self.components[at])
    }
}

/// Returns the words of a text.
fn word_list(text: &str) -> Vec<Word> {
    words::words(text).iter().map(|word| Word::new(word)).collect()
}

/// Whether a component contains only numbers and separators, as in `2010-06`.
fn is_number(part: &str) -> bool {
    part.chars().all(|letter| letter.is_ascii_digit() || !letter.is_alphanumeric())
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort_unstable();
    list
}

/// Returns the key of a normalized name.
pub fn hash_name(name: &str) -> Key {
    xxh3_64(name.as_bytes())
}

/// Returns the key of a sequence of keys.
pub fn hash_keys(keys: &[Key]) -> Key {
    keys.iter().fold(keys.len() as u64, |hash, key| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&hash.to_le_bytes());
        bytes[8..].copy_from_slice(&key.to_le_bytes());
        xxh3_64(&bytes)
    })
}

/// Returns the keys of the trigrams of a normalized name. The start and the end of the name
/// are marked: the trigrams of `owl` are `^ow`, `owl` and `wl$`.
fn trigrams(name: &str) -> Vec<Key> {
    let letters: Vec<char> = format!("^{name}$").chars().collect();
    let mut found: Vec<Key> =
        letters.windows(3).map(|run| hash_name(&run.iter().collect::<String>())).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the keys of the host and of the parts that are not empty.
fn keys(host: &str, parts: impl Iterator<Item = String>) -> Vec<Key> {
    let parts = parts.filter(|part| !part.is_empty()).map(|part| hash_name(&part));
    std::iter::once(hash_name(host)).chain(parts).collect()
}
