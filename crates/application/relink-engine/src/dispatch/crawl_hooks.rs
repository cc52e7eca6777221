//! Following pages: what a crawl adds to asking.
//!
//! The links of a page are weighed when the page is judged, and stored in the
//! transaction that settles it. Results are then reported as they come, with
//! the links that are known by then.

use std::time::Duration;

use relink_frontier::TraversalOrder as CrawlOrder;
use relink_judge::{JudgeInput, Soft404Profile};
use relink_model::{FetchTask, TaskId};
use relink_ports::{CheckedTargetQuery, CommitSummary, HostId, TaskCompletion, TaskUpdate};

use super::host_queue::RefillLimit;
use super::pending_judgment::{JudgedTask, settlement};
use super::robots::RobotsState;
use super::{DispatchEnd, Dispatcher};
use crate::crawl::FetchedPageContext;
use crate::isolation::{internal_error, isolate};
use crate::{EngineError, Observer};

/// Places told of a target while a crawl goes on: a page may have as many as
/// its site has pages.
const PLACES: usize = 1;
/// The longest time between two saves of a crawl's memory: a kill loses what
/// was learned since, and may then enter a trap further.
const SAVING: Duration = Duration::from_secs(5);
/// Saving may take one part in so many of the time.
const SAVING_SHARE: u32 = 20;
/// Targets that needed no asking are read back this many at a time.
const PAGE: usize = 256;

impl Dispatcher<'_> {
    /// How many places of a target are told.
    pub(super) fn places(&self) -> usize {
        if self.crawler.is_some() { PLACES } else { usize::MAX }
    }

    /// Whether tasks are taken by rank and not as they were found.
    pub(super) fn goes_by_rank(&self) -> bool {
        let crawler = self.crawler.as_ref();
        crawler.is_some_and(|crawler| crawler.rules.order == CrawlOrder::DepthFirst)
    }

    /// A judged task on its way to the store, with the page it brought.
    pub(super) fn weighed(&mut self, judged: JudgedTask) -> (FetchTask, TaskCompletion) {
        let JudgedTask { task, mut completion, reading, .. } = judged;
        if let (Some(crawler), TaskUpdate::Finish(settlement), Some(probe)) =
            (&mut self.crawler, &completion.step, &completion.probe)
        {
            let standing = FetchedPageContext { task: &task, probe, verdict: settlement.verdict };
            match isolate(&task.url, || crawler.take(&standing, reading)) {
                Ok(page) => completion.page = page,
                Err(_) => self.note_unread(&task, &mut completion),
            }
        }
        (task, completion)
    }

    /// Makes a page failing whose links could not be followed because of an
    /// internal error, whatever the server sent.
    fn note_unread(&self, task: &FetchTask, completion: &mut TaskCompletion) {
        let now = self.ports.now();
        let probe =
            internal_error(completion.probe.as_ref().map_or(now, |probe| probe.requested_at));
        let looks = match &completion.step {
            TaskUpdate::Finish(settlement) => settlement.attempts.clone(),
            _ => task.attempts.clone(),
        };
        let case = JudgeInput {
            url: &task.url,
            attempts: &looks,
            probe: &probe,
            phrase_scan: None,
            controls: &[],
            soft404_profile: Soft404Profile::default(),
            history: &task.history,
            now,
        };
        let judgment = relink_judge::internal_error(&case);
        completion.step = TaskUpdate::Finish(settlement(judgment, &probe, looks, now));
        completion.probe = Some(probe);
        completion.anchors = None;
    }

    /// A lane's next task that is still worth asking: what leads into a trap
    /// may have been let in before the trap was known.
    pub(super) fn next_task(&mut self, host: HostId) -> Option<FetchTask> {
        loop {
            let task = self.lanes.get_mut(&host)?.next_task()?;
            let Some(crawler) = &mut self.crawler else { return Some(task) };
            // After an internal error the page is fetched.
            if isolate(&task.url, || crawler.is_still_allowed(&task)).unwrap_or(true) {
                return Some(task);
            }
            self.left.push((host, task));
        }
    }

    /// Forgets tasks that are not asked after all.
    pub(super) async fn drop_skipped(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let left = std::mem::take(&mut self.left);
        self.targets = self.targets.saturating_sub(left.len() as u64);
        let mut judged = Vec::with_capacity(left.len());
        for (host, task) in left {
            self.supply.want_refill(host);
            let lease = self.lanes.get(&host).map(|lane| lane.lease);
            judged.push(JudgedTask::new(task, lease, None, TaskUpdate::Drop));
        }
        self.commit(judged, observer).await
    }

    /// Notes what a commit added to the run.
    pub(super) fn note_found(&mut self, completed: &CommitSummary) {
        if completed.found > 0 {
            self.targets += completed.found;
            self.checked += completed.known;
            self.supply.note_new();
        }
    }

    /// Tasks that are no longer out.
    pub(super) fn note_back(&mut self, tasks: &[FetchTask]) {
        if !self.goes_by_rank() {
            return;
        }
        for lane in self.lanes.values_mut() {
            for task in tasks {
                lane.out.remove(&task.id);
            }
        }
    }

    /// Reports what needed no asking: malformed links, and other sites that
    /// were alive lately.
    pub(super) async fn report_unasked(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if self.crawler.is_none() {
            return Ok(());
        }
        loop {
            let query = CheckedTargetQuery {
                after: self.last_known,
                limit: PAGE,
                verdicts: None,
                is_unfetched: true,
                locations: PLACES,
            };
            let page = self.ports.store.checked_targets(self.run, query).await?;
            let Some(last) = page.last() else { return Ok(()) };
            self.last_known = last.task;
            for settled in &page {
                observer.settled(settled)?;
            }
        }
    }

    /// Whether a crawl's time is up.
    pub(super) fn is_out_of_time(&self) -> bool {
        let time = self.crawler.as_ref().and_then(|crawler| crawler.time);
        time.is_some_and(|time| self.elapsed() >= time)
    }

    /// Saves what a crawl has learned, from time to time.
    pub(super) async fn save_checkpoint(&mut self) -> Result<(), EngineError> {
        let now = self.elapsed();
        if let Some(crawler) = &self.crawler
            && now >= self.save_due
        {
            crate::crawl::save_checkpoint(self.ports, self.run, crawler).await?;
            let took = self.elapsed().saturating_sub(now);
            self.save_due = now + (took * SAVING_SHARE).min(SAVING);
        }
        Ok(())
    }

    /// A host inside the crawl that does not want us any more.
    pub(super) fn blocking_host(&self) -> Option<DispatchEnd> {
        let turned = self.lanes.values().find(|lane| self.ends_crawl(lane))?;
        Some(DispatchEnd::BlockedByHost {
            host: turned.name().to_owned(),
            requests: turned.tally().requests,
            is_silent: turned.outage.is_down(),
        })
    }

    /// Takes back what was said of pages since a host last answered: we were
    /// shut out, and they may be as good as ever.
    pub(super) async fn retract_blocked(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let now = self.ports.now();
        let mut judged = Vec::new();
        for lane in self.lanes.values_mut().filter(|lane| lane.has_stopped_answering()) {
            for task in lane.doubted.drain(..) {
                let looks = task.attempts.clone();
                let step =
                    TaskUpdate::Retry { purpose: task.purpose, not_before: now, attempts: looks };
                judged.push(JudgedTask::new(task, Some(lane.lease), None, step));
            }
        }
        self.commit(judged, observer).await
    }

    /// Takes tasks by rank: whatever was found last may come first, so no
    /// more are taken than can leave now.
    pub(super) async fn refill_by_rank(&mut self, host: HostId) -> Result<(), EngineError> {
        let (now, chunks) = (self.ports.now(), self.supply_chunks());
        let Some(lane) = self.lanes.get_mut(&host) else { return Ok(()) };
        let now = lane.horizon(now);
        let limit = lane.out.len() + self.settings.politeness.host_concurrency;
        let lease = lane.lease;
        let tasks = self.ports.store.due_by_rank(self.run, lease, limit, now).await?;
        let Some(lane) = self.lanes.get_mut(&host) else { return Ok(()) };
        lane.queue.clear();
        let found = tasks.len();
        let waiting = tasks.into_iter().filter(|task| !lane.out.contains(&task.id));
        let waiting: Vec<FetchTask> = waiting.collect();
        lane.refill(waiting, RefillLimit { limit: 0, chunks });
        lane.exhausted_at = (found < limit).then_some(chunks);
        if matches!(lane.robots, RobotsState::Unknown) {
            // A host is taken without tasks, and they tell whom to ask.
            self.recall_manners(host).await?;
        }
        self.schedule(host);
        Ok(())
    }

    /// A task leaves that must not be taken again meanwhile.
    pub(super) fn note_out(&mut self, host: HostId, task: TaskId) {
        if self.goes_by_rank()
            && let Some(lane) = self.lanes.get_mut(&host)
        {
            lane.out.insert(task);
        }
    }
}
