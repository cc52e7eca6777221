//! Matches all dead pages of one site with its live pages.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use std::collections::{BTreeSet, HashMap};

use super::candidates::candidates;
use super::context_features::{DeadPageCandidates, Features};
use super::features::PairComparer;
use super::live_page_index::{LivePageIndex, PageNumber, ScoreBuffer};
use super::page::{KnownAlias, PageInfo};
use super::pair_model::pair_probability;
use super::profile::{Key, PageProfile};
use super::programs::Programs;
use super::vocabulary::Vocabulary;
use super::votes::{ScoredCandidate, Votes};

/// Maximum number of candidates for each dead page.
const MAX_CANDIDATES: usize = 8;

/// The live and dead pages of a site, with scored candidates. The order of the
/// input lists does not affect the result.
#[derive(Debug)]
pub struct SiteMatcher {
    /// The live pages.
    pub live_pages: LivePageIndex,
    /// The distinct dead pages.
    pub dead_pages: Vec<DeadPageCandidates>,
    /// For each live page of the index, its position in the input list.
    live_positions: Vec<usize>,
    /// For each dead page of the input list, its index in `dead_pages`.
    dead_page_indices: Vec<usize>,
    votes: Votes,
}

impl SiteMatcher {
    /// Scores the candidates of all dead pages.
    pub fn new(dead: &[PageInfo], live: &[PageInfo], known: &[KnownAlias]) -> Self {
        let mut vocabulary = Vocabulary::default();
        let live_positions = sorted_positions(live);
        let profiles = live_positions
            .iter()
            .map(|&position| profile_live_page(&live[position], &mut vocabulary))
            .collect();
        let (old_profiles, dead_page_indices) = distinct_dead_pages(dead, &mut vocabulary);
        let moves: BTreeSet<(&str, &str)> = known.iter().map(|pair| (pair.old, pair.new)).collect();
        let moves: Vec<(PageProfile, PageProfile)> =
            moves.iter().map(|(old, new)| profile_pair(old, new, &mut vocabulary)).collect();
        vocabulary.compute_weights(live.len());
        let live_pages = LivePageIndex::new(profiles, &vocabulary);
        let mut buffer = ScoreBuffer::default();
        let programs = Programs::learn(known);
        let score = |(old, position): (PageProfile, usize)| {
            let predictions = programs.predict(&dead[position], &live_pages);
            score_candidates((old, predictions), &live_pages, &vocabulary, &mut buffer)
        };
        let mut dead_pages: Vec<DeadPageCandidates> = old_profiles.into_iter().map(score).collect();
        let first_votes = count_votes(&dead_pages, &moves, &live_pages);
        for dead_page in &mut dead_pages {
            dead_page.rescore(&live_pages, &first_votes);
        }
        let votes = count_votes(&dead_pages, &moves, &live_pages);
        Self { live_pages, dead_pages, live_positions, dead_page_indices, votes }
    }

    /// Returns the candidates of the dead page at a position of the input list.
    pub fn dead_page(&self, dead: usize) -> &DeadPageCandidates {
        &self.dead_pages[self.dead_page_indices[dead]]
    }

    /// Returns the position of a live page in the input list.
    pub fn live_position(&self, page: PageNumber) -> usize {
        self.live_positions[page as usize]
    }

    /// Returns all features of every candidate of a dead page.
    pub fn features(&self, dead_page: &DeadPageCandidates) -> Vec<Features> {
        dead_page.features(&self.live_pages, &self.votes)
    }
}

/// Returns the positions of pages with distinct URLs, sorted by URL.
fn sorted_positions(pages: &[PageInfo]) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..pages.len()).collect();
    positions.sort_by_key(|&position| (pages[position].url, pages[position].title));
    positions.dedup_by_key(|position| pages[*position].url);
    positions
}

/// Profiles a live page and counts its terms.
fn profile_live_page(page: &PageInfo, vocabulary: &mut Vocabulary) -> PageProfile {
    let profile = PageProfile::new(page.url, page.title, vocabulary);
    vocabulary.count_page(&profile.path_and_title);
    profile
}

/// Profiles the pages of a known alias.
fn profile_pair(old: &str, new: &str, vocabulary: &mut Vocabulary) -> (PageProfile, PageProfile) {
    (PageProfile::new(old, None, vocabulary), PageProfile::new(new, None, vocabulary))
}

/// Returns the profiles of distinct dead pages with their positions, and for
/// each page of the input list the index of its profile.
///
/// URLs that differ only in case, separators or file extension count as one
/// page. Otherwise the spellings of one page would vote for each other and
/// compete for the same candidates.
fn distinct_dead_pages(
    dead: &[PageInfo],
    vocabulary: &mut Vocabulary,
) -> (Vec<(PageProfile, usize)>, Vec<usize>) {
    let mut positions: Vec<usize> = (0..dead.len()).collect();
    positions.sort_by_key(|&position| {
        (dead[position].title.is_none(), dead[position].url, dead[position].title)
    });
    let mut profiles: Vec<(PageProfile, usize)> = Vec::new();
    let mut indices_by_url: HashMap<Vec<Key>, usize> = HashMap::new();
    let mut indices = vec![0; dead.len()];
    for position in positions {
        let profile = PageProfile::new(dead[position].url, dead[position].title, vocabulary);
        let number = *indices_by_url.entry(profile.components.clone()).or_insert(profiles.len());
        if number == profiles.len() {
            profiles.push((profile, position));
        }
        indices[position] = number;
    }
    (profiles, indices)
}

/// Returns the candidates for one dead page, best first.
fn score_candidates(
    (old, predictions): (PageProfile, Vec<(PageNumber, f32)>),
    live_pages: &LivePageIndex,
    vocabulary: &Vocabulary,
    buffer: &mut ScoreBuffer,
) -> DeadPageCandidates {
    let comparer = PairComparer { vocabulary, live_pages };
    let mut pages = candidates(&old, live_pages, vocabulary, buffer);
    pages.extend(predictions.iter().map(|(page, _)| *page));
    pages.sort_unstable();
    pages.dedup();
    let mut scored: Vec<_> = pages
        .into_iter()
        .map(|page| {
            let features = comparer.features(&old, &live_pages.pages[page as usize]);
            let probability = pair_probability(&features);
            (ScoredCandidate { page, probability, pair_probability: probability }, features)
        })
        .collect();
    scored.sort_by(|a, b| a.0.cmp_by_probability(&b.0));
    scored.truncate(MAX_CANDIDATES);
    let (candidates, pair_features) = scored.into_iter().unzip();
    DeadPageCandidates { old, candidates, pair_features, program_predictions: predictions }
}

/// Counts the votes of all dead pages and known aliases.
fn count_votes(
    dead_pages: &[DeadPageCandidates],
    moves: &[(PageProfile, PageProfile)],
    live_pages: &LivePageIndex,
) -> Votes {
    let mut votes = Votes::default();
    for dead_page in dead_pages {
        votes.add_dead_page(&dead_page.old, &dead_page.candidates, &live_pages.pages);
    }
    for (old, new) in moves {
        votes.add_known_alias(old, live_pages.find(new), new);
    }
    votes
}
