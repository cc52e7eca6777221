//! Cost of searching for an alias, per method (Figures 9 and 10 of FABLE).
//!
//! Callers count the requests; this module adds the counts.

use std::iter::Sum;
use std::ops::Add;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Method of searching for an alias or a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RevivalMethod {
    /// A redirect found in a web archive (§4.1.1).
    HistoricalRedirect,
    /// A search of the site, matched by coarse patterns (§4.1.2).
    Search,
    /// A program learned from other pages (§4.2.1).
    Inference,
    /// A search of all sites for the content of the page (Walden's Paths,
    /// section 5). It finds replacements, not aliases.
    Replacement,
}

impl RevivalMethod {
    /// All methods.
    pub const ALL: [Self; 4] =
        [Self::HistoricalRedirect, Self::Search, Self::Inference, Self::Replacement];

    /// Returns the name used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HistoricalRedirect => "historical-redirect",
            Self::Search => "search",
            Self::Inference => "inference",
            Self::Replacement => "replacement",
        }
    }
}

/// Number of requests, and the time they took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Queries of web archives.
    pub archive_lookups: u32,
    /// Queries of search engines.
    pub searches: u32,
    /// Pages fetched from the live web.
    pub page_fetches: u32,
    /// Elapsed time including waits, serialized in milliseconds.
    #[serde(default, rename = "time_ms", with = "milliseconds")]
    pub time: Duration,
}

/// Serializes a duration in milliseconds.
mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
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
    fn as_str_equals_serialized_name() {
        for method in RevivalMethod::ALL {
            assert_eq!(serde_json::to_value(method).unwrap(), method.as_str());
        }
    }

    #[test]
    fn sum_adds_all_counts() {
        let lookup = Cost { archive_lookups: 2, ..Cost::default() };
        let search = Cost { searches: 1, time: Duration::from_secs(3), ..Cost::default() };
        let all: Cost = [lookup, search, lookup].into_iter().sum();
        assert_eq!((all.archive_lookups, all.searches, all.page_fetches), (4, 1, 0));
        assert_eq!(all.time, Duration::from_secs(3));
    }

    #[test]
    fn time_is_serialized_in_milliseconds() {
        let cost = Cost { searches: 1, time: Duration::from_micros(3_004_900), ..Cost::default() };
        let text = serde_json::to_string(&cost).unwrap();
        assert_eq!(text, r#"{"archive_lookups":0,"searches":1,"page_fetches":0,"time_ms":3004}"#);
        let read: Cost = serde_json::from_str(&text).unwrap();
        assert_eq!(read.time, Duration::from_millis(3_004));
    }
}
