//! The table `[revive]` of a configuration file: how dead pages are looked for,
//! by `relink revive` and by `relink check --revive`.

use std::path::PathBuf;

use jiff::civil::Date;
use serde::Deserialize;

use super::parsed;
use crate::cli::ElsewhereChoice;
use crate::duration_arg::DurationArg;

/// One layer of the table; what it does not say is `None`. Its keys are the
/// long names of the flags of `relink revive`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct ReviveConfig {
    /// See `--archive`.
    pub archive: Option<Vec<String>>,
    /// See `--warc`.
    pub warc: Option<Vec<PathBuf>>,
    /// See `--live`.
    pub live: Option<Vec<PathBuf>>,
    /// See `--search`.
    pub search: Option<Vec<String>>,
    /// See `--elsewhere`.
    pub elsewhere: Option<ElsewhereChoice>,
    /// See `--searches`.
    pub searches: Option<u32>,
    /// See `--archive-budget`.
    pub archive_budget: Option<u32>,
    /// See `--search-budget`.
    pub search_budget: Option<u32>,
    /// See `--date`.
    #[serde(deserialize_with = "parsed")]
    pub date: Option<Date>,
    /// See `--least`.
    pub least: Option<f64>,
    /// See `--answer-age`.
    pub answer_age: Option<DurationArg>,
}

impl ReviveConfig {
    /// Every key the table may have.
    pub const KEYS: [&'static str; 11] = [
        "answer-age",
        "archive",
        "archive-budget",
        "date",
        "elsewhere",
        "least",
        "live",
        "search",
        "search-budget",
        "searches",
        "warc",
    ];

    /// This layer over a lower one.
    pub fn over(self, lower: Self) -> Self {
        Self {
            archive: self.archive.or(lower.archive),
            warc: self.warc.or(lower.warc),
            live: self.live.or(lower.live),
            search: self.search.or(lower.search),
            elsewhere: self.elsewhere.or(lower.elsewhere),
            searches: self.searches.or(lower.searches),
            archive_budget: self.archive_budget.or(lower.archive_budget),
            search_budget: self.search_budget.or(lower.search_budget),
            date: self.date.or(lower.date),
            least: self.least.or(lower.least),
            answer_age: self.answer_age.or(lower.answer_age),
        }
    }
}
