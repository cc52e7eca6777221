//! Counts the requests per page of a site without dead links.
//!
//! A request for a *control* fetches a URL only for comparison, to detect soft-404s.
//! The first run sends such requests. The second run takes place three days later:
//! every page is fetched again, but the controls are cached.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use relink_testkit::web::TestServer;

use super::scratch::Scratch;
use crate::workspace::run;
use crate::{Workspace, XtaskError};

/// Maximum requests per page of the first run.
const MAX_REQUESTS_PER_PAGE: f64 = 1.3;
/// Maximum requests per page of the second run.
const MAX_LATER_REQUESTS_PER_PAGE: f64 = 1.0;

/// Time of the first run.
const FIRST_RUN_TIME: &str = "2026-11-02T09:00:00Z";
/// Time of the second run.
const LATER_RUN_TIME: &str = "2026-11-05T09:00:00Z";

/// The size of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlsSize {
    /// Number of pages.
    pub pages: usize,
    /// Number of directories.
    pub directories: usize,
}

impl Default for ControlsSize {
    fn default() -> Self {
        Self { pages: 1_000, directories: 20 }
    }
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlsBenchResult {
    pages: usize,
    first: RunCounts,
    later: RunCounts,
}

/// The counts of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RunCounts {
    /// Number of requests that the server received.
    requests: usize,
    /// Number of pages that were reported as alive.
    alive: usize,
}

impl ControlsBenchResult {
    /// Whether every page was alive in both runs.
    pub fn is_correct(&self) -> bool {
        self.first.alive == self.pages && self.later.alive == self.pages
    }

    /// Whether both runs kept the request limit.
    pub fn is_frugal(&self) -> bool {
        self.per_page(self.first) <= MAX_REQUESTS_PER_PAGE
            && self.per_page(self.later) <= MAX_LATER_REQUESTS_PER_PAGE
    }

    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    fn per_page(&self, count: RunCounts) -> f64 {
        count.requests as f64 / self.pages as f64
    }
}

impl fmt::Display for ControlsBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, later) = (self.per_page(self.first), self.per_page(self.later));
        write!(f, "requests per page {first:.3} (limit {MAX_REQUESTS_PER_PAGE:.1})  ")?;
        write!(f, "three days later {later:.3} (limit {MAX_LATER_REQUESTS_PER_PAGE:.1})  ")?;
        write!(f, "alive {} and {} of {}", self.first.alive, self.later.alive, self.pages)
    }
}

/// Builds `relink` and counts its requests. `progress` receives status lines.
pub fn bench_controls(
    workspace: &Workspace,
    size: ControlsSize,
    progress: impl Fn(&str),
) -> Result<ControlsBenchResult, XtaskError> {
    progress("building relink --release");
    run(workspace.cargo().args(["build", "--release", "--locked", "--quiet", "-p", "relink"]))?;
    progress(&format!("checking {} pages twice", size.pages));
    count_requests(&workspace.target.join("release/relink"), size)
}

/// Counts the requests of this `relink` on a healthy site.
pub fn count_requests(
    relink: &Path,
    size: ControlsSize,
) -> Result<ControlsBenchResult, XtaskError> {
    let scratch = Scratch::new()?;
    let web = TestServer::start_blocking();
    let list = scratch.path().join("urls.txt");
    std::fs::write(&list, serve(&web, size)).map_err(|error| XtaskError::io(&list, &error))?;
    let first = count_run(relink, scratch.path(), &web, FIRST_RUN_TIME)?;
    let later = count_run(relink, scratch.path(), &web, LATER_RUN_TIME)?;
    Ok(ControlsBenchResult { pages: size.pages, first, later })
}

/// Serves the site. Returns the list of its pages, one URL per line.
fn serve(web: &TestServer, size: ControlsSize) -> String {
    let mut list = String::new();
    for number in 0..size.pages {
        let path = format!(
            "/shelf-{}/book-{}.html",
            in_letters(number % size.directories),
            in_letters(number)
        );
        web.page(&path, 200, &html(number));
        list.extend([web.url(&path).as_str(), "\n"]);
    }
    list
}

/// Returns a page whose text differs from the text of all other pages.
fn html(number: usize) -> String {
    let title = format!("{} book", in_letters(number));
    let words: Vec<String> = (0..120).map(|index| in_letters(number * 131 + index * 17)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<title>{title}</title>\n<h1>{title}</h1>\n\
         <p>{}.</p>\n</html>\n",
        words.join(" ")
    )
}

/// Writes a number in letters, so that URLs contain no digits.
fn in_letters(number: usize) -> String {
    let mut rest = number + 26 * 26;
    let mut word = String::new();
    while rest > 0 {
        word.push(char::from(b"abcdefghijklmnopqrstuvwxyz"[rest % 26]));
        rest /= 26;
    }
    word
}

/// Runs a check at a given time and counts requests and live pages.
fn count_run(
    relink: &Path,
    scratch: &Path,
    web: &TestServer,
    now: &str,
) -> Result<RunCounts, XtaskError> {
    let before = web.requests().len();
    let output = Command::new(relink)
        .args(["check", "--db", "relink.db", "--format", "jsonl", "--host-interval", "0"])
        .arg("urls.txt")
        .current_dir(scratch)
        .env("RELINK_NOW", now)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| XtaskError::io(relink, &error))?;
    let rows = String::from_utf8_lossy(&output.stdout);
    let alive = rows.lines().filter(|row| row.contains("\"verdict\":\"alive\"")).count();
    if rows.is_empty() {
        let output = String::from_utf8_lossy(&output.stderr);
        return Err(XtaskError::new(format!("relink printed nothing: {output}")));
    }
    Ok(RunCounts { requests: web.requests().len() - before, alive })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_unique_per_page() {
        assert_eq!(in_letters(0), "aab");
        let distinct: std::collections::HashSet<String> = (0..5_000).map(in_letters).collect();
        assert_eq!(distinct.len(), 5_000);
    }

    #[test]
    fn display_is_one_line() {
        let count = |requests| RunCounts { requests, alive: 100 };
        let outcome = ControlsBenchResult { pages: 100, first: count(120), later: count(100) };
        assert_eq!(
            outcome.to_string(),
            "requests per page 1.200 (limit 1.3)  three days later 1.000 (limit 1.0)  \
             alive 100 and 100 of 100"
        );
        assert!(outcome.is_frugal() && outcome.is_correct());
    }
}
