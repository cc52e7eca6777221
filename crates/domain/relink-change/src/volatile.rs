//! Parts of a page that differ on each request: clocks, advertisements, view
//! counters, tokens, related links.
//!
//! They are learned from two fetches made shortly after each other, and
//! recognized later by one of four signs:
//!
//! - a *pattern*: the words of the block that stay (`Viewed … times`), in the
//!   same element;
//! - a *container*: an element whose text differs as a whole;
//! - a *position*: the place between two blocks that stay;
//! - the *shape* of a link: its path without tokens and query.
//!
//! A pattern asks for all words that stay, so an edit of the stable words of a
//! volatile block is still a change.

#![expect(
    clippy::indexing_slicing,
    reason = "positions are made here, from the lengths of the same lists"
)]

mod learn;
mod link_shape;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::signature::Signature;
use link_shape::link_shape;

/// Maximum number of signs of each sort.
const MAX_SIGNS: usize = 512;

/// Words that a volatile block may have in addition to those seen.
const SPARE_WORDS: usize = 2;

/// The parts of a page that differ on each request.
///
/// ```
/// use relink_change::{Signature, Volatile, compare};
/// use relink_page::{Format, block_text};
/// let fetch = |views: u32, price: &str| {
///     let html = format!("<p>Viewed {views} times</p><p>Price: {price}</p>");
///     Signature::new(html.as_bytes(), &block_text(Format::Html, html.as_bytes()))
/// };
/// let volatile = Volatile::learn(&fetch(1, "10"), &fetch(2, "10"));
/// assert_eq!(compare(&fetch(1, "10"), &fetch(99, "10"), &volatile).content, 0.0);
/// assert!(compare(&fetch(1, "10"), &fetch(99, "12"), &volatile).content > 0.0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Volatile {
    containers: BTreeSet<u64>,
    patterns: BTreeSet<Pattern>,
    positions: BTreeSet<Position>,
    link_shapes: BTreeSet<String>,
}

/// The words of a volatile block that stay.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Pattern {
    container: u64,
    /// The words that stay, in order.
    words: Vec<u32>,
    /// Maximum number of other words.
    others: usize,
}

/// A place between two blocks that stay.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Position {
    /// The hash of the block before; none at the start of the page.
    before: Option<u64>,
    /// The hash of the block after; none at the end of the page.
    after: Option<u64>,
    /// Maximum number of blocks between them.
    blocks: usize,
}

impl Volatile {
    /// Learns the parts that differ between two fetches of one version.
    pub fn learn(first: &Signature, second: &Signature) -> Self {
        learn::learn(first, second, &HashSet::new())
    }

    /// Learns as [`Volatile::learn`] does, but not from blocks with one of
    /// these hashes.
    pub(crate) fn learn_except(
        first: &Signature,
        second: &Signature,
        stable: &HashSet<u64>,
    ) -> Self {
        learn::learn(first, second, stable)
    }

    /// Adds the parts that another pair of fetches showed.
    pub fn extend(&mut self, other: Self) {
        self.containers.extend(other.containers);
        self.patterns.extend(other.patterns);
        self.positions.extend(other.positions);
        self.link_shapes.extend(other.link_shapes);
        bound(&mut self.containers);
        bound(&mut self.patterns);
        bound(&mut self.positions);
        bound(&mut self.link_shapes);
    }

    /// Whether nothing is known to differ on each request.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Which blocks of a version are boilerplate or volatile.
    pub(crate) fn ignored(&self, signature: &Signature) -> Vec<bool> {
        let mut is_ignored: Vec<bool> =
            signature.blocks.iter().map(|block| block.is_boilerplate).collect();
        if self.is_empty() {
            return is_ignored;
        }
        let ranges = signature.ranges();
        for (at, block) in signature.blocks.iter().enumerate() {
            let words = &signature.words()[ranges[at].clone()];
            is_ignored[at] |= self.containers.contains(&block.container)
                || self.patterns.iter().any(|pattern| pattern.matches(block.container, words));
        }
        self.ignore_positions(signature, &mut is_ignored);
        is_ignored
    }

    /// Ignores the blocks at volatile positions.
    fn ignore_positions(&self, signature: &Signature, is_ignored: &mut [bool]) {
        let content: Vec<usize> =
            (0..is_ignored.len()).filter(|at| !signature.blocks[*at].is_boilerplate).collect();
        let hash = |at: usize| signature.blocks[content[at]].hash;
        let mut starts: HashMap<u64, Vec<usize>> = HashMap::new();
        (0..content.len()).for_each(|at| starts.entry(hash(at)).or_default().push(at + 1));
        for position in &self.positions {
            let first = [0];
            let starts = match position.before {
                None => &first[..],
                Some(before) => starts.get(&before).map_or(&[][..], Vec::as_slice),
            };
            for &start in starts {
                let last = (start + position.blocks).min(content.len());
                let end = (start..=last).find(|at| match position.after {
                    None => *at == content.len(),
                    Some(after) => *at < content.len() && hash(*at) == after,
                });
                if let Some(end) = end {
                    content[start..end].iter().for_each(|at| is_ignored[*at] = true);
                }
            }
        }
    }

    /// A link without the parts that differ on each request.
    pub(crate) fn stable_link<'u>(&self, url: &'u str) -> Cow<'u, str> {
        if self.link_shapes.is_empty() {
            return Cow::Borrowed(url);
        }
        let shape = link_shape(url);
        if self.link_shapes.contains(&*shape) { shape } else { Cow::Borrowed(url) }
    }
}

impl Pattern {
    fn matches(&self, container: u64, words: &[u32]) -> bool {
        let others = words.len().checked_sub(self.words.len());
        container == self.container
            && others.is_some_and(|others| others <= self.others + SPARE_WORDS)
            && is_subsequence(&self.words, words)
    }
}

fn is_subsequence(part: &[u32], words: &[u32]) -> bool {
    let mut words = words.iter();
    part.iter().all(|word| words.any(|other| other == word))
}

/// Drops the greatest of too many signs.
fn bound<T: Ord>(signs: &mut BTreeSet<T>) {
    while signs.len() > MAX_SIGNS {
        signs.pop_last();
    }
}

#[cfg(test)]
mod tests;
