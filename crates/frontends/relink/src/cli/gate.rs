//! Flags of the gate: the rules for findings that fail a run.

use std::path::PathBuf;

use clap::Args;

/// Flags that exempt findings from failing a run.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Gate options")]
pub struct GateArgs {
    /// Fail only on links that the changes since this git revision added or broke;
    /// list the others
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// Fail only on findings that are not in this file, which `relink baseline`
    /// writes
    #[arg(long, value_name = "FILE", env = "RELINK_BASELINE", hide_env_values = true)]
    pub baseline: Option<PathBuf>,
    /// Codes and HTTP statuses that do not fail the run, separated by commas, such
    /// as `403,429,500..=599,RL520`
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub accept: Vec<String>,
    /// Codes and HTTP statuses of one host that do not fail the run; may be repeated
    #[arg(long, num_args = 2, value_names = ["HOST", "CODES"])]
    pub accept_for: Vec<String>,
}
