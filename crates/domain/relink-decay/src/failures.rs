//! On which pages a surfer fails: the dead ones, or any other set, or soft.
//!
//! The same score answers other questions: how near are hijacked pages, pages
//! behind a wall, pages that were never archived? And where it is not certain
//! that a page is dead, its probability takes the place of yes and no.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use thiserror::Error;

use crate::graph::PageIndex;

/// Numbers that say nothing about failures.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum FailuresError {
    /// There is no such page.
    #[error("page {page} fails, and there are {pages} pages")]
    NoSuchPage {
        /// The page.
        page: PageIndex,
        /// How many pages there are.
        pages: usize,
    },
    /// The number is no probability.
    #[error("page {page} fails with probability `{probability}`, which is not between 0 and 1")]
    NoChance {
        /// The page.
        page: usize,
        /// The number.
        probability: f64,
    },
}

/// For each page the probability that a surfer who comes there fails.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureProbabilities(Vec<f64>);

impl FailureProbabilities {
    /// These pages fail, of so many, and no others.
    pub fn of_pages(pages: usize, failing: &[PageIndex]) -> Result<Self, FailuresError> {
        let mut chances = vec![0.0; pages];
        for &page in failing {
            let chance = chances.get_mut(page as usize);
            *chance.ok_or(FailuresError::NoSuchPage { page, pages })? = 1.0;
        }
        Ok(Self(chances))
    }

    /// Each page fails with its own probability.
    pub fn of_chances(chances: Vec<f64>) -> Result<Self, FailuresError> {
        let wrong = chances.iter().position(|chance| !(0.0..=1.0).contains(chance));
        match wrong {
            Some(page) => Err(FailuresError::NoChance { page, probability: chances[page] }),
            None => Ok(Self(chances)),
        }
    }

    /// How likely each page fails.
    pub fn chances(&self) -> &[f64] {
        &self.0
    }

    /// How likely a page fails; 0 for a page beyond the last.
    pub fn probability(&self, page: PageIndex) -> f64 {
        self.0.get(page as usize).copied().unwrap_or(0.0)
    }

    /// The same, but for some pages.
    pub(crate) fn with(&self, pages: &[PageIndex], chance: f64) -> Self {
        let mut chances = self.0.clone();
        for &page in pages {
            chances[page as usize] = chance;
        }
        Self(chances)
    }
}
