//! Why a use case could not go on. A dead link is never among these.

use relink_ports::{FileFault, StoreFault};
use thiserror::Error;

/// A use case failed; what was found until then is in the store.
#[derive(Debug, Error)]
pub enum EngineFault {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// An input cannot be read.
    #[error(transparent)]
    Files(#[from] FileFault),
    /// Work is left, but nothing is scheduled that could do it.
    #[error("the run stalled: {outstanding} URLs are left, and no request, retry or wait is due")]
    Stalled {
        /// URLs without a result.
        outstanding: u64,
    },
    /// Results could not be written.
    #[error("cannot write results")]
    Output(#[from] std::io::Error),
}
