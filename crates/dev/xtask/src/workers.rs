//! Runs `relink check` with several workers on one PostgreSQL server. Kills two
//! workers, suspends one and restarts PostgreSQL, then checks the result.
//!
//! The web servers record all requests. The interval between requests to a host must
//! hold, and every URL must be reported once. A URL may be requested again only if the
//! worker that requested it first was killed or suspended before it committed the
//! result.

mod outcome;
pub(crate) mod processes;

use std::net::Ipv4Addr;
use std::path::Path;
use std::time::{Duration, Instant};

use relink_testkit::postgres::{Durability, PostgresServer};
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

pub use self::outcome::WorkersOutcome;
use self::outcome::{RequestLog, WorkerFailure};
use self::processes::{Processes, REPORT, WORKERS};
use crate::XtaskError;
use crate::bench::number;
use crate::bench::scratch::Scratch;

/// Interval between two reads of the request log.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Maximum duration of a step.
const MAX_STEP_TIME: Duration = Duration::from_mins(10);

/// The web servers of a run, and its intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkersSize {
    /// Number of hosts, each with its own loopback address.
    pub hosts: usize,
    /// Pages per host.
    pub pages: usize,
    /// Interval between requests to a host.
    pub interval: Duration,
    /// Duration of the leases of workers.
    pub lease: Duration,
    /// The smallest accepted gap between requests to a host, in percent of the
    /// interval. It is below 100, because the web servers measure the gap, and a busy
    /// machine delays requests differently.
    pub min_gap_percent: u32,
}

impl Default for WorkersSize {
    fn default() -> Self {
        let (interval, lease) = (Duration::from_secs(1), Duration::from_secs(25));
        Self { hosts: 300, pages: 50, interval, lease, min_gap_percent: 95 }
    }
}

impl WorkersSize {
    /// Reads `--hosts N` and `--pages N`.
    pub fn read(options: &[&str]) -> Result<Self, XtaskError> {
        let mut size = Self::default();
        for option in options.chunks(2) {
            match option {
                ["--hosts", value] => size.hosts = number("--hosts", value)?,
                ["--pages", value] => size.pages = number("--pages", value)?,
                _ => {
                    return Err(XtaskError::new("unknown option of `workers`")
                        .hint("the options are `--hosts N`, `--pages N` and `--relink PATH`"));
                }
            }
        }
        Ok(size)
    }

    /// Returns the smallest accepted gap.
    fn min_gap(&self) -> Duration {
        self.interval * self.min_gap_percent / 100
    }

    /// Returns the maximum number of requests in flight of each process. It also limits
    /// the hosts that a process leases. This value lets all processes lease hosts.
    fn concurrency(&self) -> usize {
        self.hosts.div_ceil(WORKERS + 1)
    }

    /// Returns the loopback address of the host with this number.
    pub(crate) fn address(host: usize) -> Ipv4Addr {
        let octet = |number: usize| u8::try_from(number).unwrap_or(u8::MAX);
        Ipv4Addr::new(127, 1, octet(host / 250), octet(host % 250 + 1))
    }
}

/// Runs `relink check` with four workers to its end. `progress` receives status
/// lines.
///
/// # Errors
///
/// Fails if a program cannot be started or does not end.
pub fn run(
    relink: &Path,
    size: &WorkersSize,
    progress: impl Fn(&str),
) -> Result<WorkersOutcome, XtaskError> {
    let addresses: Vec<Ipv4Addr> = (0..size.hosts).map(WorkersSize::address).collect();
    let web = TestServer::start_on(&addresses);
    web.respond_below_with("/page-", |request| page(&request.host, &request.path));
    let urls: Vec<String> = (0..size.pages)
        .flat_map(|page| addresses.iter().map(move |address| (page, address)))
        .map(|(page, address)| web.url_at(&address.to_string(), &format!("/page-{page}")).into())
        .collect();
    let (postgres, scratch) = (PostgresServer::start(Durability::On), Scratch::new()?);
    let list = scratch.path().join("list.txt");
    std::fs::write(&list, urls.join("\n")).map_err(|error| XtaskError::io(&list, &error))?;
    let started = Instant::now();
    let mut run = FaultyRun {
        processes: Processes::start(relink, scratch.path(), &postgres.url(), size)?,
        postgres: &postgres,
        web: &web,
        urls: urls.len(),
        failures: Vec::new(),
        progress: &progress,
    };
    run.inject_failures()?;
    run.processes.wait()?;
    let failures = std::mem::take(&mut run.failures);
    let results = Results::read(&postgres);
    let log = RequestLog::new(&web.requests(), started);
    let report = read_report(&scratch.path().join(REPORT))?;
    Ok(WorkersOutcome::new(size, &urls, &report, &log, &failures, &results))
}

/// Returns URLs and verdicts of a report in JSON Lines.
fn read_report(file: &Path) -> Result<Vec<(String, String)>, XtaskError> {
    let text = std::fs::read_to_string(file).map_err(|error| XtaskError::io(file, &error))?;
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(rows.map(|row| (text_of(&row["url"]), text_of(&row["verdict"]))).collect())
}

/// Returns a page whose text differs from the text of all other pages.
pub(crate) fn page(host: &str, path: &str) -> CannedResponse {
    let words: Vec<String> = (0..40).map(|word| format!("{host}{path}-{word}")).collect();
    let words = words.join(" ");
    CannedResponse::new(200, format!("<title>{host} {path}</title><p>{words}</p>"))
}

/// The results in the database, by URL. The value is a text with all columns that
/// would change if the result was written again.
struct Results(std::collections::BTreeMap<String, String>);

impl Results {
    /// Reads the results from the database.
    fn read(postgres: &PostgresServer) -> Self {
        let rows = postgres.query(
            "SELECT t.url, count(*) || ' ' || min(r.probe_id) || ' ' || min(r.checked_at)
             FROM relink.result r JOIN relink.target t ON t.id = r.target_id
             GROUP BY t.url ORDER BY t.url",
        );
        let split = |row: &str| row.split_once('|').map(|(url, row)| (url.into(), row.into()));
        Self(rows.lines().filter_map(split).collect())
    }
}

/// A run, and the failures of its workers so far.
struct FaultyRun<'a> {
    processes: Processes,
    postgres: &'a PostgresServer,
    web: &'a TestServer,
    /// Number of URLs.
    urls: usize,
    failures: Vec<WorkerFailure>,
    progress: &'a dyn Fn(&str),
}

impl FaultyRun<'_> {
    /// Kills two workers, suspends one until it has lost its leases, and restarts the
    /// database server.
    fn inject_failures(&mut self) -> Result<(), XtaskError> {
        self.wait("all workers sent requests", |run| {
            let requests = run.web.requests();
            let agents = requests.iter().filter_map(|request| request.header("user-agent"));
            let agents: std::collections::BTreeSet<&str> = agents.collect();
            (1..=WORKERS).all(|worker| agents.contains(&*Processes::agent(worker)))
        })?;
        self.wait_for_share(20)?;
        self.interrupt_worker(1, "KILL")?;
        self.wait_for_share(30)?;
        self.interrupt_worker(2, "STOP")?;
        self.wait_for_share(40)?;
        self.interrupt_worker(3, "KILL")?;
        self.wait_for_share(50)?;
        (self.progress)("restarting PostgreSQL");
        self.postgres.restart();
        self.wait("the suspended worker lost its leases", |run| {
            // The name of a worker ends with its process id.
            let leased = "SELECT count(*) FROM relink.host h JOIN relink.worker w
                          ON w.id = h.worker_id WHERE w.name LIKE '%:' || ";
            let id = run.processes.id(2);
            let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
            run.postgres.query(&format!("{leased} {id} AND h.lease_until > {now}")) == "0"
        })?;
        let committed = Results::read(self.postgres);
        self.processes.signal(2, "CONT")?;
        if let Some(failure) = self.failures.iter_mut().find(|failure| failure.worker == 2) {
            failure.continued = Some(committed);
        }
        Ok(())
    }

    /// Reads the committed results, then sends a signal to a worker and records this as
    /// a failure.
    fn interrupt_worker(&mut self, worker: usize, signal: &str) -> Result<(), XtaskError> {
        (self.progress)(&format!("SIG{signal} to worker {worker}"));
        let committed = Results::read(self.postgres);
        self.processes.signal(worker, signal)?;
        self.failures.push(WorkerFailure {
            worker,
            at: Instant::now(),
            committed,
            continued: None,
        });
        Ok(())
    }

    /// Waits until the web servers have received this percentage of the requests.
    fn wait_for_share(&mut self, percent: usize) -> Result<(), XtaskError> {
        let requests = self.urls * percent / 100;
        self.wait("enough requests arrived", |run| run.web.request_count() >= requests)
    }

    /// Waits until a condition is true. `what` describes it for an error message.
    fn wait(&mut self, what: &str, is_done: impl Fn(&Self) -> bool) -> Result<(), XtaskError> {
        let started = Instant::now();
        while !is_done(self) {
            if started.elapsed() > MAX_STEP_TIME || self.processes.has_ended()? {
                return Err(XtaskError::new(format!("the run ended before {what}")));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }
}
