//! Votes: what the neighbors of a dead page say about where it went.
//!
//! Every broken URL votes for the moves that its likely candidates would be,
//! with the chance it gives them as weight; a known alias votes with certainty.
//! A guess is then seen in the light of the votes of all *others*: support from
//! siblings lifts it, a better claim by another page sinks it.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use super::features::{count, ratio};
use super::live_page_index::PageNumber;
use super::moves::{Move, MoveKind};
use super::profile::{Key, PageProfile};

/// A guess below this chance is no vote.
const LEAST_VOTE: f32 = 0.2;

/// One candidate of a broken URL with the chance given to it so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredCandidate {
    /// The live page.
    pub page: PageNumber,
    /// The chance that it is the alias, by all that is known so far.
    pub probability: f32,
    /// The chance at first sight, from the pair alone.
    pub first: f32,
}

impl ScoredCandidate {
    /// The likelier first.
    pub fn order(&self, other: &Self) -> Ordering {
        other.probability.total_cmp(&self.probability).then(self.page.cmp(&other.page))
    }
}

/// Votes by rule and by what the rule replaces.
#[derive(Debug, Default)]
pub struct Votes {
    rules: HashMap<Key, VoteTotals>,
    origins: HashMap<Key, VoteTotals>,
    claims: HashMap<PageNumber, Claims>,
    claims_inside: HashMap<(PageNumber, Key), Claims>,
    folders: HashMap<Key, VoteTotals>,
}

/// The votes for one thing.
#[derive(Debug, Clone, Copy, Default)]
struct VoteTotals {
    votes: f32,
    known: f32,
    asked: f32,
}

/// Who claims a page: the two best chances and their sum.
#[derive(Debug, Clone, Copy, Default)]
struct Claims {
    best: f32,
    second: f32,
    sum: f32,
}

/// What others say about one way of reading a guess.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Support {
    /// The votes of other broken URLs for the same rule.
    pub votes: f32,
    /// Their share of all votes on what the rule replaces.
    pub share: f32,
    /// Their share of all broken URLs the rule could have applied to.
    pub rate: f32,
    /// How many known aliases follow the rule.
    pub known: f32,
    /// Their share of all known aliases of what the rule replaces.
    pub known_share: f32,
}

/// What others say about the page itself.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rivals {
    /// The best chance another broken URL gives to the page.
    pub best: f32,
    /// The sum of the chances others give to it.
    pub sum: f32,
    /// The best chance another broken URL of the same folder gives to it.
    pub inside: f32,
}

/// How the other broken URLs of the folder fare.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Siblings {
    /// How many there are.
    pub number: f32,
    /// The mean of their best chances.
    pub mean: f32,
    /// How many known aliases began in the folder.
    pub known: f32,
}

impl Votes {
    /// Counts the votes of a broken URL.
    pub fn add(&mut self, old: &PageProfile, guesses: &[ScoredCandidate], live: &[PageProfile]) {
        for (rule, (from, chance)) in ballot(old, guesses, live) {
            self.rules.entry(rule).or_default().votes += chance;
            self.origins.entry(from).or_default().votes += chance;
        }
        for way in MoveKind::ALL {
            for origin in way.origins(old) {
                self.origins.entry(origin).or_default().asked += 1.0;
            }
        }
        for guess in guesses.iter().filter(|guess| guess.probability >= LEAST_VOTE) {
            self.claims.entry(guess.page).or_default().add(guess.probability);
            let inside = self.claims_inside.entry((guess.page, folder_of(old))).or_default();
            inside.add(guess.probability);
        }
        let folder = self.folders.entry(folder_of(old)).or_default();
        folder.votes += best_chance(guesses);
        folder.asked += 1.0;
    }

    /// Counts a known alias.
    pub fn add_known(&mut self, old: &PageProfile, page: Option<PageNumber>, new: &PageProfile) {
        for Move { from, rule } in MoveKind::ALL.iter().filter_map(|way| way.read(old, new)) {
            self.rules.entry(rule).or_default().known += 1.0;
            self.origins.entry(from).or_default().known += 1.0;
        }
        if let Some(page) = page {
            self.claims.entry(page).or_default().add(1.0);
            self.claims_inside.entry((page, folder_of(old))).or_default().add(1.0);
        }
        self.folders.entry(folder_of(old)).or_default().known += 1.0;
    }

    /// What others say of `old` having become `new` in some way.
    pub fn support(
        &self,
        way: MoveKind,
        old: &PageProfile,
        new: &PageProfile,
        own: &Ballot,
    ) -> Support {
        let Some(Move { from, rule }) = way.read(old, new) else { return Support::default() };
        let mine = own.get(&rule).map_or(0.0, |&(_, chance)| chance);
        let mine_from: f32 =
            own.values().filter(|(origin, _)| *origin == from).map(|(_, chance)| chance).sum();
        let rules = self.rules.get(&rule).copied().unwrap_or_default();
        let origins = self.origins.get(&from).copied().unwrap_or_default();
        let votes = (rules.votes - mine).max(0.0);
        Support {
            votes,
            share: ratio(votes, (origins.votes - mine_from).max(votes)),
            rate: ratio(votes, (origins.asked - 1.0).max(votes)),
            known: rules.known,
            known_share: ratio(rules.known, origins.known),
        }
    }

    /// What others say of the page of a guess.
    pub fn rivals(&self, old: &PageProfile, guess: ScoredCandidate) -> Rivals {
        let claims = self.claims.get(&guess.page).copied().unwrap_or_default();
        let inside = self.claims_inside.get(&(guess.page, folder_of(old)));
        let own = if guess.probability < LEAST_VOTE { 0.0 } else { guess.probability };
        Rivals {
            best: claims.best_other(own),
            sum: (claims.sum - own).max(0.0),
            inside: inside.copied().unwrap_or_default().best_other(own),
        }
    }

    /// How the other broken URLs of the folder of `old` fare.
    pub fn siblings(&self, old: &PageProfile, guesses: &[ScoredCandidate]) -> Siblings {
        let folder = self.folders.get(&folder_of(old)).copied().unwrap_or_default();
        let number = (folder.asked - 1.0).max(0.0);
        let votes = (folder.votes - best_chance(guesses)).max(0.0);
        Siblings { number, mean: ratio(votes, number), known: folder.known }
    }
}

/// The rules a broken URL votes for: what each replaces, and its chance.
pub type Ballot = BTreeMap<Key, (Key, f32)>;

/// The votes of one broken URL: for each rule its best guess.
pub fn ballot(old: &PageProfile, guesses: &[ScoredCandidate], live: &[PageProfile]) -> Ballot {
    let mut ballot = Ballot::new();
    let whole: f32 = guesses.iter().map(|guess| guess.probability).sum::<f32>().max(1.0);
    for guess in guesses.iter().filter(|guess| guess.probability >= LEAST_VOTE) {
        let chance = guess.probability / whole;
        let new = &live[guess.page as usize];
        for Move { from, rule } in MoveKind::ALL.iter().filter_map(|way| way.read(old, new)) {
            let vote = ballot.entry(rule).or_insert((from, 0.0));
            vote.1 = vote.1.max(chance);
        }
    }
    ballot
}

/// The best chance among guesses.
fn best_chance(guesses: &[ScoredCandidate]) -> f32 {
    guesses.iter().map(|guess| guess.probability).fold(0.0, f32::max)
}

/// The key of the folder of a page.
fn folder_of(page: &PageProfile) -> Key {
    super::profile::key_of_all(page.folder())
}

impl Claims {
    /// Adds a claim.
    fn add(&mut self, chance: f32) {
        self.second = self.second.max(chance.min(self.best));
        self.best = self.best.max(chance);
        self.sum += chance;
    }

    /// The best claim but for one of `own`.
    fn best_other(self, own: f32) -> f32 {
        if own > 0.0 && own >= self.best { self.second } else { self.best }
    }
}

/// How much of a folder's live pages the votes account for.
pub fn coverage(votes: f32, pages: usize) -> f32 {
    ratio(votes, count(pages).max(1.0)).min(1.0)
}
