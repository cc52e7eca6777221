//! What web archives remember of a dead page: redirects of old, and its last
//! good copy.

use std::time::Instant;

use relink_judge::{JudgeInput, Policy, Soft404Profile, conclude};
use relink_model::{
    Attempt, Capture, Digest, FetchOutcome, FetchPurpose, History, Hop, Probe, Snapshot, Timings,
};
use relink_ports::{
    Archive, ArchiveError, CaptureList, CaptureOrder, CaptureQuery, CaptureStatusFilter, Replay,
};
use relink_revive::Directory;
use relink_revive::cost::Cost;
use relink_revive::redirects::{ArchivedRedirect, COMPARED, RedirectHistory, WINDOW};
use url::Url;

use super::revival::RejectedCopy;

/// Redirects of one address that are replayed, newest first.
const REDIRECTS: usize = 4;
/// Copies that are tried before a page counts as not archived.
const COPIES: usize = 3;
/// Captures listed of a directory.
const LISTED: usize = 500;

/// The last good copy of a page.
#[derive(Debug, Clone)]
pub(super) struct ArchivedCopy {
    pub(super) snapshot: Option<Snapshot>,
    pub(super) captured_at: jiff::Timestamp,
    pub(super) digest: Digest,
}

/// What was asked of archives, and what they could not tell.
#[derive(Debug, Default)]
pub(super) struct ArchiveLog {
    pub(super) cost: Cost,
    pub(super) remarks: Vec<String>,
}

impl ArchiveLog {
    fn note(&mut self, error: &ArchiveError) {
        let remark = error.to_string();
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }
}

/// Asks one archive, counting.
pub(super) struct ArchiveReader<'a> {
    pub(super) archive: &'a dyn Archive,
    pub(super) policy: &'a Policy,
}

impl ArchiveReader<'_> {
    /// All captures of an address.
    pub(super) async fn captures(&self, url: &Url, bill: &mut ArchiveLog) -> CaptureList {
        let query = CaptureQuery { order: CaptureOrder::Newest, ..CaptureQuery::new(url.clone()) };
        self.list(&query, bill).await
    }

    async fn list(&self, query: &CaptureQuery, bill: &mut ArchiveLog) -> CaptureList {
        let began = Instant::now();
        let before = self.archive.requests();
        let listed = self.archive.captures(query).await;
        self.charge(bill, before, began);
        listed.unwrap_or_else(|error| {
            bill.note(&error);
            CaptureList::default()
        })
    }

    async fn replay(&self, capture: &Capture, bill: &mut ArchiveLog) -> Option<Replay> {
        let began = Instant::now();
        let before = self.archive.requests();
        let replayed = self.archive.replay(capture).await;
        self.charge(bill, before, began);
        replayed.unwrap_or_else(|error| {
            bill.note(&error);
            None
        })
    }

    fn charge(&self, bill: &mut ArchiveLog, before: u64, began: Instant) {
        let asked = self.archive.requests().saturating_sub(before);
        bill.cost.archive_lookups += u32::try_from(asked).unwrap_or(u32::MAX);
        bill.cost.time += began.elapsed();
    }

    /// The redirects that an address once sent.
    pub(super) async fn redirects(
        &self,
        url: &Url,
        captures: &CaptureList,
        bill: &mut ArchiveLog,
    ) -> RedirectHistory {
        let mut redirects = Vec::new();
        let mut sent: Vec<&Capture> =
            captures.captures.iter().filter(|capture| capture.is_redirect()).collect();
        sent.sort_by_key(|capture| std::cmp::Reverse(capture.captured_at));
        for capture in sent.into_iter().take(REDIRECTS) {
            let target = match &capture.redirect {
                Some(target) => Some(target.clone()),
                None => self.replay(capture, bill).await.and_then(|replay| replay.target),
            };
            if let Some(target) = target {
                redirects.push(ArchivedRedirect { at: capture.captured_at, target });
            }
        }
        RedirectHistory { url: url.clone(), redirects }
    }

    /// Redirects that other addresses of the directory once sent, at about the
    /// time of its own, as many as the rule compares.
    pub(super) async fn siblings(
        &self,
        own: &RedirectHistory,
        bill: &mut ArchiveLog,
    ) -> Vec<RedirectHistory> {
        let url = &own.url;
        let Ok(above) = url.join("./") else { return Vec::new() };
        let times = || own.redirects.iter().map(|redirect| redirect.at);
        let query = CaptureQuery {
            statuses: CaptureStatusFilter::Redirects,
            from: times().min().and_then(|first| first.checked_sub(WINDOW).ok()),
            to: times().max().and_then(|last| last.checked_add(WINDOW).ok()),
            limit: LISTED,
            ..CaptureQuery::below(above)
        };
        let listed = self.list(&query, bill).await;
        let directory = Directory::of(url);
        let mut others: Vec<RedirectHistory> = Vec::new();
        for capture in &listed.captures {
            let is_known = others.iter().any(|other| other.url == capture.url);
            if is_known || capture.url == *url || Directory::of(&capture.url) != directory {
                continue;
            }
            let of_it = CaptureList {
                captures: listed
                    .captures
                    .iter()
                    .filter(|other| other.url == capture.url)
                    .cloned()
                    .collect(),
                ..CaptureList::default()
            };
            others.push(self.redirects(&capture.url, &of_it, bill).await);
            if others.len() == COMPARED {
                break;
            }
        }
        others
    }

    /// The last copy that is the page and no error in its place.
    pub(super) async fn good_copy(
        &self,
        url: &Url,
        captures: &CaptureList,
        near: Option<jiff::Timestamp>,
        passed_over: &mut Vec<RejectedCopy>,
        bill: &mut ArchiveLog,
    ) -> Option<ArchivedCopy> {
        for capture in captures.by_preference(near).into_iter().take(COPIES) {
            let Some(replay) = self.replay(capture, bill).await else { continue };
            let digest = relink_page::digest(
                replay.body.content_type.as_deref(),
                replay.body.language.as_deref(),
                &replay.body.bytes,
                replay.body.is_truncated,
            );
            match self.judged(url, &replay, digest.clone()) {
                Ok(()) => {
                    let snapshot = capture.snapshot();
                    return Some(ArchivedCopy {
                        snapshot,
                        captured_at: replay.captured_at,
                        digest,
                    });
                }
                Err(reason) => {
                    passed_over.push(RejectedCopy { captured_at: replay.captured_at, reason })
                }
            }
        }
        None
    }

    /// Whether a copy is the page, as far as the copy alone tells.
    fn judged(&self, url: &Url, replay: &Replay, digest: Digest) -> Result<(), String> {
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
            digest: Some(digest.into()),
        };
        let look = Attempt {
            requested_at: replay.captured_at,
            purpose: FetchPurpose::Initial,
            outcome: probe.outcome.clone(),
            duration_ms: 0,
        };
        let case = JudgeInput {
            url: url.as_str(),
            attempts: &[look],
            probe: &probe,
            phrase_scan: None,
            controls: &[],
            soft404_profile: Soft404Profile::default(),
            history: &History::default(),
            now: replay.captured_at,
        };
        let judgment = conclude(self.policy, &case);
        if judgment.verdict.is_reached() { Ok(()) } else { Err(judgment.reason) }
    }
}
