//! The weights of the model, fitted on sites with known answers.
//!
//! Each site counted alike, a quarter of its dead pages taken to have an
//! alias (about what FABLE's figures imply for the web), with and without old
//! titles, with and without known aliases, and with some aliases taken off
//! the list of live pages.

use super::collective::Beyond;
use super::features::Feature;

/// What the sum of the weighted features begins with.
pub const BASE: f32 = -2.968;

/// The weight of each feature of the pair.
pub const PAIR_WEIGHTS: [(Feature, f32); 37] = [
    (Feature::SlugEqual, 0.652),
    (Feature::SlugLikeness, -1.394),
    (Feature::SlugKept, -0.242),
    (Feature::SlugExplained, 0.293),
    (Feature::SlugLetters, 1.848),
    (Feature::TitleEqual, 1.212),
    (Feature::TitleLikeness, -0.160),
    (Feature::TitleKept, -0.122),
    (Feature::TitleExplained, -0.078),
    (Feature::SlugToTitle, 1.155),
    (Feature::TitleToSlug, 0.068),
    (Feature::PathKept, 0.170),
    (Feature::PathExplained, -0.224),
    (Feature::AllExplained, 1.160),
    (Feature::ParentEqual, -0.507),
    (Feature::ParentKept, 0.185),
    (Feature::SameEnd, -1.350),
    (Feature::SameStart, 0.131),
    (Feature::SameLastWords, 0.253),
    (Feature::NumbersLost, -0.132),
    (Feature::NumbersGained, 0.162),
    (Feature::NameShared, 0.044),
    (Feature::NameLost, -0.065),
    (Feature::NameGained, 0.022),
    (Feature::SlugTwins, -0.091),
    (Feature::TitleTwins, 0.377),
    (Feature::IsAbove, 0.715),
    (Feature::IsBelow, 3.735),
    (Feature::Deeper, -0.078),
    (Feature::SameFolder, 0.293),
    (Feature::OldFolderAlive, -0.110),
    (Feature::NewFolderSize, -0.396),
    (Feature::OldSlugTwins, 0.066),
    (Feature::OldSlugUnseen, -0.060),
    (Feature::OldTitleUnseen, -0.363),
    (Feature::OldSlugWeight, 0.021),
    (Feature::OldWords, -0.196),
];

/// The weight of each feature beyond the pair.
pub const BEYOND_WEIGHTS: [(Beyond, f32); 29] = [
    (Beyond::FirstOdds, 0.151),
    (Beyond::Lead, 0.306),
    (Beyond::Rank, -0.293),
    (Beyond::RivalBest, 0.082),
    (Beyond::RivalSum, -1.094),
    (Beyond::SiblingNumber, -0.280),
    (Beyond::SiblingMean, 0.274),
    (Beyond::SiblingKnown, 0.036),
    (Beyond::FolderCoverage, -0.475),
    (Beyond::StartVotes, 0.204),
    (Beyond::StartShare, 0.281),
    (Beyond::StartRate, 3.037),
    (Beyond::StartKnown, 0.113),
    (Beyond::StartKnownShare, 1.532),
    (Beyond::FolderVotes, 0.447),
    (Beyond::FolderShare, -0.638),
    (Beyond::FolderRate, 0.595),
    (Beyond::FolderKnown, 0.322),
    (Beyond::FolderKnownShare, 0.332),
    (Beyond::SwapVotes, 0.840),
    (Beyond::SwapShare, -0.947),
    (Beyond::SwapRate, 0.128),
    (Beyond::SwapKnown, -0.281),
    (Beyond::SwapKnownShare, 0.430),
    (Beyond::RegionVotes, 0.178),
    (Beyond::RegionShare, 0.593),
    (Beyond::RegionRate, -0.067),
    (Beyond::RegionKnown, -0.146),
    (Beyond::RegionKnownShare, 0.283),
];
