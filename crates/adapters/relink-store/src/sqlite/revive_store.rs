//! The [`ReviveStore`] implementation.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::Verdict;
use relink_ports::{DeadTarget, ReviveStore, StoreError, StoredPattern, StoredRevival, TextChange};

use super::{SqliteStore, revive};

#[async_trait]
impl ReviveStore for SqliteStore {
    async fn dead_target(&self, url: &str) -> Result<Option<DeadTarget>, StoreError> {
        self.perform("reading a dead page", |db| revive::dead_target(db, url))
    }

    async fn dead_targets(
        &self,
        verdicts: &[Verdict],
        after: &str,
        limit: usize,
    ) -> Result<Vec<DeadTarget>, StoreError> {
        self.perform("reading dead pages", |db| revive::dead_targets(db, verdicts, after, limit))
    }

    async fn revival(&self, url: &str) -> Result<Option<StoredRevival>, StoreError> {
        self.perform("reading a revival", |db| revive::revival(db, url))
    }

    async fn revivals(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<StoredRevival>, StoreError> {
        self.perform("reading revivals", |db| revive::revivals(db, prefix, after, limit))
    }

    async fn save_revivals(&self, revivals: &[StoredRevival]) -> Result<(), StoreError> {
        self.transact("saving revivals", |db| revive::save_revivals(db, revivals))
    }

    async fn pattern(&self, directory: &str) -> Result<Option<StoredPattern>, StoreError> {
        self.perform("reading a pattern", |db| revive::pattern(db, directory))
    }

    async fn patterns(&self) -> Result<Vec<StoredPattern>, StoreError> {
        self.perform("listing patterns", revive::patterns)
    }

    async fn save_pattern(&self, pattern: &StoredPattern) -> Result<i64, StoreError> {
        self.transact("saving a pattern", |db| revive::save_pattern(db, pattern))
    }

    async fn disable_pattern(&self, id: i64, is_disabled: bool) -> Result<bool, StoreError> {
        self.perform("disabling a pattern", |db| revive::disable_pattern(db, id, is_disabled))
    }

    async fn search(&self, key: &str, since: Timestamp) -> Result<Option<String>, StoreError> {
        self.perform("reading cached searches", |db| revive::search(db, key, since))
    }

    async fn cache_search(&self, key: &str, hits: &str, now: Timestamp) -> Result<(), StoreError> {
        self.perform("caching a search", |db| revive::cache_search(db, key, hits, now))
    }

    async fn text_changes(&self, after: i64, limit: usize) -> Result<Vec<TextChange>, StoreError> {
        self.perform("reading page texts", |db| revive::text_changes(db, after, limit))
    }

    async fn last_probe_id(&self) -> Result<i64, StoreError> {
        self.perform("reading the last probe id", revive::last_probe_id)
    }

    async fn probe_id_epoch(&self) -> Result<String, StoreError> {
        self.perform("reading the probe id epoch", revive::probe_id_epoch)
    }

    async fn live_pages(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<(String, Option<String>)>, StoreError> {
        self.perform("listing live pages", |db| revive::live_pages(db, prefix, after, limit))
    }
}
