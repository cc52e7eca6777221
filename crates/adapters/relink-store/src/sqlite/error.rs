//! Internal errors of the SQLite store and their conversion to [`StoreError`].

use std::path::Path;

use relink_ports::StoreError;
use rusqlite::ErrorCode;
use thiserror::Error;

/// The operation named in an error message, such as `storing results`.
pub(super) type Operation = &'static str;

/// The result of a database operation.
pub(super) type DbResult<T> = Result<T, DbError>;

/// An error of a database operation.
#[derive(Debug, Error)]
pub(super) enum DbError {
    /// An error of SQLite.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    /// A JSON value cannot be written or parsed.
    #[error(transparent)]
    Value(#[from] serde_json::Error),
    /// The store is closed.
    #[error("the database is closed")]
    Closed,
}

impl DbError {
    /// Converts the error to the error type of the port.
    pub(super) fn into_store_error(self, path: &Path, operation: Operation) -> StoreError {
        let path = path.display().to_string();
        match self.sqlite_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Locked { path }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            Some(ErrorCode::NotADatabase) => StoreError::NotRelinkDatabase { path },
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                StoreError::Unreachable { path, source: Box::new(self) }
            }
            _ => StoreError::Failed { operation, source: Box::new(self) },
        }
    }

    /// Returns the error code of SQLite.
    fn sqlite_code(&self) -> Option<ErrorCode> {
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
        CacheWindow, IntakeStore as _, LinkBatch, NewDocument, NewLink, NewTarget, RunKey,
        RunStore as _,
    };

    use super::*;
    use crate::SqliteStore;

    /// Opens a run of `relink check` and returns its id.
    async fn start_run(store: &SqliteStore) -> RunId {
        let key = RunKey { command: "check".to_owned(), inputs: Vec::new(), scope: String::new() };
        let run = store.open_run(&key, false, Timestamp::UNIX_EPOCH).await;
        run.unwrap().id
    }

    /// Returns a link to the page with this number.
    fn link(number: usize) -> NewLink {
        NewLink {
            location: SourceLocation {
                span: (number..number).into(),
                line: 1,
                column: 1,
                kind: LinkKind::ListEntry,
            },
            original_url: String::new(),
            target: NewTarget::Web {
                url: format!("http://one.test/{number}"),
                host: "one.test".to_owned(),
                rights: RequestRights::discovered(),
            },
            fragment: None,
            ignored_codes: Vec::new(),
        }
    }

    /// Loads a document with 1000 links, which need several database pages.
    async fn load_document_with_links(store: &SqliteStore, run: RunId) -> Result<(), StoreError> {
        let links: Vec<NewLink> = (0..1000).map(link).collect();
        let document = NewDocument { label: "a.md".to_owned(), content_hash: 1, revision: None };
        let batch = LinkBatch {
            document: store.load_document(run, &document).await?.id,
            first_position: 0,
            links: &links,
            cache_window: CacheWindow { now: Timestamp::UNIX_EPOCH, fresh_since: Timestamp::MAX },
        };
        store.add_links(run, batch).await
    }

    /// Limits the size of the database, as a full disk does.
    fn limit_database_pages(store: &SqliteStore, pages: u32) {
        let limit = format!("PRAGMA max_page_count = {pages}");
        let result = store.perform("limiting", |db| Ok(db.execute_batch(&limit)?));
        result.unwrap();
    }

    #[tokio::test]
    async fn full_disk_is_reported_and_rolls_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("relink.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let run = start_run(&store).await;
        // SQLite raises a limit of one page to the current number of pages, so that no
        // page can be added.
        limit_database_pages(&store, 1);
        let error = load_document_with_links(&store, run).await.unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error:?}");

        limit_database_pages(&store, u32::MAX - 1);
        assert_eq!(store.run_stats(run).await.unwrap().links, 0);
        load_document_with_links(&store, run).await.unwrap();
        drop(store);

        let store = SqliteStore::open(&path).await.unwrap();
        assert_eq!(store.run_stats(run).await.unwrap().links, 1000);
    }
}
