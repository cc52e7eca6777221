//! From a look to what follows from it.

use std::time::Duration;

use jiff::{Timestamp, Unit};
use relink_frontier::backoff;
use relink_judge::{
    Decision, JudgeInput, Judgment, PhraseScan, RetryDelay, Soft404Profile, codes,
    is_network_failure,
};
use relink_model::{Attempt, Confidence, Control, FetchOutcome, FetchTask, Probe, Verdict};
use relink_ports::{HostId, HostLease, TargetResult, TaskCompletion, TaskUpdate};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::controls::{ControlLookup, NEIGHBOR_KINDS, unasked};
use super::host_queue::THROTTLING;
use super::{Dispatcher, FetchedTask};
use crate::EngineError;
use crate::crawl::{Crawler, ParsedPage};
use crate::host_pace::later;
use crate::isolation::isolate;
use crate::judging::{conclude_page, judge_page};
use crate::probe::landing;

/// A look on its way to a judgment.
pub(super) struct PendingJudgment {
    pub(super) host: HostId,
    pub(super) task: FetchTask,
    probe: Probe,
    phrase_scan: Option<PhraseScan>,
    /// The looks so far, this one included.
    attempts: Vec<Attempt>,
    controls: Vec<Control>,
    /// Whether it was judged without neighbors, for want of them.
    misses_neighbors: bool,
    shown: PageContent,
}

/// What a page shows beside what it is judged by.
#[derive(Debug, Default)]
pub(super) struct PageContent {
    /// The places it offers, where some are wanted and they can be told.
    pub(super) anchors: Option<Vec<u32>>,
    /// What it says, if its links are followed.
    pub(super) reading: Option<Box<ParsedPage>>,
}

/// A judged task on its way to the store.
pub(super) struct JudgedTask {
    pub(super) task: FetchTask,
    pub(super) completion: TaskCompletion,
    /// What the page says, until it is weighed.
    pub(super) reading: Option<Box<ParsedPage>>,
    /// The probe it was put on hold with, which the store has already.
    pub(super) held: Option<Probe>,
}

impl PendingJudgment {
    fn new(host: HostId, looked: FetchedTask) -> Self {
        let FetchedTask { task, probe, phrase_scan: heard, shown } = looked;
        let mut looks = task.attempts.clone();
        looks.push(Attempt {
            requested_at: probe.requested_at,
            purpose: task.purpose,
            outcome: probe.outcome.clone(),
            duration_ms: probe.timings.total,
        });
        let controls = Vec::new();
        Self {
            host,
            task,
            probe,
            phrase_scan: heard,
            attempts: looks,
            controls,
            misses_neighbors: false,
            shown,
        }
    }

    fn case(&self, habit: Soft404Profile, now: Timestamp) -> JudgeInput<'_> {
        JudgeInput {
            url: &self.task.url,
            attempts: &self.attempts,
            probe: &self.probe,
            phrase_scan: self.phrase_scan,
            controls: &self.controls,
            soft404_profile: habit,
            history: &self.task.history,
            now,
        }
    }
}

impl Dispatcher<'_> {
    /// Opens the inquest on a look; `None` if the lane is gone, which only a
    /// lost lease does.
    pub(super) fn begin_judgment(
        &mut self,
        host: HostId,
        looked: FetchedTask,
    ) -> Option<PendingJudgment> {
        let (elapsed, patience) = (self.elapsed(), self.settings.max_host_wait);
        let Some(lane) = self.lanes.get_mut(&host) else {
            self.in_flight -= 1;
            return None;
        };
        lane.arrive(elapsed, &looked.probe, patience);
        if self.crawler.is_some() && lane.welcome.is_suspected() {
            lane.doubted.push(looked.task.clone());
        }
        Some(PendingJudgment::new(host, looked))
    }

    /// Goes on with an inquest: `None` if it has to wait for a control.
    pub(super) async fn advance(
        &mut self,
        mut inquest: PendingJudgment,
    ) -> Result<Option<JudgedTask>, EngineError> {
        loop {
            let now = self.ports.now();
            let Some(lane) = self.lanes.get(&inquest.host) else {
                self.in_flight -= 1;
                return Ok(None);
            };
            let (lease, habit, is_shut) = (lane.lease, lane.habit, lane.is_closed());
            if self.is_vain_guess(&inquest) {
                self.targets = self.targets.saturating_sub(1);
                return Ok(Some(inquest.judged(lease, TaskUpdate::Drop)));
            }
            let settings = self.settings;
            let case = inquest.case(habit, now);
            match judge_page(&settings.policy, &case) {
                // Whatever else is needed is asked at once; the neighbors will
                // have been asked in the end.
                Decision::Compare(kind) if NEIGHBOR_KINDS.contains(&kind) => {
                    inquest.controls.push(unasked(kind));
                    inquest.misses_neighbors = true;
                }
                Decision::Compare(kind) if !is_shut => {
                    match self.find_control(kind, &inquest).await? {
                        ControlLookup::Control(control) => inquest.controls.push(control),
                        ControlLookup::Pending(task) => {
                            self.await_control(inquest, task);
                            return Ok(None);
                        }
                    }
                }
                Decision::Fetch { purpose, wait } if !is_shut => {
                    let wait = self.delay(wait, &inquest);
                    self.supply.recall(inquest.host, self.elapsed() + wait);
                    let not_before = later(now, wait);
                    let step = TaskUpdate::Retry {
                        purpose,
                        not_before,
                        attempts: inquest.attempts.clone(),
                    };
                    return Ok(Some(inquest.judged(lease, step)));
                }
                Decision::Fetch { .. } | Decision::Compare(_) => {
                    let judgment = conclude_page(&settings.policy, &case);
                    return Ok(Some(self.settle(inquest, lease, judgment, now)));
                }
                Decision::Settle(_) if inquest.misses_neighbors && !self.follows(&inquest) => {
                    let looks = inquest.attempts.clone();
                    return Ok(Some(inquest.judged(lease, TaskUpdate::Hold { attempts: looks })));
                }
                Decision::Settle(judgment) => {
                    return Ok(Some(self.settle(inquest, lease, judgment, now)));
                }
            }
        }
    }

    /// Whether the page is a sitemap that a crawl only guessed, and not there.
    fn is_vain_guess(&self, inquest: &PendingJudgment) -> bool {
        let reading = inquest.shown.reading.as_deref();
        let is_vain =
            |crawler: &&mut Crawler| crawler.is_vain_guess(&inquest.task, &inquest.probe, reading);
        self.crawler.as_ref().is_some_and(is_vain)
    }

    /// Whether a crawl goes on from where the page was sent. That cannot wait
    /// for the end, so the page is judged without its neighbors: who comes first
    /// must not decide.
    fn follows(&self, inquest: &PendingJudgment) -> bool {
        let Some(crawler) = &self.crawler else { return false };
        let asked = Url::parse(&inquest.task.url).ok();
        [asked, landing(&inquest.probe)].iter().flatten().all(|url| crawler.follows(url))
    }

    /// Judges a look at once, when nothing more will be asked.
    pub(super) fn concluded(
        &mut self,
        host: HostId,
        lease: HostLease,
        looked: FetchedTask,
        now: Timestamp,
    ) -> JudgedTask {
        let inquest = PendingJudgment::new(host, looked);
        let case = inquest.case(Soft404Profile::default(), now);
        let judgment = conclude_page(&self.settings.policy, &case);
        self.settle(inquest, lease, judgment, now)
    }

    fn settle(
        &mut self,
        inquest: PendingJudgment,
        lease: HostLease,
        judgment: Judgment,
        now: Timestamp,
    ) -> JudgedTask {
        let looks = inquest.attempts.clone();
        let word = judgment.verdict;
        let mut found = settlement(judgment, &inquest.probe, looks.clone(), now);
        if let Some(until) = self.retry_time(&inquest) {
            found.reason = format!("{}; no request before {}", found.reason, to_second(until));
        }
        let step = if self.is_doubtful(&inquest.task.url, &inquest.probe, word) {
            if !is_network_failure(&inquest.probe.outcome) {
                self.keep_waiting(inquest.task.id, found);
            }
            TaskUpdate::Hold { attempts: looks }
        } else {
            TaskUpdate::Finish(found)
        };
        inquest.judged(lease, step)
    }

    /// When a page is requested next whose host asked for a wait that is longer
    /// than this run.
    fn retry_time(&self, inquest: &PendingJudgment) -> Option<Timestamp> {
        let is_throttled = matches!(inquest.probe.outcome, FetchOutcome::Response(status) if THROTTLING.contains(&status));
        let lane = self.lanes.get(&inquest.host).filter(|_| is_throttled)?;
        lane.shut_until
    }

    fn delay(&self, wait: RetryDelay, inquest: &PendingJudgment) -> Duration {
        let asked_for = Duration::from_secs(inquest.probe.retry_after.unwrap_or(0));
        match wait {
            RetryDelay::HostInterval => self.settings.politeness.interval,
            RetryDelay::Backoff(attempt) => {
                backoff(attempt, xxh3_64(inquest.task.url.as_bytes())).max(asked_for)
            }
        }
    }

    /// What follows for a task that was put on hold, now that the network is
    /// known to work and nothing more will be asked.
    pub(super) async fn judge_again(
        &mut self,
        task: FetchTask,
        probe: Probe,
    ) -> Result<JudgedTask, EngineError> {
        // It may have waited for days, if the run was interrupted.
        let now = probe.requested_at;
        let heard = isolate(&task.url, || probe.digest.as_deref().map(PhraseScan::of));
        let heard = heard.unwrap_or_default();
        let mut controls = Vec::new();
        let judgment = loop {
            let case = JudgeInput {
                url: &task.url,
                attempts: &task.attempts,
                probe: &probe,
                phrase_scan: heard,
                controls: &controls,
                soft404_profile: Soft404Profile::default(),
                history: &task.history,
                now,
            };
            match judge_page(&self.settings.policy, &case) {
                Decision::Compare(kind) if NEIGHBOR_KINDS.contains(&kind) => {
                    controls.extend(self.find_neighbors(&task.url, &probe).await?);
                }
                Decision::Compare(kind) => controls.push(self.find_asked(kind, &task.url).await?),
                Decision::Fetch { .. } => break conclude_page(&self.settings.policy, &case),
                Decision::Settle(judgment) => break judgment,
            }
        };
        let settlement = settlement(judgment, &probe, task.attempts.clone(), now);
        let judged = JudgedTask::new(task, None, None, TaskUpdate::Finish(settlement));
        Ok(JudgedTask { held: Some(probe), ..judged })
    }
}

impl PendingJudgment {
    fn judged(self, lease: HostLease, step: TaskUpdate) -> JudgedTask {
        let PageContent { anchors, reading } = self.shown;
        // The places of an error page are nobody's.
        let may_be_there = match &step {
            TaskUpdate::Finish(settlement) => settlement.verdict.is_reached(),
            TaskUpdate::Hold { .. } => true,
            TaskUpdate::Retry { .. } | TaskUpdate::Drop => false,
        };
        let mut judged = JudgedTask::new(self.task, Some(lease), Some(self.probe), step);
        judged.completion.anchors = anchors.filter(|_| may_be_there);
        JudgedTask { reading, ..judged }
    }
}

impl JudgedTask {
    pub(super) fn new(
        task: FetchTask,
        lease: Option<HostLease>,
        probe: Option<Probe>,
        step: TaskUpdate,
    ) -> Self {
        let (id, target) = (task.id, task.target);
        let completion =
            TaskCompletion { task: id, target, lease, probe, step, page: None, anchors: None };
        Self { task, completion, reading: None, held: None }
    }
}

/// The state of a target by this judgment.
pub(super) fn settlement(
    judgment: Judgment,
    probe: &Probe,
    looks: Vec<Attempt>,
    now: Timestamp,
) -> TargetResult {
    TargetResult {
        verdict: judgment.verdict,
        code: judgment.code,
        status: probe.outcome.status(),
        reason: judgment.reason,
        since: judgment.since,
        at: now,
        attempts: looks,
        streak: judgment.streak,
        confidence: judgment.confidence,
        evidence: judgment.evidence,
    }
}

/// A time as reasons name it, without fractions of a second.
fn to_second(time: Timestamp) -> Timestamp {
    time.round(Unit::Second).unwrap_or(time)
}

/// The state of a task whose host wants no requests until then.
pub(super) fn turned_away(task: &FetchTask, until: Timestamp, now: Timestamp) -> TargetResult {
    let history = &task.history;
    let is_same = history.verdict == Some(Verdict::Blocked);
    TargetResult {
        verdict: Verdict::Blocked,
        code: Some(codes::TOO_MANY_REQUESTS),
        status: None,
        reason: format!("not requested: the host accepts no request before {}", to_second(until)),
        since: history.since.filter(|_| is_same).unwrap_or(now),
        at: now,
        attempts: task.attempts.clone(),
        streak: history.streak,
        confidence: Confidence::CERTAIN,
        evidence: Vec::new(),
    }
}
