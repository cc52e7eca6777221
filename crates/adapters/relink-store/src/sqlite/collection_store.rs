//! The [`CollectionStore`] implementation.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_ports::{
    CollectionId, CollectionStore, CollectionUpdate, MemberEvent, MemberId, PageUpdate, StoreError,
    StoredCollection, StoredMember, StoredVersion, VersionId, WatchedPage,
};

use super::{SqliteStore, collections, watched_pages};

#[async_trait]
impl CollectionStore for SqliteStore {
    async fn collections(&self) -> Result<Vec<StoredCollection>, StoreError> {
        self.perform("listing collections", collections::collections)
    }

    async fn save_collections(&self, updates: &[CollectionUpdate]) -> Result<(), StoreError> {
        self.transact("saving collections", |db| collections::save_collections(db, updates))
    }

    async fn delete_collections(&self, ids: &[CollectionId]) -> Result<(), StoreError> {
        self.transact("deleting collections", |db| collections::delete_collections(db, ids))
    }

    async fn members(&self, ids: &[CollectionId]) -> Result<Vec<StoredMember>, StoreError> {
        self.perform("reading members", |db| collections::members(db, ids))
    }

    async fn update_members(
        &self,
        updates: &[(StoredMember, MemberEvent)],
    ) -> Result<(), StoreError> {
        self.transact("updating members", |db| collections::update_members(db, updates))
    }

    async fn member_events(&self, member: MemberId) -> Result<Vec<MemberEvent>, StoreError> {
        self.perform("reading the history", |db| collections::member_events(db, member))
    }

    async fn schedule_pages(&self, ids: &[CollectionId], now: Timestamp) -> Result<(), StoreError> {
        self.perform("scheduling pages", |db| watched_pages::schedule_pages(db, ids, now))
    }

    async fn due_pages(
        &self,
        ids: &[CollectionId],
        now: Timestamp,
        after: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        self.perform("reading due pages", |db| watched_pages::due_pages(db, ids, now, after, limit))
    }

    async fn watched_pages(&self, urls: &[String]) -> Result<Vec<WatchedPage>, StoreError> {
        self.perform("reading pages", |db| watched_pages::watched_pages(db, urls))
    }

    async fn save_watched_pages(&self, updates: &[PageUpdate]) -> Result<(), StoreError> {
        self.transact("saving pages", |db| watched_pages::save_watched_pages(db, updates))
    }

    async fn versions(&self, ids: &[VersionId]) -> Result<Vec<StoredVersion>, StoreError> {
        self.perform("reading versions", |db| watched_pages::versions(db, ids))
    }

    async fn save_keyphrases(
        &self,
        version: VersionId,
        keyphrases: &str,
    ) -> Result<(), StoreError> {
        self.perform("saving keyphrases", |db| {
            watched_pages::save_keyphrases(db, version, keyphrases)
        })
    }

    async fn version_times(&self, url: &str) -> Result<Vec<(VersionId, Timestamp)>, StoreError> {
        self.perform("reading versions", |db| watched_pages::version_times(db, url))
    }
}
