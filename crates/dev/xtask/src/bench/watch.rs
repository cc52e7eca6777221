//! `relink watch run` on a collection: pages per second and memory of a check
//! without changes, on a local nginx without politeness.

use std::fmt;
use std::path::Path;

use super::meter::{Run, measure, summarize};
use super::nginx::{Nginx, free_port};
use super::scratch::Scratch;
use super::{Size, site};
use crate::workspace::run;
use crate::{Workspace, XtaskError};

/// Rounds that are measured, after the first check of all pages.
const ROUNDS: usize = 3;

/// Number of members, and of hosts that serve them.
const SIZE: Size = Size { urls: 5_000, hosts: 1 };

/// Minimum number of pages per second.
const MIN_RATE: f64 = 1_000.0;

/// Maximum memory, in KiB.
const MAX_PEAK_KIB: u64 = 150 * 1024;

/// Concurrency in total and per host.
const CONCURRENCY: &str = "256";

/// The result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WatchBenchResult {
    members: usize,
    first: Run,
    unchanged: Run,
    /// Whether the last run reported all existing pages as unchanged.
    is_right: bool,
}

impl WatchBenchResult {
    /// Whether the rate and the memory of a check without changes are within the
    /// limits.
    pub fn is_within_limits(&self) -> bool {
        self.is_right
            && rate(self.members, self.unchanged) >= MIN_RATE
            && self.unchanged.peak_kib <= MAX_PEAK_KIB
    }
}

impl fmt::Display for WatchBenchResult {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { members, first, unchanged, .. } = *self;
        let peak = |run: Run| run.peak_kib as f64 / 1024.0;
        write!(
            f,
            "{members} members: first check {:.0}/s {:.0} MB, unchanged {:.0}/s {:.0} MB",
            rate(members, first),
            peak(first),
            rate(members, unchanged),
            peak(unchanged)
        )
    }
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn rate(members: usize, run: Run) -> f64 {
    members as f64 / run.seconds
}

/// Measures `relink watch run`; `progress` receives status lines.
pub fn watch(
    workspace: &Workspace,
    progress: impl Fn(&str),
) -> Result<WatchBenchResult, XtaskError> {
    progress("building relink --release");
    run(workspace.cargo().args(["build", "--release", "--locked", "--quiet", "-p", "relink"]))?;
    let scratch = Scratch::new()?;
    let root = scratch.path().join("site");
    let port = free_port()?;
    progress(&format!("writing {} pages", SIZE.urls));
    let urls = site::write(&root, SIZE, port)?;
    let list = scratch.path().join("urls.txt");
    std::fs::write(&list, urls).map_err(|error| XtaskError::io(&list, &error))?;
    let _nginx = Nginx::start(scratch.path(), &root, SIZE.hosts, port)?;
    let relink = workspace.target.join("release/relink");
    let database = scratch.path().join("watch.db");
    let round = |args: &[&str]| measure_round(scratch.path(), &relink, &database, args);
    let list = list.to_string_lossy();
    round(&["add", &list, "--name", "bench", "--context", "description"])?;
    let concurrency = ["--concurrency", CONCURRENCY, "--host-concurrency", CONCURRENCY];
    let check = [&["run", "--all", "--host-interval", "0", "--retries", "0"][..], &concurrency];
    let check = check.concat();
    progress("first check");
    let first = round(&check)?;
    let mut runs = Vec::new();
    for number in 1..=ROUNDS {
        progress(&format!("round {number} of {ROUNDS}"));
        runs.push(round(&check)?);
    }
    let unchanged = summarize(&runs).ok_or_else(|| XtaskError::new("relink never ran"))?;
    let output = scratch.path().join("out");
    let output =
        std::fs::read_to_string(&output).map_err(|error| XtaskError::io(&output, &error))?;
    let existing = SIZE.urls - site::missing_count(SIZE.urls);
    let is_right = output.replace(',', "").contains(&format!("{existing} unchanged"));
    Ok(WatchBenchResult { members: SIZE.urls, first, unchanged, is_right })
}

fn measure_round(
    scratch: &Path,
    relink: &Path,
    database: &Path,
    args: &[&str],
) -> Result<Run, XtaskError> {
    let database = database.to_string_lossy();
    let args = [&["watch", "--db", &*database], args].concat();
    measure(scratch, relink, &args)
}
