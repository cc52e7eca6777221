//! The weights of the model, fitted on sites with known answers.
//!
//! Logistic regression with a strong quadratic penalty. Each site counted
//! alike and a quarter of its dead pages were taken to have an alias (about
//! what FABLE's figures imply for the web), with and without old titles, so
//! that whether a title is known says nothing by itself; with and without
//! known aliases; with some aliases taken off the list of live pages, so that
//! deleted pages whose siblings moved are among the examples; and with the
//! list cut to that of a small site. The second round was fitted on what the
//! first makes of sites that it was not fitted on.

use super::collective::ContextFeature;
use super::features::Feature;
use super::model::ModelWeights;
use super::moves::MoveKind;

/// The first round: neighbors vote by what their pairs say alone.
pub const FIRST_ROUND: ModelWeights = ModelWeights {
    base: -2.335,
    pair: &[
        (Feature::SlugEqual, 0.243),
        (Feature::SlugLikeness, -0.974),
        (Feature::SlugKept, 0.160),
        (Feature::SlugExplained, 0.042),
        (Feature::SlugLetters, 1.266),
        (Feature::TitleEqual, 0.364),
        (Feature::TitleLikeness, -0.018),
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
        (Feature::SlugTwins, -0.457),
        (Feature::TitleTwins, -0.069),
        (Feature::IsAbove, 0.779),
        (Feature::IsBelow, -0.462),
        (Feature::Deeper, -0.141),
        (Feature::SameFolder, 0.710),
        (Feature::SamePlace, -0.676),
        (Feature::OldSlugTwins, 0.515),
        (Feature::OldSlugUnseen, -0.024),
        (Feature::OldTitleUnseen, -0.412),
    ],
    beyond: &[
        (ContextFeature::FirstOdds, 0.247),
        (ContextFeature::Lead, 0.253),
        (ContextFeature::Rank, -0.349),
        (ContextFeature::RivalBest, -0.832),
        (ContextFeature::RivalSum, 0.418),
        (ContextFeature::RivalInside, -1.909),
        (ContextFeature::Parallel, -0.773),
        (ContextFeature::Program, 0.948),
        (ContextFeature::SiblingNumber, -0.395),
        (ContextFeature::SiblingMean, 0.102),
        (ContextFeature::SiblingKnown, -0.141),
        (ContextFeature::FolderCoverage, 1.297),
    ],
    ways: &[
        (MoveKind::Start, [0.279, 0.570, 0.959, 0.251, 0.961]),
        (MoveKind::Folder, [0.075, -0.506, -0.942, 0.048, 0.164]),
        (MoveKind::Swap, [0.553, -0.307, 0.000, -0.328, 0.140]),
        (MoveKind::Region, [0.241, 1.048, 0.168, 0.026, 0.311]),
        (MoveKind::Edit, [-0.027, 1.459, 0.000, 0.516, 0.727]),
    ],
};

/// The second round: neighbors vote by what the first round made of them.
pub const SECOND_ROUND: ModelWeights = ModelWeights {
    base: -3.108,
    pair: &[
        (Feature::SlugEqual, 0.418),
        (Feature::SlugLikeness, -0.989),
        (Feature::SlugKept, 0.284),
        (Feature::SlugExplained, 0.063),
        (Feature::SlugLetters, 1.309),
        (Feature::TitleEqual, 0.553),
        (Feature::TitleLikeness, -0.061),
        (Feature::TitleKept, 0.323),
        (Feature::TitleExplained, -0.091),
        (Feature::SlugToTitle, 0.547),
        (Feature::TitleToSlug, -0.317),
        (Feature::PathKept, 0.118),
        (Feature::PathExplained, -0.411),
        (Feature::AllExplained, 0.203),
        (Feature::ParentEqual, -1.005),
        (Feature::ParentKept, 0.900),
        (Feature::SameEnd, -0.100),
        (Feature::SameLastWords, -0.107),
        (Feature::NumbersLost, 0.184),
        (Feature::NumbersGained, 0.821),
        (Feature::NameShared, 0.036),
        (Feature::NameLost, -0.058),
        (Feature::NameGained, -0.005),
        (Feature::SlugTwins, -0.408),
        (Feature::TitleTwins, -0.298),
        (Feature::IsAbove, 0.465),
        (Feature::IsBelow, -0.632),
        (Feature::Deeper, -0.147),
        (Feature::SameFolder, 0.862),
        (Feature::SamePlace, -0.958),
        (Feature::OldSlugTwins, 0.619),
        (Feature::OldSlugUnseen, -0.032),
        (Feature::OldTitleUnseen, -0.482),
    ],
    beyond: &[
        (ContextFeature::FirstOdds, 0.564),
        (ContextFeature::Odds, -0.571),
        (ContextFeature::Lead, 0.319),
        (ContextFeature::Rank, -0.387),
        (ContextFeature::RivalBest, -0.619),
        (ContextFeature::RivalSum, 0.013),
        (ContextFeature::RivalInside, -1.952),
        (ContextFeature::Parallel, -1.037),
        (ContextFeature::Program, 0.743),
        (ContextFeature::SiblingNumber, -0.477),
        (ContextFeature::SiblingMean, 0.099),
        (ContextFeature::SiblingKnown, -0.085),
        (ContextFeature::FolderCoverage, 1.098),
    ],
    ways: &[
        (MoveKind::Start, [0.256, 0.644, 1.085, 0.163, 0.740]),
        (MoveKind::Folder, [0.141, -0.600, -0.696, 0.072, 0.291]),
        (MoveKind::Swap, [0.527, -0.139, 0.000, -0.208, 0.163]),
        (MoveKind::Region, [0.291, 1.043, 0.335, -0.006, 0.331]),
        (MoveKind::Edit, [0.417, 0.136, 0.000, 0.597, 0.502]),
    ],
};
