//! Logistic model of a single pair of a dead and a live page.
//!
//! Its probability only selects candidates and weights their votes. The result
//! comes from the model with all features.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use super::features::{Feature, PairFeatures};
use super::model::logistic;

/// Intercept of the model.
///
/// The intercept and [`WEIGHTS`] were fitted by logistic regression on sites
/// with known aliases, with and without old titles. All sites have equal weight,
/// and 25 % of the dead pages of each site have an alias.
const INTERCEPT: f32 = -7.201;

/// The weight of each feature; see [`INTERCEPT`].
const WEIGHTS: [(Feature, f32); 37] = [
    (Feature::SlugEqual, 2.734),
    (Feature::SlugSimilarity, -1.144),
    (Feature::SlugKept, 0.708),
    (Feature::SlugExplained, 1.639),
    (Feature::SlugTrigramSimilarity, 1.649),
    (Feature::TitleEqual, 2.706),
    (Feature::TitleSimilarity, -0.212),
    (Feature::TitleKept, -0.020),
    (Feature::TitleExplained, -0.323),
    (Feature::SlugToTitle, 0.924),
    (Feature::TitleToSlug, -0.628),
    (Feature::PathKept, 1.341),
    (Feature::PathExplained, 0.627),
    (Feature::AllExplained, 2.787),
    (Feature::ParentEqual, 0.824),
    (Feature::ParentKept, 0.380),
    (Feature::SameEnd, -0.813),
    (Feature::SameStart, 0.058),
    (Feature::SameLastWords, 0.789),
    (Feature::NumbersLost, -0.811),
    (Feature::NumbersGained, -0.067),
    (Feature::NameShared, 0.081),
    (Feature::NameLost, -0.107),
    (Feature::NameGained, 0.003),
    (Feature::SlugDuplicates, -0.108),
    (Feature::TitleDuplicates, -0.500),
    (Feature::IsAncestor, -1.836),
    (Feature::IsDescendant, 1.632),
    (Feature::DepthDifference, 0.205),
    (Feature::SameFolder, -0.102),
    (Feature::OldFolderPages, -0.227),
    (Feature::NewFolderSize, -0.238),
    (Feature::OldSlugDuplicates, -1.781),
    (Feature::OldSlugUnseen, 0.681),
    (Feature::OldTitleUnseen, -1.055),
    (Feature::OldSlugWeight, 0.034),
    (Feature::OldSlugTerms, -0.412),
];

/// Returns the probability that a live page is the alias, from the pair alone.
pub fn pair_probability(features: &PairFeatures) -> f32 {
    let weighted = |&(feature, weight): &(Feature, f32)| weight * features[feature as usize];
    logistic(INTERCEPT + WEIGHTS.iter().map(weighted).sum::<f32>())
}
