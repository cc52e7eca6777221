//! A seeded pseudorandom number generator, so that runs are reproducible.
//!
//! `SplitMix64` (Steele, Lea & Flood, OOPSLA 2014) is small, fast and sufficient for drawing
//! samples. It is not cryptographically secure.

use std::f64::consts::TAU;

/// The golden ratio in 64 bits: the step of the sequence.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Number of random bits in a `f64` between 0 and 1.
const UNIT_BITS: u32 = 53;

/// A pseudorandom number generator with a fixed sequence per seed.
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Returns a generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns an integer below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        // The upper half of the product of 32 random bits and `end` is below `end`.
        let product = (self.next_u64() >> 32) * u64::from(end);
        u32::try_from(product >> 32).unwrap_or(0)
    }

    /// Returns a number from 0 (inclusive) to 1 (exclusive).
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a f64 exactly")]
    pub fn unit(&mut self) -> f64 {
        let bits = self.next_u64() >> (u64::BITS - UNIT_BITS);
        bits as f64 / (1_u64 << UNIT_BITS) as f64
    }

    /// Returns a number from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// Returns true with this probability.
    pub fn bernoulli(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a number from the standard normal distribution (Box & Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (TAU * self.unit()).cos()
    }

    /// Returns a number from the log-normal distribution with this mean. `spread` is the standard
    /// deviation of the logarithm.
    pub fn log_normal(&mut self, mean: f64, spread: f64) -> f64 {
        (mean.ln() - spread * spread / 2.0 + spread * self.normal()).exp()
    }

    /// Shuffles the items (Fisher & Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (2..=items.len()).rev() {
            let bound = u32::try_from(end).unwrap_or(u32::MAX);
            items.swap(end - 1, self.below(bound) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_gives_the_same_numbers() {
        let draw = |seed| {
            let mut rng = SplitMix64::new(seed);
            [rng.next_u64(), rng.next_u64(), rng.next_u64()]
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn below_returns_numbers_below_end() {
        let mut rng = SplitMix64::new(3);
        assert!((0..10_000).all(|_| rng.below(7) < 7));
        assert_eq!(rng.below(0), 0);
    }

    #[test]
    fn shuffle_retains_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        SplitMix64::new(4).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn log_normal_has_the_given_mean() {
        let mut rng = SplitMix64::new(5);
        let sum: f64 = (0..200_000).map(|_| rng.log_normal(40.0, 1.0)).sum();
        assert!((sum / 200_000.0 - 40.0).abs() < 1.0);
    }
}
