//! Kills `relink` again and again while it crawls, surveys and revives, and
//! compares the result with an undisturbed run.
//!
//! A run that was killed must end with the same verdicts. Repeated may be only
//! requests that were in flight or not yet committed: at most twice the
//! concurrency for each kill.

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
/// How often the number of requests is looked at.
const POLL: Duration = Duration::from_millis(1);
/// The longest a process may take.
const LONGEST: Duration = Duration::from_mins(2);

/// A verdict for each URL.
type Verdicts = BTreeMap<String, String>;

/// What came of one scenario.
#[derive(Debug)]
pub struct KillOutcome {
    /// The command.
    pub name: &'static str,
    /// How often it was killed.
    pub kills: usize,
    /// Requests without a kill.
    pub undisturbed: usize,
    /// Requests with kills.
    pub disturbed: usize,
    /// URLs with a verdict.
    pub verdicts: usize,
    /// URLs whose verdicts differ, or which only one of the runs has.
    pub differences: Vec<String>,
}

impl KillOutcome {
    /// The most requests that kills may add.
    pub fn bound(&self) -> usize {
        2 * CONCURRENCY * self.kills
    }

    /// Whether verdicts agree and few requests were repeated.
    pub fn is_right(&self) -> bool {
        self.differences.is_empty() && self.disturbed <= self.undisturbed + self.bound()
    }
}

impl fmt::Display for KillOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, kills, undisturbed, disturbed, verdicts, differences } = self;
        write!(
            f,
            "{name}: {kills} kills, {verdicts} verdicts, {} differ; {undisturbed} requests \
             undisturbed, {disturbed} with kills (at most {})",
            differences.len(),
            undisturbed + self.bound()
        )?;
        differences.iter().take(10).try_for_each(|difference| write!(f, "\n  {difference}"))
    }
}

/// Kills each command so many times.
///
/// # Errors
///
/// Fails if a process cannot be started or does not end.
pub fn run(relink: &Path, kills: usize) -> Result<Vec<KillOutcome>, XtaskError> {
    Scenario::all().iter().map(|scenario| compare(relink, scenario, kills)).collect()
}

fn compare(relink: &Path, scenario: &Scenario, kills: usize) -> Result<KillOutcome, XtaskError> {
    let (undisturbed, expected) = measured(relink, scenario, &[])?;
    // Spread over the run, a little further in every other process.
    let step = undisturbed / (kills + 1);
    let points: Vec<usize> = (0..kills).map(|kill| (step + kill % 5).max(1)).collect();
    let (disturbed, verdicts) = measured(relink, scenario, &points)?;
    let differences = differences(&expected, &verdicts);
    let name = scenario.name;
    let verdicts = expected.len();
    Ok(KillOutcome { name, kills, undisturbed, disturbed, verdicts, differences })
}

/// Runs a scenario to its end, killing it after these numbers of requests;
/// returns all requests and the verdicts.
fn measured(
    relink: &Path,
    scenario: &Scenario,
    points: &[usize],
) -> Result<(usize, Verdicts), XtaskError> {
    let folder = Scratch::new()?;
    for (name, content) in &scenario.files {
        let path = folder.path().join(name);
        std::fs::write(&path, content).map_err(|error| XtaskError::io(&path, &error))?;
    }
    if let Some(before) = &scenario.before {
        finish(start(relink, folder.path(), before)?)?;
    }
    let first = scenario.web.request_count();
    for point in points {
        let from = scenario.web.request_count();
        let child = start(relink, folder.path(), &scenario.args)?;
        kill_after(child, || scenario.web.request_count() >= from + point)?;
    }
    let output = finish(start(relink, folder.path(), &scenario.args)?)?;
    Ok((scenario.web.request_count() - first, verdicts(&output)))
}

fn start(relink: &Path, folder: &Path, args: &[String]) -> Result<Child, XtaskError> {
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

/// Kills a process once `is_due`, unless it has ended before.
fn kill_after(mut child: Child, is_due: impl Fn() -> bool) -> Result<(), XtaskError> {
    let cannot = |error: std::io::Error| XtaskError::new(format!("cannot end relink: {error}"));
    // Its output must not fill the pipe while nothing reads it.
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || output.map(std::io::read_to_string));
    let began = Instant::now();
    while !is_due() && child.try_wait().map_err(cannot)?.is_none() {
        if began.elapsed() > LONGEST {
            break;
        }
        std::thread::sleep(POLL);
    }
    // A process that has ended cannot be killed, and need not be.
    let _ = child.kill();
    child.wait().map_err(cannot)?;
    let _ = reader.join();
    Ok(())
}

fn finish(child: Child) -> Result<String, XtaskError> {
    let cannot =
        |error: std::io::Error| XtaskError::new(format!("cannot wait for relink: {error}"));
    let output = child.wait_with_output().map_err(cannot)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The verdict of each line: for a search, what was found.
fn verdicts(output: &str) -> Verdicts {
    let rows = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    rows.filter_map(|row| {
        let url = row["url"].as_str()?.to_owned();
        let parts = [&row["verdict"], &row["code"], &row["word"], &row["alias"]["url"]];
        let parts: Vec<&str> = parts.iter().filter_map(|part| part.as_str()).collect();
        Some((url, parts.join(" ")))
    })
    .collect()
}

fn differences(expected: &Verdicts, found: &Verdicts) -> Vec<String> {
    let urls: std::collections::BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let told = |verdicts: &Verdicts, url: &String| verdicts.get(url).cloned().unwrap_or_default();
    urls.into_iter()
        .filter(|url| expected.get(*url) != found.get(*url))
        .map(|url| format!("{url}: `{}` became `{}`", told(expected, url), told(found, url)))
        .collect()
}
