//! Which blocks of two versions are the same.
//!
//! Blocks are equal if their words are. Equal blocks that come in the same
//! order are fixed; equal blocks elsewhere have moved. Between fixed blocks
//! are gaps, whose blocks were added, removed or edited.

#![expect(
    clippy::indexing_slicing,
    reason = "positions are made here, from the lengths of the same lists"
)]

use std::collections::HashMap;
use std::ops::Range;

use crate::align::{align, longest_increasing};
use crate::signature::Signature;

/// The blocks of a version that take part in a comparison.
pub(crate) struct Side<'s> {
    pub(crate) signature: &'s Signature,
    /// Indexes of the blocks, ascending.
    pub(crate) blocks: Vec<usize>,
    /// The range of each block of the signature in its words.
    pub(crate) ranges: Vec<Range<usize>>,
}

impl<'s> Side<'s> {
    /// The blocks that are not ignored.
    pub(crate) fn new(signature: &'s Signature, is_ignored: &[bool]) -> Self {
        let blocks = (0..signature.blocks.len()).filter(|at| !is_ignored[*at]).collect();
        Self { signature, blocks, ranges: signature.ranges() }
    }

    /// The number of words of all blocks.
    pub(crate) fn words(&self) -> usize {
        self.blocks.iter().map(|at| self.word_count(*at)).sum()
    }

    /// The number of words of a block of the signature.
    pub(crate) fn word_count(&self, block: usize) -> usize {
        self.signature.blocks[block].words as usize
    }

    fn hash(&self, at: usize) -> u64 {
        self.signature.blocks[self.blocks[at]].hash
    }

    /// The hashes of the blocks, shortened as [`align`] wants them.
    fn short_hashes(&self) -> Vec<u32> {
        let short = |at| u32::try_from(self.hash(at) >> u32::BITS).unwrap_or_default();
        (0..self.blocks.len()).map(short).collect()
    }
}

/// Blocks between two fixed ones, as ranges of [`Side::blocks`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// The equal blocks of two versions. All positions are those of
/// [`Side::blocks`].
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
    pub(crate) fn of(old: &Side<'_>, new: &Side<'_>) -> Self {
        let mut pairs = align(&old.short_hashes(), &new.short_hashes()).pairs;
        pairs.retain(|(one, other)| old.hash(*one) == new.hash(*other));
        pairs.sort_unstable();
        let targets: Vec<usize> = pairs.iter().map(|(_, other)| *other).collect();
        let weight = |at: usize| 1 + old.word_count(old.blocks[pairs[at].0]) as u64;
        let mut is_fixed = vec![false; pairs.len()];
        for at in longest_increasing(&targets, weight) {
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

    fn add(&mut self, pair: (usize, usize), is_fixed: bool) {
        (self.is_old_matched[pair.0], self.is_new_matched[pair.1]) = (true, true);
        if is_fixed { self.fixed.push(pair) } else { self.moved.push(pair) }
    }

    /// Pairs the equal blocks that are left.
    fn add_moved(&mut self, old: &Side<'_>, new: &Side<'_>) {
        let mut left: HashMap<u64, Vec<usize>> = HashMap::new();
        for at in (0..old.blocks.len()).rev().filter(|at| !self.is_old_matched[*at]) {
            left.entry(old.hash(at)).or_default().push(at);
        }
        for at in 0..new.blocks.len() {
            if !self.is_new_matched[at]
                && let Some(other) = left.get_mut(&new.hash(at)).and_then(Vec::pop)
            {
                self.add((other, at), false);
            }
        }
    }

    /// The gaps with a block that has no equal one.
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

    /// The blocks of the old version in a gap that have no equal one, as
    /// indexes of the signature.
    pub(crate) fn unmatched_old(&self, side: &Side<'_>, gap: &Gap) -> Vec<usize> {
        unmatched(&self.is_old_matched, side, gap.old.clone())
    }

    /// The same for the new version.
    pub(crate) fn unmatched_new(&self, side: &Side<'_>, gap: &Gap) -> Vec<usize> {
        unmatched(&self.is_new_matched, side, gap.new.clone())
    }
}

fn unmatched(is_matched: &[bool], side: &Side<'_>, range: Range<usize>) -> Vec<usize> {
    range.filter(|at| !is_matched[*at]).map(|at| side.blocks[at]).collect()
}
