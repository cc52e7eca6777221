//! Collects results, commits them and reports them to the observer.

use std::time::Duration;

use jiff::Timestamp;
use relink_judge::is_network_failure;
use relink_model::{FetchTask, Probe, TaskId};
use relink_ports::{
    CacheWindow, CheckedTarget, CheckedTargetQuery, Fence, HostId, TaskCompletion, TaskUpdate,
};
use tokio::time::Instant;

use super::controls::ControlTask;
use super::host_queue::AddressLookup;
use super::pending_judgment::{JudgedTask, PendingJudgment, blocked_result};
use super::worker::Role;
use super::{Dispatcher, WorkerEvent};
use crate::{EngineError, Observer, StopSignal};

/// Wait for a fuller batch while many requests are in flight. A fuller batch
/// writes each database page once instead of twice.
const BATCH_WAIT: Duration = Duration::from_millis(4);
/// Maximum number of results per commit.
const MAX_BATCH: usize = 64;
/// Number of tasks read from the store at a time.
pub(super) const PAGE_SIZE: usize = 256;

/// Which held results are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoldReason {
    /// Results that wait for evidence that the local network works.
    Network,
    /// All held results, including those that wait for neighbors.
    All,
}

impl Dispatcher<'_> {
    /// Processes and commits one batch of results.
    pub(super) async fn collect_results(
        &mut self,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        let batch = self.batch_size();
        // While loading, waiting for a full batch would only delay the loader.
        if self.is_loaded && self.outstanding >= batch {
            self.results.wait_for_batch(batch, Instant::now() + BATCH_WAIT).await;
        }
        let events = self.results.take(batch);
        self.outstanding -= events.len();
        let (had_network, was_proven) = (self.has_network, self.is_network_proven());
        let mut hosts = Vec::with_capacity(events.len());
        let mut fetched_tasks = Vec::with_capacity(events.len());
        let mut judged = Vec::with_capacity(events.len());
        for event in events {
            let is_control = matches!(event, WorkerEvent::ControlFetched(..));
            let pending = self.process_event(event, &mut hosts).await?;
            if !is_control {
                fetched_tasks.extend(pending);
                continue;
            }
            for pending in pending {
                judged.extend(self.advance(pending).await?);
            }
        }
        hosts.sort_unstable();
        hosts.dedup();
        if !stop.is_stopped() {
            self.send_before_commit(&hosts, fetched_tasks.len());
        }
        for pending in fetched_tasks {
            // An attempt that waits for a control keeps its request slot.
            judged.extend(self.advance(pending).await?);
        }
        let judged_count = judged.len();
        self.commit(judged, observer).await?;
        self.in_flight -= judged_count;
        self.save_network().await?;
        if self.has_network && !had_network {
            // The first response proves that the local network works. The
            // results held until then can be judged.
            self.ports.store.confirm_network(self.run).await?;
            self.judge_held(HoldReason::Network, observer, stop).await?;
        } else if self.is_network_proven() && !was_proven {
            self.judge_held(HoldReason::Network, observer, stop).await?;
        }
        for host in hosts {
            self.finish_blocked(host, observer).await?;
            self.finish_unrequested(host, observer).await?;
            self.schedule(host);
            self.claims.request_refill(host);
        }
        Ok(())
    }

    /// Sends one request for each returned task before the results are judged
    /// and stored, so that the network does not wait for the disk. A crash then
    /// repeats up to one batch more than the requests in flight. Crawls and
    /// surveys send later, because their results decide what is fetched next.
    fn send_before_commit(&mut self, hosts: &[HostId], returned: usize) {
        if self.crawler.is_some() || self.source.is_some() {
            return;
        }
        let now = self.elapsed();
        for host in hosts {
            self.schedule_at(*host, now);
        }
        self.in_flight -= returned;
        self.dispatch(now);
        self.in_flight += returned;
    }

    /// Returns the attempts that can be judged after this event.
    async fn process_event(
        &mut self,
        event: WorkerEvent,
        hosts: &mut Vec<HostId>,
    ) -> Result<Vec<PendingJudgment>, EngineError> {
        Ok(match event {
            WorkerEvent::AddressResolved(host, address) => {
                self.record_address(host, address).await?;
                Vec::new()
            }
            WorkerEvent::TaskFetched(host, fetched) => {
                self.record_network_evidence(&fetched.task.url, &fetched.probe);
                hosts.push(host);
                self.begin_judgment(host, *fetched).into_iter().collect()
            }
            WorkerEvent::PageFetched(host, fetched, unrendered) => {
                self.record_network_evidence(&fetched.task.url, &fetched.probe);
                hosts.push(host);
                if let (Some(crawler), Some(error)) = (&mut self.crawler, unrendered) {
                    crawler.record_unrendered(error);
                }
                self.begin_judgment(host, *fetched).into_iter().collect()
            }
            WorkerEvent::RobotsFetched(host, result, probe) => {
                self.has_network |= probe.outcome.reached_server();
                hosts.push(host);
                self.record_robots(host, *result, &probe).await?;
                Vec::new()
            }
            WorkerEvent::ControlFetched(host, task, probe) => {
                self.has_network |= probe.outcome.reached_server();
                hosts.push(host);
                self.record_control(host, *task, *probe).await?
            }
        })
    }

    /// Maximum number of results per commit: half of the request slots. The
    /// other half keeps the network busy during the commit.
    fn batch_size(&self) -> usize {
        (self.settings.concurrency / 2).clamp(1, MAX_BATCH)
    }

    /// Records the IP address of a host. The host is given back for a moment while
    /// another worker sends requests to the same address.
    async fn record_address(
        &mut self,
        host: HostId,
        address: Option<std::net::IpAddr>,
    ) -> Result<(), EngineError> {
        let Some(queue) = self.queues.get_mut(&host) else { return Ok(()) };
        queue.address_lookup = AddressLookup::Known(address);
        let lease = queue.lease;
        if let Some(address) = address.filter(|_| self.is_shared) {
            let (now, until) = (self.ports.now(), self.lease_end());
            if !self.ports.store.lease_address(lease, address, now, until).await? {
                return self.give_back(host).await;
            }
        }
        self.schedule(host);
        Ok(())
    }

    /// Judges held results. Does nothing before a server has responded.
    pub(super) async fn judge_held(
        &mut self,
        reason: HoldReason,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        if self.role == Role::Worker {
            // The owner of the run judges held results at its end.
            return Ok(());
        }
        if reason == HoldReason::All {
            self.decide_network().await?;
        }
        let mut after = TaskId(0);
        while self.has_network && !stop.is_stopped() {
            self.report_progress(observer);
            let page = self.ports.store.held_tasks(self.run, after, PAGE_SIZE).await?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = last.id;
            let mut judged = Vec::with_capacity(page.len());
            for (task, probe) in page {
                if reason == HoldReason::Network && !self.is_released(&task.url, &probe) {
                    continue;
                }
                judged.push(match self.finish_held(&task, &probe) {
                    Some(judged) => judged,
                    None => self.judge_held_task(task, probe).await?,
                });
            }
            self.commit(judged, observer).await?;
        }
        Ok(())
    }

    /// Finishes the queued tasks of a host whose backoff is longer than this
    /// run waits, without a request.
    pub(super) async fn finish_blocked(
        &mut self,
        host: HostId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let now = self.ports.now();
        let disallowed = self.take_disallowed(host);
        if !disallowed.is_empty() {
            self.commit(disallowed, observer).await?;
            self.schedule(host);
            self.claims.request_refill(host);
        }
        let Some(queue) = self.queues.get_mut(&host) else { return Ok(()) };
        let Some(until) = queue.closed_until else { return Ok(()) };
        let lease = queue.lease;
        let mut judged: Vec<JudgedTask> = queue
            .tasks
            .drain(..)
            .map(|task| {
                let update = TaskUpdate::Finish(blocked_result(&task, until, now));
                JudgedTask::new(task, lease, None, update)
            })
            .collect();
        let queued = judged.len();
        // Judge attempts that wait for a control without it.
        let controls: Vec<ControlTask> = queue.pending_controls.drain(..).collect();
        for control in controls {
            for pending in self.finish_control(host, control, None) {
                judged.extend(self.advance(pending).await?);
            }
        }
        self.in_flight -= judged.len() - queued;
        self.schedule(host);
        if !judged.is_empty() {
            // The store may have more tasks of this host. The host is released
            // only when it has none.
            self.claims.request_refill(host);
        }
        self.commit(judged, observer).await
    }

    /// Stores judged tasks in one transaction and reports the finished ones.
    pub(super) async fn commit(
        &mut self,
        mut judged: Vec<JudgedTask>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if judged.is_empty() {
            return Ok(());
        }
        let now = self.ports.now();
        let cache_window = self
            .crawler
            .as_ref()
            .map_or(CacheWindow { now, fresh_since: Timestamp::MAX }, |crawler| {
                crawler.cache_window(now)
            });
        let held: Vec<Option<Probe>> =
            judged.iter_mut().map(|judged| judged.held_probe.take()).collect();
        let mut tasks = Vec::with_capacity(judged.len());
        let mut completions = Vec::with_capacity(judged.len());
        for judged in judged {
            let (task, completion) = self.complete_task(judged);
            tasks.push(task);
            completions.push(completion);
        }
        let completed = self.ports.store.commit(self.run, &completions, cache_window).await?;
        self.count_new_targets(&completed);
        self.start_trap_tests();
        self.mark_returned(&tasks);
        let rejected = completed.rejected;
        for completion in completions.iter().filter(|done| rejected.contains(&done.task)) {
            if let Fence::Host(lease) = completion.fence {
                self.give_up(lease);
            }
        }
        let accepted: Vec<(FetchTask, TaskCompletion)> = tasks
            .into_iter()
            .zip(completions)
            .zip(held)
            .filter(|((task, _), _)| !rejected.contains(&task.id))
            .map(|((task, completion), held)| {
                let probe = completion.probe.or(held);
                (task, TaskCompletion { probe, ..completion })
            })
            .collect();
        self.notify_source(&accepted);
        let is_finished = |(_, completion): &(FetchTask, TaskCompletion)| {
            matches!(completion.update, TaskUpdate::Finish(_))
        };
        let checked: Vec<(FetchTask, TaskCompletion)> =
            accepted.into_iter().filter(is_finished).collect();
        self.checked += checked.len() as u64;
        if !self.is_loaded || self.role == Role::Worker {
            // More link locations may follow. The store holds the result until
            // then.
            return Ok(());
        }
        self.report(checked, observer).await
    }

    fn notify_source(&mut self, accepted: &[(FetchTask, TaskCompletion)]) {
        let Some(source) = &mut self.source else { return };
        for (task, completion) in accepted {
            match &completion.update {
                TaskUpdate::Finish(result) => source.on_result(&task.url, result.verdict),
                TaskUpdate::Hold { .. } if waits_for_neighbors(completion) => {
                    source.on_hold(&task.url);
                }
                _ => {}
            }
        }
    }

    /// Reports results after this task that needed no request: missing anchors.
    pub(super) async fn report_after(
        &self,
        mut after: TaskId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        loop {
            let query = CheckedTargetQuery {
                after,
                limit: PAGE_SIZE,
                max_locations: self.max_locations(),
                ..CheckedTargetQuery::ALL
            };
            let page = self.ports.store.checked_targets(self.run, query).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.task;
            for checked in &page {
                observer.on_result(checked)?;
            }
        }
    }

    async fn report(
        &mut self,
        checked: Vec<(FetchTask, TaskCompletion)>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let ids: Vec<TaskId> = checked.iter().map(|(task, _)| task.id).collect();
        let inlinks = self.ports.store.inlinks(&ids, self.max_locations()).await?;
        for ((task, completion), inlinks) in checked.into_iter().zip(inlinks) {
            let TaskUpdate::Finish(result) = completion.update else { continue };
            self.mark_reported(task.id);
            if inlinks.all_ignored {
                continue;
            }
            observer.on_result(&CheckedTarget {
                task: task.id,
                original_url: task.original_url,
                url: task.url,
                result,
                is_cached: false,
                probe: completion.probe,
                locations: inlinks.locations,
                inlinks: inlinks.count,
                depth: task.depth,
            })?;
        }
        Ok(())
    }
}

/// Whether a task is held until other pages of its directory are fetched.
fn waits_for_neighbors(completion: &TaskCompletion) -> bool {
    completion.probe.as_ref().is_some_and(|probe| !is_network_failure(&probe.outcome))
}
