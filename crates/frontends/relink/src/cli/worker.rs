//! Arguments of `relink worker`, which fetches pages for the checks of other processes.

use std::path::PathBuf;

use clap::Args;

use super::RequestArgs;
use crate::duration_arg::DurationArg;

/// Arguments of `relink worker`.
#[derive(Debug, Args)]
#[command(after_help = "\
A worker joins every unfinished `relink check` in the database and fetches its \
pages. It uses the rate limits of the check. Start any number of workers, on any \
number of machines. SIGTERM ends a worker after its requests in flight.")]
pub struct WorkerArgs {
    /// Database, a URL `postgres://…`
    #[arg(long, value_name = "URL", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
    /// Exit when no run has a task, instead of waiting for new runs
    #[arg(long)]
    pub until_idle: bool,
    /// Time after which other workers take over the hosts of a worker that was
    /// killed or stopped [default: 25s]
    #[arg(long, value_name = "DURATION")]
    pub lease: Option<DurationArg>,
    /// Configuration file to use instead of the project's `relink.toml`
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}
