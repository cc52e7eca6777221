//! Judges fetched tasks: collects controls, then retries, holds or finishes a
//! task.

use std::time::Duration;

use jiff::{Timestamp, Unit};
use relink_frontier::backoff;
use relink_judge::{
    Decision, JudgeInput, Judgment, PhraseScan, RetryDelay, codes, is_network_failure,
    is_suspicious, suspicion,
};
use relink_model::{Attempt, Confidence, Control, FetchOutcome, FetchTask, Probe, Verdict};
use relink_ports::{Fence, HostId, HostLease, TargetResult, TaskCompletion, TaskUpdate};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::controls::{ControlLookup, NEIGHBOR_KINDS, missing_control};
use super::host_queue::THROTTLING_STATUSES;
use super::{Dispatcher, FetchedTask};
use crate::EngineError;
use crate::crawl::{Crawler, ParsedPage};
use crate::host_schedule::add_wait;
use crate::isolation::isolate;
use crate::judging::{conclude_page, judge_page};
use crate::probe::final_url;

/// A fetched task that waits to be judged.
pub(super) struct PendingJudgment {
    pub(super) host: HostId,
    pub(super) task: FetchTask,
    probe: Probe,
    phrase_scan: Option<PhraseScan>,
    /// All attempts of this run, including the current one.
    attempts: Vec<Attempt>,
    controls: Vec<Control>,
    /// Whether the page was judged before any neighbor had been fetched.
    lacks_neighbors: bool,
    /// The last control for which this page was counted.
    pub(super) counted_key: Option<u64>,
    /// Whether the page is compared in the order of ranks.
    pub(super) is_ranked: bool,
    content: PageContent,
}

/// Page content that the judge does not need: anchors and parsed links.
#[derive(Debug, Default)]
pub(super) struct PageContent {
    /// Hashes of the anchors; `None` if they are not needed or unknown.
    pub(super) anchors: Option<Vec<u32>>,
    /// Links and directives, if the links are followed.
    pub(super) parsed_page: Option<Box<ParsedPage>>,
}

/// A judged task that is not yet stored.
pub(super) struct JudgedTask {
    pub(super) task: FetchTask,
    pub(super) completion: TaskCompletion,
    /// Links and directives of the page, until links are selected.
    pub(super) parsed_page: Option<Box<ParsedPage>>,
    /// The probe of a held task, which is stored already.
    pub(super) held_probe: Option<Probe>,
}

impl PendingJudgment {
    fn new(host: HostId, fetched: FetchedTask) -> Self {
        let FetchedTask { task, probe, phrase_scan, content } = fetched;
        let mut attempts = task.attempts.clone();
        attempts.push(Attempt {
            requested_at: probe.requested_at,
            purpose: task.purpose,
            outcome: probe.outcome.clone(),
            duration_ms: probe.timings.total,
        });
        Self {
            host,
            task,
            probe,
            phrase_scan,
            attempts,
            controls: Vec::new(),
            lacks_neighbors: false,
            counted_key: None,
            is_ranked: false,
            content,
        }
    }

    /// Returns how unusual the page is.
    pub(super) fn suspicion(&self) -> u32 {
        let scan = self.phrase_scan;
        isolate(&self.task.url, || suspicion(&self.task.url, &self.probe, scan)).unwrap_or_default()
    }

    /// Whether the page may be an error page.
    pub(super) fn is_suspicious(&self) -> bool {
        let scan = self.phrase_scan;
        let is_suspicious =
            isolate(&self.task.url, || is_suspicious(&self.task.url, &self.probe, scan));
        is_suspicious.unwrap_or_default()
    }

    /// Returns the last probe.
    pub(super) fn probe(&self) -> &Probe {
        &self.probe
    }

    /// Returns a hash of the visible content.
    pub(super) fn content_hash(&self) -> u64 {
        content_hash(&self.probe)
    }

    fn judge_input(&self, now: Timestamp) -> JudgeInput<'_> {
        JudgeInput {
            url: &self.task.url,
            attempts: &self.attempts,
            probe: &self.probe,
            phrase_scan: self.phrase_scan,
            controls: &self.controls,
            history: &self.task.history,
            now,
        }
    }
}

impl Dispatcher<'_> {
    /// Records a fetched task for judgment. Returns `None` if the host is no
    /// longer leased, which happens only when a lease is lost.
    pub(super) fn begin_judgment(
        &mut self,
        host: HostId,
        fetched: FetchedTask,
    ) -> Option<PendingJudgment> {
        let (elapsed, max_wait) = (self.elapsed(), self.settings.max_host_wait);
        let Some(queue) = self.queues.get_mut(&host) else {
            self.in_flight -= 1;
            return None;
        };
        queue.request_finished(elapsed, &fetched.probe, max_wait);
        if !fetched.task.attempts.is_empty() {
            queue.comparisons.retries = queue.comparisons.retries.saturating_sub(1);
        }
        if self.crawler.is_some() && queue.block_detector.is_suspected() {
            queue.rejected_tasks.push(fetched.task.clone());
        }
        Some(PendingJudgment::new(host, fetched))
    }

    /// Judges a task. Returns `None` if it waits for a control, or for the other
    /// ranked pages of its host.
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

    async fn judge_pending(
        &mut self,
        mut pending: PendingJudgment,
    ) -> Result<Option<JudgedTask>, EngineError> {
        loop {
            let now = self.ports.now();
            let Some(queue) = self.queues.get(&pending.host) else {
                self.in_flight -= 1;
                return Ok(None);
            };
            let (lease, is_closed) = (queue.lease, queue.is_closed());
            if self.is_missing_sitemap_guess(&pending) {
                self.targets = self.targets.saturating_sub(1);
                return Ok(Some(pending.into_judged(lease, TaskUpdate::Drop)));
            }
            let settings = self.settings;
            let input = pending.judge_input(now);
            match judge_page(&settings.policy, &input) {
                // Skip the neighbors for now: they are fetched by the end of
                // the run. All other controls are requested immediately.
                Decision::Compare(kind) if NEIGHBOR_KINDS.contains(&kind) => {
                    pending.controls.push(missing_control(kind));
                    pending.lacks_neighbors = true;
                }
                Decision::Compare(kind) if !is_closed => {
                    match self.find_control(kind, &mut pending).await? {
                        ControlLookup::Control(control) => pending.controls.push(control),
                        ControlLookup::Deferred(key) => {
                            self.defer_comparison(pending, key);
                            return Ok(None);
                        }
                        ControlLookup::Held => {
                            let attempts = pending.attempts.clone();
                            let update = TaskUpdate::Hold { attempts };
                            return Ok(Some(pending.into_judged(lease, update)));
                        }
                        ControlLookup::Pending(task) => {
                            self.await_control(pending, task);
                            return Ok(None);
                        }
                    }
                }
                Decision::Fetch { purpose, wait } if !is_closed => {
                    let wait = self.retry_delay(wait, &pending);
                    self.claims.schedule_refill(pending.host, self.elapsed() + wait);
                    if let Some(queue) = self.queues.get_mut(&pending.host) {
                        queue.comparisons.retries += 1;
                    }
                    let not_before = add_wait(now, wait);
                    let update = TaskUpdate::Retry {
                        purpose,
                        not_before,
                        attempts: pending.attempts.clone(),
                    };
                    return Ok(Some(pending.into_judged(lease, update)));
                }
                Decision::Fetch { .. } | Decision::Compare(_) => {
                    let judgment = conclude_page(&settings.policy, &input);
                    return Ok(Some(self.finish(pending, lease, judgment, now)));
                }
                Decision::Conclude(_) if pending.lacks_neighbors && !self.is_followed(&pending) => {
                    let attempts = pending.attempts.clone();
                    return Ok(Some(pending.into_judged(lease, TaskUpdate::Hold { attempts })));
                }
                Decision::Conclude(judgment) => {
                    return Ok(Some(self.finish(pending, lease, judgment, now)));
                }
            }
        }
    }

    /// Whether the page is a sitemap at a guessed URL that does not exist.
    fn is_missing_sitemap_guess(&self, pending: &PendingJudgment) -> bool {
        let parsed_page = pending.content.parsed_page.as_deref();
        let is_missing = |crawler: &&mut Crawler| {
            crawler.is_missing_sitemap_guess(&pending.task, &pending.probe, parsed_page)
        };
        self.crawler.as_ref().is_some_and(is_missing)
    }

    /// Whether the crawl follows the page and its redirect target. Such a page
    /// cannot be held until the end, so it is judged without neighbors. The
    /// result must not depend on the order of fetches.
    fn is_followed(&self, pending: &PendingJudgment) -> bool {
        let Some(crawler) = &self.crawler else { return false };
        let requested_url = Url::parse(&pending.task.url).ok();
        [requested_url, final_url(&pending.probe)].iter().flatten().all(|url| crawler.follows(url))
    }

    /// Judges a task immediately, when nothing more will be fetched.
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
        let update = if self.must_be_held(&pending.task.url, &pending.probe, verdict) {
            if !is_network_failure(&pending.probe.outcome) {
                self.hold_result(pending.task.id, result);
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
        let queue = self.queues.get(&pending.host).filter(|_| is_throttled)?;
        queue.closed_until
    }

    fn retry_delay(&self, wait: RetryDelay, pending: &PendingJudgment) -> Duration {
        let retry_after = Duration::from_secs(pending.probe.retry_after.unwrap_or(0));
        match wait {
            RetryDelay::HostInterval => self.settings.politeness.interval,
            RetryDelay::Backoff(attempt) => {
                backoff(attempt, xxh3_64(pending.task.url.as_bytes())).max(retry_after)
            }
        }
    }

    /// Judges a held task after the network is known to work and nothing more
    /// will be fetched.
    pub(super) async fn judge_held_task(
        &mut self,
        task: FetchTask,
        probe: Probe,
    ) -> Result<JudgedTask, EngineError> {
        // Use the time of the probe: an interrupted run may hold a task for
        // days.
        let now = probe.requested_at;
        let phrase_scan =
            isolate(&task.url, || probe.digest.as_deref().map(PhraseScan::from_digest));
        let phrase_scan = phrase_scan.unwrap_or_default();
        let mut controls = Vec::new();
        let judgment = loop {
            let input = JudgeInput {
                url: &task.url,
                attempts: &task.attempts,
                probe: &probe,
                phrase_scan,
                controls: &controls,
                history: &task.history,
                now,
            };
            match judge_page(&self.settings.policy, &input) {
                Decision::Compare(kind) if NEIGHBOR_KINDS.contains(&kind) => {
                    controls.extend(self.find_neighbors(&task.url, &probe).await?);
                }
                Decision::Compare(kind) => {
                    controls.push(self.known_control(kind, &task.url).await?);
                }
                Decision::Fetch { .. } => break conclude_page(&self.settings.policy, &input),
                Decision::Conclude(judgment) => break judgment,
            }
        };
        let result = target_result(judgment, &probe, task.attempts.clone(), now);
        let judged = JudgedTask::new(task, self.run_fence(), None, TaskUpdate::Finish(result));
        Ok(JudgedTask { held_probe: Some(probe), ..judged })
    }
}

impl PendingJudgment {
    fn into_judged(self, lease: HostLease, update: TaskUpdate) -> JudgedTask {
        let PageContent { anchors, parsed_page } = self.content;
        // Discard the anchors of error pages.
        let may_have_anchors = match &update {
            TaskUpdate::Finish(result) => result.verdict.is_reached(),
            TaskUpdate::Hold { .. } => true,
            TaskUpdate::Retry { .. } | TaskUpdate::Drop => false,
        };
        let mut judged = JudgedTask::new(self.task, lease, Some(self.probe), update);
        judged.completion.anchors = anchors.filter(|_| may_have_anchors);
        JudgedTask { parsed_page, ..judged }
    }
}

impl JudgedTask {
    pub(super) fn new(
        task: FetchTask,
        fence: impl Into<Fence>,
        probe: Option<Probe>,
        update: TaskUpdate,
    ) -> Self {
        let (id, target, fence) = (task.id, task.target, fence.into());
        let completion =
            TaskCompletion { task: id, target, fence, probe, update, page: None, anchors: None };
        Self { task, completion, parsed_page: None, held_probe: None }
    }
}

/// Returns a hash of the visible content of a page.
pub(super) fn content_hash(probe: &Probe) -> u64 {
    let digest = probe.digest.as_deref();
    let content = digest.map(|digest| {
        let text = (&digest.title, &digest.headings, &digest.text_start, &digest.text_end);
        (text, digest.text_length, digest.fingerprint)
    });
    xxh3_64(format!("{content:?}").as_bytes())
}

/// Converts a judgment into the stored result of a target.
pub(super) fn target_result(
    judgment: Judgment,
    probe: &Probe,
    attempts: Vec<Attempt>,
    now: Timestamp,
) -> TargetResult {
    TargetResult {
        verdict: judgment.verdict,
        code: judgment.code,
        status: probe.outcome.status(),
        reason: judgment.reason,
        since: judgment.since,
        checked_at: now,
        attempts,
        streak: judgment.streak,
        confidence: judgment.confidence,
        evidence: judgment.evidence,
    }
}

/// Rounds a time to the second, as reasons show it.
fn to_second(time: Timestamp) -> Timestamp {
    time.round(Unit::Second).unwrap_or(time)
}

/// Result of a task whose host accepts no requests until the given time.
pub(super) fn blocked_result(task: &FetchTask, until: Timestamp, now: Timestamp) -> TargetResult {
    let history = &task.history;
    let is_same = history.verdict == Some(Verdict::Blocked);
    TargetResult {
        verdict: Verdict::Blocked,
        code: Some(codes::TOO_MANY_REQUESTS),
        status: None,
        reason: format!("not requested: the host accepts no request before {}", to_second(until)),
        since: history.since.filter(|_| is_same).unwrap_or(now),
        checked_at: now,
        attempts: task.attempts.clone(),
        streak: history.streak,
        confidence: Confidence::CERTAIN,
        evidence: Vec::new(),
    }
}
