//! Hosts that are down: their remaining tasks are settled without a request.
//!
//! `relink_frontier::Outage` decides when that is. A silent host of a crawl is
//! left to `Asker::unwelcome`, which keeps the run open: silence after responses
//! is more often a block than an outage.

use jiff::Timestamp;
use relink_frontier::Outage;
use relink_judge::{Case, Habit, conclude, unrequested};
use relink_model::{Ending, Errand, Look, Probe, Timings};
use relink_ports::{HostId, Settlement, Step};
use url::Url;

use super::Asker;
use super::controls::ControlErrand;
use super::inquest::{Judged, settlement};
use super::lane::Lane;
use crate::{EngineFault, Observer};

impl Asker<'_> {
    /// Settles the tasks of a host that is down.
    pub(super) async fn settle_unrequested(
        &mut self,
        host: HostId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let now = self.ports.now();
        let is_due = |lane: &Lane| lane.outage.is_down() && !self.ends_crawl(lane);
        if !self.lanes.get(&host).is_some_and(is_due) {
            return Ok(());
        }
        let Some(lane) = self.lanes.get_mut(&host) else { return Ok(()) };
        let (lease, outage) = (lane.lease, lane.outage.clone());
        let queued: Vec<Errand> = lane.queue.drain(..).collect();
        let strays: Vec<ControlErrand> = lane.strays.drain(..).collect();
        if queued.is_empty() && strays.is_empty() {
            return Ok(());
        }
        let mut judged: Vec<Judged> = Vec::with_capacity(queued.len());
        for task in queued {
            let step = self.given_up(&task, &outage, now);
            judged.push(Judged::new(task, Some(lease), None, step));
        }
        let unsent = judged.len();
        // Results that wait for a comparison are judged without it.
        for stray in strays {
            for inquest in self.deliver(host, stray, None) {
                judged.extend(self.proceed(inquest).await?);
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
    fn given_up(&self, task: &Errand, outage: &Outage, now: Timestamp) -> Step {
        let policy = &self.settings.policy;
        let Some((since, ending)) = outage.facts() else { return Step::Leave };
        let Some(last) = task.looks.last() else {
            let judgement = unrequested(policy, &task.history, ending, since, now);
            let settled = settlement(judgement, &unsent(now, ending.clone()), Vec::new(), now);
            return Step::Settle(Settlement { status: None, ..settled });
        };
        let probe = unsent(last.asked, last.ending.clone());
        let looks: &[Look] = &task.looks;
        let case = Case {
            url: &task.url,
            looks,
            probe: &probe,
            heard: None,
            controls: &[],
            habit: Habit::default(),
            history: &task.history,
            now,
        };
        Step::Settle(settlement(conclude(policy, &case), &probe, looks.to_vec(), now))
    }

    /// Whether a crawl ends because a host of its site stopped answering.
    pub(super) fn ends_crawl(&self, lane: &Lane) -> bool {
        let Some(crawler) = &self.crawler else { return false };
        let is_inside = |url: &str| Url::parse(url).is_ok_and(|url| crawler.follows(&url));
        lane.has_stopped_answering() && lane.queue.front().is_some_and(|next| is_inside(&next.url))
    }

    /// Keeps the failures of a host that is given back.
    pub(super) fn keep_outage(&mut self, host: HostId, lane: &Lane) {
        if lane.outage.has_failures() {
            self.outages.insert(host, lane.outage.clone());
        } else {
            self.outages.remove(&host);
        }
    }
}

fn unsent(asked: Timestamp, ending: Ending) -> Probe {
    let (hops, timings) = (Vec::new(), Timings::default());
    Probe { asked, hops, ending, timings, retry_after: None, digest: None }
}
