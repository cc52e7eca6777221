//! Hosts that are down: their remaining tasks are finished without a request.
//!
//! `relink_frontier::Outage` decides whether a host is down. A silent host of a
//! crawl is handled by `Dispatcher::blocking_host`, which keeps the run open:
//! silence after responses is more often a block than an outage.

use jiff::Timestamp;
use relink_frontier::Outage;
use relink_judge::{JudgeInput, conclude, judge_unrequested};
use relink_model::{Attempt, FetchOutcome, FetchTask, Probe, Timings};
use relink_ports::{HostId, TargetResult, TaskUpdate};
use url::Url;

use super::Dispatcher;
use super::controls::ControlTask;
use super::host_queue::HostQueue;
use super::pending_judgment::{JudgedTask, target_result};
use crate::{EngineError, Observer};

impl Dispatcher<'_> {
    /// Finishes the tasks of a host that is down.
    pub(super) async fn finish_unrequested(
        &mut self,
        host: HostId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let now = self.ports.now();
        let is_down = |queue: &HostQueue| queue.outage.is_down() && !self.ends_crawl(queue);
        if !self.queues.get(&host).is_some_and(is_down) {
            return Ok(());
        }
        let Some(queue) = self.queues.get_mut(&host) else { return Ok(()) };
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
        let unrequested = judged.len();
        // Judge attempts that wait for a control without it.
        for control in controls {
            for pending in self.finish_control(host, control, None) {
                judged.extend(self.advance(pending).await?);
            }
        }
        self.in_flight -= judged.len() - unrequested;
        self.commit(judged, observer).await?;
        // The store may hold more tasks of this host.
        self.schedule(host);
        self.claims.request_refill(host);
        Ok(())
    }

    /// Returns the result of a task that is not fetched, or not fetched again.
    fn unrequested_update(&self, task: &FetchTask, outage: &Outage, now: Timestamp) -> TaskUpdate {
        let policy = &self.settings.policy;
        let Some((since, outcome)) = outage.last_failure() else { return TaskUpdate::Drop };
        let Some(last) = task.attempts.last() else {
            let judgment = judge_unrequested(policy, &task.history, outcome, since, now);
            let result =
                target_result(judgment, &unsent_probe(now, outcome.clone()), Vec::new(), now);
            return TaskUpdate::Finish(TargetResult { status: None, ..result });
        };
        let probe = unsent_probe(last.requested_at, last.outcome.clone());
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

    /// Whether a crawl ends because a host of its site stopped responding.
    pub(super) fn ends_crawl(&self, queue: &HostQueue) -> bool {
        let Some(crawler) = &self.crawler else { return false };
        let is_inside = |url: &str| Url::parse(url).is_ok_and(|url| crawler.follows(&url));
        queue.has_stopped_responding()
            && queue.tasks.front().is_some_and(|next| is_inside(&next.url))
    }

    /// Saves the failures of a released host.
    pub(super) fn save_outage(&mut self, host: HostId, queue: &HostQueue) {
        if queue.outage.has_failures() {
            self.outages.insert(host, queue.outage.clone());
        } else {
            self.outages.remove(&host);
        }
    }
}

fn unsent_probe(requested_at: Timestamp, outcome: FetchOutcome) -> Probe {
    let (hops, timings) = (Vec::new(), Timings::default());
    Probe { requested_at, hops, outcome, timings, retry_after: None, digest: None }
}
