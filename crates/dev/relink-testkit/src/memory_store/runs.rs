//! The store in memory: runs, their statistics and checkpoints, and maintenance.

use std::collections::HashSet;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use relink_model::{RunId, TaskId};
use relink_ports::{
    HostStats, OpenRun, RunKey, RunProgress, RunState, RunStats, RunStore, RunSummary, StoreError,
    StoreMaintenance, StoreSize,
};

use super::MemoryStore;
use super::state::{Document, Run, State, TaskState};

/// An upper bound of the delay of a retry. The longest backoff is 11 minutes.
const MAX_RETRY_WAIT: SignedDuration = SignedDuration::from_mins(15);
/// The assumed size of a row in bytes.
const ROW_SIZE: u64 = 64;

#[async_trait]
impl RunStore for MemoryStore {
    async fn open_run(
        &self,
        key: &RunKey,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreError> {
        let mut state = self.tables().await;
        state.repair_host_times(now);
        let mut unfinished: Option<RunId> = None;
        for (id, run) in &mut state.runs {
            if run.is_open() && run.key == *key {
                if fresh {
                    (run.state, run.closed_at) = (None, Some(now));
                } else {
                    unfinished = Some(*id);
                }
            }
        }
        let id = unfinished.unwrap_or_else(|| state.add_run(key, now));
        state.repair_task_times(id, now);
        state.generation += 1;
        let generation = state.generation;
        let mut open = OpenRun {
            id,
            started_at: now,
            is_resumed: unfinished.is_some(),
            network_confirmed: false,
            generation,
        };
        if let Some(run) = state.runs.get_mut(&id) {
            run.generation = generation;
            open.started_at = run.started_at;
            open.network_confirmed = run.is_network_confirmed;
        }
        Ok(open)
    }

    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if let Some(run) =
            self.tables().await.runs.get_mut(&run).filter(|_| state != RunState::Open)
        {
            (run.state, run.closed_at) = (Some(state), Some(now));
        }
        Ok(())
    }

    async fn confirm_network(&self, run: RunId) -> Result<(), StoreError> {
        if let Some(run) = self.tables().await.runs.get_mut(&run) {
            run.is_network_confirmed = true;
        }
        Ok(())
    }

    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreError> {
        Ok(self.tables().await.progress(run))
    }

    async fn source_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        Ok(self.tables().await.source_stats(run))
    }

    async fn run_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        let tables = self.tables().await;
        let mut stats = tables.source_stats(run);
        for (_, task) in tables.tasks_of(run).filter(|(id, _)| tables.is_task_reported(*id)) {
            stats.targets += 1;
            let Some(stored) = tables.result_of(task) else { continue };
            stats.checked += 1;
            stats.cached += u64::from(task.is_cached);
            *stats.verdicts.entry(stored.result.verdict).or_default() += 1;
        }
        Ok(stats)
    }

    async fn host_stats(&self, run: RunId, limit: usize) -> Result<Vec<HostStats>, StoreError> {
        let tables = self.tables().await;
        let stats_of_run = tables.host_stats.range((run, i64::MIN)..=(run, i64::MAX));
        let mut stats: Vec<HostStats> = stats_of_run
            .map(|(_, stats)| stats.clone())
            .filter(|stats| stats.requests > 0)
            .collect();
        stats.sort_by(|left, right| {
            right.requests.cmp(&left.requests).then_with(|| left.name.cmp(&right.name))
        });
        stats.truncate(limit);
        Ok(stats)
    }

    async fn runs(
        &self,
        command: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RunSummary>, StoreError> {
        let state = self.tables().await;
        let summary = |(id, run): (&RunId, &Run)| {
            let is_page = |document: &&Document| document.run == *id && document.task.is_some();
            let count_tasks = |is_counted: &dyn Fn(TaskState) -> bool| {
                state.tasks_of(*id).filter(|(_, task)| is_counted(task.state)).count() as u64
            };
            RunSummary {
                id: *id,
                command: run.key.command.clone(),
                inputs: run.key.inputs.clone(),
                started_at: run.started_at,
                closed_at: run.closed_at,
                is_finished: run.state == Some(RunState::Finished),
                targets: count_tasks(&|_| true),
                checked: count_tasks(&|state| state == TaskState::Finished),
                pages: state.documents.values().filter(is_page).count() as u64,
            }
        };
        let is_listed = |run: &Run| command.is_none_or(|command| run.key.command == command);
        let runs = state.runs.iter().rev().filter(|(_, run)| is_listed(run));
        Ok(runs.take(limit).map(summary).collect())
    }

    async fn checkpoint(&self, run: RunId, name: &str) -> Result<Option<String>, StoreError> {
        Ok(self.tables().await.checkpoints.get(&(run, name.to_owned())).cloned())
    }

    async fn save_checkpoint(&self, run: RunId, name: &str, text: &str) -> Result<(), StoreError> {
        self.tables().await.checkpoints.insert((run, name.to_owned()), text.to_owned());
        Ok(())
    }

    async fn last_task_id(&self, run: RunId) -> Result<TaskId, StoreError> {
        Ok(self.tables().await.tasks_of(run).last().map_or(TaskId(0), |(id, _)| id))
    }
}

#[async_trait]
impl StoreMaintenance for MemoryStore {
    async fn size(&self) -> Result<StoreSize, StoreError> {
        Ok(self.tables().await.size())
    }

    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreError> {
        let mut state = self.tables().await;
        state.prune(before);
        Ok(state.size())
    }

    async fn vacuum(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl State {
    /// Adds an open run.
    fn add_run(&mut self, key: &RunKey, now: Timestamp) -> RunId {
        self.last_run += 1;
        let run = Run {
            key: key.clone(),
            state: Some(RunState::Open),
            generation: 0,
            is_network_confirmed: false,
            started_at: now,
            closed_at: None,
            may_have_unlinked_tasks: false,
        };
        self.runs.insert(RunId(self.last_run), run);
        RunId(self.last_run)
    }

    /// Restarts the waits of hosts whose schedule was stored in the future. This happens if
    /// the system clock was set back.
    fn repair_host_times(&mut self, now: Timestamp) {
        let schedules = self.hosts.iter_mut().map(|host| &mut host.schedule);
        for schedule in schedules.filter(|schedule| schedule.stored_at > now) {
            let wait = schedule.next_at.duration_since(schedule.stored_at);
            schedule.next_at = now + wait.max(SignedDuration::ZERO);
            schedule.stored_at = now;
        }
    }

    /// Makes retries due that are further in the future than any retry can be.
    fn repair_task_times(&mut self, run: RunId, now: Timestamp) {
        let is_late = |at: Timestamp| at.duration_since(now) > MAX_RETRY_WAIT;
        let late = self
            .tasks_of(run)
            .filter(|(_, task)| task.state == TaskState::Pending && is_late(task.not_before));
        let late: Vec<TaskId> = late.map(|(id, _)| id).collect();
        for id in late {
            self.update_task(id, |task| task.not_before = now);
        }
    }

    /// Counts the targets and the checked targets of a run.
    fn progress(&self, run: RunId) -> RunProgress {
        let mut progress = RunProgress::default();
        for (_, task) in self.tasks_of(run) {
            progress.targets += 1;
            progress.checked += u64::from(task.state == TaskState::Finished);
        }
        progress
    }

    /// Counts the documents, links and requested hosts of a run.
    fn source_stats(&self, run: RunId) -> RunStats {
        let mut stats = RunStats::default();
        for document in self.documents.values().filter(|document| document.run == run) {
            stats.documents += 1;
            stats.links += document.links;
        }
        let hosts = self.host_stats.range((run, i64::MIN)..=(run, i64::MAX));
        stats.hosts = hosts.filter(|(_, stats)| stats.requests > 0).count() as u64;
        for (id, task) in self.tasks_of(run) {
            let ignored =
                self.links_to(id).filter(|(_, link)| !self.is_link_reported(task, link)).count();
            stats.ignored += ignored as u64;
            // The link of a suppressed missing anchor still leads to the page.
            stats.links -= if task.host.is_some() { ignored as u64 } else { 0 };
        }
        stats
    }

    /// Counts rows and estimates their size.
    fn size(&self) -> StoreSize {
        let (runs, targets) = (self.runs.len() as u64, self.targets.len() as u64);
        let probes = self.probes.len() as u64;
        let rows = 1 + runs + targets + probes + self.tasks.len() as u64;
        StoreSize { bytes: rows * ROW_SIZE, runs, targets, probes }
    }

    /// Deletes closed runs and old data.
    fn prune(&mut self, before: Timestamp) {
        let is_old = |run: &Run| !run.is_open() && run.closed_at.is_some_and(|at| at < before);
        let old: HashSet<RunId> =
            self.runs.iter().filter(|(_, run)| is_old(run)).map(|(id, _)| *id).collect();
        let tasks: Vec<TaskId> = self
            .tasks
            .iter()
            .filter(|(_, task)| old.contains(&task.run))
            .map(|(id, _)| *id)
            .collect();
        for task in tasks {
            self.delete_task(task);
        }
        self.documents.retain(|_, document| !old.contains(&document.run));
        self.host_stats.retain(|(run, _), _| !old.contains(run));
        self.checkpoints.retain(|(run, _), _| !old.contains(run));
        self.prune_results(before);
        self.prune_probes(before);
        self.runs.retain(|id, _| !old.contains(id));
        self.controls.retain(|_, control| control.probe.requested_at >= before);
        self.robots.retain(|_, robots| robots.requested_at >= before);
        self.anchors.retain(|_, (seen_at, _)| *seen_at >= before);
        self.searches.retain(|_, (requested_at, _)| *requested_at >= before);
        self.prunes += 1;
    }

    /// Deletes old results, except current results and results of tasks.
    fn prune_results(&mut self, before: Timestamp) {
        let used: HashSet<(i64, i64)> =
            self.tasks.values().filter_map(|task| Some((task.target, task.generation?))).collect();
        for (id, target) in (1..).zip(&mut self.targets) {
            let current = target.results.keys().next_back().copied();
            target.results.retain(|generation, stored| {
                stored.result.checked_at >= before
                    || Some(*generation) == current
                    || used.contains(&(id, *generation))
            });
        }
    }

    /// Deletes old probes. Keeps the probes of open runs, and the probes that last reached a
    /// page.
    fn prune_probes(&mut self, before: Timestamp) {
        let current = self.targets.iter().filter_map(|target| target.current()?.reached_probe);
        let cached = self.tasks.values().filter(|task| task.is_cached);
        let cached = cached.filter_map(|task| self.result_of(task)?.reached_probe);
        let used: HashSet<i64> = current.chain(cached).collect();
        let open: HashSet<RunId> =
            self.runs.iter().filter(|(_, run)| run.is_open()).map(|(id, _)| *id).collect();
        self.probes.retain(|id, stored| {
            stored.probe.requested_at >= before || open.contains(&stored.run) || used.contains(id)
        });
    }
}
