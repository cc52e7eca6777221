//! Maps verdicts to failure probabilities of random walks. A walk *fails* if it ends on a page
//! that counts as dead.

use relink_model::Verdict;

/// Verdicts that count as failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailureSet {
    /// Dead pages, soft-404s, hijacked pages and invalid links.
    #[default]
    Dead,
    /// Only hijacked pages.
    Hijacked,
    /// Only pages that block the client.
    Blocked,
}

/// Probability that a random walk fails at a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FailureModel {
    /// Verdicts that count as failures.
    pub set: FailureSet,
    /// Failure probability of pages with the verdict `failing`, which is not
    /// confirmed yet.
    pub failing_weight: f64,
}

impl FailureModel {
    /// Default failure probability of a failing page. Such a page is equally likely to recover and to
    /// stay dead.
    pub const DEFAULT_FAILING_WEIGHT: f64 = 0.5;

    /// Returns the probability that a walk fails at a page with this verdict.
    ///
    /// ```
    /// use relink_measure::FailureModel;
    /// use relink_model::Verdict;
    /// let model = FailureModel::default();
    /// assert_eq!(model.failure_probability(Verdict::Soft404), 1.0);
    /// assert_eq!(model.failure_probability(Verdict::Failing), 0.5);
    /// assert_eq!(model.failure_probability(Verdict::Blocked), 0.0);
    /// ```
    pub fn failure_probability(self, verdict: Verdict) -> f64 {
        let is_failure = match self.set {
            FailureSet::Dead if verdict == Verdict::Failing => return self.failing_weight,
            FailureSet::Dead => Verdict::DEFAULT_FAIL_ON.contains(&verdict),
            FailureSet::Hijacked => verdict == Verdict::Hijacked,
            FailureSet::Blocked => verdict == Verdict::Blocked,
        };
        f64::from(u8::from(is_failure))
    }

    /// Whether this verdict means that neither the state of the page nor its links are
    /// known.
    pub(crate) fn is_unknown(self, verdict: Verdict) -> bool {
        verdict == Verdict::Blocked && self.set != FailureSet::Blocked
    }
}

impl Default for FailureModel {
    fn default() -> Self {
        Self { set: FailureSet::default(), failing_weight: Self::DEFAULT_FAILING_WEIGHT }
    }
}
