//! What one page, dead or alive, says about itself: its address and title in
//! the terms of the site.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use xxhash_rust::xxh3::xxh3_64;

use super::address::UrlComponents;
use super::vocabulary::{Term, Vocabulary, union};
use super::words;

/// A name in a form that can be compared at once; see [`words::squeezed`].
pub type Key = u64;

/// A page in the terms of its site.
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
    pub name: Vec<Term>,
    /// The terms of path and title.
    pub all: Vec<Term>,
    /// The key of the slug; of the host for a front page.
    pub slug_key: Key,
    /// The key of the title, if one is known and not empty.
    pub title_key: Option<Key>,
    /// The host and each component as keys.
    pub components: Vec<Key>,
    /// The host and each word of the path as keys.
    pub words: Vec<Key>,
    /// The words of the slug as keys.
    pub slug_words: Vec<Key>,
    /// The runs of three letters in the slug, sorted.
    pub trigrams: Vec<Key>,
    /// The numbers in the slug, sorted.
    pub numbers: Vec<String>,
}

impl PageProfile {
    /// Describes a page.
    pub fn new(url: &str, title: Option<&str>, vocabulary: &mut Vocabulary) -> Self {
        let address = UrlComponents::read(url);
        let title = title.map(str::trim).filter(|title| !title.is_empty());
        let slug = vocabulary.terms(address.slug());
        let parent = vocabulary.terms(address.parent());
        let path = vocabulary.terms(&address.components.join("/"));
        let title_terms = title.map(|title| vocabulary.terms(title));
        let title_list = title_terms.as_deref().unwrap_or_default();
        let mut numbers = words::numbers(address.slug());
        numbers.sort_unstable();
        let components =
            keys(&address.host, address.components.iter().map(|part| words::normalized_name(part)));
        Self {
            name: union(&slug, title_list),
            all: union(&path, title_list),
            slug_key: components[components.len() - 1],
            title_key: title
                .map(words::normalized_name)
                .filter(|key| !key.is_empty())
                .map(|key| key_of(&key)),
            words: keys(
                &address.host,
                address.components.iter().flat_map(|part| words::words(part)),
            ),
            slug_words: words::words(address.slug()).iter().map(|word| key_of(word)).collect(),
            trigrams: trigrams(&words::normalized_name(address.slug())),
            slug,
            parent,
            path,
            title: title_terms,
            components,
            numbers,
        }
    }

    /// The host and the folders, as keys.
    pub fn folder(&self) -> &[Key] {
        &self.components[..self.components.len().saturating_sub(1).max(1)]
    }

    /// The key of the component before the last.
    pub fn parent_key(&self) -> Option<Key> {
        self.components.len().checked_sub(2).filter(|&at| at > 0).map(|at| self.components[at])
    }
}

/// The key of a squeezed name.
pub fn key_of(name: &str) -> Key {
    xxh3_64(name.as_bytes())
}

/// The key of a sequence of keys.
pub fn key_of_all(keys: &[Key]) -> Key {
    keys.iter().fold(keys.len() as u64, |sum, key| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&sum.to_le_bytes());
        bytes[8..].copy_from_slice(&key.to_le_bytes());
        xxh3_64(&bytes)
    })
}

/// The runs of three letters of a squeezed name, with its edges marked.
fn trigrams(name: &str) -> Vec<Key> {
    let letters: Vec<char> = format!("^{name}$").chars().collect();
    let mut found: Vec<Key> =
        letters.windows(3).map(|run| key_of(&run.iter().collect::<String>())).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The host and parts as keys, parts that squeeze to nothing left out.
fn keys(host: &str, parts: impl Iterator<Item = String>) -> Vec<Key> {
    let parts = parts.filter(|part| !part.is_empty()).map(|part| key_of(&part));
    std::iter::once(key_of(host)).chain(parts).collect()
}
