//! Measures the time and memory of `relink fix` to compute the diff of many files with
//! links to moved pages.

use std::fmt;
use std::path::Path;

use relink_testkit::web::{CannedResponse, TestServer};

use super::meter::{Measurement, measure, summarize};
use super::scratch::Scratch;
use crate::workspace::run;
use crate::{Workspace, XtaskError};

/// Rounds of the measurement.
const ROUNDS: usize = 3;

/// Maximum time in seconds.
const MAX_SECONDS: f64 = 10.0;

/// Maximum memory in KiB.
const MAX_KIB: u64 = 200 * 1024;

/// The files and their links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixSize {
    /// Number of files.
    pub files: usize,
    /// Number of links per file. All of them have moved.
    pub links: usize,
    /// Number of different URLs.
    pub urls: usize,
}

impl Default for FixSize {
    fn default() -> Self {
        Self { files: 10_000, links: 10, urls: 1_000 }
    }
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixBenchResult {
    size: FixSize,
    run: Measurement,
    /// Number of added lines in the diff, without those of the sidecar file.
    repaired: usize,
}

impl FixBenchResult {
    /// Whether every link is repaired within the limits.
    pub fn is_within_limits(&self) -> bool {
        self.repaired == self.size.files * self.size.links
            && self.run.seconds < MAX_SECONDS
            && self.run.peak_kib < MAX_KIB
    }
}

impl fmt::Display for FixBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, run, repaired } = self;
        let findings = size.files * size.links;
        write!(
            f,
            "{} files, {findings} findings: diff in {:.1} s, {} MB, {repaired} repaired",
            size.files,
            run.seconds,
            run.peak_kib / 1024
        )
    }
}

/// Measures the dry run of a tree of Markdown files, including both checks. `progress`
/// receives status lines.
pub fn bench_fix(
    workspace: &Workspace,
    size: FixSize,
    progress: impl Fn(&str),
) -> Result<FixBenchResult, XtaskError> {
    progress("building relink --release");
    run(workspace.cargo().args(["build", "--release", "--locked", "--quiet", "-p", "relink"]))?;
    let scratch = Scratch::new()?;
    let web = moved_site();
    progress(&format!("writing {} files", size.files));
    let root = scratch.path().join("docs");
    write_files(&root, size, web.url("/old/").as_str())?;
    let relink = workspace.target.join("release/relink");
    let mut runs = Vec::new();
    let mut repaired = 0;
    for round in 1..=ROUNDS {
        progress(&format!("round {round} of {ROUNDS}"));
        let database = scratch.path().join(format!("round-{round}.db"));
        let (database, root) = (database.to_string_lossy(), root.to_string_lossy());
        let args = ["fix", "--db", &database, "--host-interval", "0", "--host-concurrency", "32"];
        runs.push(measure(scratch.path(), &relink, &[&args[..], &[&*root]].concat())?);
        repaired = count_repaired(&scratch.path().join("out"))?;
    }
    let run = summarize(&runs).ok_or_else(|| XtaskError::new("relink never ran"))?;
    Ok(FixBenchResult { size, run, repaired })
}

/// A site whose pages moved from `/old/` to `/new/`.
fn moved_site() -> TestServer {
    let web = TestServer::start_blocking();
    web.respond_below_with("/old/", |request| {
        let name = request.path.rsplit('/').next().unwrap_or_default();
        if name.starts_with("page-") {
            CannedResponse::redirect(301, &format!("/new/{name}"))
        } else {
            CannedResponse::new(404, "not found")
        }
    });
    web.respond_below_with("/new/", |request| {
        let name = request.path.rsplit('/').next().unwrap_or_default();
        if name.starts_with("page-") {
            let text = format!("<title>{name}</title><p>This is the text of the page {name}.</p>");
            CannedResponse::new(200, text)
        } else {
            CannedResponse::new(404, "not found")
        }
    });
    web
}

/// Writes the files, with links to pages below `url`.
fn write_files(root: &Path, size: FixSize, url: &str) -> Result<(), XtaskError> {
    for file in 0..size.files {
        let directory = root.join(format!("part-{}", file / 100));
        std::fs::create_dir_all(&directory).map_err(|error| XtaskError::io(&directory, &error))?;
        let path = directory.join(format!("file-{file}.md"));
        let lines = (0..size.links).map(|link| {
            let page = (file * size.links + link) % size.urls;
            format!("- See [page {page}]({url}page-{page}) for details.\n")
        });
        let text: String = lines.collect();
        std::fs::write(&path, text).map_err(|error| XtaskError::io(&path, &error))?;
    }
    Ok(())
}

/// Counts the repaired links in a diff.
fn count_repaired(diff: &Path) -> Result<usize, XtaskError> {
    let text = std::fs::read_to_string(diff).map_err(|error| XtaskError::io(diff, &error))?;
    Ok(text.lines().filter(|line| line.starts_with("+- See ") && line.contains("/new/")).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_apply_to_time_memory_and_count() {
        let size = FixSize { files: 2, links: 3, urls: 1 };
        let result = |seconds, peak_kib, repaired| FixBenchResult {
            size,
            run: Measurement { seconds, peak_kib },
            repaired,
        };
        assert!(result(1.0, 100_000, 6).is_within_limits());
        assert!(!result(11.0, 100_000, 6).is_within_limits());
        assert!(!result(1.0, 300_000, 6).is_within_limits());
        assert!(!result(1.0, 100_000, 5).is_within_limits());
        assert_eq!(
            result(1.0, 102_400, 6).to_string(),
            "2 files, 6 findings: diff in 1.0 s, 100 MB, 6 repaired"
        );
    }
}
