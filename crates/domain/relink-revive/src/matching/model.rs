//! The model of the matcher: boosted trees for each round, and the calibration
//! of their probabilities.
//!
//! The shipped model is the text file `alias_model.txt`, written by
//! `relink-eval fit-alias`. Its comments are the model card.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use std::sync::LazyLock;

use relink_model::Confidence;

use super::context_features::{FEATURES, feature_names};
use super::match_result::{MAX_REVIEW_CONFIDENCE, MIN_AUTOMATIC_CONFIDENCE};
use super::trees::BoostedTrees;

/// The shipped model.
static SHIPPED: LazyLock<AliasModel> = LazyLock::new(|| {
    AliasModel::parse(include_str!("alias_model.txt")).expect("the shipped model is valid")
});

/// A model of the matcher.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AliasModel {
    /// The trees that score a pair alone.
    pub pair: BoostedTrees,
    /// The trees of the first round with votes. Each vote has the probability from the pair
    /// alone as its weight.
    pub first: BoostedTrees,
    /// The trees of the second round with votes. Each vote has the probability from the
    /// first round as its weight.
    pub second: BoostedTrees,
    /// Points of the calibration curve: a probability of the last round, and the
    /// share of correct matches that was measured on left-out sites.
    pub calibration: Vec<(f32, f32)>,
    /// Minimum probability of an alias that is suggested to the user.
    pub suggest: f32,
    /// Minimum probability of an alias that is applied without review.
    pub automatic: f32,
}

impl AliasModel {
    /// Returns the shipped model.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Reads a model: lines with a keyword and its values, and the trees of a
    /// round after the line that names it. Returns `None` if the text is not a
    /// model for the features of this version.
    pub fn parse(text: &str) -> Option<Self> {
        let mut model = Self::default();
        let mut names = feature_names().into_iter();
        let mut current_round = None;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
            match keyword {
                "feature" => names.next().filter(|name| name == rest).map(|_| ())?,
                "suggest" => model.suggest = rest.parse().ok()?,
                "automatic" => model.automatic = rest.parse().ok()?,
                "calibration" => {
                    let (from, to) = rest.split_once(' ')?;
                    model.calibration.push((from.parse().ok()?, to.parse().ok()?));
                }
                "pair" | "first" | "second" => {
                    let trees = model.round_mut(keyword);
                    *trees = BoostedTrees::constant(rest.parse().ok()?);
                    current_round = Some(keyword);
                }
                _ => model.round_mut(current_round?).add_tree(line, FEATURES)?,
            }
        }
        names.next().is_none().then_some(model)
    }

    /// Returns the trees of the round with this name.
    fn round_mut(&mut self, name: &str) -> &mut BoostedTrees {
        match name {
            "pair" => &mut self.pair,
            "first" => &mut self.first,
            _ => &mut self.second,
        }
    }

    /// Returns the expected share of correct matches for a probability of the
    /// last round.
    pub fn calibrate(&self, probability: f32) -> f32 {
        // Interpolates between the two points of the curve around `probability`.
        let above = self.calibration.partition_point(|&(known, _)| known < probability);
        let Some(&(high, share_high)) = self.calibration.get(above) else {
            return self.calibration.last().map_or(probability, |&(_, share)| share);
        };
        let (low, share_low) = self.calibration[above.saturating_sub(1)];
        if high <= low {
            return share_high;
        }
        share_low + (share_high - share_low) * (probability - low) / (high - low)
    }

    /// Returns the confidence for a probability of the last round, rounded down.
    ///
    /// Aliases that are applied without review have a separate threshold, because 99 of
    /// 100 of them must be correct on sites that the model has not seen.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a probability is between 0 and 1"
    )]
    pub fn confidence(&self, probability: f32) -> Confidence {
        let confidence = Confidence::from_percent((self.calibrate(probability) * 100.0) as u8);
        if probability >= self.automatic {
            confidence.max(MIN_AUTOMATIC_CONFIDENCE)
        } else {
            confidence.min(MAX_REVIEW_CONFIDENCE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_model_is_complete() {
        let model = AliasModel::shipped();
        assert_ne!(model.pair, BoostedTrees::default());
        assert_ne!(model.first, BoostedTrees::default());
        assert_ne!(model.second, BoostedTrees::default());
        assert!(model.suggest > 0.0 && model.suggest < model.automatic);
    }

    #[test]
    fn confidence_is_monotonic_and_separates_the_tiers() {
        let model = AliasModel::shipped();
        let confidences: Vec<Confidence> =
            (0..=1000_u16).map(|it| model.confidence(f32::from(it) / 1000.0)).collect();
        assert!(confidences.is_sorted());
        assert!(model.confidence(model.automatic) >= MIN_AUTOMATIC_CONFIDENCE);
        assert!(model.confidence(model.automatic - 0.001) <= MAX_REVIEW_CONFIDENCE);
    }

    #[test]
    fn model_for_other_features_is_rejected() {
        assert_eq!(AliasModel::parse("feature Nonsense"), None);
        assert_eq!(AliasModel::parse("pair 0.1"), None);
    }
}
