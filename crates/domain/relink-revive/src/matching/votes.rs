//! Votes of the dead pages of a site on how the site moved.
//!
//! Each dead page votes for the moves to its probable candidates, weighted by
//! their probability. A known alias has one full vote. A vote is for a *rule*, such
//! as “folder `a` becomes folder `b`”, and for its *origin*, here folder `a`. A dead
//! page also *claims* its probable candidates. Dead pages whose moves have the same coarse
//! pattern (module `coarse`) form a *cluster*, as in FABLE.
//!
//! The votes of *other* pages are features of a candidate. Other pages that make the
//! same move raise its probability. A higher claim of another page on the candidate
//! lowers it.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use super::features::{PairFeatures, count, ratio};
use super::live_page_index::PageNumber;
use super::moves::{Move, MoveKind};
use super::profile::{Key, PageProfile, hash_keys};

/// Minimum probability of a candidate that counts as a vote.
const MIN_VOTE: f32 = 0.2;

/// Minimum number of dead pages of a cluster (section 4.1.2 of the FABLE paper).
const MIN_CLUSTER_PAGES: f32 = 2.0;

/// A live page that may be the alias of a dead one.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredCandidate {
    /// The live page.
    pub page: PageNumber,
    /// The probability that it is the alias, after the latest round.
    pub probability: f32,
    /// The probability from the pair alone.
    pub pair_probability: f32,
    /// The features of the pair.
    pub pair_features: PairFeatures,
    /// The move of each kind, in the order of [`MoveKind::ALL`].
    pub moves: [Option<Move>; MoveKind::ALL.len()],
    /// Number of predictable components in the coarse pattern.
    pub predictable: usize,
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
    /// Votes by origin, the part of a URL that a rule replaces.
    origins: HashMap<Key, VoteTotals>,
    /// Claims on each live page.
    claims: HashMap<PageNumber, Claims>,
    /// Claims on each live page by the dead pages of one folder.
    claims_in_folder: HashMap<(PageNumber, Key), Claims>,
    /// Votes of the dead pages of each folder.
    folders: HashMap<Key, VoteTotals>,
    /// Votes of all dead pages.
    site: VoteTotals,
    /// The rank of the best cluster of each directory.
    top_clusters: HashMap<Key, ClusterRank>,
    /// The cluster of each coarse pattern.
    clusters: HashMap<Key, MoveCluster>,
}

/// Dead pages that move by the same coarse pattern.
#[derive(Debug)]
struct MoveCluster {
    /// The directory of the old pages.
    origin: Key,
    /// Number of predictable components of the new URLs.
    predictable: usize,
}

/// The quality of a cluster. More predictable components count first, then more pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
struct ClusterRank {
    predictable: usize,
    dead_pages: f32,
}

impl ClusterRank {
    fn new(rules: &HashMap<Key, VoteTotals>, pattern: Key, predictable: usize) -> Self {
        let dead_pages = rules.get(&pattern).map_or(0.0, |totals| totals.dead_pages);
        Self { predictable, dead_pages }
    }
}

/// The votes for one rule, origin or folder.
#[derive(Debug, Clone, Copy, Default)]
struct VoteTotals {
    /// The votes of dead pages and known aliases.
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
    /// The votes of other dead pages and known aliases for the same rule.
    pub votes: f32,
    /// The share of `votes` in all votes on the same origin.
    pub share: f32,
    /// The ratio of `votes` to the dead pages that the rule could apply to.
    pub rate: f32,
    /// The number of known aliases that follow the rule.
    pub known_aliases: f32,
    /// The share of `known_aliases` in all known aliases with the same origin.
    pub known_share: f32,
    /// The number of other dead pages with a candidate that follows the rule. The candidate
    /// may have any probability.
    pub offers: f32,
}

/// The claims of other dead pages on a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OtherClaims {
    /// The highest probability that another dead page assigns to the candidate.
    pub best: f32,
    /// The sum of the probabilities that other dead pages assign to the candidate.
    pub sum: f32,
    /// The highest probability that another dead page of the same folder
    /// assigns to the candidate.
    pub same_folder: f32,
}

/// Other dead pages of a folder or of the site.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Siblings {
    /// The number of pages.
    pub count: f32,
    /// The mean probability of the best candidates of the pages.
    pub mean_probability: f32,
    /// The number of known aliases.
    pub known_aliases: f32,
}

impl Votes {
    /// Adds the votes of a dead page.
    pub fn add_dead_page(&mut self, old: &PageProfile, candidates: &[ScoredCandidate]) {
        let ballot = Ballot::new(candidates);
        for (rule, vote) in ballot.rules {
            let rule = self.rules.entry(rule).or_default();
            rule.votes += vote;
            rule.dead_pages += 1.0;
        }
        for (origin, vote) in ballot.origins {
            self.origins.entry(origin).or_default().votes += vote;
        }
        self.count_origins(old);
        self.add_claims(old, candidates);
        self.add_clusters(candidates);
        for totals in [self.folders.entry(folder_key(old)).or_default(), &mut self.site] {
            totals.votes += best_probability(candidates);
            totals.dead_pages += 1.0;
        }
    }

    /// Counts a page for every rule that could apply to it.
    fn count_origins(&mut self, old: &PageProfile) {
        for origin in MoveKind::ALL.iter().flat_map(|kind| kind.possible_origins(old)) {
            self.origins.entry(origin).or_default().dead_pages += 1.0;
        }
    }

    fn add_claims(&mut self, old: &PageProfile, candidates: &[ScoredCandidate]) {
        for candidate in candidates.iter().filter(|it| it.probability >= MIN_VOTE) {
            self.claims.entry(candidate.page).or_default().add(candidate.probability);
            let key = (candidate.page, folder_key(old));
            self.claims_in_folder.entry(key).or_default().add(candidate.probability);
        }
    }

    fn add_clusters(&mut self, candidates: &[ScoredCandidate]) {
        for candidate in candidates {
            if let Some(Move { from, rule }) = candidate.moves[MoveKind::Coarse as usize] {
                let cluster = MoveCluster { origin: from, predictable: candidate.predictable };
                self.clusters.insert(rule, cluster);
            }
        }
    }

    /// Adds a known alias.
    pub fn add_known_alias(
        &mut self,
        old: &PageProfile,
        page: Option<PageNumber>,
        new: &PageProfile,
    ) {
        for Move { from, rule } in MoveKind::ALL.iter().filter_map(|kind| kind.detect(old, new)) {
            let rule = self.rules.entry(rule).or_default();
            rule.known_aliases += 1.0;
            rule.votes += 1.0;
            rule.dead_pages += 1.0;
            let origin = self.origins.entry(from).or_default();
            origin.known_aliases += 1.0;
            origin.votes += 1.0;
        }
        self.count_origins(old);
        if let Some(page) = page {
            self.claims.entry(page).or_default().add(1.0);
            self.claims_in_folder.entry((page, folder_key(old))).or_default().add(1.0);
        }
        self.folders.entry(folder_key(old)).or_default().known_aliases += 1.0;
        self.site.known_aliases += 1.0;
    }

    /// Finds the best cluster of each directory. Called after all pages were
    /// added.
    pub fn rank_clusters(&mut self) {
        for (rule, cluster) in &self.clusters {
            let rank = ClusterRank::new(&self.rules, *rule, cluster.predictable);
            let best = self.top_clusters.entry(cluster.origin).or_default();
            if rank > *best {
                *best = rank;
            }
        }
    }

    /// Whether a candidate is in the best cluster of its directory.
    pub fn is_top_cluster(&self, candidate: &ScoredCandidate) -> bool {
        let Some(Move { from, rule }) = candidate.moves[MoveKind::Coarse as usize] else {
            return false;
        };
        let rank = ClusterRank::new(&self.rules, rule, candidate.predictable);
        let is_cluster = rank.predictable > 0 && rank.dead_pages >= MIN_CLUSTER_PAGES;
        is_cluster && self.top_clusters.get(&from) == Some(&rank)
    }

    /// Returns the support of others for a move, if there is one.
    ///
    /// `own_ballot` is the ballot of the page that makes the move; its votes are subtracted.
    pub fn support(&self, detected_move: Option<Move>, own_ballot: &Ballot) -> Support {
        let Some(Move { from, rule }) = detected_move else { return Support::default() };
        let own_votes = own_ballot.rules.get(&rule).copied();
        let own_origin_votes = own_ballot.origins.get(&from).copied().unwrap_or(0.0);
        let rules = self.rules.get(&rule).copied().unwrap_or_default();
        let origins = self.origins.get(&from).copied().unwrap_or_default();
        let votes = (rules.votes - own_votes.unwrap_or(0.0)).max(0.0);
        let own_page = if own_votes.is_some() { 1.0 } else { 0.0 };
        Support {
            votes,
            share: ratio(votes, (origins.votes - own_origin_votes).max(votes)),
            rate: ratio(votes, (origins.dead_pages - 1.0).max(votes)),
            known_aliases: rules.known_aliases,
            known_share: ratio(rules.known_aliases, origins.known_aliases),
            offers: (rules.dead_pages - own_page).max(0.0),
        }
    }

    /// Returns the claims of other dead pages on a candidate.
    pub fn other_claims(&self, old: &PageProfile, candidate: &ScoredCandidate) -> OtherClaims {
        let claims = self.claims.get(&candidate.page).copied().unwrap_or_default();
        let in_folder = self.claims_in_folder.get(&(candidate.page, folder_key(old)));
        let own_claim = if candidate.probability < MIN_VOTE { 0.0 } else { candidate.probability };
        OtherClaims {
            best: claims.best_other(own_claim),
            sum: (claims.sum - own_claim).max(0.0),
            same_folder: in_folder.copied().unwrap_or_default().best_other(own_claim),
        }
    }

    /// Returns statistics of the other dead pages of the folder of `old`.
    pub fn siblings(&self, old: &PageProfile, candidates: &[ScoredCandidate]) -> Siblings {
        let folder = self.folders.get(&folder_key(old)).copied().unwrap_or_default();
        folder.without(candidates)
    }

    /// Returns statistics of all other dead pages.
    pub fn site(&self, candidates: &[ScoredCandidate]) -> Siblings {
        self.site.without(candidates)
    }
}

impl VoteTotals {
    /// Returns statistics of all pages except the page with these candidates.
    fn without(self, candidates: &[ScoredCandidate]) -> Siblings {
        let count = (self.dead_pages - 1.0).max(0.0);
        let votes = (self.votes - best_probability(candidates)).max(0.0);
        Siblings { count, mean_probability: ratio(votes, count), known_aliases: self.known_aliases }
    }
}

/// The votes of one dead page.
#[derive(Debug, Default)]
pub struct Ballot {
    /// The vote for each rule that a candidate follows; 0 if no such candidate
    /// is probable.
    rules: BTreeMap<Key, f32>,
    /// The sum of the votes on each origin.
    origins: BTreeMap<Key, f32>,
}

impl Ballot {
    /// Returns the votes of a dead page. Each rule gets the vote of its best
    /// candidate.
    pub fn new(candidates: &[ScoredCandidate]) -> Self {
        let mut rules: BTreeMap<Key, (Key, f32)> = BTreeMap::new();
        let total: f32 = candidates.iter().map(|it| it.probability).sum::<f32>().max(1.0);
        for candidate in candidates {
            let is_vote = candidate.probability >= MIN_VOTE;
            let share = if is_vote { candidate.probability / total } else { 0.0 };
            for Move { from, rule } in candidate.moves.iter().flatten() {
                let (_, vote) = rules.entry(*rule).or_insert((*from, 0.0));
                *vote = vote.max(share);
            }
        }
        let mut origins: BTreeMap<Key, f32> = BTreeMap::new();
        for (from, vote) in rules.values() {
            *origins.entry(*from).or_default() += vote;
        }
        Self { rules: rules.into_iter().map(|(rule, (_, vote))| (rule, vote)).collect(), origins }
    }
}

/// Returns the highest probability of the candidates.
fn best_probability(candidates: &[ScoredCandidate]) -> f32 {
    candidates.iter().map(|candidate| candidate.probability).fold(0.0, f32::max)
}

/// Returns the key of the folder of a page.
fn folder_key(page: &PageProfile) -> Key {
    hash_keys(page.folder())
}

impl Claims {
    /// Adds a claim.
    fn add(&mut self, probability: f32) {
        self.second = self.second.max(probability.min(self.best));
        self.best = self.best.max(probability);
        self.sum += probability;
    }

    /// Returns the highest claim of another page. `own_claim` is the claim of the page itself.
    fn best_other(self, own_claim: f32) -> f32 {
        if own_claim > 0.0 && own_claim >= self.best { self.second } else { self.best }
    }
}

/// Returns the ratio of the votes for a move to the live pages of the new folder, at most 1.
pub fn coverage(votes: f32, pages: usize) -> f32 {
    ratio(votes, count(pages).max(1.0)).min(1.0)
}
