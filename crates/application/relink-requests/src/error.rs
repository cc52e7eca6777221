//! Errors that end a use case. A dead link is not an error.

use relink_ports::{FileError, StoreError};
use serde::Serialize;
use thiserror::Error;

/// An error that ends a use case. Earlier results are in the store.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An input cannot be read.
    #[error(transparent)]
    Files(#[from] FileError),
    /// Tasks are left, but nothing is scheduled.
    #[error("the run stalled: {outstanding} URLs are left, and no request, retry or wait is due")]
    Stalled {
        /// URLs without a result.
        outstanding: u64,
    },
    /// Results could not be written.
    #[error("cannot write results")]
    Output(#[from] std::io::Error),
    /// A record could not be written as JSON.
    #[error("cannot write a record as JSON")]
    Record(#[from] serde_json::Error),
}

/// Serializes a record for the store. An error ends the run, because an empty
/// record would be read as valid.
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, EngineError> {
    Ok(serde_json::to_string(value)?)
}
