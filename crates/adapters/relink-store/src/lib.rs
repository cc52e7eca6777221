//! Store adapters: SQLite for one process, PostgreSQL for any number of workers.
//!
//! Both pass the conformance suite of relink-testkit. This crate stores and
//! reads data; it does not judge results and does not use HTTP.

mod database_url;
#[cfg(feature = "postgres")]
mod postgres;
mod redaction;
mod sqlite;
mod values;

pub use database_url::{is_database_url, redact_database_url};
#[cfg(feature = "postgres")]
pub use postgres::{
    ParsePostgresUrlError, PostgresStore, PostgresUrl, QUEUE_STATEMENTS, QueueStatements,
};
pub use sqlite::SqliteStore;
