//! Hosts that are down: their remaining tasks are settled without a request.
//!
//! `relink_frontier::Outage` decides when that is. A silent host of a crawl is
//! left to `Asker::unwelcome`, which keeps the run open: silence after responses
//! is more often a block than an outage.

use jiff::Timestamp;
use relink_frontier::Outage;
use relink_judge::{JudgeInput, Soft404Profile, conclude, unrequested};
use relink_model::{Attempt, FetchOutcome, FetchTask, Probe, Timings};
use relink_ports::{HostId, TargetResult, TaskUpdate};
use url::Url;

use super::Dispatcher;
use super::controls::ControlTask;
use super::host_queue::HostQueue;
use super::pending_judgment::{JudgedTask, settlement};
use crate::{EngineError, Observer};

impl Dispatcher<'_> {
    /// Settles the tasks of a host that is down.
    pub(super) async fn settle_unrequested(
        &mut self,
        host: HostId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let now = self.ports.now();
        let is_due = |lane: &HostQueue| lane.outage.is_down() && !self.ends_crawl(lane);
        if !self.lanes.get(&host).is_some_and(is_due) {
            return Ok(());
        }
        let Some(lane) = self.lanes.get_mut(&host) else { return Ok(()) };
        let (lease, outage) = (lane.lease, lane.outage.clone());
        let queued: Vec<FetchTask> = lane.queue.drain(..).collect();
        let strays: Vec<ControlTask> = lane.pending_controls.drain(..).collect();
        if queued.is_empty() && strays.is_empty() {
            return Ok(());
        }
        let mut judged: Vec<JudgedTask> = Vec::with_capacity(queued.len());
        for task in queued {
            let step = self.given_up(&task, &outage, now);
            judged.push(JudgedTask::new(task, Some(lease), None, step));
        }
        let unsent = judged.len();
        // Results that wait for a comparison are judged without it.
        for stray in strays {
            for inquest in self.deliver(host, stray, None) {
                judged.extend(self.advance(inquest).await?);
            }
        }
        self.in_flight -= judged.len() - unsent;
        self.commit(judged, observer).await?;
        // The store may hold more tasks of this host.
        self.schedule(host);
        self.supply.want_refill(host);
        Ok(())
    }

    /// The result of a task that is not requested, or not requested again.
    fn given_up(&self, task: &FetchTask, outage: &Outage, now: Timestamp) -> TaskUpdate {
        let policy = &self.settings.policy;
        let Some((since, ending)) = outage.facts() else { return TaskUpdate::Drop };
        let Some(last) = task.attempts.last() else {
            let judgment = unrequested(policy, &task.history, ending, since, now);
            let settled = settlement(judgment, &unsent(now, ending.clone()), Vec::new(), now);
            return TaskUpdate::Finish(TargetResult { status: None, ..settled });
        };
        let probe = unsent(last.requested_at, last.outcome.clone());
        let looks: &[Attempt] = &task.attempts;
        let case = JudgeInput {
            url: &task.url,
            attempts: looks,
            probe: &probe,
            phrase_scan: None,
            controls: &[],
            soft404_profile: Soft404Profile::default(),
            history: &task.history,
            now,
        };
        TaskUpdate::Finish(settlement(conclude(policy, &case), &probe, looks.to_vec(), now))
    }

    /// Whether a crawl ends because a host of its site stopped answering.
    pub(super) fn ends_crawl(&self, lane: &HostQueue) -> bool {
        let Some(crawler) = &self.crawler else { return false };
        let is_inside = |url: &str| Url::parse(url).is_ok_and(|url| crawler.follows(&url));
        lane.has_stopped_answering() && lane.queue.front().is_some_and(|next| is_inside(&next.url))
    }

    /// Keeps the failures of a host that is given back.
    pub(super) fn keep_outage(&mut self, host: HostId, lane: &HostQueue) {
        if lane.outage.has_failures() {
            self.outages.insert(host, lane.outage.clone());
        } else {
            self.outages.remove(&host);
        }
    }
}

fn unsent(asked: Timestamp, ending: FetchOutcome) -> Probe {
    let (hops, timings) = (Vec::new(), Timings::default());
    Probe { requested_at: asked, hops, outcome: ending, timings, retry_after: None, digest: None }
}
