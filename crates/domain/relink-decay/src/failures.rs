//! Failure probability of each page: the probability that a random walk that
//! reaches the page fails there.
//!
//! Dead pages have probability 1. A page that may be dead has a probability
//! between 0 and 1. Other sets of pages can be marked as failing too, for
//! example hijacked, blocked or unarchived pages.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use thiserror::Error;

use crate::graph::PageIndex;

/// A list of failure probabilities that is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum FailureProbabilitiesError {
    /// A page is not in the graph.
    #[error("failing page {page} is out of range: the graph has {pages} pages")]
    PageOutOfRange {
        /// The page.
        page: PageIndex,
        /// The number of pages in the graph.
        pages: usize,
    },
    /// A value is not a probability.
    #[error("invalid failure probability of page {page}: {probability} (expected 0 to 1)")]
    InvalidProbability {
        /// The page.
        page: usize,
        /// The invalid value.
        probability: f64,
    },
}

/// For each page, the probability that a walk that reaches it fails there.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureProbabilities(Vec<f64>);

impl FailureProbabilities {
    /// Assigns probability 1 to the pages in `failing` and 0 to all others.
    pub fn from_failing_pages(
        pages: usize,
        failing: &[PageIndex],
    ) -> Result<Self, FailureProbabilitiesError> {
        let mut probabilities = vec![0.0; pages];
        for &page in failing {
            let probability = probabilities.get_mut(page as usize);
            *probability.ok_or(FailureProbabilitiesError::PageOutOfRange { page, pages })? = 1.0;
        }
        Ok(Self(probabilities))
    }

    /// Creates the list from one probability per page.
    pub fn from_probabilities(probabilities: Vec<f64>) -> Result<Self, FailureProbabilitiesError> {
        match probabilities.iter().position(|value| !(0.0..=1.0).contains(value)) {
            Some(page) => Err(FailureProbabilitiesError::InvalidProbability {
                page,
                probability: probabilities[page],
            }),
            None => Ok(Self(probabilities)),
        }
    }

    /// Returns the failure probabilities of all pages.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// Returns the failure probability of a page, or 0 for a page out of range.
    pub fn probability(&self, page: PageIndex) -> f64 {
        self.0.get(page as usize).copied().unwrap_or(0.0)
    }

    /// Returns a copy in which all `pages` have the given probability.
    pub(crate) fn with_probability(&self, pages: &[PageIndex], probability: f64) -> Self {
        let mut probabilities = self.0.clone();
        for &page in pages {
            probabilities[page as usize] = probability;
        }
        Self(probabilities)
    }
}
