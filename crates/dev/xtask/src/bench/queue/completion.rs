//! Completes tasks with the result of a live page, without a request.

use std::sync::Arc;

use jiff::Timestamp;
use relink_model::{
    Attempt, Confidence, Digest, FetchOutcome, FetchPurpose, FetchTask, Hop, Probe, Sketch,
    Timings, Verdict,
};
use relink_ports::{HostLease, TargetResult, TaskCompletion, TaskUpdate};

/// Number of hashes in the sketch of a page.
const SKETCH_HASHES: u32 = 84;

/// Creates results of a live page. They differ only in task, lease and time.
#[derive(Clone)]
pub(super) struct Completer {
    digest: Box<Digest>,
    detail: Arc<str>,
}

impl Completer {
    pub(super) fn new() -> Self {
        let text_start = "The text of a page with several sentences. ".repeat(9);
        let hashes = (0..SKETCH_HASHES).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
        let digest = Box::new(Digest {
            content_type: Some("text/html".to_owned()),
            bytes: 8_192,
            title: Some("The title of a page".to_owned()),
            headings: vec!["A heading".to_owned()],
            text_length: 4_096,
            text_end: text_start.chars().take(180).collect(),
            text_start,
            sketch: Sketch::from_hashes(hashes),
            ..Digest::default()
        });
        let mut completer = Self { digest, detail: "".into() };
        let probe = completer.probe("http://host-1.test/page.html", Timestamp::UNIX_EPOCH);
        completer.detail = serde_json::to_string(&probe).expect("a probe is JSON").into();
        completer
    }

    /// Returns the stored form of a probe.
    pub(super) fn detail(&self) -> &str {
        &self.detail
    }

    /// Returns the probe of a response with status 200.
    fn probe(&self, url: &str, requested_at: Timestamp) -> Probe {
        let ip = Some([127, 0, 0, 1].into());
        Probe {
            requested_at,
            hops: vec![Hop { url: url.to_owned(), status: 200, location: None, ip }],
            outcome: FetchOutcome::Response(200),
            timings: Timings { dns: 1, connect: 2, tls: 3, headers: 4, body: 5, total: 15 },
            retry_after: None,
            version: None,
            digest: Some(self.digest.clone()),
        }
    }

    /// Finishes a task.
    pub(super) fn complete(
        &self,
        lease: HostLease,
        task: &FetchTask,
        now: Timestamp,
    ) -> TaskCompletion {
        let probe = self.probe(&task.url, now);
        let attempt = Attempt {
            requested_at: now,
            purpose: FetchPurpose::Initial,
            outcome: probe.outcome.clone(),
            duration_ms: probe.timings.total,
        };
        let result = TargetResult {
            verdict: Verdict::Alive,
            code: None,
            status: Some(200),
            reason: "200 OK".to_owned(),
            since: now,
            checked_at: now,
            attempts: vec![attempt],
            streak: None,
            confidence: Confidence::from_percent(99),
            evidence: Vec::new(),
        };
        TaskCompletion {
            task: task.id,
            target: task.target,
            fence: lease.into(),
            probe: Some(probe),
            update: TaskUpdate::Finish(result),
            page: None,
            anchors: None,
        }
    }
}
