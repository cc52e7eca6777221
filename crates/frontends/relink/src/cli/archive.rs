//! Arguments of `relink archive`.
//!
//! WARC is the file format of web archives, CDXJ the format of their indexes. pywb is a
//! program that serves and records web archives.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{
    CheckArgs, CheckReviveArgs, DocumentArgs, FindingArgs, GateArgs, RequestArgs, WalkArgs,
};

/// Arguments of `relink archive`.
#[derive(Debug, Args)]
pub struct ArchiveArgs {
    /// Files, directories, globs, URLs of web pages, or `-` for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// Save the pages without a copy as a WARC file with a CDXJ index in this
    /// directory; pages that its files already contain count as archived
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
    /// Submit the pages without a copy to an archive: the root of one with Save Page Now
    /// (its key is read from `RELINK_SAVE_KEY`), or `pywb:URL` for a collection of pywb in
    /// record mode
    #[arg(long, value_name = "ARCHIVE", conflicts_with = "save")]
    pub submit: Option<String>,
    /// Write the archived copies into the attributes of HTML links: `data-originalurl`,
    /// `data-versionurl` and `data-versiondate`
    #[arg(long)]
    pub robust: bool,
    /// With `--robust`: print the changes as a diff and change no file
    #[arg(long, requires = "robust")]
    pub dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ArchiveFormat,
    /// Web archive to query: the base URL of one with the API of the Wayback
    /// Machine, `pywb:URL` for a pywb collection, or `none`; may be repeated
    /// [default: <https://web.archive.org>]
    #[arg(
        long,
        value_name = "ARCHIVE",
        env = "RELINK_ARCHIVE",
        hide_env_values = true,
        value_delimiter = ','
    )]
    pub archive: Vec<String>,
    /// WARC or CDXJ file to search, or a directory of such files; may be
    /// repeated
    #[arg(long, value_name = "FILE")]
    pub warc: Vec<PathBuf>,
    /// Check only URLs that match a regular expression or a glob; may be
    /// repeated
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Skip URLs and documents that match; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Database file [default: one per project in your data directory]
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
    /// Configuration file to use instead of the project's `relink.toml`
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// Document options.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// Output formats of `relink archive`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ArchiveFormat {
    /// Text: the pages without a copy, and the counts
    Human,
    /// One JSON document
    Json,
}

impl ArchiveArgs {
    /// Returns the arguments of the check that finds the live pages.
    pub fn into_check_args(self) -> CheckArgs {
        CheckArgs {
            walk: WalkArgs::default(),
            findings: FindingArgs::default(),
            gate: GateArgs::default(),
            inputs: self.inputs,
            format: None,
            output: Vec::new(),
            include: self.include,
            exclude: self.exclude,
            offline: false,
            decay: false,
            fresh: false,
            fail_on: None,
            db: self.db,
            config: self.config,
            documents: self.documents,
            revive: CheckReviveArgs {
                revive: true,
                archive: self.archive,
                warc: self.warc,
                ..CheckReviveArgs::default()
            },
            request: self.request,
        }
    }
}
