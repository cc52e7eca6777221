//! The study of one site: what its live pages, dead pages and known aliases
//! say together.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use std::collections::{BTreeSet, HashMap};

use super::candidates::candidates;
use super::collective::{DeadPageCandidates, Features};
use super::features::PairComparer;
use super::live_page_index::{LivePageIndex, PageNumber, Sums};
use super::page::{KnownAlias, PageInfo};
use super::pair_model::chance;
use super::profile::{Key, PageProfile};
use super::programs::Programs;
use super::vocabulary::Vocabulary;
use super::votes::{ScoredCandidate, Votes};

/// How many guesses are looked at more closely.
const GUESSES: usize = 8;

/// A site as studied. The order in which its pages came makes no difference.
#[derive(Debug)]
pub struct SiteMatcher {
    /// Its live pages.
    pub library: LivePageIndex,
    /// Its dead pages, each address once.
    pub questions: Vec<DeadPageCandidates>,
    /// For each live page of the library, its place in the list as given.
    places: Vec<usize>,
    /// For each dead page as given, its question.
    asked: Vec<usize>,
    votes: Votes,
}

impl SiteMatcher {
    /// Studies a site.
    pub fn new(dead: &[PageInfo], live: &[PageInfo], known: &[KnownAlias]) -> Self {
        let mut vocabulary = Vocabulary::default();
        let places = sorted(live);
        let pages = places.iter().map(|&place| read_live(&live[place], &mut vocabulary)).collect();
        let (olds, asked) = distinct(dead, &mut vocabulary);
        let moves: BTreeSet<(&str, &str)> = known.iter().map(|pair| (pair.old, pair.new)).collect();
        let moves: Vec<(PageProfile, PageProfile)> =
            moves.iter().map(|(old, new)| read_pair(old, new, &mut vocabulary)).collect();
        vocabulary.weigh(live.len());
        let library = LivePageIndex::new(pages, &vocabulary);
        let mut sums = Sums::default();
        let programs = Programs::learn(known);
        let ask = |(old, page): (PageProfile, usize)| {
            let named = programs.predict(&dead[page], &library);
            question((old, named), &library, &vocabulary, &mut sums)
        };
        let mut questions: Vec<DeadPageCandidates> = olds.into_iter().map(ask).collect();
        let first_votes = count(&questions, &moves, &library);
        for question in &mut questions {
            question.reconsider(&library, &first_votes);
        }
        let votes = count(&questions, &moves, &library);
        Self { library, questions, places, asked, votes }
    }

    /// The question that a dead page, by its place in the list, became.
    pub fn question(&self, dead: usize) -> &DeadPageCandidates {
        &self.questions[self.asked[dead]]
    }

    /// The place in the list, as given, of a live page.
    pub fn place(&self, page: PageNumber) -> usize {
        self.places[page as usize]
    }

    /// All features of every guess of a question.
    pub fn features(&self, question: &DeadPageCandidates) -> Vec<Features> {
        question.features(&self.library, &self.votes)
    }
}

/// The places of the pages in the order of their addresses, each address once.
fn sorted(pages: &[PageInfo]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..pages.len()).collect();
    places.sort_by_key(|&place| (pages[place].url, pages[place].title));
    places.dedup_by_key(|place| pages[*place].url);
    places
}

/// Reads a live page and counts its terms.
fn read_live(page: &PageInfo, vocabulary: &mut Vocabulary) -> PageProfile {
    let profile = PageProfile::new(page.url, page.title, vocabulary);
    vocabulary.count(&profile.all);
    profile
}

/// Reads a known pair.
fn read_pair(old: &str, new: &str, vocabulary: &mut Vocabulary) -> (PageProfile, PageProfile) {
    (PageProfile::new(old, None, vocabulary), PageProfile::new(new, None, vocabulary))
}

/// The dead pages, those whose addresses differ in case, separators or file
/// ending only taken as one; and for each page as given, which it is.
///
/// Were they kept apart, a page written in two ways would be its own witness
/// and its own rival.
fn distinct(
    dead: &[PageInfo],
    vocabulary: &mut Vocabulary,
) -> (Vec<(PageProfile, usize)>, Vec<usize>) {
    let mut places: Vec<usize> = (0..dead.len()).collect();
    places.sort_by_key(|&place| (dead[place].title.is_none(), dead[place].url, dead[place].title));
    let mut profiles: Vec<(PageProfile, usize)> = Vec::new();
    let mut numbers: HashMap<Vec<Key>, usize> = HashMap::new();
    let mut asked = vec![0; dead.len()];
    for place in places {
        let profile = PageProfile::new(dead[place].url, dead[place].title, vocabulary);
        let number = *numbers.entry(profile.components.clone()).or_insert(profiles.len());
        if number == profiles.len() {
            profiles.push((profile, place));
        }
        asked[place] = number;
    }
    (profiles, asked)
}

/// The guesses for one dead page, best first.
fn question(
    (old, named): (PageProfile, Vec<(PageNumber, f32)>),
    library: &LivePageIndex,
    vocabulary: &Vocabulary,
    sums: &mut Sums,
) -> DeadPageCandidates {
    let comparison = PairComparer { vocabulary, library };
    let mut pages = candidates(&old, library, vocabulary, sums);
    pages.extend(named.iter().map(|(page, _)| *page));
    pages.sort_unstable();
    pages.dedup();
    let mut scored: Vec<_> = pages
        .into_iter()
        .map(|page| {
            let pair = comparison.features(&old, &library.pages[page as usize]);
            let chance = chance(&pair);
            (ScoredCandidate { page, probability: chance, first: chance }, pair)
        })
        .collect();
    scored.sort_by(|a, b| a.0.order(&b.0));
    scored.truncate(GUESSES);
    let (guesses, pairs) = scored.into_iter().unzip();
    DeadPageCandidates { old, candidates: guesses, pairs, named }
}

/// Counts all votes.
fn count(
    questions: &[DeadPageCandidates],
    moves: &[(PageProfile, PageProfile)],
    library: &LivePageIndex,
) -> Votes {
    let mut votes = Votes::default();
    for question in questions {
        votes.add(&question.old, &question.candidates, &library.pages);
    }
    for (old, new) in moves {
        votes.add_known(old, library.at(new), new);
    }
    votes
}
