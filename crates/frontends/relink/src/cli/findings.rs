//! Flags that select how findings are listed.

use clap::{Args, ValueEnum};

/// How findings are listed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Report options")]
pub struct FindingArgs {
    /// How findings are grouped in the human report [default: cause]
    #[arg(long, value_enum, value_name = "GROUP", env = "RELINK_GROUP_BY", hide_env_values = true)]
    pub group_by: Option<GroupByArg>,
    /// Order of the findings in the human report [default: file]
    #[arg(long, value_enum, value_name = "ORDER", env = "RELINK_SORT", hide_env_values = true)]
    pub sort: Option<SortArg>,
    /// Maximum number of findings in the human report; `0` lists all [default: 50;
    /// with `--verbose` all]
    #[arg(long, value_name = "N", env = "RELINK_MAX_FINDINGS", hide_env_values = true)]
    pub max_findings: Option<usize>,
}

/// The grouping of findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupByArg {
    /// One block per cause: a missing page, directory or host
    #[default]
    Cause,
    /// One line per link, below its file
    File,
    /// One line per URL, below its host
    Host,
    /// One line per URL, below its code
    Code,
}

/// The order of findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SortArg {
    /// By document and position
    #[default]
    File,
    /// Most links first
    Links,
    /// By code
    Code,
    /// By URL
    Url,
}
