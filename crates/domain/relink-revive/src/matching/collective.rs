//! All features of a guess: the pair itself, its place among the other
//! guesses, and the votes of the neighbors.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use super::features::{Feature, PairFeatures, UNKNOWN, count};
use super::library::{Library, PageNumber};
use super::model::chance;
use super::moves::Way;
use super::profile::Profile;
use super::votes::{Ballot, Guess, Support, Votes, ballot, coverage};
use super::weights::FIRST_ROUND;

/// What is looked at beyond the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Beyond {
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
    /// How sure a program learnt from known aliases is of the page.
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
pub const BEYOND: usize = Beyond::FolderCoverage as usize + 1;

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
    pub ways: [[f32; SUPPORT]; Way::ALL.len()],
}

impl Features {
    /// One feature of the pair.
    pub fn pair(&self, feature: Feature) -> f32 {
        self.pair[feature as usize]
    }

    /// One feature beyond the pair.
    pub fn beyond(&self, feature: Beyond) -> f32 {
        self.beyond[feature as usize]
    }

    /// How many others moved in some way, as a logarithm.
    pub fn votes(&self, way: Way) -> f32 {
        self.ways[way as usize][0]
    }

    /// How many known aliases moved in some way, as a logarithm.
    pub fn known(&self, way: Way) -> f32 {
        self.ways[way as usize][3]
    }
}

/// A broken URL with its guesses, best first.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The dead page.
    pub old: Profile,
    /// The guesses, best first.
    pub guesses: Vec<Guess>,
    /// What the pairs say, one for each guess.
    pub pairs: Vec<PairFeatures>,
    /// Pages that programs name, and how sure they are.
    pub named: Vec<(PageNumber, f32)>,
}

impl Question {
    /// All features of every guess, in order.
    pub fn features(&self, library: &Library, votes: &Votes) -> Vec<Features> {
        let own = ballot(&self.old, &self.guesses, &library.pages);
        (0..self.guesses.len()).map(|rank| self.features_of(rank, &own, library, votes)).collect()
    }

    /// Guesses again, in the light of the votes on the guesses so far.
    pub fn reconsider(&mut self, library: &Library, votes: &Votes) {
        let chances: Vec<f32> =
            self.features(library, votes).iter().map(|it| chance(&FIRST_ROUND, it)).collect();
        let again = |(guess, chance): (&Guess, f32)| Guess { chance, ..*guess };
        let mut guesses: Vec<(Guess, PairFeatures)> =
            self.guesses.iter().zip(chances).map(again).zip(self.pairs.iter().copied()).collect();
        guesses.sort_by(|a, b| a.0.order(&b.0));
        (self.guesses, self.pairs) = guesses.into_iter().unzip();
    }

    fn features_of(&self, rank: usize, own: &Ballot, library: &Library, votes: &Votes) -> Features {
        let new = &library.pages[self.guesses[rank].page as usize];
        let support = Way::ALL.map(|way| votes.support(way, &self.old, new, own));
        let folder = support[Way::Folder as usize];
        let mut beyond = [UNKNOWN; BEYOND];
        self.compare_guesses(rank, &mut beyond);
        self.ask_neighbors(self.guesses[rank], votes, &mut beyond);
        let mut set = |feature: Beyond, value: f32| beyond[feature as usize] = value;
        set(Beyond::Parallel, library.parallel(self.old.folder(), new.folder()));
        let pages = library.in_folder(new.folder());
        set(Beyond::FolderCoverage, coverage(folder.votes + folder.known, pages));
        Features { pair: self.pairs[rank], beyond, ways: support.map(block) }
    }

    /// Where a guess stands among the others.
    fn compare_guesses(&self, rank: usize, beyond: &mut [f32; BEYOND]) {
        let mut set = |feature: Beyond, value: f32| beyond[feature as usize] = value;
        let guess = self.guesses[rank];
        set(Beyond::FirstOdds, odds(guess.first));
        set(Beyond::Odds, odds(guess.chance));
        set(Beyond::Lead, odds(guess.chance) - odds(self.best_other(rank)));
        set(Beyond::Rank, count(rank));
        set(Beyond::Program, self.program_of(guess.page));
    }

    /// Who else claims the page, and how the folder fares.
    fn ask_neighbors(&self, guess: Guess, votes: &Votes, beyond: &mut [f32; BEYOND]) {
        let mut set = |feature: Beyond, value: f32| beyond[feature as usize] = value;
        let rivals = votes.rivals(&self.old, guess);
        set(Beyond::RivalBest, rivals.best);
        set(Beyond::RivalSum, rivals.sum.ln_1p());
        set(Beyond::RivalInside, rivals.inside);
        let siblings = votes.siblings(&self.old, &self.guesses);
        set(Beyond::SiblingNumber, siblings.number.ln_1p());
        set(Beyond::SiblingMean, siblings.mean);
        set(Beyond::SiblingKnown, siblings.known.ln_1p());
    }

    /// How sure programs are of a page.
    fn program_of(&self, page: PageNumber) -> f32 {
        let sure = self.named.iter().filter(|(named, _)| *named == page).map(|(_, sure)| *sure);
        sure.fold(0.0, f32::max)
    }

    /// The best chance of another guess.
    fn best_other(&self, rank: usize) -> f32 {
        let other = usize::from(rank == 0);
        self.guesses.get(other).map_or(0.0, |guess| guess.chance)
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
