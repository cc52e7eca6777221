//! Opening the file: the lock, the schema, and leases left by a dead process.

use std::path::Path;
use std::time::Duration;

use relink_ports::StoreFault;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteLockingMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};
use tokio::sync::Mutex;

use super::{SqliteStore, fault};

/// How long a second process waits for the first.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// "RLNK", so that another program's database is not taken for ours.
const APPLICATION_ID: i64 = 0x524c_4e4b;

/// The schema, step by step. Only ever append.
const MIGRATIONS: [&str; 1] = [include_str!("../../migrations/sqlite/0001_spine.sql")];

impl SqliteStore {
    /// Opens the store in this file, creating it if need be.
    ///
    /// The process holds the file exclusively until the store is dropped. A
    /// second process waits five seconds and is then told that it is in use.
    pub async fn open(path: &Path) -> Result<Self, StoreFault> {
        Self::open_with(path, LOCK_WAIT).await
    }

    /// Opens the store like [`SqliteStore::open`], but waits only so long for
    /// another process that holds the file.
    pub async fn open_with(path: &Path, wait: Duration) -> Result<Self, StoreFault> {
        if is_strangers(path).await {
            let place = path.display().to_string();
            return Err(StoreFault::NotOurs { place });
        }
        let translate = |fault| fault::translate(path, "opening", fault);
        let mut connection = options(path, wait).connect().await.map_err(translate)?;
        take_lock(&mut connection).await.map_err(translate)?;
        migrate(&mut connection, path).await?;
        void_leases(&mut connection).await.map_err(translate)?;
        Ok(Self {
            place: path.to_owned(),
            connection: Mutex::new(connection),
        })
    }

    /// Closes the file in an orderly way. Dropping is safe too, but leaves the
    /// write-ahead log to be folded in by whoever opens the file next.
    pub async fn close(self) -> Result<(), StoreFault> {
        let place = self.place;
        let closed = self.connection.into_inner().close().await;
        closed.map_err(|fault| fault::translate(&place, "closing", fault))
    }
}

/// Whether the file is another program's database.
///
/// Opening it as ours would switch its journal for good, so this looks at the
/// file's head alone, without a lock and without a write. A file that cannot
/// be looked at is left for the real opening to speak about. One with neither
/// name nor schema may be ours, made a moment before its process was killed.
async fn is_strangers(path: &Path) -> bool {
    match name_and_schema(path).await {
        Ok((0, schema)) => schema != 0,
        Ok((application, _)) => application != APPLICATION_ID,
        Err(_) => false,
    }
}

/// The application the file names itself for, and the count of changes to its
/// schema, as far as they are not in the write-ahead log alone.
async fn name_and_schema(path: &Path) -> Result<(i64, i64), sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(true)
        .disable_statement_logging();
    let mut connection = options.connect().await?;
    let found = sqlx::query_as(
        "SELECT application_id, schema_version FROM pragma_application_id, pragma_schema_version",
    )
    .fetch_one(&mut connection)
    .await;
    connection.close().await?;
    found
}

fn options(path: &Path, wait: Duration) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .busy_timeout(wait)
        .locking_mode(SqliteLockingMode::Exclusive)
        .journal_mode(SqliteJournalMode::Wal)
        // With a write-ahead log this survives any death of the process; only
        // a power cut may lose the last moments, never the file.
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(false)
        .pragma("temp_store", "memory")
        .pragma("cache_size", "-8000")
        .disable_statement_logging()
}

/// In exclusive mode the first write takes the lock and keeps it.
async fn take_lock(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::raw_sql("BEGIN IMMEDIATE; COMMIT;")
        .execute(connection)
        .await?;
    Ok(())
}

async fn migrate(connection: &mut SqliteConnection, path: &Path) -> Result<(), StoreFault> {
    let translate = |fault| fault::translate(path, "preparing the schema", fault);
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let found = schema_version(connection).await.map_err(translate)?;
    let place = || path.display().to_string();
    match found {
        None => return Err(StoreFault::NotOurs { place: place() }),
        Some(found) if found > known => {
            return Err(StoreFault::Newer {
                place: place(),
                found,
                known,
            });
        }
        Some(found) => {
            for (version, step) in (1..).zip(MIGRATIONS).skip_while(|(n, _)| *n <= found) {
                apply(connection, version, step).await.map_err(translate)?;
            }
        }
    }
    Ok(())
}

/// The file's schema, 0 for an empty one, `None` if it is another program's.
async fn schema_version(connection: &mut SqliteConnection) -> Result<Option<i64>, sqlx::Error> {
    let (application, version, tables): (i64, i64, i64) = sqlx::query_as(
        "SELECT (SELECT application_id FROM pragma_application_id),
                (SELECT user_version FROM pragma_user_version),
                (SELECT count(*) FROM sqlite_schema)",
    )
    .fetch_one(connection)
    .await?;
    let is_ours = application == APPLICATION_ID || (application == 0 && tables == 0);
    Ok(is_ours.then_some(version))
}

async fn apply(
    connection: &mut SqliteConnection,
    version: i64,
    step: &str,
) -> Result<(), sqlx::Error> {
    let script = format!(
        "BEGIN; {step}; PRAGMA application_id = {APPLICATION_ID}; \
         PRAGMA user_version = {version}; COMMIT;"
    );
    // The script is made of our own constants alone.
    sqlx::raw_sql(AssertSqlSafe(script))
        .execute(connection)
        .await?;
    Ok(())
}

/// Whoever holds the file is alone: leases of an earlier process are void.
/// Raising the number fences off results that process might still bring.
async fn void_leases(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE host SET lease_until = 0, lease_no = lease_no + 1 WHERE lease_until > 0")
        .execute(connection)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{Place, PlaceKind, RunId};
    use relink_ports::{LinkBatch, NewDocument, NewLink, NewTarget, RunPlan};

    use super::*;

    async fn start_run(store: &SqliteStore) -> RunId {
        let plan = RunPlan {
            command: "check".to_owned(),
            inputs: Vec::new(),
            scope: String::new(),
        };
        let run = store.open_run(&plan, false, Timestamp::UNIX_EPOCH).await;
        run.unwrap().id
    }

    /// Loads a document with more links than a few pages hold.
    async fn load(store: &SqliteStore, run: RunId) -> Result<(), StoreFault> {
        let link = |n: usize| NewLink {
            place: Place {
                span: (n..n).into(),
                line: 1,
                column: 1,
                kind: PlaceKind::Line,
            },
            given: String::new(),
            target: NewTarget::Web {
                url: format!("http://one.test/{n}"),
                host: "one.test".to_owned(),
                is_named: true,
            },
        };
        let links: Vec<NewLink> = (0..1000).map(link).collect();
        let document = NewDocument {
            label: "a.md".to_owned(),
            content: 1,
        };
        let batch = LinkBatch {
            document: store.load_document(run, &document).await?.id,
            first: 0,
            links: &links,
            now: Timestamp::UNIX_EPOCH,
            fresh_since: Timestamp::MAX,
        };
        store.add_links(run, batch).await
    }

    async fn allow_pages(store: &SqliteStore, pages: i64) {
        let limit = format!("PRAGMA max_page_count = {pages}");
        sqlx::raw_sql(AssertSqlSafe(limit))
            .execute(&mut *store.connection().await)
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn a_full_disk_is_said_and_leaves_nothing_half_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("relink.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let run = start_run(&store).await;
        // SQLite takes this for as many as there are now.
        allow_pages(&store, 1).await;
        let fault = load(&store, run).await.unwrap_err();
        assert!(matches!(fault, StoreFault::Full { .. }), "{fault:?}");

        allow_pages(&store, i64::from(u32::MAX)).await;
        assert_eq!(store.tally(run).await.unwrap().links, 0);
        load(&store, run).await.unwrap();
        store.close().await.unwrap();

        let store = SqliteStore::open(&path).await.unwrap();
        assert_eq!(store.tally(run).await.unwrap().links, 1000);
    }
}
