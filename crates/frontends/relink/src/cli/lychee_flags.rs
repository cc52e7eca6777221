//! Flags of `relink check` that lychee, another link checker, also has.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Which files are read, how many redirects are followed, and exit codes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Walk options")]
pub struct WalkArgs {
    /// Also check the inputs in this file, one per line; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// Also read hidden files and directories
    #[arg(long)]
    pub hidden: bool,
    /// Also read hidden files, files that `.gitignore` and `.ignore` exclude, test data, and
    /// copies of dependencies
    #[arg(long)]
    pub no_ignore: bool,
    /// Extensions of the files to read in directories, separated by commas, such as `md,html`
    /// [default: all document formats]
    #[arg(long, value_delimiter = ',', value_name = "EXTS")]
    pub extensions: Option<Vec<String>>,
    /// Maximum number of redirects to follow [default: 20]
    #[arg(long, value_name = "N", env = "RELINK_MAX_REDIRECTS", hide_env_values = true)]
    pub max_redirects: Option<usize>,
    /// Meaning of the exit codes; `lychee`: 2 for findings, 3 for usage errors, 1 for
    /// other errors
    #[arg(long, value_enum, value_name = "STYLE", default_value_t = ExitCodesArg::Relink)]
    pub exit_codes: ExitCodesArg,
}

/// The meaning of the exit codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ExitCodesArg {
    /// 1 for findings, 2 for usage errors
    #[default]
    Relink,
    /// 2 for findings, 3 for usage errors, 1 for other errors
    Lychee,
}

impl ExitCodesArg {
    /// Returns the exit code of the process.
    pub const fn code(self, exit: crate::error::Exit) -> u8 {
        use crate::error::Exit;
        match (self, exit) {
            (Self::Lychee, Exit::Findings) => 2,
            (Self::Lychee, Exit::Usage) => 3,
            (Self::Lychee, Exit::Inconclusive | Exit::InternalError) => 1,
            // The values of `Exit` are the codes of Relink.
            (_, exit) => exit as u8,
        }
    }
}
