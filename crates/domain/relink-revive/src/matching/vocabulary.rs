//! The terms of a site as numbers, with their weights.
//!
//! A term that occurs on many live pages has a low weight. A term of a dead page that occurs
//! on no live page has the highest weight, because it is evidence against every candidate.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use std::collections::HashMap;

use super::words;

/// Number of a term in the vocabulary.
pub type Term = u32;

/// The terms of a site, with the number of live pages on which each occurs.
#[derive(Debug, Default)]
pub struct Vocabulary {
    ids: HashMap<String, Term>,
    page_counts: Vec<u32>,
    weights: Vec<f32>,
}

impl Vocabulary {
    /// Returns the terms of a text, sorted and without repetitions. Adds new terms.
    pub fn terms(&mut self, text: &str) -> Vec<Term> {
        let mut terms: Vec<Term> =
            words::terms(text).into_iter().map(|term| self.term_id(term)).collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// Counts a live page with these terms.
    pub fn count_page(&mut self, terms: &[Term]) {
        for &term in terms {
            self.page_counts[term as usize] += 1;
        }
    }

    /// Computes the weight of every term for a number of live pages: the inverse
    /// document frequency of BM25 (Robertson & Zaragoza, 2009, §3).
    pub fn compute_weights(&mut self, live_count: usize) {
        #[expect(clippy::cast_precision_loss, reason = "no list has 2^24 pages")]
        let weight = |page_count: u32| {
            let (all, with_term) = (live_count as f32, page_count as f32);
            (1.0 + (all - with_term + 0.5).max(0.0) / (with_term + 0.5)).ln()
        };
        self.weights = self.page_counts.iter().map(|&count| weight(count)).collect();
    }

    /// Returns the number of live pages on which a term occurs.
    pub fn page_count(&self, term: Term) -> u32 {
        self.page_counts[term as usize]
    }

    /// Returns the weight of a term.
    pub fn weight(&self, term: Term) -> f32 {
        self.weights[term as usize]
    }

    /// Returns the total weight of a set of terms.
    pub fn total_weight(&self, terms: &[Term]) -> f32 {
        terms.iter().map(|&term| self.weight(term)).sum()
    }

    /// Returns the total weight of the terms that two sorted sets share.
    pub fn shared_weight(&self, one: &[Term], other: &[Term]) -> f32 {
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

    /// Returns the number of a term. Adds new terms at the end.
    fn term_id(&mut self, term: String) -> Term {
        let next_id = Term::try_from(self.page_counts.len()).unwrap_or(Term::MAX);
        let id = *self.ids.entry(term).or_insert(next_id);
        let is_new = id == next_id;
        if is_new {
            self.page_counts.push(0);
        }
        id
    }
}

/// Returns the union of two sorted sets.
pub fn union(one: &[Term], other: &[Term]) -> Vec<Term> {
    let mut all = [one, other].concat();
    all.sort_unstable();
    all.dedup();
    all
}
