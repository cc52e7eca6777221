//! Opens the file: takes the lock, verifies or creates the schema, and revokes
//! the leases of a crashed process.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::{Duration, Instant};

use relink_ports::StoreError;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use tempfile::TempDir;

use super::SqliteStore;
use super::error::{DbError, DbResult};
use super::wal::WalSyncer;

/// The default wait for another process to close the file.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// "RLNK", which distinguishes Relink databases from databases of other programs.
const APPLICATION_ID: i64 = 0x524c_4e4b;

/// The version of [`SCHEMA`]. Databases with lower versions cannot be opened.
pub(super) const SCHEMA_VERSION: i64 = 13;

/// The schema version of a new, empty database file.
pub(super) const EMPTY_SCHEMA_VERSION: i64 = 0;

/// The tables of runs, tasks and results.
const SCHEMA: &str = include_str!("../../schema.sql");

/// The tables of collections.
const COLLECTIONS_SCHEMA: &str = include_str!("../../collections.sql");

/// The size of the cache of prepared statements. It is larger than the number of
/// statements.
const STATEMENT_CACHE_CAPACITY: usize = 128;

/// The name of this operation in error messages.
const OPERATION: &str = "opening";

impl SqliteStore {
    /// Opens the store in this file, creating the file if it does not exist.
    ///
    /// The process locks the file until the store is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`StoreError::Locked`] if another process holds the lock for
    /// more than 5 seconds.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, LOCK_WAIT).await
    }

    /// Opens the store, waiting up to `wait` for another process to close it.
    pub async fn open_with(path: &Path, wait: Duration) -> Result<Self, StoreError> {
        let owned_path = path.to_owned();
        // Opening can block, so it runs on another thread.
        let opened = tokio::task::spawn_blocking(move || open_with_retry(&owned_path, wait)).await;
        let connection = opened.map_err(|error| StoreError::Unreachable {
            path: path.display().to_string(),
            source: Box::new(error),
        })??;
        Ok(Self::new(path, connection, None))
    }

    /// Creates a store from an open connection.
    pub(super) fn new(
        path: &Path,
        connection: Connection,
        temporary_copy: Option<TempDir>,
    ) -> Self {
        let wal_syncer = WalSyncer::new(path);
        let connection = Mutex::new(Some(connection));
        let batched_steps = AtomicUsize::new(0);
        Self {
            path: path.to_owned(),
            connection,
            is_released: AtomicBool::new(false),
            batched_steps,
            wal_syncer,
            _temporary_copy: temporary_copy,
        }
    }
}

/// Opens the file, retrying until it is unlocked or `wait` has passed.
///
/// SQLite's busy timeout cannot be used: a connection holds its read lock while it waits
/// for the write lock, so two processes that open the file at the same time would block
/// each other. Instead, a failed attempt releases all locks, and the next attempt follows
/// after a varying pause.
pub(super) fn open_with_retry(path: &Path, wait: Duration) -> Result<Connection, StoreError> {
    let started = Instant::now();
    loop {
        let opened = open(path);
        let waited = started.elapsed();
        if !matches!(opened, Err(StoreError::Locked { .. })) || waited >= wait {
            return opened;
        }
        // A cheap random number of 0 to 7 milliseconds.
        let jitter = u64::from(waited.subsec_micros() % 8);
        std::thread::sleep(Duration::from_millis(1 + jitter).min(wait.saturating_sub(waited)));
    }
}

/// Opens the file once, without waiting for the lock.
fn open(path: &Path) -> Result<Connection, StoreError> {
    let to_store_error = |error: DbError| error.into_store_error(path, OPERATION);
    if is_foreign_file(path) {
        return Err(StoreError::NotRelinkDatabase { path: path.display().to_string() });
    }
    let mut connection = connect(path).map_err(to_store_error)?;
    // Verify the schema before the first write, because the file may belong to
    // another program.
    let stored_version = schema_version(&connection).map_err(to_store_error)?;
    let version = check_version(path, stored_version)?;
    acquire_lock(&connection).map_err(to_store_error)?;
    if version == EMPTY_SCHEMA_VERSION {
        create_schema(&mut connection).map_err(to_store_error)?;
    }
    revoke_leases(&connection).map_err(to_store_error)?;
    Ok(connection)
}

/// Returns the schema version of a usable file, which is [`SCHEMA_VERSION`] or
/// [`EMPTY_SCHEMA_VERSION`].
pub(super) fn check_version(path: &Path, version: Option<i64>) -> Result<i64, StoreError> {
    let (path, known) = (path.display().to_string(), SCHEMA_VERSION);
    match version {
        None => Err(StoreError::NotRelinkDatabase { path }),
        Some(found @ (EMPTY_SCHEMA_VERSION | SCHEMA_VERSION)) => Ok(found),
        Some(found) if found > known => Err(StoreError::SchemaTooNew { path, found, known }),
        Some(found) => Err(StoreError::SchemaTooOld { path, found, known }),
    }
}

/// Whether the file has exactly one byte. SQLite treats such a file as empty,
/// and reports an error for any other file that is not a database.
///
/// Does not open the file: on POSIX systems, closing it would release the lock
/// of a store that this process has open.
fn is_foreign_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == 1)
}

/// Connects in exclusive mode: the first lock is held until the connection is
/// closed.
fn connect(path: &Path) -> DbResult<Connection> {
    let connection = Connection::open(path)?;
    configure(&connection)?;
    connection.execute_batch("PRAGMA locking_mode = exclusive;")?;
    Ok(connection)
}

/// Applies the settings of all connections.
pub(super) fn configure(connection: &Connection) -> DbResult<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
    connection.busy_timeout(Duration::ZERO)?;
    // QPSG is SQLite's query planner stability guarantee: query plans do not depend on
    // bound values. Otherwise, every new value would prepare its statement again.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Takes the lock. In exclusive mode, the first write locks the file until the
/// connection is closed.
fn acquire_lock(connection: &Connection) -> DbResult<()> {
    // A checkpoint copies the write-ahead log into the database, here every 2,000 pages.
    // More frequent checkpoints write the same pages repeatedly. Less frequent checkpoints block
    // the dispatcher for so long that all requests in flight end meanwhile. With a
    // write-ahead log, `synchronous = normal` survives a crash of the process. A power
    // failure can lose the last transactions, but cannot corrupt the file.
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

/// Creates the tables in an empty database.
fn create_schema(connection: &mut Connection) -> DbResult<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    transaction.execute_batch(COLLECTIONS_SCHEMA)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.commit()?;
    Ok(())
}

/// Returns the schema version of the file, [`EMPTY_SCHEMA_VERSION`] for a new file, and `None`
/// for the database of another program.
pub(super) fn schema_version(connection: &Connection) -> DbResult<Option<i64>> {
    let (application, version, tables): (i64, i64, i64) = connection.query_row(
        "SELECT (SELECT application_id FROM pragma_application_id),
                (SELECT user_version FROM pragma_user_version),
                (SELECT count(*) FROM sqlite_schema)",
        (),
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let is_relink = application == APPLICATION_ID || (application == 0 && tables == 0);
    Ok(is_relink.then_some(version))
}

/// Revokes the leases of earlier processes, which cannot be running while this process
/// holds the lock. The new fencing tokens make the store reject late results of the
/// earlier processes.
fn revoke_leases(connection: &Connection) -> DbResult<()> {
    connection.execute(
        "UPDATE host SET lease_until = 0, fencing_token = fencing_token + 1 WHERE lease_until > 0",
        (),
    )?;
    Ok(())
}
