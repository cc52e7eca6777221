//! Takes the results of requests: records, judges and commits them in batches.
//!
//! A *control* is a page fetched only for comparison; an *attempt* is a fetched page
//! that is not judged yet, and may wait for a control. A *held* result waits in the
//! store until the local network is known to work.

use std::net::IpAddr;
use std::time::Duration;

use relink_ports::HostId;

use super::held::HoldReason;
use super::host_queue::AddressLookup;
use super::pending_judgment::PendingJudgment;
use super::{Dispatcher, WorkerEvent};
use crate::Observer;
use relink_requests::{EngineError, StopSignal};

/// Wait for a fuller batch while many requests are in flight. A fuller batch
/// writes each database page once instead of twice.
const BATCH_WAIT: Duration = Duration::from_millis(4);
/// Maximum number of results per commit.
const MAX_BATCH: usize = 64;

impl Dispatcher<'_> {
    /// Processes and commits one batch of results.
    pub(super) async fn collect_results(
        &mut self,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        let batch = self.batch_size();
        // While loading, waiting for a full batch would only delay the loader.
        if self.loading.is_done() && self.requests.outstanding() >= batch {
            self.requests.wait_for_batch(batch, BATCH_WAIT).await;
        }
        let events = self.requests.take(batch);
        // Confirmed: any server responded. Proven: enough external hosts responded.
        let (was_confirmed, was_proven) = (self.network.is_confirmed(), self.network.is_proven());
        let mut hosts = Vec::with_capacity(events.len());
        let mut fetched_tasks = Vec::with_capacity(events.len());
        let mut judged = Vec::with_capacity(events.len());
        for event in events {
            let is_control = matches!(event, WorkerEvent::ControlFetched(..));
            let pending = self.process_event(event, &mut hosts).await?;
            // Fetched tasks are judged after all controls of the batch are recorded.
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
        self.requests.free(judged_count);
        self.save_network().await?;
        if self.network.is_confirmed() && !was_confirmed {
            // The first response proves that the local network works. The
            // results held until then can be judged.
            self.ports.store.confirm_network(self.run.id).await?;
            self.judge_held(HoldReason::Network, observer, stop).await?;
        } else if self.network.is_proven() && !was_proven {
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
        if self.job.follows_links() || self.job.draws_samples() {
            return;
        }
        let now = self.elapsed();
        for host in hosts {
            self.schedule_at(*host, now);
        }
        // The returned tasks do not count as requests in flight while new ones are sent.
        self.requests.free(returned);
        self.dispatch(now);
        self.requests.occupy(returned);
    }

    /// Records an event and adds its host to `hosts`. Returns the attempts that can be
    /// judged after it.
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
                self.network.record(&fetched.task.url, &fetched.probe, &*self.job);
                hosts.push(host);
                self.begin_judgment(host, *fetched).into_iter().collect()
            }
            WorkerEvent::PageFetched(host, fetched, render_error) => {
                self.network.record(&fetched.task.url, &fetched.probe, &*self.job);
                hosts.push(host);
                if let Some(error) = render_error {
                    self.job.record_render_error(error);
                }
                self.begin_judgment(host, *fetched).into_iter().collect()
            }
            WorkerEvent::RobotsFetched(host, result, probe) => {
                self.network.record_outcome(&probe.outcome);
                hosts.push(host);
                self.record_robots(host, *result, &probe).await?;
                Vec::new()
            }
            WorkerEvent::ControlFetched(host, task, probe) => {
                self.network.record_outcome(&probe.outcome);
                hosts.push(host);
                self.record_control(host, *task, *probe).await?
            }
        })
    }

    /// Returns the maximum number of results per commit: half of the request slots. The
    /// other half keeps the network busy during the commit.
    fn batch_size(&self) -> usize {
        (self.settings.concurrency / 2).clamp(1, MAX_BATCH)
    }

    /// Records the IP address of a host. While another worker sends requests to the
    /// same address, the host is released and claimed again later.
    async fn record_address(
        &mut self,
        host: HostId,
        address: Option<IpAddr>,
    ) -> Result<(), EngineError> {
        let Some(queue) = self.queues.get_mut(host) else { return Ok(()) };
        queue.address_lookup = AddressLookup::Known(address);
        let lease = queue.lease;
        if let Some(address) = address.filter(|_| self.run.is_shared) {
            let (now, until) = (self.ports.now(), self.lease_end());
            if !self.ports.store.lease_address(lease, address, now, until).await? {
                return self.give_back(host).await;
            }
        }
        self.schedule(host);
        Ok(())
    }
}
