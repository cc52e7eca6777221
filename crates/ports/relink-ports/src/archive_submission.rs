//! The port of archives that save pages on request.

use async_trait::async_trait;
use jiff::Timestamp;
use url::Url;

use crate::ArchiveError;

/// The state of a submitted page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveJobState {
    /// The archive has not saved the page yet.
    Pending {
        /// The id of the job.
        job: String,
    },
    /// The archive has saved the page.
    Saved {
        /// The time of the capture, if the archive states it.
        captured_at: Option<Timestamp>,
        /// The URL of the copy.
        replay_url: Option<Url>,
    },
    /// The archive could not save the page, for this reason.
    Failed(String),
}

/// An archive that saves pages on request.
#[async_trait]
pub trait ArchiveSubmission: Send + Sync {
    /// Returns the name shown to users.
    fn name(&self) -> &str;

    /// Requests that a page is saved.
    async fn submit(&self, url: &Url) -> Result<ArchiveJobState, ArchiveError>;

    /// Returns the state of a job. A job that the archive does not know has failed.
    async fn poll(&self, job: &str) -> Result<ArchiveJobState, ArchiveError>;
}

/// The log of submitted pages. With the log, a run that continues an interrupted run does not
/// submit a page twice.
pub trait SubmissionLog: Send {
    /// Returns the id of the job of a page that was submitted before and has no result.
    fn job(&self, url: &Url) -> Option<String>;

    /// Records that a page was submitted.
    ///
    /// # Errors
    ///
    /// Fails if the log cannot be written.
    fn begin(&mut self, url: &Url, job: &str) -> std::io::Result<()>;

    /// Records that the job of a page has a result.
    ///
    /// # Errors
    ///
    /// Fails if the log cannot be written.
    fn finish(&mut self, url: &Url) -> std::io::Result<()>;
}
