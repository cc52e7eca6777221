//! Spends the control budget of a host in an order that does not depend on the
//! order of the input.
//!
//! All pages of a host are fetched first. A page that needs a control which no other
//! page has requested is deferred. When the host has no more pages, the most unusual
//! pages are compared first, and pages that are equally unusual in the order of a
//! hash of their URLs. Pages for which no control is left are judged without it.
//!
//! Two kinds of controls are requested at once, because that does not depend on the
//! order either: a control that [`SHARED_BY`] pages need, and, on hosts with more
//! than [`MAX_RANKED_KEYS`] different controls, one that its hash selects. On such
//! hosts the remaining pages are held in the store instead of in memory.
//!
//! A crawl cannot defer pages, because it must follow their links. It requests the
//! first [`MAX_RANKED_KEYS`] controls of a host, and then those that a hash selects.

use std::cmp::Reverse;
use std::collections::HashMap;

use relink_ports::HostId;
use xxhash_rust::xxh3::xxh3_64;

use super::Dispatcher;
use super::controls::{ControlLookup, ControlTask, missing_control};
use super::host_queue::HostQueue;
use super::pending_judgment::PendingJudgment;
use crate::{EngineError, Observer};

/// Number of pages that must need a control before it is requested at once.
const SHARED_BY: u8 = 4;
/// Maximum number of different controls of a host whose pages are ranked in memory.
const MAX_RANKED_KEYS: u32 = 64;
/// Number of controls that every host allows.
const MIN_BUDGET: usize = 6;
/// Number of deferred pages that allow two more controls.
const PAGES_PER_TWO_CONTROLS: usize = 5;
/// On hosts with many controls, one of this number is requested.
const SAMPLE: u64 = 4;
/// The same for the controls of suspicious pages.
const SUSPICIOUS_SAMPLE: u64 = 2;
/// Additional rank of a page whose content another page has, too.
const SHARED_CONTENT_RANK: u32 = 3;

/// Pages of one host that wait until its control budget is spent.
#[derive(Default)]
pub(super) struct DeferredComparisons {
    /// The pages, with the key of the control that each of them needs. While the
    /// budget is spent, they are sorted by rank, the next one last.
    pages: Vec<(String, PendingJudgment)>,
    /// Number of controls left, while the budget is spent.
    budget: Option<usize>,
    /// Number of tasks that will be fetched again.
    pub(super) retries: usize,
}

impl DeferredComparisons {
    pub(super) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    fn take_with_key(&mut self, key: &str) -> Vec<PendingJudgment> {
        let pages = self.pages.extract_if(.., |(other, _)| other == key);
        pages.map(|(_, pending)| pending).collect()
    }

    /// Sorts the pages and sets the budget.
    fn start(&mut self) {
        let pages = self.pages.len();
        self.budget = Some(MIN_BUDGET.max((2 * pages).div_ceil(PAGES_PER_TWO_CONTROLS)));
        let mut copies: HashMap<u64, usize> = HashMap::new();
        for (_, pending) in &self.pages {
            *copies.entry(pending.content_hash()).or_default() += 1;
        }
        self.pages.sort_by_cached_key(|(_, pending)| {
            let is_copy = copies.get(&pending.content_hash()).is_some_and(|count| *count > 1);
            let rank = pending.suspicion() + if is_copy { SHARED_CONTENT_RANK } else { 0 };
            (rank, Reverse(xxh3_64(pending.task.url.as_bytes())))
        });
    }

    /// Removes and returns the next page. The budget ends with the last page.
    fn next(&mut self) -> Option<PendingJudgment> {
        if self.budget.is_none() && !self.pages.is_empty() {
            self.start();
        }
        self.pages.pop().map(|(_, pending)| pending)
    }

    fn spend(&mut self) -> bool {
        let Some(left) = &mut self.budget else { return false };
        let is_allowed = *left > 0;
        *left = left.saturating_sub(1);
        is_allowed
    }
}

/// Number of pages that need each control, and number of controls per host.
#[derive(Default)]
pub(super) struct ControlDemand {
    pages: HashMap<u64, u8>,
    keys: HashMap<HostId, u32>,
}

impl ControlDemand {
    /// Counts a page that needs a control. Returns the number of such pages.
    fn count(&mut self, key: u64, pending: &mut PendingJudgment) -> u8 {
        let pages = self.pages.entry(key).or_default();
        if pending.counted_key != Some(key) {
            pending.counted_key = Some(key);
            *self.keys.entry(pending.host).or_default() += u32::from(*pages == 0);
            *pages = pages.saturating_add(1);
        }
        *pages
    }

    fn is_ranked(&self, host: HostId) -> bool {
        self.keys.get(&host).is_none_or(|keys| *keys <= MAX_RANKED_KEYS)
    }
}

impl Dispatcher<'_> {
    /// Decides whether a control is requested now, later or not at all.
    pub(super) fn grant_control(
        &mut self,
        pending: &mut PendingJudgment,
        task: ControlTask,
    ) -> ControlLookup {
        let host = pending.host;
        if self.controls.is_requested(&task.key) {
            return ControlLookup::Pending(task);
        }
        let key = xxh3_64(task.key.as_bytes());
        let pages = self.demand.count(key, pending);
        let is_ranked = self.demand.is_ranked(host);
        let sample = if pending.is_suspicious() { SUSPICIOUS_SAMPLE } else { SAMPLE };
        let is_sampled = key.is_multiple_of(sample);
        let is_crawl = self.crawler.is_some();
        let Some(queue) = self.queues.get_mut(&host) else {
            return ControlLookup::Control(missing_control(task.kind));
        };
        let is_spending = queue.comparisons.budget.is_some();
        let is_granted = match (is_spending, is_ranked) {
            _ if is_crawl => is_ranked || is_sampled,
            (true, true) => queue.comparisons.spend(),
            (true, false) => is_sampled,
            (false, _) if pages >= SHARED_BY => true,
            (false, true) => return ControlLookup::Deferred(task.key),
            (false, false) if is_sampled => true,
            (false, false) => return ControlLookup::Held,
        };
        if is_granted {
            ControlLookup::Pending(task)
        } else {
            ControlLookup::Control(missing_control(task.kind))
        }
    }

    /// Defers a page until all pages of its host are fetched. Frees its request slot.
    pub(super) fn defer_comparison(&mut self, pending: PendingJudgment, key: String) {
        self.in_flight -= 1;
        if let Some(queue) = self.queues.get_mut(&pending.host) {
            queue.comparisons.pages.push((key, pending));
        }
    }

    /// Takes the deferred pages that need a control which is requested now. They
    /// occupy request slots again.
    pub(super) fn take_deferred(&mut self, host: HostId, key: &str) -> Vec<PendingJudgment> {
        let Some(queue) = self.queues.get_mut(&host) else { return Vec::new() };
        let pages = queue.comparisons.take_with_key(key);
        self.in_flight += pages.len();
        pages
    }

    /// Judges the deferred pages of a host, one after the other, if all its pages are
    /// fetched.
    pub(super) async fn spend_controls(
        &mut self,
        host: HostId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let batches = self.stored_batches();
        let is_due = |queue: &HostQueue| {
            let is_last = queue.comparisons.retries == 0 || queue.is_closed();
            !queue.comparisons.is_empty() && is_last && queue.is_fetched(batches)
        };
        if !self.is_loaded || !self.queues.get(&host).is_some_and(is_due) {
            return Ok(());
        }
        let mut judged = Vec::new();
        while let Some(pending) =
            self.queues.get_mut(&host).and_then(|queue| queue.comparisons.next())
        {
            self.in_flight += 1;
            match self.advance(pending).await? {
                Some(task) => judged.push(task),
                // The page waits for a control. The others follow.
                None => break,
            }
        }
        let count = judged.len();
        self.commit(judged, observer).await?;
        self.in_flight -= count;
        self.end_spending(host);
        Ok(())
    }

    /// Ends the spending of a budget after the last page. Pages that are found later
    /// get a budget of their own.
    fn end_spending(&mut self, host: HostId) {
        let Some(queue) = self.queues.get_mut(&host) else { return };
        if queue.comparisons.is_empty() && queue.awaiting_control == 0 {
            queue.comparisons.budget = None;
        }
    }

    /// Requests a refill of all hosts with deferred pages, because links were stored
    /// since.
    pub(super) fn refill_deferred_hosts(&mut self) {
        let has_deferred = |(_, queue): &(&HostId, &HostQueue)| !queue.comparisons.is_empty();
        let hosts: Vec<HostId> =
            self.queues.iter().filter(has_deferred).map(|(host, _)| *host).collect();
        for host in hosts {
            self.claims.request_refill(host);
        }
    }
}
