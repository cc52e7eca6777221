//! The implementations of [`ReviveStore`] and [`BudgetStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::Verdict;
use relink_ports::{
    BudgetStore, DeadTarget, ReviveStore, StoreError, StoredPattern, StoredRevival, TextChange,
};

use super::{PostgresStore, perform, revive, transact};

#[async_trait]
impl ReviveStore for PostgresStore {
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

    async fn revival(&self, url: &str) -> Result<Option<StoredRevival>, StoreError> {
        perform!(self, "reading a revival", |db| revive::revival(db, url))
    }

    async fn revivals(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<StoredRevival>, StoreError> {
        perform!(self, "reading revivals", |db| revive::revivals(db, prefix, after, limit))
    }

    async fn save_revivals(&self, revivals: &[StoredRevival]) -> Result<(), StoreError> {
        transact!(self, "saving revivals", |db| revive::save_revivals(db, revivals))
    }

    async fn pattern(&self, directory: &str) -> Result<Option<StoredPattern>, StoreError> {
        perform!(self, "reading a pattern", |db| revive::pattern(db, directory))
    }

    async fn patterns(&self) -> Result<Vec<StoredPattern>, StoreError> {
        perform!(self, "listing patterns", |db| revive::patterns(db))
    }

    async fn save_pattern(&self, pattern: &StoredPattern) -> Result<i64, StoreError> {
        transact!(self, "saving a pattern", |db| revive::save_pattern(db, pattern))
    }

    async fn disable_pattern(&self, id: i64, is_disabled: bool) -> Result<bool, StoreError> {
        perform!(self, "disabling a pattern", |db| revive::disable_pattern(db, id, is_disabled))
    }

    async fn search(&self, key: &str, since: Timestamp) -> Result<Option<String>, StoreError> {
        perform!(self, "reading cached searches", |db| revive::search(db, key, since))
    }

    async fn cache_search(&self, key: &str, hits: &str, now: Timestamp) -> Result<(), StoreError> {
        perform!(self, "caching a search", |db| revive::cache_search(db, key, hits, now))
    }

    async fn text_changes(&self, after: i64, limit: usize) -> Result<Vec<TextChange>, StoreError> {
        transact!(self, "reading page texts", |db| revive::text_changes(db, after, limit))
    }

    async fn last_probe_id(&self) -> Result<i64, StoreError> {
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
    ) -> Result<Vec<(String, Option<String>)>, StoreError> {
        perform!(self, "listing live pages", |db| revive::live_pages(db, prefix, after, limit))
    }
}

#[async_trait]
impl BudgetStore for PostgresStore {
    async fn try_spend(&self, service: &str, day: i64, budget: u32) -> Result<bool, StoreError> {
        perform!(self, "counting a request", |db| revive::try_spend(db, service, day, budget))
    }
}
