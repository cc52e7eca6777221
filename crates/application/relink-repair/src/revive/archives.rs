//! Queries web archives for historical redirects and the last good copy of a
//! dead page.
//!
//! A *capture* is a row in the index of an archive: time, status and URL. It is *replayed*
//! to get the archived response. A *good copy* is the page itself, not an error page.

use std::time::Instant;

use relink_change::TermVector;
use relink_judge::{JudgeInput, Policy, conclude_archived};
use relink_model::{
    Attempt, Capture, Digest, FetchOutcome, FetchPurpose, History, Hop, Probe, Snapshot, Timings,
};
use relink_ports::{
    Archive, ArchiveError, CaptureList, CaptureOrder, CaptureQuery, CaptureStatusFilter, Replay,
};
use relink_revive::Directory;
use relink_revive::cost::Cost;
use relink_revive::redirects::{
    ArchivedRedirect, COMPARISON_WINDOW, MAX_COMPARED, RedirectHistory,
};
use url::Url;

use super::revival::RejectedCopy;

/// Maximum number of redirects of one URL that are replayed, newest first.
const MAX_REDIRECTS: usize = 4;
/// Maximum number of copies that are inspected.
const MAX_COPIES: usize = 3;
/// Maximum number of captures listed for a directory.
const MAX_CAPTURES: usize = 500;

/// The last good copy of a page.
#[derive(Debug, Clone)]
pub(super) struct ArchivedCopy {
    pub(super) snapshot: Option<Snapshot>,
    pub(super) captured_at: jiff::Timestamp,
    pub(super) digest: Digest,
    /// The weighted words of the main text, if the copy is text.
    pub(super) terms: Option<TermVector>,
}

/// Returns the weighted words of the main text of a page, or `None` if the body is not text.
pub(super) fn main_terms(content_type: Option<&str>, body: &[u8]) -> Option<TermVector> {
    let page = relink_page::body_blocks(content_type, body)?;
    Some(TermVector::from_main_text(&page))
}

/// Cost and warnings of archive queries. Several queries share one log.
#[derive(Debug, Default)]
pub(super) struct ArchiveLog {
    pub(super) cost: Cost,
    pub(super) warnings: Vec<String>,
}

impl ArchiveLog {
    fn add_warning(&mut self, error: &ArchiveError) {
        let warning = error.to_string();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// Returns the copy nearest to a time that is the page itself and not an error page.
pub(crate) async fn good_copy_near(
    archive: &dyn Archive,
    policy: &Policy,
    url: &Url,
    when: jiff::Timestamp,
) -> Option<Snapshot> {
    let query = CaptureQuery {
        statuses: CaptureStatusFilter::Success,
        order: CaptureOrder::Nearest(when),
        limit: MAX_COPIES,
        ..CaptureQuery::new(url.clone())
    };
    let (mut log, mut rejected) = (ArchiveLog::default(), Vec::new());
    let reader = ArchiveReader { archive, policy };
    let captures = reader.list(&query, &mut log).await;
    let copy = reader.good_copy(url, &captures, Some(when), &mut rejected, &mut log).await?;
    copy.snapshot
}

/// Queries one archive and adds the costs to a log.
pub(super) struct ArchiveReader<'a> {
    pub(super) archive: &'a dyn Archive,
    pub(super) policy: &'a Policy,
}

impl ArchiveReader<'_> {
    /// Returns all captures of a URL.
    pub(super) async fn captures(&self, url: &Url, log: &mut ArchiveLog) -> CaptureList {
        let query = CaptureQuery { order: CaptureOrder::Newest, ..CaptureQuery::new(url.clone()) };
        self.list(&query, log).await
    }

    /// Returns the captures that match a query, or none if the archive cannot be queried.
    async fn list(&self, query: &CaptureQuery, log: &mut ArchiveLog) -> CaptureList {
        let started = Instant::now();
        let requests_before = self.archive.requests();
        let captures = self.archive.captures(query).await;
        self.add_cost(log, requests_before, started);
        captures.unwrap_or_else(|error| {
            log.add_warning(&error);
            CaptureList::default()
        })
    }

    /// Returns the archived response of a capture.
    async fn replay(&self, capture: &Capture, log: &mut ArchiveLog) -> Option<Replay> {
        let started = Instant::now();
        let requests_before = self.archive.requests();
        let replayed = self.archive.replay(capture).await;
        self.add_cost(log, requests_before, started);
        replayed.unwrap_or_else(|error| {
            log.add_warning(&error);
            None
        })
    }

    /// Adds the requests and the time since the start of a query.
    fn add_cost(&self, log: &mut ArchiveLog, requests_before: u64, started: Instant) {
        let requests = self.archive.requests().saturating_sub(requests_before);
        log.cost.archive_lookups += u32::try_from(requests).unwrap_or(u32::MAX);
        log.cost.time += started.elapsed();
    }

    /// Returns the historical redirects of a URL.
    pub(super) async fn redirects(
        &self,
        url: &Url,
        captures: &CaptureList,
        log: &mut ArchiveLog,
    ) -> RedirectHistory {
        let mut redirects = Vec::new();
        let mut redirect_captures: Vec<&Capture> =
            captures.captures.iter().filter(|capture| capture.is_redirect()).collect();
        redirect_captures.sort_by_key(|capture| std::cmp::Reverse(capture.captured_at));
        for capture in redirect_captures.into_iter().take(MAX_REDIRECTS) {
            let target = match &capture.redirect {
                Some(target) => Some(target.clone()),
                None => self.replay(capture, log).await.and_then(|replay| replay.target),
            };
            if let Some(target) = target {
                redirects.push(ArchivedRedirect { at: capture.captured_at, target });
            }
        }
        RedirectHistory { url: url.clone(), redirects }
    }

    /// Returns the historical redirects of neighbors (other URLs in the directory of the page)
    /// that were archived at most [`COMPARISON_WINDOW`] before the first or after the last
    /// redirect of the page. Returns at most [`MAX_COMPARED`] neighbors.
    pub(super) async fn neighbor_redirects(
        &self,
        page_redirects: &RedirectHistory,
        log: &mut ArchiveLog,
    ) -> Vec<RedirectHistory> {
        let url = &page_redirects.url;
        let Ok(prefix) = url.join("./") else { return Vec::new() };
        let times = || page_redirects.redirects.iter().map(|redirect| redirect.at);
        let query = CaptureQuery {
            statuses: CaptureStatusFilter::Redirects,
            from: times().min().and_then(|first| first.checked_sub(COMPARISON_WINDOW).ok()),
            to: times().max().and_then(|last| last.checked_add(COMPARISON_WINDOW).ok()),
            limit: MAX_CAPTURES,
            ..CaptureQuery::for_prefix(prefix)
        };
        let captures = self.list(&query, log).await;
        let directory = Directory::from_url(url);
        let mut neighbors: Vec<RedirectHistory> = Vec::new();
        for capture in &captures.captures {
            let is_known = neighbors.iter().any(|neighbor| neighbor.url == capture.url);
            if is_known || capture.url == *url || Directory::from_url(&capture.url) != directory {
                continue;
            }
            let captures_of_neighbor = CaptureList {
                captures: captures
                    .captures
                    .iter()
                    .filter(|other| other.url == capture.url)
                    .cloned()
                    .collect(),
                ..CaptureList::default()
            };
            neighbors.push(self.redirects(&capture.url, &captures_of_neighbor, log).await);
            if neighbors.len() == MAX_COMPARED {
                break;
            }
        }
        neighbors
    }

    /// Returns the newest copy that is the page itself and not an error page, or the nearest
    /// such copy to the time `near`.
    pub(super) async fn good_copy(
        &self,
        url: &Url,
        captures: &CaptureList,
        near: Option<jiff::Timestamp>,
        rejected: &mut Vec<RejectedCopy>,
        log: &mut ArchiveLog,
    ) -> Option<ArchivedCopy> {
        for capture in captures.by_preference(near).into_iter().take(MAX_COPIES) {
            let Some(replay) = self.replay(capture, log).await else { continue };
            let digest = relink_page::digest(
                replay.body.content_type.as_deref(),
                replay.body.language.as_deref(),
                &replay.body.bytes,
                replay.body.is_truncated,
            );
            match self.check_copy(url, &replay, digest.clone()) {
                Ok(()) => {
                    let body = &replay.body;
                    return Some(ArchivedCopy {
                        snapshot: capture.snapshot(),
                        captured_at: replay.captured_at,
                        digest,
                        terms: main_terms(body.content_type.as_deref(), &body.bytes),
                    });
                }
                Err(reason) => {
                    rejected.push(RejectedCopy { captured_at: replay.captured_at, reason });
                }
            }
        }
        None
    }

    /// Checks that a copy is the page itself. Only the copy is judged, without controls and
    /// earlier results.
    fn check_copy(&self, url: &Url, replay: &Replay, digest: Digest) -> Result<(), String> {
        let hop = Hop {
            url: url.to_string(),
            status: replay.status,
            location: replay.location.clone(),
            ip: None,
        };
        let probe = Probe {
            requested_at: replay.captured_at,
            hops: vec![hop],
            outcome: FetchOutcome::Response(replay.status),
            timings: Timings::default(),
            retry_after: None,
            version: None,
            digest: Some(digest.into()),
        };
        let attempt = Attempt {
            requested_at: replay.captured_at,
            purpose: FetchPurpose::Initial,
            outcome: probe.outcome.clone(),
            duration_ms: 0,
        };
        let input = JudgeInput {
            url: url.as_str(),
            attempts: &[attempt],
            probe: &probe,
            // The judge scans the digest itself.
            phrase_scan: None,
            controls: &[],
            history: &History::default(),
            now: replay.captured_at,
        };
        let judgment = conclude_archived(self.policy, &input);
        // "Reached" includes pages that had moved or had other content: the copy is not an
        // error page.
        if judgment.verdict.is_reached() { Ok(()) } else { Err(judgment.reason) }
    }
}
