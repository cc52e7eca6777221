//! Kills `relink` repeatedly during crawl, survey and revive, and compares the
//! result with an uninterrupted run.
//!
//! Both runs must end with the same verdicts. Only requests in flight or not
//! yet committed may be repeated: at most three times the concurrency per kill.

mod scenario;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use self::scenario::Scenario;
use crate::XtaskError;
use crate::bench::scratch::Scratch;

/// Requests at a time in every scenario.
const CONCURRENCY: usize = 4;
/// Interval between two reads of the request count.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// Maximum run time of a process.
const MAX_RUN_TIME: Duration = Duration::from_mins(2);

/// A verdict for each URL.
type Verdicts = BTreeMap<String, String>;

/// The result of one scenario.
#[derive(Debug)]
pub struct KillOutcome {
    /// The command.
    pub name: &'static str,
    /// Number of kills.
    pub kills: usize,
    /// Requests without a kill.
    pub uninterrupted: usize,
    /// Requests with kills.
    pub interrupted: usize,
    /// URLs with a verdict.
    pub verdicts: usize,
    /// URLs whose verdicts differ, or that have a verdict in only one of the runs.
    pub differences: Vec<String>,
}

impl KillOutcome {
    /// Returns the maximum number of requests that kills may add. These are the requests in
    /// flight, those whose results are being stored, and those that finish meanwhile.
    pub fn max_repeated_requests(&self) -> usize {
        3 * CONCURRENCY * self.kills
    }

    /// Whether the verdicts agree and no more requests were repeated than allowed.
    pub fn is_correct(&self) -> bool {
        self.differences.is_empty()
            && self.interrupted <= self.uninterrupted + self.max_repeated_requests()
    }
}

impl fmt::Display for KillOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, kills, uninterrupted, interrupted, verdicts, differences } = self;
        write!(
            f,
            "{name}: {kills} kills, {verdicts} verdicts, {} differ; {uninterrupted} requests \
             uninterrupted, {interrupted} with kills (at most {})",
            differences.len(),
            uninterrupted + self.max_repeated_requests()
        )?;
        differences.iter().take(10).try_for_each(|difference| write!(f, "\n  {difference}"))
    }
}

/// Kills each command `kills` times.
///
/// # Errors
///
/// Fails if a process cannot be started or does not end.
pub fn run(relink: &Path, kills: usize) -> Result<Vec<KillOutcome>, XtaskError> {
    Scenario::all().iter().map(|scenario| run_and_compare(relink, scenario, kills)).collect()
}

/// Runs a scenario without kills and with them, and compares the results.
fn run_and_compare(
    relink: &Path,
    scenario: &Scenario,
    kills: usize,
) -> Result<KillOutcome, XtaskError> {
    let (uninterrupted, expected) = run_scenario(relink, scenario, &[])?;
    // The number of requests before each kill. It varies by up to four, so that kills
    // occur at different steps of the program.
    let step = uninterrupted / (kills + 1);
    let requests_per_kill: Vec<usize> = (0..kills).map(|kill| (step + kill % 5).max(1)).collect();
    let (interrupted, verdicts) = run_scenario(relink, scenario, &requests_per_kill)?;
    let differences = diff_verdicts(&expected, &verdicts);
    let name = scenario.name;
    let verdicts = expected.len();
    Ok(KillOutcome { name, kills, uninterrupted, interrupted, verdicts, differences })
}

/// Runs a scenario to its end. Kills and restarts the process after each of these
/// numbers of requests. Returns the number of all requests, and the verdicts.
fn run_scenario(
    relink: &Path,
    scenario: &Scenario,
    requests_per_kill: &[usize],
) -> Result<(usize, Verdicts), XtaskError> {
    let folder = Scratch::new()?;
    for (name, content) in &scenario.files {
        let path = folder.path().join(name);
        std::fs::write(&path, content).map_err(|error| XtaskError::io(&path, &error))?;
    }
    if let Some(before) = &scenario.before {
        wait_for_output(start_relink(relink, folder.path(), before)?)?;
    }
    let first = scenario.web.request_count();
    for requests in requests_per_kill {
        let before = scenario.web.request_count();
        let child = start_relink(relink, folder.path(), &scenario.args)?;
        kill_after(child, || scenario.web.request_count() >= before + requests)?;
    }
    let output = wait_for_output(start_relink(relink, folder.path(), &scenario.args)?)?;
    Ok((scenario.web.request_count() - first, parse_verdicts(&output)))
}

/// Starts Relink in a directory that is also its home.
fn start_relink(relink: &Path, folder: &Path, args: &[String]) -> Result<Child, XtaskError> {
    Command::new(relink)
        .args(args)
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_DATA_HOME", folder.join("data"))
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| XtaskError::io(relink, &error))
}

/// Kills a process as soon as `is_due` returns true, unless it has ended.
fn kill_after(mut child: Child, is_due: impl Fn() -> bool) -> Result<(), XtaskError> {
    let wait_error = |error: std::io::Error| XtaskError::new(format!("cannot end relink: {error}"));
    // Read its output, or the process would block on a full pipe.
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || output.map(std::io::read_to_string));
    let started = Instant::now();
    while !is_due() && child.try_wait().map_err(wait_error)?.is_none() {
        if started.elapsed() > MAX_RUN_TIME {
            break;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    // Ignore the error: the process has already ended.
    let _ = child.kill();
    child.wait().map_err(wait_error)?;
    let _ = reader.join();
    Ok(())
}

/// Waits until Relink ends, and returns its standard output.
fn wait_for_output(child: Child) -> Result<String, XtaskError> {
    let wait_error =
        |error: std::io::Error| XtaskError::new(format!("cannot wait for relink: {error}"));
    let output = child.wait_with_output().map_err(wait_error)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the verdict and code of each URL. For `revive`, also the alias that was
/// found.
fn parse_verdicts(output: &str) -> Verdicts {
    let rows = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    rows.filter_map(|row| {
        let url = row["url"].as_str()?.to_owned();
        let parts = [&row["verdict"], &row["code"], &row["alias"]["url"]];
        let parts: Vec<&str> = parts.iter().filter_map(|part| part.as_str()).collect();
        Some((url, parts.join(" ")))
    })
    .collect()
}

/// Returns a line for each URL whose verdict differs.
fn diff_verdicts(expected: &Verdicts, found: &Verdicts) -> Vec<String> {
    let urls: std::collections::BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let verdict_of =
        |verdicts: &Verdicts, url: &String| verdicts.get(url).cloned().unwrap_or_default();
    urls.into_iter()
        .filter(|url| expected.get(*url) != found.get(*url))
        .map(|url| {
            format!("{url}: `{}` became `{}`", verdict_of(expected, url), verdict_of(found, url))
        })
        .collect()
}
