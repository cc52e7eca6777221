//! The context score: the probability that a page comes from another
//! collection.
//!
//! A logistic regression over the values of a [`Fit`], fitted by
//! `relink-eval context --fit`. Its label is what the data has: a candidate
//! was drawn from the same collection, or from another one. Two of three
//! candidates of the data come from another collection; with another share the
//! probabilities shift, their order does not.

use serde::{Deserialize, Serialize};

use crate::context::Fit;

/// The coefficients of the logistic regression.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScoreModel {
    /// The constant.
    pub intercept: f64,
    /// The coefficient of [`Fit::distance`].
    pub distance: f64,
    /// The coefficient of [`Fit::deviation`].
    pub deviation: f64,
    /// The coefficient of [`Fit::rival`].
    pub rival: f64,
}

/// Probability from which on a page is out of place. Chosen with families left
/// out: fewer than 5 % of good replacements are above it.
const REJECT: f64 = 0.85;

/// Probability below which a page fits.
const ACCEPT: f64 = 0.5;

/// What a context score means for a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// The page fits its collection.
    Fits,
    /// A person should decide.
    Unclear,
    /// The page is out of place.
    OutOfPlace,
}

/// The probability that a page comes from another collection.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct ContextScore(f64);

impl ScoreModel {
    /// For a user with one collection. Fitted as `docs/change.md` says.
    pub const ALONE: Self =
        Self { intercept: -4.035, distance: 2.316, deviation: 1.320, rival: 0.0 };

    /// For a user with several collections. Fitted as `docs/change.md` says.
    pub const AMONG: Self =
        Self { intercept: -3.670, distance: 0.300, deviation: 1.139, rival: 11.131 };

    /// The score of a page.
    ///
    /// ```
    /// use relink_change::{Fit, ScoreModel};
    /// let fit = |distance| Fit { distance, deviation: 0.0, rival: None };
    /// assert!(ScoreModel::ALONE.score(fit(3.0)) > ScoreModel::ALONE.score(fit(1.0)));
    /// ```
    pub fn score(&self, fit: Fit) -> ContextScore {
        let sum = self.intercept
            + self.distance * fit.distance
            + self.deviation * fit.deviation
            + self.rival * fit.rival.unwrap_or(0.0);
        ContextScore(1.0 / (1.0 + (-sum).exp()))
    }
}

impl ContextScore {
    /// The score of a page, by the model for what is known of it.
    pub fn new(fit: Fit) -> Self {
        let model = if fit.rival.is_some() { ScoreModel::AMONG } else { ScoreModel::ALONE };
        model.score(fit)
    }

    /// The probability, from 0 to 1.
    pub fn probability(self) -> f64 {
        self.0
    }

    /// What it means.
    pub fn flag(self) -> Flag {
        if self.0 >= REJECT {
            Flag::OutOfPlace
        } else if self.0 >= ACCEPT {
            Flag::Unclear
        } else {
            Flag::Fits
        }
    }
}

/// Content change and context combined: how much a change matters to a
/// collection. An edit that stays on topic matters little, however long it is,
/// and a page that did not change cannot have left its topic.
///
/// ```
/// use relink_change::{ContextScore, Fit, HybridScore};
/// let context = ContextScore::new(Fit { distance: 4.0, deviation: 6.0, rival: None });
/// assert!(HybridScore::new(1.0, context).value() > HybridScore::new(0.1, context).value());
/// assert_eq!(HybridScore::new(0.0, context).value(), 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct HybridScore(f64);

impl HybridScore {
    /// The score of a content change, from 0 to 1, and the context score of
    /// the new version.
    pub fn new(content: f64, score: ContextScore) -> Self {
        Self(content.clamp(0.0, 1.0) * score.probability())
    }

    /// Its value, from 0 to 1.
    pub fn value(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_follows_the_probability() {
        let flags = [0.0, 0.49, 0.5, 0.84, 0.85, 1.0].map(|value| ContextScore(value).flag());
        let expect = [
            Flag::Fits,
            Flag::Fits,
            Flag::Unclear,
            Flag::Unclear,
            Flag::OutOfPlace,
            Flag::OutOfPlace,
        ];
        assert_eq!(flags, expect);
    }

    #[test]
    fn score_grows_with_distance_and_deviation() {
        let score = |distance, deviation| {
            ContextScore::new(Fit { distance, deviation, rival: None }).probability()
        };
        assert!(score(1.0, 0.0) < score(3.0, 0.0) && score(1.0, 0.0) < score(1.0, 4.0));
        let among = |rival| ContextScore::new(Fit { distance: 1.0, deviation: 0.0, rival });
        assert!(among(Some(0.0)) < among(Some(1.0)));
        assert!((0.0..=1.0).contains(&score(1e9, 1e9)) && (0.0..=1.0).contains(&score(-1e9, 0.0)));
    }
}
