//! A seeded generator, so that a failed schedule can be repeated.

/// A linear congruential generator with the constants of Knuth's MMIX.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        // Neighboring seeds must not give similar sequences, so the seed is multiplied by
        // 2^64 divided by the golden ratio, and the first number is skipped.
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        random.below(1);
        random
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The upper bits of such a generator are the most random.
        (self.0 >> 33) % limit.max(1)
    }

    /// Returns one of these values.
    pub(crate) fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[usize::try_from(self.below(values.len() as u64)).unwrap()]
    }
}
