//! `relink archive --submit`: requests that a web archive saves pages.
//!
//! The archive runs one job per page. Relink writes the ids of unfinished jobs to a log, so
//! that the next run polls these jobs instead of submitting the pages again.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use relink_lookup::{PywbRecorder, SavePageNow, SavePageNowSettings, ServiceLimits};
use relink_ports::{ArchiveSubmission, SubmissionLog};
use relink_repair::{CopyState, LivePage, SubmitSettings, submit_pages};
use relink_requests::{Ports, StopSignal};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::cli::GlobalArgs;
use crate::error::CommandError;
use crate::output::Steps;
use crate::wiring;

/// The environment variable with the keys of Save Page Now, the service of the Internet
/// Archive.
const KEY_VARIABLE: &str = "RELINK_SAVE_KEY";

/// The wait between two polls of jobs in a remote archive.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// The wait between two polls of jobs in an archive on this machine.
const LOCAL_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Submits the pages without a copy to an archive. `archive` is the root URL of an archive
/// with Save Page Now, or `pywb:URL` for a collection of pywb in record mode.
pub async fn submit_missing(
    ports: &Ports,
    archive: &str,
    database: &Path,
    pages: &mut [LivePage],
    global: &GlobalArgs,
    stop: &StopSignal,
) -> Result<(), CommandError> {
    if !pages.iter().any(|page| page.copy == CopyState::Missing) {
        return Ok(());
    }
    let (client, is_local) = archive_client(ports, archive)?;
    let mut log_path = database.as_os_str().to_owned();
    log_path.push(".submissions.jsonl");
    let mut log = JsonLog::open(Path::new(&log_path)).map_err(|error| {
        CommandError::usage("cannot open the log of submitted pages").cause(error.to_string())
    })?;
    let settings = SubmitSettings {
        includes_private: is_local,
        poll_interval: if is_local { LOCAL_POLL_INTERVAL } else { POLL_INTERVAL },
    };
    let steps = Steps::new(global);
    let mut progress = |done: usize, all: usize| steps.show(done as u64, all as u64, "submitting");
    let submitted =
        submit_pages(ports, &*client, &mut log, settings, pages, &mut progress, stop).await;
    steps.clear();
    Ok(submitted?)
}

/// Returns the client of an archive, and whether the archive is on this machine.
fn archive_client(
    ports: &Ports,
    archive: &str,
) -> Result<(Box<dyn ArchiveSubmission>, bool), CommandError> {
    let collection = archive.strip_prefix("pywb:");
    let url = Url::parse(collection.unwrap_or(archive)).map_err(|error| {
        CommandError::usage(format!("invalid archive: `{archive}`"))
            .cause(error.to_string())
            .hint("use a URL such as https://web.archive.org, or `pywb:URL`")
    })?;
    let is_local = wiring::is_loopback(&url);
    let (fetch, clock) = (Arc::clone(&ports.fetch), Arc::clone(&ports.clock));
    if collection.is_some() {
        let limits = wiring::service_limits(ServiceLimits::default(), &url, None);
        return Ok((Box::new(PywbRecorder::new(url, limits, fetch, clock)), is_local));
    }
    let key = std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty());
    if key.is_none() {
        return Err(CommandError::usage("the archive requires an account")
            .hint(format!("set {KEY_VARIABLE} to `ACCESS_KEY:SECRET_KEY`")));
    }
    let settings = SavePageNowSettings::new(url.clone(), key);
    let limits = wiring::service_limits(settings.limits, &url, None);
    let settings = SavePageNowSettings { limits, ..settings };
    Ok((Box::new(SavePageNow::new(settings, fetch, clock)), is_local))
}

/// A line of the log: a job that saves a page was started, or ended.
#[derive(Debug, Serialize, Deserialize)]
struct LogLine {
    url: String,
    /// The id of the started job; `None` if the job ended.
    job: Option<String>,
}

/// The log of submitted pages: a file with one JSON object per line.
struct JsonLog {
    file: File,
    /// The ids of unfinished jobs, by URL.
    jobs: BTreeMap<String, String>,
}

impl JsonLog {
    fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut jobs = BTreeMap::new();
        for line in fs::read_to_string(path)?.lines() {
            // A crash can leave an incomplete line.
            let Ok(LogLine { url, job }) = serde_json::from_str(line) else { continue };
            match job {
                Some(job) => jobs.insert(url, job),
                None => jobs.remove(&url),
            };
        }
        Ok(Self { file, jobs })
    }

    fn append(&mut self, url: &Url, job: Option<&str>) -> io::Result<()> {
        let line = LogLine { url: url.to_string(), job: job.map(str::to_owned) };
        let text = format!("{}\n", serde_json::to_string(&line)?);
        self.file.write_all(text.as_bytes())
    }
}

impl SubmissionLog for JsonLog {
    fn job(&self, url: &Url) -> Option<String> {
        self.jobs.get(url.as_str()).cloned()
    }

    fn begin(&mut self, url: &Url, job: &str) -> io::Result<()> {
        self.jobs.insert(url.to_string(), job.to_owned());
        self.append(url, Some(job))
    }

    fn finish(&mut self, url: &Url) -> io::Result<()> {
        self.jobs.remove(url.as_str());
        self.append(url, None)
    }
}
