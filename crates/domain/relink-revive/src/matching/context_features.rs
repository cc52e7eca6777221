//! All features of a candidate: of the pair, of its rank among the candidates,
//! and of the votes of other dead pages.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use super::coarse::CoarseKey;
use super::features::{Feature, PAIR_FEATURES, PairFeatures, UNKNOWN, count, features, indicator};
use super::linear_score::log_odds_with_votes;
use super::live_page_index::{LivePageIndex, PageNumber};
use super::moves::MoveKind;
use super::profile::PageProfile;
use super::trees::BoostedTrees;
use super::votes::{Ballot, ScoredCandidate, Support, Votes, coverage};

features! {
/// A feature that depends on other candidates or other dead pages.
ContextFeature {
    /// Log odds of the probability from the pair alone.
    PairLogOdds,
    /// Log odds of the current probability.
    LogOdds,
    /// Log odds of the candidate minus log odds of the best other candidate.
    Lead,
    /// Number of better candidates.
    Rank,
    /// Highest probability that another dead page assigns to the same live page.
    OtherDeadPageBest,
    /// Sum of the probabilities that other dead pages assign to the same live page.
    OtherDeadPageSum,
    /// Highest probability that another dead page of the same folder assigns to the same
    /// live page.
    OtherDeadPageSameFolder,
    /// Share of slugs that the old and the new folder have in common.
    FolderOverlap,
    /// Confidence of a program learned from known aliases.
    ProgramConfidence,
    /// Logarithm of the number of other dead pages in the folder.
    SiblingCount,
    /// Mean probability of the best candidates of the other dead pages in the folder.
    SiblingMean,
    /// Logarithm of the number of known aliases of pages of the folder.
    SiblingKnownAliases,
    /// Share of the new folder that the old folder accounts for.
    FolderCoverage,
    /// Log odds of the candidate minus log odds of `OtherDeadPageBest`.
    Mutual,
    /// Whether the coarse pattern is the best pattern of the directory (§4.1.2).
    TopCluster,
    /// Number of other candidates of the page with the same coarse pattern.
    ClusterRivals,
    /// Number of other candidates of the page with the same shape.
    ShapeRivals,
    /// Mean probability of the best candidates of all other dead pages.
    SiteMean,
    /// Logarithm of the number of known aliases.
    SiteKnownAliases,
    /// Log odds of the linear score with votes.
    Linear,
}
}

features! {
/// What is known about the support for a move; see [`Support`].
SupportFeature {
    /// Logarithm of the votes of other pages for the move.
    Votes,
    /// The share of `Votes` in all votes on the same origin, the replaced part of the URL.
    Share,
    /// The ratio of `Votes` to the number of dead pages that the rule could apply to.
    Rate,
    /// Logarithm of the number of known aliases.
    KnownAliases,
    /// The share of the known aliases in all known aliases with the same origin.
    KnownShare,
    /// Logarithm of the number of other dead pages with a candidate for the move.
    Offers,
    /// Votes per other dead page with a candidate for the move.
    OfferRate,
}
}

/// Probabilities are clamped to this distance from 0 and 1 before their log odds
/// are computed.
const MIN_PROBABILITY: f32 = 1e-3;

/// Number of features that describe the support for one [`MoveKind`].
const SUPPORT_FEATURES: usize = SupportFeature::ALL.len();

/// Position of the first feature of the support.
const FIRST_SUPPORT: usize = PAIR_FEATURES + ContextFeature::ALL.len();

/// Number of all features.
pub const FEATURES: usize = FIRST_SUPPORT + SUPPORT_FEATURES * MoveKind::ALL.len();

/// Returns the names of all features, in order.
pub fn feature_names() -> Vec<String> {
    let pair = Feature::ALL.iter().map(|feature| format!("{feature:?}"));
    let context = ContextFeature::ALL.iter().map(|feature| format!("{feature:?}"));
    let support = MoveKind::ALL.iter().flat_map(|kind| {
        SupportFeature::ALL.iter().map(move |feature| format!("{kind:?}{feature:?}"))
    });
    pair.chain(context).chain(support).collect()
}

/// All features of a candidate: of the pair, of the context, and of the support
/// for each kind of move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// The values, in the order of [`feature_names`].
    pub values: [f32; FEATURES],
}

impl Features {
    /// Returns a feature of the pair.
    pub(super) fn pair(&self, feature: Feature) -> f32 {
        self.values[feature as usize]
    }

    /// Returns a context feature.
    pub(super) fn context(&self, feature: ContextFeature) -> f32 {
        self.values[PAIR_FEATURES + feature as usize]
    }

    /// Returns a feature of the support for a kind of move.
    pub(super) fn support(&self, kind: MoveKind, feature: SupportFeature) -> f32 {
        self.values[FIRST_SUPPORT + kind as usize * SUPPORT_FEATURES + feature as usize]
    }

    fn set(&mut self, feature: ContextFeature, value: f32) {
        self.values[PAIR_FEATURES + feature as usize] = value;
    }

    fn set_support(&mut self, kind: MoveKind, support: Support) {
        let Support { votes, share, rate, known_aliases, known_share, offers } = support;
        let offer_rate = super::features::ratio(votes, offers.max(votes));
        let values = [
            votes.ln_1p(),
            share,
            rate,
            known_aliases.ln_1p(),
            known_share,
            offers.ln_1p(),
            offer_rate,
        ];
        let start = FIRST_SUPPORT + kind as usize * SUPPORT_FEATURES;
        self.values[start..start + SUPPORT_FEATURES].copy_from_slice(&values);
    }
}

/// A dead page with its candidates.
#[derive(Debug, Clone, Default)]
pub struct DeadPageCandidates {
    /// The dead page.
    pub old: PageProfile,
    /// The candidates, best first.
    pub candidates: Vec<ScoredCandidate>,
    /// Pages predicted by programs, with the confidence.
    pub program_predictions: Vec<(PageNumber, f32)>,
}

impl DeadPageCandidates {
    /// Computes all features of every candidate, in order.
    pub fn features(&self, live_pages: &LivePageIndex, votes: &Votes) -> Vec<Features> {
        // The features are computed from the votes of other pages, without those of this page.
        let own_votes = Ballot::new(&self.candidates);
        (0..self.candidates.len())
            .map(|rank| self.candidate_features(rank, &own_votes, live_pages, votes))
            .collect()
    }

    /// Scores and sorts the candidates again with the votes of all dead pages.
    pub fn rescore(&mut self, trees: &BoostedTrees, live_pages: &LivePageIndex, votes: &Votes) {
        let features = self.features(live_pages, votes);
        for (candidate, features) in self.candidates.iter_mut().zip(&features) {
            candidate.probability = trees.probability(&features.values);
        }
        self.candidates.sort_by(ScoredCandidate::cmp_by_probability);
    }

    fn candidate_features(
        &self,
        rank: usize,
        own_votes: &Ballot,
        live_pages: &LivePageIndex,
        votes: &Votes,
    ) -> Features {
        let candidate = &self.candidates[rank];
        let new = &live_pages.pages[candidate.page as usize];
        let mut features = Features { values: [UNKNOWN; FEATURES] };
        features.values[..PAIR_FEATURES].copy_from_slice(&candidate.pair_features);
        self.set_rank_features(rank, &mut features);
        self.set_neighbor_features(candidate, votes, &mut features);
        self.set_cluster_features(candidate, votes, &mut features);
        for kind in MoveKind::ALL {
            let detected_move = candidate.moves[kind as usize];
            features.set_support(kind, votes.support(detected_move, own_votes));
        }
        let overlap = live_pages.folder_overlap(self.old.folder(), new.folder());
        features.set(ContextFeature::FolderOverlap, overlap);
        let folder_support = votes.support(candidate.moves[MoveKind::Folder as usize], own_votes);
        let pages = live_pages.folder_size(new.folder());
        features.set(ContextFeature::FolderCoverage, coverage(folder_support.votes, pages));
        features.set(ContextFeature::Linear, log_odds_with_votes(&features));
        features
    }

    /// Sets the features of a candidate's rank among the others.
    fn set_rank_features(&self, rank: usize, features: &mut Features) {
        let candidate = &self.candidates[rank];
        let own_odds = log_odds(candidate.probability);
        features.set(ContextFeature::PairLogOdds, log_odds(candidate.pair_probability));
        features.set(ContextFeature::LogOdds, own_odds);
        features.set(ContextFeature::Lead, own_odds - log_odds(self.best_other(rank)));
        features.set(ContextFeature::Rank, count(rank));
        features.set(ContextFeature::ProgramConfidence, self.program_confidence(candidate.page));
    }

    /// Sets the features of claims of other dead pages, of siblings and of the site.
    fn set_neighbor_features(
        &self,
        candidate: &ScoredCandidate,
        votes: &Votes,
        features: &mut Features,
    ) {
        let rivals = votes.other_claims(&self.old, candidate);
        features.set(ContextFeature::OtherDeadPageBest, rivals.best);
        features.set(ContextFeature::OtherDeadPageSum, rivals.sum.ln_1p());
        features.set(ContextFeature::OtherDeadPageSameFolder, rivals.same_folder);
        let mutual = log_odds(candidate.probability) - log_odds(rivals.best);
        features.set(ContextFeature::Mutual, mutual);
        let siblings = votes.siblings(&self.old, &self.candidates);
        features.set(ContextFeature::SiblingCount, siblings.count.ln_1p());
        features.set(ContextFeature::SiblingMean, siblings.mean_probability);
        features.set(ContextFeature::SiblingKnownAliases, siblings.known_aliases.ln_1p());
        let site = votes.site(&self.candidates);
        features.set(ContextFeature::SiteMean, site.mean_probability);
        features.set(ContextFeature::SiteKnownAliases, site.known_aliases.ln_1p());
    }

    /// Sets the features of FABLE's cluster rule.
    fn set_cluster_features(
        &self,
        candidate: &ScoredCandidate,
        votes: &Votes,
        features: &mut Features,
    ) {
        let top = indicator(votes.is_top_cluster(candidate));
        features.set(ContextFeature::TopCluster, top);
        // The number of other candidates of this dead page that make the same move.
        let rivals = |kind: MoveKind| {
            let own_move = candidate.moves[kind as usize];
            let is_same = |other: &&ScoredCandidate| other.moves[kind as usize] == own_move;
            let same_count = self.candidates.iter().filter(is_same).count();
            if own_move.is_none() { UNKNOWN } else { count(same_count) - 1.0 }
        };
        features.set(ContextFeature::ClusterRivals, rivals(MoveKind::Coarse));
        features.set(ContextFeature::ShapeRivals, rivals(MoveKind::Shape));
    }

    /// Returns the highest confidence of a program that predicts this page.
    fn program_confidence(&self, page: PageNumber) -> f32 {
        let predictions = self.program_predictions.iter();
        let confidences = predictions.filter(|(predicted, _)| *predicted == page).map(|it| it.1);
        confidences.fold(0.0, f32::max)
    }

    /// Returns the probability of the best candidate except the one at `rank`.
    fn best_other(&self, rank: usize) -> f32 {
        // The candidates are sorted, so the best other one is the first or the second.
        let best_other_rank = usize::from(rank == 0);
        self.candidates.get(best_other_rank).map_or(0.0, |candidate| candidate.probability)
    }
}

/// Returns the log odds of a probability, clamped by [`MIN_PROBABILITY`].
fn log_odds(probability: f32) -> f32 {
    let probability = probability.clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
    (probability / (1.0 - probability)).ln()
}

impl ScoredCandidate {
    /// Creates a candidate from the features of the pair.
    pub fn new(
        page: PageNumber,
        old: &PageProfile,
        new: &PageProfile,
        pair_features: PairFeatures,
        probability: f32,
    ) -> Self {
        Self {
            page,
            probability,
            pair_probability: probability,
            pair_features,
            moves: MoveKind::ALL.map(|kind| kind.detect(old, new)),
            predictable: CoarseKey::new(old, new).predictable_count(),
        }
    }
}
