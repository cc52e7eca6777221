//! Judges fetched tasks: collects controls, then retries, holds or finishes a
//! task.
//!
//! A *pending judgment* is a fetched task that is not judged yet. A *control* is a page
//! that is fetched only for comparison. *Neighbors* are pages of the same directory that
//! serve as controls; they are read from the store at the end of the run. A *held* task
//! waits in the store until then, or until the local network is known to work.

use std::ops::ControlFlow;

use jiff::Timestamp;
use relink_judge::{Decision, Judgment, RetryDelay, is_network_failure};
use relink_model::{ControlKind, FetchOutcome, FetchPurpose};
use relink_ports::{HostId, HostLease, TaskUpdate};
use url::Url;

use super::controls::ControlLookup;
use super::neighbors::NEIGHBOR_KINDS;
use super::pending_judgment::{JudgedTask, PendingJudgment, target_result, to_second};
use super::{Dispatcher, FetchedTask};
use crate::judging::{conclude_page, judge_page};
use relink_requests::{
    EngineError, THROTTLING_STATUSES, add_wait, final_url, missing_control, retry_delay,
};

impl Dispatcher<'_> {
    /// Records the response to a fetched task and returns the task for judgment.
    /// Returns `None` if the host is no longer leased, which happens only when a lease
    /// is lost.
    pub(super) fn begin_judgment(
        &mut self,
        host: HostId,
        fetched: FetchedTask,
    ) -> Option<PendingJudgment> {
        let (now, max_wait) = (self.current_time(), self.settings.max_host_wait);
        let Some(queue) = self.queues.get_mut(host) else {
            self.requests.free(1);
            return None;
        };
        queue.request_finished(now, &fetched.probe, max_wait);
        if !fetched.task.attempts.is_empty() {
            // `retry` counted this task as one that will be fetched again.
            queue.comparisons.retries = queue.comparisons.retries.saturating_sub(1);
        }
        if self.job.follows_links() && queue.block_detector.is_suspected() {
            // If the host blocks the crawler, the result is retracted.
            queue.rejected_tasks.push(fetched.task.clone());
        }
        Some(PendingJudgment::new(host, fetched))
    }

    /// Judges a task as far as the available controls allow. Returns `None` if the task
    /// waits for a control, or for the other ranked pages of its host.
    pub(super) async fn advance(
        &mut self,
        pending: PendingJudgment,
    ) -> Result<Option<JudgedTask>, EngineError> {
        let (host, is_ranked) = (pending.host, pending.is_ranked);
        let judged = self.judge_pending(pending).await?;
        Ok(if is_ranked {
            judged.and_then(|judged| self.finish_ranked(host, judged))
        } else {
            judged
        })
    }

    /// Judges a task again with each further control, until a decision is final or a
    /// control is not available yet.
    async fn judge_pending(
        &mut self,
        mut pending: PendingJudgment,
    ) -> Result<Option<JudgedTask>, EngineError> {
        let settings = self.settings;
        let policy = &settings.policy;
        loop {
            let now = self.ports.now();
            let Some(queue) = self.queues.get(pending.host) else {
                self.requests.free(1);
                return Ok(None);
            };
            let (lease, is_closed) = (queue.lease, queue.is_closed());
            if self.is_missing_guess(&pending) {
                // No link leads to a guessed URL, so it is not a target.
                self.reports.targets = self.reports.targets.saturating_sub(1);
                return Ok(Some(pending.into_judged(lease, TaskUpdate::Drop)));
            }
            let input = pending.judge_input(now);
            match judge_page(policy, &input) {
                // Skip the neighbors for now: they are fetched by the end of
                // the run. All other controls are requested immediately.
                Decision::Compare(kind) if NEIGHBOR_KINDS.contains(&kind) => {
                    pending.controls.push(missing_control(kind));
                    pending.lacks_neighbors = true;
                }
                Decision::Compare(kind) if !is_closed => {
                    match self.add_control(pending, lease, kind).await? {
                        ControlFlow::Continue(compared) => pending = compared,
                        ControlFlow::Break(judged) => return Ok(judged),
                    }
                }
                Decision::Fetch { purpose, wait } if !is_closed => {
                    return Ok(Some(self.retry(pending, lease, (purpose, wait), now)));
                }
                // The host is closed: judge by the evidence at hand.
                Decision::Fetch { .. } | Decision::Compare(_) => {
                    let judgment = conclude_page(policy, &input);
                    return Ok(Some(self.finish(pending, lease, judgment, now)));
                }
                Decision::Conclude(_) if pending.lacks_neighbors && !self.is_followed(&pending) => {
                    return Ok(Some(pending.into_held(lease)));
                }
                Decision::Conclude(judgment) => {
                    return Ok(Some(self.finish(pending, lease, judgment, now)));
                }
            }
        }
    }

    /// Adds a control to a pending judgment, which then continues. Breaks if the
    /// control is not available: with the task if it is held in the store, with `None`
    /// if the task waits in memory.
    async fn add_control(
        &mut self,
        mut pending: PendingJudgment,
        lease: HostLease,
        kind: ControlKind,
    ) -> Result<ControlFlow<Option<JudgedTask>, PendingJudgment>, EngineError> {
        Ok(match self.find_control(kind, &mut pending).await? {
            ControlLookup::Control(control) => {
                pending.controls.push(control);
                ControlFlow::Continue(pending)
            }
            ControlLookup::Deferred(key) => {
                self.defer_comparison(pending, key);
                ControlFlow::Break(None)
            }
            ControlLookup::Held => ControlFlow::Break(Some(pending.into_held(lease))),
            ControlLookup::Pending(task) => {
                self.await_control(pending, task);
                ControlFlow::Break(None)
            }
        })
    }

    /// Schedules a task to be fetched again, for a purpose and after a delay.
    fn retry(
        &mut self,
        pending: PendingJudgment,
        lease: HostLease,
        (purpose, delay): (FetchPurpose, RetryDelay),
        now: Timestamp,
    ) -> JudgedTask {
        let interval = self.settings.politeness.interval;
        let wait = retry_delay(delay, &pending.task.url, &pending.probe, interval);
        self.claims.schedule_refill(pending.host, self.elapsed() + wait);
        if let Some(queue) = self.queues.get_mut(pending.host) {
            queue.comparisons.retries += 1;
        }
        let (not_before, attempts) = (add_wait(now, wait), pending.attempts.clone());
        pending.into_judged(lease, TaskUpdate::Retry { purpose, not_before, attempts })
    }

    /// Whether the page is dropped: a sitemap at a guessed URL that does not exist.
    fn is_missing_guess(&self, pending: &PendingJudgment) -> bool {
        let parsed_page = pending.content.parsed_page.as_deref();
        self.job.is_missing_guess(&pending.task, &pending.probe, parsed_page)
    }

    /// Whether the crawl follows the links of the page and of its redirect target. Such
    /// a page cannot be held until the end, so it is judged without neighbors, even if
    /// some of them are fetched already: the result must not depend on the order of
    /// fetches.
    fn is_followed(&self, pending: &PendingJudgment) -> bool {
        let requested_url = Url::parse(&pending.task.url).ok();
        [requested_url, final_url(&pending.probe)].iter().flatten().all(|url| self.job.follows(url))
    }

    /// Judges a task immediately, by its own probe alone.
    pub(super) fn judge_now(
        &mut self,
        host: HostId,
        lease: HostLease,
        fetched: FetchedTask,
        now: Timestamp,
    ) -> JudgedTask {
        let pending = PendingJudgment::new(host, fetched);
        let input = pending.judge_input(now);
        let judgment = conclude_page(&self.settings.policy, &input);
        self.finish(pending, lease, judgment, now)
    }

    /// Completes a task with its judgment. A result that a failure of the local network
    /// may have caused is held instead of finished.
    fn finish(
        &mut self,
        pending: PendingJudgment,
        lease: HostLease,
        judgment: Judgment,
        now: Timestamp,
    ) -> JudgedTask {
        let attempts = pending.attempts.clone();
        let verdict = judgment.verdict;
        let mut result = target_result(judgment, &pending.probe, attempts.clone(), now);
        self.at_risk.apply(&pending.task, &mut result, now);
        if let Some(until) = self.retry_time(&pending) {
            result.reason = format!("{}; no request before {}", result.reason, to_second(until));
        }
        let update =
            if self.network.must_be_held(&pending.task.url, &pending.probe, verdict, &*self.job) {
                if !is_network_failure(&pending.probe.outcome) {
                    // Save the result, so that the page is not judged again.
                    self.network.hold(pending.task.id, result);
                }
                TaskUpdate::Hold { attempts }
            } else {
                TaskUpdate::Finish(result)
            };
        pending.into_judged(lease, update)
    }

    /// Returns when the page may be fetched again, if its host requested a
    /// backoff that is longer than this run waits.
    fn retry_time(&self, pending: &PendingJudgment) -> Option<Timestamp> {
        let is_throttled = matches!(pending.probe.outcome, FetchOutcome::Response(status) if THROTTLING_STATUSES.contains(&status));
        let queue = self.queues.get(pending.host).filter(|_| is_throttled)?;
        queue.pacer.closed_until()
    }
}
