//! All features of a candidate: of the pair, of its rank among the candidates,
//! and of the votes of other dead pages.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use super::features::{Feature, PairFeatures, UNKNOWN, count};
use super::live_page_index::{LivePageIndex, PageNumber};
use super::model::probability;
use super::moves::MoveKind;
use super::profile::PageProfile;
use super::votes::{Ballot, ScoredCandidate, Support, Votes, ballot, coverage};
use super::weights::RESCORE_WEIGHTS;

/// A feature that depends on other candidates or other dead pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum ContextFeature {
    /// Log odds of the probability from the pair alone.
    PairLogOdds,
    /// Log odds of the current probability.
    LogOdds,
    /// Difference of the log odds to the best other candidate.
    Lead,
    /// Number of better candidates.
    Rank,
    /// Highest probability that another dead page assigns to the same live page.
    OtherDeadPageBest,
    /// Sum of the probabilities that other dead pages assign to it.
    OtherDeadPageSum,
    /// Highest probability that another dead page of the folder assigns to it.
    OtherDeadPageSameFolder,
    /// Share of slugs that the old and the new folder have in common.
    FolderOverlap,
    /// Confidence of a program learned from known aliases.
    ProgramConfidence,
    /// Logarithm of the number of other dead pages in the folder.
    SiblingCount,
    /// Mean probability of their best candidates.
    SiblingMean,
    /// Logarithm of the number of known aliases of pages of the folder.
    SiblingKnownAliases,
    /// Share of the new folder that the old folder accounts for.
    FolderCoverage,
}

/// Probabilities are clamped to this distance from 0 and 1 before their log odds
/// are computed.
const MIN_PROBABILITY: f32 = 1e-3;

/// Number of context features.
pub const CONTEXT_FEATURES: usize = ContextFeature::FolderCoverage as usize + 1;

/// Number of features that describe the support for one [`MoveKind`]: votes,
/// their share, their rate, known aliases, their share; see [`Support`].
pub const SUPPORT_FEATURES: usize = 5;

/// All features of a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// The features of the pair.
    pub pair: PairFeatures,
    /// The context features.
    pub context: [f32; CONTEXT_FEATURES],
    /// The support for each kind of move, in the order of [`MoveKind::ALL`].
    pub moves: [[f32; SUPPORT_FEATURES]; MoveKind::ALL.len()],
}

impl Features {
    /// Returns a feature of the pair.
    pub fn pair(&self, feature: Feature) -> f32 {
        self.pair[feature as usize]
    }

    /// Returns a context feature.
    pub fn context(&self, feature: ContextFeature) -> f32 {
        self.context[feature as usize]
    }

    /// Returns the logarithm of the votes of other pages for a kind of move.
    pub fn votes(&self, kind: MoveKind) -> f32 {
        self.moves[kind as usize][0]
    }

    /// Returns the logarithm of the number of known aliases with a kind of move.
    pub fn known_aliases(&self, kind: MoveKind) -> f32 {
        self.moves[kind as usize][3]
    }
}

/// A dead page with its candidates.
#[derive(Debug, Clone, Default)]
pub struct DeadPageCandidates {
    /// The dead page.
    pub old: PageProfile,
    /// The candidates, best first.
    pub candidates: Vec<ScoredCandidate>,
    /// The features of the pair for each candidate.
    pub pair_features: Vec<PairFeatures>,
    /// Pages predicted by programs, with the confidence.
    pub program_predictions: Vec<(PageNumber, f32)>,
}

impl DeadPageCandidates {
    /// Computes all features of every candidate, in order.
    pub fn features(&self, live_pages: &LivePageIndex, votes: &Votes) -> Vec<Features> {
        let own = ballot(&self.old, &self.candidates, &live_pages.pages);
        (0..self.candidates.len())
            .map(|rank| self.candidate_features(rank, &own, live_pages, votes))
            .collect()
    }

    /// Scores and sorts the candidates again with the votes of all dead pages.
    pub fn rescore(&mut self, live_pages: &LivePageIndex, votes: &Votes) {
        let probabilities: Vec<f32> = self
            .features(live_pages, votes)
            .iter()
            .map(|features| probability(&RESCORE_WEIGHTS, features))
            .collect();
        let rescored = |(candidate, probability): (&ScoredCandidate, f32)| ScoredCandidate {
            probability,
            ..*candidate
        };
        let mut candidates: Vec<(ScoredCandidate, PairFeatures)> = self
            .candidates
            .iter()
            .zip(probabilities)
            .map(rescored)
            .zip(self.pair_features.iter().copied())
            .collect();
        candidates.sort_by(|a, b| a.0.cmp_by_probability(&b.0));
        (self.candidates, self.pair_features) = candidates.into_iter().unzip();
    }

    fn candidate_features(
        &self,
        rank: usize,
        own: &Ballot,
        live_pages: &LivePageIndex,
        votes: &Votes,
    ) -> Features {
        let new = &live_pages.pages[self.candidates[rank].page as usize];
        let support = MoveKind::ALL.map(|kind| votes.support(kind, &self.old, new, own));
        let folder = support[MoveKind::Folder as usize];
        let mut context = [UNKNOWN; CONTEXT_FEATURES];
        self.set_rank_features(rank, &mut context);
        self.set_neighbor_features(self.candidates[rank], votes, &mut context);
        let mut set = |feature: ContextFeature, value: f32| context[feature as usize] = value;
        set(
            ContextFeature::FolderOverlap,
            live_pages.folder_overlap(self.old.folder(), new.folder()),
        );
        let pages = live_pages.folder_size(new.folder());
        set(ContextFeature::FolderCoverage, coverage(folder.votes + folder.known_aliases, pages));
        Features { pair: self.pair_features[rank], context, moves: support.map(support_features) }
    }

    /// Sets the features of a candidate's rank among the others.
    fn set_rank_features(&self, rank: usize, context: &mut [f32; CONTEXT_FEATURES]) {
        let mut set = |feature: ContextFeature, value: f32| context[feature as usize] = value;
        let candidate = self.candidates[rank];
        set(ContextFeature::PairLogOdds, log_odds(candidate.pair_probability));
        set(ContextFeature::LogOdds, log_odds(candidate.probability));
        set(
            ContextFeature::Lead,
            log_odds(candidate.probability) - log_odds(self.best_other(rank)),
        );
        set(ContextFeature::Rank, count(rank));
        set(ContextFeature::ProgramConfidence, self.program_confidence(candidate.page));
    }

    /// Sets the features of rival claims and of siblings.
    fn set_neighbor_features(
        &self,
        candidate: ScoredCandidate,
        votes: &Votes,
        context: &mut [f32; CONTEXT_FEATURES],
    ) {
        let mut set = |feature: ContextFeature, value: f32| context[feature as usize] = value;
        let rivals = votes.other_claims(&self.old, candidate);
        set(ContextFeature::OtherDeadPageBest, rivals.best);
        set(ContextFeature::OtherDeadPageSum, rivals.sum.ln_1p());
        set(ContextFeature::OtherDeadPageSameFolder, rivals.same_folder);
        let siblings = votes.siblings(&self.old, &self.candidates);
        set(ContextFeature::SiblingCount, siblings.count.ln_1p());
        set(ContextFeature::SiblingMean, siblings.mean_probability);
        set(ContextFeature::SiblingKnownAliases, siblings.known_aliases.ln_1p());
    }

    /// Returns the confidence of programs in a page.
    fn program_confidence(&self, page: PageNumber) -> f32 {
        let predictions = self.program_predictions.iter();
        let confidences = predictions.filter(|(predicted, _)| *predicted == page).map(|it| it.1);
        confidences.fold(0.0, f32::max)
    }

    /// Returns the probability of the best other candidate.
    fn best_other(&self, rank: usize) -> f32 {
        let other = usize::from(rank == 0);
        self.candidates.get(other).map_or(0.0, |candidate| candidate.probability)
    }
}

/// Returns the features of the support for one kind of move.
fn support_features(support: Support) -> [f32; SUPPORT_FEATURES] {
    let Support { votes, share, rate, known_aliases, known_share } = support;
    [votes.ln_1p(), share, rate, known_aliases.ln_1p(), known_share]
}

/// Returns the log odds of a probability, clamped by [`MIN_PROBABILITY`].
fn log_odds(probability: f32) -> f32 {
    let probability = probability.clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
    (probability / (1.0 - probability)).ln()
}
