//! The store in a PostgreSQL database, shared by any number of workers.
//!
//! Hosts are claimed with `FOR NO KEY UPDATE SKIP LOCKED`, so that workers do not wait
//! for each other. Every operation is one short transaction, which is repeated if the
//! connection is lost. Statements that write many rows receive one array per column.

mod addresses;
mod anchors;
mod cache_store;
mod claims;
mod clock;
mod commit;
mod connection;
mod controls;
mod decay;
mod error;
mod history;
mod intake_store;
mod links;
mod loading;
mod maintenance;
mod pages;
mod queue_statements;
mod result_store;
mod result_writer;
mod results;
mod revive;
mod rows;
mod run_store;
mod runs;
mod session;
mod site;
mod tasks;
mod tls;
mod url;
mod work_queue;
mod workers;

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};

use relink_ports::{Clock, Store, StoreError};
use tokio::sync::Mutex;

pub use self::queue_statements::{QUEUE_STATEMENTS, QueueStatements};
pub use self::url::{ParsePostgresUrlError, PostgresUrl};

use self::clock::ClockOffset;
use self::session::Session;
use self::tls::MakeTls;

/// The schema that contains the tables.
const DEFAULT_SCHEMA: &str = "relink";

/// Runs `work` in a transaction and commits it if `work` succeeds. Waits for
/// the database and repeats the transaction if the connection is lost.
///
/// A macro, because an async closure cannot promise that its future is `Send`.
macro_rules! transact {
    ($store:expr, $operation:expr, |$db:ident| $work:expr) => {{
        let mut retries = crate::postgres::connection::Retries::default();
        loop {
            let mut guard = $store.session().await?;
            let Some(session) = guard.as_mut() else { continue };
            let crate::postgres::session::Session { client, statements } = session;
            let outcome = async {
                let transaction = client.transaction().await?;
                let db = crate::postgres::session::Db::in_transaction(&transaction, statements);
                let $db = &db;
                let outcome = $work.await?;
                transaction.commit().await?;
                crate::postgres::error::DbResult::Ok(outcome)
            }
            .await;
            drop(guard);
            match outcome {
                Ok(outcome) => break Ok(outcome),
                Err(error) => $store.wait_or_fail(error, &mut retries, $operation).await?,
            }
        }
    }};
}
use transact;

/// Runs `work` without a transaction. Otherwise like `transact!`.
macro_rules! perform {
    ($store:expr, $operation:expr, |$db:ident| $work:expr) => {{
        let mut retries = crate::postgres::connection::Retries::default();
        loop {
            let guard = $store.session().await?;
            let Some(session) = guard.as_ref() else { continue };
            let db = session.db();
            let $db = &db;
            let outcome: crate::postgres::error::DbResult<_> = $work.await;
            drop(guard);
            match outcome {
                Ok(outcome) => break Ok(outcome),
                Err(error) => $store.wait_or_fail(error, &mut retries, $operation).await?,
            }
        }
    }};
}
use perform;

/// A store in a PostgreSQL database.
pub struct PostgresStore {
    url: PostgresUrl,
    schema: String,
    tls: MakeTls,
    /// The clock of the caller, or `None` if its times are used as they are.
    clock: Option<Arc<dyn Clock>>,
    /// The time of the database minus the time of `clock`, in milliseconds.
    offset: AtomicI64,
    session: Mutex<Option<Session>>,
    is_closed: AtomicBool,
    /// The id of this process in the table of workers. The id is zero before its first
    /// use.
    worker: AtomicI64,
    /// The number of results that this process has committed. The heartbeat contains it.
    results: AtomicI64,
    /// The runs that this process has opened.
    owned_runs: SyncMutex<Vec<i64>>,
    /// The bucket (group of hosts) in which the next search for hosts starts.
    next_bucket: AtomicI64,
}

impl Store for PostgresStore {}

impl PostgresStore {
    /// Opens the store, and creates its tables in the schema `relink` if they do not
    /// exist. Leases use the clock of the database. `clock` is the clock of the caller,
    /// whose times are converted.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be reached or has another schema version.
    pub async fn open(url: PostgresUrl, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let store = Self::open_in_schema(url, DEFAULT_SCHEMA, Some(clock)).await?;
        store.update_clock().await?;
        Ok(store)
    }

    /// Opens the store in this schema. Without a clock, the times of the caller are
    /// stored without conversion. Tests need this for their virtual time.
    pub async fn open_in_schema(
        url: PostgresUrl,
        schema: &str,
        clock: Option<Arc<dyn Clock>>,
    ) -> Result<Self, StoreError> {
        let tls = connection::tls_client(&url.to_string())?;
        let store = Self {
            url,
            schema: schema.replace('"', ""),
            tls,
            clock,
            offset: AtomicI64::new(0),
            session: Mutex::new(None),
            is_closed: AtomicBool::new(false),
            worker: AtomicI64::new(0),
            results: AtomicI64::new(0),
            owned_runs: SyncMutex::new(Vec::new()),
            next_bucket: AtomicI64::new(0),
        };
        // Connect once: `session` would wait five minutes for a server that may never
        // have existed.
        let session = store.connect().await;
        let session =
            session.map_err(|error| error.into_store_error(&store.url.to_string(), "opening"))?;
        *store.session.lock().await = Some(session);
        store.prepare_schema().await?;
        Ok(store)
    }

    /// Closes the connection. Later calls fail.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        if let Ok(mut session) = self.session.try_lock() {
            drop(session.take());
        }
    }

    fn owned_runs(&self) -> Vec<i64> {
        self.owned_runs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
