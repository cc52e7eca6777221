//! The table `[revive]` of a configuration file, for `relink revive` and `relink
//! check --revive`.

use std::path::PathBuf;

use jiff::civil::Date;
use serde::Deserialize;

use super::parse_optional;
use crate::cli::ReplacementsArg;
use crate::duration_arg::DurationArg;

/// One layer of the table. Keys that are not set are `None`. The keys are the long
/// flag names of `relink revive`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct ReviveConfig {
    /// See `--archive`.
    pub archive: Option<Vec<String>>,
    /// See `--warc`.
    pub warc: Option<Vec<PathBuf>>,
    /// See `--live-pages`.
    pub live_pages: Option<Vec<PathBuf>>,
    /// See `--search`.
    pub search: Option<Vec<String>>,
    /// See `--replacements`.
    pub replacements: Option<ReplacementsArg>,
    /// See `--max-searches`.
    pub max_searches: Option<u32>,
    /// See `--archive-budget`.
    pub archive_budget: Option<u32>,
    /// See `--search-budget`.
    pub search_budget: Option<u32>,
    /// See `--date`.
    #[serde(deserialize_with = "parse_optional")]
    pub date: Option<Date>,
    /// See `--min-confidence`.
    pub min_confidence: Option<f64>,
    /// See `--max-result-age`.
    pub max_result_age: Option<DurationArg>,
}

impl ReviveConfig {
    /// All keys of the table.
    pub const KEYS: [&'static str; 11] = [
        "archive",
        "archive-budget",
        "date",
        "live-pages",
        "max-result-age",
        "max-searches",
        "min-confidence",
        "replacements",
        "search",
        "search-budget",
        "warc",
    ];

    /// Merges this layer with a lower one. A key of this layer wins.
    pub fn over(self, lower: Self) -> Self {
        Self {
            archive: self.archive.or(lower.archive),
            warc: self.warc.or(lower.warc),
            live_pages: self.live_pages.or(lower.live_pages),
            search: self.search.or(lower.search),
            replacements: self.replacements.or(lower.replacements),
            max_searches: self.max_searches.or(lower.max_searches),
            archive_budget: self.archive_budget.or(lower.archive_budget),
            search_budget: self.search_budget.or(lower.search_budget),
            date: self.date.or(lower.date),
            min_confidence: self.min_confidence.or(lower.min_confidence),
            max_result_age: self.max_result_age.or(lower.max_result_age),
        }
    }
}
