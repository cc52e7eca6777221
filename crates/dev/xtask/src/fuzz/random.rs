//! Random numbers from a seed: the same in every run and on every machine.

/// A generator of random numbers (`SplitMix64`).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates the generator of one item of a sequence. Items can be reproduced one by one, in
    /// any order and on any thread.
    pub fn of_item(seed: u64, sequence: u64, item: u64) -> Self {
        let mut random = Self(seed ^ sequence.wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.0 = random.bits() ^ item;
        random.bits();
        random
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.bits() % bound.max(1) as u64).unwrap_or(0)
    }

    /// Returns true with probability `1 / times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Picks one of the items, or the default if there are no items.
    pub fn pick<T: Copy + Default>(&mut self, all: &[T]) -> T {
        let at = self.below(all.len());
        all.get(at).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_item_same_numbers_give_same_bits() {
        let bits = |seed, sequence, item| Random::of_item(seed, sequence, item).bits();
        assert_eq!(bits(1, 2, 3), bits(1, 2, 3));
        assert_ne!(bits(1, 2, 3), bits(1, 2, 4));
        assert_ne!(bits(1, 2, 3), bits(1, 3, 3));
        assert_ne!(bits(1, 2, 3), bits(2, 2, 3));
    }
}
