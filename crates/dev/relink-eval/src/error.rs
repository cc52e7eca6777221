//! Errors of an evaluation.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// An error that stops an evaluation.
#[derive(Debug, Error)]
pub enum EvalError {
    /// A file cannot be read or written.
    #[error("`{0}`: {1}")]
    File(PathBuf, #[source] io::Error),
    /// A line of a data set is invalid.
    #[error("`{0}`, line {1}: {2}")]
    Line(PathBuf, usize, #[source] serde_json::Error),
    /// The policy is unknown.
    #[error("unknown policy `{0}` (expected `default`, `sic-transit`, `fable` or `status`)")]
    Policy(String),
    /// The fetcher cannot be created.
    #[error("cannot create the fetcher: {0}")]
    Setup(#[from] relink_fetch::SetupError),
    /// A file is not a model of this version.
    #[error("`{0}` is not a model for the features of this version")]
    Model(PathBuf),
    /// A graph file is invalid or does not match the other files.
    #[error("`{0}`: {1}")]
    Graph(PathBuf, String),
    /// The answers of the oracle cannot be read.
    #[error("cannot read an answer of the oracle: {0}")]
    Input(#[source] io::Error),
    /// An answer of the oracle is not 0 or 1.
    #[error("invalid answer of the oracle: `{0}` (expected 0 or 1)")]
    Answer(String),
    /// An archive file cannot be read.
    #[error(transparent)]
    Archive(#[from] relink_ports::ArchiveError),
    /// A database cannot be read.
    #[error(transparent)]
    Store(#[from] relink_ports::StoreError),
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}
