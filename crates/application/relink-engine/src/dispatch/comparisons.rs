//! Spends the control budget of a host in an order that does not depend on the
//! order of the input.
//!
//! A *control* is a page that is fetched only for comparison; its *key* is equal for all
//! pages that can share it. The *control budget* is the number of controls that may be
//! requested from a host.
//!
//! All pages of a host are fetched first. A page that needs a control which no other
//! page has requested is deferred. When the host has no more pages, the most suspicious
//! pages are compared first, and equally suspicious pages in the order of a hash of
//! their URLs (their *ranks*). Pages for which no control is left are judged without it.
//!
//! Two kinds of controls are requested at once, because they do not depend on the order of
//! the input either: a control that [`SHARED_BY`] pages need, and, on hosts with more
//! than [`MAX_RANKED_KEYS`] different controls, a control that is selected by the hash
//! of its key. On such hosts the remaining pages are held in the store instead of in
//! memory.
//!
//! A crawl cannot defer pages, because it must follow their links. It requests the
//! first [`MAX_RANKED_KEYS`] controls of a host, and then those selected by the hash.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use relink_judge::RuleSet;
use relink_model::{Control, ControlKind, FetchOutcome, Probe};
use relink_ports::HostId;
use xxhash_rust::xxh3::xxh3_64;

use super::Dispatcher;
use super::controls::{ControlLookup, ControlTask, ranked_key};
use super::host_queue::HostQueue;
use super::pending_judgment::{JudgedTask, PendingJudgment, content_hash};
use crate::Observer;
use relink_requests::{ControlRequest, EngineError, missing_control};

/// Number of pages that must need a control before it is requested at once.
const SHARED_BY: u8 = 4;
/// Maximum number of different controls of a host whose pages are ranked in memory.
const MAX_RANKED_KEYS: u32 = 64;
/// Number of controls that every host allows.
const MIN_BUDGET: usize = 6;
/// Number of deferred pages that allow two more controls.
const PAGES_PER_TWO_CONTROLS: usize = 5;
/// On hosts with many controls, one in this number is requested.
const SAMPLE_INTERVAL: u64 = 4;
/// On hosts with many controls, one in this number of the controls of suspicious pages is
/// requested.
const SUSPICIOUS_SAMPLE_INTERVAL: u64 = 2;
/// Additional rank of a page whose content another page has, too.
const SHARED_CONTENT_RANK: u32 = 3;

/// Kinds of controls that may be pages of the run.
const PAGE_KINDS: [ControlKind; 4] = [
    ControlKind::WithoutParameter,
    ControlKind::WithoutOtherParameter,
    ControlKind::LinkedQueryValue,
    ControlKind::HomePage,
];

/// Pages of one host that wait until its control budget is spent.
#[derive(Default)]
pub(super) struct DeferredComparisons {
    /// The pages, with the key of the control that each of them needs. While the
    /// budget is spent, they are sorted by rank, the next one last.
    pages: Vec<(String, PendingJudgment)>,
    /// Number of controls left, while the budget is spent.
    budget: Option<usize>,
    /// Keys of the controls that the budget was spent on.
    granted_keys: HashSet<String>,
    /// Responses of the host to random names that have a success status.
    error_pages: Vec<Control>,
    /// Judged pages. All of them are committed at once, so that a run that is
    /// interrupted before the commit ranks the same pages again.
    finished: Vec<JudgedTask>,
    /// Number of tasks that will be fetched again. Ranking starts after them.
    pub(super) retries: usize,
}

impl DeferredComparisons {
    pub(super) fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.finished.is_empty()
    }

    /// Removes and returns the pages that need this control.
    fn take_with_key(&mut self, key: &str) -> Vec<PendingJudgment> {
        let pages = self.pages.extract_if(.., |(other, _)| other == key);
        pages.map(|(_, pending)| pending).collect()
    }

    /// Returns the page at a URL if it was fetched in this run.
    fn fetched_page(&self, url: &str) -> Option<&Probe> {
        let waiting = self.pages.iter().find(|(_, pending)| pending.task.url == url);
        let finished = || self.finished.iter().find(|judged| judged.task.url == url);
        match waiting {
            Some((_, pending)) => Some(&pending.probe),
            None => finished()?.completion.probe.as_ref(),
        }
    }

    /// Sorts the pages and sets the budget.
    fn start(&mut self) {
        let page_count = self.pages.len();
        self.budget = Some(MIN_BUDGET.max((2 * page_count).div_ceil(PAGES_PER_TWO_CONTROLS)));
        let mut pages_by_content: HashMap<u64, usize> = HashMap::new();
        for (_, pending) in &self.pages {
            *pages_by_content.entry(pending.content_hash()).or_default() += 1;
        }
        self.pages.sort_by_cached_key(|(_, pending)| {
            let has_shared_content =
                pages_by_content.get(&pending.content_hash()).is_some_and(|count| *count > 1);
            let content_rank = if has_shared_content { SHARED_CONTENT_RANK } else { 0 };
            let rank = pending.suspicion() + content_rank;
            (rank, Reverse(xxh3_64(pending.task.url.as_bytes())))
        });
    }

    /// Removes and returns the next page.
    fn next(&mut self) -> Option<PendingJudgment> {
        if self.budget.is_none() && !self.pages.is_empty() {
            self.start();
        }
        let (_, mut pending) = self.pages.pop()?;
        pending.is_ranked = true;
        Some(pending)
    }

    /// Spends the budget on a control. Returns whether the control may be fetched.
    /// Several pages may use one control.
    fn spend(&mut self, key: &str) -> bool {
        if self.granted_keys.contains(key) {
            return true;
        }
        let Some(left) = self.budget.filter(|left| *left > 0) else { return false };
        self.budget = Some(left - 1);
        self.granted_keys.insert(key.to_owned());
        true
    }
}

/// Number of pages that need each control, and number of controls per host.
#[derive(Default)]
pub(super) struct ControlDemand {
    /// Number of pages by the hash of the key of a control.
    pages: HashMap<u64, u8>,
    /// Number of different controls.
    keys: HashMap<HostId, u32>,
}

impl ControlDemand {
    /// Counts a page that needs a control, given by the hash of its key. Returns the number
    /// of pages that need this control.
    fn count(&mut self, key_hash: u64, pending: &mut PendingJudgment) -> u8 {
        let pages = self.pages.entry(key_hash).or_default();
        if pending.counted_key != Some(key_hash) {
            pending.counted_key = Some(key_hash);
            *self.keys.entry(pending.host).or_default() += u32::from(*pages == 0);
            *pages = pages.saturating_add(1);
        }
        *pages
    }

    /// Whether the pages of the host are ranked in memory.
    fn is_small(&self, host: HostId) -> bool {
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
        // Rules that reproduce a published method have no budget.
        let is_unlimited = self.settings.policy.rules != RuleSet::Relink;
        if is_unlimited || self.controls.is_requested(&task.request.key) {
            return ControlLookup::Pending(task);
        }
        let key_hash = xxh3_64(task.request.key.as_bytes());
        let pages =
            if pending.is_ranked { 0 } else { self.controls.demand.count(key_hash, pending) };
        let is_small = self.controls.demand.is_small(host);
        let interval =
            if pending.is_suspicious() { SUSPICIOUS_SAMPLE_INTERVAL } else { SAMPLE_INTERVAL };
        let is_sampled = key_hash.is_multiple_of(interval);
        // The module documentation states these rules. A page that is not ranked yet can be
        // deferred in memory or held in the store; a ranked page is decided now.
        let is_granted = match (pending.is_ranked, is_small) {
            _ if self.job.follows_links() => is_small || is_sampled,
            (true, true) => return self.grant_ranked(pending, task),
            (true, false) => is_sampled,
            (false, _) if pages >= SHARED_BY => true,
            (false, true) => return ControlLookup::Deferred(task.request.key),
            (false, false) if is_sampled => true,
            (false, false) => return ControlLookup::Held,
        };
        if is_granted {
            ControlLookup::Pending(task)
        } else {
            ControlLookup::Control(missing_control(task.request.kind))
        }
    }

    /// Spends the budget of the host on a control. If nothing is left, an error page of
    /// another directory is the control, provided that it is identical to the page.
    fn grant_ranked(&mut self, pending: &PendingJudgment, task: ControlTask) -> ControlLookup {
        let ControlRequest { kind, key, url, .. } = &task.request;
        let kind = *kind;
        let Some(queue) = self.queues.get_mut(pending.host) else {
            return ControlLookup::Control(missing_control(kind));
        };
        // A page of the run costs no request.
        if PAGE_KINDS.contains(&kind)
            && let Some(probe) = queue.comparisons.fetched_page(url)
        {
            let probe = Some(Arc::new(probe.clone()));
            return ControlLookup::Control(Control { kind, url: url.clone(), probe });
        }
        if queue.comparisons.spend(key) {
            let request = ControlRequest { key: ranked_key(key), ..task.request };
            return ControlLookup::Pending(ControlTask { request, ..task });
        }
        let error_pages = &queue.comparisons.error_pages;
        let same_page = error_pages.iter().find(|control| is_error_page(pending, control));
        ControlLookup::Control(match same_page.filter(|_| kind == ControlKind::RandomName) {
            Some(control) => control.clone(),
            None => missing_control(kind),
        })
    }

    /// Records the response to a random name, if it has a success status.
    pub(super) fn record_error_page(&mut self, host: HostId, control: &Control) {
        let is_success =
            |probe: &Arc<Probe>| matches!(probe.outcome, FetchOutcome::Response(200..=299));
        if control.kind == ControlKind::RandomName
            && control.probe.as_ref().is_some_and(is_success)
            && let Some(queue) = self.queues.get_mut(host)
            && !queue.comparisons.error_pages.iter().any(|known| known.url == control.url)
        {
            queue.comparisons.error_pages.push(control.clone());
        }
    }

    /// Defers a page until all pages of its host are fetched. Frees its request slot.
    pub(super) fn defer_comparison(&mut self, pending: PendingJudgment, key: String) {
        self.requests.free(1);
        if let Some(queue) = self.queues.get_mut(pending.host) {
            queue.comparisons.pages.push((key, pending));
        }
    }

    /// Removes and returns the deferred pages that need a control which is requested
    /// now. These pages occupy request slots again.
    pub(super) fn take_deferred(&mut self, host: HostId, key: &str) -> Vec<PendingJudgment> {
        let Some(queue) = self.queues.get_mut(host) else { return Vec::new() };
        let pages = queue.comparisons.take_with_key(key);
        self.requests.occupy(pages.len());
        pages
    }

    /// Judges the deferred pages of a host by rank, if all its pages are fetched.
    pub(super) async fn spend_controls(
        &mut self,
        host: HostId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let batches = self.stored_batches();
        let is_due = |queue: &HostQueue| {
            let has_no_retries = queue.comparisons.retries == 0 || queue.is_closed();
            !queue.comparisons.is_empty() && has_no_retries && queue.is_fetched(batches)
        };
        if !self.loading.is_done() || !self.queues.get(host).is_some_and(is_due) {
            return Ok(());
        }
        while let Some(queue) = self.queues.get_mut(host)
            // One page at a time: the next page may use the control of this one.
            && queue.awaiting_control == 0
            && let Some(pending) = queue.comparisons.next()
        {
            self.requests.occupy(1);
            // A ranked page is not returned: `finish_ranked` saves it.
            self.advance(pending).await?;
        }
        let Some(queue) = self.queues.get_mut(host) else { return Ok(()) };
        if queue.awaiting_control > 0 {
            return Ok(());
        }
        // Pages that are found later get a budget of their own.
        let finished = std::mem::take(&mut queue.comparisons.finished);
        let retries = queue.comparisons.retries;
        queue.comparisons = DeferredComparisons { retries, ..DeferredComparisons::default() };
        self.commit(finished, observer).await
    }

    /// Saves a judged page until all ranked pages of its host are judged, and frees its
    /// request slot. Returns the page if its host is no longer leased.
    pub(super) fn finish_ranked(&mut self, host: HostId, judged: JudgedTask) -> Option<JudgedTask> {
        let Some(queue) = self.queues.get_mut(host) else { return Some(judged) };
        queue.comparisons.finished.push(judged);
        self.requests.free(1);
        None
    }

    /// Requests a refill of all hosts with deferred pages, because new links may have
    /// added tasks of the same hosts.
    pub(super) fn refill_deferred_hosts(&mut self) {
        let has_deferred = |(_, queue): &(HostId, &HostQueue)| !queue.comparisons.is_empty();
        let hosts: Vec<HostId> =
            self.queues.iter().filter(has_deferred).map(|(host, _)| host).collect();
        for host in hosts {
            self.claims.request_refill(host);
        }
    }
}

/// Whether a page has the same content as the response to a random name in another
/// directory of the same depth.
fn is_error_page(pending: &PendingJudgment, control: &Control) -> bool {
    let depth = |url: &str| url.split('?').next().unwrap_or(url).matches('/').count();
    let hash = control.probe.as_deref().map(content_hash);
    depth(&pending.task.url) == depth(&control.url) && hash == Some(pending.content_hash())
}
