//! The methods the answer is measured against: two simple rules and those of
//! the papers, on the same lists.
//!
//! Each answers with a live page or not at all, and knows no degrees of
//! confidence. None looks at more than one dead page at a time but
//! [`Baseline::TopCluster`], which is FABLE's rule for matching without a look
//! at the live pages (§4.1.2), with our reading of what follows from what.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use std::collections::{BTreeMap, HashMap};

use url::Url;

use super::live_page_index::{Field, LivePageIndex, PageNumber, Sums};
use super::page::PageInfo;
use super::profile::PageProfile;
use super::vocabulary::{Term, Vocabulary};
use super::words;
use crate::pattern::{TokenRule, best};
use crate::{Directory, OldPage};

/// From this likeness of terms on, two titles or texts are the same: the line
/// that FABLE draws for `SimilarCT` (§5.1).
const SAME_TERMS: f32 = 0.8;

/// How many results a search gives, as the paper takes them.
const RESULTS: usize = 10;

/// A simple method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// The only live page with the same last component.
    SameSlug,
    /// The only live page whose title has the same terms.
    Title,
    /// The top cluster of coarse patterns of the directory.
    TopCluster,
    /// The page that at least two of the above agree on.
    TwoOfThree,
    /// The only live page with the very same text.
    ContentHash,
    /// The only live page whose text or title has the same terms.
    SimilarText,
}

impl Baseline {
    /// For each dead page the place of the live page that the method names.
    pub fn answers(self, dead: &[PageInfo], live: &[PageInfo]) -> Vec<Option<usize>> {
        let lists = Lists::new(dead, live);
        match self {
            Self::SameSlug => lists.same_slug(),
            Self::Title => lists.title(),
            Self::TopCluster => lists.top_cluster(),
            Self::TwoOfThree => {
                let (one, two, three) = (lists.same_slug(), lists.title(), lists.top_cluster());
                (0..dead.len()).map(|at| majority([one[at], two[at], three[at]])).collect()
            }
            Self::ContentHash => content_hash(dead, live),
            Self::SimilarText => {
                let (text, title) = (similar_text(dead, live), lists.title());
                text.into_iter().zip(title).map(|(text, title)| text.or(title)).collect()
            }
        }
    }
}

/// The lists in terms.
struct Lists<'a> {
    dead: &'a [PageInfo<'a>],
    live: &'a [PageInfo<'a>],
    olds: Vec<PageProfile>,
    library: LivePageIndex,
    vocabulary: Vocabulary,
}

impl<'a> Lists<'a> {
    fn new(dead: &'a [PageInfo<'a>], live: &'a [PageInfo<'a>]) -> Self {
        let mut vocabulary = Vocabulary::default();
        let mut read = |page: &PageInfo| PageProfile::new(page.url, page.title, &mut vocabulary);
        let pages: Vec<PageProfile> = live.iter().map(&mut read).collect();
        let olds = dead.iter().map(&mut read).collect();
        for page in &pages {
            vocabulary.count(&page.all);
        }
        vocabulary.weigh(live.len());
        let library = LivePageIndex::new(pages, &vocabulary);
        Self { dead, live, olds, library, vocabulary }
    }

    fn same_slug(&self) -> Vec<Option<usize>> {
        let named = |old: &PageProfile| only(self.library.with_slug(old.slug_key));
        self.olds.iter().map(named).collect()
    }

    fn title(&self) -> Vec<Option<usize>> {
        let mut sums = Sums::default();
        let titled = |old: &PageProfile| {
            let title = old.title.as_deref()?;
            let near =
                self.library.nearest(Field::Name, title, RESULTS, &self.vocabulary, &mut sums);
            let is_same = |page: &PageNumber| {
                let other = self.library.pages[*page as usize].title.as_deref();
                other.is_some_and(|other| cosine(title, other, &self.vocabulary) >= SAME_TERMS)
            };
            let same: Vec<PageNumber> = near.into_iter().filter(is_same).collect();
            only(&same)
        };
        self.olds.iter().map(titled).collect()
    }

    fn top_cluster(&self) -> Vec<Option<usize>> {
        let mut folders: BTreeMap<Directory, Vec<usize>> = BTreeMap::new();
        for (at, page) in self.dead.iter().enumerate() {
            if let Ok(url) = Url::parse(page.url) {
                folders.entry(Directory::of(&url)).or_default().push(at);
            }
        }
        let mut answers = vec![None; self.dead.len()];
        let mut sums = Sums::default();
        for members in folders.values() {
            self.cluster(members, &mut sums, &mut answers);
        }
        answers
    }

    /// Answers the dead pages of one directory by its top cluster.
    fn cluster(&self, members: &[usize], sums: &mut Sums, answers: &mut [Option<usize>]) {
        let mut pages = Vec::new();
        let mut results: Vec<Vec<(PageNumber, Url)>> = Vec::new();
        for &at in members {
            let Ok(url) = Url::parse(self.dead[at].url) else { continue };
            pages.push(OldPage {
                title: self.dead[at].title.map(str::to_owned),
                ..OldPage::new(url)
            });
            results.push(self.search(&self.olds[at], sums));
        }
        let urls: Vec<Vec<Url>> =
            results.iter().map(|list| list.iter().map(|(_, url)| url.clone()).collect()).collect();
        let Ok(top) = best(&pages, &urls, TokenRule::PerSource) else { return };
        for (page, candidate) in top.aliases() {
            answers[members[page]] = Some(results[page][candidate].0 as usize);
        }
    }

    /// What a search of the site by title and address would find.
    fn search(&self, old: &PageProfile, sums: &mut Sums) -> Vec<(PageNumber, Url)> {
        let near = self.library.nearest(Field::Name, &old.name, RESULTS, &self.vocabulary, sums);
        let parsed =
            |page: PageNumber| Some((page, Url::parse(self.live[page as usize].url).ok()?));
        near.into_iter().filter_map(parsed).collect()
    }
}

/// The only page of a list.
fn only(pages: &[PageNumber]) -> Option<usize> {
    match pages {
        [page] => Some(*page as usize),
        _ => None,
    }
}

/// What at least two of three say.
fn majority([one, two, three]: [Option<usize>; 3]) -> Option<usize> {
    if one.is_some() && (one == two || one == three) {
        return one;
    }
    if two == three { two } else { None }
}

/// The cosine of two sets of terms.
fn cosine(one: &[Term], other: &[Term], vocabulary: &Vocabulary) -> f32 {
    let square =
        |terms: &[Term]| terms.iter().map(|&term| vocabulary.weight(term).powi(2)).sum::<f32>();
    let shared: Vec<Term> =
        one.iter().copied().filter(|term| other.binary_search(term).is_ok()).collect();
    super::features::ratio(square(&shared), (square(one) * square(other)).sqrt())
}

/// The only live page with the very same words as each dead page.
fn content_hash(dead: &[PageInfo], live: &[PageInfo]) -> Vec<Option<usize>> {
    let key = |page: &PageInfo| page.text.map(|text| words::words(text).join(" "));
    let mut pages: HashMap<String, Vec<PageNumber>> = HashMap::new();
    for (number, page) in (0..).zip(live) {
        if let Some(key) = key(page) {
            pages.entry(key).or_default().push(number);
        }
    }
    let named = |page: &PageInfo| only(pages.get(&key(page)?)?);
    dead.iter().map(named).collect()
}

/// The only live page whose text has the same terms as that of each dead page.
fn similar_text(dead: &[PageInfo], live: &[PageInfo]) -> Vec<Option<usize>> {
    let mut vocabulary = Vocabulary::default();
    let mut read =
        |page: &PageInfo| page.text.map(|text| vocabulary.terms(text)).unwrap_or_default();
    let texts: Vec<Vec<Term>> = live.iter().map(&mut read).collect();
    let olds: Vec<Vec<Term>> = dead.iter().map(&mut read).collect();
    for terms in &texts {
        vocabulary.count(terms);
    }
    vocabulary.weigh(live.len());
    let same_as = |old: &[Term]| -> Vec<PageNumber> {
        let is_same = |terms: &[Term]| cosine(old, terms, &vocabulary) >= SAME_TERMS;
        (0..).zip(&texts).filter(|(_, terms)| is_same(terms)).map(|(page, _)| page).collect()
    };
    olds.iter().map(|old| if old.is_empty() { None } else { only(&same_as(old)) }).collect()
}
