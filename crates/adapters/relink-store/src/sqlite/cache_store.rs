//! The implementation of [`CacheStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use relink_ports::{
    CacheStore, HostSchedule, StoreError, StoredControl, StoredPattern, StoredRevival, StoredRobots,
};

use super::{SqliteStore, claims, controls, pages, revive};

#[async_trait]
impl CacheStore for SqliteStore {
    async fn control(
        &self,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<StoredControl>, StoreError> {
        self.perform("reading a control", |db| controls::control(db, key, since))
    }

    async fn save_controls(&self, controls: &[StoredControl]) -> Result<(), StoreError> {
        self.transact("saving controls", |db| controls::save_controls(db, controls))
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
}
