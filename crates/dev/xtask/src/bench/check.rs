//! Compares `relink check` with lychee on a list of URLs of a local nginx, without
//! an interval between requests. The two programs run alternately.

use std::fmt;
use std::path::{Path, PathBuf};

use super::meter::{Measurement, measure, summarize};
use super::nginx::{Nginx, free_port};
use super::scratch::Scratch;
use super::{ListSize, site};
use crate::workspace::run;
use crate::{Workspace, XtaskError};

/// Rounds of each program. They alternate, so that a slow phase of the machine
/// affects both.
const ROUNDS: usize = 3;

/// Concurrency of each program, in total and per host.
const CONCURRENCY: &str = "256";

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckBenchResult {
    urls: usize,
    relink: Measurement,
    lychee: Option<Measurement>,
    /// Number of URLs that relink reported as alive.
    alive: usize,
    /// Number of URLs that relink reported as dead.
    dead: usize,
}

impl CheckBenchResult {
    /// Whether relink reported exactly the missing pages as dead.
    pub fn counts_agree(&self) -> bool {
        let missing = site::missing_count(self.urls);
        self.dead == missing && self.alive == self.urls - missing
    }
}

impl fmt::Display for CheckBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "relink {}  ", describe_run(self.urls, self.relink))?;
        match self.lychee {
            Some(lychee) => {
                let ratio = lychee.seconds / self.relink.seconds;
                let figures = describe_run(self.urls, lychee);
                write!(f, "lychee {figures}  ratio {ratio:.2}  ")?;
            }
            None => f.write_str("lychee -  ratio -  ")?,
        }
        let Self { alive, dead, urls, .. } = self;
        write!(f, "alive {alive} dead {dead} of {urls}")
    }
}

/// Formats URLs per second and peak memory.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn describe_run(urls: usize, run: Measurement) -> String {
    let (rate, peak) = (urls as f64 / run.seconds, run.peak_kib as f64 / 1024.0);
    format!("{rate:.0}/s {peak:.0} MB")
}

/// Measures both programs. `progress` receives status lines.
pub fn bench_check(
    workspace: &Workspace,
    size: ListSize,
    progress: impl Fn(&str),
) -> Result<CheckBenchResult, XtaskError> {
    let lychee = find_lychee();
    if lychee.is_none() {
        progress("lychee is not on the path and `LYCHEE` is not set: skipping it");
    }
    progress("building relink --release");
    run(workspace.cargo().args(["build", "--release", "--locked", "--quiet", "-p", "relink"]))?;
    let scratch = Scratch::new()?;
    let root = scratch.path().join("site");
    let port = free_port()?;
    progress(&format!("writing {} pages", size.urls));
    let urls = site::write(&root, size, port)?;
    let list = scratch.path().join("urls.txt");
    std::fs::write(&list, urls).map_err(|error| XtaskError::io(&list, &error))?;
    let _nginx = Nginx::start(scratch.path(), &root, size.hosts, port)?;
    let relink = workspace.target.join("release/relink");
    let programs = Programs {
        scratch: scratch.path(),
        list: &list.to_string_lossy(),
        relink: &relink,
        lychee: lychee.as_deref(),
    };
    programs.measure(size.urls, progress)
}

/// Returns the path of lychee: the value of `LYCHEE`, or a program in `PATH`.
pub(super) fn find_lychee() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("LYCHEE") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join("lychee"))
        .find(|program| program.is_file())
}

/// The programs to measure, and their input.
struct Programs<'a> {
    scratch: &'a Path,
    /// The file with the URLs.
    list: &'a str,
    relink: &'a Path,
    lychee: Option<&'a Path>,
}

impl Programs<'_> {
    /// Runs each program [`ROUNDS`] times on `urls` URLs.
    fn measure(
        &self,
        urls: usize,
        progress: impl Fn(&str),
    ) -> Result<CheckBenchResult, XtaskError> {
        let (mut relink, mut lychee) = (Vec::new(), Vec::new());
        let (mut alive, mut dead) = (0, 0);
        for round in 1..=ROUNDS {
            progress(&format!("round {round} of {ROUNDS}"));
            if let Some(program) = self.lychee {
                lychee.push(measure(self.scratch, program, &self.lychee_args())?);
            }
            let database = self.scratch.join(format!("round-{round}.db"));
            let args = self.relink_args(&database);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            relink.push(measure(self.scratch, self.relink, &args)?);
            (alive, dead) = self.count_reported()?;
        }
        Ok(CheckBenchResult {
            urls,
            relink: summarize(&relink).ok_or_else(|| XtaskError::new("relink never ran"))?,
            lychee: summarize(&lychee),
            alive,
            dead,
        })
    }

    /// Returns the arguments of Relink.
    fn relink_args(&self, database: &Path) -> Vec<String> {
        let database = database.to_string_lossy();
        [
            "check",
            "--db",
            &database,
            "--format",
            "jsonl",
            "--concurrency",
            CONCURRENCY,
            "--host-concurrency",
            CONCURRENCY,
            "--host-interval",
            "0",
            self.list,
        ]
        .map(str::to_owned)
        .to_vec()
    }

    /// Returns the arguments of lychee.
    fn lychee_args(&self) -> [&str; 10] {
        [
            "--no-progress",
            "--max-concurrency",
            CONCURRENCY,
            "--host-concurrency",
            CONCURRENCY,
            "--host-request-interval",
            "0ms",
            "--format",
            "json",
            self.list,
        ]
    }

    /// Counts the targets that the last run of relink reported as alive and as dead.
    fn count_reported(&self) -> Result<(usize, usize), XtaskError> {
        let path = self.scratch.join("out");
        let text = std::fs::read_to_string(&path).map_err(|error| XtaskError::io(&path, &error))?;
        if text.is_empty() {
            let output = std::fs::read_to_string(self.scratch.join("err")).unwrap_or_default();
            return Err(XtaskError::new(format!("relink printed nothing: {output}")));
        }
        Ok(count_verdicts(&text))
    }
}

/// Counts the lines of JSON Lines with the verdicts `alive` and `dead`.
fn count_verdicts(jsonl: &str) -> (usize, usize) {
    let (mut alive, mut dead) = (0, 0);
    for line in jsonl.lines() {
        let Ok(finding) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        match finding["verdict"].as_str() {
            Some("alive") => alive += 1,
            Some("dead") => dead += 1,
            _ => {}
        }
    }
    (alive, dead)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(lychee: Option<Measurement>) -> CheckBenchResult {
        CheckBenchResult {
            urls: 1000,
            relink: Measurement { seconds: 0.5, peak_kib: 40 * 1024 },
            lychee,
            alive: 900,
            dead: 100,
        }
    }

    #[test]
    fn display_is_one_line() {
        let lychee = Measurement { seconds: 1.25, peak_kib: 170 * 1024 };
        assert_eq!(
            outcome(Some(lychee)).to_string(),
            "relink 2000/s 40 MB  lychee 800/s 170 MB  ratio 2.50  alive 900 dead 100 of 1000"
        );
        assert_eq!(
            outcome(None).to_string(),
            "relink 2000/s 40 MB  lychee -  ratio -  alive 900 dead 100 of 1000"
        );
    }

    #[test]
    fn counts_agree_rejects_other_counts_than_expected() {
        assert!(outcome(None).counts_agree());
        let off_by_one = CheckBenchResult { dead: 99, ..outcome(None) };
        assert!(!off_by_one.counts_agree());
    }

    #[test]
    fn count_verdicts_ignores_other_lines() {
        let jsonl =
            "{\"verdict\":\"alive\"}\n{\"verdict\":\"dead\"}\nnoise\n{\"verdict\":\"alive\"}\n";
        assert_eq!(count_verdicts(jsonl), (2, 1));
    }
}
