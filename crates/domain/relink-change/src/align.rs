//! Aligns two sequences of words by their longest common subsequence.
//!
//! Uses the algorithm of Hunt and Szymanski (1977), whose time is proportional
//! to the number of equal pairs: positions in both sequences with the same word.
//! If there are too many pairs, the sequences are first split at *anchors*, words
//! that occur once in each sequence (patience diff). If there are no anchors,
//! equal words are matched in any order. The time is near-linear in all cases.

#![expect(
    clippy::indexing_slicing,
    reason = "indices are derived from the lengths of the same lists"
)]

use std::collections::HashMap;

/// Maximum number of equal pairs for an exact result.
const MAX_PAIRS: usize = 400_000;

/// Maximum recursion depth of splitting at unique words.
const MAX_SPLITS: usize = 8;

/// The common words of two sequences. `old` and `new` mark the words that have a
/// counterpart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Alignment {
    pub(crate) old: Vec<bool>,
    pub(crate) new: Vec<bool>,
    /// Positions of the common words in both sequences, in no particular order.
    pub(crate) pairs: Vec<(usize, usize)>,
}

impl Alignment {
    /// Returns the number of common words.
    pub(crate) fn common(&self) -> usize {
        self.pairs.len()
    }
}

/// Aligns two sequences.
pub(crate) fn align(old: &[u32], new: &[u32]) -> Alignment {
    let mut alignment =
        Alignment { old: vec![false; old.len()], new: vec![false; new.len()], pairs: Vec::new() };
    alignment.align(Part { words: old, start: 0 }, Part { words: new, start: 0 }, MAX_SPLITS);
    alignment
}

/// A part of a sequence.
#[derive(Clone, Copy)]
struct Part<'w> {
    words: &'w [u32],
    /// Position of the first word in the whole sequence.
    start: usize,
}

impl Alignment {
    /// Adds a pair of equal words at these positions of the whole sequences.
    fn mark(&mut self, old: usize, new: usize) {
        (self.old[old], self.new[new]) = (true, true);
        self.pairs.push((old, new));
    }

    /// Aligns two parts. They may be split at anchors `splits` times.
    fn align(&mut self, old: Part<'_>, new: Part<'_>, splits: usize) {
        let (old, new) = self.trim(old, new);
        if old.words.is_empty() || new.words.is_empty() {
            return;
        }
        let positions = index_positions(old.words);
        let pairs = count_pairs(&positions, new.words);
        if pairs <= MAX_PAIRS {
            self.align_exactly(old, new, &positions);
            return;
        }
        let anchors = if splits > 0 { find_anchors(&positions, new.words) } else { Vec::new() };
        if anchors.is_empty() {
            self.align_unordered(old, new);
            return;
        }
        let (mut from_old, mut from_new) = (0, 0);
        for (at_old, at_new) in anchors {
            self.align(part(old, from_old, at_old), part(new, from_new, at_new), splits - 1);
            self.mark(old.start + at_old, new.start + at_new);
            (from_old, from_new) = (at_old + 1, at_new + 1);
        }
        let (old_rest, new_rest) =
            (part(old, from_old, old.words.len()), part(new, from_new, new.words.len()));
        self.align(old_rest, new_rest, splits - 1);
    }

    /// Matches the equal words at both ends and returns the parts between them.
    fn trim<'o, 'n>(&mut self, old: Part<'o>, new: Part<'n>) -> (Part<'o>, Part<'n>) {
        let before =
            old.words.iter().zip(new.words).take_while(|(left, right)| left == right).count();
        (0..before).for_each(|at| self.mark(old.start + at, new.start + at));
        let old = part(old, before, old.words.len());
        let new = part(new, before, new.words.len());
        let pairs = old.words.iter().rev().zip(new.words.iter().rev());
        let after = pairs.take_while(|(left, right)| left == right).count();
        let (end_old, end_new) = (old.words.len() - after, new.words.len() - after);
        (0..after).for_each(|at| self.mark(old.start + end_old + at, new.start + end_new + at));
        (part(old, 0, end_old), part(new, 0, end_new))
    }

    /// Finds the longest common subsequence (Hunt and Szymanski).
    fn align_exactly(&mut self, old: Part<'_>, new: Part<'_>, positions: &Positions) {
        // `ends[length - 1]` holds the smallest position in `old` at which a common
        // subsequence of this length ends, and the node of its last pair.
        let mut ends: Vec<(u32, u32)> = Vec::new();
        let mut nodes: Vec<Node> = Vec::new();
        for (at_new, word) in new.words.iter().enumerate() {
            let Some(equal) = positions.get(word) else { continue };
            for &at_old in equal.iter().rev() {
                let length = ends.partition_point(|(end, _)| *end < at_old);
                if ends.get(length).is_some_and(|(end, _)| *end == at_old) {
                    continue;
                }
                let previous = length.checked_sub(1).map(|at| ends[at].1);
                let node = to_u32(nodes.len());
                nodes.push(Node { at_old, at_new: to_u32(at_new), previous });
                match ends.get_mut(length) {
                    Some(end) => *end = (at_old, node),
                    None => ends.push((at_old, node)),
                }
            }
        }
        // Follow the chain from the last pair of the longest subsequence to its first pair.
        let mut next = ends.last().map(|(_, node)| *node);
        while let Some(node) = next.and_then(|at| nodes.get(at as usize)) {
            self.mark(old.start + node.at_old as usize, new.start + node.at_new as usize);
            next = node.previous;
        }
    }

    /// Matches equal words in any order.
    fn align_unordered(&mut self, old: Part<'_>, new: Part<'_>) {
        let mut unmatched = index_positions(old.words);
        for (at_new, word) in new.words.iter().enumerate() {
            if let Some(at_old) = unmatched.get_mut(word).and_then(Vec::pop) {
                self.mark(old.start + at_old as usize, new.start + at_new);
            }
        }
    }
}

/// One pair of a common subsequence, and the index of the node of the previous pair.
struct Node {
    at_old: u32,
    at_new: u32,
    previous: Option<u32>,
}

/// The positions of each word, ascending.
type Positions = HashMap<u32, Vec<u32>>;

/// Returns the positions of each word of a sequence.
fn index_positions(words: &[u32]) -> Positions {
    let mut positions = Positions::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        positions.entry(*word).or_default().push(to_u32(at));
    }
    positions
}

/// Returns the number of pairs of equal words in two sequences.
fn count_pairs(positions: &Positions, words: &[u32]) -> usize {
    words.iter().map(|word| positions.get(word).map_or(0, Vec::len)).sum()
}

/// Returns the positions of words that occur once in each sequence. Of words in
/// different order, it selects the longest chain in which both positions ascend.
fn find_anchors(old: &Positions, new: &[u32]) -> Vec<(usize, usize)> {
    let positions = index_positions(new);
    let mut unique: Vec<(usize, usize)> = Vec::new();
    for (at, word) in new.iter().enumerate() {
        if positions[word].len() == 1
            && let Some([only]) = old.get(word).map(Vec::as_slice)
        {
            unique.push((*only as usize, at));
        }
    }
    let old_positions: Vec<usize> = unique.iter().map(|(old, _)| *old).collect();
    longest_increasing(&old_positions, |_| 1).into_iter().map(|at| unique[at]).collect()
}

/// Returns the indices of the increasing subsequence with the greatest total
/// weight. If all weights are 1, it is the longest one. Takes O(n log n) time.
pub(crate) fn longest_increasing(values: &[usize], weight: impl Fn(usize) -> u64) -> Vec<usize> {
    let length = values.iter().copied().max().map_or(0, |value| value + 1);
    let mut best = PrefixMaximum::new(length);
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(values.len());
    // The greatest total weight so far, and the index of the last value of its subsequence.
    let (mut best_sum, mut best_end) = (0, None);
    for (at, &value) in values.iter().enumerate() {
        let (sum, last) = best.below(value);
        let sum = sum + weight(at);
        previous.push(last);
        best.raise(value, (sum, Some(at)));
        if sum > best_sum {
            (best_sum, best_end) = (sum, Some(at));
        }
    }
    let mut chain = Vec::new();
    let mut next = best_end;
    while let Some(at) = next {
        chain.push(at);
        next = previous[at];
    }
    chain.reverse();
    chain
}

/// A Fenwick tree (binary indexed tree): returns the maximum of all entries
/// below a value, and raises an entry, in O(log n) time.
struct PrefixMaximum {
    /// The greatest total weight, and the index of its last value, for each range of values.
    tree: Vec<(u64, Option<usize>)>,
}

impl PrefixMaximum {
    fn new(length: usize) -> Self {
        Self { tree: vec![(0, None); length + 1] }
    }

    /// Returns the maximum of the entries of all smaller values.
    fn below(&self, value: usize) -> (u64, Option<usize>) {
        let (mut best, mut at) = ((0, None), value);
        while at > 0 {
            if self.tree[at].0 > best.0 {
                best = self.tree[at];
            }
            at &= at - 1;
        }
        best
    }

    /// Raises the entry of a value to at least `entry`.
    fn raise(&mut self, value: usize, entry: (u64, Option<usize>)) {
        let mut at = value + 1;
        while let Some(node) = self.tree.get_mut(at) {
            if entry.0 > node.0 {
                *node = entry;
            }
            at += at & at.wrapping_neg();
        }
    }
}

/// Returns the words `from` to `to` of a part.
fn part(whole: Part<'_>, from: usize, to: usize) -> Part<'_> {
    Part { words: &whole.words[from..to], start: whole.start + from }
}

/// Converts a position to `u32`. Sequences are not longer than a signature.
fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns one word per letter.
    fn words(text: &str) -> Vec<u32> {
        text.bytes().map(u32::from).collect()
    }

    /// Asserts the number of common words.
    #[track_caller]
    fn check(old: &str, new: &str, common: usize) {
        let alignment = align(&words(old), &words(new));
        assert_eq!(alignment.common(), common);
        assert_eq!(alignment.old.iter().filter(|is_common| **is_common).count(), common);
        assert_eq!(alignment.new.iter().filter(|is_common| **is_common).count(), common);
    }

    #[test]
    fn align_finds_the_longest_common_subsequence() {
        check("", "", 0);
        check("abc", "abc", 3);
        check("abc", "xyz", 0);
        check("abcbdab", "bdcaba", 4);
        check("xaxbxc", "abc", 3);
        check("aab", "aaab", 3);
    }

    #[test]
    fn align_of_repeated_words_is_fast() {
        let (old, new) = (vec![1; 40_000], [vec![2], vec![1; 50_000], vec![3]].concat());
        assert_eq!(align(&old, &new).common(), 40_000);
        let old: Vec<u32> = (0..60_000).map(|at| if at % 50 == 0 { at } else { 7 }).collect();
        let mut new = old.clone();
        new.iter_mut().step_by(777).for_each(|word| *word = 9);
        assert!(align(&old, &new).common() >= 59_000);
    }

    #[test]
    fn longest_increasing_prefers_weight() {
        assert_eq!(longest_increasing(&[3, 1, 2], |_| 1), [1, 2]);
        assert_eq!(longest_increasing(&[3, 1, 2], |at| [9, 1, 1][at]), [0]);
        assert_eq!(longest_increasing(&[], |_| 1), Vec::<usize>::new());
    }

    /// Returns the length of the longest common subsequence by dynamic programming.
    fn longest_common_length(old: &[u32], new: &[u32]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for left in old {
            let mut diagonal = 0;
            for (at, right) in new.iter().enumerate() {
                let up = row[at + 1];
                row[at + 1] = if left == right { diagonal + 1 } else { up.max(row[at]) };
                diagonal = up;
            }
        }
        row[new.len()]
    }

    proptest! {
        #[test]
        fn align_matches_the_textbook_algorithm(
            old in prop::collection::vec(0_u32..6, 0..40),
            new in prop::collection::vec(0_u32..6, 0..40),
        ) {
            prop_assert_eq!(align(&old, &new).common(), longest_common_length(&old, &new));
        }
    }
}
