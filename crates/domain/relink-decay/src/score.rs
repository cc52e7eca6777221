//! Decay, sigma, the two forms, and what lies between two decays.

use std::fmt;

use thiserror::Error;

/// A number that is no score, or no sigma.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum ScoreError {
    /// A decay is a probability.
    #[error("`{0}` is no decay: a decay lies between 0 and 1")]
    Decay(f64),
    /// With sigma 0 the surfer might walk forever.
    #[error("`{0}` is no sigma: sigma is more than 0 and at most 1")]
    Sigma(f64),
}

/// How rotten a page and its neighborhood are, from 0 (sound) to 1 (dead): the
/// probability that a surfer who starts here ends on a dead page.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Decay(f64);

impl Decay {
    /// Nothing dead in reach.
    pub const SOUND: Self = Self(0.0);
    /// A dead page.
    pub const DEAD: Self = Self(1.0);

    /// A decay from a number between 0 and 1.
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

    /// The nearest decay to a number that should be one but for rounding.
    pub(crate) fn rounded(value: f64) -> Self {
        Self(value.clamp(0.0, 1.0))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Decay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

/// The success parameter: how likely the surfer is content with a living page.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Sigma(f64);

impl Sigma {
    /// A sigma from a number above 0, up to 1.
    pub fn new(value: f64) -> Result<Self, ScoreError> {
        if value > 0.0 && value <= 1.0 { Ok(Self(value)) } else { Err(ScoreError::Sigma(value)) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// How likely the surfer goes on from a living page.
    pub fn continue_probability(self) -> f64 {
        1.0 - self.0
    }
}

impl Default for Sigma {
    /// The sigma of all experiments in the paper but one (section 5.1).
    fn default() -> Self {
        Self(0.1)
    }
}

/// Which of the paper's two definitions is meant: they contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DecayDefinition {
    /// The surfer's process: he chooses among the links of the page. A living
    /// page whose links are all dead has decay 1 − sigma, as the paper says.
    #[default]
    Plain,
    /// The formal definition: one link from each page to itself is added
    /// first (M ← M + I).
    SelfLoop,
}

impl DecayDefinition {
    /// How many links to itself each page is given.
    pub(crate) fn added_links(self) -> u32 {
        match self {
            Self::Plain => 0,
            Self::SelfLoop => 1,
        }
    }
}

/// All decays from `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The least.
    pub low: Decay,
    /// The greatest.
    pub high: Decay,
}

impl Interval {
    /// The interval between two numbers that are decays but for rounding.
    pub(crate) fn rounded(low: f64, high: f64) -> Self {
        Self { low: Decay::rounded(low), high: Decay::rounded(high.max(low)) }
    }

    /// Half its width: how far the truth may be from its middle.
    pub fn half_width(self) -> f64 {
        (self.high.0 - self.low.0) / 2.0
    }

    /// The decay in its middle.
    pub fn middle(self) -> Decay {
        Decay::rounded(self.low.0.midpoint(self.high.0))
    }

    /// Whether a decay lies in it.
    pub fn holds(self, decay: Decay) -> bool {
        self.low <= decay && decay <= self.high
    }

    /// What lies in both; the nearest edge of `other` where nothing does.
    pub(crate) fn within(self, other: Self) -> Self {
        let clamp = |decay: Decay| Decay(decay.0.clamp(other.low.0, other.high.0));
        Self { low: clamp(self.low), high: clamp(self.high) }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.low, self.high)
    }
}
