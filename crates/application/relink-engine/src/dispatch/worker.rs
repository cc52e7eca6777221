//! Works on a run that another process has opened.
//!
//! A worker claims hosts, fetches, judges and commits. The *owner* of the run is the
//! process that opened it. Only the owner loads documents, judges *held* results (those
//! that wait for the end of the run), reports results and closes the run.

use std::time::Duration;

use relink_ports::{CheckedTarget, RunState};

use super::Dispatcher;
use crate::{Observer, Progress};
use relink_requests::{BEFORE_FIRST_TASK, EngineError, StopSignal};

/// Interval between checks whether the run is still open.
const STATUS_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum time to wait for requests in flight after a stop, less than the
/// duration of a lease.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);

/// The role of a process in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Opened the run.
    Owner,
    /// Joined the run.
    Worker,
}

/// An observer for workers. It discards all results, because the owner reports them.
struct NoObserver;

impl Observer for NoObserver {
    fn on_result(&mut self, _checked: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn on_progress(&mut self, _progress: &Progress) {}
}

impl Dispatcher<'_> {
    /// Fetches tasks until the run has none, is closed, or the worker is
    /// stopped. Returns the number of results.
    pub(crate) async fn work(mut self, stop: &StopSignal) -> Result<u64, EngineError> {
        self.run.role = Role::Worker;
        // A worker has nothing to load.
        self.loading.finish(BEFORE_FIRST_TASK);
        self.load_network().await?;
        let (mut observer, mut status_read_at) = (NoObserver, Duration::ZERO);
        let mut stopped_at: Option<Duration> = None;
        loop {
            if stop.is_stopped() {
                // Store the results of the requests in flight before the worker ends.
                let since = *stopped_at.get_or_insert(self.elapsed());
                if self.requests.outstanding() == 0 || self.elapsed() > since + DRAIN_TIMEOUT {
                    break;
                }
                self.renew_leases().await?;
                self.requests.wait().await;
                self.collect_results(&mut observer, stop).await?;
                continue;
            }
            self.refill_queues(&mut observer).await?;
            self.dispatch(self.elapsed());
            if self.queues.is_empty()
                && self.requests.outstanding() == 0
                && self.claims.is_exhausted()
            {
                break;
            }
            if self.elapsed() >= status_read_at + STATUS_INTERVAL {
                status_read_at = self.elapsed();
                if self.ports.store.run_status(self.run.id).await?.state != RunState::Open {
                    break;
                }
            }
            self.fail_if_stalled().await?;
            self.wait(stop).await;
            self.collect_results(&mut observer, stop).await?;
        }
        self.release_all().await?;
        Ok(self.reports.checked)
    }

    /// Reads what other workers have done, before the owner decides about held
    /// results.
    pub(super) async fn sync_with_workers(&mut self) -> Result<(), EngineError> {
        if !self.run.is_shared {
            return Ok(());
        }
        if self.ports.store.run_status(self.run.id).await?.network_confirmed {
            self.network.confirm();
        }
        self.load_network().await?;
        self.reports.set_progress(&self.ports.store.progress(self.run.id).await?);
        Ok(())
    }

    /// Reports the results that other workers have committed.
    pub(super) async fn report_results_of_workers(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        // Crawls have no workers.
        if !self.run.is_shared || self.job.follows_links() {
            return Ok(());
        }
        let last = self.ports.store.last_task_id(self.run.id).await?;
        self.reports.defer_through(last);
        self.report_deferred(observer).await
    }
}
