//! Weights of the model, fitted on sites with known aliases.
//!
//! Logistic regression with a strong quadratic penalty. All sites have equal
//! weight, and 25 % of the dead pages of each site have an alias (about what
//! FABLE's figures imply for the web). The data contains each site:
//!
//! - with and without old titles, so that a known title is not evidence itself;
//! - with and without known aliases;
//! - with some aliases removed from the list of live pages, so that it contains
//!   deleted pages whose siblings moved;
//! - with the list of live pages cut to the size of a small site.
//!
//! The second round was fitted on the results of the first round on sites that
//! the first was not fitted on.

use super::context_features::ContextFeature;
use super::features::Feature;
use super::model::ModelWeights;
use super::moves::MoveKind;

/// The first round: votes are weighted by the probabilities of single pairs.
pub const RESCORE_WEIGHTS: ModelWeights = ModelWeights {
    intercept: -2.335,
    pair: &[
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
    ],
    context: &[
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
    ],
    moves: &[
        (MoveKind::Start, [0.279, 0.570, 0.959, 0.251, 0.961]),
        (MoveKind::Folder, [0.075, -0.506, -0.942, 0.048, 0.164]),
        (MoveKind::Swap, [0.553, -0.307, 0.000, -0.328, 0.140]),
        (MoveKind::Region, [0.241, 1.048, 0.168, 0.026, 0.311]),
        (MoveKind::Edit, [-0.027, 1.459, 0.000, 0.516, 0.727]),
    ],
};

/// The second round: votes are weighted by the results of the first round.
pub const FINAL_SCORE_WEIGHTS: ModelWeights = ModelWeights {
    intercept: -3.108,
    pair: &[
        (Feature::SlugEqual, 0.418),
        (Feature::SlugSimilarity, -0.989),
        (Feature::SlugKept, 0.284),
        (Feature::SlugExplained, 0.063),
        (Feature::SlugTrigramSimilarity, 1.309),
        (Feature::TitleEqual, 0.553),
        (Feature::TitleSimilarity, -0.061),
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
        (Feature::SlugDuplicates, -0.408),
        (Feature::TitleDuplicates, -0.298),
        (Feature::IsAncestor, 0.465),
        (Feature::IsDescendant, -0.632),
        (Feature::DepthDifference, -0.147),
        (Feature::SameFolder, 0.862),
        (Feature::SameUrl, -0.958),
        (Feature::OldSlugDuplicates, 0.619),
        (Feature::OldSlugUnseen, -0.032),
        (Feature::OldTitleUnseen, -0.482),
    ],
    context: &[
        (ContextFeature::PairLogOdds, 0.564),
        (ContextFeature::LogOdds, -0.571),
        (ContextFeature::Lead, 0.319),
        (ContextFeature::Rank, -0.387),
        (ContextFeature::OtherDeadPageBest, -0.619),
        (ContextFeature::OtherDeadPageSum, 0.013),
        (ContextFeature::OtherDeadPageSameFolder, -1.952),
        (ContextFeature::FolderOverlap, -1.037),
        (ContextFeature::ProgramConfidence, 0.743),
        (ContextFeature::SiblingCount, -0.477),
        (ContextFeature::SiblingMean, 0.099),
        (ContextFeature::SiblingKnownAliases, -0.085),
        (ContextFeature::FolderCoverage, 1.098),
    ],
    moves: &[
        (MoveKind::Start, [0.256, 0.644, 1.085, 0.163, 0.740]),
        (MoveKind::Folder, [0.141, -0.600, -0.696, 0.072, 0.291]),
        (MoveKind::Swap, [0.527, -0.139, 0.000, -0.208, 0.163]),
        (MoveKind::Region, [0.291, 1.043, 0.335, -0.006, 0.331]),
        (MoveKind::Edit, [0.417, 0.136, 0.000, 0.597, 0.502]),
    ],
};
