//! All features of a guess: the pair itself, its place among the other
//! guesses, and the votes of the neighbors.

use super::features::{PAIR, PairFeatures, UNKNOWN};
use super::library::Library;
use super::moves::Way;
use super::profile::Profile;
use super::votes::{Ballot, Guess, Support, Votes, ballot, coverage};

/// What is looked at beyond the pair. Those from `StartVotes` on come in
/// blocks of five for each [`Way`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Beyond {
    /// The chance at first sight, as a logarithm of odds.
    FirstOdds = PAIR,
    /// By how much the odds exceed those of the next best guess.
    Lead,
    /// How many guesses are better.
    Rank,
    /// The best chance that another broken URL gives to the same page.
    RivalBest,
    /// The sum of the chances that others give to it.
    RivalSum,
    /// How many other broken URLs the folder has, as a logarithm.
    SiblingNumber,
    /// The mean of their best chances.
    SiblingMean,
    /// How many known aliases began in the folder, as a logarithm.
    SiblingKnown,
    /// How much of the new folder the old folder accounts for.
    FolderCoverage,
    /// Votes for the same [`Way::Start`].
    StartVotes,
    /// Their share.
    StartShare,
    /// Their rate.
    StartRate,
    /// Known aliases of that start.
    StartKnown,
    /// Their share.
    StartKnownShare,
    /// Votes for the same [`Way::Folder`].
    FolderVotes,
    /// Their share.
    FolderShare,
    /// Their rate.
    FolderRate,
    /// Known aliases of that folder.
    FolderKnown,
    /// Their share.
    FolderKnownShare,
    /// Votes for the same [`Way::Swap`].
    SwapVotes,
    /// Their share.
    SwapShare,
    /// Their rate.
    SwapRate,
    /// Known aliases of that swap.
    SwapKnown,
    /// Their share.
    SwapKnownShare,
    /// Votes for the same [`Way::Region`].
    RegionVotes,
    /// Their share.
    RegionShare,
    /// Their rate.
    RegionRate,
    /// Known aliases of that region.
    RegionKnown,
    /// Their share.
    RegionKnownShare,
}

/// How many features there are in all.
pub const ALL: usize = Beyond::RegionKnownShare as usize + 1;

/// All features of a guess.
pub type Features = [f32; ALL];

/// A broken URL with its guesses, best first.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The dead page.
    pub old: Profile,
    /// The guesses, best first.
    pub guesses: Vec<Guess>,
    /// What the pairs say, one for each guess.
    pub pairs: Vec<PairFeatures>,
}

impl Question {
    /// All features of every guess, in order.
    pub fn features(&self, library: &Library, votes: &Votes) -> Vec<Features> {
        let own = ballot(&self.old, &self.guesses, &library.pages);
        (0..self.guesses.len()).map(|rank| self.features_of(rank, &own, library, votes)).collect()
    }

    fn features_of(&self, rank: usize, own: &Ballot, library: &Library, votes: &Votes) -> Features {
        let guess = self.guesses[rank];
        let new = &library.pages[guess.page as usize];
        let mut features = [UNKNOWN; ALL];
        features[..PAIR].copy_from_slice(&self.pairs[rank]);
        let mut set = |feature: Beyond, value: f32| features[feature as usize] = value;
        let rivals = votes.rivals(guess);
        let siblings = votes.siblings(&self.old, &self.guesses);
        set(Beyond::FirstOdds, odds(guess.chance));
        set(Beyond::Lead, odds(guess.chance) - odds(self.best_other(rank)));
        set(Beyond::Rank, super::features::count(rank));
        set(Beyond::RivalBest, rivals.best);
        set(Beyond::RivalSum, rivals.sum.ln_1p());
        set(Beyond::SiblingNumber, siblings.number.ln_1p());
        set(Beyond::SiblingMean, siblings.mean);
        set(Beyond::SiblingKnown, siblings.known.ln_1p());
        let folder = votes.support(Way::Folder, &self.old, new, own);
        set(
            Beyond::FolderCoverage,
            coverage(folder.votes + folder.known, library.in_folder(new.folder())),
        );
        for way in Way::ALL {
            let support = votes.support(way, &self.old, new, own);
            let start = Beyond::StartVotes as usize + way as usize * BLOCK;
            features[start..start + BLOCK].copy_from_slice(&block(support));
        }
        features
    }

    /// The best chance of another guess.
    fn best_other(&self, rank: usize) -> f32 {
        let other = usize::from(rank == 0);
        self.guesses.get(other).map_or(0.0, |guess| guess.chance)
    }
}

/// How many features each way has.
const BLOCK: usize = 5;

/// The features of the support for one way.
fn block(support: Support) -> [f32; BLOCK] {
    let Support { votes, share, rate, known, known_share } = support;
    [votes.ln_1p(), share, rate, known.ln_1p(), known_share]
}

/// The logarithm of the odds of a chance, within reason.
fn odds(chance: f32) -> f32 {
    let chance = chance.clamp(1e-3, 1.0 - 1e-3);
    (chance / (1.0 - chance)).ln()
}
