//! Reports results to the observer.
//!
//! A result is reported once, with all *locations* of its URL: the documents and lines
//! that contain a link to it. Results that finished before all locations were known are
//! *deferred*. They are read back from the store and reported in batches, between which
//! dispatching continues. A target without a request, such as a malformed link, is
//! *unfetched*.

use std::collections::HashSet;
use std::time::Duration;

use relink_model::{FetchTask, TaskId};
use relink_ports::{CheckedTarget, CheckedTargetQuery, RunProgress, TaskCompletion, TaskUpdate};

use super::held::PAGE_SIZE;
use super::task_set::TaskSet;
use super::{Dispatcher, PROGRESS_INTERVAL};
use crate::{Observer, Progress};
use relink_requests::{BEFORE_FIRST_TASK, EngineError};

/// Maximum number of locations reported per target during a crawl. A page may
/// have as many as its site has pages.
const MAX_CRAWL_LOCATIONS: usize = 1;

/// Results that are reported, deferred or counted.
pub(super) struct RunReports {
    /// Number of checked targets.
    pub(super) checked: u64,
    /// Number of targets.
    pub(super) targets: u64,
    /// Results that are not yet reported because locations were missing.
    deferred: Option<DeferredReports>,
    /// Whether other workers may commit results.
    is_shared: bool,
    /// The reported tasks, if other workers may commit results.
    reported: TaskSet,
    /// When progress was last reported.
    last_progress: Option<Duration>,
}

/// Progress of reporting the deferred results.
struct DeferredReports {
    /// The last reported task.
    after: TaskId,
    /// The last task to report.
    through: TaskId,
    /// Tasks that finished after loading and are reported already.
    reported: HashSet<TaskId>,
}

impl RunReports {
    pub(super) fn new(is_shared: bool) -> Self {
        Self {
            checked: 0,
            targets: 0,
            deferred: None,
            is_shared,
            reported: TaskSet::default(),
            last_progress: None,
        }
    }

    /// Sets the counts from the store.
    pub(super) fn set_progress(&mut self, progress: &RunProgress) {
        (self.checked, self.targets) = (progress.checked, progress.targets);
    }

    /// Whether every target is checked.
    pub(super) fn is_complete(&self) -> bool {
        self.checked == self.targets
    }

    /// Returns the number of targets that are not checked.
    pub(super) fn unchecked(&self) -> u64 {
        self.targets.saturating_sub(self.checked)
    }

    /// Defers the reports of all tasks up to and including this one.
    pub(super) fn defer_through(&mut self, task: TaskId) {
        let (after, reported) = (BEFORE_FIRST_TASK, HashSet::new());
        self.deferred = Some(DeferredReports { after, through: task, reported });
    }

    /// Whether deferred results are left.
    pub(super) fn is_deferring(&self) -> bool {
        self.deferred.is_some()
    }

    /// Records that a result was reported directly.
    fn mark_reported(&mut self, task: TaskId) {
        if let Some(deferred) = &mut self.deferred {
            deferred.reported.insert(task);
        }
        if self.is_shared {
            self.reported.insert(task);
        }
    }

    /// Returns the query for the next deferred results; `None` if none is left.
    fn next_deferred(&self, max_locations: usize) -> Option<CheckedTargetQuery<'static>> {
        let after = self.deferred.as_ref()?.after;
        Some(CheckedTargetQuery {
            after,
            limit: PAGE_SIZE,
            max_locations,
            ..CheckedTargetQuery::ALL
        })
    }

    /// Returns those results of a page that are not reported yet, and marks them as
    /// reported.
    fn take_deferred<'p>(&mut self, page: &'p [CheckedTarget]) -> Vec<&'p CheckedTarget> {
        let Some(deferred) = &mut self.deferred else { return Vec::new() };
        let mut unreported = Vec::with_capacity(page.len());
        for checked in page.iter().take_while(|checked| checked.task <= deferred.through) {
            let is_reported =
                deferred.reported.contains(&checked.task) || self.reported.contains(checked.task);
            if !is_reported {
                unreported.push(checked);
            }
            if self.is_shared {
                self.reported.insert(checked.task);
            }
        }
        // If the page is empty or reaches the last deferred task, nothing is left.
        match page.last().filter(|last| last.task < deferred.through) {
            Some(last) => deferred.after = last.task,
            None => self.deferred = None,
        }
        unreported
    }

    /// Whether progress is reported now: at most once per `interval`.
    pub(super) fn is_progress_due(&mut self, now: Duration, interval: Duration) -> bool {
        let is_due = self.last_progress.is_none_or(|last| now >= last + interval);
        if is_due {
            self.last_progress = Some(now);
        }
        is_due
    }
}

impl Dispatcher<'_> {
    /// Reports the progress, at most once per interval.
    pub(super) fn report_progress(&mut self, observer: &mut dyn Observer) {
        let now = self.elapsed();
        if !self.reports.is_progress_due(now, PROGRESS_INTERVAL) {
            return;
        }
        if let Some(forecast) = self.job.take_forecast() {
            observer.on_forecast(&forecast);
        }
        let in_flight = self.requests.in_flight();
        let (checked, targets) = (self.reports.checked, self.reports.targets);
        let waiting = || self.queues.longest_waits(now);
        observer.on_progress(&if let Some(domain_counts) = self.job.domain_counts() {
            Progress::Surveying { requests: checked, in_flight, waiting: waiting(), domain_counts }
        } else if self.loading.is_done() {
            Progress::Checking { checked, targets, in_flight, waiting: waiting() }
        } else {
            self.loading.progress()
        });
    }

    /// Returns the maximum number of locations to report per target.
    fn max_locations(&self) -> usize {
        if self.job.follows_links() { MAX_CRAWL_LOCATIONS } else { usize::MAX }
    }

    /// Reports the next batch of deferred results: local links, cached results,
    /// results of an earlier part of a resumed run, and results that finished
    /// while loading.
    pub(super) async fn report_deferred_page(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let Some(query) = self.reports.next_deferred(self.max_locations()) else { return Ok(()) };
        let page = self.ports.store.checked_targets(self.run.id, query).await?;
        for checked in self.reports.take_deferred(&page) {
            observer.on_result(checked)?;
        }
        Ok(())
    }

    /// Reports all remaining deferred results.
    pub(super) async fn report_deferred(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        while self.reports.is_deferring() {
            self.report_deferred_page(observer).await?;
        }
        Ok(())
    }

    /// Reports the results of all targets added after this task: missing anchors, which
    /// need no request.
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
            let page = self.ports.store.checked_targets(self.run.id, query).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.task;
            for checked in &page {
                observer.on_result(checked)?;
            }
        }
    }

    /// Reports targets of a crawl that needed no request: malformed links, and
    /// pages of other sites with a cached result.
    pub(super) async fn report_unfetched(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if !self.job.follows_links() {
            return Ok(());
        }
        loop {
            let query = CheckedTargetQuery {
                after: self.loading.last_task,
                limit: PAGE_SIZE,
                verdicts: None,
                is_unfetched: true,
                max_locations: MAX_CRAWL_LOCATIONS,
            };
            let page = self.ports.store.checked_targets(self.run.id, query).await?;
            let Some(last) = page.last() else { return Ok(()) };
            self.loading.last_task = last.task;
            for checked in &page {
                observer.on_result(checked)?;
            }
        }
    }

    /// Reports results that were just committed.
    pub(super) async fn report(
        &mut self,
        checked: Vec<(FetchTask, TaskCompletion)>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let ids: Vec<TaskId> = checked.iter().map(|(task, _)| task.id).collect();
        let inlinks = self.ports.store.inlinks(&ids, self.max_locations()).await?;
        for ((task, completion), inlinks) in checked.into_iter().zip(inlinks) {
            let TaskUpdate::Finish(result) = completion.update else { continue };
            self.reports.mark_reported(task.id);
            // The documents mark all links to this target as ignored.
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

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{Confidence, Verdict};
    use relink_ports::TargetResult;

    use super::*;

    /// The result of a live page.
    fn checked(task: i64) -> CheckedTarget {
        let result = TargetResult {
            verdict: Verdict::Alive,
            code: None,
            status: Some(200),
            reason: String::new(),
            since: Timestamp::UNIX_EPOCH,
            checked_at: Timestamp::UNIX_EPOCH,
            attempts: Vec::new(),
            streak: None,
            confidence: Confidence::CERTAIN,
            evidence: Vec::new(),
        };
        CheckedTarget {
            task: TaskId(task),
            original_url: String::new(),
            url: String::new(),
            result,
            is_cached: false,
            probe: None,
            locations: Vec::new(),
            inlinks: 1,
            depth: None,
        }
    }

    /// Passes a page of stored results to `take_deferred`. Both lists are task ids; the result
    /// has those to report.
    fn take(reports: &mut RunReports, page: &[i64]) -> Vec<i64> {
        let page: Vec<CheckedTarget> = page.iter().copied().map(checked).collect();
        reports.take_deferred(&page).iter().map(|checked| checked.task.0).collect()
    }

    #[test]
    fn deferred_results_are_reported_once() {
        let mut reports = RunReports::new(false);
        reports.defer_through(TaskId(5));
        reports.mark_reported(TaskId(2));
        assert_eq!(take(&mut reports, &[1, 2, 3]), [1, 3]);
        assert_eq!(reports.next_deferred(1).unwrap().after, TaskId(3));
        assert_eq!(take(&mut reports, &[4, 6]), [4], "6 was added later");
        assert!(!reports.is_deferring());
    }

    #[test]
    fn results_of_workers_are_reported_once() {
        let mut reports = RunReports::new(true);
        reports.mark_reported(TaskId(1));
        reports.defer_through(TaskId(3));
        assert_eq!(take(&mut reports, &[1, 2, 3]), [2, 3]);
        reports.defer_through(TaskId(4));
        assert_eq!(take(&mut reports, &[1, 2, 3, 4]), [4]);
    }

    #[test]
    fn progress_is_reported_at_most_once_per_interval() {
        let (mut reports, interval) = (RunReports::new(false), Duration::from_millis(100));
        let is_due = |reports: &mut RunReports, ms| {
            reports.is_progress_due(Duration::from_millis(ms), interval)
        };
        assert!(is_due(&mut reports, 0));
        assert!(!is_due(&mut reports, 99));
        assert!(is_due(&mut reports, 100));
    }
}
