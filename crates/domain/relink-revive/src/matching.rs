//! Matches the dead URLs of a site with the list of its live pages.
//!
//! Sites usually move many pages in the same way (FABLE, §3), so all dead pages
//! of a site are matched together:
//!
//! 1. Each dead page scores its own candidates among the live pages.
//! 2. The candidates vote on how the site moved.
//! 3. Each candidate is scored again with the votes of all other dead pages.
//!    This happens three times; in each round, votes are weighted by the scores
//!    of the round before.
//!
//! A page without a probable candidate gets no alias: about three of four dead
//! links have none.
//!
//! Terms:
//!
//! - **Alias**: the live page at which the content of a dead page is now.
//! - **Slug**: the last component of a path; **folder**: host and path without it.
//! - **Pair**: a dead page and one of its candidates.
//! - **Move**: a rule that turns the old URL of a pair into the new one.
//! - **Siblings**: other dead pages of the same folder.
//! - **Known alias**: an alias from another source, such as a historical redirect.
//! - **Feature**: a number about a pair that the model uses.
//!
//! This module does not fetch pages and compares only URLs and titles, not texts.
//!
//! ```
//! use relink_revive::matching::{MatchResult, PageInfo, SiteMatcher};
//! let page = |url| PageInfo { url, title: None, text: None };
//! let dead = ["a", "b", "c"].map(|name| format!("https://example.org/old/{name}-guide"));
//! let live = ["a", "b", "d"].map(|name| format!("https://example.org/new/{name}-guide"));
//! let dead: Vec<PageInfo> = dead.iter().map(|url| page(url.as_str())).collect();
//! let live: Vec<PageInfo> = live.iter().map(|url| page(url.as_str())).collect();
//! let matcher = SiteMatcher::new(&dead, &live, &[]);
//! assert!(matches!(matcher.match_page(2), MatchResult::Nothing(_)));
//! ```

mod baseline;
mod candidates;
mod coarse;
mod context_features;
mod features;
mod linear_score;
mod live_page_index;
mod match_evidence;
mod match_result;
mod model;
mod moves;
mod page;
mod profile;
mod programs;
mod rewrite;
mod site_matcher;
#[cfg(test)]
mod tests;
mod trees;
mod url_components;
mod vocabulary;
mod votes;
mod words;

pub use baseline::Baseline;
pub use context_features::feature_names;
pub use match_evidence::MatchEvidence;
pub use match_result::{
    Abstention, MAX_REVIEW_CONFIDENCE, MIN_AUTOMATIC_CONFIDENCE, Match, MatchResult,
};
pub use model::AliasModel;
pub use page::{KnownAlias, PageInfo};
pub use site_matcher::{Rounds, SiteMatcher};
pub use trees::BoostedTrees;
