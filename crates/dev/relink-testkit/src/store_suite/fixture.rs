//! The fixture of the suite: an open run, and functions that load documents, claim and
//! finish tasks, and create values to store.
//!
//! Times are whole seconds after a fixed start ([`at`]), so that they depend neither on
//! the system clock nor on the precision of the store.

use jiff::Timestamp;
use relink_model::{
    Attempt, Confidence, Digest, FailureStreak, FetchOutcome, FetchPurpose, FetchTask, FindingCode,
    Hop, LinkKind, Probe, RequestRights, ResponseVersion, RunId, Sketch, SourceLocation, Span,
    Timings, Verdict,
};
use relink_ports::{
    CacheWindow, CheckedTarget, CheckedTargetQuery, Claim, ClaimRequest, DocumentId, Fence,
    HostRelease, HostSchedule, HostStats, LinkBatch, NewDocument, NewLink, NewTarget, OpenRun,
    RunKey, RunState, Store, StoreError, TargetResult, TaskCompletion, TaskUpdate,
};

/// The duration of leases in seconds.
pub(super) const LEASE_SECONDS: i64 = 60;
/// A limit that is greater than the number of hosts, tasks or results.
pub(super) const MANY: usize = 100;
/// A value of `fresh_since` that disables the cache.
pub(super) const NOTHING_IS_FRESH: Timestamp = at(3_000_000_000);
/// The URL after redirects of every probe.
pub(super) const FINAL_URL: &str = "http://one.test/%C3%BCber";

/// Returns the time `seconds` after the start.
pub(super) const fn at(seconds: i64) -> Timestamp {
    Timestamp::constant(1_700_000_000 + seconds, 0)
}

/// The key of the default run.
pub(super) fn run_key() -> RunKey {
    RunKey {
        command: "check".to_owned(),
        inputs: vec!["docs".to_owned(), "README.md".to_owned()],
        scope: "depth=1".to_owned(),
    }
}

/// An open run of a store.
pub(super) struct StoreFixture<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) run: RunId,
    pub(super) generation: i64,
    /// The current time of commits and loading steps.
    pub(super) now: Timestamp,
    /// The age limit of cached results.
    pub(super) fresh_since: Timestamp,
}

impl<'a> StoreFixture<'a> {
    /// Opens or resumes the default run.
    pub(super) async fn open(store: &'a dyn Store, now: Timestamp) -> Result<Self, StoreError> {
        Self::open_with_key(store, &run_key(), now).await
    }

    /// Opens or resumes the run with a key.
    pub(super) async fn open_with_key(
        store: &'a dyn Store,
        key: &RunKey,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let OpenRun { id: run, generation, .. } = store.open_run(key, false, now).await?;
        Ok(Self { store, run, generation, now, fresh_since: NOTHING_IS_FRESH })
    }

    /// Opens the default run with one document that links to these URLs.
    pub(super) async fn with_pages(
        store: &'a dyn Store,
        now: Timestamp,
        urls: &[&str],
    ) -> Result<Self, StoreError> {
        let fixture = Self::open(store, now).await?;
        fixture.load_pages(urls).await?;
        Ok(fixture)
    }

    /// Loads one document that links to these URLs, and finishes loading.
    pub(super) async fn load_pages(&self, urls: &[&str]) -> Result<DocumentId, StoreError> {
        let links: Vec<NewLink> = (1..).zip(urls).map(|(line, url)| user_link(line, url)).collect();
        let document = self.load("README.md", 1, &links).await?;
        self.store.finish_loading(self.run, &[document]).await?;
        Ok(document)
    }

    /// Loads a complete document.
    pub(super) async fn load(
        &self,
        label: &str,
        content_hash: u64,
        links: &[NewLink],
    ) -> Result<DocumentId, StoreError> {
        let document = document(label, content_hash);
        let loaded = self.store.load_document(self.run, &document).await?;
        assert!(!loaded.is_unchanged, "{label} is new or changed");
        self.add_links(loaded.id, 0, links).await?;
        self.store.finish_document(loaded.id).await?;
        Ok(loaded.id)
    }

    /// Adds links to a document, the first one at `first_position`.
    pub(super) async fn add_links(
        &self,
        document: DocumentId,
        first_position: usize,
        links: &[NewLink],
    ) -> Result<(), StoreError> {
        let batch =
            LinkBatch { document, first_position, links, cache_window: self.cache_window() };
        self.store.add_links(self.run, batch).await
    }

    /// Claims all due hosts.
    pub(super) async fn claim(&self, now: Timestamp) -> Result<Vec<Claim>, StoreError> {
        self.store.claim(self.run, claim_request(MANY, MANY, now, lease_end(now))).await
    }

    /// Claims the only due host.
    pub(super) async fn claim_one(&self, now: Timestamp) -> Result<Claim, StoreError> {
        let mut claims = self.claim(now).await?;
        assert_eq!(claims.len(), 1, "one host is due: {claims:?}");
        Ok(claims.remove(0))
    }

    /// Claims all due hosts and returns the sorted URLs of their tasks.
    pub(super) async fn due_urls(&self, now: Timestamp) -> Result<Vec<String>, StoreError> {
        let claims = self.claim(now).await?;
        let tasks = claims.into_iter().flat_map(|claim| claim.tasks);
        let mut urls: Vec<String> = tasks.map(|task| task.url).collect();
        urls.sort();
        Ok(urls)
    }

    /// Commits completions, none of which may be rejected.
    pub(super) async fn commit(&self, completions: &[TaskCompletion]) -> Result<(), StoreError> {
        let rejected =
            self.store.commit(self.run, completions, self.cache_window()).await?.rejected;
        assert_eq!(rejected, [], "no lease was lost");
        Ok(())
    }

    /// Finishes all tasks of a claim with the same verdict and releases it.
    pub(super) async fn finish_claim(
        &self,
        claim: &Claim,
        verdict: Verdict,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let checked = |task| finished_completion(claim.lease, task, verdict, now);
        let completions: Vec<TaskCompletion> = claim.tasks.iter().map(checked).collect();
        self.commit(&completions).await?;
        self.release(claim).await
    }

    /// Finishes all due tasks with the same verdict.
    pub(super) async fn finish_all(
        &self,
        verdict: Verdict,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        for claim in self.claim(now).await? {
            self.finish_claim(&claim, verdict, now).await?;
        }
        Ok(())
    }

    /// Releases a host with default schedule and statistics.
    pub(super) async fn release(&self, claim: &Claim) -> Result<(), StoreError> {
        let (schedule, stats) = (HostSchedule::default(), HostStats::default());
        self.store.release(self.run, &[HostRelease { lease: claim.lease, schedule, stats }]).await
    }

    /// Returns the fence of results that are judged from stored probes.
    pub(super) fn fence(&self) -> Fence {
        Fence::Run(self.generation)
    }

    /// Returns the cache window of the run.
    pub(super) fn cache_window(&self) -> CacheWindow {
        CacheWindow { now: self.now, fresh_since: self.fresh_since }
    }

    /// Returns all checked targets.
    pub(super) async fn checked(&self) -> Result<Vec<CheckedTarget>, StoreError> {
        self.store.checked_targets(self.run, CheckedTargetQuery::ALL).await
    }

    /// Returns the only checked target.
    pub(super) async fn checked_one(&self) -> Result<CheckedTarget, StoreError> {
        let mut checked = self.checked().await?;
        assert_eq!(checked.len(), 1, "one target is checked: {checked:?}");
        Ok(checked.remove(0))
    }

    /// Closes the run.
    pub(super) async fn close(&self, now: Timestamp) -> Result<(), StoreError> {
        self.store.close_run(self.run, RunState::Finished, now).await
    }
}

/// Returns a request for hosts and tasks that are due now.
pub(super) fn claim_request(
    hosts: usize,
    tasks: usize,
    now: Timestamp,
    until: Timestamp,
) -> ClaimRequest {
    ClaimRequest { hosts, tasks, now, until, claims_before_due: false }
}

/// Returns the end of a lease that starts now.
pub(super) fn lease_end(now: Timestamp) -> Timestamp {
    now + jiff::SignedDuration::from_secs(LEASE_SECONDS)
}

/// Returns a document to load.
pub(super) fn document(label: &str, content_hash: u64) -> NewDocument {
    NewDocument { label: label.to_owned(), content_hash, revision: None }
}

/// Returns a location on a line. Other fields are derived from the line.
pub(super) fn location(line: u32) -> SourceLocation {
    let start = 100 * line as usize;
    SourceLocation {
        span: Span::from(start..start + 7),
        line,
        column: 3,
        kind: LinkKind::Definition,
    }
}

/// Returns a link with a user-supplied URL.
pub(super) fn user_link(line: u32, url: &str) -> NewLink {
    web_link(line, url, RequestRights::user_supplied())
}

/// Returns a link with a discovered URL.
pub(super) fn discovered_link(line: u32, url: &str) -> NewLink {
    web_link(line, url, RequestRights::discovered())
}

/// Returns a link to a web page. The name of its host is the host of the URL.
fn web_link(line: u32, url: &str, rights: RequestRights) -> NewLink {
    let host = url.split('/').nth(2).unwrap_or(url);
    NewLink {
        location: location(line),
        original_url: url.to_owned(),
        target: NewTarget::Web { url: url.to_owned(), host: host.to_owned(), rights },
        fragment: None,
        ignored_codes: Vec::new(),
    }
}

/// Returns a link to a local file.
pub(super) fn local_link(line: u32, key: &str, verdict: Verdict) -> NewLink {
    NewLink {
        location: location(line),
        original_url: format!("./{key}"),
        target: NewTarget::Local {
            key: key.to_owned(),
            verdict,
            code: (verdict == Verdict::Local).then_some(FindingCode::new(601)),
            reason: format!("the file is {verdict}"),
        },
        fragment: None,
        ignored_codes: Vec::new(),
    }
}

/// Returns a probe with all fields set.
pub(super) fn probe(status: u16, requested_at: Timestamp) -> Probe {
    let hop = |url: &str, status, location: Option<&str>| Hop {
        url: url.to_owned(),
        status,
        location: location.map(str::to_owned),
        ip: Some([127, 0, 0, 1].into()),
    };
    Probe {
        requested_at,
        hops: vec![
            hop("http://one.test/", 302, Some("/über?a='b'&c=\"d\"")),
            hop(FINAL_URL, status, None),
        ],
        outcome: FetchOutcome::Response(status),
        timings: Timings { dns: 1, connect: 2, tls: 3, headers: 4, body: 5, total: 15 },
        retry_after: Some(120),
        digest: Some(digest(status).into()),
        version: Some(version().into()),
    }
}

/// Returns the version of a page according to its headers.
pub(super) fn version() -> ResponseVersion {
    ResponseVersion {
        last_modified: Some("Tue, 03 Nov 2026 10:00:00 GMT".to_owned()),
        etag: Some("W/\"1-a\"".to_owned()),
        date: Some("Wed, 04 Nov 2026 10:00:00 GMT".to_owned()),
    }
}

/// Returns the digest of a page with this status.
pub(super) fn digest(status: u16) -> Digest {
    Digest {
        content_type: Some("text/html".to_owned()),
        bytes: 4096,
        stated_date: Some(jiff::civil::date(2026, 11, 3)),
        title: Some(format!("Status {status} \u{1f4da} “quoted”")),
        headings: vec!["One".to_owned(), String::new()],
        text_length: 200,
        sketch: Sketch::from_hashes(vec![1, 2, status.into()]),
        ..Digest::default()
    }
}

/// Returns the attempt of a probe.
pub(super) fn attempt(probe: &Probe, purpose: FetchPurpose) -> Attempt {
    Attempt {
        requested_at: probe.requested_at,
        purpose,
        outcome: probe.outcome.clone(),
        duration_ms: probe.timings.total,
    }
}

/// Returns a result based on one probe.
pub(super) fn target_result(verdict: Verdict, probe: &Probe, now: Timestamp) -> TargetResult {
    let is_reached = verdict.is_reached();
    TargetResult {
        verdict,
        code: (!is_reached).then_some(FindingCode::new(101)),
        status: probe.outcome.status(),
        reason: format!("it is {verdict}"),
        since: now,
        checked_at: now,
        attempts: vec![attempt(probe, FetchPurpose::Initial)],
        streak: (!is_reached).then(|| FailureStreak::extend(None, now)),
        confidence: Confidence::from_percent(if is_reached { 99 } else { 87 }),
        evidence: Vec::new(),
    }
}

/// Returns a completion without page and anchors.
pub(super) fn completion(
    fence: impl Into<Fence>,
    task: &FetchTask,
    probe: Option<Probe>,
    update: TaskUpdate,
) -> TaskCompletion {
    TaskCompletion {
        task: task.id,
        target: task.target,
        fence: fence.into(),
        probe,
        update,
        page: None,
        anchors: None,
    }
}

/// Returns a completion that finishes a task after one attempt, with a status
/// that fits the verdict.
pub(super) fn finished_completion(
    fence: impl Into<Fence>,
    task: &FetchTask,
    verdict: Verdict,
    now: Timestamp,
) -> TaskCompletion {
    let status = if verdict.is_reached() { 200 } else { 404 };
    let probe = probe(status, now);
    let result = target_result(verdict, &probe, now);
    completion(fence, task, Some(probe), TaskUpdate::Finish(result))
}
