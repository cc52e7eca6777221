//! The evidence of an answer in words: what agreed.

use std::fmt;

use super::collective::Features;
use super::features::Feature;
use super::moves::MoveKind;

/// From here on, two sets of terms are called alike: the line that FABLE §2.2
/// draws for texts.
const ALIKE: f32 = 0.8;

/// From here on, so many votes, as a logarithm, are one sibling's.
const ONE_VOTE: f32 = 0.5;

/// Something that speaks for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchEvidence {
    /// Known aliases moved in the same way.
    KnownMove,
    /// Other dead pages of the site moved in the same way.
    SiblingsMoved,
    /// The titles agree.
    SameTitle,
    /// The titles are alike.
    SimilarTitle,
    /// The last components agree.
    SameSlug,
    /// The last components are alike.
    SimilarSlug,
    /// The old name is found in the new title.
    SlugInTitle,
    /// The folders are called alike.
    SameParent,
    /// No other live page has this last component.
    OnlyOne,
}

impl MatchEvidence {
    /// All that speaks for a guess, strongest first.
    pub fn all(features: &Features) -> Vec<Self> {
        let pair = |feature: Feature| features.pair(feature);
        let is_same_slug = pair(Feature::SlugEqual) > 0.0;
        let is_same_title = pair(Feature::TitleEqual) > 0.0;
        let votes = features.votes(MoveKind::Start).max(features.votes(MoveKind::Folder));
        let known = features.known(MoveKind::Start).max(features.known(MoveKind::Folder));
        let seen = [
            (known > 0.0, Self::KnownMove),
            (votes >= ONE_VOTE, Self::SiblingsMoved),
            (is_same_title, Self::SameTitle),
            (!is_same_title && pair(Feature::TitleLikeness) >= ALIKE, Self::SimilarTitle),
            (is_same_slug, Self::SameSlug),
            (!is_same_slug && pair(Feature::SlugLikeness) >= ALIKE, Self::SimilarSlug),
            (pair(Feature::SlugToTitle) >= ALIKE, Self::SlugInTitle),
            (pair(Feature::ParentEqual) > 0.0, Self::SameParent),
            (is_same_slug && pair(Feature::SlugTwins) < 1.0, Self::OnlyOne),
        ];
        seen.into_iter().filter_map(|(holds, clue)| holds.then_some(clue)).collect()
    }

    /// A short name for machines.
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
            Self::SameTitle => "the titles agree",
            Self::SimilarTitle => "the titles are alike",
            Self::SameSlug => "the last parts of the addresses agree",
            Self::SimilarSlug => "the last parts of the addresses are alike",
            Self::SlugInTitle => "the new title says what the old address said",
            Self::SameParent => "the folders are called alike",
            Self::OnlyOne => "no other live page is called so",
        })
    }
}
