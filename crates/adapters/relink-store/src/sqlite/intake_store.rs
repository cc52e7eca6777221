//! The implementation of [`IntakeStore`].

use async_trait::async_trait;
use relink_model::RunId;
use relink_ports::{
    CacheWindow, CommitSummary, DocumentId, IntakeStore, LinkBatch, LoadedDocument, MissingAnchor,
    NewDocument, NewPage, StoreError,
};

use super::{SqliteStore, anchors, loading, pages};

#[async_trait]
impl IntakeStore for SqliteStore {
    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreError> {
        self.batch("loading a document", |db| loading::load_document(db, run, document))
    }

    async fn document_hash(&self, run: RunId, label: &str) -> Result<Option<u64>, StoreError> {
        self.perform("reading a document", |db| loading::document_hash(db, run, label))
    }

    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreError> {
        self.batch("storing links", |db| loading::add_links(db, run, &batch))
    }

    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreError> {
        self.batch("loading a document", |db| loading::finish_document(db, document))
    }

    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreError> {
        self.transact("finishing the loading", |db| loading::finish_loading(db, run, documents))
    }

    async fn add_pages(
        &self,
        run: RunId,
        pages: &[NewPage],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError> {
        self.transact("storing pages", |db| pages::add(db, run, pages, cache_window))
    }

    async fn add_missing_anchors(
        &self,
        run: RunId,
        missing: &[MissingAnchor],
        cache_window: CacheWindow,
    ) -> Result<u64, StoreError> {
        self.transact("storing missing anchors", |db| {
            anchors::add_missing(db, run, missing, cache_window)
        })
    }
}
