//! The tables of the store in memory. They have the meaning of the tables of SQLite,
//! which are described in `schema.sql` of relink-store.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use relink_model::{
    Attempt, FetchPurpose, FetchTask, History, Probe, RequestRights, RunId, SourceLocation,
    TargetId, TaskId,
};
use relink_ports::{
    HostLease, HostSchedule, HostStats, LinkCursor, LinkOrigin, PastChange, RunKey, RunState,
    StoredControl, StoredDecay, StoredPattern, StoredRevival, StoredRobots, TargetResult,
};

/// All tables. The id of a host or target is its index in the list, plus one.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The generation of the run that was opened last.
    pub(super) generation: i64,
    /// The number of handles created by `join`.
    pub(super) workers: u64,
    pub(super) runs: BTreeMap<RunId, Run>,
    /// The id of the last run that was added. `last_document`, `last_task` and `last_probe` are
    /// the last ids of their tables.
    pub(super) last_run: i64,
    pub(super) hosts: Vec<Host>,
    pub(super) host_ids: HashMap<String, i64>,
    pub(super) documents: BTreeMap<i64, Document>,
    pub(super) last_document: i64,
    pub(super) targets: Vec<Target>,
    pub(super) target_ids: BTreeMap<String, i64>,
    pub(super) tasks: BTreeMap<TaskId, Task>,
    pub(super) last_task: i64,
    /// Tasks by run and target.
    pub(super) task_ids: HashMap<(RunId, i64), TaskId>,
    /// Pending tasks by run and host, in the order of their due times.
    pub(super) pending: BTreeMap<(RunId, i64), BTreeSet<(Timestamp, TaskId)>>,
    pub(super) links: BTreeMap<LinkCursor, Link>,
    /// The first links of documents to targets, by target and label.
    pub(super) origins: HashMap<(i64, String), LinkOrigin>,
    /// Statistics by run and host.
    pub(super) host_stats: BTreeMap<(RunId, i64), HostStats>,
    pub(super) probes: BTreeMap<i64, StoredProbe>,
    pub(super) last_probe: i64,
    /// The time and the hashes of the anchors of targets.
    pub(super) anchors: HashMap<i64, (Timestamp, Vec<u32>)>,
    pub(super) controls: HashMap<String, StoredControl>,
    pub(super) robots: HashMap<String, StoredRobots>,
    pub(super) checkpoints: HashMap<(RunId, String), String>,
    pub(super) revivals: BTreeMap<String, StoredRevival>,
    pub(super) patterns: Vec<StoredPattern>,
    /// The time and the hits of searches by key.
    pub(super) searches: HashMap<String, (Timestamp, String)>,
    /// The last day with a request to each service, and the number of requests on it.
    pub(super) usage: HashMap<String, (i64, u32)>,
    /// Decay scores by URL and time.
    pub(super) decay: BTreeMap<(String, Timestamp), StoredDecay>,
    /// The number of prunes, which is the epoch of probe ids.
    pub(super) prunes: u64,
}

/// A run of a command.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) key: RunKey,
    /// `None` if the run was abandoned for a new run with the same key.
    pub(super) state: Option<RunState>,
    pub(super) generation: i64,
    pub(super) is_network_confirmed: bool,
    pub(super) started_at: Timestamp,
    pub(super) closed_at: Option<Timestamp>,
    /// Whether tasks may have no link left, because links were deleted.
    pub(super) may_have_unlinked_tasks: bool,
}

impl Run {
    pub(super) fn is_open(&self) -> bool {
        self.state == Some(RunState::Open)
    }
}

/// A host with its lease and rate limiter.
#[derive(Debug, Default)]
pub(super) struct Host {
    pub(super) name: String,
    pub(super) schedule: HostSchedule,
    pub(super) lease_until: Option<Timestamp>,
    pub(super) worker: u64,
    pub(super) fencing_token: i64,
}

/// A document of a run, or a page of a crawl.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) run: RunId,
    pub(super) label: String,
    pub(super) revision: Option<String>,
    pub(super) content_hash: u64,
    /// Whether all its links are stored.
    pub(super) is_loaded: bool,
    /// The number of links.
    pub(super) links: u64,
    /// The task that fetched the page.
    pub(super) task: Option<TaskId>,
    pub(super) is_sitemap: bool,
    pub(super) anchors: Option<Vec<u32>>,
}

/// A target, shared by all runs.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) url: String,
    /// `None` if the target needs no request.
    pub(super) host: Option<i64>,
    pub(super) is_user_supplied: bool,
    /// The results by generation. The last result is the current result.
    pub(super) results: BTreeMap<i64, StoredResult>,
    /// The changes of the verdict by generation.
    pub(super) changes: BTreeMap<i64, PastChange>,
}

impl Target {
    /// Stores the result of a generation, and records a change of the verdict.
    pub(super) fn store(&mut self, generation: i64, stored: StoredResult) {
        let before = self.results.range(..generation).next_back();
        let (before, result) = (before.map(|(_, last)| last.result.verdict), &stored.result);
        self.changes.remove(&generation);
        if let Some(before) = before.filter(|before| *before != result.verdict) {
            let TargetResult { verdict: after, code, since, .. } = *result;
            self.changes.insert(generation, PastChange { changed_at: since, before, after, code });
        }
        self.results.insert(generation, stored);
    }

    /// Returns the result of the highest generation.
    pub(super) fn current(&self) -> Option<&StoredResult> {
        self.results.values().next_back()
    }
}

/// The result of a target in one generation.
#[derive(Debug, Clone)]
pub(super) struct StoredResult {
    pub(super) result: TargetResult,
    /// The id of the last probe, or `None` if [`Task::probe`] is the last probe.
    pub(super) probe: Option<i64>,
    /// The last time the page was reached, in this or an earlier generation.
    pub(super) reached_at: Option<Timestamp>,
    /// The id of the probe that reached the page at `reached_at`.
    pub(super) reached_probe: Option<i64>,
}

/// The state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskState {
    /// To be fetched.
    Pending,
    /// Fetched, but not judged yet.
    Held,
    Finished,
}

/// A target in a run.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) run: RunId,
    pub(super) target: i64,
    pub(super) host: Option<i64>,
    pub(super) state: TaskState,
    pub(super) purpose: FetchPurpose,
    pub(super) not_before: Timestamp,
    pub(super) is_user_supplied: bool,
    pub(super) is_cached: bool,
    /// The generation of the result.
    pub(super) generation: Option<i64>,
    pub(super) original_url: String,
    pub(super) attempts: Vec<Attempt>,
    /// The id of the last probe.
    pub(super) probe: Option<i64>,
    pub(super) depth: Option<u32>,
    pub(super) rank: Option<i64>,
}

/// A link to the target of a task. The key of the table contains the task and the document.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) location: SourceLocation,
    pub(super) fragment: Option<String>,
    pub(super) ignored_codes: Vec<String>,
}

/// A probe with its target and run.
#[derive(Debug)]
pub(super) struct StoredProbe {
    pub(super) probe: Probe,
    pub(super) target: i64,
    pub(super) run: RunId,
    /// The previous probe of the task.
    pub(super) previous: Option<i64>,
}

/// Returns the index of a host or target id.
fn index_of(id: i64) -> usize {
    usize::try_from(id).unwrap_or(0).wrapping_sub(1)
}

impl State {
    pub(super) fn host(&self, id: i64) -> Option<&Host> {
        self.hosts.get(index_of(id))
    }

    pub(super) fn host_mut(&mut self, id: i64) -> Option<&mut Host> {
        self.hosts.get_mut(index_of(id))
    }

    /// Returns the host of a lease that was not lost.
    pub(super) fn leased_host(&mut self, lease: HostLease) -> Option<&mut Host> {
        self.host_mut(lease.host.0).filter(|host| host.fencing_token == lease.fencing_token)
    }

    /// Returns the id of a host, adding it if necessary.
    pub(super) fn host_id(&mut self, name: &str) -> i64 {
        if let Some(id) = self.host_ids.get(name) {
            return *id;
        }
        self.hosts.push(Host { name: name.to_owned(), ..Host::default() });
        let id = i64::try_from(self.hosts.len()).unwrap_or(i64::MAX);
        self.host_ids.insert(name.to_owned(), id);
        id
    }

    pub(super) fn target(&self, id: i64) -> Option<&Target> {
        self.targets.get(index_of(id))
    }

    pub(super) fn target_mut(&mut self, id: i64) -> Option<&mut Target> {
        self.targets.get_mut(index_of(id))
    }

    /// Returns a target and its id.
    pub(super) fn target_by_url(&self, url: &str) -> Option<(i64, &Target)> {
        let id = *self.target_ids.get(url)?;
        Some((id, self.target(id)?))
    }

    /// Returns the id of a target, adding it if necessary.
    pub(super) fn target_id(&mut self, url: &str, host: Option<i64>) -> i64 {
        if let Some(id) = self.target_ids.get(url) {
            return *id;
        }
        self.targets.push(Target {
            url: url.to_owned(),
            host,
            is_user_supplied: false,
            results: BTreeMap::new(),
            changes: BTreeMap::new(),
        });
        let id = i64::try_from(self.targets.len()).unwrap_or(i64::MAX);
        self.target_ids.insert(url.to_owned(), id);
        id
    }

    /// Returns the task of a target in a run.
    pub(super) fn task_of(&self, run: RunId, target: i64) -> Option<(TaskId, &Task)> {
        let id = *self.task_ids.get(&(run, target))?;
        Some((id, self.tasks.get(&id)?))
    }

    /// Adds a task and returns its id.
    pub(super) fn add_task(&mut self, task: Task) -> TaskId {
        self.last_task += 1;
        let id = TaskId(self.last_task);
        self.task_ids.insert((task.run, task.target), id);
        self.tasks.insert(id, task);
        self.index_task(id);
        id
    }

    /// Changes a task, if it exists.
    pub(super) fn update_task(&mut self, id: TaskId, change: impl FnOnce(&mut Task)) {
        self.unindex_task(id);
        if let Some(task) = self.tasks.get_mut(&id) {
            change(task);
        }
        self.index_task(id);
    }

    /// Deletes a task and its links.
    pub(super) fn delete_task(&mut self, id: TaskId) {
        self.unindex_task(id);
        if let Some(task) = self.tasks.remove(&id) {
            self.task_ids.remove(&(task.run, task.target));
        }
        self.links.retain(|(task, ..), _| *task != id);
    }

    /// Adds a pending task to the index by host.
    fn index_task(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get(&id) else { return };
        if let (TaskState::Pending, Some(host)) = (task.state, task.host) {
            self.pending.entry((task.run, host)).or_default().insert((task.not_before, id));
        }
    }

    /// Removes a task from the index by host.
    fn unindex_task(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get(&id) else { return };
        let Some(host) = task.host else { return };
        if let Some(tasks) = self.pending.get_mut(&(task.run, host)) {
            tasks.remove(&(task.not_before, id));
            if tasks.is_empty() {
                self.pending.remove(&(task.run, host));
            }
        }
    }

    /// Returns the hosts of a run with pending tasks, and the time when the first task of each
    /// host is due.
    pub(super) fn pending_hosts(&self, run: RunId) -> impl Iterator<Item = (i64, Timestamp)> {
        let hosts = self.pending.range((run, i64::MIN)..=(run, i64::MAX));
        hosts.filter_map(|((_, host), tasks)| Some((*host, tasks.first()?.0)))
    }

    /// Returns the tasks of a run in order of discovery.
    pub(super) fn tasks_of(&self, run: RunId) -> impl Iterator<Item = (TaskId, &Task)> {
        self.tasks.iter().filter(move |(_, task)| task.run == run).map(|(id, task)| (*id, task))
    }

    /// Returns the links to the target of a task.
    pub(super) fn links_to(&self, task: TaskId) -> impl Iterator<Item = (&LinkCursor, &Link)> {
        let first = (task, relink_ports::DocumentId(i64::MIN), 0);
        self.links.range(first..).take_while(move |((to, ..), _)| *to == task)
    }

    /// Returns the result of a task.
    pub(super) fn result_of(&self, task: &Task) -> Option<&StoredResult> {
        self.target(task.target)?.results.get(&task.generation?)
    }

    /// Returns the last probe of a task. If the result is cached, returns the probe that
    /// reached the page.
    pub(super) fn probe_of(&self, task: &Task) -> Option<&StoredProbe> {
        let result = self.result_of(task);
        let id = if task.is_cached {
            result?.reached_probe
        } else {
            result.and_then(|result| result.probe).or(task.probe)
        };
        self.probes.get(&id?)
    }

    /// Returns a task with the history of its target.
    pub(super) fn fetch_task(&self, id: TaskId, task: &Task) -> Option<FetchTask> {
        let target = self.target(task.target)?;
        Some(FetchTask {
            id,
            target: TargetId(task.target),
            url: target.url.clone(),
            original_url: task.original_url.clone(),
            rights: RequestRights::from_stored(task.is_user_supplied),
            depth: task.depth,
            purpose: task.purpose,
            not_before: task.not_before,
            attempts: task.attempts.clone(),
            history: self.history(target),
        })
    }

    /// Returns the history of a target for its next task.
    fn history(&self, target: &Target) -> History {
        let Some(current) = target.current() else { return History::default() };
        let reached = current.reached_probe.and_then(|id| self.probes.get(&id));
        let reached = reached.map(|stored| &stored.probe);
        History {
            verdict: Some(current.result.verdict),
            code: current.result.code,
            since: Some(current.result.since),
            checked_at: Some(current.result.checked_at),
            last_reached_at: current.reached_at,
            streak: current.result.streak,
            final_url: reached.and_then(|probe| probe.hops.last()).map(|hop| hop.url.clone()),
            digest: reached.and_then(|probe| probe.digest.clone()),
            version: reached.and_then(|probe| probe.version.clone()),
        }
    }

    /// Whether the anchors of the current result are stored.
    pub(super) fn has_anchors(&self, target: i64) -> bool {
        let current = self.target(target).and_then(Target::current);
        let seen_at = self.anchors.get(&target).map(|(seen_at, _)| *seen_at);
        seen_at.is_some() && seen_at == current.map(|current| current.result.checked_at)
    }

    /// Returns the generation of a run, or zero if the run does not exist.
    pub(super) fn run_generation(&self, run: RunId) -> i64 {
        self.runs.get(&run).map_or(0, |run| run.generation)
    }
}
