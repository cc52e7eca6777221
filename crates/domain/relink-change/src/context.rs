//! How well a page fits the other pages of its collection.
//!
//! Terms are weighted by TF × IDF, where the IDF counts the pages of all
//! collections of the user and, as [`BACKGROUND_PAGES`] further pages, the
//! general table of [`Background`]. A page is as near to a collection as the
//! mean cosine to its three nearest members. That value is taken as it is, and
//! also relative to the members themselves, each measured against the others
//! (leave one out): some collections are narrow, others are wide. Where the
//! user has other collections, a third value says whether the page is nearer
//! to one of them; copies of the page there do not count, because a page may
//! belong to several collections.

use std::collections::{BTreeMap, HashMap};

use crate::background::Background;
use crate::language::TextLanguage;
use crate::ratio::{number, ratio};
use crate::term_vector::TermVector;

/// The number of pages that the general table counts as.
const BACKGROUND_PAGES: f64 = 250.0;

/// Added to a document frequency, so that an unknown term has a finite IDF.
const UNKNOWN_PAGES: f64 = 0.5;

/// The number of nearest members that a page is compared with.
const NEAREST: usize = 3;

/// Minimum number of members for a comparison with the members' own values.
const MIN_MEMBERS: usize = 3;

/// Added to the deviation of the members' values, so that equal members do
/// not make every other page an outlier.
const MIN_DEVIATION: f64 = 0.01;

/// The same in proportion to their mean.
const MIN_RELATIVE_DEVIATION: f64 = 0.1;

/// Added to a cosine before its logarithm is taken.
const MIN_COSINE: f64 = 0.02;

/// Cosine from which on a page is a copy of the other.
const COPY: f64 = 0.9;

/// The members of a collection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collection {
    /// The terms of each member, annotations included.
    pub members: Vec<TermVector>,
}

/// Counts the pages of a user's collections.
#[derive(Debug, Default)]
pub struct CorpusBuilder {
    pages: usize,
    counts: HashMap<String, usize>,
}

impl CorpusBuilder {
    /// Counts the terms of one page.
    pub fn add(&mut self, page: &TermVector) {
        self.pages += 1;
        for (term, _) in page.iter() {
            *self.counts.entry(term.to_owned()).or_default() += 1;
        }
    }

    /// The counts, beside the general ones.
    pub fn finish(self, background: &Background) -> Corpus<'_> {
        Corpus { pages: self.pages, counts: self.counts, background }
    }
}

/// How many pages have each term.
#[derive(Debug)]
pub struct Corpus<'b> {
    pages: usize,
    counts: HashMap<String, usize>,
    background: &'b Background,
}

impl Corpus<'_> {
    /// The inverse document frequency of a term, at least 0.
    pub fn idf(&self, language: TextLanguage, term: &str) -> f64 {
        let known = number(self.counts.get(term).copied().unwrap_or(0));
        let general = BACKGROUND_PAGES * self.background.share(language, term);
        let pages = BACKGROUND_PAGES + number(self.pages) + 1.0;
        (pages / (general + known + UNKNOWN_PAGES)).ln().max(0.0)
    }
}

/// How near a page is to a collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The negative logarithm of the mean cosine to the nearest members.
    pub distance: f64,
    /// How many deviations further away the page is than the members are from
    /// each other.
    pub deviation: f64,
    /// The logarithm of how much nearer the page is to the nearest other
    /// collection in the same language, at least 0: that other collections
    /// are far away is not a reason for this one. None without such a
    /// collection.
    pub rival: Option<f64>,
}

/// A collection prepared for comparisons.
///
/// ```
/// use relink_change::{Background, Collection, Context, CorpusBuilder, TermVector};
/// let texts = ["The owl hunts at night", "An owl eats the mouse", "A mouse in the night"];
/// let members: Vec<TermVector> = texts.iter().map(|text| TermVector::of_text(text)).collect();
/// let mut pages = CorpusBuilder::default();
/// members.iter().for_each(|member| pages.add(member));
/// let corpus = pages.finish(Background::builtin());
/// let context = Context::new(&Collection { members }, &corpus);
/// let owl = context.fit(&TermVector::of_text("The night of the owl")).unwrap();
/// let train = context.fit(&TermVector::of_text("The train leaves in an hour")).unwrap();
/// assert!(owl.distance < train.distance);
/// ```
#[derive(Debug)]
pub struct Context<'c> {
    corpus: &'c Corpus<'c>,
    language: TextLanguage,
    logarithmic: Space,
    binary: Space,
}

impl<'c> Context<'c> {
    /// Prepares a collection.
    pub fn new(collection: &Collection, corpus: &'c Corpus<'c>) -> Self {
        let language = language_of(&collection.members);
        let space = |weighting| {
            let members = collection.members.iter();
            let vectors = members.map(|member| weighted(member, corpus, language, weighting));
            Space::new(vectors.collect())
        };
        let (logarithmic, binary) = (space(Weighting::Logarithmic), space(Weighting::Binary));
        Self { corpus, language, logarithmic, binary }
    }

    /// How near a page is; nothing if the page or the collection has no terms.
    pub fn fit(&self, page: &TermVector) -> Option<Fit> {
        self.fit_among(page, [])
    }

    /// How near a page is, and whether it is nearer to one of the user's other
    /// collections; nothing if the page or this collection has no terms.
    pub fn fit_among<'o>(
        &self,
        page: &TermVector,
        others: impl IntoIterator<Item = &'o Context<'c>>,
    ) -> Option<Fit>
    where
        'c: 'o,
    {
        let vector = |weighting| weighted(page, self.corpus, self.language, weighting);
        let (logarithmic, binary) = (vector(Weighting::Logarithmic), vector(Weighting::Binary));
        let has_members = self.logarithmic.vectors.iter().any(|member| !member.is_empty());
        if logarithmic.is_empty() || !has_members {
            return None;
        }
        let (near, deviation) = self.logarithmic.place(&logarithmic);
        let (near_binary, deviation_binary) = self.binary.place(&binary);
        let distance = -(near + near_binary + MIN_COSINE).ln();
        let others = others.into_iter().filter(|other| other.language == self.language);
        let rival = others
            .map(|other| {
                let near = near_others(&other.logarithmic.vectors, &logarithmic);
                (near + near_others(&other.binary.vectors, &binary) + MIN_COSINE).ln() + distance
            })
            .max_by(f64::total_cmp)
            .map(|rival| rival.max(0.0));
        Some(Fit { distance, deviation: deviation + deviation_binary, rival })
    }
}

/// How the count of a term in its page enters its weight.
#[derive(Debug, Clone, Copy)]
enum Weighting {
    /// 1 + the logarithm of the count.
    Logarithmic,
    /// Not at all.
    Binary,
}

/// The terms of a page with their weights, of length 1.
type Vector = BTreeMap<String, f64>;

fn weighted(
    page: &TermVector,
    corpus: &Corpus<'_>,
    language: TextLanguage,
    weighting: Weighting,
) -> Vector {
    let weights = page.iter().filter_map(|(term, count)| {
        let weight = match weighting {
            Weighting::Logarithmic => 1.0 + f64::from(count).ln(),
            Weighting::Binary => 1.0,
        };
        let weight = weight * corpus.idf(language, term);
        (weight > 0.0).then(|| (term.to_owned(), weight))
    });
    let mut vector: Vector = weights.collect();
    let length = vector.values().map(|weight| weight * weight).sum::<f64>().sqrt();
    for weight in vector.values_mut() {
        *weight /= length;
    }
    vector
}

fn cosine(one: &Vector, other: &Vector) -> f64 {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short.iter().filter_map(|(term, weight)| long.get(term).map(|other| weight * other)).sum()
}

/// The language of most members.
fn language_of(members: &[TermVector]) -> TextLanguage {
    let mut counts: BTreeMap<TextLanguage, usize> = BTreeMap::new();
    for member in members {
        *counts.entry(member.language()).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map_or(TextLanguage::Other, |(language, _)| language)
}

/// The members under one weighting, and how near they are to each other.
#[derive(Debug)]
struct Space {
    vectors: Vec<Vector>,
    mean: f64,
    deviation: f64,
}

impl Space {
    fn new(vectors: Vec<Vector>) -> Self {
        let own: Vec<f64> =
            vectors.iter().enumerate().map(|(at, own)| near(&vectors, own, Some(at))).collect();
        let count = number(own.len().max(1));
        let mean = own.iter().sum::<f64>() / count;
        let variance = own.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Self { vectors, mean, deviation: variance.sqrt() }
    }

    /// The mean cosine to the nearest members, and the same in deviations
    /// below the members' mean.
    fn place(&self, page: &Vector) -> (f64, f64) {
        let near = near(&self.vectors, page, None);
        if self.vectors.len() < MIN_MEMBERS {
            return (near, 0.0);
        }
        let deviation = self.deviation + MIN_DEVIATION + MIN_RELATIVE_DEVIATION * self.mean;
        (near, (self.mean - near) / deviation)
    }
}

/// The mean cosine to the nearest vectors, without the one at `except`.
fn near(vectors: &[Vector], page: &Vector, except: Option<usize>) -> f64 {
    let others = vectors.iter().enumerate().filter(|(at, _)| Some(*at) != except);
    mean_of_nearest(others.map(|(_, vector)| cosine(page, vector)).collect())
}

/// The mean cosine to the nearest vectors that are not copies of the page.
fn near_others(vectors: &[Vector], page: &Vector) -> f64 {
    let cosines = vectors.iter().map(|vector| cosine(page, vector));
    mean_of_nearest(cosines.filter(|cosine| *cosine < COPY).collect())
}

fn mean_of_nearest(mut cosines: Vec<f64>) -> f64 {
    cosines.sort_by(|one, other| other.total_cmp(one));
    cosines.truncate(NEAREST);
    cosines.iter().sum::<f64>() * ratio(1, cosines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection_of(texts: &[&str]) -> Collection {
        Collection { members: texts.iter().map(|text| TermVector::of_text(text)).collect() }
    }

    fn context_of(texts: &[&str], page: &str) -> Option<Fit> {
        let Collection { members } = collection_of(texts);
        let mut pages = CorpusBuilder::default();
        for member in &members {
            pages.add(member);
        }
        let corpus = pages.finish(Background::builtin());
        Context::new(&Collection { members }, &corpus).fit(&TermVector::of_text(page))
    }

    const OWLS: [&str; 4] = [
        "Owls hunt mice at night in the forest",
        "An owl eats a mouse in the forest",
        "Mice fear the night owl and its wings",
        "The wings of the owl make no sound at night",
    ];

    #[test]
    fn fit_is_nearer_for_pages_of_the_topic() {
        let near = context_of(&OWLS, "Forest owls catch a mouse at night").unwrap();
        let far = context_of(&OWLS, "Compile the kernel with this option").unwrap();
        assert!(near.distance < far.distance && near.deviation < far.deviation);
        assert!(far.deviation > 2.0);
    }

    #[test]
    fn fit_of_a_page_or_collection_without_terms_is_unknown() {
        assert_eq!(context_of(&OWLS, "123 !"), None);
        assert_eq!(context_of(&[], "owl"), None);
        assert_eq!(context_of(&["1"], "owl"), None);
    }

    #[test]
    fn fit_with_few_members_has_no_deviation() {
        let fit = context_of(&OWLS[..2], "Forest owls catch a mouse").unwrap();
        assert!(fit.deviation.abs() < 1e-9);
    }

    #[test]
    fn rival_says_whether_another_collection_is_nearer() {
        let corpus = CorpusBuilder::default().finish(Background::builtin());
        let trains =
            ["The train leaves in an hour", "A train of the station", "The station of trains"];
        let (owls, trains) = (collection_of(&OWLS), collection_of(&trains));
        let (owls, trains) = (Context::new(&owls, &corpus), Context::new(&trains, &corpus));
        let rival = |text: &str, others: &[&Context<'_>]| {
            let page = TermVector::of_text(text);
            owls.fit_among(&page, others.iter().copied()).unwrap().rival
        };
        assert!(rival("The station and the train", &[&trains]).unwrap() > 0.0);
        assert_eq!(rival("The owl of the forest", &[&trains]), Some(0.0));
        assert_eq!(rival("The owl of the forest", &[]), None);
        // A copy in the other collection is not a reason against this one.
        let copy = collection_of(&["The owl of the forest"]);
        let copy = Context::new(&copy, &corpus);
        assert_eq!(rival("The owl of the forest", &[&copy]), Some(0.0));
    }

    #[test]
    fn a_page_fits_in_one_collection_and_not_in_the_other() {
        let texas = [
            "Museum exhibition in Houston, Texas, with a visiting art exhibit",
            "The Dallas museum opens an exhibit of art from the American West",
            "Art exhibits in Austin, Texas: the museum calendar",
        ];
        let monet = [
            "Monet and the French impressionist painters of Paris",
            "Impressionist painting: Renoir, Monet, Degas",
            "The water lilies of Claude Monet, a French painter",
        ];
        let page = "The Houston museum shows an exhibit of art of the American West in Texas";
        let (here, there) = (context_of(&texas, page).unwrap(), context_of(&monet, page).unwrap());
        assert!(here.distance < there.distance);
    }
}
