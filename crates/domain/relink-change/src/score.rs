//! The context score: the probability that a page does not belong to its collection, but
//! comes from another collection.
//!
//! The score is a logistic regression over the values of a [`Fit`], fitted by
//! `relink-eval context --fit`. Two thirds of the pages of the training data come from
//! other collections. A different share shifts the probabilities, but not their order.

use serde::{Deserialize, Serialize};

use crate::context::{Fit, Rival};
use crate::ratio::number;

/// The coefficients of the logistic regression.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScoreModel {
    /// The constant term.
    pub intercept: f64,
    /// The coefficient of [`Fit::distance`].
    pub distance: f64,
    /// The coefficient of [`Fit::deviation`].
    pub deviation: f64,
    /// The coefficient of [`Rival::ratio`] if the rival is nearer.
    pub nearer_rival: f64,
    /// The coefficient of [`Rival::ratio`] if the rival is not nearer.
    pub farther_rival: f64,
    /// The coefficient of the logarithm of 1 + [`Rival::others`].
    pub others: f64,
}

/// Minimum probability of a page that is out of place. In cross-validation by
/// families of collections, about 2 % of good replacements exceed it.
const MIN_OUT_OF_PLACE: f64 = 0.9;

/// Minimum probability of a page that does not clearly fit.
const MIN_UNCLEAR: f64 = 0.5;

/// The classification of a page by its context score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContextFlag {
    /// The page fits its collection.
    Fits,
    /// The score is inconclusive; a person should decide.
    Unclear,
    /// The page does not fit its collection.
    OutOfPlace,
}

/// The probability that a page comes from another collection.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct ContextScore(f64);

impl ScoreModel {
    /// The model for a user with one collection. `docs/change.md` describes the
    /// training data.
    pub const SINGLE_COLLECTION: Self = Self {
        intercept: -2.572,
        distance: 2.146,
        deviation: 0.700,
        nearer_rival: 0.0,
        farther_rival: 0.0,
        others: 0.0,
    };

    /// The model for a user with several collections. `docs/change.md` describes
    /// the training data.
    pub const SEVERAL_COLLECTIONS: Self = Self {
        intercept: -0.560,
        distance: 1.148,
        deviation: 0.655,
        nearer_rival: 5.017,
        farther_rival: 0.590,
        others: -0.416,
    };

    /// Returns the score of a page.
    ///
    /// ```
    /// use relink_change::{Fit, ScoreModel};
    /// let fit = |distance| Fit { distance, deviation: 0.0, rival: None };
    /// let model = ScoreModel::SINGLE_COLLECTION;
    /// assert!(model.score(fit(3.0)) > model.score(fit(1.0)));
    /// ```
    pub fn score(&self, fit: Fit) -> ContextScore {
        let Self { intercept, distance, deviation, nearer_rival, farther_rival, others } = *self;
        let weights = [intercept, distance, deviation, nearer_rival, farther_rival, others];
        let products = weights.iter().zip(Self::inputs(fit)).map(|(weight, input)| weight * input);
        ContextScore(1.0 / (1.0 + (-products.sum::<f64>()).exp()))
    }

    /// Returns the values that the coefficients are multiplied with, in the order of the
    /// fields.
    pub fn inputs(fit: Fit) -> [f64; 6] {
        let Rival { ratio, others } = fit.rival.unwrap_or(Rival { ratio: 0.0, others: 0 });
        let others = number(others + 1).ln();
        [1.0, fit.distance, fit.deviation, ratio.max(0.0), ratio.min(0.0), others]
    }
}

impl ContextScore {
    /// Computes the score with the model for one or several collections.
    pub fn new(fit: Fit) -> Self {
        let model = if fit.rival.is_some() {
            ScoreModel::SEVERAL_COLLECTIONS
        } else {
            ScoreModel::SINGLE_COLLECTION
        };
        model.score(fit)
    }

    /// Returns the probability, from 0 to 1.
    pub fn probability(self) -> f64 {
        self.0
    }

    /// Returns the classification of the page.
    pub fn flag(self) -> ContextFlag {
        if self.0 >= MIN_OUT_OF_PLACE {
            ContextFlag::OutOfPlace
        } else if self.0 >= MIN_UNCLEAR {
            ContextFlag::Unclear
        } else {
            ContextFlag::Fits
        }
    }
}

/// The importance of a change for a collection: the content change multiplied by
/// the context score. A large edit on the same topic scores low, and so does an
/// unchanged page.
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
    /// Combines a content change, from 0 to 1, and the context score of the new
    /// version.
    pub fn new(content: f64, score: ContextScore) -> Self {
        Self(content.clamp(0.0, 1.0) * score.probability())
    }

    /// Returns the value, from 0 to 1.
    pub fn value(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_follows_the_probability() {
        let flags = [0.0, 0.49, 0.5, 0.89, 0.9, 1.0].map(|value| ContextScore(value).flag());
        let expect = [
            ContextFlag::Fits,
            ContextFlag::Fits,
            ContextFlag::Unclear,
            ContextFlag::Unclear,
            ContextFlag::OutOfPlace,
            ContextFlag::OutOfPlace,
        ];
        assert_eq!(flags, expect);
    }

    #[test]
    fn score_grows_with_distance_and_deviation() {
        let score = |distance, deviation| {
            ContextScore::new(Fit { distance, deviation, rival: None }).probability()
        };
        assert!(score(1.0, 0.0) < score(3.0, 0.0) && score(1.0, 0.0) < score(1.0, 4.0));
        let score_with = |ratio| {
            let rival = Some(Rival { ratio, others: 1 });
            ContextScore::new(Fit { distance: 1.0, deviation: 0.0, rival })
        };
        assert!(score_with(-1.0) < score_with(0.0) && score_with(0.0) < score_with(1.0));
        assert!((0.0..=1.0).contains(&score(1e9, 1e9)) && (0.0..=1.0).contains(&score(-1e9, 0.0)));
    }
}
