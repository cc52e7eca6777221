//! Connects, reconnects, and verifies or creates the schema.

use std::sync::atomic::Ordering;
use std::time::Duration;

use relink_ports::StoreError;
use tokio::sync::MutexGuard;
use tokio_postgres::Client;

use super::error::{DbError, DbResult, Operation};
use super::session::{Db, Session};
use super::tls::MakeTls;
use super::{ClockOffset, PostgresStore};
use crate::values::millis;

/// The version of the schema.
pub(super) const SCHEMA_VERSION: i64 = 4;

/// The tables.
const SCHEMA: &str = include_str!("schema.sql");

/// The time to wait for a database that was restarted.
const RECONNECT_TIMEOUT: Duration = Duration::from_mins(5);
/// The first pause between two attempts to connect. It doubles with each attempt.
const MIN_RECONNECT_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between two attempts to connect.
const MAX_RECONNECT_PAUSE: Duration = Duration::from_secs(2);
/// A clock is not adjusted if it differs from the clock of the database by less than this, so that a
/// time that is read and written back stays the same.
const MAX_CLOCK_DRIFT_MS: i64 = 200;

/// The name of this operation in error messages.
const OPERATION: Operation = "opening";

/// The pauses between repetitions of an operation.
#[derive(Default)]
pub(super) struct Retries {
    /// The sum of all pauses.
    waited: Duration,
    /// The last pause.
    pause: Duration,
}

impl PostgresStore {
    /// Returns the open connection. If the connection was lost, connects again and waits
    /// until the database is available.
    pub(super) async fn session(&self) -> Result<MutexGuard<'_, Option<Session>>, StoreError> {
        let mut guard = self.session.lock().await;
        if guard.as_ref().is_some_and(|session| !session.client.is_closed()) {
            return Ok(guard);
        }
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(self.unreachable_error("the store is closed"));
        }
        let mut retries = Retries::default();
        loop {
            match self.connect().await {
                Ok(session) => {
                    *guard = Some(session);
                    return Ok(guard);
                }
                Err(error) => self.wait_or_fail(error, &mut retries, OPERATION).await?,
            }
        }
    }

    /// Pauses before the operation is repeated. Returns the error if a repetition cannot
    /// succeed or the timeout has passed.
    pub(super) async fn wait_or_fail(
        &self,
        error: DbError,
        retries: &mut Retries,
        operation: Operation,
    ) -> Result<(), StoreError> {
        let can_retry = error.is_disconnected() || error.is_conflict();
        if !can_retry || retries.waited >= RECONNECT_TIMEOUT {
            return Err(error.into_store_error(&self.url.to_string(), operation));
        }
        retries.pause = (retries.pause * 2).clamp(MIN_RECONNECT_PAUSE, MAX_RECONNECT_PAUSE);
        retries.waited += retries.pause;
        tokio::time::sleep(retries.pause).await;
        Ok(())
    }

    /// Creates the error of a database that cannot be used.
    fn unreachable_error(&self, cause: &str) -> StoreError {
        StoreError::Unreachable { path: self.url.to_string(), source: cause.into() }
    }

    /// Opens a connection to a database with the current schema.
    pub(super) async fn connect(&self) -> DbResult<Session> {
        let client = self.open_client().await?;
        let session = Session::new(client);
        let db = session.db();
        db.batch(&format!(
            "SET search_path = \"{}\"; SET client_min_messages = warning;
             SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5;
             SET tcp_keepalives_count = 3; SET jit = off;",
            self.schema
        ))
        .await?;
        for run in self.owned_runs() {
            // Ignore the result: if another process has taken over the run, the store
            // rejects the commits of this process.
            lock_run(&db, run).await?;
        }
        Ok(session)
    }

    /// Connects to the server. A background task runs the connection.
    async fn open_client(&self) -> DbResult<Client> {
        let mut config = self.url.config().clone();
        config.application_name("relink");
        let (client, connection) = config.connect(self.tls.clone()).await?;
        // Ignore the result: the client reports the error.
        tokio::spawn(async move { drop(connection.await) });
        Ok(client)
    }

    /// Verifies the schema, or creates it in an empty database.
    pub(super) async fn prepare_schema(&self) -> Result<(), StoreError> {
        let guard = self.session().await?;
        let Some(session) = guard.as_ref() else { return Ok(()) };
        let version = create_or_read_version(session, &self.schema).await;
        let found =
            version.map_err(|error| error.into_store_error(&self.url.to_string(), OPERATION))?;
        let (path, known) = (self.url.to_string(), SCHEMA_VERSION);
        match found {
            SCHEMA_VERSION => Ok(()),
            found if found > known => Err(StoreError::SchemaTooNew { path, found, known }),
            found => Err(StoreError::SchemaTooOld { path, found, known }),
        }
    }

    /// Measures the difference between the clock of the caller and the clock of the database.
    pub(super) async fn update_clock(&self) -> Result<ClockOffset, StoreError> {
        let Some(clock) = &self.clock else { return Ok(ClockOffset::default()) };
        let before = clock.now();
        let row = super::perform!(self, "reading the clock", |db| db
            .query_one("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", &[]))?;
        let (database, after): (i64, _) = (row.get(0), clock.now());
        // The server read its clock between the two local times.
        let offset = database - i64::midpoint(millis(before), millis(after));
        let last = self.offset.load(Ordering::Relaxed);
        if (offset - last).abs() > MAX_CLOCK_DRIFT_MS {
            self.offset.store(offset, Ordering::Relaxed);
        }
        Ok(self.clock_offset())
    }

    /// Returns the current time of the database. Returns zero if there is no clock to
    /// convert, and the times of the caller are used.
    pub(super) fn db_now(&self) -> i64 {
        self.clock.as_ref().map_or(0, |clock| self.clock_offset().db_time(clock.now()))
    }

    /// Returns the last measured difference between the clocks of the caller and the
    /// database.
    pub(super) fn clock_offset(&self) -> ClockOffset {
        ClockOffset { millis: self.offset.load(Ordering::Relaxed) }
    }
}

/// Creates the TLS client.
pub(super) fn tls_client(database: &str) -> Result<MakeTls, StoreError> {
    MakeTls::new().map_err(|error| StoreError::Unreachable {
        path: database.to_owned(),
        source: Box::new(error),
    })
}

/// Creates the schema if it does not exist, and returns its version.
async fn create_or_read_version(session: &Session, schema: &str) -> DbResult<i64> {
    let db = session.db();
    let select_exists = "SELECT to_regclass('schema_version') IS NOT NULL";
    let exists: bool = db.query_one(select_exists, &[]).await?.get(0);
    if !exists {
        // The lock serializes processes that open a new database. The first one creates
        // the schema. The `CREATE` statements of the others fail, which is ignored if the
        // schema exists afterwards.
        let created = db
            .batch(&format!(
                "BEGIN; SELECT pg_advisory_xact_lock(hashtext('relink {schema}'));
                 CREATE SCHEMA IF NOT EXISTS \"{schema}\"; {SCHEMA}
                 INSERT INTO schema_version (version) VALUES ({SCHEMA_VERSION}); COMMIT;"
            ))
            .await;
        if let Err(error) = created {
            db.batch("ROLLBACK").await?;
            if !db.query_one(select_exists, &[]).await?.get::<_, bool>(0) {
                return Err(error);
            }
        }
    }
    Ok(db.query_one("SELECT max(version) FROM schema_version", &[]).await?.get(0))
}

/// Locks a run for this connection. Returns false if another connection has
/// locked it. The server releases the lock when the connection ends.
pub(super) async fn lock_run(db: &Db<'_>, run: i64) -> DbResult<bool> {
    let row = db
        .query_one(
            "SELECT pg_try_advisory_lock(hashtext('relink run ' || current_schema()), $1::int)",
            &[&i32::try_from(run).unwrap_or(i32::MAX)],
        )
        .await?;
    Ok(row.get(0))
}

/// Whether any connection has locked a run.
pub(super) async fn is_run_locked(db: &Db<'_>, run: i64) -> DbResult<bool> {
    let row = db
        .query_one(
            "SELECT EXISTS (
                 SELECT 1 FROM pg_locks
                 WHERE locktype = 'advisory' AND granted AND objid::bigint = $1
                   AND classid::bigint
                       = hashtext('relink run ' || current_schema())::bigint & 4294967295
                   AND database
                       = (SELECT oid FROM pg_database WHERE datname = current_database()))",
            &[&run],
        )
        .await?;
    Ok(row.get(0))
}
