//! The weights of the model, fitted on sites with known answers.
//!
//! Logistic regression with a strong quadratic penalty, which carried over to
//! sites left out of the fit as well as boosted trees did. Each site counted
//! alike and a quarter of its dead pages were taken to have an alias (about
//! what FABLE's figures imply for the web), with and without old titles, so
//! that whether a title is known says nothing by itself; with and without
//! known aliases; and with some aliases taken off the list of live pages.

use super::collective::{Beyond, SUPPORT};
use super::features::Feature;
use super::moves::Way;

/// What the sum of the weighted features begins with.
pub const BASE: f32 = -2.242;

/// The weights of the features of the pair.
pub const PAIR_WEIGHTS: [(Feature, f32); 32] = [
    (Feature::SlugEqual, -0.229),
    (Feature::SlugLikeness, -0.584),
    (Feature::SlugKept, 0.369),
    (Feature::SlugExplained, -0.038),
    (Feature::SlugLetters, 0.617),
    (Feature::TitleEqual, 0.571),
    (Feature::TitleLikeness, -0.077),
    (Feature::TitleKept, 0.126),
    (Feature::TitleExplained, 0.016),
    (Feature::SlugToTitle, 0.155),
    (Feature::TitleToSlug, -0.316),
    (Feature::PathKept, 0.317),
    (Feature::PathExplained, -0.088),
    (Feature::AllExplained, 0.155),
    (Feature::ParentEqual, -0.779),
    (Feature::ParentKept, 0.561),
    (Feature::SameEnd, -0.267),
    (Feature::SameLastWords, -0.011),
    (Feature::NumbersLost, 0.197),
    (Feature::NumbersGained, 0.812),
    (Feature::NameShared, 0.011),
    (Feature::NameLost, -0.030),
    (Feature::NameGained, -0.003),
    (Feature::SlugTwins, -0.227),
    (Feature::TitleTwins, 0.102),
    (Feature::IsAbove, 0.241),
    (Feature::IsBelow, 0.235),
    (Feature::Deeper, -0.048),
    (Feature::SameFolder, -0.018),
    (Feature::OldSlugTwins, 0.465),
    (Feature::OldSlugUnseen, -0.078),
    (Feature::OldTitleUnseen, -0.171),
];

/// The weights of the features beyond the pair.
pub const BEYOND_WEIGHTS: [(Beyond, f32); 12] = [
    (Beyond::FirstOdds, 0.332),
    (Beyond::Lead, 0.221),
    (Beyond::Rank, -0.360),
    (Beyond::RivalBest, -0.670),
    (Beyond::RivalSum, 0.348),
    (Beyond::RivalInside, -2.219),
    (Beyond::Parallel, -1.988),
    (Beyond::Program, 1.849),
    (Beyond::SiblingNumber, -0.361),
    (Beyond::SiblingMean, 0.391),
    (Beyond::SiblingKnown, -0.100),
    (Beyond::FolderCoverage, 0.024),
];

/// The weights of the support for each way: votes, their share, their rate,
/// known aliases, their share. Swaps and edits could apply anywhere, so they
/// have no rate.
pub const WAY_WEIGHTS: [(Way, [f32; SUPPORT]); 5] = [
    (Way::Start, [0.210, 0.469, 1.755, -0.100, 0.813]),
    (Way::Folder, [0.400, -0.775, -0.484, 0.378, 0.324]),
    (Way::Swap, [0.537, -0.218, 0.000, -0.175, 0.023]),
    (Way::Region, [0.127, 0.999, 0.386, -0.116, 0.317]),
    (Way::Edit, [-0.154, 1.855, 0.000, 0.385, 0.245]),
];
