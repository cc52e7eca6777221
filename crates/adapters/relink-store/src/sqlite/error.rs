//! What SQLite says, in our words.

use std::path::Path;

use relink_ports::StoreError;
use rusqlite::ErrorCode;
use thiserror::Error;

/// What was being done, for the message.
pub(super) type Operation = &'static str;

/// What a piece of database work comes to.
pub(super) type DbResult<T> = Result<T, DbError>;

/// Why a piece of database work failed, before it is told.
#[derive(Debug, Error)]
pub(super) enum DbError {
    /// The database said so.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    /// A stored value cannot be read back, or a value cannot be written.
    #[error(transparent)]
    Value(#[from] serde_json::Error),
    /// The store is closed.
    #[error("the database is closed")]
    Closed,
}

impl DbError {
    /// Tells it in our words.
    pub(super) fn into_store_error(self, place: &Path, doing: Operation) -> StoreError {
        let place = place.display().to_string();
        match self.code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Locked { path: place }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full { path: place },
            Some(ErrorCode::NotADatabase) => StoreError::NotRelinkDatabase { path: place },
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                StoreError::Unreachable { path: place, source: Box::new(self) }
            }
            _ => StoreError::Failed { operation: doing, source: Box::new(self) },
        }
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Database(error) => error.sqlite_error_code(),
            Self::Value(_) | Self::Closed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{LinkKind, RequestRights, RunId, SourceLocation};
    use relink_ports::{
        CacheWindow, LinkBatch, NewDocument, NewLink, NewTarget, RunKey, Store as _,
    };

    use super::*;
    use crate::SqliteStore;

    async fn start_run(store: &SqliteStore) -> RunId {
        let plan = RunKey { command: "check".to_owned(), inputs: Vec::new(), scope: String::new() };
        let run = store.open_run(&plan, false, Timestamp::UNIX_EPOCH).await;
        run.unwrap().id
    }

    fn link(n: usize) -> NewLink {
        NewLink {
            location: SourceLocation {
                span: (n..n).into(),
                line: 1,
                column: 1,
                kind: LinkKind::ListEntry,
            },
            original_url: String::new(),
            target: NewTarget::Web {
                url: format!("http://one.test/{n}"),
                host: "one.test".to_owned(),
                rights: RequestRights::discovered(),
            },
            fragment: None,
            ignored_codes: Vec::new(),
        }
    }

    /// Loads a document with more links than a few pages hold.
    async fn load(store: &SqliteStore, run: RunId) -> Result<(), StoreError> {
        let links: Vec<NewLink> = (0..1000).map(link).collect();
        let document = NewDocument { label: "a.md".to_owned(), content: 1 };
        let batch = LinkBatch {
            document: store.load_document(run, &document).await?.id,
            first: 0,
            links: &links,
            cache_window: CacheWindow { now: Timestamp::UNIX_EPOCH, fresh_since: Timestamp::MAX },
        };
        store.add_links(run, batch).await
    }

    fn allow_pages(store: &SqliteStore, pages: u32) {
        let limit = format!("PRAGMA max_page_count = {pages}");
        let done = store.perform("limiting", |db| Ok(db.execute_batch(&limit)?));
        done.unwrap();
    }

    #[tokio::test]
    async fn a_full_disk_is_said_and_leaves_nothing_half_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("relink.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let run = start_run(&store).await;
        // SQLite takes this for as many as there are now.
        allow_pages(&store, 1);
        let error = load(&store, run).await.unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error:?}");

        allow_pages(&store, u32::MAX - 1);
        assert_eq!(store.run_stats(run).await.unwrap().links, 0);
        load(&store, run).await.unwrap();
        drop(store);

        let store = SqliteStore::open(&path).await.unwrap();
        assert_eq!(store.run_stats(run).await.unwrap().links, 1000);
    }
}
