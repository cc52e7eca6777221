//! The implementations of [`SiteStore`] and [`AnchorStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchTask, RunId, TaskId};
use relink_ports::{
    AnchorReference, AnchorStore, CacheWindow, CommitSummary, DocumentId, HostLease, HostSchedule,
    LinkCursor, MissingAnchor, NewPage, PastVerdict, RunSummary, SiteLink, SitePage, SiteStore,
    SiteTarget, StoreError, StoredRobots, VerdictChange,
};

use super::{PostgresStore, anchors, claims, pages, perform, site, transact};

#[async_trait]
impl SiteStore for PostgresStore {
    async fn add_pages(
        &self,
        run: RunId,
        pages: &[NewPage],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError> {
        let pages: Vec<_> = pages.iter().map(|page| (page, None)).collect();
        let clock = self.clock_offset();
        transact!(self, "storing pages", |db| pages::add(db, clock, run, &pages, cache_window))
    }

    async fn due_by_rank(
        &self,
        run: RunId,
        lease: HostLease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError> {
        let clock = self.clock_offset();
        perform!(self, "reading tasks", |db| claims::due_by_rank(
            db,
            clock,
            (run, lease),
            limit,
            clock.db_time(now)
        ))
    }

    async fn last_task_id(&self, run: RunId) -> Result<TaskId, StoreError> {
        perform!(self, "reading the last task id", |db| site::last_task_id(db, run))
    }

    async fn robots(
        &self,
        origin: &str,
        since: Timestamp,
    ) -> Result<Option<StoredRobots>, StoreError> {
        perform!(self, "reading robots.txt", |db| site::robots(db, origin, since))
    }

    async fn save_robots(&self, robots: &StoredRobots) -> Result<(), StoreError> {
        perform!(self, "saving robots.txt", |db| site::save_robots(db, robots))
    }

    async fn host_schedule(&self, host: &str) -> Result<Option<HostSchedule>, StoreError> {
        let clock = self.clock_offset();
        perform!(self, "reading a host schedule", |db| claims::host_schedule(db, clock, host))
    }

    async fn save_host_schedule(
        &self,
        host: &str,
        schedule: &HostSchedule,
    ) -> Result<(), StoreError> {
        let clock = self.clock_offset();
        transact!(self, "saving a host schedule", |db| claims::save_host_schedule(
            db, clock, host, schedule
        ))
    }

    async fn checkpoint(&self, run: RunId, name: &str) -> Result<Option<String>, StoreError> {
        perform!(self, "reading a checkpoint", |db| site::checkpoint(db, run, name))
    }

    async fn save_checkpoint(&self, run: RunId, name: &str, text: &str) -> Result<(), StoreError> {
        perform!(self, "saving a checkpoint", |db| site::save_checkpoint(db, run, name, text))
    }

    async fn runs(
        &self,
        command: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RunSummary>, StoreError> {
        perform!(self, "listing runs", |db| site::runs(db, command, limit))
    }

    async fn site_urls(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(TaskId, String)>, StoreError> {
        perform!(self, "reading URLs", |db| site::urls(db, run, after, limit))
    }

    async fn site_targets(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<SiteTarget>, StoreError> {
        perform!(self, "reading targets", |db| site::targets(db, run, after, limit))
    }

    async fn site_pages(
        &self,
        run: RunId,
        after: DocumentId,
        limit: usize,
    ) -> Result<Vec<SitePage>, StoreError> {
        perform!(self, "reading pages", |db| site::pages(db, run, after, limit))
    }

    async fn site_links(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<SiteLink>, StoreError> {
        perform!(self, "reading links", |db| site::links(db, run, after, limit))
    }

    async fn verdict_changes(
        &self,
        before: RunId,
        after: RunId,
        after_url: &str,
        limit: usize,
    ) -> Result<Vec<VerdictChange>, StoreError> {
        perform!(self, "comparing runs", |db| {
            site::verdict_changes(db, before, after, after_url, limit)
        })
    }

    async fn known_urls(&self, after_url: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        perform!(self, "reading URLs", |db| site::known_urls(db, after_url, limit))
    }

    async fn past_verdicts(
        &self,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<PastVerdict>, StoreError> {
        perform!(self, "reading past verdicts", |db| site::past_verdicts(db, after, limit))
    }
}

#[async_trait]
impl AnchorStore for PostgresStore {
    async fn anchor_references(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<AnchorReference>, StoreError> {
        perform!(self, "reading anchor references", |db| anchors::anchor_references(
            db, run, after, limit
        ))
    }

    async fn count_unknown_anchors(&self, run: RunId) -> Result<u64, StoreError> {
        perform!(self, "counting unknown anchors", |db| anchors::count_unknown(db, run))
    }

    async fn add_missing_anchors(
        &self,
        run: RunId,
        missing: &[MissingAnchor],
        cache_window: CacheWindow,
    ) -> Result<u64, StoreError> {
        transact!(self, "storing missing anchors", |db| anchors::add_missing(
            db,
            run,
            missing,
            cache_window
        ))
    }
}
