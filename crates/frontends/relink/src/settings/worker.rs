//! Settings of `relink worker`.

use super::{RunSettings, current_dir, read_files, request_flags};
use crate::cli::WorkerArgs;
use crate::config::Config;
use crate::database::server_url;
use crate::error::CommandError;

/// A resolved `relink worker`.
pub struct WorkerPlan {
    /// Settings of the connection and of requests.
    pub run: RunSettings,
    /// Maximum number of requests in flight.
    pub concurrency: usize,
    /// Whether to exit when no run has a task.
    pub until_idle: bool,
}

impl WorkerPlan {
    /// Merges all layers.
    pub fn resolve(args: WorkerArgs) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(args.config.as_deref(), &dir)?;
        let config = Config { db: args.db, ..request_flags(args.request) }.over(files);
        let concurrency = super::dispatch_settings(&config, super::DAY).concurrency;
        let run = RunSettings::new(config, &dir, Vec::new(), Vec::new())?;
        if server_url(&run.db).is_none() {
            return Err(CommandError::usage("a worker needs a PostgreSQL database")
                .cause("an SQLite file is used by one process at a time")
                .hint("use `--db postgres://USER@HOST/DATABASE`"));
        }
        Ok(Self { run, concurrency, until_idle: args.until_idle })
    }
}
