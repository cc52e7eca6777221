//! Why a use case could not go on. A dead link is never among these.

use relink_ports::{FileError, StoreError};
use serde::Serialize;
use thiserror::Error;

/// A use case failed; what was found until then is in the store.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An input cannot be read.
    #[error(transparent)]
    Files(#[from] FileError),
    /// Work is left, but nothing is scheduled that could do it.
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

/// Writes a record as it is stored. An error ends the run: an empty record
/// would be read as one that says nothing.
pub(crate) fn record<T: Serialize + ?Sized>(value: &T) -> Result<String, EngineError> {
    Ok(serde_json::to_string(value)?)
}
