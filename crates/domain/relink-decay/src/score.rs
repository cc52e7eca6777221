//! Decay scores, sigma, the two definitions of decay, and score intervals.

use std::fmt;

use thiserror::Error;

/// A number outside the range of a decay or of sigma.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum ScoreError {
    /// A decay is a probability.
    #[error("invalid decay: {0} (expected 0 to 1)")]
    Decay(f64),
    /// With sigma 0 a walk might not end.
    #[error("invalid sigma: {0} (expected more than 0, at most 1)")]
    Sigma(f64),
}

/// Decay score of a page, from 0 (no dead page within reach) to 1 (dead): the
/// probability that a random walk from the page ends on a dead page.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Decay(f64);

impl Decay {
    /// No dead page is within reach.
    pub const HEALTHY: Self = Self(0.0);
    /// A dead page.
    pub const DEAD: Self = Self(1.0);

    /// Creates a decay from a number between 0 and 1.
    ///
    /// ```
    /// use relink_decay::Decay;
    /// assert_eq!(Decay::new(0.25)?.to_string(), "0.250");
    /// assert!(Decay::new(1.5).is_err());
    /// # Ok::<(), relink_decay::ScoreError>(())
    /// ```
    pub fn new(value: f64) -> Result<Self, ScoreError> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(ScoreError::Decay(value)) }
    }

    /// Creates a decay from a number that may exceed the range by a rounding error.
    pub(crate) fn clamped(value: f64) -> Self {
        Self(value.clamp(0.0, 1.0))
    }

    /// Returns the decay as a number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Decay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

/// Success parameter: the probability that a walk that is at a live page ends there.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Sigma(f64);

impl Sigma {
    /// Creates a sigma from a number greater than 0 and at most 1.
    pub fn new(value: f64) -> Result<Self, ScoreError> {
        if value > 0.0 && value <= 1.0 { Ok(Self(value)) } else { Err(ScoreError::Sigma(value)) }
    }

    /// Returns sigma as a number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns the probability 1 − sigma that a walk leaves a live page.
    pub fn continue_probability(self) -> f64 {
        1.0 - self.0
    }
}

impl Default for Sigma {
    /// Returns 0.1, the sigma of all experiments in the paper except one
    /// (section 5.1).
    fn default() -> Self {
        Self(0.1)
    }
}

/// One of the paper's two definitions of decay, which contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DecayDefinition {
    /// The random walk chooses among the links of the page only. A live page
    /// whose links are all dead has decay 1 − sigma, as the paper states.
    #[default]
    Plain,
    /// The formal definition: every page first gets a link to itself
    /// (M ← M + I).
    SelfLoop,
}

impl DecayDefinition {
    /// Returns the number of self-links that the definition adds to each page.
    pub(crate) fn self_loops(self) -> u32 {
        match self {
            Self::Plain => 0,
            Self::SelfLoop => 1,
        }
    }
}

/// A closed interval of decays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: Decay,
    /// The upper end.
    pub high: Decay,
}

impl Interval {
    /// Creates an interval from numbers that may exceed the range of a decay
    /// by a rounding error.
    pub(crate) fn clamped(low: f64, high: f64) -> Self {
        Self { low: Decay::clamped(low), high: Decay::clamped(high.max(low)) }
    }

    /// Returns half the width: the maximum error of the midpoint.
    pub fn half_width(self) -> f64 {
        (self.high.0 - self.low.0) / 2.0
    }

    /// Returns the midpoint.
    pub fn midpoint(self) -> Decay {
        Decay::clamped(self.low.0.midpoint(self.high.0))
    }

    /// Whether the interval contains a decay.
    pub fn contains(self, decay: Decay) -> bool {
        self.low <= decay && decay <= self.high
    }

    /// Clamps both ends to `other`.
    pub(crate) fn clamp_to(self, other: Self) -> Self {
        let clamp = |decay: Decay| Decay(decay.0.clamp(other.low.0, other.high.0));
        Self { low: clamp(self.low), high: clamp(self.high) }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.low, self.high)
    }
}
