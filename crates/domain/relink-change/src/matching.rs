//! Matches the equal blocks of two versions.
//!
//! Blocks are equal if their words are equal. Equal blocks in the same order are
//! fixed; other equal blocks have moved. The gaps between fixed blocks contain
//! the blocks that were added, removed or edited.

#![expect(
    clippy::indexing_slicing,
    reason = "indices are derived from the lengths of the same lists"
)]

use std::collections::HashMap;
use std::ops::Range;

use crate::align::{align, longest_increasing};
use crate::signature::Signature;

/// A version in a comparison, without its ignored blocks.
pub(crate) struct ComparedVersion<'s> {
    pub(crate) signature: &'s Signature,
    /// Indices of the compared blocks, ascending.
    pub(crate) blocks: Vec<usize>,
    /// The range of each block of the signature in [`Signature::words`].
    pub(crate) ranges: Vec<Range<usize>>,
}

impl<'s> ComparedVersion<'s> {
    /// Creates a version without the ignored blocks.
    pub(crate) fn new(signature: &'s Signature, is_ignored: &[bool]) -> Self {
        let blocks = (0..signature.blocks.len()).filter(|at| !is_ignored[*at]).collect();
        Self { signature, blocks, ranges: signature.ranges() }
    }

    /// Returns the number of words of all compared blocks.
    pub(crate) fn words(&self) -> usize {
        self.blocks.iter().map(|at| self.word_count(*at)).sum()
    }

    /// Returns the number of words of a block of the signature.
    pub(crate) fn word_count(&self, block: usize) -> usize {
        self.signature.blocks[block].words as usize
    }

    /// Returns the hash of a compared block, by its position in `blocks`.
    fn hash(&self, at: usize) -> u64 {
        self.signature.blocks[self.blocks[at]].hash
    }

    /// Returns the upper halves of the block hashes, because [`align`] compares `u32`.
    fn short_hashes(&self) -> Vec<u32> {
        let short = |at| u32::try_from(self.hash(at) >> u32::BITS).unwrap_or_default();
        (0..self.blocks.len()).map(short).collect()
    }
}

/// The blocks between two fixed blocks, as ranges of [`ComparedVersion::blocks`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// The equal blocks of two versions, as positions in [`ComparedVersion::blocks`].
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Matching {
    /// Equal blocks in the same order, ascending.
    pub(crate) fixed: Vec<(usize, usize)>,
    /// Equal blocks in another order.
    pub(crate) moved: Vec<(usize, usize)>,
    pub(crate) is_old_matched: Vec<bool>,
    pub(crate) is_new_matched: Vec<bool>,
}

impl Matching {
    /// Matches the blocks of two versions.
    pub(crate) fn new(old: &ComparedVersion<'_>, new: &ComparedVersion<'_>) -> Self {
        let mut pairs = align(&old.short_hashes(), &new.short_hashes()).pairs;
        // Different blocks may have equal short hashes.
        pairs.retain(|(left, right)| old.hash(*left) == new.hash(*right));
        pairs.sort_unstable();
        // `align` may match long sequences out of order. Of the chains of pairs in ascending
        // order, fix the chain with the most words.
        let new_positions: Vec<usize> = pairs.iter().map(|(_, right)| *right).collect();
        let weight = |at: usize| 1 + old.word_count(old.blocks[pairs[at].0]) as u64;
        let mut is_fixed = vec![false; pairs.len()];
        for at in longest_increasing(&new_positions, weight) {
            is_fixed[at] = true;
        }
        let mut matching = Self {
            is_old_matched: vec![false; old.blocks.len()],
            is_new_matched: vec![false; new.blocks.len()],
            ..Self::default()
        };
        for (pair, is_fixed) in pairs.into_iter().zip(is_fixed) {
            matching.add(pair, is_fixed);
        }
        matching.add_moved(old, new);
        matching
    }

    /// Adds a pair of equal blocks.
    fn add(&mut self, pair: (usize, usize), is_fixed: bool) {
        (self.is_old_matched[pair.0], self.is_new_matched[pair.1]) = (true, true);
        if is_fixed { self.fixed.push(pair) } else { self.moved.push(pair) }
    }

    /// Pairs the equal blocks that are not matched yet.
    fn add_moved(&mut self, old: &ComparedVersion<'_>, new: &ComparedVersion<'_>) {
        let mut unmatched: HashMap<u64, Vec<usize>> = HashMap::new();
        for at in (0..old.blocks.len()).rev().filter(|at| !self.is_old_matched[*at]) {
            unmatched.entry(old.hash(at)).or_default().push(at);
        }
        for at in 0..new.blocks.len() {
            if !self.is_new_matched[at]
                && let Some(at_old) = unmatched.get_mut(&new.hash(at)).and_then(Vec::pop)
            {
                self.add((at_old, at), false);
            }
        }
    }

    /// Returns the gaps with at least one unmatched block.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        let (mut old, mut new) = (0, 0);
        let end = (self.is_old_matched.len(), self.is_new_matched.len());
        let mut gaps = Vec::new();
        for &(at_old, at_new) in self.fixed.iter().chain([&end]) {
            let gap = Gap { old: old..at_old, new: new..at_new };
            let has_unmatched = self.is_old_matched[gap.old.clone()].contains(&false)
                || self.is_new_matched[gap.new.clone()].contains(&false);
            if has_unmatched {
                gaps.push(gap);
            }
            (old, new) = (at_old + 1, at_new + 1);
        }
        gaps
    }

    /// Returns the unmatched blocks of the old version in a gap, as indices of
    /// the signature.
    pub(crate) fn unmatched_old(&self, version: &ComparedVersion<'_>, gap: &Gap) -> Vec<usize> {
        unmatched(&self.is_old_matched, version, gap.old.clone())
    }

    /// Returns the unmatched blocks of the new version in a gap, as indices of
    /// the signature.
    pub(crate) fn unmatched_new(&self, version: &ComparedVersion<'_>, gap: &Gap) -> Vec<usize> {
        unmatched(&self.is_new_matched, version, gap.new.clone())
    }
}

/// Returns the blocks of a range that are not matched, as indices of the signature.
fn unmatched(
    is_matched: &[bool],
    version: &ComparedVersion<'_>,
    range: Range<usize>,
) -> Vec<usize> {
    range.filter(|at| !is_matched[*at]).map(|at| version.blocks[at]).collect()
}
