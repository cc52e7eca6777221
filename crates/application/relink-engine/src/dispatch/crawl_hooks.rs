//! Additions of a crawl to the dispatcher.
//!
//! The links of a page are selected when the page is judged, and stored in the
//! transaction that stores its result. Results are reported immediately, with
//! the links known at that time.
//!
//! In *depth-first order*, the task with the best rank is fetched next, not the task
//! that was found first. A *spider trap* is an endless set of generated pages.

use std::time::Duration;

use relink_judge::JudgeInput;
use relink_model::{FetchTask, TaskId};
use relink_ports::{Fence, HostId, TaskCompletion, TaskUpdate};

use super::host_queue::RefillLimit;
use super::pending_judgment::{JudgedTask, target_result};
use super::robots::RobotsState;
use super::{DispatchEnd, Dispatcher};
use crate::Observer;
use crate::crawl::FetchedPageContext;
use relink_requests::{EngineError, internal_error_probe, isolate};

/// Maximum interval between two checkpoints of a crawl. A crash loses the state of the
/// trap detection since the last checkpoint.
const MAX_SAVE_INTERVAL: Duration = Duration::from_secs(5);
/// Interval between two checkpoints, as a multiple of the time that saving takes.
const SAVE_INTERVAL_FACTOR: u32 = 20;

/// Decides when the checkpoint of a job is saved.
#[derive(Debug, Default)]
pub(super) struct CheckpointTimer {
    /// When the next checkpoint is due.
    due_at: Duration,
}

impl CheckpointTimer {
    fn is_due(&self, now: Duration) -> bool {
        now >= self.due_at
    }

    /// Records that saving took from `started` to `finished`.
    fn saved(&mut self, started: Duration, finished: Duration) {
        let duration = finished.saturating_sub(started);
        let interval = (duration * SAVE_INTERVAL_FACTOR).min(MAX_SAVE_INTERVAL);
        // If saving takes longer than the maximum interval, the crawl still continues for
        // as long as it was interrupted.
        self.due_at = (started + interval).max(finished + duration);
    }
}

impl Dispatcher<'_> {
    /// Completes a judged task with the links of its page. A task that was not fetched
    /// is returned as it is.
    pub(super) fn complete_task(&mut self, judged: JudgedTask) -> (FetchTask, TaskCompletion) {
        let JudgedTask { task, mut completion, parsed_page, .. } = judged;
        let Some(probe) = &completion.probe else { return (task, completion) };
        self.job.record_attempt(&task, probe);
        if let TaskUpdate::Finish(result) = &completion.update {
            let context = FetchedPageContext { task: &task, probe, verdict: result.verdict };
            match isolate(&task.url, || self.job.process_page(&context, parsed_page)) {
                Ok(page) => completion.page = page,
                Err(_) => self.set_internal_error(&task, &mut completion),
            }
        }
        (task, completion)
    }

    /// Replaces the result of a page with an internal error, because processing its links
    /// panicked. The response no longer matters.
    fn set_internal_error(&self, task: &FetchTask, completion: &mut TaskCompletion) {
        let now = self.ports.now();
        let probe =
            internal_error_probe(completion.probe.as_ref().map_or(now, |probe| probe.requested_at));
        let attempts = match &completion.update {
            TaskUpdate::Finish(result) => result.attempts.clone(),
            _ => task.attempts.clone(),
        };
        let input = JudgeInput {
            url: &task.url,
            attempts: &attempts,
            probe: &probe,
            phrase_scan: None,
            controls: &[],
            history: &task.history,
            now,
        };
        let judgment = relink_judge::internal_error(&input);
        completion.update = TaskUpdate::Finish(target_result(judgment, &probe, attempts, now));
        completion.probe = Some(probe);
        completion.anchors = None;
    }

    /// Returns the next task of a host that is still allowed. A URL may have
    /// been queued before a spider trap was detected.
    pub(super) fn next_task(&mut self, host: HostId) -> Option<FetchTask> {
        loop {
            let task = self.queues.get_mut(host)?.next_task()?;
            // If the job fails with an internal error, fetch the page.
            if isolate(&task.url, || self.job.is_still_allowed(&task)).unwrap_or(true) {
                return Some(task);
            }
            self.skipped.push((host, task));
        }
    }

    /// Drops the skipped tasks.
    pub(super) async fn drop_skipped(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let skipped = std::mem::take(&mut self.skipped);
        let targets = &mut self.reports.targets;
        *targets = targets.saturating_sub(skipped.len() as u64);
        let mut judged = Vec::with_capacity(skipped.len());
        for (host, task) in skipped {
            self.claims.request_refill(host);
            let lease = self.queues.get(host).map(|queue| Fence::Host(queue.lease));
            let fence = lease.unwrap_or_else(|| self.run_fence());
            judged.push(JudgedTask::new(task, fence, None, TaskUpdate::Drop));
        }
        self.commit(judged, observer).await
    }

    /// Marks tasks as no longer in flight. Only depth-first order needs this mark.
    pub(super) fn mark_returned(&mut self, tasks: &[FetchTask]) {
        if !self.job.is_depth_first() {
            return;
        }
        for queue in self.queues.iter_mut() {
            for task in tasks {
                queue.in_flight_tasks.remove(&task.id);
            }
        }
    }

    /// Whether the time limit of the job is reached.
    pub(super) fn is_time_limit_reached(&self) -> bool {
        self.job.max_time().is_some_and(|max_time| self.elapsed() >= max_time)
    }

    /// Saves the periodic checkpoint of the job when it is due.
    pub(super) async fn save_checkpoint_if_due(&mut self) -> Result<(), EngineError> {
        let started = self.elapsed();
        if self.checkpoints.is_due(started)
            && let Some((name, text)) = self.job.periodic_checkpoint()
        {
            self.ports.store.save_checkpoint(self.run.id, name, &text).await?;
            self.checkpoints.saved(started, self.elapsed());
        }
        Ok(())
    }

    /// Returns the end of the run if a crawled host blocks the crawler.
    pub(super) fn blocking_host(&self) -> Option<DispatchEnd> {
        let (_, queue) = self.queues.iter().find(|(_, queue)| self.ends_crawl(queue))?;
        Some(DispatchEnd::BlockedByHost {
            host: queue.name().to_owned(),
            requests: queue.stats().requests,
            is_silent: queue.outage.is_down(),
        })
    }

    /// Queues the rejected tasks of each host that stopped responding again, so that the
    /// pages are fetched when the run is resumed: they may be alive.
    pub(super) async fn requeue_rejected_tasks(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let now = self.ports.now();
        let mut judged = Vec::new();
        for queue in self.queues.iter_mut().filter(|queue| queue.has_stopped_responding()) {
            for task in queue.rejected_tasks.drain(..) {
                let attempts = task.attempts.clone();
                let update = TaskUpdate::Retry { purpose: task.purpose, not_before: now, attempts };
                judged.push(JudgedTask::new(task, queue.lease, None, update));
            }
        }
        self.commit(judged, observer).await
    }

    /// Refills a queue by rank. A task found later may have a better rank, so no more
    /// tasks are queued than can be sent now.
    pub(super) async fn refill_by_rank(&mut self, host: HostId) -> Result<(), EngineError> {
        let (now, stored_batches) = (self.ports.now(), self.stored_batches());
        let Some(queue) = self.queues.get_mut(host) else { return Ok(()) };
        let due_until = queue.due_until(now);
        let limit = queue.in_flight_tasks.len() + self.settings.politeness.host_concurrency;
        let lease = queue.lease;
        let tasks = self.ports.store.due_by_rank(self.run.id, lease, limit, due_until).await?;
        let Some(queue) = self.queues.get_mut(host) else { return Ok(()) };
        queue.tasks.clear();
        let found_count = tasks.len();
        let unsent = tasks.into_iter().filter(|task| !queue.in_flight_tasks.contains(&task.id));
        let unsent: Vec<FetchTask> = unsent.collect();
        // With limit 0, `refill` does not set `exhausted_after_batch`: it counts only the
        // unsent tasks. The next line counts all of them.
        queue.refill(unsent, RefillLimit { limit: 0, stored_batches });
        queue.exhausted_after_batch = (found_count < limit).then_some(stored_batches);
        if matches!(queue.robots, RobotsState::Unknown) {
            // The host was claimed without tasks. Its robots.txt could not be loaded then,
            // because its origin (scheme and port) is that of the first task.
            self.load_robots(host).await?;
        }
        self.schedule(host);
        Ok(())
    }

    /// Marks a task as in flight, so that it is not claimed again.
    pub(super) fn mark_in_flight(&mut self, host: HostId, task: TaskId) {
        if self.job.is_depth_first()
            && let Some(queue) = self.queues.get_mut(host)
        {
            queue.in_flight_tasks.insert(task);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saving_takes_a_twentieth_of_the_time_and_is_at_most_5_s_apart() {
        let second = Duration::from_secs(1);
        let mut timer = CheckpointTimer::default();
        assert!(timer.is_due(Duration::ZERO));
        // Saving takes 0.1 s: the next checkpoint is due 2 s after the start.
        timer.saved(10 * second, 10 * second + second / 10);
        assert!(!timer.is_due(Duration::from_millis(11_990)) && timer.is_due(12 * second));
        // Saving takes 2 s, so the maximum interval applies.
        timer.saved(20 * second, 22 * second);
        assert!(!timer.is_due(24 * second) && timer.is_due(25 * second));
        // Saving takes longer than the maximum interval.
        timer.saved(30 * second, 36 * second);
        assert!(!timer.is_due(41 * second) && timer.is_due(42 * second));
    }
}
