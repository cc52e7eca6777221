//! The implementation of [`ResultStore`].

use async_trait::async_trait;
use relink_model::{RunId, TaskId, Verdict};
use relink_ports::{
    AnchorReference, CheckedTarget, CheckedTargetQuery, DeadTarget, DocumentId, Inlinks,
    LinkCursor, LinkOrigin, Neighbor, PastVerdict, ResultStore, SiteLink, SitePage, SiteTarget,
    StoreError, TargetRecord, TextChange, TitledPage, VerdictChange,
};

use super::{PostgresStore, anchors, controls, history, perform, results, revive, site, transact};

#[async_trait]
impl ResultStore for PostgresStore {
    async fn checked_targets(
        &self,
        run: RunId,
        query: CheckedTargetQuery<'_>,
    ) -> Result<Vec<CheckedTarget>, StoreError> {
        perform!(self, "reading results", |db| results::checked_targets(db, run, query))
    }

    async fn inlinks(
        &self,
        tasks: &[TaskId],
        max_locations: usize,
    ) -> Result<Vec<Inlinks>, StoreError> {
        perform!(self, "reading link locations", |db| results::inlinks(db, tasks, max_locations))
    }

    async fn neighbors(
        &self,
        run: RunId,
        directory: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<Neighbor>, StoreError> {
        perform!(self, "searching for neighbors", |db| {
            controls::neighbors(db, run, directory, url, limit)
        })
    }

    async fn target_record(&self, url: &str) -> Result<Option<TargetRecord>, StoreError> {
        perform!(self, "reading a target record", |db| controls::target_record(db, url))
    }

    async fn link_origins(
        &self,
        url: &str,
        documents: &[&str],
    ) -> Result<Vec<Option<LinkOrigin>>, StoreError> {
        perform!(self, "reading link origins", |db| history::link_origins(db, url, documents))
    }

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

    async fn count_unchecked_fragments(&self, run: RunId) -> Result<u64, StoreError> {
        perform!(self, "counting unknown anchors", |db| anchors::count_unknown(db, run))
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

    async fn dead_target(&self, url: &str) -> Result<Option<DeadTarget>, StoreError> {
        perform!(self, "reading a dead page", |db| revive::dead_target(db, url))
    }

    async fn dead_targets(
        &self,
        verdicts: &[Verdict],
        after: &str,
        limit: usize,
    ) -> Result<Vec<DeadTarget>, StoreError> {
        perform!(self, "reading dead pages", |db| revive::dead_targets(db, verdicts, after, limit))
    }

    async fn text_changes(&self, after: i64, limit: usize) -> Result<Vec<TextChange>, StoreError> {
        // `text_changes` takes a lock that the database releases at the end of the transaction.
        transact!(self, "reading page texts", |db| revive::text_changes(db, after, limit))
    }

    async fn last_probe_id(&self) -> Result<i64, StoreError> {
        // `last_probe_id` takes the same lock as `text_changes`.
        transact!(self, "reading the last probe id", |db| revive::last_probe_id(db))
    }

    async fn probe_id_epoch(&self) -> Result<String, StoreError> {
        perform!(self, "reading the probe id epoch", |db| revive::probe_id_epoch(db))
    }

    async fn live_pages(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<TitledPage>, StoreError> {
        perform!(self, "listing live pages", |db| revive::live_pages(db, prefix, after, limit))
    }
}
