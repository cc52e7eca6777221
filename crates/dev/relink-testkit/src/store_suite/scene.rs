//! A run on a store, with short words for what nearly every case does.
//!
//! Moments count in whole seconds from a fixed start, so that a store may keep
//! them as coarsely as milliseconds and nothing depends on the real clock.

use jiff::Timestamp;
use relink_model::{
    Attempt, Confidence, Digest, FailureStreak, FetchOutcome, FetchPurpose, FetchTask, FindingCode,
    Hop, LinkKind, Probe, RequestRights, RunId, Sketch, SourceLocation, Span, Timings, Verdict,
};
use relink_ports::{
    CacheWindow, CheckedTarget, CheckedTargetQuery, Claim, DocumentId, HostLease, HostSchedule,
    HostStats, LinkBatch, NewDocument, NewLink, NewTarget, RunKey, RunState, Store, StoreError,
    TargetResult, TaskCompletion, TaskUpdate,
};

/// Seconds a lease lasts in a scene.
pub(super) const LEASE: i64 = 60;
/// More hosts, tasks or results than any scene has.
pub(super) const MANY: usize = 100;
/// No answer is so recent: what is loaded with this is always asked.
pub(super) const NOTHING_IS_FRESH: Timestamp = at(3_000_000_000);
/// Where every probe ends.
pub(super) const LANDING: &str = "http://one.test/%C3%BCber";

/// So many seconds after the start.
pub(super) const fn at(seconds: i64) -> Timestamp {
    Timestamp::constant(1_700_000_000 + seconds, 0)
}

/// The plan of a scene.
pub(super) fn plan() -> RunKey {
    RunKey {
        command: "check".to_owned(),
        inputs: vec!["docs".to_owned(), "README.md".to_owned()],
        scope: "depth=1".to_owned(),
    }
}

/// A run and the moment it is at.
pub(super) struct StoreFixture<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) run: RunId,
    pub(super) now: Timestamp,
    pub(super) fresh_since: Timestamp,
}

impl<'a> StoreFixture<'a> {
    /// Opens a run of the scene's plan, or goes on with an unfinished one.
    pub(super) async fn open(store: &'a dyn Store, now: Timestamp) -> Result<Self, StoreError> {
        Self::of(store, &plan(), now).await
    }

    /// The same of any plan.
    pub(super) async fn of(
        store: &'a dyn Store,
        plan: &RunKey,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let run = store.open_run(plan, false, now).await?.id;
        Ok(Self { store, run, now, fresh_since: NOTHING_IS_FRESH })
    }

    /// Opens a run over one document that links to these pages.
    pub(super) async fn with_pages(
        store: &'a dyn Store,
        now: Timestamp,
        urls: &[&str],
    ) -> Result<Self, StoreError> {
        let scene = Self::open(store, now).await?;
        scene.load_pages(urls).await?;
        Ok(scene)
    }

    /// Loads one document that links to these pages, and ends the loading.
    pub(super) async fn load_pages(&self, urls: &[&str]) -> Result<DocumentId, StoreError> {
        let links: Vec<NewLink> = (1..).zip(urls).map(|(n, url)| named(n, url)).collect();
        let document = self.load("README.md", 1, &links).await?;
        self.store.finish_loading(self.run, &[document]).await?;
        Ok(document)
    }

    /// Loads a document whole.
    pub(super) async fn load(
        &self,
        label: &str,
        content: u64,
        links: &[NewLink],
    ) -> Result<DocumentId, StoreError> {
        let document = document(label, content);
        let loaded = self.store.load_document(self.run, &document).await?;
        assert!(!loaded.is_unchanged, "{label} is new or changed");
        self.add(loaded.id, 0, links).await?;
        self.store.finish_document(loaded.id).await?;
        Ok(loaded.id)
    }

    /// Adds links to a document, the first of them at position `first`.
    pub(super) async fn add(
        &self,
        document: DocumentId,
        first: usize,
        links: &[NewLink],
    ) -> Result<(), StoreError> {
        let batch = LinkBatch { document, first, links, cache_window: self.moments() };
        self.store.add_links(self.run, batch).await
    }

    /// Claims whatever is due.
    pub(super) async fn claim(&self, now: Timestamp) -> Result<Vec<Claim>, StoreError> {
        self.store.claim(self.run, MANY, MANY, now, lease_end(now)).await
    }

    /// Claims the only host that is due.
    pub(super) async fn claim_one(&self, now: Timestamp) -> Result<Claim, StoreError> {
        let mut claims = self.claim(now).await?;
        assert_eq!(claims.len(), 1, "one host is due: {claims:?}");
        Ok(claims.remove(0))
    }

    /// The URLs of whatever is due, in order.
    pub(super) async fn due_urls(&self, now: Timestamp) -> Result<Vec<String>, StoreError> {
        let claims = self.claim(now).await?;
        let tasks = claims.into_iter().flat_map(|claim| claim.tasks);
        let mut urls: Vec<String> = tasks.map(|task| task.url).collect();
        urls.sort();
        Ok(urls)
    }

    /// Commits results that nothing stands against.
    pub(super) async fn complete(&self, completions: &[TaskCompletion]) -> Result<(), StoreError> {
        let refused = self.store.commit(self.run, completions, self.moments()).await?.refused;
        assert_eq!(refused, [], "no lease was lost");
        Ok(())
    }

    /// Settles every task of a claim with the same word, and gives it back.
    pub(super) async fn settle(
        &self,
        claim: &Claim,
        word: Verdict,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let settled = |task| settled_as(Some(claim.lease), task, word, now);
        let completions: Vec<TaskCompletion> = claim.tasks.iter().map(settled).collect();
        self.complete(&completions).await?;
        self.release(claim).await
    }

    /// Settles whatever is due with the same word.
    pub(super) async fn settle_all(&self, word: Verdict, now: Timestamp) -> Result<(), StoreError> {
        for claim in self.claim(now).await? {
            self.settle(&claim, word, now).await?;
        }
        Ok(())
    }

    /// Gives a host back that nothing was learned about.
    pub(super) async fn release(&self, claim: &Claim) -> Result<(), StoreError> {
        let (pace, tally) = (HostSchedule::default(), HostStats::default());
        self.store.release(self.run, claim.lease, &pace, &tally).await
    }

    /// When links and results are stored here.
    pub(super) fn moments(&self) -> CacheWindow {
        CacheWindow { now: self.now, fresh_since: self.fresh_since }
    }

    /// Everything that is settled.
    pub(super) async fn settled(&self) -> Result<Vec<CheckedTarget>, StoreError> {
        self.store.checked_targets(self.run, CheckedTargetQuery::ALL).await
    }

    /// The only target that is settled.
    pub(super) async fn settled_one(&self) -> Result<CheckedTarget, StoreError> {
        let mut settled = self.settled().await?;
        assert_eq!(settled.len(), 1, "one target is settled: {settled:?}");
        Ok(settled.remove(0))
    }

    /// Closes the run.
    pub(super) async fn finish(&self, now: Timestamp) -> Result<(), StoreError> {
        self.store.close_run(self.run, RunState::Finished, now).await
    }
}

/// When a lease taken now ends.
pub(super) fn lease_end(now: Timestamp) -> Timestamp {
    now + jiff::SignedDuration::from_secs(LEASE)
}

pub(super) fn document(label: &str, content: u64) -> NewDocument {
    NewDocument { label: label.to_owned(), content }
}

/// Somewhere on a line.
pub(super) fn place(line: u32) -> SourceLocation {
    let start = 100 * line as usize;
    SourceLocation {
        span: Span::from(start..start + 7),
        line,
        column: 3,
        kind: LinkKind::Definition,
    }
}

/// A link to a page that the user named.
pub(super) fn named(line: u32, url: &str) -> NewLink {
    web(line, url, RequestRights::named_by_user())
}

/// A link to a page that was found.
pub(super) fn found(line: u32, url: &str) -> NewLink {
    web(line, url, RequestRights::discovered())
}

fn web(line: u32, url: &str, rights: RequestRights) -> NewLink {
    let host = url.split('/').nth(2).unwrap_or(url);
    NewLink {
        location: place(line),
        original_url: url.to_owned(),
        target: NewTarget::Web { url: url.to_owned(), host: host.to_owned(), rights },
        fragment: None,
        ignored_codes: Vec::new(),
    }
}

/// A link to a file, which is there if the word is `alive`.
pub(super) fn local(line: u32, key: &str, word: Verdict) -> NewLink {
    NewLink {
        location: place(line),
        original_url: format!("./{key}"),
        target: NewTarget::Local {
            key: key.to_owned(),
            verdict: word,
            code: (word == Verdict::Local).then_some(FindingCode::new(601)),
            reason: format!("the file is {word}"),
        },
        fragment: None,
        ignored_codes: Vec::new(),
    }
}

/// A probe with all that a probe can have.
pub(super) fn probe(status: u16, asked: Timestamp) -> Probe {
    let hop = |url: &str, status, location: Option<&str>| Hop {
        url: url.to_owned(),
        status,
        location: location.map(str::to_owned),
        ip: Some([127, 0, 0, 1].into()),
    };
    Probe {
        requested_at: asked,
        hops: vec![
            hop("http://one.test/", 302, Some("/über?a='b'&c=\"d\"")),
            hop(LANDING, status, None),
        ],
        outcome: FetchOutcome::Response(status),
        timings: Timings { dns: 1, connect: 2, tls: 3, head: 4, body: 5, total: 15 },
        retry_after: Some(120),
        digest: Some(digest(status).into()),
    }
}

/// What a page says that answers with this status.
pub(super) fn digest(status: u16) -> Digest {
    Digest {
        content_type: Some("text/html".to_owned()),
        bytes: 4096,
        title: Some(format!("Status {status} \u{1f4da} “quoted”")),
        headings: vec!["One".to_owned(), String::new()],
        text_length: 200,
        sketch: Sketch::from_hashes(vec![1, 2, status.into()]),
        ..Digest::default()
    }
}

/// The look that a probe was.
pub(super) fn look(probe: &Probe, purpose: FetchPurpose) -> Attempt {
    Attempt {
        requested_at: probe.requested_at,
        purpose,
        outcome: probe.outcome.clone(),
        duration_ms: probe.timings.total,
    }
}

/// A settlement that rests on one probe.
pub(super) fn settlement(word: Verdict, probe: &Probe, now: Timestamp) -> TargetResult {
    let is_good = word.is_reached();
    TargetResult {
        verdict: word,
        code: (!is_good).then_some(FindingCode::new(101)),
        status: probe.outcome.status(),
        reason: format!("it is {word}"),
        since: now,
        at: now,
        attempts: vec![look(probe, FetchPurpose::Initial)],
        streak: (!is_good).then(|| FailureStreak::extended(None, now)),
        confidence: Confidence::percent(if is_good { 99 } else { 87 }),
        evidence: Vec::new(),
    }
}

/// A result.
pub(super) fn result(
    lease: Option<HostLease>,
    task: &FetchTask,
    probe: Option<Probe>,
    step: TaskUpdate,
) -> TaskCompletion {
    TaskCompletion {
        task: task.id,
        target: task.target,
        lease,
        probe,
        step,
        page: None,
        anchors: None,
    }
}

/// A result that settles a task after one look, with the status its word
/// would have.
pub(super) fn settled_as(
    lease: Option<HostLease>,
    task: &FetchTask,
    word: Verdict,
    now: Timestamp,
) -> TaskCompletion {
    let status = if word.is_reached() { 200 } else { 404 };
    let probe = probe(status, now);
    let settlement = settlement(word, &probe, now);
    result(lease, task, Some(probe), TaskUpdate::Finish(settlement))
}
