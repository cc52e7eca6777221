//! The targets, pages and links of a crawled site, as its report reads them.

use jiff::Timestamp;
use relink_model::{FindingCode, LinkKind, TaskId, Verdict};

use crate::DocumentId;

/// A target of a crawl, with the fields of the site report.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteTarget {
    /// The id of the task, which is the sort key of pagination.
    pub task: TaskId,
    /// The canonical URL.
    pub url: String,
    /// The verdict, if the target is checked.
    pub verdict: Option<Verdict>,
    /// The code of a finding.
    pub code: Option<FindingCode>,
    /// The last HTTP status.
    pub status: Option<u16>,
    /// The reason shown to users.
    pub reason: String,
    /// The number of links to follow from a start URL of the crawl.
    pub depth: Option<u32>,
    /// The time of the last request.
    pub requested_at: Option<Timestamp>,
    /// The duration of the last request in milliseconds.
    pub duration_ms: Option<u32>,
    /// The number of body bytes read.
    pub bytes: Option<u64>,
    /// The title of the page.
    pub title: Option<String>,
    /// The URLs of the redirect chain, including the last.
    pub hops: Vec<String>,
    /// The URL after redirects, on which the fragment of a link is checked.
    /// `None` without redirects, and if a redirect drops or replaces the
    /// fragment.
    pub final_url: Option<String>,
}

/// A page of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePage {
    /// The id of the page, which is the sort key of pagination.
    pub document: DocumentId,
    /// The URL of the page.
    pub label: String,
    /// The task that fetched the page; `None` for seed lists and sitemaps.
    pub task: Option<TaskId>,
    /// Whether the page is a sitemap.
    pub is_sitemap: bool,
    /// The number of links.
    pub links: u64,
    /// The sorted [`anchor_hash`](crate::anchor_hash) values of the page;
    /// `None` if unknown.
    pub anchors: Option<Vec<u32>>,
}

/// A link of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteLink {
    /// The page that contains the link.
    pub from: DocumentId,
    /// The index of the link on its page.
    pub position: u64,
    /// The task of the target.
    pub to: TaskId,
    /// The line of the link.
    pub line: u32,
    /// The kind of link.
    pub kind: LinkKind,
    /// The percent-encoded fragment.
    pub fragment: Option<String>,
}
