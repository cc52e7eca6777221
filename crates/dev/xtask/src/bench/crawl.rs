//! Compares `relink crawl` with linkinator and `LinkChecker` on a generated site,
//! served by a local nginx, without an interval between requests.
//!
//! Two more tables show how time and memory grow with the size of the site, and how
//! much faster several workers crawl a slow site (Website Health Analyser, Fig. 11).

mod generated_site;
mod peers;
mod workers;

use std::fmt;
use std::path::Path;

use self::generated_site::GeneratedSite;
use self::peers::Peer;
pub use self::workers::many_workers_are_faster;
use self::workers::{WorkersOutcome, workers};
use super::meter::{Measurement, measure};
use super::nginx::{Nginx, free_port};
use super::number;
use super::scratch::Scratch;
use crate::workspace::run;
use crate::{Workspace, XtaskError};

/// Concurrency of relink.
const CONCURRENCY: &str = "64";
/// Sizes of the later sites, as multiples of the first.
const GROWTH_FACTORS: [usize; 2] = [5, 20];
/// Minimum speed-up over linkinator.
const MIN_LINKINATOR_SPEEDUP: f64 = 5.0;
/// Minimum speed-up over `LinkChecker`.
const MIN_LINKCHECKER_SPEEDUP: f64 = 20.0;
/// Maximum memory of a crawl of the first site, in MB.
const MAX_MEMORY_MB: f64 = 150.0;
/// Maximum ratio of time per page between the largest and the first site.
const MAX_TIME_GROWTH: f64 = 1.5;

/// Size of the first site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrawlSize {
    /// Number of pages.
    pub pages: usize,
}

impl Default for CrawlSize {
    fn default() -> Self {
        Self { pages: 10_000 }
    }
}

impl CrawlSize {
    /// Reads `[PAGES]`.
    pub fn read(options: &[&str]) -> Result<Self, XtaskError> {
        match options {
            [] => Ok(Self::default()),
            [pages] => Ok(Self { pages: number("PAGES", pages)? }),
            _ => Err(XtaskError::new("`bench crawl` takes the number of pages and nothing else")),
        }
    }
}

/// The result of one program on one site.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Crawl {
    pages: usize,
    run: Measurement,
    /// Number of dead links of the site that were reported.
    found: usize,
    /// Number of dead links of the site.
    planted: usize,
    /// Number of live links that were reported as dead.
    falsely_dead: usize,
}

impl Crawl {
    fn is_correct(&self) -> bool {
        self.found == self.planted && self.falsely_dead == 0
    }

    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    fn pages_per_second(&self) -> f64 {
        self.pages as f64 / self.run.seconds
    }

    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    fn megabytes(&self) -> f64 {
        self.run.peak_kib as f64 / 1024.0
    }
}

impl fmt::Display for Crawl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rate, memory, each) =
            (self.pages_per_second(), self.megabytes(), 1_000.0 / self.pages_per_second());
        let Self { pages, found, planted, falsely_dead, .. } = self;
        write!(f, "{pages:>8} {rate:>8.0} {each:>8.3} {memory:>7.0}  ")?;
        write!(f, "{found} of {planted}, {falsely_dead} invented")
    }
}

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlBenchResult {
    relink: Crawl,
    peers: Vec<(Peer, Crawl)>,
    growth: Vec<Crawl>,
    workers: WorkersOutcome,
}

impl CrawlBenchResult {
    /// Whether all planted dead links were found, and no others.
    pub fn is_correct(&self) -> bool {
        self.relink.is_correct() && self.growth.iter().all(Crawl::is_correct)
    }

    /// Whether relink keeps all limits. Peers that are not installed are skipped.
    pub fn is_fast(&self) -> bool {
        let is_ahead = |(peer, crawl): &(Peer, Crawl)| {
            self.relink.pages_per_second() >= peer.min_speedup() * crawl.pages_per_second()
        };
        let grows_evenly = |crawl: &Crawl| {
            crawl.pages_per_second() * MAX_TIME_GROWTH >= self.relink.pages_per_second()
        };
        self.peers.iter().all(is_ahead)
            && self.growth.iter().all(grows_evenly)
            && self.relink.megabytes() < MAX_MEMORY_MB
    }
}

impl fmt::Display for CrawlBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12} {:>8} {:>8} {:>8} {:>7}  dead links",
            "", "pages", "pages/s", "ms each", "MB"
        )?;
        writeln!(f, "{:<12} {}", "relink", self.relink)?;
        for (peer, crawl) in &self.peers {
            let ratio = self.relink.pages_per_second() / crawl.pages_per_second();
            writeln!(f, "{:<12} {crawl}  (relink is {ratio:.1} times as fast)", peer.name())?;
        }
        writeln!(f, "\nas the site grows")?;
        for crawl in [&self.relink].into_iter().chain(&self.growth) {
            writeln!(f, "{:<12} {crawl}", "relink")?;
        }
        write!(f, "\n{}", self.workers)
    }
}

/// Runs all measurements. `progress` receives status lines.
pub fn bench_crawl(
    workspace: &Workspace,
    size: CrawlSize,
    progress: impl Fn(&str),
) -> Result<CrawlBenchResult, XtaskError> {
    progress("building relink --release");
    run(workspace.cargo().args(["build", "--release", "--locked", "--quiet", "-p", "relink"]))?;
    let relink = workspace.target.join("release/relink");
    let (relink_crawl, peers) = run_peers(&relink, size.pages, &progress)?;
    let mut growth = Vec::new();
    for times in GROWTH_FACTORS {
        let pages = times * size.pages;
        let larger = Site::start(pages, &progress)?;
        progress(&format!("relink, {pages} pages"));
        growth.push(larger.crawl_with_relink(&relink)?);
    }
    progress("one worker and many");
    let workers = workers(&relink)?;
    Ok(CrawlBenchResult { relink: relink_crawl, peers, growth, workers })
}

/// Runs relink and the installed peers on one site.
fn run_peers(
    relink: &Path,
    pages: usize,
    progress: &impl Fn(&str),
) -> Result<(Crawl, Vec<(Peer, Crawl)>), XtaskError> {
    let site = Site::start(pages, progress)?;
    progress(&format!("relink, {pages} pages"));
    let crawl = site.crawl_with_relink(relink)?;
    let mut peers = Vec::new();
    for peer in Peer::ALL {
        let Some(program) = peer.executable() else {
            progress(&format!("`{}` is not set: skipping {}", peer.variable(), peer.name()));
            continue;
        };
        progress(&format!("{}, {pages} pages", peer.name()));
        let args = peer.args(&site.url);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = measure(site.scratch.path(), &program, &args)?;
        let output = site.read_output()?;
        peers.push((peer, site.score(run, &peer.dead_paths(&output))));
    }
    Ok((crawl, peers))
}

/// A generated site, served.
struct Site {
    content: GeneratedSite,
    scratch: Scratch,
    url: String,
    // Declared before `scratch`, so that nginx is stopped before its files are removed.
    _nginx: Nginx,
}

impl Site {
    /// Generates a site and starts its nginx.
    fn start(pages: usize, progress: &impl Fn(&str)) -> Result<Self, XtaskError> {
        let (content, scratch, port) = (GeneratedSite { pages }, Scratch::new()?, free_port()?);
        progress(&format!("writing {pages} pages"));
        let root = scratch.path().join("site");
        content.write(&root)?;
        let nginx = Nginx::start(scratch.path(), &root, 1, port)?;
        let url = format!("http://127.0.0.1:{port}/");
        Ok(Self { content, scratch, url, _nginx: nginx })
    }

    /// Crawls the site with Relink.
    fn crawl_with_relink(&self, relink: &Path) -> Result<Crawl, XtaskError> {
        let database = self.scratch.path().join("crawl.db");
        let args = relink_args(&database, CONCURRENCY, &self.url);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = measure(self.scratch.path(), relink, &args)?;
        Ok(self.score(run, &peers::relink_dead_paths(&self.read_output()?)))
    }

    fn read_output(&self) -> Result<String, XtaskError> {
        let path = self.scratch.path().join("out");
        std::fs::read_to_string(&path).map_err(|error| XtaskError::io(&path, &error))
    }

    /// Compares the reported dead links with those of the site.
    fn score(&self, run: Measurement, dead: &[String]) -> Crawl {
        let planted = self.content.dead_paths();
        let found = dead.iter().filter(|path| planted.contains(*path)).count();
        let (falsely_dead, planted) = (dead.len() - found, planted.len());
        Crawl { pages: self.content.pages, run, found, planted, falsely_dead }
    }
}

/// Returns the arguments of a crawl without politeness.
fn relink_args(database: &Path, in_flight: &str, url: &str) -> Vec<String> {
    let database = database.to_string_lossy();
    let args = ["crawl", "--db", &database, "--format", "jsonl", "--concurrency", in_flight];
    let more = ["--host-concurrency", in_flight, "--host-interval", "0", url];
    args.into_iter().chain(more).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crawl(pages: usize, seconds: f64) -> Crawl {
        let run = Measurement { seconds, peak_kib: 50 * 1024 };
        Crawl { pages, run, found: 5, planted: 5, falsely_dead: 0 }
    }

    fn outcome(peer: f64, last: f64) -> CrawlBenchResult {
        CrawlBenchResult {
            relink: crawl(100, 1.0),
            peers: vec![(Peer::Linkinator, crawl(100, peer))],
            growth: vec![crawl(2_000, last)],
            workers: WorkersOutcome::default(),
        }
    }

    #[test]
    fn is_fast_checks_speed_memory_and_growth() {
        assert!(outcome(6.0, 25.0).is_fast());
        assert!(!outcome(4.0, 25.0).is_fast(), "not five times as fast");
        assert!(!outcome(6.0, 40.0).is_fast(), "twice as long for each page");
    }

    #[test]
    fn is_correct_rejects_a_wrongly_reported_dead_link() {
        let mut outcome = outcome(6.0, 25.0);
        assert!(outcome.is_correct());
        outcome.growth[0].falsely_dead = 1;
        assert!(!outcome.is_correct());
    }

    #[test]
    fn read_rejects_zero_pages() {
        assert_eq!(CrawlSize::read(&[]).unwrap().pages, 10_000);
        assert_eq!(CrawlSize::read(&["300"]).unwrap().pages, 300);
        assert!(CrawlSize::read(&["0"]).is_err() && CrawlSize::read(&["1", "2"]).is_err());
    }

    #[test]
    fn display_has_three_tables() {
        let text = outcome(6.0, 25.0).to_string();
        assert!(text.contains("relink is 6.0 times as fast"), "{text}");
        assert!(text.contains("5 of 5, 0 invented"), "{text}");
    }
}
