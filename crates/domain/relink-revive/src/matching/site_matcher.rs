//! Matches all dead pages of one site with its live pages.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use std::collections::{BTreeSet, HashMap};

use super::candidates::candidates;
use super::context_features::{DeadPageCandidates, Features};
use super::features::{PairComparer, PairFeatures};
use super::live_page_index::{LivePageIndex, PageNumber, ScoreBuffer};
use super::model::AliasModel;
use super::page::{KnownAlias, PageInfo};
use super::profile::{Key, PageProfile};
use super::programs::Programs;
use super::trees::BoostedTrees;
use super::vocabulary::Vocabulary;
use super::votes::{ScoredCandidate, Votes};

/// Maximum number of candidates for each dead page.
const MAX_CANDIDATES: usize = 10;

/// The rounds of scoring after which the matcher stops. Fewer rounds than [`Rounds::All`] are
/// used only to fit the model of the next round.
///
/// The candidates of a dead page vote for the ways in which the pages of the site have moved, such
/// as from one folder to another. Each round uses the votes of the round before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rounds {
    /// No model is applied, and all candidates are kept.
    None,
    /// Only the pair model is applied, which selects the candidates.
    Pair,
    /// The first model with votes is applied: it uses those of the pair model.
    First,
    /// The second model with votes is applied as well: it uses those of the first one.
    All,
}

/// The live and dead pages of a site, with scored candidates. The order of the
/// input lists does not affect the result.
#[derive(Debug)]
pub struct SiteMatcher<'m> {
    /// The live pages.
    pub live_pages: LivePageIndex,
    /// The distinct dead pages.
    pub dead_pages: Vec<DeadPageCandidates>,
    /// For each live page of the index, its position in the input list.
    live_positions: Vec<usize>,
    /// For each dead page of the input list, its index in `dead_pages`.
    dead_page_indices: Vec<usize>,
    votes: Votes,
    /// The model.
    pub model: &'m AliasModel,
}

impl<'m> SiteMatcher<'m> {
    /// Scores the candidates of all dead pages with the shipped model.
    pub fn new(dead: &[PageInfo], live: &[PageInfo], known: &[KnownAlias]) -> Self {
        Self::with_model(dead, live, known, AliasModel::shipped(), Rounds::All)
    }

    /// Scores the candidates of all dead pages with a model. Fewer rounds are
    /// used to fit the models of the rounds after them.
    pub fn with_model(
        dead: &[PageInfo],
        live: &[PageInfo],
        known: &[KnownAlias],
        model: &'m AliasModel,
        rounds: Rounds,
    ) -> Self {
        let mut vocabulary = Vocabulary::default();
        let live_positions = sorted_positions(live);
        let profiles = live_positions
            .iter()
            .map(|&position| profile_live_page(&live[position], &mut vocabulary))
            .collect();
        let (old_profiles, dead_page_indices) = distinct_dead_pages(dead, &mut vocabulary);
        let moves = known_moves(known, live, &mut vocabulary);
        vocabulary.compute_weights(live.len());
        let live_pages = LivePageIndex::new(profiles, &vocabulary);
        let mut buffer = ScoreBuffer::default();
        let programs = Programs::learn(known);
        let score = |(old, position): (PageProfile, usize)| {
            let predictions = programs.predict(&dead[position], &live_pages);
            let comparer = PairComparer { vocabulary: &vocabulary, live_pages: &live_pages };
            let pair_model = (rounds >= Rounds::Pair).then_some(&model.pair);
            score_candidates((old, predictions), &comparer, pair_model, &mut buffer)
        };
        let dead_pages: Vec<DeadPageCandidates> = old_profiles.into_iter().map(score).collect();
        let votes = count_votes(&dead_pages, &moves, &live_pages);
        let mut matcher =
            Self { live_pages, dead_pages, live_positions, dead_page_indices, votes, model };
        if rounds >= Rounds::First {
            matcher.rescore(&model.first, &moves);
        }
        if rounds >= Rounds::All {
            matcher.rescore(&model.second, &moves);
        }
        matcher
    }

    /// Scores all candidates again and counts the votes again.
    fn rescore(&mut self, trees: &BoostedTrees, moves: &[(PageProfile, PageProfile)]) {
        for dead_page in &mut self.dead_pages {
            dead_page.rescore(trees, &self.live_pages, &self.votes);
        }
        self.votes = count_votes(&self.dead_pages, moves, &self.live_pages);
    }

    /// Returns the candidates of the dead page at a position of the input list.
    pub fn dead_page(&self, dead: usize) -> &DeadPageCandidates {
        &self.dead_pages[self.dead_page_indices[dead]]
    }

    /// Returns the position of a live page in the input list.
    pub fn live_position(&self, page: PageNumber) -> usize {
        self.live_positions[page as usize]
    }

    /// Returns the candidates of the dead page at the position `dead` of the input list: their
    /// positions in the list of live pages, and their features. Used to fit models.
    pub fn candidate_features(&self, dead: usize) -> Vec<(usize, Vec<f32>)> {
        let dead_page = self.dead_page(dead);
        let rows = dead_page.candidates.iter().zip(self.features(dead_page));
        rows.map(|(it, features)| (self.live_position(it.page), features.values.to_vec())).collect()
    }

    /// Returns all features of every candidate of a dead page.
    pub fn features(&self, dead_page: &DeadPageCandidates) -> Vec<Features> {
        dead_page.features(&self.live_pages, &self.votes)
    }
}

/// Returns the positions of pages with distinct URLs, sorted by URL. Of the pages with one
/// URL, a page with a title is kept.
fn sorted_positions(pages: &[PageInfo]) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..pages.len()).collect();
    positions.sort_by_key(|&position| {
        let PageInfo { url, title, .. } = pages[position];
        (url, title.is_none(), title)
    });
    positions.dedup_by_key(|position| pages[*position].url);
    positions
}

/// Profiles a live page and counts its terms.
fn profile_live_page(page: &PageInfo, vocabulary: &mut Vocabulary) -> PageProfile {
    let profile = PageProfile::new(page.url, page.title, vocabulary);
    vocabulary.count_page(&profile.path_and_title);
    profile
}

/// Profiles the old and the new page of each known alias. The title of the old page is not
/// known. If the new page is in `live`, its title is used for both.
fn known_moves(
    known: &[KnownAlias],
    live: &[PageInfo],
    vocabulary: &mut Vocabulary,
) -> Vec<(PageProfile, PageProfile)> {
    if known.is_empty() {
        return Vec::new();
    }
    let titles: HashMap<&str, &str> =
        live.iter().filter_map(|page| Some((page.url, page.title?))).collect();
    let pairs: BTreeSet<(&str, &str)> = known.iter().map(|pair| (pair.old, pair.new)).collect();
    let mut profile = |(old, new): (&str, &str)| {
        let title = titles.get(new).copied();
        let old = PageProfile::new(old, title, vocabulary);
        (old, PageProfile::new(new, title, vocabulary))
    };
    pairs.into_iter().map(&mut profile).collect()
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
    // The first page of several spellings is kept: one with a title.
    positions.sort_by_key(|&position| {
        (dead[position].title.is_none(), dead[position].url, dead[position].title)
    });
    let mut profiles: Vec<(PageProfile, usize)> = Vec::new();
    let mut indices_by_components: HashMap<Vec<Key>, usize> = HashMap::new();
    let mut indices = vec![0; dead.len()];
    for position in positions {
        let profile = PageProfile::new(dead[position].url, dead[position].title, vocabulary);
        let entry = indices_by_components.entry(profile.components.clone());
        let index = *entry.or_insert(profiles.len());
        let is_new = index == profiles.len();
        if is_new {
            profiles.push((profile, position));
        }
        indices[position] = index;
    }
    (profiles, indices)
}

/// Returns the candidates for one dead page, best first. `predictions` are the live pages
/// that URL programs predict for it. Without a model, all candidates are returned with
/// probability 0.
fn score_candidates(
    (old, predictions): (PageProfile, Vec<(PageNumber, f32)>),
    comparer: &PairComparer<'_>,
    pair_model: Option<&BoostedTrees>,
    buffer: &mut ScoreBuffer,
) -> DeadPageCandidates {
    let mut pages = candidates(&old, comparer.live_pages, comparer.vocabulary, buffer);
    pages.extend(predictions.iter().map(|(page, _)| *page));
    pages.sort_unstable();
    pages.dedup();
    let mut scored: Vec<(f32, PageNumber, PairFeatures)> = pages
        .into_iter()
        .map(|page| {
            let features = comparer.features(&old, &comparer.live_pages.pages[page as usize]);
            (pair_model.map_or(0.0, |trees| trees.probability(&features)), page, features)
        })
        .collect();
    // Sort by descending probability, then by page number.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    if pair_model.is_some() {
        scored.truncate(MAX_CANDIDATES);
    }
    let candidate = |(probability, page, features): (f32, PageNumber, PairFeatures)| {
        let new = &comparer.live_pages.pages[page as usize];
        ScoredCandidate::new(page, &old, new, features, probability)
    };
    let candidates = scored.into_iter().map(candidate).collect();
    DeadPageCandidates { old, candidates, program_predictions: predictions }
}

/// Counts the votes of all dead pages and known aliases.
fn count_votes(
    dead_pages: &[DeadPageCandidates],
    moves: &[(PageProfile, PageProfile)],
    live_pages: &LivePageIndex,
) -> Votes {
    let mut votes = Votes::default();
    for dead_page in dead_pages {
        votes.add_dead_page(&dead_page.old, &dead_page.candidates);
    }
    for (old, new) in moves {
        votes.add_known_alias(old, live_pages.find(new), new);
    }
    votes.rank_clusters();
    votes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_positions_keep_the_page_with_a_title() {
        let page = |url, title| PageInfo { url, title, text: None };
        let pages = [page("b", None), page("a", None), page("a", Some("A"))];
        assert_eq!(sorted_positions(&pages), [2, 0]);
    }
}
