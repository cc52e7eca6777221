//! Taking in what came back, committing it, and telling the observer.

use std::time::Duration;

use jiff::Timestamp;
use relink_judge::is_network_failure;
use relink_model::{FetchTask, Probe, TaskId};
use relink_ports::{
    CacheWindow, CheckedTarget, CheckedTargetQuery, HostId, TaskCompletion, TaskUpdate,
};
use tokio::time::Instant;

use super::controls::ControlTask;
use super::host_queue::AddressLookup;
use super::pending_judgment::{JudgedTask, PendingJudgment, turned_away};
use super::{Dispatcher, WorkerEvent};
use crate::{EngineError, Observer, StopSignal};

/// While many requests are out, a commit waits so long for company: a fuller
/// batch writes each page of the database once instead of twice.
const LINGER: Duration = Duration::from_millis(4);
/// Results committed at once, at most.
const LARGEST_BATCH: usize = 64;
/// Tasks are read back from the store this many at a time.
pub(super) const PAGE: usize = 256;

/// What is on hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoldReason {
    /// What waits for a proof that our own network works.
    ForNetwork,
    /// What waits for its neighbors, too.
    All,
}

impl Dispatcher<'_> {
    /// Takes in what came back.
    pub(super) async fn collect_results(
        &mut self,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        let batch = self.batch();
        // While loading, whoever waits only lets the loader go first.
        if self.is_loaded && self.outstanding >= batch {
            self.tray.wait_for_batch(batch, Instant::now() + LINGER).await;
        }
        let returned = self.tray.take(batch);
        self.outstanding -= returned.len();
        let (had_network, was_proven) = (self.has_network, self.is_network_proven());
        let mut hosts = Vec::with_capacity(returned.len());
        let mut opened = Vec::with_capacity(returned.len());
        let mut judged = Vec::with_capacity(returned.len());
        for returned in returned {
            let is_control = matches!(returned, WorkerEvent::Compared(..));
            let inquests = self.inquests(returned, &mut hosts).await?;
            if !is_control {
                opened.extend(inquests);
                continue;
            }
            for inquest in inquests {
                judged.extend(self.advance(inquest).await?);
            }
        }
        hosts.sort_unstable();
        hosts.dedup();
        if !stop.is_stopped() {
            self.send_ahead(&hosts, opened.len());
        }
        for inquest in opened {
            // One that waits for a control keeps its place meanwhile.
            judged.extend(self.advance(inquest).await?);
        }
        let done = judged.len();
        self.commit(judged, observer).await?;
        self.in_flight -= done;
        self.keep_network().await?;
        if self.has_network && !had_network {
            // The first server met proves that our own network works; what was
            // held back until then can be judged.
            self.ports.store.confirm_network(self.run).await?;
            self.judge_held(HoldReason::ForNetwork, observer, stop).await?;
        } else if self.is_network_proven() && !was_proven {
            self.judge_held(HoldReason::ForNetwork, observer, stop).await?;
        }
        for host in hosts {
            self.finish_blocked(host, observer).await?;
            self.settle_unrequested(host, observer).await?;
            self.schedule(host);
            self.supply.want_refill(host);
        }
        Ok(())
    }

    /// Sends out as many requests as looks came back, before those are judged
    /// and stored: the network need not wait for the disk. A kill then repeats up
    /// to a batch more than what is out. Where answers decide what is asked next,
    /// they come first.
    fn send_ahead(&mut self, hosts: &[HostId], came_back: usize) {
        if self.crawler.is_some() || self.source.is_some() {
            return;
        }
        let now = self.elapsed();
        for host in hosts {
            self.schedule_at(*host, now);
        }
        self.in_flight -= came_back;
        self.dispatch(now);
        self.in_flight += came_back;
    }

    /// The inquests that go on because of what came back.
    async fn inquests(
        &mut self,
        returned: WorkerEvent,
        hosts: &mut Vec<HostId>,
    ) -> Result<Vec<PendingJudgment>, EngineError> {
        Ok(match returned {
            WorkerEvent::Located(host, address) => {
                self.note_address(host, address);
                Vec::new()
            }
            WorkerEvent::Looked(host, looked) => {
                self.note_network(&looked.task.url, &looked.probe);
                hosts.push(host);
                self.begin_judgment(host, *looked).into_iter().collect()
            }
            WorkerEvent::Visited(host, looked, unrendered) => {
                self.note_network(&looked.task.url, &looked.probe);
                hosts.push(host);
                if let (Some(crawler), Some(error)) = (&mut self.crawler, unrendered) {
                    crawler.note_unrendered(error);
                }
                self.begin_judgment(host, *looked).into_iter().collect()
            }
            WorkerEvent::Robots(host, kept, probe) => {
                self.has_network |= probe.outcome.reached_server();
                hosts.push(host);
                self.take_robots(host, *kept, &probe).await?;
                Vec::new()
            }
            WorkerEvent::Compared(host, task, probe) => {
                self.has_network |= probe.outcome.reached_server();
                hosts.push(host);
                self.take_control(host, *task, *probe).await?
            }
        })
    }

    /// Results committed at once: half of what may be out, so that the other
    /// half keeps the network busy meanwhile.
    fn batch(&self) -> usize {
        (self.settings.concurrency / 2).clamp(1, LARGEST_BATCH)
    }

    fn note_address(&mut self, host: HostId, address: Option<std::net::IpAddr>) {
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.whereabouts = AddressLookup::Known(address);
        }
        self.schedule(host);
    }

    /// Judges what was put on hold, now that what it waited for has come: none
    /// of it before some server was met.
    pub(super) async fn judge_held(
        &mut self,
        which: HoldReason,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        if which == HoldReason::All {
            self.decide_network().await?;
        }
        let mut after = TaskId(0);
        while self.has_network && !stop.is_stopped() {
            self.report_progress(observer);
            let page = self.ports.store.held_tasks(self.run, after, PAGE).await?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = last.id;
            let mut judged = Vec::with_capacity(page.len());
            for (task, probe) in page {
                if which == HoldReason::ForNetwork && !self.is_released(&task.url, &probe) {
                    continue;
                }
                judged.push(match self.settle_doubtful(&task, &probe) {
                    Some(judged) => judged,
                    None => self.judge_again(task, probe).await?,
                });
            }
            self.commit(judged, observer).await?;
        }
        Ok(())
    }

    /// Tasks of a host that wants to be left alone for longer than this run
    /// will wait are settled unasked.
    pub(super) async fn finish_blocked(
        &mut self,
        host: HostId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let now = self.ports.now();
        let barred = self.barred(host);
        if !barred.is_empty() {
            self.commit(barred, observer).await?;
            self.schedule(host);
            self.supply.want_refill(host);
        }
        let Some(lane) = self.lanes.get_mut(&host) else { return Ok(()) };
        let Some(until) = lane.shut_until else { return Ok(()) };
        let lease = lane.lease;
        let mut judged: Vec<JudgedTask> = lane
            .queue
            .drain(..)
            .map(|task| {
                let step = TaskUpdate::Finish(turned_away(&task, until, now));
                JudgedTask::new(task, Some(lease), None, step)
            })
            .collect();
        let queued = judged.len();
        // Looks that wait for a control are judged without it.
        let strays: Vec<ControlTask> = lane.pending_controls.drain(..).collect();
        for stray in strays {
            for inquest in self.deliver(host, stray, None) {
                judged.extend(self.advance(inquest).await?);
            }
        }
        self.in_flight -= judged.len() - queued;
        self.schedule(host);
        if !judged.is_empty() {
            // The store may have more of them, and the host is only released
            // once it has none.
            self.supply.want_refill(host);
        }
        self.commit(judged, observer).await
    }

    /// Stores judged tasks in one transaction and reports the settled ones.
    pub(super) async fn commit(
        &mut self,
        mut judged: Vec<JudgedTask>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if judged.is_empty() {
            return Ok(());
        }
        let now = self.ports.now();
        let moments = self
            .crawler
            .as_ref()
            .map_or(CacheWindow { now, fresh_since: Timestamp::MAX }, |crawler| {
                crawler.moments(now)
            });
        let held: Vec<Option<Probe>> = judged.iter_mut().map(|judged| judged.held.take()).collect();
        let mut tasks = Vec::with_capacity(judged.len());
        let mut completions = Vec::with_capacity(judged.len());
        for judged in judged {
            let (task, completion) = self.weighed(judged);
            tasks.push(task);
            completions.push(completion);
        }
        let completed = self.ports.store.commit(self.run, &completions, moments).await?;
        self.note_found(&completed);
        self.note_back(&tasks);
        let refused = completed.refused;
        let taken: Vec<(FetchTask, TaskCompletion)> = tasks
            .into_iter()
            .zip(completions)
            .zip(held)
            .filter(|((task, _), _)| !refused.contains(&task.id))
            .map(|((task, completion), held)| {
                let probe = completion.probe.or(held);
                (task, TaskCompletion { probe, ..completion })
            })
            .collect();
        self.tell_source(&taken);
        let is_settled =
            |(_, done): &(FetchTask, TaskCompletion)| matches!(done.step, TaskUpdate::Finish(_));
        let settled: Vec<(FetchTask, TaskCompletion)> =
            taken.into_iter().filter(is_settled).collect();
        self.checked += settled.len() as u64;
        if !self.is_loaded {
            // Further places may turn up; the store keeps it until then.
            return Ok(());
        }
        self.report(settled, observer).await
    }

    fn tell_source(&mut self, taken: &[(FetchTask, TaskCompletion)]) {
        let Some(source) = &mut self.source else { return };
        for (task, completion) in taken {
            match &completion.step {
                TaskUpdate::Finish(settlement) => source.take(&task.url, settlement.verdict),
                TaskUpdate::Hold { .. } if waits_for_neighbors(completion) => {
                    source.hold(&task.url)
                }
                _ => {}
            }
        }
    }

    /// Reports what was settled without asking after this task: places that
    /// pages do not have.
    pub(super) async fn report_settled(
        &self,
        mut after: TaskId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        loop {
            let query = CheckedTargetQuery {
                after,
                limit: PAGE,
                locations: self.places(),
                ..CheckedTargetQuery::ALL
            };
            let page = self.ports.store.checked_targets(self.run, query).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.task;
            for settled in &page {
                observer.settled(settled)?;
            }
        }
    }

    async fn report(
        &mut self,
        settled: Vec<(FetchTask, TaskCompletion)>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let ids: Vec<TaskId> = settled.iter().map(|(task, _)| task.id).collect();
        let mentions = self.ports.store.inlinks(&ids, self.places()).await?;
        for ((task, completion), mentions) in settled.into_iter().zip(mentions) {
            let TaskUpdate::Finish(settlement) = completion.step else { continue };
            self.note_told(task.id);
            if mentions.all_ignored {
                continue;
            }
            observer.settled(&CheckedTarget {
                task: task.id,
                original_url: task.original_url,
                url: task.url,
                result: settlement,
                is_cached: false,
                probe: completion.probe,
                locations: mentions.locations,
                inlinks: mentions.count,
                depth: task.depth,
            })?;
        }
        Ok(())
    }
}

/// Whether a task was put on hold until other pages have been asked.
fn waits_for_neighbors(completion: &TaskCompletion) -> bool {
    completion.probe.as_ref().is_some_and(|probe| !is_network_failure(&probe.outcome))
}
