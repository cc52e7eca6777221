//! The [`SiteStore`] implementation.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchTask, RunId, TaskId};
use relink_ports::{
    CacheWindow, CommitSummary, DocumentId, HostLease, HostSchedule, LinkCursor, NewPage,
    PastVerdict, RunSummary, SiteLink, SitePage, SiteStore, SiteTarget, StoreError, StoredRobots,
    VerdictChange,
};

use super::{SqliteStore, claims, pages, site};

#[async_trait]
impl SiteStore for SqliteStore {
    async fn add_pages(
        &self,
        run: RunId,
        pages: &[NewPage],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError> {
        self.transact("storing pages", |db| pages::add(db, run, pages, cache_window))
    }

    async fn due_by_rank(
        &self,
        run: RunId,
        lease: HostLease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError> {
        self.perform("reading tasks", |db| pages::due_by_rank(db, run, lease, limit, now))
    }

    async fn last_task_id(&self, run: RunId) -> Result<TaskId, StoreError> {
        self.perform("reading the last task id", |db| pages::last_task_id(db, run))
    }

    async fn robots(
        &self,
        origin: &str,
        since: Timestamp,
    ) -> Result<Option<StoredRobots>, StoreError> {
        self.perform("reading robots.txt", |db| pages::robots(db, origin, since))
    }

    async fn save_robots(&self, robots: &StoredRobots) -> Result<(), StoreError> {
        self.perform("saving robots.txt", |db| pages::save_robots(db, robots))
    }

    async fn host_schedule(&self, host: &str) -> Result<Option<HostSchedule>, StoreError> {
        self.perform("reading a host schedule", |db| claims::host_schedule(db, host))
    }

    async fn save_host_schedule(
        &self,
        host: &str,
        schedule: &HostSchedule,
    ) -> Result<(), StoreError> {
        self.perform("saving a host schedule", |db| claims::save_host_schedule(db, host, schedule))
    }

    async fn checkpoint(&self, run: RunId, name: &str) -> Result<Option<String>, StoreError> {
        self.perform("reading a checkpoint", |db| pages::checkpoint(db, run, name))
    }

    async fn save_checkpoint(&self, run: RunId, name: &str, text: &str) -> Result<(), StoreError> {
        self.perform("saving a checkpoint", |db| pages::save_checkpoint(db, run, name, text))
    }

    async fn runs(
        &self,
        command: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RunSummary>, StoreError> {
        self.perform("listing runs", |db| site::runs(db, command, limit))
    }

    async fn site_urls(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(TaskId, String)>, StoreError> {
        self.perform("reading URLs", |db| site::urls(db, run, after, limit))
    }

    async fn site_targets(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<SiteTarget>, StoreError> {
        self.perform("reading targets", |db| site::targets(db, run, after, limit))
    }

    async fn site_pages(
        &self,
        run: RunId,
        after: DocumentId,
        limit: usize,
    ) -> Result<Vec<SitePage>, StoreError> {
        self.perform("reading pages", |db| site::pages(db, run, after, limit))
    }

    async fn site_links(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<SiteLink>, StoreError> {
        self.perform("reading links", |db| site::links(db, run, after, limit))
    }

    async fn verdict_changes(
        &self,
        before: RunId,
        after: RunId,
        after_url: &str,
        limit: usize,
    ) -> Result<Vec<VerdictChange>, StoreError> {
        self.perform("comparing runs", |db| {
            site::verdict_changes(db, before, after, after_url, limit)
        })
    }

    async fn known_urls(&self, after_url: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        self.perform("reading URLs", |db| site::known_urls(db, after_url, limit))
    }

    async fn past_verdicts(
        &self,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<PastVerdict>, StoreError> {
        self.perform("reading past verdicts", |db| site::past_verdicts(db, after, limit))
    }
}
