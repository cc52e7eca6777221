//! Rotating blocks: the blocks of a pool, of which each request returns some, such as
//! quotations of the day.
//!
//! Two fetches show only a part of the pool. A block is therefore counted in each run in
//! which it is in one of two fetches only, and is rotating after [`MIN_RUNS`] runs. A single
//! run is not enough: while a site is updated, some of its servers return the old version.

#![expect(
    clippy::indexing_slicing,
    reason = "indices are derived from the lengths of the same lists"
)]

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::VolatileParts;
use crate::signature::Signature;

/// Number of runs in which a rotating block must have come or gone.
const MIN_RUNS: u32 = 2;

/// Maximum number of blocks that are counted.
const MAX_BLOCKS: usize = 512;

/// A block that came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RotatingBlock {
    hash: u64,
    /// Number of runs in which the block came or went.
    runs: u32,
}

impl VolatileParts {
    /// Returns the hashes of the rotating blocks.
    pub(super) fn known_rotating(&self) -> HashSet<u64> {
        let known = self.rotating.iter().filter(|block| block.runs >= MIN_RUNS);
        known.map(|block| block.hash).collect()
    }

    /// Counts the blocks that are in one of two fetches of a run only. Blocks in volatile
    /// containers and blocks that match patterns are recognized without being counted.
    pub(crate) fn count_rotation(&mut self, first: &Signature, second: &Signature) {
        let counted = |signature: &Signature| {
            let is_ignored = self.in_ignored_container(signature);
            let matching = self.pattern_blocks(signature, &is_ignored);
            let is_counted = |at: &usize| !is_ignored[*at] && !matching.contains_key(at);
            hashes(signature, (0..is_ignored.len()).filter(is_counted))
        };
        let (first, second) = (counted(first), counted(second));
        self.count_differing(&first, &second);
    }

    /// Counts the blocks at volatile positions that are in one of two versions only. The
    /// versions must not differ otherwise.
    pub fn count_rotation_at_positions(&mut self, latest: &Signature, fetched: &Signature) {
        if self.positions.is_empty() {
            return;
        }
        let counted = |signature: &Signature| {
            let is_in_container = self.in_ignored_container(signature);
            let mut is_ignored = is_in_container.clone();
            self.ignore_positions(signature, &mut is_ignored);
            let is_counted = |at: &usize| is_ignored[*at] && !is_in_container[*at];
            hashes(signature, (0..is_ignored.len()).filter(is_counted))
        };
        let (latest, fetched) = (counted(latest), counted(fetched));
        self.count_differing(&latest, &fetched);
    }

    fn count_differing(&mut self, one: &HashSet<u64>, other: &HashSet<u64>) {
        let mut differing: Vec<u64> = one.symmetric_difference(other).copied().collect();
        differing.sort_unstable();
        for hash in differing {
            let known = self.rotating.iter().position(|block| block.hash == hash);
            let mut block =
                known.map_or(RotatingBlock { hash, runs: 0 }, |at| self.rotating.remove(at));
            block.runs = block.runs.saturating_add(1);
            self.rotating.push(block);
        }
        while self.rotating.len() > MAX_BLOCKS {
            // Texts that never return are removed before the blocks of a pool.
            let unconfirmed = self.rotating.iter().position(|block| block.runs < MIN_RUNS);
            self.rotating.remove(unconfirmed.unwrap_or(0));
        }
    }
}

fn hashes(signature: &Signature, blocks: impl Iterator<Item = usize>) -> HashSet<u64> {
    blocks.map(|at| signature.blocks[at].hash).collect()
}

#[cfg(test)]
mod tests {
    use relink_page::{DocumentFormat, block_text};

    use super::*;
    use crate::compare::compare;
    use crate::confirm::{Confirmation, confirm};

    const POOL: [&str; 4] = [
        "The barn owl was described by a naturalist",
        "Volunteers counted herons along the river",
        "The museum opens a hall of feathers",
        "Join the night walk through the forest",
    ];

    /// Returns a page with two blocks of the pool.
    fn page(fixed: &str, one: usize, other: usize) -> Signature {
        let (one, other) = (POOL[one], POOL[other]);
        let html = format!(
            "<h1>Owls</h1><p>{fixed}</p><p>{one}</p><p>A constant paragraph</p><p>{other}</p>\
             <p>The end"
        );
        Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
    }

    /// Returns what is known after the reference version and some runs.
    fn known_after(runs: &[[(usize, usize); 2]]) -> (Signature, VolatileParts) {
        let reference = page("Owls hunt at night", 0, 1);
        let mut known = VolatileParts::default();
        for [(a, b), (c, d)] in runs {
            let (first, second) =
                (page("Owls hunt at night", *a, *b), page("Owls hunt at night", *c, *d));
            known = confirm(&reference, &first, &second, &known).1;
        }
        (reference, known)
    }

    #[test]
    fn rotating_blocks_are_known_after_two_runs() {
        let runs = [[(2, 3), (1, 0)], [(0, 3), (2, 1)]];
        let (reference, known) = known_after(&runs);
        for (one, other) in [(0, 1), (3, 2), (1, 3), (2, 0)] {
            let fetched = page("Owls hunt at night", one, other);
            assert!(!compare(&reference, &fetched, &known).is_visible(), "{one} {other}");
        }
    }

    #[test]
    fn edit_next_to_rotating_blocks_is_the_only_reported_change() {
        let (reference, known) = known_after(&[[(2, 3), (1, 0)], [(0, 3), (2, 1)]]);
        let edited = "Owls hunt at dawn, too";
        let (first, second) = (page(edited, 3, 1), page(edited, 1, 2));
        let (confirmation, _) = confirm(&reference, &first, &second, &known);
        let Confirmation::Changed(change) = confirmation else { panic!("{confirmation:?}") };
        let excerpts = |blocks: &[crate::BlockChange]| -> Vec<String> {
            blocks.iter().map(|block| block.excerpt.clone()).collect()
        };
        assert_eq!(excerpts(&change.added), [edited]);
        assert_eq!(excerpts(&change.removed), ["Owls hunt at night"]);
    }

    #[test]
    fn old_version_of_a_slow_server_is_not_rotating_after_one_run() {
        let reference = page("Owls hunt at night", 0, 1);
        let new = page("Owls hunt at dawn", 0, 1);
        let (result, known) = confirm(&reference, &new, &reference, &VolatileParts::default());
        assert_eq!(result, Confirmation::Unstable);
        let (result, _) = confirm(&reference, &new, &new, &known);
        assert!(matches!(result, Confirmation::Changed(_)), "{result:?}");
    }

    #[test]
    fn blocks_at_volatile_positions_are_counted_without_a_second_fetch() {
        let (reference, first) =
            (page("Owls hunt at night", 0, 1), page("Owls hunt at night", 2, 3));
        let mut known = VolatileParts::learn(&reference, &first);
        for _ in 0..MIN_RUNS {
            known.count_rotation_at_positions(&reference, &first);
        }
        let edited = page("Owls hunt at dawn", 2, 3);
        let change = compare(&reference, &edited, &known);
        assert_eq!((change.added.len(), change.removed.len()), (1, 1), "{change:?}");
    }

    #[test]
    fn number_of_counted_blocks_is_bounded() {
        let mut known = VolatileParts::default();
        for hash in 0..5_000 {
            known.count_differing(&HashSet::from([hash, 1, 2]), &HashSet::new());
        }
        assert_eq!(known.rotating.len(), MAX_BLOCKS);
        assert!(known.known_rotating().contains(&1) && known.known_rotating().contains(&2));
    }
}
