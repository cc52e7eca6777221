//! Controls: pages that are fetched only for comparison. Most have a random name that
//! cannot exist, to learn how the error pages of the host look.
//!
//! A control is fetched once for all targets that can share it, and saved in
//! the store. An *attempt* (a fetched page that is not judged yet) that waits for a
//! control keeps its request slot until it is judged. The module `comparisons` decides
//! which controls are fetched.
//!
//! Controls are requested with GET, without the credentials of the user.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use relink_judge::is_conclusive;
use relink_model::{Control, ControlKind, FetchTask, Probe};
use relink_ports::{HostId, StoredControl, UserAgent};
use xxhash_rust::xxh3::xxh3_64;

use super::comparisons::ControlDemand;
use super::host_queue::HostQueue;
use super::pending_judgment::PendingJudgment;
use super::trap_tests::TrapTestPart;
use super::{Dispatcher, WorkerEvent};
use relink_requests::{
    ControlRequest, EngineError, StoredUrlRequest, control_key_for, internal_error_probe,
    isolate_async, missing_control, probe_stored_url_with_body,
};

/// Maximum number of controls cached in memory. Others are read from the store.
const MAX_CACHED: usize = 4096;
/// Minimum number of queued tasks of one directory for which its control is
/// prefetched. Otherwise the pages of the directory would all wait for the control.
/// Only hosts with a high concurrency have this many queued tasks. On other hosts,
/// the wait costs nothing.
const PREFETCH_THRESHOLD: usize = 16;
/// Start of the keys of controls that were fetched because of the rank of a page (see
/// the module `comparisons`).
const RANKED_PREFIX: &str = "ranked ";

/// A control to fetch.
#[derive(Debug, Clone)]
pub(super) struct ControlTask {
    pub(super) request: ControlRequest,
    /// Whether the control is fetched before any attempt waits for it. It then
    /// has a request slot of its own.
    pub(super) is_prefetch: bool,
    /// Set if the URL is requested to test whether a set of pages is endless.
    pub(super) trap_test: Option<TrapTestPart>,
}

impl ControlTask {
    /// Returns a control that an attempt waits for.
    pub(super) fn new(request: ControlRequest) -> Self {
        Self { request, is_prefetch: false, trap_test: None }
    }
}

/// Controls of this run.
#[derive(Default)]
pub(super) struct Controls {
    pub(super) demand: ControlDemand,
    /// URL and probe by key. The probe is `None` if the control was requested but will
    /// not be fetched, because its host is closed or down.
    cache: HashMap<String, (String, Option<Arc<Probe>>)>,
    /// Attempts that wait for a control, by key.
    waiting: HashMap<String, Vec<PendingJudgment>>,
}

impl Controls {
    fn cached(&self, kind: ControlKind, key: &str) -> Option<Control> {
        let (url, probe) = self.cache.get(key)?;
        Some(Control { kind, url: url.clone(), probe: probe.clone() })
    }

    /// Whether a control is requested but not fetched yet.
    pub(super) fn is_requested(&self, key: &str) -> bool {
        self.waiting.contains_key(key)
    }

    /// Whether a control is cached or requested.
    fn is_known(&self, key: &str) -> bool {
        self.cache.contains_key(key) || self.waiting.contains_key(key)
    }

    /// Caches a control. A full cache is cleared, because the store has the controls.
    fn insert(&mut self, key: String, url: String, probe: Option<Arc<Probe>>) {
        if self.cache.len() >= MAX_CACHED {
            self.cache.clear();
        }
        self.cache.insert(key, (url, probe));
    }
}

/// Result of a control lookup.
pub(super) enum ControlLookup {
    /// The control is available, or known to be missing.
    Control(Control),
    /// The control must be fetched first.
    Pending(ControlTask),
    /// The control with this key may be fetched after all pages of the host are fetched.
    Deferred(String),
    /// The page must wait in the store for the end of the run.
    Held,
}

impl Dispatcher<'_> {
    /// Returns a control from memory or the store, or a request for it if the module
    /// `comparisons` grants one.
    pub(super) async fn find_control(
        &mut self,
        kind: ControlKind,
        pending: &mut PendingJudgment,
    ) -> Result<ControlLookup, EngineError> {
        if !self.settings.uses_controls {
            return Ok(ControlLookup::Control(missing_control(kind)));
        }
        let Some(key) = control_key_for(kind, &pending.task.url, &pending.probe) else {
            return Ok(ControlLookup::Control(missing_control(kind)));
        };
        if let Some(control) = self.stored_control(kind, &key).await? {
            return Ok(ControlLookup::Control(control));
        }
        let page = &pending.task;
        let probed = (page.url.as_str(), &pending.probe);
        let request = ControlRequest::of_probe(kind, probed, page.rights, self.salt());
        let Some(request) = request else {
            return Ok(ControlLookup::Control(missing_control(kind)));
        };
        let queue = self.queues.get(pending.host);
        if queue.is_some_and(|queue| !queue.robots.is_allowed(&request.url)) {
            return Ok(ControlLookup::Control(missing_control(kind)));
        }
        let request = ControlRequest { key, ..request };
        let granted = self.grant_control(pending, ControlTask::new(request));
        // An earlier or interrupted run may have fetched the control.
        if let ControlLookup::Pending(task) = &granted
            && pending.is_ranked
            && let Some(control) = self.stored_control(kind, &task.request.key).await?
        {
            self.record_error_page(pending.host, &control);
            return Ok(ControlLookup::Control(control));
        }
        Ok(granted)
    }

    /// Prefetches the controls of directories with many queued tasks.
    pub(super) async fn prefetch_controls(&mut self, host: HostId) -> Result<(), EngineError> {
        // A crawl fetches robots.txt first and discovers its pages one by one.
        // A host without responses may be down.
        let can_prefetch = |queue: &&HostQueue| {
            !self.job.follows_links() && self.settings.uses_controls && queue.has_responded()
        };
        let Some(queue) = self.queues.get(host).filter(can_prefetch) else { return Ok(()) };
        for first in prefetch_candidates(&queue.tasks) {
            let (kind, salt) = (ControlKind::RandomName, self.salt());
            let Some(request) = ControlRequest::of_page(kind, &first.url, first.rights, salt)
            else {
                continue;
            };
            let key = &request.key;
            if self.controls.is_known(key)
                || self.ports.store.control(key, self.controls_since()).await?.is_some()
            {
                continue;
            }
            let task = ControlTask { is_prefetch: true, ..ControlTask::new(request) };
            if let Some(queue) = self.queues.get_mut(host) {
                self.controls.waiting.insert(task.request.key.clone(), Vec::new());
                queue.pending_controls.push_back(task);
            }
        }
        Ok(())
    }

    /// Returns a control that was fetched in this run or is stored.
    async fn stored_control(
        &mut self,
        kind: ControlKind,
        key: &str,
    ) -> Result<Option<Control>, EngineError> {
        if let Some(control) = self.controls.cached(kind, key) {
            return Ok(Some(control));
        }
        // A refetch repeats the request for the page itself, so an old one is useless.
        if kind == ControlKind::Refetch || self.controls.waiting.contains_key(key) {
            return Ok(None);
        }
        let stored = self.ports.store.control(key, self.controls_since()).await?;
        // A control from the future was stored with a wrong clock.
        let stored = stored.filter(|stored| stored.probe.requested_at <= self.ports.now());
        Ok(stored.map(|StoredControl { key, url, probe }| {
            let probe = Some(Arc::new(probe));
            self.controls.insert(key, url.clone(), probe.clone());
            Control { kind, url, probe }
        }))
    }

    /// Returns a control for a held task; a missing one if it was not fetched.
    pub(super) async fn known_control(
        &mut self,
        kind: ControlKind,
        url: &str,
        probe: &Probe,
    ) -> Result<Control, EngineError> {
        let Some(key) = control_key_for(kind, url, probe) else { return Ok(missing_control(kind)) };
        let stored = match self.stored_control(kind, &key).await? {
            Some(control) => Some(control),
            None => self.stored_control(kind, &ranked_key(&key)).await?,
        };
        Ok(stored.unwrap_or_else(|| missing_control(kind)))
    }

    /// Queues an attempt that waits for a control, and requests the control if
    /// it is not yet requested.
    pub(super) fn await_control(&mut self, pending: PendingJudgment, task: ControlTask) {
        let host = pending.host;
        if let Some(queue) = self.queues.get_mut(host) {
            queue.awaiting_control += 1;
        }
        let key = task.request.key.clone();
        let is_requested = self.controls.is_requested(&key);
        // Pages that were deferred because of the same control can now be judged, too.
        let deferred = self.take_deferred(host, &key);
        if let Some(queue) = self.queues.get_mut(host) {
            queue.awaiting_control += deferred.len();
        }
        let waiting = self.controls.waiting.entry(key.clone()).or_default();
        let is_first = waiting.is_empty();
        waiting.push(pending);
        waiting.extend(deferred);
        if is_first
            && let Some(queue) = self.queues.get_mut(host)
            // A prefetched control must not wait for a request slot: the tasks
            // that wait for it may hold all slots.
            && (!is_requested || queue.has_pending_control(&key))
        {
            queue.prioritize_control(task);
        }
        self.schedule(host);
    }

    /// Sends the request for a control. A control that attempts wait for needs
    /// no request slot, because these attempts hold theirs.
    pub(super) fn send_control(&mut self, host: HostId, mut task: ControlTask) {
        self.requests.occupy(usize::from(task.is_prefetch));
        let options = self.queues.get(host).map(HostQueue::request_options).unwrap_or_default();
        self.requests.spawn(move |ports| async move {
            let (url, rights) = (&*task.request.url, task.request.rights);
            let agent = UserAgent::Relink;
            let request = StoredUrlRequest { url, base: None, rights, agent, options, known: None };
            let fetched = probe_stored_url_with_body(&*ports.fetch, &*ports.clock, request);
            let fetched = isolate_async(url, fetched).await;
            let (probe, body) =
                fetched.unwrap_or_else(|_| (internal_error_probe(ports.now()), None));
            if let Some(test) = &mut task.trap_test {
                test.read_page(&task.request.url, &probe, body.as_ref());
            }
            WorkerEvent::ControlFetched(host, Box::new(task), Box::new(probe))
        });
    }

    /// Records a fetched control. Returns the attempts that waited for it.
    pub(super) async fn record_control(
        &mut self,
        host: HostId,
        task: ControlTask,
        probe: Probe,
    ) -> Result<Vec<PendingJudgment>, EngineError> {
        let now = self.current_time();
        let max_wait = self.settings.max_host_wait;
        self.requests.free(usize::from(task.is_prefetch));
        if let Some(queue) = self.queues.get_mut(host) {
            queue.control_finished(now, &probe, max_wait);
            if let Some(request) = task.request.next_attempt_after(&probe)
                && !queue.is_closed()
            {
                let waiting = self.controls.waiting.get(&request.key);
                let retry = ControlTask { request, ..task };
                if waiting.is_some_and(|attempts| !attempts.is_empty()) {
                    queue.prioritize_control(retry);
                } else {
                    queue.pending_controls.push_back(retry);
                }
                return Ok(Vec::new());
            }
        }
        let is_shared = task.request.is_shared() && task.trap_test.is_none();
        if is_shared && is_conclusive(&probe) {
            let ControlRequest { key, url, .. } = task.request.clone();
            let stored = StoredControl { key, url, probe: probe.clone() };
            self.ports.store.save_controls(&[stored]).await?;
        }
        Ok(self.finish_control(host, task, Some(probe)))
    }

    /// Caches a control and returns the attempts that waited for it.
    pub(super) fn finish_control(
        &mut self,
        host: HostId,
        task: ControlTask,
        probe: Option<Probe>,
    ) -> Vec<PendingJudgment> {
        if let Some(test) = task.trap_test {
            self.finish_trap_test(test);
            return Vec::new();
        }
        let ControlRequest { key, url, .. } = task.request;
        let waiting = self.controls.waiting.remove(&key).unwrap_or_default();
        if let Some(queue) = self.queues.get_mut(host) {
            queue.awaiting_control = queue.awaiting_control.saturating_sub(waiting.len());
        }
        self.controls.insert(key, url, probe.map(Arc::new));
        waiting
    }

    /// Forgets a control that will not be fetched by this process, and returns
    /// the number of attempts that waited for it.
    pub(super) fn discard_control(&mut self, host: HostId, task: &ControlTask) -> usize {
        let waiting = self.controls.waiting.remove(&task.request.key).unwrap_or_default().len();
        if let Some(queue) = self.queues.get_mut(host) {
            queue.awaiting_control = queue.awaiting_control.saturating_sub(waiting);
        }
        waiting
    }

    /// Returns the seed for the random names of controls. It is constant within a run and
    /// differs between runs.
    fn salt(&self) -> u64 {
        xxh3_64(&self.run.started_at.as_millisecond().to_le_bytes())
    }

    /// Returns the time before which a stored control is too old. Controls of this run
    /// are never too old.
    fn controls_since(&self) -> Timestamp {
        let max_age = SignedDuration::try_from(self.settings.max_control_age).unwrap_or_default();
        let oldest = self.ports.now().checked_sub(max_age).unwrap_or(Timestamp::MIN);
        oldest.min(self.run.started_at)
    }
}

/// Returns the key of a control that was fetched because of the rank of a page.
/// Other pages do not use it unless their rank allows them to, so that the result of
/// an interrupted run does not depend on the time of the interruption.
pub fn ranked_key(key: &str) -> String {
    format!("{RANKED_PREFIX}{key}")
}

/// Returns the first task of each directory with many queued tasks. Tasks with
/// a history do not count: the page may be recognized by its earlier content,
/// without a control.
fn prefetch_candidates(queue: &VecDeque<FetchTask>) -> Vec<FetchTask> {
    let mut directories: HashMap<&str, (usize, &FetchTask)> = HashMap::new();
    let is_first_check =
        |task: &&FetchTask| task.attempts.is_empty() && task.history.verdict.is_none();
    for task in queue.iter().filter(is_first_check) {
        let directory = task.url.rsplit_once('/').map_or("", |(directory, _)| directory);
        directories.entry(directory).or_insert((0, task)).0 += 1;
    }
    let directories = directories.into_values().filter(|(count, _)| *count >= PREFETCH_THRESHOLD);
    let mut candidates: Vec<FetchTask> = directories.map(|(_, task)| task.clone()).collect();
    // The order of a hash map is random; fetch in the order of the input.
    candidates.sort_by_key(|task| task.id);
    candidates
}
