//! Pages asked for comparison: which are known, which are on their way, and
//! which looks wait for them.
//!
//! A control is asked once for all targets that may share it, and kept in the
//! store. A look that needs one keeps its place among the requests in flight
//! until it is judged, so a kill repeats no more than it did before.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use relink_judge::{ControlUrl, control_key, control_url, is_conclusive, kinship, neighborhood};
use relink_model::{Control, ControlKind, FetchTask, Probe, RequestRights};
use relink_ports::{HostId, Neighbor, StoredControl};
use xxhash_rust::xxh3::xxh3_64;

use super::host_queue::HostQueue;
use super::pending_judgment::PendingJudgment;
use super::{Dispatcher, WorkerEvent};
use crate::EngineError;
use crate::isolation::{internal_error, isolate, isolate_async};
use crate::probe::{StoredUrlRequest, probe_stored_url};

/// Controls kept in memory; others are in the store.
const REMEMBERED: usize = 4096;
/// Tasks of one directory that are worth asking for its control ahead: some
/// page among so many answers, and then all of them would wait for it. Only
/// hosts that are asked much at once have so many in their queue; for others
/// the wait costs nothing.
const CROWD: usize = 16;
/// Controls that are pages of the run itself.
pub(super) const NEIGHBOR_KINDS: [ControlKind; 2] =
    [ControlKind::Neighbor, ControlKind::SecondNeighbor];
/// Pages of a directory among which the two most telling are sought.
const NEIGHBORS: usize = 8;
/// How often a control that met a passing trouble is asked.
const ATTEMPTS: u32 = 2;

/// A control to be asked.
#[derive(Debug, Clone)]
pub(super) struct ControlTask {
    pub(super) kind: ControlKind,
    pub(super) key: String,
    pub(super) url: String,
    pub(super) rights: RequestRights,
    pub(super) attempt: u32,
    /// Whether it is asked before anybody waits for it. It then has a place of
    /// its own among the requests in flight.
    pub(super) is_ahead: bool,
}

/// What is known of controls in this run.
#[derive(Default)]
pub(super) struct Controls {
    /// By key: the address, and what came back if it was asked.
    known: HashMap<String, (String, Option<Arc<Probe>>)>,
    /// By key: the looks that wait for it.
    waiting: HashMap<String, Vec<PendingJudgment>>,
}

impl Controls {
    fn recall(&self, kind: ControlKind, key: &str) -> Option<Control> {
        let (url, probe) = self.known.get(key)?;
        Some(Control { kind, url: url.clone(), probe: probe.clone() })
    }

    /// Whether a control is here or on its way.
    fn is_known(&self, key: &str) -> bool {
        self.known.contains_key(key) || self.waiting.contains_key(key)
    }

    fn remember(&mut self, key: String, url: String, probe: Option<Arc<Probe>>) {
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(key, (url, probe));
    }
}

/// What came of looking for a control.
pub(super) enum ControlLookup {
    /// Here it is.
    Control(Control),
    /// It has to be asked first.
    Pending(ControlTask),
}

impl Dispatcher<'_> {
    /// Looks for a control of this kind: in memory, in the store, and at last on
    /// the web, if the host can bear it.
    pub(super) async fn find_control(
        &mut self,
        kind: ControlKind,
        inquest: &PendingJudgment,
    ) -> Result<ControlLookup, EngineError> {
        let Some(key) = key_of(kind, &inquest.task.url) else {
            return Ok(ControlLookup::Control(unasked(kind)));
        };
        if let Some(control) = self.recall_control(kind, &key).await? {
            return Ok(ControlLookup::Control(control));
        }
        let Some(control) = sibling_of(kind, &inquest.task.url, self.salt()) else {
            return Ok(ControlLookup::Control(unasked(kind)));
        };
        let lane = self.lanes.get(&inquest.host);
        if lane.is_some_and(|lane| !lane.robots.allows(&control.url)) {
            return Ok(ControlLookup::Control(unasked(kind)));
        }
        let (url, rights) = (control.url, inquest.task.rights);
        let task = ControlTask { kind, key, url, rights, attempt: 1, is_ahead: false };
        Ok(self.order(inquest.host, task))
    }

    /// Asks ahead for the controls of crowded directories in a host's queue.
    pub(super) async fn order_ahead(&mut self, host: HostId) -> Result<(), EngineError> {
        // A crawl asks for robots first, and finds its pages one by one; and a
        // host may be dead.
        let is_worth = |lane: &&HostQueue| self.crawler.is_none() && lane.has_answered();
        let Some(lane) = self.lanes.get(&host).filter(is_worth) else { return Ok(()) };
        for first in crowded(&lane.queue) {
            let Some(control) = sibling_of(ControlKind::RandomName, &first.url, self.salt()) else {
                continue;
            };
            let ControlUrl { url, key } = control;
            if self.controls.is_known(&key)
                || self.ports.store.control(&key, self.controls_since()).await?.is_some()
            {
                continue;
            }
            let (kind, rights) = (ControlKind::RandomName, first.rights);
            let task = ControlTask { kind, key, url, rights, attempt: 1, is_ahead: true };
            if let Some(lane) = self.lanes.get_mut(&host)
                && lane.takes_control()
            {
                self.controls.waiting.insert(task.key.clone(), Vec::new());
                lane.pending_controls.push_back(task);
            }
        }
        Ok(())
    }

    /// The two pages of the same directory that tell most about one that was
    /// redirected, among those that were asked in this run. None is asked for
    /// this alone.
    pub(super) async fn find_neighbors(
        &self,
        url: &str,
        probe: &Probe,
    ) -> Result<[Control; 2], EngineError> {
        let mut found = match isolate(url, || neighborhood(url)).unwrap_or_default() {
            Some(directory) => {
                self.ports.store.neighbors(self.run, directory, url, NEIGHBORS).await?
            }
            None => Vec::new(),
        };
        let kin = |other: &Neighbor| {
            let kin = isolate(url, || kinship((url, probe), (&other.url, &other.probe)));
            kin.unwrap_or_default()
        };
        found.retain(|other| kin(other).is_some());
        found.sort_by_key(kin);
        let mut found = found.into_iter();
        Ok(NEIGHBOR_KINDS.map(|kind| match found.next() {
            Some(Neighbor { url, probe }) => Control { kind, url, probe: Some(Arc::new(probe)) },
            None => unasked(kind),
        }))
    }

    /// What came back when a control was asked, in this run or lately.
    async fn recall_control(
        &mut self,
        kind: ControlKind,
        key: &str,
    ) -> Result<Option<Control>, EngineError> {
        if let Some(control) = self.controls.recall(kind, key) {
            return Ok(Some(control));
        }
        if kind == ControlKind::Refetch || self.controls.waiting.contains_key(key) {
            return Ok(None);
        }
        let kept = self.ports.store.control(key, self.controls_since()).await?;
        let kept = kept.filter(|kept| kept.probe.requested_at <= self.ports.now());
        Ok(kept.map(|StoredControl { key, url, probe }| {
            let probe = Some(Arc::new(probe));
            self.controls.remember(key, url.clone(), probe.clone());
            Control { kind, url, probe }
        }))
    }

    /// A control for a task that was put on hold: what was asked by then.
    pub(super) async fn find_asked(
        &mut self,
        kind: ControlKind,
        url: &str,
    ) -> Result<Control, EngineError> {
        let Some(key) = key_of(kind, url) else { return Ok(unasked(kind)) };
        Ok(self.recall_control(kind, &key).await?.unwrap_or_else(|| unasked(kind)))
    }

    /// Orders a control, unless that would be too much for its host.
    fn order(&mut self, host: HostId, task: ControlTask) -> ControlLookup {
        let is_asked = self.controls.waiting.contains_key(&task.key);
        let lane = self.lanes.get_mut(&host);
        if is_asked || lane.is_some_and(HostQueue::takes_control) {
            return ControlLookup::Pending(task);
        }
        let (kind, url) = (task.kind, task.url.clone());
        self.controls.remember(task.key, task.url, None);
        ControlLookup::Control(Control { kind, url, probe: None })
    }

    /// Lets a look wait for a control, and asks for it if nobody has.
    pub(super) fn await_control(&mut self, inquest: PendingJudgment, task: ControlTask) {
        let host = inquest.host;
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.awaiting_control += 1;
        }
        let is_asked = self.controls.waiting.contains_key(&task.key);
        let waiting = self.controls.waiting.entry(task.key.clone()).or_default();
        waiting.push(inquest);
        let is_first = waiting.len() == 1;
        if is_first
            && let Some(lane) = self.lanes.get_mut(&host)
            // One that was to be asked ahead must not wait for a place: all
            // places may be held by those who wait for it.
            && (!is_asked || lane.has_stray(&task.key))
        {
            lane.want_control(task);
        }
        self.schedule(host);
    }

    /// Sends a control's request. It takes no place among those in flight
    /// where looks wait for it, because they hold theirs.
    pub(super) fn send_control(&mut self, host: HostId, task: ControlTask) {
        self.in_flight += usize::from(task.is_ahead);
        let ports = self.ports.clone();
        let terms = self.lanes.get(&host).map(HostQueue::terms).unwrap_or_default();
        let tray = Arc::clone(&self.tray);
        self.outstanding += 1;
        tokio::spawn(async move {
            let agent = relink_ports::UserAgent::Plain;
            let (url, rights) = (&*task.url, task.rights);
            let asked = StoredUrlRequest { url, like: None, rights, agent, options: terms };
            let looked = probe_stored_url(&*ports.fetch, &*ports.clock, asked);
            let probe = isolate_async(url, looked).await;
            let probe = probe.unwrap_or_else(|_| internal_error(ports.now()));
            tray.put(WorkerEvent::Compared(host, Box::new(task), Box::new(probe)));
        });
    }

    /// Takes in a control; returns the looks that waited for it.
    pub(super) async fn take_control(
        &mut self,
        host: HostId,
        task: ControlTask,
        probe: Probe,
    ) -> Result<Vec<PendingJudgment>, EngineError> {
        let elapsed = self.elapsed();
        let patience = self.settings.max_host_wait;
        self.in_flight -= usize::from(task.is_ahead);
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.arrive_control(elapsed, &task, &probe, patience);
            if !is_conclusive(&probe) && task.attempt < ATTEMPTS && !lane.is_closed() {
                let waiting = self.controls.waiting.get(&task.key);
                let again = ControlTask { attempt: task.attempt + 1, ..task };
                if waiting.is_some_and(|all| !all.is_empty()) {
                    lane.want_control(again);
                } else {
                    lane.pending_controls.push_back(again);
                }
                return Ok(Vec::new());
            }
        }
        if task.kind != ControlKind::Refetch && is_conclusive(&probe) {
            let (key, url) = (task.key.clone(), task.url.clone());
            let kept = StoredControl { key, url, probe: probe.clone() };
            self.ports.store.save_controls(&[kept]).await?;
        }
        Ok(self.deliver(host, task, Some(probe)))
    }

    /// Hands a control to those who wait for it.
    pub(super) fn deliver(
        &mut self,
        host: HostId,
        task: ControlTask,
        probe: Option<Probe>,
    ) -> Vec<PendingJudgment> {
        let waiting = self.controls.waiting.remove(&task.key).unwrap_or_default();
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.awaiting_control = lane.awaiting_control.saturating_sub(waiting.len());
        }
        self.controls.remember(task.key, task.url, probe.map(Arc::new));
        waiting
    }

    /// Random names differ from run to run, and are the same within one.
    fn salt(&self) -> u64 {
        xxh3_64(&self.started.as_millisecond().to_le_bytes())
    }

    /// Controls asked at this moment or later are good enough.
    fn controls_since(&self) -> Timestamp {
        let age = SignedDuration::try_from(self.settings.control_age).unwrap_or_default();
        let since = self.ports.now().checked_sub(age).unwrap_or(Timestamp::MIN);
        since.min(self.started)
    }
}

/// The key of a control; none where the rule for it panics.
fn key_of(kind: ControlKind, url: &str) -> Option<String> {
    isolate(url, || control_key(kind, url)).unwrap_or_default()
}

/// A control of a page; none where the rule for it panics.
fn sibling_of(kind: ControlKind, url: &str, salt: u64) -> Option<ControlUrl> {
    isolate(url, || control_url(kind, url, salt)).unwrap_or_default()
}

/// A control that nobody could ask.
pub(super) fn unasked(kind: ControlKind) -> Control {
    Control { kind, url: String::new(), probe: None }
}

/// The first task of each directory that many of these lead to. Those that
/// were checked before may be known by their content, without a control.
fn crowded(queue: &VecDeque<FetchTask>) -> Vec<FetchTask> {
    let mut crowds: HashMap<&str, (usize, &FetchTask)> = HashMap::new();
    let is_new = |task: &&FetchTask| task.attempts.is_empty() && task.history.verdict.is_none();
    for task in queue.iter().filter(is_new) {
        let directory = task.url.rsplit_once('/').map_or("", |(directory, _)| directory);
        crowds.entry(directory).or_insert((0, task)).0 += 1;
    }
    let crowds = crowds.into_values().filter(|(count, _)| *count >= CROWD);
    let mut first: Vec<FetchTask> = crowds.map(|(_, task)| task.clone()).collect();
    first.sort_by_key(|task| task.id);
    first
}
