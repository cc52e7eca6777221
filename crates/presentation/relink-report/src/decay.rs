//! How rotten pages are: the text, the JSON and the charts of `relink decay`.
//!
//! Numbers come in as they are told; nothing is calculated here but their
//! place on a line.

mod chart;
mod text;

use std::borrow::Cow;

use relink_model::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{SCHEMA, Tool, redact, schema};

pub use self::chart::svg;
pub use self::text::{page, web};

/// Bars of a chart, each a tenth of the scale.
pub const BARS: usize = 10;

/// What `relink decay --format json` says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DecayReport {
    /// The version of this contract.
    pub schema: u32,
    /// Who says it.
    pub tool: Tool<'static>,
    /// The page that was asked for, if one was.
    pub page: Option<PageDecay>,
    /// The graph that was scored, if one was.
    pub web: Option<WebDecay>,
}

impl DecayReport {
    /// A report by this version of Relink.
    pub fn new(version: &'static str, page: Option<PageDecay>, web: Option<WebDecay>) -> Self {
        let tool = Tool { name: Cow::Borrowed("relink"), version: Cow::Borrowed(version) };
        Self { schema: SCHEMA, tool, page, web }
    }
}

/// The score of one page, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PageDecay {
    /// The address, without any password.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// What is said of the page itself; null where nothing is known of it.
    #[schemars(schema_with = "schema::word_or_null")]
    pub verdict: Option<Verdict>,
    /// The score.
    #[schemars(schema_with = "schema::share")]
    pub decay: f64,
    /// Where it lies, 95 times in 100 or more often.
    pub interval: IntervalRow,
    /// Where it lies for certain.
    pub bounds: IntervalRow,
    /// How many walks it rests on, beside what is certain.
    pub walks: u32,
    /// How likely a surfer is content with a living page.
    pub sigma: f64,
    /// `plain` or `selfloop`.
    pub form: String,
    /// Its own links; null for a page that is dead itself.
    pub own: Option<OwnLinksRow>,
    /// Where surfers fail, most of them first.
    pub dead_ends: Vec<DeadEndRow>,
    /// Links to repair, the best first.
    pub repairs: Vec<RepairRow>,
    /// How many of them to begin with.
    pub first_repairs: usize,
    /// The score once those lead to sound pages.
    #[schemars(schema_with = "schema::share")]
    pub after_first_repairs: f64,
    /// The share of the pages of a known crawl that are less rotten.
    #[schemars(schema_with = "schema::share_or_null")]
    pub worse_than: Option<f64>,
    /// What was asked; null where nothing was.
    pub cost: Option<RequestCostRow>,
    /// How it ended: `enough`, `out-of-pages` or `interrupted`.
    pub end: String,
}

/// From one number to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct IntervalRow {
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// What a page's own links have to do with its score: equation (1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct OwnLinksRow {
    /// How many links it has.
    pub links: usize,
    /// How many of them were looked at.
    pub checked: usize,
    /// How many of those are dead.
    pub dead: f64,
    /// F, the share that is dead.
    pub dead_share: f64,
    /// D̄, the mean decay of what the others lead to.
    pub mean_neighbor_decay: f64,
    /// (1 − σ) F.
    pub own: f64,
    /// (1 − σ)(1 − F) D̄.
    pub neighbors: f64,
}

/// A page on which surfers fail.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DeadEndRow {
    /// Its address, without any password.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// The share of all surfers who fail there.
    pub share: f64,
}

/// A link to repair.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RepairRow {
    /// The page it is on.
    #[serde(serialize_with = "redact::url")]
    pub from: String,
    /// The dead page it leads to.
    #[serde(serialize_with = "redact::url")]
    pub to: String,
    /// By how much the score falls once it leads to a sound page.
    pub gain: f64,
    /// The most the score can be once it is removed; only for links of the
    /// page itself.
    #[schemars(schema_with = "schema::share_or_null")]
    pub removed: Option<f64>,
}

/// What was asked for a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct RequestCostRow {
    /// Pages that were looked at.
    pub pages: u64,
    /// Requests that took, redirects and comparisons included.
    pub requests: u64,
    /// Pages that turned us away. They count as sound.
    pub blocked: u64,
    /// By how much the score would rise at most if they were dead.
    pub blocked_share: f64,
}

/// The scores of all pages of a graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WebDecay {
    /// Where the graph comes from.
    #[serde(serialize_with = "redact::url")]
    pub source: String,
    /// `plain` or `selfloop`.
    pub form: String,
    /// Links in it.
    pub links: u64,
    /// Pages on which surfers fail.
    pub failing: u64,
    /// Pages at its edge, which were not read.
    pub edge: u64,
    /// Links that are missing because nobody asked where they lead.
    pub missing_links: u64,
    /// Dead pages that no link names.
    pub strangers: u64,
    /// The scores, for each sigma.
    pub scores: Vec<SigmaDecay>,
}

/// The scores of all pages for one sigma.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SigmaDecay {
    /// How likely a surfer is content with a living page.
    pub sigma: f64,
    /// Living pages that were read.
    pub pages: u64,
    /// How many pages have a score in each tenth of the scale.
    pub by_decay: [u64; BARS],
    /// How many have a share of dead links in each tenth.
    pub by_dead_links: [u64; BARS],
    /// The mean score.
    pub mean_decay: f64,
    /// The mean share of dead links.
    pub mean_dead_links: f64,
    /// Pages without a dead link of their own.
    pub clean: u64,
    /// Those of them whose score is above one half.
    pub clean_and_rotten: u64,
    /// The most rotten pages, the worst first.
    pub top: Vec<PageScoreRow>,
    /// The soundest pages, the best first.
    pub bottom: Vec<PageScoreRow>,
}

/// One page in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PageScoreRow {
    /// Its address or name.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// Its score, what lies beyond the edge being sound.
    pub decay: f64,
    /// The most it can be.
    pub max_decay: f64,
    /// The share of its own links that are dead.
    pub dead_links: f64,
}

/// An address as reports show it: without any password.
pub fn address(url: &str) -> String {
    redact(url).into_owned()
}

#[cfg(test)]
mod tests;
