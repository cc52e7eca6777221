//! Maintenance of the database, as `relink db` performs it.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::StoreError;

/// The size of the database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Bytes on disk.
    pub bytes: u64,
    /// Stored runs.
    pub runs: u64,
    /// Stored targets.
    pub targets: u64,
    /// Stored probes.
    pub probes: u64,
}

/// The maintenance of a database.
#[async_trait]
pub trait StoreMaintenance: Send + Sync {
    /// Returns the size of the database.
    async fn size(&self) -> Result<StoreSize, StoreError>;

    /// Deletes runs that were closed before `before`, and probes from before that time.
    /// Returns the new size of the database. The current result of each target and the digest
    /// (summary) of its last reached content are not deleted.
    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreError>;

    /// Shrinks the database file.
    async fn vacuum(&self) -> Result<(), StoreError>;
}
