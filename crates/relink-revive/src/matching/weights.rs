//! The weights of the model, fitted on sites with known answers.
//!
//! Logistic regression with a strong quadratic penalty, which carried over to
//! sites left out of the fit as well as boosted trees did. Each site counted
//! alike and a quarter of its dead pages were taken to have an alias (about
//! what FABLE's figures imply for the web), with and without old titles, so
//! that whether a title is known says nothing by itself; with and without
//! known aliases; with some aliases taken off the list of live pages; and with
//! the list cut to that of a small site.

use super::collective::{Beyond, SUPPORT};
use super::features::Feature;
use super::moves::Way;

/// What the sum of the weighted features begins with.
pub const BASE: f32 = -1.817;

/// The weights of the features of the pair.
pub const PAIR_WEIGHTS: [(Feature, f32); 32] = [
    (Feature::SlugEqual, -0.286),
    (Feature::SlugLikeness, -0.552),
    (Feature::SlugKept, 0.479),
    (Feature::SlugExplained, -0.117),
    (Feature::SlugLetters, 0.655),
    (Feature::TitleEqual, 0.429),
    (Feature::TitleLikeness, -0.104),
    (Feature::TitleKept, 0.069),
    (Feature::TitleExplained, -0.001),
    (Feature::SlugToTitle, 0.306),
    (Feature::TitleToSlug, -0.362),
    (Feature::PathKept, 0.187),
    (Feature::PathExplained, -0.131),
    (Feature::AllExplained, 0.072),
    (Feature::ParentEqual, -0.762),
    (Feature::ParentKept, 0.533),
    (Feature::SameEnd, -0.302),
    (Feature::SameLastWords, -0.073),
    (Feature::NumbersLost, 0.228),
    (Feature::NumbersGained, 0.842),
    (Feature::NameShared, -0.001),
    (Feature::NameLost, -0.025),
    (Feature::NameGained, -0.001),
    (Feature::SlugTwins, -0.266),
    (Feature::TitleTwins, 0.171),
    (Feature::IsAbove, 0.221),
    (Feature::IsBelow, 0.081),
    (Feature::Deeper, -0.052),
    (Feature::SameFolder, -0.052),
    (Feature::OldSlugTwins, 0.457),
    (Feature::OldSlugUnseen, -0.388),
    (Feature::OldTitleUnseen, 0.008),
];

/// The weights of the features beyond the pair.
pub const BEYOND_WEIGHTS: [(Beyond, f32); 12] = [
    (Beyond::FirstOdds, 0.387),
    (Beyond::Lead, 0.251),
    (Beyond::Rank, -0.351),
    (Beyond::RivalBest, -0.797),
    (Beyond::RivalSum, 0.532),
    (Beyond::RivalInside, -2.367),
    (Beyond::Parallel, -1.487),
    (Beyond::Program, 1.563),
    (Beyond::SiblingNumber, -0.378),
    (Beyond::SiblingMean, 0.381),
    (Beyond::SiblingKnown, -0.123),
    (Beyond::FolderCoverage, 0.113),
];

/// The weights of the support for each way: votes, their share, their rate,
/// known aliases, their share. Swaps and edits could apply anywhere, so they
/// have no rate.
pub const WAY_WEIGHTS: [(Way, [f32; SUPPORT]); 5] = [
    (Way::Start, [0.160, 0.458, 1.543, -0.058, 0.703]),
    (Way::Folder, [0.405, -0.794, -0.444, 0.422, 0.354]),
    (Way::Swap, [0.550, -0.110, 0.000, -0.186, -0.010]),
    (Way::Region, [0.121, 1.039, 0.261, -0.119, 0.374]),
    (Way::Edit, [-0.058, 1.639, 0.000, 0.212, 0.277]),
];
