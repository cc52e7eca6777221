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
        let translate = |fault| fault::translate(path, "opening", fault);
        let mut connection = options(path).connect().await.map_err(translate)?;
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

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .busy_timeout(LOCK_WAIT)
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
