//! Finishes tasks without a request in three cases: robots.txt disallows the page, the
//! host is closed, or the host is down.
//!
//! A host is *closed* if it requested a backoff that is longer than this run waits. It
//! is *down* if `relink_frontier::Outage` says so. If a host of a crawled site stops
//! responding after earlier responses, it more often blocks the crawler than it is
//! down. Its tasks are not finished here: `Dispatcher::blocking_host` ends the run, and
//! the tasks are fetched when the run is resumed.
//!
//! A *control* is a page that is fetched only for comparison with another page.

use jiff::Timestamp;
use relink_frontier::Outage;
use relink_judge::{JudgeInput, conclude, judge_unrequested};
use relink_model::{Attempt, FetchOutcome, FetchTask, Probe, Timings};
use relink_ports::{HostId, TargetResult, TaskUpdate};
use url::Url;

use super::Dispatcher;
use super::controls::ControlTask;
use super::host_queue::HostQueue;
use super::pending_judgment::{JudgedTask, blocked_result, target_result};
use crate::Observer;
use relink_requests::EngineError;

impl Dispatcher<'_> {
    /// Finishes the queued tasks that robots.txt disallows. If the host is closed,
    /// finishes all its queued tasks.
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
        let Some(queue) = self.queues.get_mut(host) else { return Ok(()) };
        let Some(until) = queue.pacer.closed_until() else { return Ok(()) };
        let lease = queue.lease;
        let mut judged: Vec<JudgedTask> = queue
            .tasks
            .drain(..)
            .map(|task| {
                let update = TaskUpdate::Finish(blocked_result(&task, until, now));
                JudgedTask::new(task, lease, None, update)
            })
            .collect();
        let controls: Vec<ControlTask> = queue.pending_controls.drain(..).collect();
        judged.extend(self.judge_without_controls(host, controls).await?);
        self.schedule(host);
        if !judged.is_empty() {
            // The store may have more tasks of this host. The host is released
            // only when it has none.
            self.claims.request_refill(host);
        }
        self.commit(judged, observer).await
    }

    /// Judges the fetched pages that wait for `controls`, which will not be fetched, and
    /// frees the request slots of the pages.
    async fn judge_without_controls(
        &mut self,
        host: HostId,
        controls: Vec<ControlTask>,
    ) -> Result<Vec<JudgedTask>, EngineError> {
        let mut judged = Vec::new();
        for control in controls {
            let no_probe = None;
            for pending in self.finish_control(host, control, no_probe) {
                judged.extend(self.advance(pending).await?);
            }
        }
        self.requests.free(judged.len());
        Ok(judged)
    }

    /// Finishes the queued tasks of a host that is down.
    pub(super) async fn finish_unrequested(
        &mut self,
        host: HostId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let now = self.ports.now();
        let is_down = |queue: &HostQueue| queue.outage.is_down() && !self.ends_crawl(queue);
        if !self.queues.get(host).is_some_and(is_down) {
            return Ok(());
        }
        let Some(queue) = self.queues.get_mut(host) else { return Ok(()) };
        let (lease, outage) = (queue.lease, queue.outage.clone());
        let tasks: Vec<FetchTask> = queue.tasks.drain(..).collect();
        let controls: Vec<ControlTask> = queue.pending_controls.drain(..).collect();
        if tasks.is_empty() && controls.is_empty() {
            return Ok(());
        }
        let mut judged: Vec<JudgedTask> = Vec::with_capacity(tasks.len());
        for task in tasks {
            let update = self.unrequested_update(&task, &outage, now);
            judged.push(JudgedTask::new(task, lease, None, update));
        }
        judged.extend(self.judge_without_controls(host, controls).await?);
        self.commit(judged, observer).await?;
        // The store may have more tasks of this host.
        self.schedule(host);
        self.claims.request_refill(host);
        Ok(())
    }

    /// Returns the result of a task whose host is down. A task without attempts is
    /// judged by the last failure of the host. A task that waits for a retry is judged
    /// by its own attempts.
    fn unrequested_update(&self, task: &FetchTask, outage: &Outage, now: Timestamp) -> TaskUpdate {
        let policy = &self.settings.policy;
        let Some((since, outcome)) = outage.last_failure() else {
            // Does not happen: a host is down only after failures.
            return TaskUpdate::Drop;
        };
        let Some(last) = task.attempts.last() else {
            let judgment = judge_unrequested(policy, &task.history, outcome, since, now);
            let probe = probe_from_outcome(now, outcome.clone());
            let result = target_result(judgment, &probe, Vec::new(), now);
            // The HTTP status of the failure belongs to another page of the host.
            return TaskUpdate::Finish(TargetResult { status: None, ..result });
        };
        let probe = probe_from_outcome(last.requested_at, last.outcome.clone());
        let attempts: &[Attempt] = &task.attempts;
        let input = JudgeInput {
            url: &task.url,
            attempts,
            probe: &probe,
            phrase_scan: None,
            controls: &[],
            history: &task.history,
            now,
        };
        TaskUpdate::Finish(target_result(conclude(policy, &input), &probe, attempts.to_vec(), now))
    }

    /// Whether a crawl ends because this host of the crawled site stopped responding.
    pub(super) fn ends_crawl(&self, queue: &HostQueue) -> bool {
        let is_crawled = |url: &str| Url::parse(url).is_ok_and(|url| self.job.follows(&url));
        queue.has_stopped_responding()
            && queue.tasks.front().is_some_and(|next| is_crawled(&next.url))
    }
}

/// Returns a probe of which only the time and the outcome are known.
fn probe_from_outcome(requested_at: Timestamp, outcome: FetchOutcome) -> Probe {
    let (hops, timings) = (Vec::new(), Timings::default());
    Probe { requested_at, hops, outcome, timings, retry_after: None, digest: None, version: None }
}
