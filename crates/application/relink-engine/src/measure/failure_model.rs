//! On which pages a surfer fails, by the word they are given.

use relink_model::Verdict;

/// Which pages a surfer fails on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailureSet {
    /// On those that are dead, and those that only seem to live: error pages
    /// sent as success, pages with another owner, addresses that are none.
    #[default]
    Dead,
    /// On those with another owner alone.
    Hijacked,
    /// On those that turn visitors away.
    Blocked,
}

/// How likely a surfer fails on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FailureModel {
    /// On which pages.
    pub set: FailureSet,
    /// To which part a page counts as dead that fails now and is not yet
    /// confirmed.
    pub unconfirmed: f64,
}

impl FailureModel {
    /// A page that fails now may be back tomorrow; nothing seen once says
    /// which.
    pub const UNCONFIRMED: f64 = 0.5;

    /// How likely a surfer fails on a page of this word.
    ///
    /// ```
    /// use relink_engine::Fails;
    /// use relink_model::Word;
    /// let fails = Fails::default();
    /// assert_eq!(fails.chance(Word::Soft404), 1.0);
    /// assert_eq!(fails.chance(Word::Failing), 0.5);
    /// assert_eq!(fails.chance(Word::Blocked), 0.0);
    /// ```
    pub fn chance(self, word: Verdict) -> f64 {
        let is_in = match self.set {
            FailureSet::Dead if word == Verdict::Failing => return self.unconfirmed,
            FailureSet::Dead => Verdict::DEFAULT_FAIL_ON.contains(&word),
            FailureSet::Hijacked => word == Verdict::Hijacked,
            FailureSet::Blocked => word == Verdict::Blocked,
        };
        f64::from(u8::from(is_in))
    }

    /// Whether nothing can be told of a page of this word: neither whether it
    /// lives nor where its links lead.
    pub(crate) fn leaves_open(self, word: Verdict) -> bool {
        word == Verdict::Blocked && self.set != FailureSet::Blocked
    }
}

impl Default for FailureModel {
    fn default() -> Self {
        Self { set: FailureSet::default(), unconfirmed: Self::UNCONFIRMED }
    }
}
