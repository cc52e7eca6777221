//! Votes of the dead pages of a site on how the site moved.
//!
//! Each dead page votes for the moves to its probable candidates, weighted by
//! their probability. A known alias has one full vote. The votes of *other*
//! pages are features of a candidate: other pages that make the same move raise
//! its probability, a higher claim of another page on the candidate lowers it.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use super::features::{count, ratio};
use super::live_page_index::PageNumber;
use super::moves::{Move, MoveKind};
use super::profile::{Key, PageProfile};

/// Minimum probability of a candidate that counts as a vote.
const MIN_VOTE: f32 = 0.2;

/// A live page that may be the alias of a dead one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredCandidate {
    /// The live page.
    pub page: PageNumber,
    /// The probability that it is the alias, after the latest round.
    pub probability: f32,
    /// The probability from the pair alone.
    pub pair_probability: f32,
}

impl ScoredCandidate {
    /// Orders candidates by descending probability.
    pub fn cmp_by_probability(&self, other: &Self) -> Ordering {
        other.probability.total_cmp(&self.probability).then(self.page.cmp(&other.page))
    }
}

/// All votes and claims.
#[derive(Debug, Default)]
pub struct Votes {
    /// Votes by rule.
    rules: HashMap<Key, VoteTotals>,
    /// Votes by the part of a URL that the rules replace.
    origins: HashMap<Key, VoteTotals>,
    /// Claims on each live page.
    claims: HashMap<PageNumber, Claims>,
    /// Claims on each live page by the dead pages of one folder.
    claims_in_folder: HashMap<(PageNumber, Key), Claims>,
    /// Votes of the dead pages of each folder.
    folders: HashMap<Key, VoteTotals>,
}

/// The votes for one rule, origin or folder.
#[derive(Debug, Clone, Copy, Default)]
struct VoteTotals {
    votes: f32,
    known_aliases: f32,
    /// The number of dead pages that could have voted.
    dead_pages: f32,
}

/// The claims of dead pages on one live page: the two highest probabilities and
/// the sum of all.
#[derive(Debug, Clone, Copy, Default)]
struct Claims {
    best: f32,
    second: f32,
    sum: f32,
}

/// The support of other pages for one move.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Support {
    /// The votes of other dead pages for the same rule.
    pub votes: f32,
    /// Their share of all votes on the same origin.
    pub share: f32,
    /// Their share of all dead pages that the rule could apply to.
    pub rate: f32,
    /// The number of known aliases that follow the rule.
    pub known_aliases: f32,
    /// Their share of all known aliases with the same origin.
    pub known_share: f32,
}

/// The claims of other dead pages on a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OtherClaims {
    /// The highest probability that another dead page assigns to the candidate.
    pub best: f32,
    /// The sum of the probabilities that others assign to it.
    pub sum: f32,
    /// The highest probability that another dead page of the same folder
    /// assigns to it.
    pub same_folder: f32,
}

/// The other dead pages of a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Siblings {
    /// Their number.
    pub count: f32,
    /// The mean probability of their best candidates.
    pub mean_probability: f32,
    /// The number of known aliases of pages of the folder.
    pub known_aliases: f32,
}

impl Votes {
    /// Adds the votes of a dead page.
    pub fn add_dead_page(
        &mut self,
        old: &PageProfile,
        candidates: &[ScoredCandidate],
        live: &[PageProfile],
    ) {
        for (rule, (from, vote)) in ballot(old, candidates, live) {
            self.rules.entry(rule).or_default().votes += vote;
            self.origins.entry(from).or_default().votes += vote;
        }
        for kind in MoveKind::ALL {
            for origin in kind.possible_origins(old) {
                self.origins.entry(origin).or_default().dead_pages += 1.0;
            }
        }
        for candidate in candidates.iter().filter(|it| it.probability >= MIN_VOTE) {
            self.claims.entry(candidate.page).or_default().add(candidate.probability);
            let key = (candidate.page, folder_key(old));
            self.claims_in_folder.entry(key).or_default().add(candidate.probability);
        }
        let folder = self.folders.entry(folder_key(old)).or_default();
        folder.votes += best_probability(candidates);
        folder.dead_pages += 1.0;
    }

    /// Adds a known alias.
    pub fn add_known_alias(
        &mut self,
        old: &PageProfile,
        page: Option<PageNumber>,
        new: &PageProfile,
    ) {
        for Move { from, rule } in MoveKind::ALL.iter().filter_map(|kind| kind.detect(old, new)) {
            self.rules.entry(rule).or_default().known_aliases += 1.0;
            self.origins.entry(from).or_default().known_aliases += 1.0;
        }
        if let Some(page) = page {
            self.claims.entry(page).or_default().add(1.0);
            self.claims_in_folder.entry((page, folder_key(old))).or_default().add(1.0);
        }
        self.folders.entry(folder_key(old)).or_default().known_aliases += 1.0;
    }

    /// Returns the support of others for the move of this kind from `old` to `new`.
    pub fn support(
        &self,
        kind: MoveKind,
        old: &PageProfile,
        new: &PageProfile,
        own: &Ballot,
    ) -> Support {
        let Some(Move { from, rule }) = kind.detect(old, new) else { return Support::default() };
        let own_votes = own.get(&rule).map_or(0.0, |&(_, vote)| vote);
        let own_origin_votes: f32 =
            own.values().filter(|(origin, _)| *origin == from).map(|(_, vote)| vote).sum();
        let rules = self.rules.get(&rule).copied().unwrap_or_default();
        let origins = self.origins.get(&from).copied().unwrap_or_default();
        let votes = (rules.votes - own_votes).max(0.0);
        Support {
            votes,
            share: ratio(votes, (origins.votes - own_origin_votes).max(votes)),
            rate: ratio(votes, (origins.dead_pages - 1.0).max(votes)),
            known_aliases: rules.known_aliases,
            known_share: ratio(rules.known_aliases, origins.known_aliases),
        }
    }

    /// Returns the claims of other dead pages on a candidate.
    pub fn other_claims(&self, old: &PageProfile, candidate: ScoredCandidate) -> OtherClaims {
        let claims = self.claims.get(&candidate.page).copied().unwrap_or_default();
        let in_folder = self.claims_in_folder.get(&(candidate.page, folder_key(old)));
        let own = if candidate.probability < MIN_VOTE { 0.0 } else { candidate.probability };
        OtherClaims {
            best: claims.best_other(own),
            sum: (claims.sum - own).max(0.0),
            same_folder: in_folder.copied().unwrap_or_default().best_other(own),
        }
    }

    /// Returns statistics of the other dead pages of the folder of `old`.
    pub fn siblings(&self, old: &PageProfile, candidates: &[ScoredCandidate]) -> Siblings {
        let folder = self.folders.get(&folder_key(old)).copied().unwrap_or_default();
        let count = (folder.dead_pages - 1.0).max(0.0);
        let votes = (folder.votes - best_probability(candidates)).max(0.0);
        Siblings {
            count,
            mean_probability: ratio(votes, count),
            known_aliases: folder.known_aliases,
        }
    }
}

/// The votes of one dead page: for each rule, its origin and the vote.
pub type Ballot = BTreeMap<Key, (Key, f32)>;

/// Returns the votes of a dead page. Each rule gets the vote of its best candidate.
pub fn ballot(old: &PageProfile, candidates: &[ScoredCandidate], live: &[PageProfile]) -> Ballot {
    let mut ballot = Ballot::new();
    let total: f32 = candidates.iter().map(|candidate| candidate.probability).sum::<f32>().max(1.0);
    for candidate in candidates.iter().filter(|candidate| candidate.probability >= MIN_VOTE) {
        let share = candidate.probability / total;
        let new = &live[candidate.page as usize];
        for Move { from, rule } in MoveKind::ALL.iter().filter_map(|kind| kind.detect(old, new)) {
            let vote = ballot.entry(rule).or_insert((from, 0.0));
            vote.1 = vote.1.max(share);
        }
    }
    ballot
}

/// Returns the highest probability of the candidates.
fn best_probability(candidates: &[ScoredCandidate]) -> f32 {
    candidates.iter().map(|candidate| candidate.probability).fold(0.0, f32::max)
}

/// Returns the key of the folder of a page.
fn folder_key(page: &PageProfile) -> Key {
    super::profile::hash_keys(page.folder())
}

impl Claims {
    /// Adds a claim.
    fn add(&mut self, probability: f32) {
        self.second = self.second.max(probability.min(self.best));
        self.best = self.best.max(probability);
        self.sum += probability;
    }

    /// Returns the best claim without one claim of `own`.
    fn best_other(self, own: f32) -> f32 {
        if own > 0.0 && own >= self.best { self.second } else { self.best }
    }
}

/// Returns the share of a folder's live pages that the votes account for.
pub fn coverage(votes: f32, pages: usize) -> f32 {
    ratio(votes, count(pages).max(1.0)).min(1.0)
}
