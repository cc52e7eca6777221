//! Learns volatile parts from two fetches of the same version of a page.

#![expect(
    clippy::indexing_slicing,
    reason = "indices are derived from the lengths of the same lists"
)]

use std::collections::{BTreeSet, HashMap, HashSet};

use super::link_shape::link_shape;
use super::{Pattern, Position, VolatileParts, truncate_rules};
use crate::align::align;
use crate::matching::{ComparedVersion, Gap, Matching};
use crate::signature::{BlockRole, Signature};
use crate::words::is_number;

/// Minimum number of differing items per fetch in a volatile list.
const MIN_ROTATED: usize = 2;

/// Maximum number of items per differing item in a volatile list: at least a third of the
/// items differs.
const ITEMS_PER_ROTATED: usize = 3;

/// Maximum number of words in a pattern. Longer blocks are recognized by
/// position.
const MAX_PATTERN: usize = 512;

/// Learns the parts that differ between two fetches. A gap contains the differing
/// blocks between two equal blocks. A gap with a block whose hash is in `stable` is
/// skipped: the block is known from an earlier version, so it does not differ on each
/// request.
pub(super) fn learn(first: &Signature, second: &Signature, stable: &HashSet<u64>) -> VolatileParts {
    let is_boilerplate = |signature: &Signature| -> Vec<bool> {
        signature.blocks.iter().map(|block| block.is_boilerplate).collect()
    };
    let old = ComparedVersion::new(first, &is_boilerplate(first));
    let new = ComparedVersion::new(second, &is_boilerplate(second));
    let matching = Matching::new(&old, &new);
    let mut learner = Learner {
        usage: Usage::new(&old, &new, &matching),
        old,
        new,
        volatile: VolatileParts::default(),
    };
    for gap in matching.gaps() {
        learner.learn_gap(&matching, &gap, stable);
    }
    learner.learn_links();
    let mut volatile = learner.volatile;
    truncate_rules(&mut volatile.patterns);
    truncate_rules(&mut volatile.positions);
    truncate_rules(&mut volatile.containers);
    truncate_rules(&mut volatile.link_shapes);
    volatile
}

/// Number of blocks of a container, and number of its blocks that differ.
#[derive(Default)]
struct ContainerUsage {
    blocks: usize,
    differing: usize,
    has_items: bool,
}

/// The usage of each container.
struct Usage(HashMap<u64, ContainerUsage>);

impl Usage {
    fn new(old: &ComparedVersion<'_>, new: &ComparedVersion<'_>, matching: &Matching) -> Self {
        let mut usage = Self(HashMap::new());
        usage.count(old, &matching.is_old_matched);
        usage.count(new, &matching.is_new_matched);
        usage
    }

    /// Counts the blocks of a version by container.
    fn count(&mut self, version: &ComparedVersion<'_>, is_matched: &[bool]) {
        for (at, is_matched) in version.blocks.iter().zip(is_matched) {
            let block = &version.signature.blocks[*at];
            let usage = self.0.entry(block.container).or_default();
            usage.blocks += 1;
            usage.differing += usize::from(!is_matched);
            usage.has_items |= block.role == BlockRole::Item;
        }
    }

    /// Whether all blocks of a container differ, or the container is a list of which
    /// several items differ.
    fn is_volatile(&self, container: u64) -> bool {
        let Some(usage) = self.0.get(&container).filter(|_| container != 0) else { return false };
        let differs = usage.differing == usage.blocks;
        // `differing` counts the blocks of both fetches.
        let rotates = usage.has_items
            && usage.differing >= 2 * MIN_ROTATED
            && usage.differing * ITEMS_PER_ROTATED >= usage.blocks;
        differs || rotates
    }
}

/// Collects the rules for two fetches.
struct Learner<'s> {
    old: ComparedVersion<'s>,
    new: ComparedVersion<'s>,
    usage: Usage,
    volatile: VolatileParts,
}

impl Learner<'_> {
    /// Learns the unmatched blocks of a gap.
    fn learn_gap(&mut self, matching: &Matching, gap: &Gap, stable: &HashSet<u64>) {
        let old = matching.unmatched_old(&self.old, gap);
        let new = matching.unmatched_new(&self.new, gap);
        let is_known = |version: &ComparedVersion<'_>, blocks: &[usize]| {
            blocks.iter().any(|at| stable.contains(&version.signature.blocks[*at].hash))
        };
        if is_known(&self.old, &old) || is_known(&self.new, &new) {
            return;
        }
        let has_unknown = self.learn_blocks(&old, &new);
        if has_unknown {
            self.learn_position(gap);
        }
    }

    /// Learns a pattern or container for each block. Returns whether there is a block
    /// for which neither was learned.
    fn learn_blocks(&mut self, old: &[usize], new: &[usize]) -> bool {
        // A block of `old` is compared with the next block of `new` in the same container, which
        // is then removed from `partners`.
        let mut partners: Vec<usize> = new.to_vec();
        let mut has_unknown = false;
        for &at in old {
            let container = self.old.signature.blocks[at].container;
            let partner = partners
                .iter()
                .position(|at| self.new.signature.blocks[*at].container == container);
            let pattern = partner.and_then(|index| self.common_pattern(at, partners.remove(index)));
            has_unknown |= !self.learn_block(container, pattern);
        }
        for at in partners {
            let container = self.new.signature.blocks[at].container;
            has_unknown |= !self.learn_block(container, None);
        }
        has_unknown
    }

    /// Learns the pattern or the container of a block. Returns whether one of them
    /// recognizes the block.
    fn learn_block(&mut self, container: u64, pattern: Option<Pattern>) -> bool {
        if let Some(pattern) = pattern {
            self.volatile.patterns.insert(pattern);
            return true;
        }
        let is_volatile = self.usage.is_volatile(container);
        if is_volatile {
            self.volatile.containers.insert(container);
        }
        is_volatile
    }

    /// Returns the pattern of two blocks that are mostly equal.
    fn common_pattern(&self, old: usize, new: usize) -> Option<Pattern> {
        let first = &self.old.signature.words()[self.old.ranges[old].clone()];
        let second = &self.new.signature.words()[self.new.ranges[new].clone()];
        let alignment = align(first, second);
        let (mut is_first_stable, mut is_second_stable) = (alignment.old, alignment.new);
        mark_changing_numbers(first, &mut is_first_stable);
        mark_changing_numbers(second, &mut is_second_stable);
        let words: Vec<u32> = first
            .iter()
            .zip(&is_first_stable)
            .filter_map(|(word, is_stable)| is_stable.then_some(*word))
            .collect();
        let longest = first.len().max(second.len());
        let changing =
            count_changing(first, &is_first_stable).max(count_changing(second, &is_second_stable));
        let is_mostly_stable = (1..=MAX_PATTERN).contains(&words.len()) && words.len() >= changing;
        let container = self.old.signature.blocks[old].container;
        is_mostly_stable.then(|| Pattern { container, others: longest - words.len(), words })
    }

    /// Learns the position of a gap.
    fn learn_position(&mut self, gap: &Gap) {
        let hash = |at: usize| self.old.signature.blocks[self.old.blocks[at]].hash;
        let before = gap.old.start.checked_sub(1).map(hash);
        let after = (gap.old.end < self.old.blocks.len()).then(|| hash(gap.old.end));
        let blocks = gap.old.len().max(gap.new.len());
        self.volatile.positions.insert(Position { before, after, blocks });
    }

    /// Learns the shapes of links whose URLs differ and whose shapes are equal.
    fn learn_links(&mut self) {
        let urls = |version: &ComparedVersion<'_>| -> BTreeSet<String> {
            version.signature.links.iter().map(|link| link.url.clone()).collect()
        };
        let (old, new) = (urls(&self.old), urls(&self.new));
        let shapes = |urls: &BTreeSet<String>, others: &BTreeSet<String>| -> BTreeSet<String> {
            urls.difference(others).map(|url| link_shape(url).into_owned()).collect()
        };
        let common = &shapes(&old, &new) & &shapes(&new, &old);
        self.volatile.link_shapes.extend(common);
    }
}

/// Returns the number of changing words. Consecutive numbers, such as a date, count as
/// one word.
fn count_changing(words: &[u32], is_stable: &[bool]) -> usize {
    let mut count = 0;
    let mut is_in_number = false;
    for (word, is_stable) in words.iter().zip(is_stable) {
        let is_changing_number = !is_stable && is_number(*word);
        let continues = is_changing_number && is_in_number;
        count += usize::from(!is_stable && !continues);
        is_in_number = is_changing_number;
    }
    count
}

/// Marks consecutive numbers as changing if one of them changes. Between two fetches,
/// often only the seconds of a clock differ.
fn mark_changing_numbers(words: &[u32], is_stable: &mut [bool]) {
    let mut start = 0;
    while start < words.len() {
        let length = words[start..].iter().take_while(|word| is_number(**word)).count();
        let run = start..start + length;
        if is_stable[run.clone()].contains(&false) {
            is_stable[run].fill(false);
        }
        start += length.max(1);
    }
}
