//! `archive --submit`: requests that an archive saves live pages without a copy.
//!
//! The archive starts a *job* for each submitted page. Jobs run in the archive while
//! further pages are submitted. A job that is not finished is recorded in a log, and the
//! next run polls its result instead of submitting the page again.

use std::time::Duration;

use jiff::Timestamp;
use relink_ports::{ArchiveError, ArchiveJobState, ArchiveSubmission, SubmissionLog};
use tokio::time::sleep;
use url::{Host, Url};

use crate::archive::{CopyState, LivePage};
use relink_requests::{EngineError, Ports, StopSignal};

/// Maximum number of jobs that the archive runs at once for one account.
const MAX_OPEN_JOBS: usize = 6;

/// Maximum number of times that unfinished jobs are polled at the end of a run.
const MAX_POLLS: u32 = 60;

/// Maximum wait for an archive that limits the rate.
const MAX_PAUSE: Duration = Duration::from_mins(10);

/// Settings of submissions.
#[derive(Debug, Clone, Copy)]
pub struct SubmitSettings {
    /// Whether pages that only the local network can reach are submitted. A public archive
    /// cannot save them, and must not learn their URLs.
    pub includes_private: bool,
    /// The wait between two polls of unfinished jobs.
    pub poll_interval: Duration,
}

/// A job that is not finished.
struct OpenJob {
    /// The index of the page.
    page: usize,
    /// The id that the archive gave to the job.
    job: String,
}

/// Submits pages, and waits for their jobs.
struct Submitter<'a> {
    ports: &'a Ports,
    archive: &'a dyn ArchiveSubmission,
    log: &'a mut dyn SubmissionLog,
    settings: SubmitSettings,
    open_jobs: Vec<OpenJob>,
}

/// Submits the pages without a copy. `progress` receives the number of pages submitted and
/// their total.
///
/// # Errors
///
/// Fails if the log cannot be written.
pub async fn submit_pages(
    ports: &Ports,
    archive: &dyn ArchiveSubmission,
    log: &mut dyn SubmissionLog,
    settings: SubmitSettings,
    pages: &mut [LivePage],
    progress: &mut (dyn FnMut(usize, usize) + Send),
    stop: &StopSignal,
) -> Result<(), EngineError> {
    let missing: Vec<usize> = pages
        .iter()
        .enumerate()
        .filter(|(_, page)| page.copy == CopyState::Missing)
        .map(|(index, _)| index)
        .collect();
    let mut submitter = Submitter { ports, archive, log, settings, open_jobs: Vec::new() };
    for (submitted, index) in missing.iter().enumerate() {
        progress(submitted, missing.len());
        while submitter.open_jobs.len() >= MAX_OPEN_JOBS && !stop.is_stopped() {
            sleep(settings.poll_interval).await;
            submitter.poll(pages).await?;
        }
        if stop.is_stopped() || !submitter.submit(pages, *index).await? {
            break;
        }
    }
    for _ in 0..MAX_POLLS {
        if submitter.open_jobs.is_empty() || stop.is_stopped() {
            break;
        }
        submitter.poll(pages).await?;
        if !submitter.open_jobs.is_empty() {
            sleep(settings.poll_interval).await;
        }
    }
    submitter.report_open(pages);
    Ok(())
}

impl Submitter<'_> {
    /// Submits a page, unless an earlier run has submitted it and its job is open. Returns
    /// whether further pages can be submitted.
    async fn submit(&mut self, pages: &mut [LivePage], index: usize) -> Result<bool, EngineError> {
        let Some(page) = pages.get_mut(index) else { return Ok(true) };
        if !self.settings.includes_private && !is_public(&page.url) {
            page.copy = CopyState::NotSaved("the host is not public".to_owned());
            return Ok(true);
        }
        if let Some(job) = self.log.job(&page.url) {
            self.open_jobs.push(OpenJob { page: index, job });
            return Ok(true);
        }
        let mut state = self.archive.submit(&page.url).await;
        if let Err(error) = &state
            && let Some(pause) = error.until().and_then(|until| self.pause(until))
        {
            // The archive limits the rate for a short time.
            sleep(pause).await;
            state = self.archive.submit(&page.url).await;
        }
        match state {
            Ok(ArchiveJobState::Pending { job }) => {
                self.log.begin(&page.url, &job)?;
                self.open_jobs.push(OpenJob { page: index, job });
            }
            Ok(state) => page.copy = self.copy_state(state),
            Err(error) => {
                page.copy = CopyState::NotSaved(error.to_string());
                // A rate limit applies to the other pages, too.
                let is_final = matches!(
                    error,
                    ArchiveError::RateLimited { .. } | ArchiveError::BudgetExhausted { .. }
                );
                return Ok(!is_final);
            }
        }
        Ok(true)
    }

    /// Returns the wait until a time, if it is at most [`MAX_PAUSE`].
    fn pause(&self, until: Timestamp) -> Option<Duration> {
        let pause = Duration::try_from(until.duration_since(self.ports.now())).unwrap_or_default();
        (pause <= MAX_PAUSE).then_some(pause)
    }

    /// Polls the results of all unfinished jobs.
    async fn poll(&mut self, pages: &mut [LivePage]) -> Result<(), EngineError> {
        for OpenJob { page: index, job } in std::mem::take(&mut self.open_jobs) {
            let Some(page) = pages.get_mut(index) else { continue };
            match self.archive.poll(&job).await {
                // After an error, the job is polled again.
                Ok(ArchiveJobState::Pending { .. }) | Err(_) => {
                    self.open_jobs.push(OpenJob { page: index, job });
                }
                Ok(state) => {
                    page.copy = self.copy_state(state);
                    self.log.finish(&page.url)?;
                }
            }
        }
        Ok(())
    }

    fn copy_state(&self, state: ArchiveJobState) -> CopyState {
        match state {
            ArchiveJobState::Saved { captured_at, replay_url } => CopyState::Submitted {
                archive: self.archive.name().to_owned(),
                captured_at: captured_at.unwrap_or_else(|| self.ports.now()),
                replay_url,
            },
            ArchiveJobState::Failed(reason) => CopyState::NotSaved(reason),
            ArchiveJobState::Pending { job } => CopyState::NotSaved(unfinished(&job)),
        }
    }

    /// Reports the jobs that are still not finished.
    fn report_open(&self, pages: &mut [LivePage]) {
        for OpenJob { page, job } in &self.open_jobs {
            if let Some(page) = pages.get_mut(*page) {
                page.copy = CopyState::NotSaved(unfinished(job));
            }
        }
    }
}

/// Returns the reason of a page whose job is not finished.
fn unfinished(job: &str) -> String {
    format!("the archive has not finished the job {job}; the next run asks for its result")
}

/// Whether the host of a URL can be on the public web, and the URL has no credentials.
fn is_public(url: &Url) -> bool {
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    let is_public = match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            let local_suffixes = [".local", ".localhost", ".internal", ".lan", ".home.arpa"];
            name.contains('.') && !local_suffixes.iter().any(|suffix| name.ends_with(suffix))
        }
        Some(Host::Ipv4(ip)) => !(ip.is_private() || ip.is_loopback() || ip.is_link_local()),
        Some(Host::Ipv6(ip)) => !(ip.is_loopback() || ip.is_unique_local()),
        None => false,
    };
    is_public && !has_credentials
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_public_rejects_local_hosts_and_urls_with_credentials() {
        for (url, expected) in [
            ("https://example.org/a", true),
            ("https://user:word@example.org/a", false),
            ("http://intranet/a", false),
            ("http://wiki.internal/a", false),
            ("http://10.0.0.1/a", false),
            ("http://127.0.0.1/a", false),
            ("http://[::1]/a", false),
        ] {
            assert_eq!(is_public(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
