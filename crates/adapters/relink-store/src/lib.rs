//! SQLite implementation of the `Store` port.
//!
//! The schema is in `schema.sql`. This crate stores and reads data; it does not
//! judge results and does not use HTTP.

mod sqlite;

pub use sqlite::SqliteStore;
