//! What SQLite says, in our words.

use std::path::Path;

use relink_ports::StoreFault;
use rusqlite::ErrorCode;
use thiserror::Error;

/// What was being done, for the message.
pub(super) type Doing = &'static str;

/// What a piece of database work comes to.
pub(super) type Outcome<T> = Result<T, Trouble>;

/// Why a piece of database work failed, before it is told.
#[derive(Debug, Error)]
pub(super) enum Trouble {
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

impl Trouble {
    /// Tells it in our words.
    pub(super) fn told(self, place: &Path, doing: Doing) -> StoreFault {
        let place = place.display().to_string();
        match self.code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreFault::InUse { place }
            }
            Some(ErrorCode::DiskFull) => StoreFault::Full { place },
            Some(ErrorCode::NotADatabase) => StoreFault::NotOurs { place },
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                StoreFault::Unreachable { place, source: Box::new(self) }
            }
            _ => StoreFault::Failed { doing, source: Box::new(self) },
        }
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Database(fault) => fault.sqlite_error_code(),
            Self::Value(_) | Self::Closed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{Place, PlaceKind, RequestRights, RunId};
    use relink_ports::{LinkBatch, Moments, NewDocument, NewLink, NewTarget, RunPlan, Store as _};

    use super::*;
    use crate::SqliteStore;

    async fn start_run(store: &SqliteStore) -> RunId {
        let plan =
            RunPlan { command: "check".to_owned(), inputs: Vec::new(), scope: String::new() };
        let run = store.open_run(&plan, false, Timestamp::UNIX_EPOCH).await;
        run.unwrap().id
    }

    fn link(n: usize) -> NewLink {
        NewLink {
            place: Place { span: (n..n).into(), line: 1, column: 1, kind: PlaceKind::Line },
            given: String::new(),
            target: NewTarget::Web {
                url: format!("http://one.test/{n}"),
                host: "one.test".to_owned(),
                rights: RequestRights::discovered(),
            },
            fragment: None,
            hidden: Vec::new(),
        }
    }

    /// Loads a document with more links than a few pages hold.
    async fn load(store: &SqliteStore, run: RunId) -> Result<(), StoreFault> {
        let links: Vec<NewLink> = (0..1000).map(link).collect();
        let document = NewDocument { label: "a.md".to_owned(), content: 1 };
        let batch = LinkBatch {
            document: store.load_document(run, &document).await?.id,
            first: 0,
            links: &links,
            moments: Moments { now: Timestamp::UNIX_EPOCH, fresh_since: Timestamp::MAX },
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
        let fault = load(&store, run).await.unwrap_err();
        assert!(matches!(fault, StoreFault::Full { .. }), "{fault:?}");

        allow_pages(&store, u32::MAX - 1);
        assert_eq!(store.tally(run).await.unwrap().links, 0);
        load(&store, run).await.unwrap();
        drop(store);

        let store = SqliteStore::open(&path).await.unwrap();
        assert_eq!(store.tally(run).await.unwrap().links, 1000);
    }
}
