//! The store in memory: cached controls, robots.txt files, revivals, patterns, searches
//! and budgets.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_ports::{
    BudgetStore, CacheStore, DecayStore, HostSchedule, StoreError, StoredControl, StoredDecay,
    StoredPattern, StoredRevival, StoredRobots,
};

use super::MemoryStore;

#[async_trait]
impl CacheStore for MemoryStore {
    async fn control(
        &self,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<StoredControl>, StoreError> {
        let control = self.tables().await.controls.get(key).cloned();
        Ok(control.filter(|control| control.probe.requested_at >= since))
    }

    async fn save_controls(&self, controls: &[StoredControl]) -> Result<(), StoreError> {
        let mut state = self.tables().await;
        for control in controls {
            let stored = state.controls.get(&control.key);
            if stored.is_none_or(|stored| stored.probe.requested_at <= control.probe.requested_at) {
                state.controls.insert(control.key.clone(), control.clone());
            }
        }
        Ok(())
    }

    async fn robots(
        &self,
        origin: &str,
        since: Timestamp,
    ) -> Result<Option<StoredRobots>, StoreError> {
        let robots = self.tables().await.robots.get(origin).cloned();
        Ok(robots.filter(|robots| robots.requested_at >= since))
    }

    async fn save_robots(&self, robots: &StoredRobots) -> Result<(), StoreError> {
        self.tables().await.robots.insert(robots.origin.clone(), robots.clone());
        Ok(())
    }

    async fn host_schedule(&self, host: &str) -> Result<Option<HostSchedule>, StoreError> {
        let state = self.tables().await;
        let id = state.host_ids.get(host);
        Ok(id.and_then(|id| state.host(*id)).map(|host| host.schedule))
    }

    async fn save_host_schedule(
        &self,
        host: &str,
        schedule: &HostSchedule,
    ) -> Result<(), StoreError> {
        let mut state = self.tables().await;
        let id = state.host_id(host);
        if let Some(host) = state.host_mut(id) {
            let address = schedule.address.or(host.schedule.address);
            host.schedule = HostSchedule { address, ..*schedule };
        }
        Ok(())
    }

    async fn revival(&self, url: &str) -> Result<Option<StoredRevival>, StoreError> {
        Ok(self.tables().await.revivals.get(url).cloned())
    }

    async fn revivals(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<StoredRevival>, StoreError> {
        let state = self.tables().await;
        let matching = state
            .revivals
            .values()
            .filter(|revival| revival.url.starts_with(prefix) && revival.url.as_str() > after);
        Ok(matching.take(limit).cloned().collect())
    }

    async fn save_revivals(&self, revivals: &[StoredRevival]) -> Result<(), StoreError> {
        let mut state = self.tables().await;
        for revival in revivals {
            state.revivals.insert(revival.url.clone(), revival.clone());
        }
        Ok(())
    }

    async fn pattern(&self, directory: &str) -> Result<Option<StoredPattern>, StoreError> {
        let state = self.tables().await;
        Ok(state.patterns.iter().find(|pattern| pattern.directory == directory).cloned())
    }

    async fn patterns(&self) -> Result<Vec<StoredPattern>, StoreError> {
        Ok(self.tables().await.patterns.clone())
    }

    async fn save_pattern(&self, pattern: &StoredPattern) -> Result<i64, StoreError> {
        let mut state = self.tables().await;
        let existing =
            state.patterns.iter_mut().find(|stored| stored.directory == pattern.directory);
        if let Some(existing) = existing {
            let (id, is_disabled) = (existing.id, existing.is_disabled);
            *existing = StoredPattern { id, is_disabled, ..pattern.clone() };
            return Ok(id);
        }
        let id = state.patterns.last().map_or(0, |last| last.id) + 1;
        state.patterns.push(StoredPattern { id, is_disabled: false, ..pattern.clone() });
        Ok(id)
    }

    async fn disable_pattern(&self, id: i64, is_disabled: bool) -> Result<bool, StoreError> {
        let mut state = self.tables().await;
        let pattern = state.patterns.iter_mut().find(|pattern| pattern.id == id);
        Ok(pattern.map(|pattern| pattern.is_disabled = is_disabled).is_some())
    }

    async fn search(&self, key: &str, since: Timestamp) -> Result<Option<String>, StoreError> {
        let cached = self.tables().await.searches.get(key).cloned();
        Ok(cached.filter(|(requested_at, _)| *requested_at >= since).map(|(_, hits)| hits))
    }

    async fn cache_search(&self, key: &str, hits: &str, now: Timestamp) -> Result<(), StoreError> {
        self.tables().await.searches.insert(key.to_owned(), (now, hits.to_owned()));
        Ok(())
    }
}

#[async_trait]
impl DecayStore for MemoryStore {
    async fn save_decay(&self, scores: &[StoredDecay]) -> Result<(), StoreError> {
        let mut state = self.tables().await;
        for score in scores {
            state.decay.insert((score.url.clone(), score.measured_at), score.clone());
        }
        Ok(())
    }

    async fn decay_history(&self, urls: &[String]) -> Result<Vec<StoredDecay>, StoreError> {
        let state = self.tables().await;
        Ok(state.decay.values().filter(|score| urls.contains(&score.url)).cloned().collect())
    }

    async fn decayed_pages(&self, min_decay: f64) -> Result<Vec<StoredDecay>, StoreError> {
        let state = self.tables().await;
        // The scores are sorted by URL and time.
        let scores: Vec<&StoredDecay> = state.decay.values().collect();
        let by_page = scores.chunk_by(|score, next| score.url == next.url);
        let latest = by_page.filter_map(<[_]>::last);
        Ok(latest.filter(|score| score.decay >= min_decay).map(|score| (*score).clone()).collect())
    }
}

#[async_trait]
impl BudgetStore for MemoryStore {
    async fn try_spend(&self, service: &str, day: i64, budget: u32) -> Result<bool, StoreError> {
        let mut state = self.tables().await;
        let (last_day, requests) = state.usage.entry(service.to_owned()).or_default();
        if day > *last_day {
            (*last_day, *requests) = (day, 0);
        }
        let is_allowed = *requests < budget;
        *requests += u32::from(is_allowed);
        Ok(is_allowed)
    }
}
