//! Measures how well a page fits the other pages of its collection.
//!
//! Terms are weighted by TF × IDF: the frequency in the page times the inverse
//! document frequency (the rarity of the term in all pages). The IDF is computed from
//! the pages of all collections of the user and from the general table of
//! [`Background`], which has the weight of [`BACKGROUND_PAGES`] pages. The *nearness*
//! of a page to a collection is the mean cosine of the vector of the page with the
//! vectors of the three nearest members. A [`Fit`] has three values:
//!
//! - the nearness as a distance;
//! - the nearness compared with the nearness of each member to the other members,
//!   because some collections are narrower than others;
//! - the nearness compared with the nearness to the other collections of the user.
//!   Copies of the page in other collections are ignored, because a page may belong to
//!   several collections.

use std::collections::{BTreeMap, HashMap};

use crate::background::Background;
use crate::language::TextLanguage;
use crate::ratio::{number, ratio};
use crate::term_vector::TermVector;

/// Weight of the general table, as a number of pages.
const BACKGROUND_PAGES: f64 = 250.0;

/// Added to a document frequency, so that an unknown term has a finite IDF.
const FREQUENCY_OFFSET: f64 = 0.5;

/// Number of nearest members that a page is compared with.
const NEAREST: usize = 3;

/// Minimum number of members for [`Fit::deviation`].
const MIN_MEMBERS: usize = 3;

/// Added to the standard deviation of the members, so that a collection of equal
/// members does not make every other page an outlier.
const DEVIATION_OFFSET: f64 = 0.01;

/// Added to the standard deviation of the members, in proportion to their mean.
const RELATIVE_DEVIATION_OFFSET: f64 = 0.1;

/// Added to a cosine before its logarithm is computed.
const COSINE_OFFSET: f64 = 0.02;

/// Minimum cosine of two copies of a page.
const MIN_COPY_COSINE: f64 = 0.9;

/// The members of a collection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collection {
    /// The terms of each member, including its annotation.
    pub members: Vec<TermVector>,
}

/// Counts the terms in the pages of a user's collections.
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

    /// Combines the counts with the general table.
    pub fn finish(self, background: &Background) -> Corpus<'_> {
        Corpus { pages: self.pages, counts: self.counts, background }
    }
}

/// Document frequencies in the collections of a user and in general.
#[derive(Debug)]
pub struct Corpus<'b> {
    pages: usize,
    counts: HashMap<String, usize>,
    background: &'b Background,
}

impl Corpus<'_> {
    /// Returns the inverse document frequency of a term, at least 0.
    pub fn idf(&self, language: TextLanguage, term: &str) -> f64 {
        let own = number(self.counts.get(term).copied().unwrap_or(0));
        let general = BACKGROUND_PAGES * self.background.document_share(language, term);
        let pages = BACKGROUND_PAGES + number(self.pages) + 1.0;
        (pages / (general + own + FREQUENCY_OFFSET)).ln().max(0.0)
    }
}

/// The nearness of a page to a collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The negative logarithm of the nearness. The nearness is the sum of two values:
    /// with logarithmic and with binary weights of terms.
    pub distance: f64,
    /// The difference between the mean nearness of the members and the nearness of
    /// the page, in standard deviations.
    pub deviation: f64,
    /// The nearest other collection; `None` if there is no other collection in the same
    /// language.
    pub rival: Option<Rival>,
}

/// The collection of the user that is nearest to a page, except the page's own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rival {
    /// The logarithm of a ratio: the nearness to the rival divided by the nearness to the
    /// page's own collection. The value is positive if the rival is nearer.
    pub ratio: f64,
    /// Number of other collections. The more there are, the nearer is the nearest one.
    pub others: usize,
}

/// A collection prepared for comparisons.
///
/// ```
/// use relink_change::{Background, Collection, Context, CorpusBuilder, TermVector};
/// let texts = ["The owl hunts at night", "An owl eats the mouse", "A mouse in the night"];
/// let members: Vec<TermVector> = texts.iter().map(|text| TermVector::from_text(text)).collect();
/// let mut pages = CorpusBuilder::default();
/// members.iter().for_each(|member| pages.add(member));
/// let corpus = pages.finish(Background::builtin());
/// let context = Context::new(&Collection { members }, &corpus);
/// let owl = context.fit(&TermVector::from_text("The night of the owl")).unwrap();
/// let train = context.fit(&TermVector::from_text("The train leaves in an hour")).unwrap();
/// assert!(owl.distance < train.distance);
/// ```
#[derive(Debug)]
pub struct Context<'c> {
    corpus: &'c Corpus<'c>,
    language: TextLanguage,
    logarithmic: VectorSpace,
    binary: VectorSpace,
}

impl<'c> Context<'c> {
    /// Prepares a collection.
    pub fn new(collection: &Collection, corpus: &'c Corpus<'c>) -> Self {
        let language = language_of(&collection.members);
        let space = |weighting| {
            let members = collection.members.iter();
            let vectors =
                members.map(|member| weighted_vector(member, corpus, language, weighting));
            VectorSpace::new(vectors.collect())
        };
        let (logarithmic, binary) = (space(Weighting::Logarithmic), space(Weighting::Binary));
        Self { corpus, language, logarithmic, binary }
    }

    /// Returns how similar the members are, from 0 to 1: the median, over the members, of
    /// the median cosine of a member with the others. Returns `None` for fewer than two
    /// members.
    ///
    /// Unlike the nearness, which uses the three nearest members only, this is small if the
    /// members belong to several topics.
    pub fn cohesion(&self) -> Option<f64> {
        let vectors = &self.logarithmic.vectors;
        let median_of_member = |(at, member)| {
            let others = vectors.iter().enumerate().filter(|(other, _)| *other != at);
            median(others.map(|(_, other)| cosine(member, other)).collect())
        };
        median(vectors.iter().enumerate().filter_map(median_of_member).collect())
    }

    /// Returns the nearness of a page, or `None` if the page or the collection has
    /// no terms.
    pub fn fit(&self, page: &TermVector) -> Option<Fit> {
        self.fit_with_others(page, [])
    }

    /// Returns the nearness of a member to the other members, or `None` if the member
    /// has no terms or no other member has terms.
    pub fn fit_of_member(&self, member: usize) -> Option<Fit> {
        let has_terms =
            |space: &VectorSpace| space.vectors.get(member).is_some_and(|terms| !terms.is_empty());
        let mut others = self.logarithmic.vectors.iter().enumerate();
        let has_others = others.any(|(at, other)| at != member && !other.is_empty());
        if !has_terms(&self.logarithmic) || !has_others {
            return None;
        }
        let (nearness, deviation) = self.logarithmic.nearness_of_member(member)?;
        let (nearness_binary, deviation_binary) = self.binary.nearness_of_member(member)?;
        Some(Fit {
            distance: -(nearness + nearness_binary + COSINE_OFFSET).ln(),
            deviation: deviation + deviation_binary,
            rival: None,
        })
    }

    /// Returns the nearness of a page, compared with the user's other collections,
    /// or `None` if the page or this collection has no terms.
    pub fn fit_with_others<'o>(
        &self,
        page: &TermVector,
        others: impl IntoIterator<Item = &'o Context<'c>>,
    ) -> Option<Fit>
    where
        'c: 'o,
    {
        // The page is compared in both vector spaces; the values of both are added.
        let vector = |weighting| weighted_vector(page, self.corpus, self.language, weighting);
        let (logarithmic, binary) = (vector(Weighting::Logarithmic), vector(Weighting::Binary));
        let has_members = self.logarithmic.vectors.iter().any(|member| !member.is_empty());
        if logarithmic.is_empty() || !has_members {
            return None;
        }
        let (nearness, deviation) = self.logarithmic.nearness(&logarithmic);
        let (nearness_binary, deviation_binary) = self.binary.nearness(&binary);
        let distance = -(nearness + nearness_binary + COSINE_OFFSET).ln();
        let others = others.into_iter().filter(|other| other.language == self.language);
        let ratios: Vec<f64> = others
            .map(|other| {
                let nearness = nearness_without_copies(&other.logarithmic.vectors, &logarithmic)
                    + nearness_without_copies(&other.binary.vectors, &binary);
                // `distance` is the negative logarithm of the nearness to this collection.
                (nearness + COSINE_OFFSET).ln() + distance
            })
            .collect();
        let greatest = ratios.iter().copied().max_by(f64::total_cmp);
        let rival = greatest.map(|ratio| Rival { ratio, others: ratios.len() });
        Some(Fit { distance, deviation: deviation + deviation_binary, rival })
    }
}

/// The influence of a term's count on its weight.
#[derive(Debug, Clone, Copy)]
enum Weighting {
    /// The weight is 1 + the logarithm of the count.
    Logarithmic,
    /// The weight does not depend on the count.
    Binary,
}

/// The weights of the terms of a page, as a vector of length 1.
type Vector = BTreeMap<String, f64>;

/// Computes the weighted vector of a page.
fn weighted_vector(
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

/// Returns the cosine of two vectors of length 1, which is their dot product.
fn cosine(left: &Vector, right: &Vector) -> f64 {
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    short.iter().filter_map(|(term, weight)| long.get(term).map(|other| weight * other)).sum()
}

/// Returns the most frequent language of the members.
fn language_of(members: &[TermVector]) -> TextLanguage {
    let mut counts: BTreeMap<TextLanguage, usize> = BTreeMap::new();
    for member in members {
        *counts.entry(member.language()).or_default() += 1;
    }
    let most_frequent = counts.into_iter().max_by_key(|(_, count)| *count);
    most_frequent.map_or(TextLanguage::Other, |(language, _)| language)
}

/// The vectors of the members with one weighting, and the mean and standard
/// deviation of their nearness to each other.
#[derive(Debug)]
struct VectorSpace {
    vectors: Vec<Vector>,
    mean: f64,
    deviation: f64,
}

impl VectorSpace {
    fn new(vectors: Vec<Vector>) -> Self {
        let members = vectors.iter().enumerate();
        let values: Vec<f64> =
            members.map(|(at, member)| nearness(&vectors, member, Some(at))).collect();
        let count = number(values.len().max(1));
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Self { vectors, mean, deviation: variance.sqrt() }
    }

    /// Returns the nearness of a page, and its difference from the members' mean
    /// in standard deviations.
    fn nearness(&self, page: &Vector) -> (f64, f64) {
        let nearness = nearness(&self.vectors, page, None);
        (nearness, self.deviation_of(nearness))
    }

    /// Returns the nearness of a member to the other members, and its difference from
    /// the mean in standard deviations.
    fn nearness_of_member(&self, member: usize) -> Option<(f64, f64)> {
        let nearness = nearness(&self.vectors, self.vectors.get(member)?, Some(member));
        Some((nearness, self.deviation_of(nearness)))
    }

    /// Returns the difference of a nearness from the mean, in standard deviations. With few
    /// members, the standard deviation is not known, and the result is 0.
    fn deviation_of(&self, nearness: f64) -> f64 {
        if self.vectors.len() < MIN_MEMBERS {
            return 0.0;
        }
        let deviation = self.deviation + DEVIATION_OFFSET + RELATIVE_DEVIATION_OFFSET * self.mean;
        (self.mean - nearness) / deviation
    }
}

/// Returns the mean cosine to the nearest vectors; skips the vector at index `except`.
fn nearness(vectors: &[Vector], page: &Vector, except: Option<usize>) -> f64 {
    let others = vectors.iter().enumerate().filter(|(at, _)| Some(*at) != except);
    mean_of_nearest(others.map(|(_, vector)| cosine(page, vector)).collect())
}

/// Returns the mean cosine to the nearest vectors that are not copies of the page.
fn nearness_without_copies(vectors: &[Vector], page: &Vector) -> f64 {
    let cosines = vectors.iter().map(|vector| cosine(page, vector));
    mean_of_nearest(cosines.filter(|cosine| *cosine < MIN_COPY_COSINE).collect())
}

/// Returns the lower median.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len().checked_sub(1)? / 2;
    values.get(middle).copied()
}

fn mean_of_nearest(mut cosines: Vec<f64>) -> f64 {
    cosines.sort_by(|left, right| right.total_cmp(left));
    cosines.truncate(NEAREST);
    cosines.iter().sum::<f64>() * ratio(1, cosines.len())
}

#[cfg(test)]
mod tests;
