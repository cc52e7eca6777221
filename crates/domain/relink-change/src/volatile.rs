//! Volatile parts of a page, which differ on each request: clocks,
//! advertisements, view counters, tokens, related links.
//!
//! Volatile parts are learned from two fetches of a page shortly after each other. A
//! *block* is a paragraph or similar part of a page; its *container* is the chain of
//! elements around the block. Five kinds of rules recognize volatile parts:
//!
//! - a *pattern*: the constant words of a block (`Viewed … times`) and its
//!   container;
//! - a *container*: an element whose whole text differs;
//! - a *position* between two constant blocks;
//! - a *rotating block*, which came and went in several runs;
//! - the *shape* of a link: its path without tokens and query.
//!
//! A pattern matches only blocks with all its constant words. If these words are edited, the
//! old and the new block match different patterns, and the edit is reported as a change.

#![expect(
    clippy::indexing_slicing,
    reason = "indices are derived from the lengths of the same lists"
)]

mod learn;
mod link_shape;
mod rotation;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::signature::{Signature, SignatureBlock};
use link_shape::link_shape;
use rotation::RotatingBlock;

/// Maximum number of rules of each kind.
const MAX_RULES: usize = 512;

/// Number of changing words that a block may have in addition to the maximum seen
/// when its pattern was learned.
const MAX_EXTRA_WORDS: usize = 2;

/// The parts of a page that differ on each request.
///
/// ```
/// use relink_change::{Signature, VolatileParts, compare};
/// use relink_page::{DocumentFormat, block_text};
/// let fetch = |views: u32, price: &str| {
///     let html = format!("<p>Viewed {views} times</p><p>Price: {price}</p>");
///     Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
/// };
/// let volatile = VolatileParts::learn(&fetch(1, "10"), &fetch(2, "10"));
/// assert_eq!(compare(&fetch(1, "10"), &fetch(99, "10"), &volatile).content, 0.0);
/// assert!(compare(&fetch(1, "10"), &fetch(99, "12"), &volatile).content > 0.0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct VolatileParts {
    /// Hashes of volatile containers.
    containers: BTreeSet<u64>,
    patterns: BTreeSet<Pattern>,
    positions: BTreeSet<Position>,
    link_shapes: BTreeSet<String>,
    /// Blocks that came or went, the one that was seen last at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rotating: Vec<RotatingBlock>,
}

/// For the index of each block that matches patterns, the indices of these patterns in the
/// ordered set.
type PatternBlocks = BTreeMap<usize, BTreeSet<usize>>;

/// The constant words of a volatile block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Pattern {
    /// The hash of the block's container.
    container: u64,
    /// Hashes of the constant words, in order.
    words: Vec<u32>,
    /// Maximum number of other (changing) words in the two fetches from which the
    /// pattern was learned.
    others: usize,
}

/// A position between two constant blocks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Position {
    /// The hash of the block before; `None` at the start of the page.
    before: Option<u64>,
    /// The hash of the block after; `None` at the end of the page.
    after: Option<u64>,
    /// Maximum number of blocks between the two blocks.
    blocks: usize,
}

impl VolatileParts {
    /// Learns the parts that differ between two fetches of the same version of a
    /// page.
    pub fn learn(first: &Signature, second: &Signature) -> Self {
        let mut volatile = learn::learn(first, second, &HashSet::new());
        volatile.count_rotation(first, second);
        volatile
    }

    /// Learns like [`VolatileParts::learn`], but not from blocks whose hash is in
    /// `stable`.
    pub(crate) fn learn_except(
        first: &Signature,
        second: &Signature,
        stable: &HashSet<u64>,
    ) -> Self {
        learn::learn(first, second, stable)
    }

    /// Adds the parts learned from another pair of fetches.
    pub fn extend(&mut self, other: Self) {
        self.containers.extend(other.containers);
        self.patterns.extend(other.patterns);
        self.positions.extend(other.positions);
        self.link_shapes.extend(other.link_shapes);
        truncate_rules(&mut self.containers);
        truncate_rules(&mut self.patterns);
        truncate_rules(&mut self.positions);
        truncate_rules(&mut self.link_shapes);
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns for each block of `signature` whether it is boilerplate or volatile.
    pub(crate) fn ignored_blocks(&self, signature: &Signature) -> Vec<bool> {
        let mut is_ignored = self.ignored_without_patterns(signature);
        for at in self.pattern_blocks(signature, &is_ignored).into_keys() {
            is_ignored[at] = true;
        }
        is_ignored
    }

    /// Returns for each block of both versions whether it is ignored in their comparison:
    /// boilerplate and volatile blocks are ignored.
    ///
    /// A block whose constant words were edited matches a pattern, but is not ignored. Such an
    /// edit is recognized as follows: no block of the other version matches the pattern, but a
    /// block of the same container matches a pattern that only the other version has.
    pub(crate) fn ignored_in_comparison(
        &self,
        old: &Signature,
        new: &Signature,
    ) -> (Vec<bool>, Vec<bool>) {
        let mut is_old_ignored = self.ignored_without_patterns(old);
        let mut is_new_ignored = self.ignored_without_patterns(new);
        self.restore_constant_blocks((old, &mut is_old_ignored), (new, &mut is_new_ignored));
        let in_old = self.pattern_blocks(old, &is_old_ignored);
        let in_new = self.pattern_blocks(new, &is_new_ignored);
        let (only_old, only_new) = (unpaired(&in_old, &in_new), unpaired(&in_new, &in_old));
        let containers = |signature: &Signature, blocks: &BTreeSet<usize>| -> HashSet<u64> {
            blocks.iter().map(|at| signature.blocks[*at].container).collect()
        };
        let edited = &containers(old, &only_old) & &containers(new, &only_new);
        let is_edited = |signature: &Signature, at: usize, unpaired: &BTreeSet<usize>| {
            unpaired.contains(&at) && edited.contains(&signature.blocks[at].container)
        };
        for at in in_old.into_keys() {
            is_old_ignored[at] = !is_edited(old, at, &only_old);
        }
        for at in in_new.into_keys() {
            is_new_ignored[at] = !is_edited(new, at, &only_new);
        }
        (is_old_ignored, is_new_ignored)
    }

    /// Stops ignoring blocks at volatile positions that are compared in the other version:
    /// after an edit, a position may include a constant block in one of the versions only.
    fn restore_constant_blocks(
        &self,
        (old, is_old_ignored): (&Signature, &mut Vec<bool>),
        (new, is_new_ignored): (&Signature, &mut Vec<bool>),
    ) {
        if self.positions.is_empty() {
            return;
        }
        let compared = |signature: &Signature, is_ignored: &[bool]| -> HashSet<u64> {
            let blocks = signature.blocks.iter().zip(is_ignored);
            blocks.filter(|(_, is_ignored)| !**is_ignored).map(|(block, _)| block.hash).collect()
        };
        let in_old = compared(old, is_old_ignored);
        let in_new = compared(new, is_new_ignored);
        for (signature, is_ignored, in_other) in
            [(old, is_old_ignored, in_new), (new, is_new_ignored, in_old)]
        {
            let is_ignored_elsewhere = self.ignored_by_content(signature);
            for (at, block) in signature.blocks.iter().enumerate() {
                is_ignored[at] &= is_ignored_elsewhere[at] || !in_other.contains(&block.hash);
            }
        }
    }

    /// Returns for each block whether it is boilerplate, rotating, in a volatile container
    /// or at a volatile position.
    fn ignored_without_patterns(&self, signature: &Signature) -> Vec<bool> {
        let mut is_ignored = self.ignored_by_content(signature);
        if !self.positions.is_empty() {
            self.ignore_positions(signature, &mut is_ignored);
        }
        is_ignored
    }

    /// Returns for each block whether it is boilerplate, rotating or in a volatile
    /// container.
    fn ignored_by_content(&self, signature: &Signature) -> Vec<bool> {
        let rotating = self.known_rotating();
        let mut is_ignored = self.in_ignored_container(signature);
        for (block, is_ignored) in signature.blocks.iter().zip(&mut is_ignored) {
            *is_ignored |= rotating.contains(&block.hash);
        }
        is_ignored
    }

    /// Returns for each block whether it is boilerplate or in a volatile container.
    fn in_ignored_container(&self, signature: &Signature) -> Vec<bool> {
        let is_ignored = |block: &SignatureBlock| {
            block.is_boilerplate || self.containers.contains(&block.container)
        };
        signature.blocks.iter().map(is_ignored).collect()
    }

    /// Returns the blocks that are not ignored yet and match patterns.
    fn pattern_blocks(&self, signature: &Signature, is_ignored: &[bool]) -> PatternBlocks {
        if self.patterns.is_empty() {
            return PatternBlocks::new();
        }
        let mut matching = PatternBlocks::new();
        let blocks = signature.blocks.iter().zip(signature.ranges()).enumerate();
        for (at, (block, range)) in blocks.filter(|(at, _)| !is_ignored[*at]) {
            let words = &signature.words()[range];
            let patterns = self.patterns.iter().enumerate();
            let patterns = patterns.filter(|(_, pattern)| pattern.matches(block.container, words));
            let patterns: BTreeSet<usize> = patterns.map(|(index, _)| index).collect();
            if !patterns.is_empty() {
                matching.insert(at, patterns);
            }
        }
        matching
    }

    /// Ignores the blocks at volatile positions.
    ///
    /// A position applies wherever its `before` block occurs and its `after` block
    /// follows after at most `position.blocks` other blocks.
    fn ignore_positions(&self, signature: &Signature, is_ignored: &mut [bool]) {
        // Indices of the blocks that are not boilerplate. Offsets refer to this list.
        let content: Vec<usize> =
            (0..is_ignored.len()).filter(|at| !signature.blocks[*at].is_boilerplate).collect();
        let hash = |offset: usize| signature.blocks[content[offset]].hash;
        // Maps the hash of a block to the offsets that follow its occurrences.
        let mut offsets_after: HashMap<u64, Vec<usize>> = HashMap::new();
        for offset in 0..content.len() {
            offsets_after.entry(hash(offset)).or_default().push(offset + 1);
        }
        for position in &self.positions {
            let page_start = [0];
            let starts = match position.before {
                None => &page_start[..],
                Some(before) => offsets_after.get(&before).map_or(&[][..], Vec::as_slice),
            };
            for &start in starts {
                let max_end = (start + position.blocks).min(content.len());
                let end = (start..=max_end).find(|offset| match position.after {
                    None => *offset == content.len(),
                    Some(after) => *offset < content.len() && hash(*offset) == after,
                });
                if let Some(end) = end {
                    content[start..end].iter().for_each(|at| is_ignored[*at] = true);
                }
            }
        }
    }

    /// Returns the shape of a link if the shape is volatile, otherwise the link
    /// itself.
    pub(crate) fn normalize_link<'u>(&self, url: &'u str) -> Cow<'u, str> {
        if self.link_shapes.is_empty() {
            return Cow::Borrowed(url);
        }
        let shape = link_shape(url);
        if self.link_shapes.contains(&*shape) { shape } else { Cow::Borrowed(url) }
    }
}

impl Pattern {
    /// Whether a block has the container and all constant words of the pattern, and few other
    /// words.
    fn matches(&self, container: u64, words: &[u32]) -> bool {
        let others = words.len().checked_sub(self.words.len());
        container == self.container
            && others.is_some_and(|others| others <= self.others + MAX_EXTRA_WORDS)
            && is_subsequence(&self.words, words)
    }
}

/// Returns the blocks of which no pattern matches a block of the other version.
fn unpaired(blocks: &PatternBlocks, others: &PatternBlocks) -> BTreeSet<usize> {
    let in_other: BTreeSet<usize> = others.values().flatten().copied().collect();
    let unpaired = blocks.iter().filter(|(_, patterns)| patterns.is_disjoint(&in_other));
    unpaired.map(|(at, _)| *at).collect()
}

/// Whether `words` contains the words of `part` in the same order.
fn is_subsequence(part: &[u32], words: &[u32]) -> bool {
    let mut words = words.iter();
    part.iter().all(|word| words.any(|other| other == word))
}

/// Removes rules until at most [`MAX_RULES`] are left. Which rules are removed is
/// arbitrary but deterministic.
fn truncate_rules<T: Ord>(rules: &mut BTreeSet<T>) {
    while rules.len() > MAX_RULES {
        rules.pop_last();
    }
}

#[cfg(test)]
mod tests;
