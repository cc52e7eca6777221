//! Errors of the store.

use thiserror::Error;

/// An error of the database.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process has locked the file.
    #[error("the database `{path}` is in use by another process")]
    Locked {
        /// The file.
        path: String,
    },
    /// The file was written by a newer version of Relink.
    #[error(
        "the database `{path}` was written by a newer version of Relink (schema {found}, supported: {known})"
    )]
    SchemaTooNew {
        /// The file.
        path: String,
        /// The schema version of the file.
        found: i64,
        /// The schema version of this build.
        known: i64,
    },
    /// The file was written by a development version of Relink.
    #[error(
        "the database `{path}` was written by a development version of Relink (schema {found}, supported: {known})"
    )]
    SchemaTooOld {
        /// The file.
        path: String,
        /// The schema version of the file.
        found: i64,
        /// The schema version of this build.
        known: i64,
    },
    /// The file is not a Relink database.
    #[error("`{path}` is not a Relink database")]
    NotRelinkDatabase {
        /// The file.
        path: String,
    },
    /// The file cannot be opened.
    #[error("cannot open the database `{path}`")]
    Unreachable {
        /// The file.
        path: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another process works on the run.
    #[error("the run is in progress in another process")]
    RunInUse,
    /// The disk is full.
    #[error("disk full while writing the database `{path}`")]
    Full {
        /// The file.
        path: String,
    },
    /// A statement failed, or a stored value is invalid.
    #[error("database error while {operation}")]
    Failed {
        /// The operation that failed.
        operation: &'static str,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
