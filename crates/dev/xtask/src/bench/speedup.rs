//! Measures how much faster several processes check a list of URLs than one.
//!
//! The servers respond slowly, and each process sends few requests at a time. The
//! speed is therefore limited by the servers and not by the processor.

use std::fmt;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use relink_testkit::postgres::{Durability, PostgresServer};
use relink_testkit::web::TestServer;

use super::scratch::Scratch;
use crate::XtaskError;
use crate::workers::processes::command;
use crate::workers::{WorkersSize, page};

/// The web servers and the processes of a measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeedupSize {
    /// Number of hosts, each with its own loopback address.
    pub hosts: usize,
    /// Pages per host.
    pub pages: usize,
    /// Duration of each response.
    pub delay: Duration,
    /// Requests in flight of each process.
    pub concurrency: usize,
    /// The numbers of processes, including the check itself. Each is measured once.
    pub processes: Vec<usize>,
}

impl Default for SpeedupSize {
    fn default() -> Self {
        let (delay, processes) = (Duration::from_millis(250), vec![1, 2, 4, 8]);
        Self { hosts: 200, pages: 20, delay, concurrency: 16, processes }
    }
}

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeedupResult {
    urls: usize,
    delay: Duration,
    concurrency: usize,
    /// Number of processes and duration of the check.
    rows: Vec<(usize, Duration)>,
}

impl fmt::Display for SpeedupResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { urls, delay, concurrency, rows } = self;
        write!(
            f,
            "{urls} URLs, {delay:?} per response, {concurrency} requests in flight per process\n\
             processes  seconds  URLs/s  speed-up"
        )?;
        let first = rows.first().map_or(1.0, |(_, duration)| duration.as_secs_f64());
        for (processes, duration) in rows {
            let seconds = duration.as_secs_f64();
            #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
            let rate = *urls as f64 / seconds;
            write!(f, "\n{processes:>9}  {seconds:>7.1}  {rate:>6.0}  {:>8.2}", first / seconds)?;
        }
        Ok(())
    }
}

/// Measures a check with each number of processes. `progress` receives status lines.
///
/// # Errors
///
/// Fails if a process cannot be started, or if a URL is not reported as alive.
pub fn bench_speedup(
    relink: &Path,
    size: &SpeedupSize,
    progress: impl Fn(&str),
) -> Result<SpeedupResult, XtaskError> {
    let addresses: Vec<Ipv4Addr> = (0..size.hosts).map(WorkersSize::address).collect();
    let (web, delay) = (TestServer::start_on(&addresses), size.delay);
    web.respond_below_with("/page-", move |request| {
        page(&request.host, &request.path).with_delay(delay)
    });
    let mut list = String::new();
    for number in 0..size.pages {
        for address in &addresses {
            list += web.url_at(&address.to_string(), &format!("/page-{number}")).as_str();
            list.push('\n');
        }
    }
    let (postgres, urls) = (PostgresServer::start(Durability::On), size.hosts * size.pages);
    let mut rows = Vec::new();
    for &processes in &size.processes {
        progress(&format!("{processes} processes"));
        rows.push((processes, measure(relink, &postgres, size, processes, &list)?));
    }
    Ok(SpeedupResult { urls, delay, concurrency: size.concurrency, rows })
}

/// Returns the duration of a check with this number of processes.
fn measure(
    relink: &Path,
    postgres: &PostgresServer,
    size: &SpeedupSize,
    processes: usize,
    list: &str,
) -> Result<Duration, XtaskError> {
    let (scratch, db) = (Scratch::new()?, postgres.new_database());
    let folder = scratch.path();
    let file = folder.join("list.txt");
    std::fs::write(&file, list).map_err(|error| XtaskError::io(&file, &error))?;
    let started = Instant::now();
    let common = ["--db", &db, "--concurrency", &size.concurrency.to_string()];
    let mut workers = Workers(Vec::new());
    for _ in 1..processes {
        let mut worker = command(relink, folder);
        worker.arg("worker").args(common).stdout(Stdio::null()).stderr(Stdio::null());
        workers.0.push(worker.spawn().map_err(|error| XtaskError::io(relink, &error))?);
    }
    let output = command(relink, folder)
        .arg("check")
        .args(common)
        .args(["--format", "jsonl", "--host-interval", "0", "--host-concurrency", "1"])
        .args(["--no-controls", "list.txt"])
        .output()
        .map_err(|error| XtaskError::io(relink, &error))?;
    let duration = started.elapsed();
    let rows = String::from_utf8_lossy(&output.stdout);
    let alive = rows.lines().filter(|row| row.contains("\"verdict\":\"alive\"")).count();
    if alive == size.hosts * size.pages {
        return Ok(duration);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(XtaskError::new(format!("{alive} URLs are alive: {message}")))
}

/// Workers that are killed when this is dropped.
struct Workers(Vec<Child>);

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in &mut self.0 {
            // Ignore errors: the process may have ended.
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}
