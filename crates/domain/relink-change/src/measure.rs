//! Other measures of change, for comparison with [`compare`].
//!
//! Johnson's algorithm and the Proportional algorithm are from the paper on
//! Walden's Paths (Dalal et al. 2004, section 3), which contains neither formulas
//! nor weights. The implementations are **reconstructions** that use the parts of
//! a page that the paper lists: headings, links and text.
//!
//! A *shingle* is a sequence of words. The *Jaccard index* of two sets is the size
//! of their intersection divided by the size of their union. A *`SimHash`* has
//! similar bits for similar sets of features.

#![expect(
    clippy::indexing_slicing,
    reason = "indices are derived from the lengths of the same lists"
)]

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use crate::compare::compare;
use crate::matching::ComparedVersion;
use crate::ratio::{number, ratio};
use crate::signature::{BlockRole, Signature};
use crate::volatile::VolatileParts;

/// Number of words in a shingle (Broder et al. 1997, as cited by the paper).
const SHINGLE_WORDS: usize = 5;

/// Number of words in a feature of a `SimHash`.
const SIMHASH_WORDS: usize = 3;

/// Weights of paragraphs, headings, links and terms in Johnson's algorithm. The
/// values are Relink's own.
const JOHNSON_WEIGHTS: [f64; 4] = [0.5, 0.2, 0.15, 0.15];

/// A measure of change between two versions, from 0 (equal) to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The content change of [`compare`].
    Content,
    /// The Proportional algorithm, reconstructed: the mean over paragraphs,
    /// headings, links and top terms of 1 − |old ∩ new| / max(|old|, |new|).
    Proportional,
    /// Johnson's algorithm, reconstructed: the share of old paragraphs,
    /// headings, links and top terms that are missing in the new version.
    Johnson,
    /// 1 − the Jaccard index of the sets of five-word shingles.
    Shingles,
    /// The Hamming distance of two `SimHash` values (Charikar 2002), divided by
    /// its expected value for unrelated pages: 32 of 64 bits.
    SimHash,
    /// 1 − the Jaccard index of the sets of words.
    Words,
}

/// The error for an unknown [`Measure`] name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseMeasureError(String);

impl fmt::Display for ParseMeasureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Measure::ALL.map(Measure::as_str).join(", ");
        write!(f, "unknown measure `{}` (expected one of {names})", self.0)
    }
}

impl std::error::Error for ParseMeasureError {}

impl FromStr for Measure {
    type Err = ParseMeasureError;

    fn from_str(name: &str) -> Result<Self, ParseMeasureError> {
        let known = Self::ALL.into_iter().find(|measure| measure.as_str() == name);
        known.ok_or_else(|| ParseMeasureError(name.to_owned()))
    }
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 6] = [
        Self::Content,
        Self::Proportional,
        Self::Johnson,
        Self::Shingles,
        Self::SimHash,
        Self::Words,
    ];

    /// Returns the name of the measure.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Proportional => "proportional",
            Self::Johnson => "johnson",
            Self::Shingles => "shingles",
            Self::SimHash => "simhash",
            Self::Words => "words",
        }
    }

    /// Measures the change from an old version to a new one.
    ///
    /// ```
    /// use relink_change::{Measure, Signature};
    /// use relink_page::{DocumentFormat, block_text};
    /// let signature = |html: &[u8]| Signature::new(html, &block_text(DocumentFormat::Html, html));
    /// let (old, new) = (signature(b"<p>a<p>b"), signature(b"<p>a<p>b<p>c"));
    /// // Johnson's algorithm ignores additions.
    /// assert_eq!(Measure::Johnson.change(&old, &new), 0.0);
    /// ```
    pub fn change(self, old: &Signature, new: &Signature) -> f64 {
        match self {
            Self::Content => compare(old, new, &VolatileParts::default()).content,
            Self::Proportional => proportional(&Parts::new(old), &Parts::new(new)),
            Self::Johnson => johnson(&Parts::new(old), &Parts::new(new)),
            Self::Shingles => jaccard_distance(&shingles(old), &shingles(new)),
            Self::SimHash => simhash_distance(old, new),
            Self::Words => jaccard_distance(&word_set(old), &word_set(new)),
        }
    }
}

/// The parts of a signature that the algorithms of the paper compare, with their
/// counts.
struct Parts<'s> {
    paragraphs: HashMap<u64, usize>,
    headings: HashMap<u64, usize>,
    links: HashMap<&'s str, usize>,
    terms: HashMap<u32, usize>,
}

impl<'s> Parts<'s> {
    fn new(signature: &'s Signature) -> Self {
        let content = || signature.blocks.iter().filter(|block| !block.is_boilerplate);
        let is_heading = |role| matches!(role, BlockRole::Heading | BlockRole::Title);
        let hashes = |is_for_headings: bool| {
            let blocks = content().filter(move |block| is_heading(block.role) == is_for_headings);
            count_items(blocks.map(|block| block.hash))
        };
        Self {
            paragraphs: hashes(false),
            headings: hashes(true),
            links: count_items(signature.links.iter().map(|link| link.url.as_str())),
            terms: count_items(signature.terms.iter().copied()),
        }
    }
}

/// Counts how often each item occurs.
fn count_items<T: Eq + Hash>(items: impl Iterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts
}

/// The sizes of two multisets and of their intersection.
struct Overlap {
    old: usize,
    new: usize,
    common: usize,
}

impl Overlap {
    fn new<T: Eq + Hash>(old: &HashMap<T, usize>, new: &HashMap<T, usize>) -> Self {
        let shared =
            old.iter().map(|(item, count)| (*count).min(new.get(item).copied().unwrap_or(0)));
        Self { old: old.values().sum(), new: new.values().sum(), common: shared.sum() }
    }

    /// Returns the overlaps of paragraphs, headings, links and terms.
    fn all(old: &Parts<'_>, new: &Parts<'_>) -> [Self; 4] {
        [
            Self::new(&old.paragraphs, &new.paragraphs),
            Self::new(&old.headings, &new.headings),
            Self::new(&old.links, &new.links),
            Self::new(&old.terms, &new.terms),
        ]
    }
}

/// Returns the change by the Proportional algorithm.
fn proportional(old: &Parts<'_>, new: &Parts<'_>) -> f64 {
    let overlaps = Overlap::all(old, new);
    let parts = overlaps.iter().map(|part| (part.old.max(part.new), part.common));
    let parts: Vec<(usize, usize)> = parts.filter(|(size, _)| *size > 0).collect();
    let sum: f64 = parts.iter().map(|(size, common)| 1.0 - ratio(*common, *size)).sum();
    if parts.is_empty() { 0.0 } else { sum / number(parts.len()) }
}

/// Returns the change by Johnson's algorithm: a weighted mean over the parts that
/// the old version has.
fn johnson(old: &Parts<'_>, new: &Parts<'_>) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (part, weight) in Overlap::all(old, new).iter().zip(JOHNSON_WEIGHTS) {
        if part.old > 0 {
            sum += weight * (1.0 - ratio(part.common, part.old));
            weights += weight;
        }
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// Returns the words outside boilerplate.
fn content_words(signature: &Signature) -> Vec<u32> {
    let is_ignored: Vec<bool> = signature.blocks.iter().map(|block| block.is_boilerplate).collect();
    let version = ComparedVersion::new(signature, &is_ignored);
    let ranges = version.blocks.iter().map(|at| version.ranges[*at].clone());
    ranges.flat_map(|range| signature.words()[range].iter().copied()).collect()
}

fn word_set(signature: &Signature) -> HashSet<u64> {
    content_words(signature).into_iter().map(u64::from).collect()
}

fn shingles(signature: &Signature) -> HashSet<u64> {
    sequence_hashes(&content_words(signature), SHINGLE_WORDS).collect()
}

/// Returns the hashes of all sequences of `length` words. A shorter text is one
/// sequence.
fn sequence_hashes(words: &[u32], length: usize) -> impl Iterator<Item = u64> {
    let length = length.min(words.len()).max(1);
    words.windows(length).map(crate::words::sequence_hash)
}

/// Returns 1 minus the Jaccard index of two sets; 0 if both are empty.
fn jaccard_distance(old: &HashSet<u64>, new: &HashSet<u64>) -> f64 {
    let common = old.intersection(new).count();
    let all = old.len() + new.len() - common;
    if all == 0 { 0.0 } else { 1.0 - ratio(common, all) }
}

/// Returns the share of differing bits, relative to the expected share of unrelated pages.
fn simhash_distance(old: &Signature, new: &Signature) -> f64 {
    let differing = (simhash(old) ^ simhash(new)).count_ones();
    (f64::from(differing) / f64::from(u64::BITS / 2)).min(1.0)
}

/// Returns the `SimHash` of the words outside boilerplate. Each feature votes for the value of
/// each bit; the majority decides.
fn simhash(signature: &Signature) -> u64 {
    let mut sums = [0_i32; 64];
    let unique: BTreeSet<u64> = sequence_hashes(&content_words(signature), SIMHASH_WORDS).collect();
    for feature in unique {
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += if feature >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    sums.iter().enumerate().fold(0, |hash, (bit, sum)| hash | u64::from(*sum > 0) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use relink_page::{DocumentFormat, block_text};

    /// Returns the signature of a page.
    fn signature(html: &str) -> Signature {
        Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
    }

    #[test]
    fn all_measures_are_0_for_equal_words_and_high_for_other_words() {
        let old = signature("<h1>Snowy owls</h1><p>They live in the far north of the world.");
        let same = signature(
            "<h1>Snowy owls</h1><div>They live in the <i>far</i> north of the world.</div>",
        );
        let other =
            signature("<h1>Train times</h1><p>Every hour from nine until noon, except today.");
        for measure in Measure::ALL {
            assert!(measure.change(&old, &same).abs() < 1e-9, "{}", measure.as_str());
            assert!(measure.change(&old, &other) > 0.5, "{}", measure.as_str());
            assert_eq!(measure.as_str().parse(), Ok(measure));
        }
        assert!("x".parse::<Measure>().is_err());
    }

    #[test]
    fn proportional_counts_additions_and_johnson_does_not() {
        let (old, new) = (signature("<p>owl<p>mouse"), signature("<p>owl<p>mouse<p>fox<p>bear"));
        assert!(Measure::Johnson.change(&old, &new).abs() < 1e-9);
        // Paragraphs: 1 - 2/4; terms: 1 - 2/4.
        assert!((Measure::Proportional.change(&old, &new) - 0.5).abs() < 1e-9);
        assert!((Measure::Johnson.change(&new, &old) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn measures_of_an_empty_page_are_defined() {
        let empty = signature("");
        for measure in Measure::ALL {
            assert!(measure.change(&empty, &empty).abs() < 1e-9);
            assert!((0.0..=1.0).contains(&measure.change(&empty, &signature("<p>some words"))));
        }
    }
}
