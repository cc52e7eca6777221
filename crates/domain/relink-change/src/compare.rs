//! The change between two versions of a page.
//!
//! Content change is 1 − 2·M/T, where T is the number of words of both
//! versions and M the number of words they have in common: first all words of
//! equal blocks, then the words that edited blocks share in order. Blocks that
//! moved are not a content change. Boilerplate and volatile parts are ignored.
//! Link change is the same quotient over the sets of links.

#![expect(
    clippy::indexing_slicing,
    reason = "positions are made here, from the lengths of the same lists"
)]

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use crate::align::align;
use crate::level::{Level, LevelThresholds};
use crate::matching::{Matching, Side};
use crate::ratio::ratio;
use crate::signature::{BlockRole, Signature};
use crate::volatile::Volatile;

/// A block that was added, removed or moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockChange {
    /// Its index in the signature of its version.
    pub block: usize,
    /// Its role.
    pub role: BlockRole,
    /// The number of its words.
    pub words: u32,
    /// The number of its words that the other version does not have.
    pub changed_words: u32,
    /// The beginning of its text.
    pub excerpt: String,
}

/// The change between two versions of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The share of words that changed, from 0 to 1.
    pub content: f64,
    /// The share of links that changed, from 0 to 1.
    pub links: f64,
    /// Blocks of the new version with new words.
    pub added: Vec<BlockChange>,
    /// Blocks of the old version with words that are gone.
    pub removed: Vec<BlockChange>,
    /// Blocks of the new version that were elsewhere in the old one.
    pub moved: Vec<BlockChange>,
    /// Links of the new version alone.
    pub added_links: Vec<String>,
    /// Links of the old version alone.
    pub removed_links: Vec<String>,
    /// The degree of the content change.
    pub level: Level,
}

impl Change {
    /// Whether a reader can see the change: words or links differ, and the
    /// lists name them.
    pub fn is_visible(&self) -> bool {
        let has_blocks = !self.added.is_empty() || !self.removed.is_empty();
        has_blocks || !self.added_links.is_empty() || !self.removed_links.is_empty()
    }

    /// No change of content or links.
    fn nothing(level: Level) -> Self {
        Self {
            content: 0.0,
            links: 0.0,
            added: Vec::new(),
            removed: Vec::new(),
            moved: Vec::new(),
            added_links: Vec::new(),
            removed_links: Vec::new(),
            level,
        }
    }
}

/// Measures the change from an old version to a new one, outside volatile
/// parts.
///
/// ```
/// use relink_change::{Level, Signature, Volatile, compare};
/// use relink_page::{Format, block_text};
/// let signature = |html: &[u8]| Signature::new(html, &block_text(Format::Html, html));
/// let old = signature(b"<h1>Owls</h1><p>They hoot at night.");
/// let new = signature(b"<h1>Owls</h1><p>They hoot at noon.");
/// let change = compare(&old, &new, &Volatile::default());
/// assert!((change.content - 0.2).abs() < 1e-9);
/// assert_eq!(change.level, Level::Moderate);
/// assert_eq!(change.added[0].excerpt, "They hoot at noon.");
/// ```
pub fn compare(old: &Signature, new: &Signature, volatile: &Volatile) -> Change {
    if old.checksum == new.checksum {
        return Change::nothing(Level::None);
    }
    let (is_old_ignored, is_new_ignored) = ignored(old, new, volatile);
    let mut change = Change::nothing(Level::Checksum);
    compare_links(old, new, (&is_old_ignored, &is_new_ignored), volatile, &mut change);
    // Equal letters are equal words, though tags may cut them otherwise.
    if old.letters != new.letters {
        let (old, new) = (Side::new(old, &is_old_ignored), Side::new(new, &is_new_ignored));
        compare_blocks(&old, &new, &mut change);
    }
    change.level = LevelThresholds::default().level(change.content);
    change
}

/// Which blocks of both versions are ignored. A block that is boilerplate in
/// one version is not content in the other.
fn ignored(old: &Signature, new: &Signature, volatile: &Volatile) -> (Vec<bool>, Vec<bool>) {
    let (mut of_old, mut of_new) = (volatile.ignored(old), volatile.ignored(new));
    let (boilerplate_old, boilerplate_new) = (boilerplate(old), boilerplate(new));
    ignore_boilerplate_of_other(old, &mut of_old, &boilerplate_new, &boilerplate_old);
    ignore_boilerplate_of_other(new, &mut of_new, &boilerplate_old, &boilerplate_new);
    (of_old, of_new)
}

fn boilerplate(signature: &Signature) -> HashSet<u64> {
    let blocks = signature.blocks.iter().filter(|block| block.is_boilerplate);
    blocks.map(|block| block.hash).collect()
}

/// Ignores content that the other version has as boilerplate. Content that is
/// repeated in the boilerplate of its own version stays.
fn ignore_boilerplate_of_other(
    signature: &Signature,
    is_ignored: &mut [bool],
    other: &HashSet<u64>,
    own: &HashSet<u64>,
) {
    for (block, is_ignored) in signature.blocks.iter().zip(is_ignored) {
        *is_ignored |= other.contains(&block.hash) && !own.contains(&block.hash);
    }
}

fn compare_blocks(old: &Side<'_>, new: &Side<'_>, change: &mut Change) {
    let matching = Matching::of(old, new);
    let total = old.words() + new.words();
    let matched = matching.fixed.iter().chain(&matching.moved);
    let mut common: usize = matched.map(|(at, _)| old.word_count(old.blocks[*at])).sum();
    for gap in matching.gaps() {
        let (removed, added) =
            (matching.unmatched_old(old, &gap), matching.unmatched_new(new, &gap));
        let alignment = align(&words_of(old, &removed), &words_of(new, &added));
        common += alignment.common();
        list_changed(old, &removed, &alignment.old, &mut change.removed);
        list_changed(new, &added, &alignment.new, &mut change.added);
    }
    let moved = matching.moved.iter().map(|(_, at)| block_change(new, new.blocks[*at], 0));
    change.moved.extend(moved);
    change.moved.sort_by_key(|moved| moved.block);
    let content = if total == 0 { 0.0 } else { 1.0 - ratio(2 * common, total) };
    change.content = content.clamp(0.0, 1.0);
}

/// The words of some blocks, one after the other.
fn words_of(side: &Side<'_>, blocks: &[usize]) -> Vec<u32> {
    let words = side.signature.words();
    blocks.iter().flat_map(|at| words[side.ranges[*at].clone()].iter().copied()).collect()
}

/// Lists the blocks with words that have no counterpart.
fn list_changed(
    side: &Side<'_>,
    blocks: &[usize],
    is_common: &[bool],
    changes: &mut Vec<BlockChange>,
) {
    let mut start = 0;
    for &block in blocks {
        let length = side.ranges[block].len();
        let common = is_common[start..start + length].iter().filter(|common| **common).count();
        start += length;
        let others = side.word_count(block) - common;
        if others > 0 {
            changes.push(block_change(side, block, others));
        }
    }
}

fn block_change(side: &Side<'_>, at: usize, changed: usize) -> BlockChange {
    let block = &side.signature.blocks[at];
    BlockChange {
        block: at,
        role: block.role,
        words: block.words,
        changed_words: u32::try_from(changed).unwrap_or(u32::MAX),
        excerpt: block.excerpt.clone(),
    }
}

fn compare_links(
    old: &Signature,
    new: &Signature,
    (is_old_ignored, is_new_ignored): (&[bool], &[bool]),
    volatile: &Volatile,
    change: &mut Change,
) {
    let old = link_set(old, is_old_ignored, volatile);
    let new = link_set(new, is_new_ignored, volatile);
    let common = old.intersection(&new).count();
    let total = old.len() + new.len();
    change.links = if total == 0 { 0.0 } else { 1.0 - ratio(2 * common, total) };
    change.removed_links = old.difference(&new).cloned().collect();
    change.added_links = new.difference(&old).cloned().collect();
}

/// The links of the blocks that are not ignored.
fn link_set(signature: &Signature, is_ignored: &[bool], volatile: &Volatile) -> BTreeSet<String> {
    let is_in_ignored = |block: Option<u32>| {
        block.and_then(|at| is_ignored.get(at as usize)).is_some_and(|ignored| *ignored)
    };
    let links = signature.links.iter().filter(|link| !is_in_ignored(link.block));
    links.map(|link| volatile.stable_link(&link.url).into_owned()).collect()
}

#[cfg(test)]
mod tests;
