//! Decay scores: the text, the JSON and the charts of `relink decay`.
//!
//! The scores are computed elsewhere; this module only renders them.
//!
//! The decay of a page is the probability that a random walk fails: the walk starts at the
//! page, follows random links, fails at a dead page and stops successfully at each live page
//! with probability σ (Bar-Yossef and others, *Sic Transit Gloria Telae*, section 4).

mod chart;
mod list;
mod text;

use std::borrow::Cow;

use relink_model::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{SCHEMA, Tool, redact, schema};

pub use self::chart::svg;
pub use self::list::{DecayDayRow, ListDecay, ListedPage, list};
pub use self::text::{page, web};

/// Number of bars of a chart. Each bar covers a tenth of the scale.
pub const BARS: usize = 10;

/// The document of `relink decay --format json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DecayReport {
    /// The version of this format.
    pub schema: u32,
    /// The program that wrote the report.
    pub tool: Tool<'static>,
    /// The rules that pages were judged by: `relink`, `sic-transit` or `fable`; null for a stored
    /// crawl or a graph file.
    pub policy: Option<Cow<'static, str>>,
    /// The score of one page, if one was requested.
    pub page: Option<PageDecay>,
    /// The scores of all pages of a link graph: a stored crawl (`--crawl`) or a file
    /// (`--graph`).
    pub web: Option<WebDecay>,
    /// The scores of the pages of a list, file or collection, if one was given.
    pub list: Option<ListDecay>,
}

impl DecayReport {
    /// Creates a report.
    pub fn new(version: &'static str, page: Option<PageDecay>, web: Option<WebDecay>) -> Self {
        let tool = Tool { name: Cow::Borrowed("relink"), version: Cow::Borrowed(version) };
        Self { schema: SCHEMA, tool, policy: None, page, web, list: None }
    }

    /// Creates a report of a list.
    pub fn of_list(version: &'static str, list: ListDecay) -> Self {
        Self { list: Some(list), ..Self::new(version, None, None) }
    }

    /// Adds the rules that pages were judged by.
    #[must_use]
    pub fn judged_by(self, policy: &'static str) -> Self {
        Self { policy: Some(policy.into()), ..self }
    }
}

/// The score of one page and its components.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PageDecay {
    /// The URL, with secrets masked.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// The verdict of the page itself, or null if unknown.
    #[schemars(schema_with = "schema::verdict_or_null")]
    pub verdict: Option<Verdict>,
    /// The decay score.
    #[schemars(schema_with = "schema::share")]
    pub decay: f64,
    /// The confidence interval; its coverage is at least 95 %.
    pub interval: IntervalRow,
    /// Bounds that hold with certainty, in contrast to `interval`.
    pub bounds: IntervalRow,
    /// The number of random walks of the estimate.
    pub walks: u32,
    /// σ: the probability that a walk stops successfully at a live page.
    pub sigma: f64,
    /// The definition of decay: `plain` (the random walk) or `selfloop` (each page first gets a
    /// link to itself).
    pub definition: String,
    /// The links of the page, or null if the page is dead.
    pub own_links: Option<OwnLinksRow>,
    /// The pages where walks fail, in descending order of their share.
    pub dead_ends: Vec<DeadEndRow>,
    /// The links to repair, in descending order of their gain.
    pub repairs: Vec<RepairRow>,
    /// The number of repairs to start with.
    pub recommended_repairs: usize,
    /// The score if the first `recommended_repairs` links of `repairs` pointed to pages with
    /// decay 0.
    #[schemars(schema_with = "schema::share")]
    pub decay_after_repairs: f64,
    /// The share of the pages of a stored crawl that have a lower score.
    #[schemars(schema_with = "schema::share_or_null")]
    pub worse_than: Option<f64>,
    /// The cost of the measurement, or null if nothing was fetched.
    pub cost: Option<RequestCostRow>,
    /// The dead pages that the measurement met, or null if nothing was fetched.
    pub dead_pages_met: Option<DeadPagesMetRow>,
    /// Signs that the page itself is abandoned, or null if it was not read.
    pub abandonment: Option<AbandonmentRow>,
    /// The reason why the measurement ended: `enough`, `out-of-pages` or `interrupted`.
    pub end: String,
}

/// Dead pages met by a measurement (Sic Transit Gloria Telae, section 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct DeadPagesMetRow {
    /// The number of dead pages.
    pub dead: u64,
    /// The number of soft-404s among them.
    pub soft_404: u64,
    /// The share of failed walks that end on a soft-404.
    #[schemars(schema_with = "schema::share")]
    pub soft_404_share: f64,
}

/// Signs that a page is abandoned.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AbandonmentRow {
    /// The score, from 0 (no sign) to 1.
    #[schemars(schema_with = "schema::share")]
    pub score: f64,
    /// The signs, strongest first.
    pub signs: Vec<String>,
}

/// A closed interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct IntervalRow {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// The contribution of a page's own links to its score (Sic Transit Gloria Telae,
/// equation 1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct OwnLinksRow {
    /// The number of links of the page.
    pub links: usize,
    /// The number of links checked.
    pub checked: usize,
    /// The number of dead links. A link to a page that may be dead counts by its probability of
    /// being dead.
    pub dead: f64,
    /// F, the share of dead links.
    pub dead_share: f64,
    /// D̄, the mean decay of the pages that the other links lead to.
    pub mean_neighbor_decay: f64,
    /// (1 − σ) F.
    pub own_part: f64,
    /// (1 − σ)(1 − F) D̄.
    pub neighbor_part: f64,
}

/// A page where walks fail.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DeadEndRow {
    /// The URL, with secrets masked.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// The share of all walks that fail here.
    pub share: f64,
}

/// A link to repair.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RepairRow {
    /// The page with the link.
    #[serde(serialize_with = "redact::url")]
    pub from: String,
    /// The dead page that the link points to.
    #[serde(serialize_with = "redact::url")]
    pub to: String,
    /// The decrease of the score if the link pointed to a healthy page.
    pub gain: f64,
    /// An upper bound of the score if the link is removed instead; null unless the link is on
    /// the measured page.
    #[schemars(schema_with = "schema::share_or_null")]
    pub removed: Option<f64>,
}

/// The cost of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct RequestCostRow {
    /// Pages fetched.
    pub pages: u64,
    /// Requests, including redirects and controls.
    pub requests: u64,
    /// Dead pages whose stored result was reused.
    pub reused: u64,
    /// Blocked pages. They count as alive.
    pub blocked: u64,
    /// The maximum increase of the score if the blocked pages were dead.
    pub blocked_share: f64,
}

/// The scores of all pages of a graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WebDecay {
    /// The source of the graph.
    #[serde(serialize_with = "redact::url")]
    pub source: String,
    /// The definition of decay: `plain` (the random walk) or `selfloop` (each page first gets a
    /// link to itself).
    pub definition: String,
    /// The number of links in the graph.
    pub links: u64,
    /// The number of dead pages (not of pages with the verdict `failing`).
    pub failing: u64,
    /// The number of links of live pages to dead pages.
    pub dead_links: u64,
    /// The number of links of live pages to soft-404s, or null if no verdicts are known.
    pub soft_404_links: Option<u64>,
    /// The number of pages that were not read.
    pub unread_pages: u64,
    /// The number of links that are missing because their target was not fetched.
    pub missing_links: u64,
    /// The number of dead pages that no link points to.
    pub unlinked_dead_pages: u64,
    /// The scores for each σ.
    pub scores: Vec<SigmaDecay>,
}

/// The scores of all pages for one σ.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SigmaDecay {
    /// σ: the probability that a walk stops successfully at a live page.
    pub sigma: f64,
    /// The number of live pages that were read.
    pub pages: u64,
    /// The number of pages per tenth of the score.
    pub by_decay: [u64; BARS],
    /// The number of pages per tenth of the share of dead links.
    pub by_dead_links: [u64; BARS],
    /// The mean score.
    pub mean_decay: f64,
    /// The mean share of dead links.
    pub mean_dead_links: f64,
    /// The number of live pages with at least one link.
    pub pages_with_links: u64,
    /// The mean score of the pages with links.
    pub mean_decay_with_links: f64,
    /// The mean share of dead links of the pages with links.
    pub mean_dead_links_with_links: f64,
    /// The number of pages without a dead link of their own.
    pub clean: u64,
    /// The number of pages without a dead link of their own whose score is above 0.5.
    pub clean_but_decayed: u64,
    /// The pages with the highest scores, in descending order.
    pub top: Vec<PageScoreRow>,
    /// The pages with the lowest scores, in ascending order.
    pub bottom: Vec<PageScoreRow>,
}

/// The score of one page of a graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PageScoreRow {
    /// The URL or name.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// The score if all unread pages are healthy.
    pub decay: f64,
    /// The score if all unread pages are dead.
    pub max_decay: f64,
    /// The share of the page's links that are dead.
    pub dead_links: f64,
}

/// Masks the secrets of a URL.
pub fn masked_url(url: &str) -> String {
    redact(url).into_owned()
}

#[cfg(test)]
mod tests;
