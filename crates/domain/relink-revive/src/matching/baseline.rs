//! Baselines for the evaluation: simple rules and the methods of the papers.
//!
//! A baseline returns for each dead page a live page or nothing, without a confidence.
//! Baselines treat dead pages one by one. The exception is [`Baseline::TopCluster`], FABLE's
//! rule for matching without fetching live pages (§4.1.2). It matches all dead pages of a
//! directory together.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use std::collections::{BTreeMap, HashMap};

use url::Url;

use super::live_page_index::{Field, LivePageIndex, PageNumber, ScoreBuffer};
use super::page::PageInfo;
use super::profile::PageProfile;
use super::vocabulary::{Term, Vocabulary};
use super::words;
use crate::pattern::{TokenRule, best_cluster};
use crate::{Directory, OldPage};

/// Minimum cosine similarity at which two titles or texts count as equal: FABLE's
/// threshold for similar content or title (`SimilarCT`, §5.1).
const SAME_TERMS: f32 = 0.8;

/// Number of search results, as in the paper.
const MAX_RESULTS: usize = 10;

/// A baseline method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// The only live page with the same last component.
    SameSlug,
    /// The only live page whose title has the same terms.
    Title,
    /// The top cluster of coarse patterns of the directory.
    TopCluster,
    /// The page that at least two of the three methods above return.
    TwoOfThree,
    /// The only live page with the same words in the text, or else in the title.
    ContentHash,
    /// The only live page whose text, or else title, has the same terms.
    SimilarText,
}

impl Baseline {
    /// Returns for each dead page the position of the live page that matches.
    pub fn find_aliases(self, dead: &[PageInfo], live: &[PageInfo]) -> Vec<Option<usize>> {
        let lists = PageLists::new(dead, live);
        match self {
            Self::SameSlug => lists.same_slug(),
            Self::Title => lists.title(),
            Self::TopCluster => lists.top_cluster(),
            Self::TwoOfThree => {
                let (slug, title, cluster) =
                    (lists.same_slug(), lists.title(), lists.top_cluster());
                (0..dead.len()).map(|at| majority([slug[at], title[at], cluster[at]])).collect()
            }
            Self::ContentHash => content_hash(dead, live),
            Self::SimilarText => {
                let (text, title) = (similar_text(dead, live), lists.title());
                text.into_iter().zip(title).map(|(text, title)| text.or(title)).collect()
            }
        }
    }
}

/// Dead and live pages with their profiles.
struct PageLists<'a> {
    dead: &'a [PageInfo<'a>],
    live: &'a [PageInfo<'a>],
    old_profiles: Vec<PageProfile>,
    live_pages: LivePageIndex,
    vocabulary: Vocabulary,
}

impl<'a> PageLists<'a> {
    fn new(dead: &'a [PageInfo<'a>], live: &'a [PageInfo<'a>]) -> Self {
        let mut vocabulary = Vocabulary::default();
        let mut profile = |page: &PageInfo| PageProfile::new(page.url, page.title, &mut vocabulary);
        let pages: Vec<PageProfile> = live.iter().map(&mut profile).collect();
        let old_profiles = dead.iter().map(&mut profile).collect();
        for page in &pages {
            vocabulary.count_page(&page.path_and_title);
        }
        vocabulary.compute_weights(live.len());
        let live_pages = LivePageIndex::new(pages, &vocabulary);
        Self { dead, live, old_profiles, live_pages, vocabulary }
    }

    fn same_slug(&self) -> Vec<Option<usize>> {
        let find = |old: &PageProfile| only_page(self.live_pages.with_slug(old.slug_key));
        self.old_profiles.iter().map(find).collect()
    }

    fn title(&self) -> Vec<Option<usize>> {
        let mut scores = ScoreBuffer::default();
        let find = |old: &PageProfile| {
            let title = old.title.as_deref()?;
            let near = self.live_pages.nearest(
                Field::SlugAndTitle,
                title,
                MAX_RESULTS,
                &self.vocabulary,
                &mut scores,
            );
            let is_same = |page: &PageNumber| {
                let other = self.live_pages.pages[*page as usize].title.as_deref();
                other.is_some_and(|other| cosine(title, other, &self.vocabulary) >= SAME_TERMS)
            };
            let same: Vec<PageNumber> = near.into_iter().filter(is_same).collect();
            only_page(&same)
        };
        self.old_profiles.iter().map(find).collect()
    }

    fn top_cluster(&self) -> Vec<Option<usize>> {
        let mut folders: BTreeMap<Directory, Vec<usize>> = BTreeMap::new();
        for (at, page) in self.dead.iter().enumerate() {
            if let Ok(url) = Url::parse(page.url) {
                folders.entry(Directory::from_url(&url)).or_default().push(at);
            }
        }
        let mut aliases = vec![None; self.dead.len()];
        let mut scores = ScoreBuffer::default();
        for members in folders.values() {
            self.match_directory(members, &mut scores, &mut aliases);
        }
        aliases
    }

    /// Matches the dead pages of one directory by its best cluster. `members` are the
    /// positions of the dead pages.
    fn match_directory(
        &self,
        members: &[usize],
        scores: &mut ScoreBuffer,
        aliases: &mut [Option<usize>],
    ) {
        let mut pages = Vec::new();
        let mut results: Vec<Vec<(PageNumber, Url)>> = Vec::new();
        for &at in members {
            let Ok(url) = Url::parse(self.dead[at].url) else { continue };
            pages.push(OldPage {
                title: self.dead[at].title.map(str::to_owned),
                ..OldPage::new(url)
            });
            results.push(self.search(&self.old_profiles[at], scores));
        }
        let urls: Vec<Vec<Url>> =
            results.iter().map(|list| list.iter().map(|(_, url)| url.clone()).collect()).collect();
        let Ok(top) = best_cluster(&pages, &urls, TokenRule::OneSource) else { return };
        for (page, candidate) in top.aliases() {
            aliases[members[page]] = Some(results[page][candidate].0 as usize);
        }
    }

    /// Simulates a search of the site by title and URL.
    fn search(&self, old: &PageProfile, scores: &mut ScoreBuffer) -> Vec<(PageNumber, Url)> {
        let near = self.live_pages.nearest(
            Field::SlugAndTitle,
            &old.slug_and_title,
            MAX_RESULTS,
            &self.vocabulary,
            scores,
        );
        let parsed =
            |page: PageNumber| Some((page, Url::parse(self.live[page as usize].url).ok()?));
        near.into_iter().filter_map(parsed).collect()
    }
}

/// Returns the page of a list with one element.
fn only_page(pages: &[PageNumber]) -> Option<usize> {
    match pages {
        [page] => Some(*page as usize),
        _ => None,
    }
}

/// Returns the page that at least two of three methods returned.
fn majority([one, two, three]: [Option<usize>; 3]) -> Option<usize> {
    if one.is_some() && (one == two || one == three) {
        return one;
    }
    if two == three { two } else { None }
}

/// Returns the cosine similarity of two sets of terms.
fn cosine(one: &[Term], other: &[Term], vocabulary: &Vocabulary) -> f32 {
    let squared_length =
        |terms: &[Term]| terms.iter().map(|&term| vocabulary.weight(term).powi(2)).sum::<f32>();
    let shared: Vec<Term> =
        one.iter().copied().filter(|term| other.binary_search(term).is_ok()).collect();
    let lengths = (squared_length(one) * squared_length(other)).sqrt();
    super::features::ratio(squared_length(&shared), lengths)
}

/// Returns for each dead page the only live page with the same words: in the
/// text, or in the title if no text is known.
fn content_hash(dead: &[PageInfo], live: &[PageInfo]) -> Vec<Option<usize>> {
    let has_texts = live.iter().any(|page| page.text.is_some());
    // A text is compared only with texts, and a title only with titles.
    let key = |page: &PageInfo| {
        let text = page.text.filter(|_| has_texts);
        let words = words::words(text.or(page.title)?).join(" ");
        Some((text.is_some(), words)).filter(|(_, words)| !words.is_empty())
    };
    let mut pages: HashMap<(bool, String), Vec<PageNumber>> = HashMap::new();
    for (number, page) in (0..).zip(live) {
        if let Some(key) = key(page) {
            pages.entry(key).or_default().push(number);
        }
    }
    let find = |page: &PageInfo| only_page(pages.get(&key(page)?)?);
    dead.iter().map(find).collect()
}

/// Returns for each dead page the only live page whose text has the same terms.
fn similar_text(dead: &[PageInfo], live: &[PageInfo]) -> Vec<Option<usize>> {
    let mut vocabulary = Vocabulary::default();
    let mut text_terms =
        |page: &PageInfo| page.text.map(|text| vocabulary.terms(text)).unwrap_or_default();
    let live_texts: Vec<Vec<Term>> = live.iter().map(&mut text_terms).collect();
    let dead_texts: Vec<Vec<Term>> = dead.iter().map(&mut text_terms).collect();
    for terms in &live_texts {
        vocabulary.count_page(terms);
    }
    vocabulary.compute_weights(live.len());
    let same_as = |old: &[Term]| -> Vec<PageNumber> {
        let is_same = |terms: &[Term]| cosine(old, terms, &vocabulary) >= SAME_TERMS;
        (0..).zip(&live_texts).filter(|(_, terms)| is_same(terms)).map(|(page, _)| page).collect()
    };
    dead_texts
        .iter()
        .map(|old| if old.is_empty() { None } else { only_page(&same_as(old)) })
        .collect()
}
