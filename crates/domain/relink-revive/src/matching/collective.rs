//! All features of a guess: the pair itself, its place among the other
//! guesses, and the votes of the neighbors.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use super::features::{Feature, PairFeatures, UNKNOWN, count};
use super::live_page_index::{LivePageIndex, PageNumber};
use super::model::chance;
use super::moves::MoveKind;
use super::profile::PageProfile;
use super::votes::{Ballot, ScoredCandidate, Support, Votes, ballot, coverage};
use super::weights::FIRST_ROUND;

/// What is looked at beyond the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum ContextFeature {
    /// The chance at first sight, as a logarithm of odds.
    FirstOdds,
    /// The chance given to it so far, as a logarithm of odds.
    Odds,
    /// By how much the odds exceed those of the next best guess.
    Lead,
    /// How many guesses are better.
    Rank,
    /// The best chance that another broken URL gives to the same page.
    RivalBest,
    /// The sum of the chances that others give to it.
    RivalSum,
    /// The best chance that another broken URL of the folder gives to it.
    RivalInside,
    /// How much of both folders' live pages are called alike.
    Parallel,
    /// How sure a program learned from known aliases is of the page.
    Program,
    /// How many other broken URLs the folder has, as a logarithm.
    SiblingNumber,
    /// The mean of their best chances.
    SiblingMean,
    /// How many known aliases began in the folder, as a logarithm.
    SiblingKnown,
    /// How much of the new folder the old folder accounts for.
    FolderCoverage,
}

/// A first guess is never taken as surer, or less sure, than this.
const LEAST_CHANCE: f32 = 1e-3;

/// How many features look beyond the pair.
pub const BEYOND: usize = ContextFeature::FolderCoverage as usize + 1;

/// How many features tell the support for one [`Way`]: votes, their share,
/// their rate, known aliases, their share; see [`Support`].
pub const SUPPORT: usize = 5;

/// All features of a guess.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// What the pair says.
    pub pair: PairFeatures,
    /// What is seen beyond it.
    pub beyond: [f32; BEYOND],
    /// The support for each way of reading the move, in the order of [`Way::ALL`].
    pub ways: [[f32; SUPPORT]; MoveKind::ALL.len()],
}

impl Features {
    /// One feature of the pair.
    pub fn pair(&self, feature: Feature) -> f32 {
        self.pair[feature as usize]
    }

    /// One feature beyond the pair.
    pub fn beyond(&self, feature: ContextFeature) -> f32 {
        self.beyond[feature as usize]
    }

    /// How many others moved in some way, as a logarithm.
    pub fn votes(&self, way: MoveKind) -> f32 {
        self.ways[way as usize][0]
    }

    /// How many known aliases moved in some way, as a logarithm.
    pub fn known(&self, way: MoveKind) -> f32 {
        self.ways[way as usize][3]
    }
}

/// A broken URL with its guesses, best first.
#[derive(Debug, Clone, Default)]
pub struct DeadPageCandidates {
    /// The dead page.
    pub old: PageProfile,
    /// The guesses, best first.
    pub candidates: Vec<ScoredCandidate>,
    /// What the pairs say, one for each guess.
    pub pairs: Vec<PairFeatures>,
    /// Pages that programs name, and how sure they are.
    pub named: Vec<(PageNumber, f32)>,
}

impl DeadPageCandidates {
    /// All features of every guess, in order.
    pub fn features(&self, library: &LivePageIndex, votes: &Votes) -> Vec<Features> {
        let own = ballot(&self.old, &self.candidates, &library.pages);
        (0..self.candidates.len())
            .map(|rank| self.features_of(rank, &own, library, votes))
            .collect()
    }

    /// Guesses again, in the light of the votes on the guesses so far.
    pub fn reconsider(&mut self, library: &LivePageIndex, votes: &Votes) {
        let chances: Vec<f32> =
            self.features(library, votes).iter().map(|it| chance(&FIRST_ROUND, it)).collect();
        let again = |(guess, chance): (&ScoredCandidate, f32)| ScoredCandidate {
            probability: chance,
            ..*guess
        };
        let mut guesses: Vec<(ScoredCandidate, PairFeatures)> = self
            .candidates
            .iter()
            .zip(chances)
            .map(again)
            .zip(self.pairs.iter().copied())
            .collect();
        guesses.sort_by(|a, b| a.0.order(&b.0));
        (self.candidates, self.pairs) = guesses.into_iter().unzip();
    }

    fn features_of(
        &self,
        rank: usize,
        own: &Ballot,
        library: &LivePageIndex,
        votes: &Votes,
    ) -> Features {
        let new = &library.pages[self.candidates[rank].page as usize];
        let support = MoveKind::ALL.map(|way| votes.support(way, &self.old, new, own));
        let folder = support[MoveKind::Folder as usize];
        let mut beyond = [UNKNOWN; BEYOND];
        self.compare_guesses(rank, &mut beyond);
        self.ask_neighbors(self.candidates[rank], votes, &mut beyond);
        let mut set = |feature: ContextFeature, value: f32| beyond[feature as usize] = value;
        set(ContextFeature::Parallel, library.parallel(self.old.folder(), new.folder()));
        let pages = library.in_folder(new.folder());
        set(ContextFeature::FolderCoverage, coverage(folder.votes + folder.known, pages));
        Features { pair: self.pairs[rank], beyond, ways: support.map(block) }
    }

    /// Where a guess stands among the others.
    fn compare_guesses(&self, rank: usize, beyond: &mut [f32; BEYOND]) {
        let mut set = |feature: ContextFeature, value: f32| beyond[feature as usize] = value;
        let guess = self.candidates[rank];
        set(ContextFeature::FirstOdds, odds(guess.first));
        set(ContextFeature::Odds, odds(guess.probability));
        set(ContextFeature::Lead, odds(guess.probability) - odds(self.best_other(rank)));
        set(ContextFeature::Rank, count(rank));
        set(ContextFeature::Program, self.program_of(guess.page));
    }

    /// Who else claims the page, and how the folder fares.
    fn ask_neighbors(&self, guess: ScoredCandidate, votes: &Votes, beyond: &mut [f32; BEYOND]) {
        let mut set = |feature: ContextFeature, value: f32| beyond[feature as usize] = value;
        let rivals = votes.rivals(&self.old, guess);
        set(ContextFeature::RivalBest, rivals.best);
        set(ContextFeature::RivalSum, rivals.sum.ln_1p());
        set(ContextFeature::RivalInside, rivals.inside);
        let siblings = votes.siblings(&self.old, &self.candidates);
        set(ContextFeature::SiblingNumber, siblings.number.ln_1p());
        set(ContextFeature::SiblingMean, siblings.mean);
        set(ContextFeature::SiblingKnown, siblings.known.ln_1p());
    }

    /// How sure programs are of a page.
    fn program_of(&self, page: PageNumber) -> f32 {
        let sure = self.named.iter().filter(|(named, _)| *named == page).map(|(_, sure)| *sure);
        sure.fold(0.0, f32::max)
    }

    /// The best chance of another guess.
    fn best_other(&self, rank: usize) -> f32 {
        let other = usize::from(rank == 0);
        self.candidates.get(other).map_or(0.0, |guess| guess.probability)
    }
}

/// The features of the support for one way.
fn block(support: Support) -> [f32; SUPPORT] {
    let Support { votes, share, rate, known, known_share } = support;
    [votes.ln_1p(), share, rate, known.ln_1p(), known_share]
}

/// The logarithm of the odds of a chance, within reason.
fn odds(chance: f32) -> f32 {
    let chance = chance.clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE);
    (chance / (1.0 - chance)).ln()
}
