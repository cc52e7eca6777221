//! Measures the change between two versions of a page.
//!
//! Content change is 1 − 2·M/T, where T is the number of words of both versions
//! and M is the number of common words: all words of equal blocks, and the
//! common subsequence of the words of edited blocks. Moved blocks are not a
//! content change; their share is a separate number. Link change is the same formula
//! applied to the sets of links.
//!
//! Boilerplate (navigation, footers) and volatile parts (clocks, view counters) are
//! ignored. A *block* is a paragraph, heading or similar part of a page. A
//! [`Signature`] stores the blocks and links of a version.

#![expect(
    clippy::indexing_slicing,
    reason = "indices are derived from the lengths of the same lists"
)]

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use crate::align::align;
use crate::level::{Level, LevelThresholds};
use crate::matching::{ComparedVersion, Matching};
use crate::ratio::ratio;
use crate::signature::{BlockRole, Signature};
use crate::volatile::VolatileParts;

/// A block that was added, removed or moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockChange {
    /// The index of the block in the signature of its version.
    pub block: usize,
    /// The role of the block.
    pub role: BlockRole,
    /// Number of words.
    pub words: u32,
    /// Number of words that the other version does not have.
    pub changed_words: u32,
    /// The start of the text.
    pub excerpt: String,
}

/// The change between two versions of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Content change: the share of words that changed, from 0 to 1.
    pub content: f64,
    /// Link change: the share of links that changed, from 0 to 1.
    pub links: f64,
    /// The share of words in moved blocks, from 0 to 1.
    #[serde(default)]
    pub moves: f64,
    /// Blocks of the new version with new words.
    pub added: Vec<BlockChange>,
    /// Blocks of the old version with removed words.
    pub removed: Vec<BlockChange>,
    /// Blocks of the new version that have another position in the old version.
    pub moved: Vec<BlockChange>,
    /// Links that only the new version has.
    pub added_links: Vec<String>,
    /// Links that only the old version has.
    pub removed_links: Vec<String>,
    /// The level of the content change.
    pub level: Level,
}

impl Change {
    /// Whether words or links were added or removed.
    pub fn is_visible(&self) -> bool {
        let has_blocks = !self.added.is_empty() || !self.removed.is_empty();
        has_blocks || !self.added_links.is_empty() || !self.removed_links.is_empty()
    }

    /// Returns a change without differences in content or links.
    fn unchanged(level: Level) -> Self {
        Self {
            content: 0.0,
            links: 0.0,
            moves: 0.0,
            added: Vec::new(),
            removed: Vec::new(),
            moved: Vec::new(),
            added_links: Vec::new(),
            removed_links: Vec::new(),
            level,
        }
    }
}

/// Measures the change from an old version to a new one, outside boilerplate and
/// volatile parts.
///
/// ```
/// use relink_change::{Level, Signature, VolatileParts, compare};
/// use relink_page::{DocumentFormat, block_text};
/// let signature = |html: &[u8]| Signature::new(html, &block_text(DocumentFormat::Html, html));
/// let old = signature(b"<h1>Owls</h1><p>They hoot at night.");
/// let new = signature(b"<h1>Owls</h1><p>They hoot at noon.");
/// let change = compare(&old, &new, &VolatileParts::default());
/// assert!((change.content - 0.2).abs() < 1e-9);
/// assert_eq!(change.level, Level::Moderate);
/// assert_eq!(change.added[0].excerpt, "They hoot at noon.");
/// ```
pub fn compare(old: &Signature, new: &Signature, volatile: &VolatileParts) -> Change {
    if old.checksum == new.checksum {
        return Change::unchanged(Level::None);
    }
    let (is_old_ignored, is_new_ignored) = ignored_blocks(old, new, volatile);
    let mut change = Change::unchanged(Level::Checksum);
    compare_links(old, new, (&is_old_ignored, &is_new_ignored), volatile, &mut change);
    // If the letters are equal, only the boundaries of words or blocks differ.
    if old.letters != new.letters {
        let (old, new) = (
            ComparedVersion::new(old, &is_old_ignored),
            ComparedVersion::new(new, &is_new_ignored),
        );
        compare_blocks(&old, &new, &mut change);
    }
    change.level = LevelThresholds::default().level(change.content);
    change
}

/// Returns for each block of both versions whether it is ignored. A block that is
/// boilerplate in one version is ignored in the other version, too.
fn ignored_blocks(
    old: &Signature,
    new: &Signature,
    volatile: &VolatileParts,
) -> (Vec<bool>, Vec<bool>) {
    let (mut is_old_ignored, mut is_new_ignored) = volatile.ignored_in_comparison(old, new);
    let (boilerplate_old, boilerplate_new) = (boilerplate_hashes(old), boilerplate_hashes(new));
    ignore_boilerplate_of_other(old, &mut is_old_ignored, &boilerplate_new, &boilerplate_old);
    ignore_boilerplate_of_other(new, &mut is_new_ignored, &boilerplate_old, &boilerplate_new);
    (is_old_ignored, is_new_ignored)
}

/// Returns the hashes of the boilerplate blocks.
fn boilerplate_hashes(signature: &Signature) -> HashSet<u64> {
    let blocks = signature.blocks.iter().filter(|block| block.is_boilerplate);
    blocks.map(|block| block.hash).collect()
}

/// Ignores blocks that are boilerplate in the other version, unless they also occur in
/// the boilerplate of their own version. The boilerplate is given by the hashes of its blocks.
fn ignore_boilerplate_of_other(
    signature: &Signature,
    is_ignored: &mut [bool],
    other_boilerplate: &HashSet<u64>,
    own_boilerplate: &HashSet<u64>,
) {
    for (block, is_ignored) in signature.blocks.iter().zip(is_ignored) {
        *is_ignored |=
            other_boilerplate.contains(&block.hash) && !own_boilerplate.contains(&block.hash);
    }
}

/// Fills in the content change and the changed blocks.
fn compare_blocks(old: &ComparedVersion<'_>, new: &ComparedVersion<'_>, change: &mut Change) {
    let matching = Matching::new(old, new);
    let total = old.words() + new.words();
    let matched = matching.fixed.iter().chain(&matching.moved);
    let mut common: usize = matched.map(|(at, _)| old.word_count(old.blocks[*at])).sum();
    // Between matched blocks, compare the words of the other blocks.
    for gap in matching.gaps() {
        let (removed, added) =
            (matching.unmatched_old(old, &gap), matching.unmatched_new(new, &gap));
        let alignment = align(&words_of(old, &removed), &words_of(new, &added));
        common += alignment.common();
        push_changed(old, &removed, &alignment.old, &mut change.removed);
        push_changed(new, &added, &alignment.new, &mut change.added);
    }
    let moved = matching.moved.iter().map(|(_, at)| block_change(new, new.blocks[*at], 0));
    change.moved.extend(moved);
    change.moved.sort_by_key(|moved| moved.block);
    let content = if total == 0 { 0.0 } else { 1.0 - ratio(2 * common, total) };
    change.content = content.clamp(0.0, 1.0);
    let moved: usize = change.moved.iter().map(|block| block.words as usize).sum();
    change.moves = if total == 0 { 0.0 } else { ratio(2 * moved, total).min(1.0) };
}

/// Returns the words of the given blocks.
fn words_of(version: &ComparedVersion<'_>, blocks: &[usize]) -> Vec<u32> {
    let words = version.signature.words();
    blocks.iter().flat_map(|at| words[version.ranges[*at].clone()].iter().copied()).collect()
}

/// Adds the blocks with unmatched words to `changes`. `is_common` states for each
/// word of the blocks whether it is matched.
fn push_changed(
    version: &ComparedVersion<'_>,
    blocks: &[usize],
    is_common: &[bool],
    changes: &mut Vec<BlockChange>,
) {
    let mut start = 0;
    for &block in blocks {
        let length = version.ranges[block].len();
        let common = is_common[start..start + length].iter().filter(|common| **common).count();
        start += length;
        let unmatched = version.word_count(block) - common;
        if unmatched > 0 {
            changes.push(block_change(version, block, unmatched));
        }
    }
}

/// Describes the change of the block `at` of the signature.
fn block_change(version: &ComparedVersion<'_>, at: usize, changed_words: usize) -> BlockChange {
    let block = &version.signature.blocks[at];
    BlockChange {
        block: at,
        role: block.role,
        words: block.words,
        changed_words: u32::try_from(changed_words).unwrap_or(u32::MAX),
        excerpt: block.excerpt.clone(),
    }
}

/// Fills in the link change and the changed links.
fn compare_links(
    old: &Signature,
    new: &Signature,
    (is_old_ignored, is_new_ignored): (&[bool], &[bool]),
    volatile: &VolatileParts,
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

/// Returns the links of the blocks that are not ignored.
fn link_set(
    signature: &Signature,
    is_ignored: &[bool],
    volatile: &VolatileParts,
) -> BTreeSet<String> {
    let is_in_ignored = |block: Option<u32>| {
        block.and_then(|at| is_ignored.get(at as usize)).is_some_and(|ignored| *ignored)
    };
    let links = signature.links.iter().filter(|link| !is_in_ignored(link.block));
    links.map(|link| volatile.normalize_link(&link.url).into_owned()).collect()
}

#[cfg(test)]
mod tests;
