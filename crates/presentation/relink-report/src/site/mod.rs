//! A crawled site as one report: what is in it, whoever shows it.
//!
//! These are the values; [`html()`] makes a page of them and [`human()`] a few
//! lines for a terminal, and as JSON they are the report for machines. Lists that may be long are [`Capped`]: they say
//! how much they leave out.

mod dead_directories;
mod depth_bars;
mod html;
mod human;

pub use depth_bars::depth_bars;
pub use html::html;
pub use human::{human, overview};

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{FindingCode, Verdict};
use serde::Serialize;

use crate::redact;

/// The first of many, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Capped<T> {
    /// The first ones.
    pub rows: Vec<T>,
    /// How many there are in all.
    pub total: u64,
}

impl<T> Default for Capped<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), total: 0 }
    }
}

impl<T> Capped<T> {
    /// Of these, so many at most.
    pub fn of(mut rows: Vec<T>, most: usize) -> Self {
        let total = rows.len() as u64;
        rows.truncate(most);
        Self { rows, total }
    }

    /// How many are left out.
    pub fn omitted(&self) -> u64 {
        self.total.saturating_sub(self.rows.len() as u64)
    }
}

/// A crawled site.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SiteReport {
    /// The version of the program that made it.
    pub version: String,
    /// The number of the crawl.
    pub run: i64,
    /// Where it began.
    #[serde(serialize_with = "redact::urls")]
    pub seeds: Vec<String>,
    /// When it began.
    pub started: Timestamp,
    /// When it ended, or when this was made of an unfinished one.
    pub finished: Timestamp,
    /// How it ended, if not properly: one sentence.
    #[serde(serialize_with = "redact::optional_text")]
    pub remark: Option<String>,
    /// Pages whose links were read.
    pub pages: u64,
    /// Links on them.
    pub links: u64,
    /// Different addresses they lead to.
    pub targets: u64,
    /// How many of each word.
    pub verdicts: BTreeMap<Verdict, u64>,
    /// Targets by class of status: `2xx`, `none` and so on.
    pub statuses: BTreeMap<String, u64>,
    /// Depth by depth.
    pub depths: Vec<DepthRow>,
    /// The depth from which little new appears.
    pub little_new_from: Option<u32>,
    /// The hosts that were asked, busiest first.
    pub hosts: Capped<SiteHost>,
    /// How long one step of the hosts' timelines is, in milliseconds.
    pub step_ms: u64,
    /// The directories of the site, each after the one it is in.
    pub tree: Capped<TreeRow>,
    /// What is wrong, what costs the site most first.
    pub findings: Capped<SiteFinding>,
    /// Redirects, longest first.
    pub chains: Capped<ChainRow>,
    /// The slowest pages.
    pub slowest: Vec<PageMetric>,
    /// The largest pages.
    pub largest: Vec<PageMetric>,
    /// Pages that a sitemap names and no page links to.
    #[serde(serialize_with = "redact::capped_urls")]
    pub orphans: Capped<String>,
    /// Titles that several pages have.
    pub same_titles: Capped<SameTitle>,
    /// Links to a place on a page that is not there.
    pub fragments: Capped<MissingFragment>,
    /// What encrypted pages take in unencrypted.
    pub mixed: Capped<Edge>,
    /// Links that stand on nearly every page.
    pub templates: Capped<TemplateRow>,
    /// Traps that were avoided.
    pub traps: Vec<TrapRow>,
    /// Links that were not asked, by the reason.
    pub not_followed: Vec<(String, u64)>,
    /// What else is to be known of the crawl, one sentence each.
    #[serde(serialize_with = "redact::texts")]
    pub notes: Vec<String>,
    /// What changed since the crawl before.
    pub comparison: Option<SiteComparison>,
}

/// What was found at one depth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct DepthRow {
    /// Links from the beginning.
    pub depth: u32,
    /// Pages read at this depth.
    pub pages: u64,
    /// Links on them.
    pub links: u64,
    /// Those of them that led to something not seen before.
    pub new_links: u64,
    /// Those of them that stand on nearly every page.
    pub template_links: u64,
    /// How much more, or less, was new than a depth before; nothing at the
    /// first.
    pub slope: Option<i64>,
}

/// A host that was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SiteHost {
    /// Its name.
    pub name: String,
    /// Requests.
    pub requests: u64,
    /// Answers that asked for slower visits.
    pub throttled: u64,
    /// Milliseconds spent asking.
    pub busy_ms: u64,
    /// Milliseconds waited out of politeness.
    pub waited_ms: u64,
    /// Requests in each step of the crawl.
    pub timeline: Vec<u32>,
}

/// A directory of the site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TreeRow {
    /// Its path from the host on.
    #[serde(serialize_with = "redact::url")]
    pub path: String,
    /// How deep it lies in the tree, from 0.
    pub level: u32,
    /// Targets in it and below.
    pub targets: u64,
    /// Those of them that something is wrong with.
    pub broken: u64,
    /// Whether everything in it is gone.
    pub is_dead: bool,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SiteFinding {
    /// The address.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// What is said of it.
    pub verdict: Verdict,
    /// The code.
    pub code: Option<FindingCode>,
    /// The last status.
    pub status: Option<u16>,
    /// The reason in plain words.
    #[serde(serialize_with = "redact::text")]
    pub reason: String,
    /// What to do about it.
    #[serde(serialize_with = "redact::optional_text")]
    pub advice: Option<String>,
    /// How far it is from the beginning.
    pub depth: Option<u32>,
    /// The links that lead to it, the first of them.
    pub inlinks: Capped<InlinkRow>,
}

/// A place on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InlinkRow {
    /// The page.
    #[serde(serialize_with = "redact::url")]
    pub page: String,
    /// The line, from 1.
    pub line: u32,
}

/// A redirect, hop by hop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChainRow {
    /// Every address, the first and the last included.
    #[serde(serialize_with = "redact::urls")]
    pub hops: Vec<String>,
    /// How many links lead to the first.
    pub inlinks: u64,
}

/// A page with a measure of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageMetric {
    /// The page.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// Milliseconds or bytes.
    pub value: u64,
}

/// A title that several pages have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SameTitle {
    /// The title.
    #[serde(serialize_with = "redact::text")]
    pub title: String,
    /// The pages.
    #[serde(serialize_with = "redact::capped_urls")]
    pub pages: Capped<String>,
}

/// A link to a place that is not on its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingFragment {
    /// The page that should have it.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// The place.
    #[serde(serialize_with = "redact::url")]
    pub fragment: String,
    /// The links that want it.
    pub inlinks: Capped<InlinkRow>,
}

/// From one address to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// From here.
    #[serde(serialize_with = "redact::url")]
    pub from: String,
    /// To there.
    #[serde(serialize_with = "redact::url")]
    pub to: String,
}

/// A link that stands on nearly every page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TemplateRow {
    /// Where it leads.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// On how many pages it stands.
    pub pages: u64,
}

/// A trap that was avoided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrapRow {
    /// What kind of trap, in plain words.
    pub kind: String,
    /// What its addresses have in common.
    #[serde(serialize_with = "redact::url")]
    pub pattern: String,
    /// How many were not entered.
    pub count: u64,
    /// One of them.
    #[serde(serialize_with = "redact::url")]
    pub example: String,
}

/// What changed since another crawl.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SiteComparison {
    /// The number of the other crawl.
    pub run: i64,
    /// When it began.
    pub started: Timestamp,
    /// Wrong now, and not known to work before.
    pub new: Capped<ChangeRow>,
    /// Wrong before, and well or gone from the site now.
    pub fixed: Capped<ChangeRow>,
    /// Reached before, and wrong now.
    pub regressed: Capped<ChangeRow>,
}

/// How one address changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangeRow {
    /// The address.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// What was said of it before.
    pub before: Option<Verdict>,
    /// What is said of it now.
    pub after: Option<Verdict>,
    /// The code.
    pub code: Option<FindingCode>,
}
