//! The store in memory: leases of hosts, due tasks, and commits of results.

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Attempt, FetchTask, Probe, RunId, TaskId, Verdict};
use relink_ports::{
    CacheWindow, Claim, ClaimRequest, CommitSummary, Fence, HostId, HostLease, HostRelease,
    HostSchedule, JoinableRun, NextDue, OpenRun, QueueStatus, RunQueue, RunState, RunStatus,
    StoreError, TargetResult, TargetState, TaskCompletion, TaskUpdate, WorkQueue,
};

use super::MemoryStore;
use super::state::{Host, Run, State, StoredProbe, StoredResult, TaskState};

#[async_trait]
impl WorkQueue for MemoryStore {
    fn is_shared(&self) -> bool {
        self.is_shared
    }

    async fn joinable_runs(&self) -> Result<Vec<JoinableRun>, StoreError> {
        let state = self.tables().await;
        let joinable_run = |(id, run): (&RunId, &Run)| JoinableRun {
            run: OpenRun {
                id: *id,
                started_at: run.started_at,
                is_resumed: true,
                network_confirmed: run.is_network_confirmed,
                generation: run.generation,
            },
            command: run.key.command.clone(),
        };
        let open = state.runs.iter().filter(|(id, run)| run.is_open() && state.is_loaded(**id));
        Ok(open.map(joinable_run).collect())
    }

    async fn run_status(&self, run: RunId) -> Result<RunStatus, StoreError> {
        let state = self.tables().await;
        let stored = state.runs.get(&run);
        Ok(RunStatus {
            state: stored.and_then(|run| run.state).unwrap_or(RunState::Finished),
            is_loaded: state.is_loaded(run),
            network_confirmed: stored.is_some_and(|run| run.is_network_confirmed),
        })
    }

    async fn queue_status(&self) -> Result<QueueStatus, StoreError> {
        let state = self.tables().await;
        let run_queue = |(id, run): (&RunId, &Run)| {
            let mut counts: BTreeMap<u8, u64> = BTreeMap::new();
            for (_, task) in state.tasks_of(*id) {
                *counts.entry(task.state as u8).or_default() += 1;
            }
            let count = |state: TaskState| counts.get(&(state as u8)).copied().unwrap_or_default();
            let is_leased = |id: i64| state.host(id).is_some_and(|host| host.lease_until.is_some());
            RunQueue {
                run: *id,
                command: run.key.command.clone(),
                pending: count(TaskState::Pending),
                held: count(TaskState::Held),
                checked: count(TaskState::Finished),
                hosts: state.pending_hosts(*id).count() as u64,
                leased: state.pending_hosts(*id).filter(|(host, _)| is_leased(*host)).count()
                    as u64,
            }
        };
        let runs =
            state.runs.iter().rev().filter(|(_, run)| run.is_open()).map(run_queue).collect();
        Ok(QueueStatus { runs, ..QueueStatus::default() })
    }

    async fn claim(&self, run: RunId, request: ClaimRequest) -> Result<Vec<Claim>, StoreError> {
        let mut state = self.tables().await;
        let due_until = request.due_until();
        let mut due: Vec<(Timestamp, i64)> = state
            .pending_hosts(run)
            .filter(|(id, due)| {
                let host = state.host(*id);
                *due <= due_until
                    && host.is_some_and(|host| {
                        host.schedule.next_at <= due_until
                            && host.lease_until.is_none_or(|until| until <= request.now)
                    })
            })
            .map(|(id, due)| (due, id))
            .collect();
        due.sort_unstable();
        due.truncate(request.hosts);
        let mut claims = Vec::with_capacity(due.len());
        for (_, id) in due {
            let Some(host) = state.host_mut(id) else { continue };
            host.fencing_token += 1;
            (host.lease_until, host.worker) = (Some(request.until), self.worker);
            let lease = HostLease { host: HostId(id), fencing_token: host.fencing_token };
            let (name, schedule) = (host.name.clone(), host.schedule);
            let start = (Timestamp::MIN, TaskId(i64::MIN));
            let tasks = state.due_tasks(run, lease, start, request.tasks, due_until);
            claims.push(Claim { lease, name, schedule, tasks });
        }
        Ok(claims)
    }

    async fn more_tasks(
        &self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, TaskId),
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError> {
        Ok(self.tables().await.due_tasks(run, lease, after, limit, now))
    }

    async fn due_by_rank(
        &self,
        run: RunId,
        lease: HostLease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError> {
        let mut state = self.tables().await;
        if state.leased_host(lease).is_none() {
            return Ok(Vec::new());
        }
        let pending = state.pending.get(&(run, lease.host.0)).into_iter().flatten();
        let due = pending.filter(|(not_before, _)| *not_before <= now);
        let mut ranked: Vec<(i64, TaskId)> =
            due.filter_map(|(_, id)| Some((state.tasks.get(id)?.rank?, *id))).collect();
        ranked.sort_unstable();
        ranked.truncate(limit);
        Ok(ranked
            .iter()
            .filter_map(|(_, id)| state.fetch_task(*id, state.tasks.get(id)?))
            .collect())
    }

    async fn renew(
        &self,
        leases: &[HostLease],
        until: Timestamp,
    ) -> Result<Vec<HostLease>, StoreError> {
        let mut state = self.tables().await;
        let mut lost = Vec::new();
        for lease in leases {
            match state.leased_host(*lease).filter(|host| host.lease_until.is_some()) {
                Some(host) => host.lease_until = Some(until),
                None => lost.push(*lease),
            }
        }
        Ok(lost)
    }

    async fn release(&self, run: RunId, hosts: &[HostRelease]) -> Result<(), StoreError> {
        let mut state = self.tables().await;
        for HostRelease { lease, schedule, stats } in hosts {
            let Some(host) = state.leased_host(*lease) else { continue };
            host.lease_until = None;
            let next_at = host.schedule.next_at.max(schedule.next_at);
            let address = schedule.address.or(host.schedule.address);
            host.schedule = HostSchedule { next_at, address, ..*schedule };
            let name = host.name.clone();
            let total = state.host_stats.entry((run, lease.host.0)).or_default();
            total.name = name;
            total.requests += stats.requests;
            total.control_requests += stats.control_requests;
            total.responses += stats.responses;
            total.throttled += stats.throttled;
            total.request_ms += stats.request_ms;
            total.politeness_wait_ms += stats.politeness_wait_ms;
        }
        Ok(())
    }

    async fn reserve_request(
        &self,
        host: &str,
        now: Timestamp,
        next_at: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut state = self.tables().await;
        let id = state.host_id(host);
        let is_free = |host: &&mut Host| {
            host.schedule.next_at <= now && host.lease_until.is_none_or(|until| until <= now)
        };
        let host = state.host_mut(id).filter(is_free);
        Ok(host.map(|host| host.schedule.next_at = next_at).is_some())
    }

    async fn next_due(&self, run: RunId) -> Result<NextDue, StoreError> {
        let state = self.tables().await;
        let mut next = NextDue::default();
        for (id, due) in state.pending_hosts(run) {
            let Some(host) = state.host(id) else { continue };
            if host.lease_until.is_none() {
                let due = due.max(host.schedule.next_at);
                next.at = Some(next.at.map_or(due, |at| at.min(due)));
            } else if host.worker != self.worker {
                next.is_shared = true;
            }
        }
        Ok(next)
    }

    async fn commit(
        &self,
        run: RunId,
        completions: &[TaskCompletion],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError> {
        let mut state = self.tables().await;
        let generation = state.run_generation(run);
        let mut summary = CommitSummary::default();
        let mut accepted = Vec::with_capacity(completions.len());
        for completion in completions {
            let is_valid = match completion.fence {
                Fence::Host(lease) => state.leased_host(lease).is_some(),
                Fence::Run(opened) => opened == generation,
            };
            if is_valid {
                accepted.push(completion);
            } else {
                summary.rejected.push(completion.task);
            }
        }
        for completion in &accepted {
            state.apply_completion(run, generation, completion);
        }
        for completion in accepted {
            if let Some(page) = &completion.page {
                state.add_page(run, page, Some(completion.task), cache_window, &mut summary);
            }
        }
        Ok(summary)
    }

    async fn held_tasks(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(FetchTask, Probe)>, StoreError> {
        let state = self.tables().await;
        let held =
            state.tasks_of(run).filter(|(id, task)| *id > after && task.state == TaskState::Held);
        let with_probe = held.filter_map(|(id, task)| {
            let probe = state.probes.get(&task.probe?)?.probe.clone();
            Some((state.fetch_task(id, task)?, probe))
        });
        Ok(with_probe.take(limit).collect())
    }

    async fn target_states(
        &self,
        run: RunId,
        urls: &[String],
    ) -> Result<Vec<(String, TargetState)>, StoreError> {
        if !self.is_shared {
            // As in a store that only one process uses.
            return Ok(Vec::new());
        }
        let state = self.tables().await;
        let state_of = |url: &String| {
            let target = *state.target_ids.get(url)?;
            let (_, task) = state.task_of(run, target)?;
            let target_state = match task.state {
                TaskState::Held => TargetState::Held,
                TaskState::Finished => {
                    let results = &state.target(target)?.results;
                    TargetState::Checked(results.get(&task.generation?)?.result.verdict)
                }
                TaskState::Pending => return None,
            };
            Some((url.clone(), target_state))
        };
        Ok(urls.iter().filter_map(state_of).collect())
    }
}

impl State {
    /// Whether all documents of a run are loaded.
    fn is_loaded(&self, run: RunId) -> bool {
        self.documents.values().all(|document| document.run != run || document.is_loaded)
    }

    /// Returns due tasks of a leased host. Returns no tasks if the lease was lost.
    fn due_tasks(
        &mut self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, TaskId),
        limit: usize,
        now: Timestamp,
    ) -> Vec<FetchTask> {
        if self.leased_host(lease).is_none() {
            return Vec::new();
        }
        let pending = self.pending.get(&(run, lease.host.0)).into_iter().flatten();
        let due = pending.filter(|key| **key > after && key.0 <= now);
        let ids: Vec<TaskId> = due.take(limit).map(|(_, id)| *id).collect();
        ids.iter().filter_map(|id| self.fetch_task(*id, self.tasks.get(id)?)).collect()
    }

    /// Stores the probe of a completion and updates its task.
    fn apply_completion(&mut self, run: RunId, generation: i64, completion: &TaskCompletion) {
        let (id, target) = (completion.task, completion.target.0);
        let attempts: &[Attempt] = match &completion.update {
            TaskUpdate::Retry { attempts, .. } | TaskUpdate::Hold { attempts } => attempts,
            TaskUpdate::Finish(result) => &result.attempts,
            TaskUpdate::Drop => &[],
        };
        let last_probe = self.tasks.get(&id).and_then(|task| task.probe);
        let probe = completion.probe.as_ref().map(|probe| {
            let previous = last_probe.filter(|_| attempts.len() > 1);
            self.last_probe += 1;
            let stored = StoredProbe { probe: probe.clone(), target, run, previous };
            self.probes.insert(self.last_probe, stored);
            self.last_probe
        });
        match &completion.update {
            TaskUpdate::Retry { purpose, not_before, attempts } => self.update_task(id, |task| {
                (task.state, task.purpose) = (TaskState::Pending, *purpose);
                (task.not_before, task.attempts) = (*not_before, attempts.clone());
                (task.generation, task.probe) = (None, probe.or(task.probe));
            }),
            TaskUpdate::Hold { attempts } => {
                self.update_task(id, |task| {
                    (task.state, task.attempts) = (TaskState::Held, attempts.clone());
                    (task.generation, task.probe) = (None, probe.or(task.probe));
                });
                if let (Some(anchors), Some(probe)) = (&completion.anchors, &completion.probe) {
                    self.anchors.insert(target, (probe.requested_at, anchors.clone()));
                }
            }
            TaskUpdate::Drop => self.delete_task(id),
            TaskUpdate::Finish(result) => {
                if let Some(anchors) = &completion.anchors {
                    self.anchors.insert(target, (result.checked_at, anchors.clone()));
                }
                let probe = probe.or_else(|| self.reached_held_probe(id, target, result));
                self.store_result(target, generation, result, probe);
                self.update_task(id, |task| {
                    (task.state, task.generation) = (TaskState::Finished, Some(generation));
                });
            }
        }
    }

    /// Returns the probe of a held task if the page was reached, and marks the
    /// anchors of that probe as current.
    fn reached_held_probe(
        &mut self,
        task: TaskId,
        target: i64,
        result: &TargetResult,
    ) -> Option<i64> {
        let held = self.tasks.get(&task)?.probe.filter(|_| result.verdict.is_reached())?;
        let requested_at = self.probes.get(&held)?.probe.requested_at;
        if let Some((seen_at, _)) = self.anchors.get_mut(&target)
            && *seen_at == requested_at
        {
            *seen_at = result.checked_at;
        }
        Some(held)
    }

    /// Stores a result. If the page was not reached, the result keeps the last probe that
    /// reached the page.
    fn store_result(
        &mut self,
        target: i64,
        generation: i64,
        result: &TargetResult,
        probe: Option<i64>,
    ) {
        let Some(target) = self.target_mut(target) else { return };
        let is_reached = result.verdict.is_reached();
        // Later pages are compared with the page before the drift.
        let is_reference = is_reached && result.verdict != Verdict::Drifted;
        let previous = target.current();
        let reached_at = is_reached.then_some(result.checked_at);
        let stored = StoredResult {
            result: result.clone(),
            probe,
            reached_at: reached_at.or(previous.and_then(|previous| previous.reached_at)),
            reached_probe: probe
                .filter(|_| is_reference)
                .or(previous.and_then(|previous| previous.reached_probe)),
        };
        target.store(generation, stored);
    }
}
