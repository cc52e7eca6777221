//! Arguments of the commands that set up Relink: `init`, `config` and `completions`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Arguments of `relink init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Convert the configuration of another program
    #[arg(long, value_enum, value_name = "PROGRAM")]
    pub from: Option<InitSource>,
    /// The configuration file to convert [default: lychee.toml]
    #[arg(long, value_name = "FILE", requires = "from")]
    pub file: Option<PathBuf>,
    /// Replace an existing `relink.toml`
    #[arg(long)]
    pub force: bool,
}

/// Programs whose configuration can be converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InitSource {
    /// `lychee.toml` and `.lycheeignore`
    Lychee,
}

/// Arguments of `relink config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// Subcommands of `relink config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print every setting with its value and its source
    Show {
        /// Configuration file to use instead of the project's `relink.toml`
        #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
        config: Option<PathBuf>,
    },
}

/// Arguments of `relink completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
