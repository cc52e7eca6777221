//! What do we remember? The `Store` port over SQLite.
//!
//! Both databases share one schema and one set of rules; each engine has its
//! own folder here and its own migrations beside `src/`. This crate stores and
//! finds; it judges nothing and knows no HTTP.

mod sqlite;

pub use sqlite::SqliteStore;
