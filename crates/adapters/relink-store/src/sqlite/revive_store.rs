//! The part of the store that remembers where dead pages went.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::Word;
use relink_ports::{DeadTarget, KeptLesson, KeptRevival, ReviveStore, StoreFault, TextChange};

use super::{SqliteStore, revive};

#[async_trait]
impl ReviveStore for SqliteStore {
    async fn dead_target(&self, url: &str) -> Result<Option<DeadTarget>, StoreFault> {
        self.perform("reading a dead page", |db| revive::dead_target(db, url))
    }

    async fn dead_targets(
        &self,
        words: &[Word],
        after: &str,
        limit: usize,
    ) -> Result<Vec<DeadTarget>, StoreFault> {
        self.perform("reading dead pages", |db| revive::dead_targets(db, words, after, limit))
    }

    async fn revival(&self, url: &str) -> Result<Option<KeptRevival>, StoreFault> {
        self.perform("reading a revival", |db| revive::revival(db, url))
    }

    async fn revivals(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<KeptRevival>, StoreFault> {
        self.perform("reading revivals", |db| revive::revivals(db, prefix, after, limit))
    }

    async fn keep_revivals(&self, revivals: &[KeptRevival]) -> Result<(), StoreFault> {
        self.transact("keeping revivals", |db| revive::keep_revivals(db, revivals))
    }

    async fn lesson(&self, directory: &str) -> Result<Option<KeptLesson>, StoreFault> {
        self.perform("reading a pattern", |db| revive::lesson(db, directory))
    }

    async fn lessons(&self) -> Result<Vec<KeptLesson>, StoreFault> {
        self.perform("listing patterns", revive::lessons)
    }

    async fn keep_lesson(&self, lesson: &KeptLesson) -> Result<i64, StoreFault> {
        self.transact("keeping a pattern", |db| revive::keep_lesson(db, lesson))
    }

    async fn disable_lesson(&self, id: i64, is_disabled: bool) -> Result<bool, StoreFault> {
        self.perform("switching a pattern", |db| revive::disable_lesson(db, id, is_disabled))
    }

    async fn search(&self, key: &str, since: Timestamp) -> Result<Option<String>, StoreFault> {
        self.perform("reading search results", |db| revive::search(db, key, since))
    }

    async fn keep_search(&self, key: &str, hits: &str, now: Timestamp) -> Result<(), StoreFault> {
        self.perform("keeping search results", |db| revive::keep_search(db, key, hits, now))
    }

    async fn text_changes(&self, after: i64, limit: usize) -> Result<Vec<TextChange>, StoreFault> {
        self.perform("reading the texts of pages", |db| revive::text_changes(db, after, limit))
    }

    async fn last_look(&self) -> Result<i64, StoreFault> {
        self.perform("reading the number of the last look", revive::last_look)
    }

    async fn edition(&self) -> Result<String, StoreFault> {
        self.perform("reading the edition", revive::edition)
    }

    async fn live_pages(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<(String, Option<String>)>, StoreFault> {
        self.perform("listing live pages", |db| revive::live_pages(db, prefix, after, limit))
    }
}
