//! What finding an alias took, by method: FABLE's Figures 9 and 10.
//!
//! Whoever asks the archives and engines counts; here the counts are added.

use std::iter::Sum;
use std::ops::Add;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// By which way an alias was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A redirect that an archive remembers (§4.1.1).
    HistoricalRedirect,
    /// A search of the site, matched by coarse patterns (§4.1.2).
    Search,
    /// A program learnt from other pages (§4.2.1).
    Inference,
}

/// What was asked of others, and how long it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Questions to web archives.
    pub archive_lookups: u32,
    /// Questions to search engines.
    pub searches: u32,
    /// Pages fetched from the live web.
    pub page_fetches: u32,
    /// Time taken, waiting included.
    pub time: Duration,
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            archive_lookups: self.archive_lookups.saturating_add(other.archive_lookups),
            searches: self.searches.saturating_add(other.searches),
            page_fetches: self.page_fetches.saturating_add(other.page_fetches),
            time: self.time.saturating_add(other.time),
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_add_up() {
        let lookup = Cost { archive_lookups: 2, ..Cost::default() };
        let search = Cost { searches: 1, time: Duration::from_secs(3), ..Cost::default() };
        let all: Cost = [lookup, search, lookup].into_iter().sum();
        assert_eq!((all.archive_lookups, all.searches, all.page_fetches), (4, 1, 0));
        assert_eq!(all.time, Duration::from_secs(3));
    }
}
