//! Moves: in which ways an address became another.
//!
//! One pair of addresses can be read as a move in several [`Way`]s, from the
//! narrow (this folder became that one) to the wide (this name in a path was
//! replaced by that one). A move that several siblings make in the same way
//! is a rule of the site.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use super::features::{same_end, same_start};
use super::profile::{Key, PageProfile, key_of_all};

/// A way of reading a pair of addresses as a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum MoveKind {
    /// The words before the common end were replaced: `DOM/element.x` to
    /// `Web/API/Element/x` is `DOM` to `Web/API`.
    Start,
    /// The old folder became the new folder, whatever the slug.
    Folder,
    /// The components between common start and common end were replaced,
    /// wherever they stand.
    Swap,
    /// The old folder went somewhere below the folder above the new one.
    Region,
    /// The words between common start and common end of the slug were
    /// replaced, in whatever folder.
    Edit,
}

impl MoveKind {
    /// All ways, in order.
    pub const ALL: [Self; 5] = [Self::Start, Self::Folder, Self::Swap, Self::Region, Self::Edit];

    /// What was replaced by what, if the pair can be read in this way.
    pub fn read(self, old: &PageProfile, new: &PageProfile) -> Option<Move> {
        let (from, to) = match self {
            Self::Start => starts(old, new)?,
            Self::Folder => (key_of_all(old.folder()), key_of_all(new.folder())),
            Self::Swap => middles(&old.components, &new.components)?,
            Self::Edit => edits(old, new)?,
            Self::Region => {
                let folder = new.folder();
                (
                    key_of_all(old.folder()),
                    key_of_all(&folder[..folder.len().checked_sub(1)?.max(1)]),
                )
            }
        };
        let way = self as u64;
        Some(Move { from: key_of_all(&[way, from]), rule: key_of_all(&[way, from, to]) })
    }

    /// All that this way could say is replaced in an address, for counting
    /// how many addresses a rule could have applied to.
    pub fn origins(self, old: &PageProfile) -> Vec<Key> {
        let keyed = |from: Key| key_of_all(&[self as u64, from]);
        match self {
            Self::Start => {
                (1..old.words.len()).map(|end| keyed(key_of_all(&old.words[..end]))).collect()
            }
            Self::Folder | Self::Region => vec![keyed(key_of_all(old.folder()))],
            Self::Swap | Self::Edit => Vec::new(),
        }
    }
}

/// One reading of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// What was replaced.
    pub from: Key,
    /// What was replaced, and by what.
    pub rule: Key,
}

/// The words before the common end, if there is one.
fn starts(old: &PageProfile, new: &PageProfile) -> Option<(Key, Key)> {
    let same = same_end(&old.words[1..], &new.words[1..]);
    let start = |words: &[Key]| key_of_all(&words[..words.len() - same]);
    (same > 0).then(|| (start(&old.words), start(&new.words)))
}

/// The keys between common start and common end, if there is a common end.
fn middles(old: &[Key], new: &[Key]) -> Option<(Key, Key)> {
    let start = same_start(old, new);
    let (old, new) = (&old[start..], &new[start..]);
    let end = same_end(old, new);
    let middle = |keys: &[Key]| key_of_all(&keys[..keys.len() - end]);
    (end > 0).then(|| (middle(old), middle(new)))
}

/// The words of the slug that were replaced, if some were and some were not.
fn edits(old: &PageProfile, new: &PageProfile) -> Option<(Key, Key)> {
    let (old, new) = (&old.slug_words, &new.slug_words);
    let start = same_start(old, new);
    let (old, new) = (&old[start..], &new[start..]);
    let end = same_end(old, new);
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    let is_edit = start + end > 0 && !(old.is_empty() && new.is_empty());
    is_edit.then(|| (key_of_all(old), key_of_all(new)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::vocabulary::Vocabulary;

    /// Whether two pairs, each `old -> new`, are the same move in some way.
    #[track_caller]
    fn check(way: MoveKind, one: &str, other: &str, expect: bool) {
        let mut vocabulary = Vocabulary::default();
        let mut read = |pair: &str| {
            let (old, new) = pair.split_once(" -> ").unwrap();
            let mut page = |path| {
                PageProfile::new(&format!("https://example.org{path}"), None, &mut vocabulary)
            };
            way.read(&page(old), &page(new))
        };
        let (one, other) = (read(one), read(other));
        assert_eq!(one.is_some() && one == other, expect, "{one:?} {other:?}");
    }

    #[test]
    fn words_before_a_common_end_are_replaced() {
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
    fn a_folder_becomes_another_whatever_the_slug() {
        check(MoveKind::Folder, "/a/x -> /b/y", "/a/p -> /b/q", true);
        check(MoveKind::Folder, "/a/x -> /b/y", "/a/p -> /c/q", false);
        check(MoveKind::Region, "/a/x -> /b/one/y", "/a/p -> /b/two/q", true);
    }

    #[test]
    fn a_component_is_swapped_wherever_it_stands() {
        check(MoveKind::Swap, "/a/v1/x -> /a/v2/x", "/b/v1/y -> /b/v2/y", true);
        check(MoveKind::Swap, "/a/v1/x -> /a/v2/z", "/b/v1/y -> /b/v2/w", false);
    }

    #[test]
    fn a_slug_is_edited_in_whatever_folder() {
        check(MoveKind::Edit, "/a/plot_x -> /b/x", "/c/plot_y_z -> /d/y_z", true);
        check(MoveKind::Edit, "/a/plot_x -> /b/x", "/c/draw_y -> /d/y", false);
    }
}
