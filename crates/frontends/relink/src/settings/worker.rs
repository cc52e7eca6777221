//! Settings of `relink worker`.
//!
//! A lease is the exclusive right of a process to fetch the tasks of one host for a limited time.

use std::ops::RangeInclusive;
use std::time::Duration;

use relink_engine::{DispatchSettings, WorkerOptions};

use super::{RunSettings, current_dir, read_files, request_flags};
use crate::cli::WorkerArgs;
use crate::config::Config;
use crate::database::{check_file_name, server_url};
use crate::error::CommandError;

/// Accepted durations of leases.
const LEASE_RANGE: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(1);

/// The settings of `relink worker`.
pub struct WorkerPlan {
    /// Settings of the connection and of requests.
    pub run: RunSettings,
    /// Requests in flight, and the duration of leases.
    pub options: WorkerOptions,
    /// Whether the worker exits when no run has a task.
    pub until_idle: bool,
}

impl WorkerPlan {
    /// Merges the flags, the environment and the configuration files.
    pub fn resolve(args: WorkerArgs) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(args.config.as_deref(), &dir)?;
        let config = Config { db: args.db, ..request_flags(args.request) }.over(files);
        let concurrency = super::dispatch_settings(&config, super::DAY).concurrency;
        let run = RunSettings::new(config, &dir, Vec::new(), Vec::new())?;
        check_file_name(&run.db)?;
        if server_url(&run.db).is_none() {
            return Err(CommandError::usage("a worker needs a PostgreSQL database")
                .cause("an SQLite file is used by one process at a time")
                .hint("use `--db postgres://USER@HOST/DATABASE`"));
        }
        let lease = args.lease.map_or(DispatchSettings::LEASE, |lease| lease.0);
        if !LEASE_RANGE.contains(&lease) {
            return Err(CommandError::usage("a lease lasts 1 second to 1 hour")
                .cause("`--lease` has another value")
                .hint("use a value such as `--lease 25s`"));
        }
        let options = WorkerOptions { concurrency, lease };
        Ok(Self { run, options, until_idle: args.until_idle })
    }
}
