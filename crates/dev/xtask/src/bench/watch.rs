//! Measures the pages per second and the memory of `relink watch run` on a collection
//! whose pages have not changed. A local nginx serves the pages, without an interval between
//! requests. Also measures how many pages per second keyphrases are extracted from. These pages
//! are the guides of this repository, on one core.

use std::fmt;
use std::path::Path;

use super::meter::{Measurement, measure, summarize};
use super::nginx::{Nginx, free_port};
use super::scratch::Scratch;
use super::{ListSize, site};
use crate::workspace::run;
use crate::{Workspace, XtaskError};

/// Rounds that are measured, after the first check of all pages.
const ROUNDS: usize = 3;

/// Number of members, and of hosts that serve them.
const SIZE: ListSize = ListSize { urls: 5_000, hosts: 1 };

/// Minimum number of pages per second.
const MIN_RATE: f64 = 1_000.0;

/// Maximum memory, in KiB.
const MAX_PEAK_KIB: u64 = 150 * 1024;

/// Minimum number of pages per second from which keyphrases are extracted.
const MIN_KEYPHRASE_RATE: f64 = 200.0;

/// Length of the pages into which the guides are cut, in bytes: about 1,000 words.
const PAGE_BYTES: usize = 6_000;

/// Concurrency in total and per host.
const CONCURRENCY: &str = "256";

/// The result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WatchBenchResult {
    members: usize,
    /// The first check, which stores all pages.
    first: Measurement,
    /// The median of later checks, in which no page has changed.
    unchanged: Measurement,
    /// Pages per second from which keyphrases are extracted.
    keyphrase_rate: f64,
    /// Whether the last run reported all existing pages as unchanged.
    is_correct: bool,
}

impl WatchBenchResult {
    /// Whether the rate and the memory of a check without changes are within the
    /// limits.
    pub fn is_within_limits(&self) -> bool {
        self.is_correct
            && rate(self.members, self.unchanged) >= MIN_RATE
            && self.unchanged.peak_kib <= MAX_PEAK_KIB
            && self.keyphrase_rate >= MIN_KEYPHRASE_RATE
    }
}

impl fmt::Display for WatchBenchResult {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { members, first, unchanged, keyphrase_rate, .. } = *self;
        let peak = |run: Measurement| run.peak_kib as f64 / 1024.0;
        write!(
            f,
            "{members} members: first check {:.0}/s {:.0} MB, unchanged {:.0}/s {:.0} MB; \
             keyphrases {keyphrase_rate:.0}/s",
            rate(members, first),
            peak(first),
            rate(members, unchanged),
            peak(unchanged)
        )
    }
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn rate(members: usize, run: Measurement) -> f64 {
    members as f64 / run.seconds
}

/// Measures `relink watch run`. `progress` receives status lines.
pub fn bench_watch(
    workspace: &Workspace,
    progress: impl Fn(&str),
) -> Result<WatchBenchResult, XtaskError> {
    progress("building relink and relink-eval --release");
    let packages = ["-p", "relink", "-p", "relink-eval"];
    let build = ["build", "--release", "--locked", "--quiet"];
    run(workspace.cargo().args(build).args(packages))?;
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
    let run_watch = |args: &[&str]| measure_watch(scratch.path(), &relink, &database, args);
    let list = list.to_string_lossy();
    run_watch(&["add", &list, "--name", "bench", "--context", "description"])?;
    let concurrency = ["--concurrency", CONCURRENCY, "--host-concurrency", CONCURRENCY];
    let check_args =
        [&["run", "--all", "--host-interval", "0", "--retries", "0"][..], &concurrency];
    let check_args = check_args.concat();
    progress("first check");
    let first = run_watch(&check_args)?;
    let mut runs = Vec::new();
    for number in 1..=ROUNDS {
        progress(&format!("round {number} of {ROUNDS}"));
        runs.push(run_watch(&check_args)?);
    }
    let unchanged = summarize(&runs).ok_or_else(|| XtaskError::new("relink never ran"))?;
    let output = scratch.path().join("out");
    let output =
        std::fs::read_to_string(&output).map_err(|error| XtaskError::io(&output, &error))?;
    let existing = SIZE.urls - site::missing_count(SIZE.urls);
    let is_correct = output.replace(',', "").contains(&format!("{existing} unchanged"));
    progress("keyphrases");
    let keyphrase_rate = keyphrase_rate(workspace, scratch.path())?;
    Ok(WatchBenchResult { members: SIZE.urls, first, unchanged, keyphrase_rate, is_correct })
}

/// Measures the extraction of keyphrases, with one thread.
fn keyphrase_rate(workspace: &Workspace, scratch: &Path) -> Result<f64, XtaskError> {
    let pages = scratch.join("pages.jsonl");
    let rows = guide_pages(&workspace.root.join("docs"))?;
    std::fs::write(&pages, rows).map_err(|error| XtaskError::io(&pages, &error))?;
    let eval = workspace.target.join("release/relink-eval");
    let path = pages.to_string_lossy();
    measure(scratch, &eval, &["keyphrases", "--time", &path])?;
    let output = scratch.join("out");
    let text = std::fs::read_to_string(&output).map_err(|error| XtaskError::io(&output, &error))?;
    // The output contains the rate in front of the word `pages/s`.
    let mut words = text.split_whitespace();
    let mut previous = "";
    let rate = words.find_map(|word| {
        let number = std::mem::replace(&mut previous, word);
        (word == "pages/s").then(|| number.parse().ok()).flatten()
    });
    rate.ok_or_else(|| XtaskError::new("relink-eval keyphrases printed no rate"))
}

/// Returns the guides as pages in JSON lines.
fn guide_pages(docs: &Path) -> Result<String, XtaskError> {
    let entries = std::fs::read_dir(docs).map_err(|error| XtaskError::io(docs, &error))?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    let mut rows = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|error| XtaskError::io(&file, &error))?;
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (page, after) = rest.split_at(rest.floor_char_boundary(PAGE_BYTES.min(rest.len())));
            let row = serde_json::json!({"collection": "guides", "role": "member", "text": page});
            rows.push_str(&row.to_string());
            rows.push('\n');
            rest = after;
        }
    }
    Ok(rows)
}

/// Runs and measures `relink watch` with these arguments.
fn measure_watch(
    scratch: &Path,
    relink: &Path,
    database: &Path,
    args: &[&str],
) -> Result<Measurement, XtaskError> {
    let database = database.to_string_lossy();
    let args = [&["watch", "--db", &*database], args].concat();
    measure(scratch, relink, &args)
}
