//! A fetched task before and after it is judged.
//!
//! A *control* is a page that is fetched only for comparison. *Neighbors* are pages of
//! the same directory that serve as controls. An *attempt* is one fetch of the task in
//! this run. The *fence* of a result lets the store reject the results of a process
//! that has lost its lease of the host.

use jiff::{Timestamp, Unit};
use relink_judge::{JudgeInput, Judgment, PhraseScan, codes, is_suspicious, suspicion};
use relink_model::{Attempt, Confidence, Control, FetchTask, Probe, Verdict};
use relink_ports::{Fence, HostId, HostLease, TargetResult, TaskCompletion, TaskUpdate};
use xxhash_rust::xxh3::xxh3_64;

use super::FetchedTask;
use relink_documents::ParsedPage;
use relink_requests::isolate;

/// A fetched task that waits to be judged.
pub(super) struct PendingJudgment {
    pub(super) host: HostId,
    pub(super) task: FetchTask,
    pub(super) probe: Probe,
    phrase_scan: Option<PhraseScan>,
    /// All attempts of this run, including the current one.
    pub(super) attempts: Vec<Attempt>,
    /// Controls that were found for the page so far, or that are known to be missing.
    pub(super) controls: Vec<Control>,
    /// Whether the judge requested a neighbor. Neighbors are available only at the end
    /// of the run.
    pub(super) lacks_neighbors: bool,
    /// Hash of the key of the last control for which `ControlDemand` counted this page.
    pub(super) counted_key: Option<u64>,
    /// Whether the page was deferred by the module `comparisons` and is now compared
    /// in the order of ranks.
    pub(super) is_ranked: bool,
    pub(super) content: PageContent,
}

/// Page content that the judge does not need: anchors and parsed links.
#[derive(Debug, Default)]
pub(super) struct PageContent {
    /// Hashes of the anchors; `None` if they are not needed or unknown.
    pub(super) anchors: Option<Vec<u32>>,
    /// Links and robots directives, if the links are followed.
    pub(super) parsed_page: Option<Box<ParsedPage>>,
}

/// A judged task that is not yet stored.
pub(super) struct JudgedTask {
    pub(super) task: FetchTask,
    pub(super) completion: TaskCompletion,
    /// Links and robots directives of the page, until links are selected.
    pub(super) parsed_page: Option<Box<ParsedPage>>,
    /// The probe of a held task, which the store has already.
    pub(super) held_probe: Option<Probe>,
}

impl PendingJudgment {
    pub(super) fn new(host: HostId, fetched: FetchedTask) -> Self {
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

    /// Returns how much the page resembles an error page; the most suspicious pages are
    /// compared first.
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

    /// Returns a hash of the visible content.
    pub(super) fn content_hash(&self) -> u64 {
        content_hash(&self.probe)
    }

    /// Returns the evidence for the judge.
    pub(super) fn judge_input(&self, now: Timestamp) -> JudgeInput<'_> {
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

impl PendingJudgment {
    /// Converts the task into a held one.
    pub(super) fn into_held(self, lease: HostLease) -> JudgedTask {
        let attempts = self.attempts.clone();
        self.into_judged(lease, TaskUpdate::Hold { attempts })
    }

    /// Completes the task with an update for the store.
    pub(super) fn into_judged(self, lease: HostLease, update: TaskUpdate) -> JudgedTask {
        let PageContent { anchors, parsed_page } = self.content;
        // Discard the anchors of error pages. A held page may turn out to be alive.
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
    /// Completes a task with an update for the store. The probe is `None` if the task
    /// was not fetched, or if the store has the probe already.
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
pub(super) fn to_second(time: Timestamp) -> Timestamp {
    time.round(Unit::Second).unwrap_or(time)
}

/// Result of a task whose host accepts no requests until the given time.
pub(super) fn blocked_result(task: &FetchTask, until: Timestamp, now: Timestamp) -> TargetResult {
    let history = &task.history;
    let was_blocked = history.verdict == Some(Verdict::Blocked);
    TargetResult {
        verdict: Verdict::Blocked,
        code: Some(codes::TOO_MANY_REQUESTS),
        status: None,
        reason: format!("not requested: the host accepts no request before {}", to_second(until)),
        since: history.since.filter(|_| was_blocked).unwrap_or(now),
        checked_at: now,
        attempts: task.attempts.clone(),
        streak: history.streak,
        confidence: Confidence::CERTAIN,
        evidence: Vec::new(),
    }
}
