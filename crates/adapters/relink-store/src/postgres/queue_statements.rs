//! The statements of the work queue, for benchmarks that run them without this
//! crate.

use super::{claims, commit, result_writer, runs};

/// The statements that a worker runs to claim hosts, commit results and release
/// the hosts, in this order.
#[derive(Debug, Clone, Copy)]
pub struct QueueStatements {
    /// Leases hosts.
    pub lease: &'static str,
    /// Returns the first tasks of the leased hosts.
    pub first_tasks: &'static str,
    /// Verifies and locks the leases of results.
    pub lock_hosts: &'static str,
    /// Reserves the ids of new probes.
    pub probe_ids: &'static str,
    /// Stores probes.
    pub insert_probes: &'static str,
    /// Returns the generation of the run.
    pub generation: &'static str,
    /// Stores results.
    pub insert_results: &'static str,
    /// Marks tasks as finished.
    pub finish_tasks: &'static str,
    /// Ends leases.
    pub release: &'static str,
    /// Locks the rows of the released hosts.
    pub lock_run_hosts: &'static str,
    /// Updates the statistics and due times in these rows.
    pub add_stats: &'static str,
}

/// The statements of this version.
pub const QUEUE_STATEMENTS: QueueStatements = QueueStatements {
    lease: claims::LEASE_HOSTS,
    first_tasks: claims::FIRST_TASKS,
    lock_hosts: commit::LOCK_HOSTS,
    probe_ids: commit::RESERVE_PROBE_IDS,
    insert_probes: commit::INSERT_PROBES,
    generation: runs::SELECT_GENERATION,
    insert_results: result_writer::INSERT_RESULTS,
    finish_tasks: result_writer::FINISH_TASKS,
    release: claims::RELEASE_HOSTS,
    lock_run_hosts: claims::LOCK_RUN_HOSTS,
    add_stats: claims::ADD_STATS,
};
