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
    /// How often a passing trouble is asked again in one run.
    pub retries: u32,
    /// How many failed runs in a row make a failing page a dead one.
    pub confirm_runs: u32,
    /// How many days must lie between the first and the last failed run.
    pub confirm_days: i64,
    /// From how many permanent redirects in a row a chain counts as long.
    pub long_chain: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            retries: RETRIES,
            confirm_runs: CONFIRM_RUNS,
            confirm_days: CONFIRM_DAYS,
            long_chain: LONG_CHAIN,
        }
    }
}
