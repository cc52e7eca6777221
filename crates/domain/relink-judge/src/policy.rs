//! How much evidence is enough.

/// How often a passing trouble is asked again in one run.
pub const RETRIES: u32 = 2;

/// How many failed runs in a row make a failing page a dead one.
pub const CONFIRM_RUNS: u32 = 3;

/// How many days must lie between the first and the last of them, so that one
/// bad afternoon kills nothing.
pub const CONFIRM_DAYS: i64 = 3;

/// From how many permanent redirects in a row a chain counts as long.
pub const LONG_CHAIN: usize = 3;

/// What counts as enough evidence.
///
/// ```
/// use relink_judge::Policy;
/// let strict = Policy { retries: 0, ..Policy::default() };
/// assert_eq!(strict.confirm_runs, 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// By which rules.
    pub rules: RuleSet,
    /// How often a passing trouble is asked again in one run.
    pub retries: u32,
    /// How many failed runs in a row make a failing page a dead one.
    pub confirm_runs: u32,
    /// How many days must lie between the first and the last failed run.
    pub confirm_days: i64,
    /// From how many permanent redirects in a row a chain counts as long.
    pub long_chain: usize,
}

/// By which rules pages are judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RuleSet {
    /// Our own, which can also say that it cannot be told.
    #[default]
    Relink,
    /// Those of Bar-Yossef, Broder, Kumar and Tomkins, WWW 2004, Table 1.
    SicTransit,
    /// Those of FABLE, §2.1.
    Fable,
}

impl Policy {
    /// The rules of *Sic transit gloria telae*, to the letter: one look, one
    /// stray, and no doubt.
    pub fn sic_transit() -> Self {
        Self { rules: RuleSet::SicTransit, retries: 0, ..Self::default() }
    }

    /// The rules of FABLE, to the letter: cautious, so that no working page is
    /// ever called broken.
    pub fn fable() -> Self {
        Self { rules: RuleSet::Fable, retries: 0, ..Self::default() }
    }

    /// The policy of this name, as a user writes it.
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
