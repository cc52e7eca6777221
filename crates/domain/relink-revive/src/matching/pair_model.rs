//! The first guess: how likely a pair is, seen alone.
//!
//! A logistic model over the features of the pair. Its only use is to weigh
//! the votes of neighbors; the answer comes from all features together.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use super::features::{Feature, PairFeatures};
use super::model::logistic;

/// What the sum of the weighted features begins with.
///
/// It and [`WEIGHTS`] were fitted by logistic regression on sites with known
/// answers, each site counting alike and a quarter of its dead pages taken to
/// have an alias, with and without old titles.
const BASE: f32 = -7.201;

/// The weight of each feature; see [`BASE`].
const WEIGHTS: [(Feature, f32); 37] = [
    (Feature::SlugEqual, 2.734),
    (Feature::SlugLikeness, -1.144),
    (Feature::SlugKept, 0.708),
    (Feature::SlugExplained, 1.639),
    (Feature::SlugLetters, 1.649),
    (Feature::TitleEqual, 2.706),
    (Feature::TitleLikeness, -0.212),
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
    (Feature::SlugTwins, -0.108),
    (Feature::TitleTwins, -0.500),
    (Feature::IsAbove, -1.836),
    (Feature::IsBelow, 1.632),
    (Feature::Deeper, 0.205),
    (Feature::SameFolder, -0.102),
    (Feature::OldFolderAlive, -0.227),
    (Feature::NewFolderSize, -0.238),
    (Feature::OldSlugTwins, -1.781),
    (Feature::OldSlugUnseen, 0.681),
    (Feature::OldTitleUnseen, -1.055),
    (Feature::OldSlugWeight, 0.034),
    (Feature::OldWords, -0.412),
];

/// The chance that a pair is a page and its alias, seen alone.
pub fn chance(features: &PairFeatures) -> f32 {
    let weighted = |&(feature, weight): &(Feature, f32)| weight * features[feature as usize];
    logistic(BASE + WEIGHTS.iter().map(weighted).sum::<f32>())
}
