//! Why an evaluation could not be made.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// An evaluation could not be made.
#[derive(Debug, Error)]
pub enum EvalError {
    /// A file cannot be read or written.
    #[error("`{0}`: {1}")]
    File(PathBuf, #[source] io::Error),
    /// A line is no question.
    #[error("line {0} is no question: {1}")]
    Line(usize, #[source] serde_json::Error),
    /// There is no such policy.
    #[error("there is no policy `{0}`; there are `default`, `sic-transit`, `fable` and `status`")]
    Policy(String),
    /// The fetcher cannot be set up.
    #[error("cannot ask: {0}")]
    Setup(#[from] relink_fetch::SetupError),
    /// A file is no graph, or speaks of another one.
    #[error("`{0}`: {1}")]
    Graph(PathBuf, String),
    /// The oracle's answers cannot be read.
    #[error("cannot read an answer: {0}")]
    Input(#[source] io::Error),
    /// The oracle says something else than 0 or 1.
    #[error("`{0}` is no answer; the oracle says 0 or 1")]
    Answer(String),
    /// The answers cannot be written.
    #[error("cannot write the answers: {0}")]
    Output(#[from] io::Error),
}
