//! Evidence for a match, for users.

use std::fmt;

use super::context_features::{Features, SupportFeature};
use super::features::Feature;
use super::moves::MoveKind;

/// Minimum similarity at which slugs or titles count as similar: FABLE's threshold for texts
/// (§2.2).
const SIMILAR: f32 = 0.8;

/// Minimum logarithm of votes that counts as the vote of one other page.
const MIN_LOG_VOTES: f32 = 0.5;

/// Moves that say where a page went, and not only how its name changed.
pub const NARROW_MOVES: [MoveKind; 3] = [MoveKind::Start, MoveKind::Folder, MoveKind::Shape];

/// A fact that supports a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchEvidence {
    /// Known aliases moved in the same way.
    KnownMove,
    /// Other dead pages of the site moved in the same way.
    SiblingsMoved,
    /// The titles are equal.
    SameTitle,
    /// The titles are similar.
    SimilarTitle,
    /// The last components are equal.
    SameSlug,
    /// The last components are similar.
    SimilarSlug,
    /// The old slug resembles the new title.
    SlugInTitle,
    /// The parent folders have the same name.
    SameParent,
    /// No other live page has this last component.
    OnlyOne,
}

impl MatchEvidence {
    /// Returns all evidence for a candidate, strongest first.
    pub fn all(features: &Features) -> Vec<Self> {
        let pair = |feature: Feature| features.pair(feature);
        let is_same_slug = pair(Feature::SlugEqual) > 0.0;
        let is_same_title = pair(Feature::TitleEqual) > 0.0;
        let highest = |feature: SupportFeature| {
            let support = |kind: &MoveKind| features.support(*kind, feature);
            NARROW_MOVES.iter().map(support).fold(0.0, f32::max)
        };
        let (votes, known) =
            (highest(SupportFeature::Votes), highest(SupportFeature::KnownAliases));
        let facts = [
            (known > 0.0, Self::KnownMove),
            (votes >= MIN_LOG_VOTES, Self::SiblingsMoved),
            (is_same_title, Self::SameTitle),
            (!is_same_title && pair(Feature::TitleSimilarity) >= SIMILAR, Self::SimilarTitle),
            (is_same_slug, Self::SameSlug),
            (!is_same_slug && pair(Feature::SlugSimilarity) >= SIMILAR, Self::SimilarSlug),
            (pair(Feature::SlugToTitle) >= SIMILAR, Self::SlugInTitle),
            (pair(Feature::ParentEqual) > 0.0, Self::SameParent),
            (is_same_slug && pair(Feature::SlugDuplicates) < 1.0, Self::OnlyOne),
        ];
        facts.into_iter().filter_map(|(holds, evidence)| holds.then_some(evidence)).collect()
    }

    /// Returns the code used in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Self::KnownMove => "known-move",
            Self::SiblingsMoved => "siblings-moved",
            Self::SameTitle => "same-title",
            Self::SimilarTitle => "similar-title",
            Self::SameSlug => "same-slug",
            Self::SimilarSlug => "similar-slug",
            Self::SlugInTitle => "slug-in-title",
            Self::SameParent => "same-parent",
            Self::OnlyOne => "only-one",
        }
    }
}

impl fmt::Display for MatchEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KnownMove => "known redirects of the site moved in the same way",
            Self::SiblingsMoved => "other dead pages moved in the same way",
            Self::SameTitle => "the titles are equal",
            Self::SimilarTitle => "the titles are similar",
            Self::SameSlug => "the last parts of the URLs are equal",
            Self::SimilarSlug => "the last parts of the URLs are similar",
            Self::SlugInTitle => "the new title contains the name in the old URL",
            Self::SameParent => "the folders have the same name",
            Self::OnlyOne => "no other live page has this name",
        })
    }
}
