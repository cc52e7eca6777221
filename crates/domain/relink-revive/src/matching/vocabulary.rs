//! The vocabulary of a site: its terms as numbers, and how much each says.
//!
//! A term that many live pages use says little about which page is meant; one
//! that no live page uses says most, for it speaks against all of them.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use std::collections::HashMap;

use super::words;

/// A term, by its number in the vocabulary.
pub type Term = u32;

/// The terms of a site and on how many live pages each occurs.
#[derive(Debug, Default)]
pub struct Vocabulary {
    numbers: HashMap<String, Term>,
    pages: Vec<u32>,
    weights: Vec<f32>,
}

impl Vocabulary {
    /// The terms of a text, sorted and without repetitions.
    pub fn terms(&mut self, text: &str) -> Vec<Term> {
        let mut terms: Vec<Term> =
            words::terms(text).into_iter().map(|term| self.number(term)).collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// Counts a live page that uses these terms.
    pub fn count(&mut self, terms: &[Term]) {
        for &term in terms {
            self.pages[term as usize] += 1;
        }
    }

    /// Fixes the weight of every term: the inverse document frequency of BM25
    /// (Robertson & Zaragoza, 2009, §3), for a list of so many live pages.
    pub fn weigh(&mut self, live: usize) {
        #[expect(clippy::cast_precision_loss, reason = "no list has 2^24 pages")]
        let weight = |pages: u32| {
            let (all, with) = (live as f32, pages as f32);
            (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
        };
        self.weights = self.pages.iter().map(|&pages| weight(pages)).collect();
    }

    /// On how many live pages a term occurs.
    pub fn pages(&self, term: Term) -> u32 {
        self.pages[term as usize]
    }

    /// How much a term says.
    pub fn weight(&self, term: Term) -> f32 {
        self.weights[term as usize]
    }

    /// How much a set of terms says together.
    pub fn total(&self, terms: &[Term]) -> f32 {
        terms.iter().map(|&term| self.weight(term)).sum()
    }

    /// How much the terms say that two sorted sets share.
    pub fn shared(&self, one: &[Term], other: &[Term]) -> f32 {
        let (mut left, mut right, mut sum) = (0, 0, 0.0);
        while let (Some(&a), Some(&b)) = (one.get(left), other.get(right)) {
            if a == b {
                sum += self.weight(a);
            }
            left += usize::from(a <= b);
            right += usize::from(b <= a);
        }
        sum
    }

    /// The number of a term, new ones at the end.
    fn number(&mut self, term: String) -> Term {
        let next = Term::try_from(self.pages.len()).unwrap_or(Term::MAX);
        let number = *self.numbers.entry(term).or_insert(next);
        if number == next {
            self.pages.push(0);
        }
        number
    }
}

/// The union of two sorted sets.
pub fn union(one: &[Term], other: &[Term]) -> Vec<Term> {
    let mut all = [one, other].concat();
    all.sort_unstable();
    all.dedup();
    all
}
