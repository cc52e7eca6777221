//! What web archives remember of a dead page: redirects of old, and its last
//! good copy.

use std::time::Instant;

use relink_judge::{Case, Habit, Policy, conclude};
use relink_model::{
    Capture, Digest, Ending, History, Hop, Look, Probe, Purpose, Snapshot, Timings,
};
use relink_ports::{
    Archive, ArchiveFault, CaptureList, CaptureOrder, CaptureQuery, CaptureStatuses, Replay,
};
use relink_revive::Directory;
use relink_revive::cost::Cost;
use relink_revive::redirects::{ArchivedRedirect, COMPARED, RedirectHistory, WINDOW};
use url::Url;

use super::story::PassedOver;

/// Redirects of one address that are replayed, newest first.
const REDIRECTS: usize = 4;
/// Copies that are tried before a page counts as not archived.
const COPIES: usize = 3;
/// Captures listed of a directory.
const LISTED: usize = 500;

/// The last good copy of a page.
#[derive(Debug, Clone)]
pub(super) struct OldCopy {
    pub(super) snapshot: Option<Snapshot>,
    pub(super) taken: jiff::Timestamp,
    pub(super) digest: Digest,
}

/// What was asked of archives, and what they could not tell.
#[derive(Debug, Default)]
pub(super) struct Bill {
    pub(super) cost: Cost,
    pub(super) remarks: Vec<String>,
}

impl Bill {
    fn note(&mut self, fault: &ArchiveFault) {
        let remark = fault.to_string();
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }
}

/// Asks one archive, counting.
pub(super) struct Reading<'a> {
    pub(super) archive: &'a dyn Archive,
    pub(super) policy: &'a Policy,
}

impl Reading<'_> {
    /// All captures of an address.
    pub(super) async fn captures(&self, url: &Url, bill: &mut Bill) -> CaptureList {
        let query = CaptureQuery { order: CaptureOrder::Newest, ..CaptureQuery::of(url.clone()) };
        self.list(&query, bill).await
    }

    async fn list(&self, query: &CaptureQuery, bill: &mut Bill) -> CaptureList {
        let began = Instant::now();
        let before = self.archive.requests();
        let listed = self.archive.captures(query).await;
        self.charge(bill, before, began);
        listed.unwrap_or_else(|fault| {
            bill.note(&fault);
            CaptureList::default()
        })
    }

    async fn replay(&self, capture: &Capture, bill: &mut Bill) -> Option<Replay> {
        let began = Instant::now();
        let before = self.archive.requests();
        let replayed = self.archive.replay(capture).await;
        self.charge(bill, before, began);
        replayed.unwrap_or_else(|fault| {
            bill.note(&fault);
            None
        })
    }

    fn charge(&self, bill: &mut Bill, before: u64, began: Instant) {
        let asked = self.archive.requests().saturating_sub(before);
        bill.cost.archive_lookups += u32::try_from(asked).unwrap_or(u32::MAX);
        bill.cost.time += began.elapsed();
    }

    /// The redirects that an address once sent.
    pub(super) async fn redirects(
        &self,
        url: &Url,
        captures: &CaptureList,
        bill: &mut Bill,
    ) -> RedirectHistory {
        let mut redirects = Vec::new();
        let mut sent: Vec<&Capture> =
            captures.captures.iter().filter(|capture| capture.is_redirect()).collect();
        sent.sort_by_key(|capture| std::cmp::Reverse(capture.taken));
        for capture in sent.into_iter().take(REDIRECTS) {
            let target = match &capture.redirect {
                Some(target) => Some(target.clone()),
                None => self.replay(capture, bill).await.and_then(|replay| replay.target),
            };
            if let Some(target) = target {
                redirects.push(ArchivedRedirect { at: capture.taken, target });
            }
        }
        RedirectHistory { url: url.clone(), redirects }
    }

    /// Redirects that other addresses of the directory once sent, at about the
    /// time of its own, as many as the rule compares.
    pub(super) async fn siblings(
        &self,
        own: &RedirectHistory,
        bill: &mut Bill,
    ) -> Vec<RedirectHistory> {
        let url = &own.url;
        let Ok(above) = url.join("./") else { return Vec::new() };
        let times = || own.redirects.iter().map(|redirect| redirect.at);
        let query = CaptureQuery {
            statuses: CaptureStatuses::Redirects,
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
        passed_over: &mut Vec<PassedOver>,
        bill: &mut Bill,
    ) -> Option<OldCopy> {
        for capture in captures.by_preference(near).into_iter().take(COPIES) {
            let Some(replay) = self.replay(capture, bill).await else { continue };
            let digest = relink_page::digest(
                replay.body.content_type.as_deref(),
                replay.body.language.as_deref(),
                &replay.body.bytes,
                replay.body.is_cut,
            );
            match self.judged(url, &replay, digest.clone()) {
                Ok(()) => {
                    let snapshot = capture.snapshot();
                    return Some(OldCopy { snapshot, taken: replay.taken, digest });
                }
                Err(reason) => passed_over.push(PassedOver { taken: replay.taken, reason }),
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
            address: None,
        };
        let probe = Probe {
            asked: replay.taken,
            hops: vec![hop],
            ending: Ending::Answered(replay.status),
            timings: Timings::default(),
            retry_after: None,
            digest: Some(digest.into()),
        };
        let look = Look {
            asked: replay.taken,
            purpose: Purpose::First,
            ending: probe.ending.clone(),
            took_ms: 0,
        };
        let case = Case {
            url: url.as_str(),
            looks: &[look],
            probe: &probe,
            heard: None,
            controls: &[],
            habit: Habit::default(),
            history: &History::default(),
            now: replay.taken,
        };
        let judgement = conclude(self.policy, &case);
        if judgement.word.is_reached() { Ok(()) } else { Err(judgement.reason) }
    }
}
