//! Moves: the rules by which an old URL may have become a new one.
//!
//! A pair of URLs can be described by several [`MoveKind`]s, from narrow (one
//! folder was replaced by another) to wide (one name in a path was replaced by
//! another). If several dead pages make the same move, it is a rule of the site.
//! Names are compared as hashes of their normalized form ([`Key`]); classes of names
//! have the small constants below.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use super::coarse::CoarseKey;
use super::features::{common_prefix_len, common_suffix_len};
use super::profile::{Key, PageProfile, Word, hash_keys};
use super::rewrite::{Rewrite, WordClass};

/// Key of every number in an old folder.
const ANY_NUMBER: Key = 1;
/// Key of a number that the old URL lacks.
const NEW_NUMBER: Key = 1;
/// Key of a number that the old URL contains.
const KEPT_NUMBER: Key = 2;
/// Key of a component that equals the old title.
const OLD_TITLE: Key = 3;
/// Key of a component that equals the old slug.
const OLD_SLUG: Key = 4;
/// Key of any word with digits.
const WORD_WITH_DIGITS: Key = 5;

/// A way to describe how one URL became another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum MoveKind {
    /// The words before the common suffix were replaced. In the move from
    /// `DOM/element.x` to `Web/API/Element/x`, `DOM` was replaced by `Web/API`.
    Start,
    /// The old folder became the new folder; the slugs may differ.
    Folder,
    /// The components between common prefix and common suffix were replaced,
    /// at any position.
    Swap,
    /// The old folder moved to any folder below the parent of the new folder.
    Region,
    /// The words between common prefix and common suffix of the slug were
    /// replaced, in any folder. Words with digits count as one word, because a
    /// new page id is different on every page.
    Edit,
    /// The components between common prefix and common suffix of the folder
    /// were replaced. The slugs may differ.
    FolderSwap,
    /// The slug was made from the old slug or title in the same way, in any
    /// folder; see [`Rewrite`].
    Rewrite,
    /// The old folder became the new folder and the slug was rewritten, where
    /// numbers, titles and names in folders count as variables.
    Shape,
    /// The coarse pattern of the paper; see [`CoarseKey`].
    Coarse,
}

impl MoveKind {
    /// All kinds, in the order of the variants.
    pub const ALL: [Self; 9] = [
        Self::Start,
        Self::Folder,
        Self::Swap,
        Self::Region,
        Self::Edit,
        Self::FolderSwap,
        Self::Rewrite,
        Self::Shape,
        Self::Coarse,
    ];

    /// Returns the move of this kind from `old` to `new`, if there is one.
    pub fn detect(self, old: &PageProfile, new: &PageProfile) -> Option<Move> {
        let (from, to) = match self {
            Self::Start => replaced_starts(old, new)?,
            Self::Folder => (hash_keys(old.folder()), hash_keys(new.folder())),
            Self::Swap => replaced_middles(&old.components, &new.components)?,
            Self::Edit => replaced_slug_words(old, new)?,
            Self::FolderSwap => replaced_folders(old, new),
            // A rewrite applies to any folder, so all rewrites have the same origin.
            Self::Rewrite => (0, Rewrite::detect(old, new)?.key()),
            Self::Shape => (old_shape(old), new_shape(old, new)?),
            Self::Coarse => (old_shape(old), CoarseKey::new(old, new).key),
            Self::Region => {
                let folder = new.folder();
                // The first key is the host, which has no parent.
                let parent_length = folder.len().checked_sub(1)?.max(1);
                (hash_keys(old.folder()), hash_keys(&folder[..parent_length]))
            }
        };
        let kind = self as u64;
        Some(Move { from: hash_keys(&[kind, from]), rule: hash_keys(&[kind, from, to]) })
    }

    /// Returns the keys of all parts of a URL that a move of this kind could replace. Used
    /// to count the URLs that a rule could apply to.
    pub fn possible_origins(self, old: &PageProfile) -> Vec<Key> {
        let keyed = |origin: Key| hash_keys(&[self as u64, origin]);
        match self {
            Self::Start => {
                (1..old.words.len()).map(|end| keyed(hash_keys(&old.words[..end]))).collect()
            }
            Self::Folder | Self::Region => vec![keyed(hash_keys(old.folder()))],
            Self::Shape | Self::Coarse => vec![keyed(old_shape(old))],
            Self::Rewrite => vec![keyed(0)],
            Self::Swap | Self::Edit | Self::FolderSwap => Vec::new(),
        }
    }
}

/// A move of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Key of the replaced part.
    pub from: Key,
    /// Key of the replaced part and its replacement.
    pub rule: Key,
}

// The following functions return the key of the replaced part of the old URL and the key
// of its replacement.

/// Returns the words before the common suffix, if there is one.
fn replaced_starts(old: &PageProfile, new: &PageProfile) -> Option<(Key, Key)> {
    let suffix = common_suffix_len(&old.words[1..], &new.words[1..]);
    let start = |words: &[Key]| hash_keys(&words[..words.len() - suffix]);
    (suffix > 0).then(|| (start(&old.words), start(&new.words)))
}

/// Returns the keys between common prefix and suffix, if there is a suffix.
fn replaced_middles(old: &[Key], new: &[Key]) -> Option<(Key, Key)> {
    let start = common_prefix_len(old, new);
    let (old, new) = (&old[start..], &new[start..]);
    let end = common_suffix_len(old, new);
    let middle = |keys: &[Key]| hash_keys(&keys[..keys.len() - end]);
    (end > 0).then(|| (middle(old), middle(new)))
}

/// Returns the replaced words of the slug, if some but not all were replaced.
fn replaced_slug_words(old: &PageProfile, new: &PageProfile) -> Option<(Key, Key)> {
    let keys = |words: &[Word]| -> Vec<Key> { words.iter().map(|word| word.key).collect() };
    let (old_keys, new_keys) = (keys(&old.slug_words), keys(&new.slug_words));
    let start = common_prefix_len(&old_keys, &new_keys);
    let end = common_suffix_len(&old_keys[start..], &new_keys[start..]);
    let middle = |words: &[Word]| -> Vec<Key> {
        words[start..words.len() - end].iter().map(|word| generalized_word(*word)).collect()
    };
    let (old, new) = (middle(&old.slug_words), middle(&new.slug_words));
    let is_edit = start + end > 0 && !(old.is_empty() && new.is_empty());
    is_edit.then(|| (hash_keys(&old), hash_keys(&new)))
}

/// Returns the key of a word. All words with digits have the same key.
fn generalized_word(word: Word) -> Key {
    if word.class == WordClass::Codes { WORD_WITH_DIGITS } else { word.key }
}

/// Returns the folders between common prefix and suffix.
fn replaced_folders(old: &PageProfile, new: &PageProfile) -> (Key, Key) {
    let (old, new) = (old.folder(), new.folder());
    let start = common_prefix_len(old, new);
    let (old, new) = (&old[start..], &new[start..]);
    let end = common_suffix_len(old, new);
    let middle = |keys: &[Key]| hash_keys(&keys[..keys.len() - end]);
    (middle(old), middle(new))
}

/// Returns the key of the old folder, in which all numbers have the same key.
fn old_shape(old: &PageProfile) -> Key {
    let folder = old.folder().iter().enumerate();
    let key = |(at, key): (usize, &Key)| if is_number(old, at) { ANY_NUMBER } else { *key };
    hash_keys(&folder.map(key).collect::<Vec<Key>>())
}

/// Returns the key of the new folder and of the rewrite of the slug, if the slug
/// was rewritten.
fn new_shape(old: &PageProfile, new: &PageProfile) -> Option<Key> {
    let folder = new.folder().iter().enumerate();
    let key = |(at, &key): (usize, &Key)| match key {
        _ if is_number(new, at) && old.components.contains(&key) => KEPT_NUMBER,
        _ if is_number(new, at) => NEW_NUMBER,
        _ if old.title_key == Some(key) => OLD_TITLE,
        _ if at > 0 && old.slug_key == key => OLD_SLUG,
        key => key,
    };
    let mut keys: Vec<Key> = folder.map(key).collect();
    keys.push(Rewrite::detect(old, new)?.key());
    Some(hash_keys(&keys))
}

/// Whether the component at a position, counted from the host, is a number.
fn is_number(page: &PageProfile, at: usize) -> bool {
    at.checked_sub(1).and_then(|at| page.is_number.get(at)).copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::vocabulary::Vocabulary;

    /// Checks whether two pairs, each `old -> new`, make the same move.
    #[track_caller]
    fn check(kind: MoveKind, one: &str, other: &str, expect: bool) {
        let mut vocabulary = Vocabulary::default();
        let mut detect = |pair: &str| {
            let (old, new) = pair.split_once(" -> ").unwrap();
            let mut page = |path| {
                PageProfile::new(&format!("https://example.org{path}"), None, &mut vocabulary)
            };
            kind.detect(&page(old), &page(new))
        };
        let (one, other) = (detect(one), detect(other));
        assert_eq!(one.is_some() && one == other, expect, "{one:?} {other:?}");
    }

    #[test]
    fn start_replaces_words_before_the_common_suffix() {
        check(
            MoveKind::Start,
            "/dom/node.x -> /web/api/Node/x",
            "/dom/list.y -> /web/api/List/y",
            true,
        );
        check(
            MoveKind::Start,
            "/dom/node.x -> /web/Node/x",
            "/dom/list.y -> /web/api/List/y",
            false,
        );
    }

    #[test]
    fn folder_moves_ignore_the_slug() {
        check(MoveKind::Folder, "/a/x -> /b/y", "/a/p -> /b/q", true);
        check(MoveKind::Folder, "/a/x -> /b/y", "/a/p -> /c/q", false);
        check(MoveKind::Region, "/a/x -> /b/one/y", "/a/p -> /b/two/q", true);
    }

    #[test]
    fn swap_replaces_a_component_at_any_position() {
        check(MoveKind::Swap, "/a/v1/x -> /a/v2/x", "/b/v1/y -> /b/v2/y", true);
        check(MoveKind::Swap, "/a/v1/x -> /a/v2/z", "/b/v1/y -> /b/v2/w", false);
    }

    #[test]
    fn edit_replaces_slug_words_in_any_folder() {
        check(MoveKind::Edit, "/a/plot_x -> /b/x", "/c/plot_y_z -> /d/y_z", true);
        check(MoveKind::Edit, "/a/plot_x -> /b/x", "/c/draw_y -> /d/y", false);
    }

    #[test]
    fn edit_ignores_the_value_of_new_ids() {
        check(MoveKind::Edit, "/a/x -> /b/x-17", "/c/y-z -> /d/y-z-2204", true);
    }

    #[test]
    fn shape_ignores_new_numbers_but_not_kept_ones() {
        let review = "/article/419483/measure-twice -> /2010/06/22/202620/measure-twice";
        check(MoveKind::Shape, review, "/article/7/cut-once -> /2011/01/02/8/cut-once", true);
        let comics = "/comic/22962/what-if -> /comics/22962/what-if";
        check(MoveKind::Shape, comics, "/comic/7/why-not -> /comics/7/why-not", true);
        check(MoveKind::Shape, comics, "/comic/7/why-not -> /comics/9/why-not", false);
    }

    #[test]
    fn folder_swap_ignores_the_slug() {
        check(MoveKind::FolderSwap, "/a/v1/x -> /a/v2/y", "/b/v1/p -> /b/v2/q", true);
        check(MoveKind::FolderSwap, "/a/v1/x -> /a/v2/y", "/b/v1/p -> /b/v3/q", false);
    }
}
