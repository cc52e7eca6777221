//! Linear scores: logistic regressions with a strong quadratic penalty.
//!
//! The scores are features of the decision trees ([`super::trees`]), because a weighted sum
//! can extrapolate and a tree cannot. The weights were fitted on eleven sites, the trees on
//! fewer. All sites had equal weight. Each site was used with and without old titles and
//! known aliases. 25 % of the dead pages had an alias.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use super::context_features::{ContextFeature, Features, SupportFeature};
use super::features::{Feature, PairFeatures};
use super::moves::MoveKind;

/// Intercept of the score of a pair.
const PAIR_INTERCEPT: f32 = -7.201;

/// Weights of the score of a pair.
const PAIR_WEIGHTS: [(Feature, f32); 37] = [
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

/// Intercept of the score with votes.
const VOTES_INTERCEPT: f32 = -2.335;

/// Weights of the features of the pair in the score with votes.
const VOTES_PAIR_WEIGHTS: [(Feature, f32); 32] = [
    (Feature::SlugEqual, 0.243),
    (Feature::SlugSimilarity, -0.974),
    (Feature::SlugKept, 0.160),
    (Feature::SlugExplained, 0.042),
    (Feature::SlugTrigramSimilarity, 1.266),
    (Feature::TitleEqual, 0.364),
    (Feature::TitleSimilarity, -0.018),
    (Feature::TitleKept, 0.374),
    (Feature::TitleExplained, -0.078),
    (Feature::SlugToTitle, 0.530),
    (Feature::TitleToSlug, -0.269),
    (Feature::PathKept, 0.256),
    (Feature::PathExplained, -0.533),
    (Feature::AllExplained, 0.120),
    (Feature::ParentEqual, -1.054),
    (Feature::ParentKept, 0.878),
    (Feature::SameEnd, -0.150),
    (Feature::SameLastWords, -0.063),
    (Feature::NumbersLost, 0.145),
    (Feature::NumbersGained, 0.717),
    (Feature::NameShared, 0.023),
    (Feature::NameLost, -0.049),
    (Feature::SlugDuplicates, -0.457),
    (Feature::TitleDuplicates, -0.069),
    (Feature::IsAncestor, 0.779),
    (Feature::IsDescendant, -0.462),
    (Feature::DepthDifference, -0.141),
    (Feature::SameFolder, 0.710),
    (Feature::SameUrl, -0.676),
    (Feature::OldSlugDuplicates, 0.515),
    (Feature::OldSlugUnseen, -0.024),
    (Feature::OldTitleUnseen, -0.412),
];

/// Weights of the context in the score with votes.
const CONTEXT_WEIGHTS: [(ContextFeature, f32); 12] = [
    (ContextFeature::PairLogOdds, 0.247),
    (ContextFeature::Lead, 0.253),
    (ContextFeature::Rank, -0.349),
    (ContextFeature::OtherDeadPageBest, -0.832),
    (ContextFeature::OtherDeadPageSum, 0.418),
    (ContextFeature::OtherDeadPageSameFolder, -1.909),
    (ContextFeature::FolderOverlap, -0.773),
    (ContextFeature::ProgramConfidence, 0.948),
    (ContextFeature::SiblingCount, -0.395),
    (ContextFeature::SiblingMean, 0.102),
    (ContextFeature::SiblingKnownAliases, -0.141),
    (ContextFeature::FolderCoverage, 1.297),
];

/// Weights of the support for each kind of move: votes, their share, their rate,
/// known aliases, their share.
const SUPPORT_WEIGHTS: [(MoveKind, [f32; 5]); 5] = [
    (MoveKind::Start, [0.279, 0.570, 0.959, 0.251, 0.961]),
    (MoveKind::Folder, [0.075, -0.506, -0.942, 0.048, 0.164]),
    (MoveKind::Swap, [0.553, -0.307, 0.000, -0.328, 0.140]),
    (MoveKind::Region, [0.241, 1.048, 0.168, 0.026, 0.311]),
    (MoveKind::Edit, [-0.027, 1.459, 0.000, 0.516, 0.727]),
];

/// The features of the support with a weight, in the order of the weights.
const SUPPORT: [SupportFeature; 5] = [
    SupportFeature::Votes,
    SupportFeature::Share,
    SupportFeature::Rate,
    SupportFeature::KnownAliases,
    SupportFeature::KnownShare,
];

/// Returns the log odds that a live page is the alias, from the pair alone.
pub fn pair_log_odds(features: &PairFeatures) -> f32 {
    let weighted = |&(feature, weight): &(Feature, f32)| weight * features[feature as usize];
    PAIR_INTERCEPT + PAIR_WEIGHTS.iter().map(weighted).sum::<f32>()
}

/// Returns the log odds with the votes of other pages.
pub fn log_odds_with_votes(features: &Features) -> f32 {
    let pair: f32 =
        VOTES_PAIR_WEIGHTS.iter().map(|&(feature, weight)| weight * features.pair(feature)).sum();
    // The weight of `PairLogOdds` was fitted with the linear score of the pair.
    let context_value = |feature| match feature {
        ContextFeature::PairLogOdds => features.pair(Feature::LinearPair),
        feature => features.context(feature),
    };
    let context: f32 =
        CONTEXT_WEIGHTS.iter().map(|&(feature, weight)| weight * context_value(feature)).sum();
    let support = |&(kind, weights): &(MoveKind, [f32; 5])| -> f32 {
        let values = SUPPORT.map(|feature| features.support(kind, feature));
        weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
    };
    VOTES_INTERCEPT + pair + context + SUPPORT_WEIGHTS.iter().map(support).sum::<f32>()
}
