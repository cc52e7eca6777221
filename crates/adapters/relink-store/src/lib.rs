//! Store adapters: SQLite for one process, PostgreSQL for any number of workers.
//!
//! The tables are described in `schema.sql`. The traits of relink-ports define the effect
//! of each operation. Both stores pass the conformance suite of relink-testkit. This
//! crate stores and reads data. It does not judge results and does not use HTTP.
//!
//! Terms of this crate:
//!
//! - A task is *pending* (to fetch), *held* (fetched, not judged yet) or *finished*.
//! - A target is *reached* if its content was fetched.
//! - A *generation* is a number that grows when a run is started or resumed. It
//!   orders the results of a target.
//! - A lease has a *fencing token*, which grows with every lease of the host.
//!   Results with an old token are rejected.

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
