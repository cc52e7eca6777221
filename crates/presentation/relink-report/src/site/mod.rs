//! The report of a crawl.
//!
//! This module defines the values of the report. [`html()`] renders them as a page, [`human()`]
//! as terminal text, and `serde` as JSON. Lists that may be long are [`Capped`]:
//! they state how many rows are omitted.

mod dead_directories;
mod depth_bars;
pub(crate) mod html;
mod human;

pub use depth_bars::depth_bars;
pub use html::html;
pub use human::{human, overview};

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{FindingCode, Verdict};
use serde::Serialize;

use crate::redact;

/// The first rows of a list, and the total number of rows including omitted ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Capped<T> {
    /// The first rows.
    pub rows: Vec<T>,
    /// The total number of rows.
    pub total: u64,
}

impl<T> Default for Capped<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), total: 0 }
    }
}

impl<T> Capped<T> {
    /// Truncates a list to `max` rows.
    pub fn new(mut rows: Vec<T>, max: usize) -> Self {
        let total = rows.len() as u64;
        rows.truncate(max);
        Self { rows, total }
    }

    /// Returns the number of omitted rows.
    pub fn omitted(&self) -> u64 {
        self.total.saturating_sub(self.rows.len() as u64)
    }
}

/// The report of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SiteReport {
    /// The version of Relink.
    pub version: String,
    /// The id of the crawl.
    pub run: i64,
    /// The seed URLs.
    #[serde(serialize_with = "redact::urls")]
    pub seeds: Vec<String>,
    /// The start of the crawl.
    pub started_at: Timestamp,
    /// The end of the crawl, or the time of the report if it is unfinished.
    pub finished_at: Timestamp,
    /// The reason why the crawl ended early, if it did.
    #[serde(serialize_with = "redact::optional_text")]
    pub termination_note: Option<String>,
    /// Pages read.
    pub pages: u64,
    /// Links on the pages read.
    pub links: u64,
    /// Distinct targets of the links.
    pub targets: u64,
    /// Targets by verdict.
    pub verdicts: BTreeMap<Verdict, u64>,
    /// Targets by status class, such as `2xx`, or `none`.
    pub statuses: BTreeMap<String, u64>,
    /// Pages and links by depth.
    pub depths: Vec<DepthRow>,
    /// The depth from which few new links appear.
    pub saturation_depth: Option<u32>,
    /// The hosts, in descending order of requests.
    pub hosts: Capped<SiteHost>,
    /// The duration of one step of the hosts' timelines in milliseconds.
    pub step_ms: u64,
    /// The directories of the site, each after its parent.
    pub tree: Capped<TreeRow>,
    /// The findings, most important first.
    pub findings: Capped<SiteFinding>,
    /// Redirect chains, longest first.
    pub chains: Capped<ChainRow>,
    /// The slowest pages.
    pub slowest: Vec<PageMetric>,
    /// The largest pages.
    pub largest: Vec<PageMetric>,
    /// Pages that are in a sitemap but not linked from any page.
    #[serde(serialize_with = "redact::capped_urls")]
    pub orphans: Capped<String>,
    /// Titles shared by several pages.
    pub same_titles: Capped<SameTitle>,
    /// Links to missing anchors.
    pub fragments: Capped<MissingFragment>,
    /// Resources that HTTPS pages load over HTTP.
    pub mixed_content: Capped<Edge>,
    /// Links that occur on nearly every page.
    pub templates: Capped<TemplateRow>,
    /// Spider traps that were not followed.
    pub traps: Vec<TrapRow>,
    /// Links that were not followed, by reason.
    pub not_followed: Vec<(String, u64)>,
    /// Further remarks about the crawl.
    #[serde(serialize_with = "redact::texts")]
    pub notes: Vec<String>,
    /// The comparison with the previous crawl.
    pub comparison: Option<SiteComparison>,
}

/// The pages and links of one depth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct DepthRow {
    /// The distance in links from the seed.
    pub depth: u32,
    /// Pages read at this depth.
    pub pages: u64,
    /// Links on the pages read.
    pub links: u64,
    /// Links to targets that were not seen before.
    pub new_links: u64,
    /// Links that occur on nearly every page.
    pub template_links: u64,
    /// The difference in new links from the previous depth; none at the first
    /// depth.
    pub slope: Option<i64>,
}

/// A host and its requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SiteHost {
    /// The host name.
    pub name: String,
    /// Requests.
    pub requests: u64,
    /// Responses with status 429 or 503.
    pub throttled: u64,
    /// The total duration of the requests in milliseconds.
    pub request_ms: u64,
    /// The total politeness delay in milliseconds.
    pub politeness_wait_ms: u64,
    /// Requests per step of the timeline.
    pub timeline: Vec<u32>,
}

/// A directory of the site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TreeRow {
    /// The path.
    #[serde(serialize_with = "redact::url")]
    pub path: String,
    /// The level in the tree, from 0.
    pub level: u32,
    /// Targets in the directory and its subdirectories.
    pub targets: u64,
    /// Broken targets.
    pub broken: u64,
    /// Whether all targets of the directory are gone.
    pub is_dead: bool,
}

/// A finding of a crawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SiteFinding {
    /// The URL.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The code.
    pub code: Option<FindingCode>,
    /// The last HTTP status.
    pub status: Option<u16>,
    /// The reason for the verdict.
    #[serde(serialize_with = "redact::text")]
    pub reason: String,
    /// The advice.
    #[serde(serialize_with = "redact::optional_text")]
    pub advice: Option<String>,
    /// The distance in links from the seed.
    pub depth: Option<u32>,
    /// The links to the URL.
    pub inlinks: Capped<InlinkRow>,
}

/// The location of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InlinkRow {
    /// The page.
    #[serde(serialize_with = "redact::url")]
    pub page: String,
    /// The line, from 1.
    pub line: u32,
}

/// A redirect chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChainRow {
    /// All URLs, including the first and the last.
    #[serde(serialize_with = "redact::urls")]
    pub hops: Vec<String>,
    /// The number of links to the first URL.
    pub inlinks: u64,
}

/// A page with its size or duration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageMetric {
    /// The page.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// Bytes or milliseconds.
    pub value: u64,
}

/// A title shared by several pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SameTitle {
    /// The title.
    #[serde(serialize_with = "redact::text")]
    pub title: String,
    /// The pages.
    #[serde(serialize_with = "redact::capped_urls")]
    pub pages: Capped<String>,
}

/// Links to a missing anchor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingFragment {
    /// The page.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// The fragment.
    #[serde(serialize_with = "redact::url")]
    pub fragment: String,
    /// The links to the missing anchor.
    pub inlinks: Capped<InlinkRow>,
}

/// A link from one URL to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// The source.
    #[serde(serialize_with = "redact::url")]
    pub from: String,
    /// The target.
    #[serde(serialize_with = "redact::url")]
    pub to: String,
}

/// A link that occurs on nearly every page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TemplateRow {
    /// The target.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// The number of pages with the link.
    pub pages: u64,
}

/// A spider trap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrapRow {
    /// The kind of trap.
    pub kind: String,
    /// The pattern of its URLs.
    #[serde(serialize_with = "redact::url")]
    pub pattern: String,
    /// The number of URLs that were not followed.
    pub count: u64,
    /// One of these URLs.
    #[serde(serialize_with = "redact::url")]
    pub example: String,
    /// The flag of `relink crawl` that makes it follow the URLs of the trap.
    pub flag: String,
}

/// The changes since another crawl.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SiteComparison {
    /// The id of the other crawl.
    pub run: i64,
    /// The start of the other crawl.
    pub started_at: Timestamp,
    /// Broken now, and not known to work before.
    pub new: Capped<ChangeRow>,
    /// Broken before, and now working or no longer linked.
    pub fixed: Capped<ChangeRow>,
    /// Working before, and broken now.
    pub regressed: Capped<ChangeRow>,
}

/// The change of one URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangeRow {
    /// The URL.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// The verdict before.
    pub before: Option<Verdict>,
    /// The verdict now.
    pub after: Option<Verdict>,
    /// The code.
    pub code: Option<FindingCode>,
}
