//! Opening the file: the lock, the schema, and leases left by a dead process.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use relink_ports::StoreError;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use tempfile::TempDir;

use super::SqliteStore;
use super::error::{DbError, DbResult};
use super::wal::WalSyncer;

/// How long a second process waits for the first.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// "RLNK", so that another program's database is not taken for ours.
const APPLICATION_ID: i64 = 0x524c_4e4b;

/// The schema, step by step. Only ever append.
pub(super) const MIGRATIONS: [&str; 9] = [
    include_str!("../../migrations/sqlite/0001_spine.sql"),
    include_str!("../../migrations/sqlite/0002_judge.sql"),
    include_str!("../../migrations/sqlite/0003_crawl.sql"),
    include_str!("../../migrations/sqlite/0004_revive.sql"),
    include_str!("../../migrations/sqlite/0005_places.sql"),
    include_str!("../../migrations/sqlite/0006_services.sql"),
    include_str!("../../migrations/sqlite/0007_outcomes.sql"),
    include_str!("../../migrations/sqlite/0008_pace.sql"),
    include_str!("../../migrations/sqlite/0009_named_targets.sql"),
];

/// Prepared statements kept; more than there are.
const STATEMENTS: usize = 128;

const DOING: &str = "opening";

impl SqliteStore {
    /// Opens the store in this file, creating it if need be.
    ///
    /// The process holds the file exclusively until the store is dropped. A
    /// second process waits five seconds and is then told that it is in use.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, LOCK_WAIT).await
    }

    /// Opens the store, waiting so long for another process that holds it.
    pub async fn open_with(path: &Path, wait: Duration) -> Result<Self, StoreError> {
        let place = path.to_owned();
        // The only statement that may wait, so it waits elsewhere.
        let opened = tokio::task::spawn_blocking(move || open_in_turn(&place, wait)).await;
        let connection = opened.map_err(|error| StoreError::Unreachable {
            path: path.display().to_string(),
            source: Box::new(error),
        })??;
        Ok(Self::new(path, connection, None))
    }

    /// A store over an open connection.
    pub(super) fn new(path: &Path, connection: Connection, copy: Option<TempDir>) -> Self {
        let log = WalSyncer::of(path);
        let connection = Mutex::new(Some(connection));
        Self { path: path.to_owned(), connection, log, _copy: copy }
    }
}

/// Opens the file once it is free.
///
/// SQLite's own waiting does not do here: whoever opens a file keeps its read
/// lock while it waits for the write lock, so two at the same moment would
/// stand in each other's way. Instead each lets go of everything and comes
/// back after an uneven pause.
pub(super) fn open_in_turn(path: &Path, wait: Duration) -> Result<Connection, StoreError> {
    let began = Instant::now();
    loop {
        let opened = open(path);
        let waited = began.elapsed();
        if !matches!(opened, Err(StoreError::Locked { .. })) || waited >= wait {
            return opened;
        }
        let uneven = u64::from(waited.subsec_micros() % 8);
        std::thread::sleep(Duration::from_millis(1 + uneven).min(wait.saturating_sub(waited)));
    }
}

fn open(path: &Path) -> Result<Connection, StoreError> {
    let told = |trouble: DbError| trouble.into_store_error(path, DOING);
    let place = || path.display().to_string();
    if is_foreign_file(path) {
        return Err(StoreError::NotRelinkDatabase { path: place() });
    }
    let mut connection = connect(path).map_err(told)?;
    // Nothing is written before it is clear whose file this is.
    let Some(found) = schema_version(&connection).map_err(told)? else {
        return Err(StoreError::NotRelinkDatabase { path: place() });
    };
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if found > known {
        return Err(StoreError::SchemaTooNew { path: place(), found, known });
    }
    take_lock(&connection).map_err(told)?;
    migrate(&mut connection, found).map_err(told)?;
    revoke_leases(&connection).map_err(told)?;
    Ok(connection)
}

/// Whether there is a file of one byte, which SQLite takes for an empty one;
/// of any other it says itself whether it is a database.
///
/// The file is not opened for this: on POSIX systems closing it again would
/// drop the lock of a store that this process has open.
fn is_foreign_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == 1)
}

fn connect(path: &Path) -> DbResult<Connection> {
    let connection = Connection::open(path)?;
    configure(&connection)?;
    connection.execute_batch("PRAGMA locking_mode = exclusive;")?;
    Ok(connection)
}

/// Settings of every connection.
pub(super) fn configure(connection: &Connection) -> DbResult<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.busy_timeout(Duration::ZERO)?;
    // Plans must not depend on bound values, or every new value would have its
    // statement prepared again.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// In exclusive mode the first write takes the lock and keeps it.
fn take_lock(connection: &Connection) -> DbResult<()> {
    // A checkpoint every 2,000 pages: smaller ones write the same pages again and
    // again, and while a larger one waits for the disk, the requests that are
    // out come to an end.
    // With a write-ahead log `synchronous = normal` survives any death of the
    // process; only a power cut may lose the last moments, never the file.
    connection.execute_batch(
        "PRAGMA page_size = 8192;
         PRAGMA journal_mode = wal;
         PRAGMA synchronous = normal;
         PRAGMA foreign_keys = off;
         PRAGMA temp_store = memory;
         PRAGMA cache_size = -8000;
         PRAGMA wal_autocheckpoint = 2000;
         BEGIN IMMEDIATE;
         COMMIT;",
    )?;
    Ok(())
}

/// Brings the file up to date in one transaction: all of it or nothing.
fn migrate(connection: &mut Connection, found: i64) -> DbResult<()> {
    let transaction = connection.transaction()?;
    for (version, step) in (1..).zip(MIGRATIONS).skip_while(|(version, _)| *version <= found) {
        apply(&transaction, version, step)?;
    }
    transaction.commit()?;
    Ok(())
}

/// The file's schema, 0 for an empty one, `None` if it is another program's.
pub(super) fn schema_version(connection: &Connection) -> DbResult<Option<i64>> {
    let (application, version, tables): (i64, i64, i64) = connection.query_row(
        "SELECT (SELECT application_id FROM pragma_application_id),
                (SELECT user_version FROM pragma_user_version),
                (SELECT count(*) FROM sqlite_schema)",
        (),
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let is_ours = application == APPLICATION_ID || (application == 0 && tables == 0);
    Ok(is_ours.then_some(version))
}

fn apply(db: &Connection, version: i64, step: &str) -> DbResult<()> {
    db.execute_batch(step)?;
    db.pragma_update(None, "application_id", APPLICATION_ID)?;
    db.pragma_update(None, "user_version", version)?;
    Ok(())
}

/// Whoever holds the file is alone: leases of an earlier process are void.
/// Raising the number fences off results that process might still bring.
fn revoke_leases(connection: &Connection) -> DbResult<()> {
    connection.execute(
        "UPDATE host SET lease_until = 0, lease_no = lease_no + 1 WHERE lease_until > 0",
        (),
    )?;
    Ok(())
}
