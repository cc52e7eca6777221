//! The implementation of [`IntakeStore`].

use async_trait::async_trait;
use relink_model::RunId;
use relink_ports::{
    CacheWindow, CommitSummary, DocumentId, IntakeStore, LinkBatch, LoadedDocument, MissingAnchor,
    NewDocument, NewPage, StoreError,
};

use super::{PostgresStore, anchors, loading, pages, perform, transact};

#[async_trait]
impl IntakeStore for PostgresStore {
    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreError> {
        transact!(self, "loading a document", |db| loading::load_document(db, run, document))
    }

    async fn document_hash(&self, run: RunId, label: &str) -> Result<Option<u64>, StoreError> {
        perform!(self, "reading a document", |db| loading::document_hash(db, run, label))
    }

    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreError> {
        transact!(self, "storing links", |db| loading::add_links(db, run, &batch))
    }

    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreError> {
        perform!(self, "loading a document", |db| loading::finish_document(db, document))
    }

    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreError> {
        transact!(self, "finishing the loading", |db| loading::finish_loading(db, run, documents))
    }

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
