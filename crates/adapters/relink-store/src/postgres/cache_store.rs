//! The implementation of [`CacheStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use relink_ports::{
    BudgetStore, CacheStore, HostSchedule, StoreError, StoredControl, StoredPattern, StoredRevival,
    StoredRobots,
};

use super::{PostgresStore, claims, controls, perform, revive, site, transact};

#[async_trait]
impl CacheStore for PostgresStore {
    async fn control(
        &self,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<StoredControl>, StoreError> {
        perform!(self, "reading a control", |db| controls::control(db, key, since))
    }

    async fn save_controls(&self, controls: &[StoredControl]) -> Result<(), StoreError> {
        transact!(self, "saving controls", |db| controls::save_controls(db, controls))
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
}

#[async_trait]
impl BudgetStore for PostgresStore {
    async fn try_spend(&self, service: &str, day: i64, budget: u32) -> Result<bool, StoreError> {
        perform!(self, "counting a request", |db| revive::try_spend(db, service, day, budget))
    }
}
