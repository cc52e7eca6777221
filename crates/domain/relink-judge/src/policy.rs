//! Thresholds and rule sets of the judge.

/// Default of [`Policy::retries`].
pub const RETRIES: u32 = 2;

/// Default of [`Policy::confirm_runs`].
pub const CONFIRM_RUNS: u32 = 3;

/// Default of [`Policy::confirm_days`]. One outage of a few hours must not make
/// pages dead.
pub const CONFIRM_DAYS: i64 = 3;

/// Default of [`Policy::long_chain`].
pub const LONG_CHAIN: usize = 3;

/// The amount of evidence that a verdict requires.
///
/// ```
/// use relink_judge::Policy;
/// let strict = Policy { retries: 0, ..Policy::default() };
/// assert_eq!(strict.confirm_runs, 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// The rules that pages are judged by.
    pub rules: RuleSet,
    /// Maximum number of retries after a transient failure in one run.
    pub retries: u32,
    /// Number of consecutive runs in which a page must fail to be dead.
    pub confirm_runs: u32,
    /// Minimum number of days between the first and the last of these runs.
    pub confirm_days: i64,
    /// Number of consecutive permanent redirects from which a chain is long.
    pub long_chain: usize,
}

/// The rules that pages are judged by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RuleSet {
    /// The rules of Relink, which have an inconclusive result.
    #[default]
    Relink,
    /// Bar-Yossef, Broder, Kumar and Tomkins, WWW 2004, Table 1.
    SicTransit,
    /// FABLE, §2.1.
    Fable,
}

impl Policy {
    /// The exact rules of *Sic transit gloria telae*: one attempt, one random
    /// URL, no inconclusive result.
    pub fn sic_transit() -> Self {
        Self { rules: RuleSet::SicTransit, retries: 0, ..Self::default() }
    }

    /// The exact rules of FABLE, which avoid calling a working page broken.
    pub fn fable() -> Self {
        Self { rules: RuleSet::Fable, retries: 0, ..Self::default() }
    }

    /// Returns the policy with this command-line name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "default" | "relink" => Some(Self::default()),
            "sic-transit" => Some(Self::sic_transit()),
            "fable" => Some(Self::fable()),
            _ => None,
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            rules: RuleSet::Relink,
            retries: RETRIES,
            confirm_runs: CONFIRM_RUNS,
            confirm_days: CONFIRM_DAYS,
            long_chain: LONG_CHAIN,
        }
    }
}
