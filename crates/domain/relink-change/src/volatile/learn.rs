//! Learning volatile parts from two fetches of one version.

#![expect(
    clippy::indexing_slicing,
    reason = "positions are made here, from the lengths of the same lists"
)]

use std::collections::{BTreeSet, HashMap, HashSet};

use super::link_shape::link_shape;
use super::{Pattern, Position, Volatile, bound};
use crate::align::align;
use crate::matching::{Gap, Matching, Side};
use crate::signature::{BlockRole, Signature};
use crate::words::is_number;

/// Minimum number of differing items for a list to be volatile as a whole.
const MIN_ROTATED: usize = 2;

/// A list rotates if at least one item in so many differs.
const ROTATED_SHARE: usize = 3;

/// Maximum number of words in a pattern; longer blocks are known by position.
const MAX_PATTERN: usize = 512;

/// Learns the parts that differ between two fetches. A gap with a block of
/// which the hash is in `stable` is skipped: its content is known from an
/// earlier version, so it did not differ by request.
pub(super) fn learn(first: &Signature, second: &Signature, stable: &HashSet<u64>) -> Volatile {
    let is_boilerplate = |signature: &Signature| -> Vec<bool> {
        signature.blocks.iter().map(|block| block.is_boilerplate).collect()
    };
    let old = Side::new(first, &is_boilerplate(first));
    let new = Side::new(second, &is_boilerplate(second));
    let matching = Matching::of(&old, &new);
    let mut learner = Learner {
        usage: Usage::of(&old, &new, &matching),
        old,
        new,
        volatile: Volatile::default(),
    };
    for gap in matching.gaps() {
        learner.learn_gap(&matching, &gap, stable);
    }
    learner.learn_links();
    let mut volatile = learner.volatile;
    bound(&mut volatile.patterns);
    bound(&mut volatile.positions);
    bound(&mut volatile.containers);
    bound(&mut volatile.link_shapes);
    volatile
}

/// How many blocks of a container differ.
#[derive(Default)]
struct ContainerUsage {
    blocks: usize,
    differing: usize,
    has_items: bool,
}

struct Usage(HashMap<u64, ContainerUsage>);

impl Usage {
    fn of(old: &Side<'_>, new: &Side<'_>, matching: &Matching) -> Self {
        let mut usage = Self(HashMap::new());
        usage.count(old, &matching.is_old_matched);
        usage.count(new, &matching.is_new_matched);
        usage
    }

    fn count(&mut self, side: &Side<'_>, is_matched: &[bool]) {
        for (at, is_matched) in side.blocks.iter().zip(is_matched) {
            let block = &side.signature.blocks[*at];
            let usage = self.0.entry(block.container).or_default();
            usage.blocks += 1;
            usage.differing += usize::from(!is_matched);
            usage.has_items |= block.role == BlockRole::Item;
        }
    }

    /// Whether all of a container differs, or it is a list whose items rotate.
    fn is_volatile(&self, container: u64) -> bool {
        let Some(usage) = self.0.get(&container).filter(|_| container != 0) else { return false };
        let differs = usage.differing == usage.blocks;
        let rotates = usage.has_items
            && usage.differing >= 2 * MIN_ROTATED
            && usage.differing * ROTATED_SHARE >= usage.blocks;
        differs || rotates
    }
}

struct Learner<'s> {
    old: Side<'s>,
    new: Side<'s>,
    usage: Usage,
    volatile: Volatile,
}

impl Learner<'_> {
    fn learn_gap(&mut self, matching: &Matching, gap: &Gap, stable: &HashSet<u64>) {
        let old = matching.unmatched_old(&self.old, gap);
        let new = matching.unmatched_new(&self.new, gap);
        let is_known = |side: &Side<'_>, blocks: &[usize]| {
            blocks.iter().any(|at| stable.contains(&side.signature.blocks[*at].hash))
        };
        if is_known(&self.old, &old) || is_known(&self.new, &new) {
            return;
        }
        let has_unknown = self.learn_blocks(&old, &new);
        if has_unknown {
            self.learn_position(gap);
        }
    }

    /// Learns a pattern or container for each block; returns whether there is
    /// a block with neither.
    fn learn_blocks(&mut self, old: &[usize], new: &[usize]) -> bool {
        let mut partners: Vec<usize> = new.to_vec();
        let mut has_unknown = false;
        for &at in old {
            let container = self.old.signature.blocks[at].container;
            let partner = partners
                .iter()
                .position(|other| self.new.signature.blocks[*other].container == container);
            let pattern = partner.and_then(|index| self.pattern(at, partners.remove(index)));
            has_unknown |= !self.learn_block(container, pattern);
        }
        for at in partners {
            let container = self.new.signature.blocks[at].container;
            has_unknown |= !self.learn_block(container, None);
        }
        has_unknown
    }

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

    /// The pattern of two blocks that are mostly the same.
    fn pattern(&self, old: usize, new: usize) -> Option<Pattern> {
        let one = &self.old.signature.words()[self.old.ranges[old].clone()];
        let other = &self.new.signature.words()[self.new.ranges[new].clone()];
        let alignment = align(one, other);
        let (mut is_stable, mut is_other_stable) = (alignment.old, alignment.new);
        drop_numbers_beside_changes(one, &mut is_stable);
        drop_numbers_beside_changes(other, &mut is_other_stable);
        let words: Vec<u32> = one
            .iter()
            .zip(&is_stable)
            .filter_map(|(word, is_stable)| is_stable.then_some(*word))
            .collect();
        let longest = one.len().max(other.len());
        let changing = changing(one, &is_stable).max(changing(other, &is_other_stable));
        let is_mostly_stable = (1..=MAX_PATTERN).contains(&words.len()) && words.len() >= changing;
        let container = self.old.signature.blocks[old].container;
        is_mostly_stable.then(|| Pattern { container, others: longest - words.len(), words })
    }

    fn learn_position(&mut self, gap: &Gap) {
        let hash = |at: usize| self.old.signature.blocks[self.old.blocks[at]].hash;
        let before = gap.old.start.checked_sub(1).map(hash);
        let after = (gap.old.end < self.old.blocks.len()).then(|| hash(gap.old.end));
        let blocks = gap.old.len().max(gap.new.len());
        self.volatile.positions.insert(Position { before, after, blocks });
    }

    /// Learns the shapes of links of which the URL differs and the shape does
    /// not.
    fn learn_links(&mut self) {
        let urls = |side: &Side<'_>| -> BTreeSet<String> {
            side.signature.links.iter().map(|link| link.url.clone()).collect()
        };
        let (old, new) = (urls(&self.old), urls(&self.new));
        let shapes = |urls: &BTreeSet<String>, others: &BTreeSet<String>| -> BTreeSet<String> {
            urls.difference(others).map(|url| link_shape(url).into_owned()).collect()
        };
        let common = &shapes(&old, &new) & &shapes(&new, &old);
        self.volatile.link_shapes.extend(common);
    }
}

/// The number of changing words; a run of numbers, such as a date, is one.
fn changing(words: &[u32], is_stable: &[bool]) -> usize {
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

/// Marks numbers as changing where a number next to them changes: of a clock,
/// only the seconds may differ between two fetches.
fn drop_numbers_beside_changes(words: &[u32], is_stable: &mut [bool]) {
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
