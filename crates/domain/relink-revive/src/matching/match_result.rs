//! The alias of a dead page with its evidence, or why there is none.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use std::fmt;

use relink_model::Confidence;

use super::context_features::{ContextFeature, Features, SupportFeature};
use super::match_evidence::{MatchEvidence, NARROW_MOVES};
use super::moves::MoveKind;
use super::site_matcher::SiteMatcher;

/// A match is ambiguous if the best two candidates together reach the minimum
/// probability of a suggestion, and the second has at least this share of the
/// probability of the first.
const AMBIGUOUS_SHARE: f32 = 0.5;

/// Minimum number of siblings without an alias in a deleted folder. Together with the
/// page itself, these are the four pages of FABLE, §4.2.2.
const MIN_DELETED_FOLDER_SIBLINGS: f32 = 3.0;

/// Maximum mean probability of the best candidates in a deleted folder.
const MAX_DELETED_FOLDER_MEAN: f32 = 0.15;

/// Minimum confidence to rewrite a link without review.
pub const MIN_AUTOMATIC_CONFIDENCE: Confidence = Confidence::from_percent(95);

/// Maximum confidence of an alias that a person should review.
pub const MAX_REVIEW_CONFIDENCE: Confidence = Confidence::from_percent(94);

/// Result of matching one dead page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchResult {
    /// The page has an alias.
    Alias(Match),
    /// No alias is suggested.
    Nothing(Abstention),
}

/// An alias found by matching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The position of the live page in the input list.
    pub live: usize,
    /// The expected percentage of correct matches.
    pub confidence: Confidence,
    /// The evidence, strongest first.
    pub evidence: Vec<MatchEvidence>,
}

/// Why no alias is suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Abstention {
    /// No live page shares a distinctive word.
    NoSimilarPage,
    /// Several live pages match equally well.
    Ambiguous,
    /// The best live page is the alias of another dead page.
    ClaimedByAnother,
    /// None of the dead pages in the folder has an alias.
    FolderGone,
    /// The best live page is not similar enough.
    TooDissimilar,
}

impl Abstention {
    /// Returns the code used in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Self::NoSimilarPage => "no-similar-page",
            Self::Ambiguous => "ambiguous",
            Self::ClaimedByAnother => "claimed-by-another",
            Self::FolderGone => "folder-gone",
            Self::TooDissimilar => "too-dissimilar",
        }
    }
}

impl fmt::Display for Abstention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSimilarPage => "no live page shares a distinctive word with it",
            Self::Ambiguous => "several live pages match equally well",
            Self::ClaimedByAnother => "the best live page belongs to another dead page",
            Self::FolderGone => "no dead page of its folder has a live successor",
            Self::TooDissimilar => "the best live page is not similar enough",
        })
    }
}

impl SiteMatcher<'_> {
    /// Matches the dead page at a position of the input list.
    pub fn match_page(&self, dead: usize) -> MatchResult {
        let dead_page = self.dead_page(dead);
        let features = self.features(dead_page);
        // The last of the three rounds. Each element is a probability and the index of its
        // candidate.
        let last_round = &self.model.second;
        let mut order: Vec<(f32, usize)> =
            features.iter().map(|it| last_round.probability(&it.values)).zip(0..).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let Some(&(best, at)) = order.first() else {
            return MatchResult::Nothing(Abstention::NoSimilarPage);
        };
        if best < self.model.suggest {
            let second = order.get(1).map_or(0.0, |&(second, _)| second);
            return MatchResult::Nothing(self.abstention(best, second, &features[at]));
        }
        let mut confidence = self.model.confidence(best);
        if contradicts_known_aliases(&features[at]) {
            confidence = confidence.min(MAX_REVIEW_CONFIDENCE);
        }
        MatchResult::Alias(Match {
            live: self.live_position(dead_page.candidates[at].page),
            confidence,
            evidence: MatchEvidence::all(&features[at]),
        })
    }

    /// Returns why the best candidate is not suggested. `best` and `second` are the
    /// probabilities of the two best candidates; `features` are those of the best.
    fn abstention(&self, best: f32, second: f32, features: &Features) -> Abstention {
        if best + second >= self.model.suggest && second >= AMBIGUOUS_SHARE * best {
            return Abstention::Ambiguous;
        }
        if features.context(ContextFeature::OtherDeadPageBest) >= self.model.suggest {
            return Abstention::ClaimedByAnother;
        }
        let has_siblings =
            features.context(ContextFeature::SiblingCount) >= MIN_DELETED_FOLDER_SIBLINGS.ln_1p();
        if has_siblings && features.context(ContextFeature::SiblingMean) <= MAX_DELETED_FOLDER_MEAN
        {
            return Abstention::FolderGone;
        }
        Abstention::TooDissimilar
    }
}

/// Whether the folder has known aliases, and none of them moved in the same way as the
/// candidate. Such a candidate may be a page with the same name in a parallel tree, such as
/// another version of the documentation.
fn contradicts_known_aliases(features: &Features) -> bool {
    let known = |kind: &MoveKind| features.support(*kind, SupportFeature::KnownAliases);
    features.context(ContextFeature::SiblingKnownAliases) > 0.0
        && NARROW_MOVES.iter().all(|kind| known(kind) <= 0.0)
}
