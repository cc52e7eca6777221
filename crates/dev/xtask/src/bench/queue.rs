//! Measures the throughput of the task queue in PostgreSQL without sending requests.
//!
//! Workers claim tasks and commit their results through the store. Then pgbench runs
//! the same statements on a copy of the same database. The difference is the cost of
//! Relink's own code, which converts parameters, rows and JSON.

mod completion;
mod load;
mod pgbench;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use relink_model::RunId;
use relink_ports::{
    CacheWindow, Claim, ClaimRequest, Clock, HostRelease, HostSchedule, WorkQueue as _,
};
use relink_store::{PostgresStore, PostgresUrl};
use relink_testkit::postgres::{Durability, PostgresServer};
use tokio::task::JoinSet;

use self::completion::Completer;
use super::number;
use crate::XtaskError;

/// Minimum throughput, as a share of the throughput of pgbench.
const MIN_RATIO: f64 = 0.6;
/// Maximum number of hosts of a claim, as the engine requests them.
const HOSTS_PER_CLAIM: usize = 50;
/// Maximum number of tasks per host of a claim, as the engine requests them.
const TASKS_PER_HOST: usize = 10;
/// Results per commit, as the engine stores them.
const COMMIT_SIZE: usize = 64;
/// Duration of a lease.
const LEASE: Duration = Duration::from_secs(25);
/// Settings of PostgreSQL, with the memory of a small production system.
const SERVER_SETTINGS: &str = "shared_buffers = 512MB\nmax_wal_size = 4GB";

/// The size of the database, and the duration and number of measurements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueSize {
    /// Number of URLs.
    pub urls: usize,
    /// Number of hosts. The number of URLs of a host follows Zipf's law.
    pub hosts: usize,
    /// Duration of each measurement.
    pub duration: Duration,
    /// The numbers of workers. Each is measured once.
    pub workers: Vec<usize>,
}

impl Default for QueueSize {
    fn default() -> Self {
        let duration = Duration::from_secs(10);
        Self { urls: 1_000_000, hosts: 20_000, duration, workers: vec![1, 2, 4, 8] }
    }
}

impl QueueSize {
    /// Reads `--urls N`, `--hosts N` and `--seconds N`.
    pub fn read(options: &[&str]) -> Result<Self, XtaskError> {
        let mut size = Self::default();
        for option in options.chunks(2) {
            match option {
                ["--urls", value] => size.urls = number("--urls", value)?,
                ["--hosts", value] => size.hosts = number("--hosts", value)?,
                ["--seconds", value] => {
                    size.duration = Duration::from_secs(number("--seconds", value)?);
                }
                _ => {
                    return Err(XtaskError::new("unknown option of `bench queue`")
                        .hint("the options are `--urls N`, `--hosts N` and `--seconds N`"));
                }
            }
        }
        Ok(size)
    }
}

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueBenchResult {
    urls: usize,
    hosts: usize,
    /// URLs stored per second.
    load_rate: f64,
    /// Bytes on disk per pending URL, and per checked URL.
    bytes_per_url: (u64, u64),
    /// The times of the operations with the first number of workers.
    times: OperationTimes,
    /// One measurement per number of workers.
    pub rows: Vec<QueueRow>,
}

/// The total time of each operation, measured by the caller, and the number of hosts
/// and tasks they concerned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct OperationTimes {
    hosts: u64,
    tasks: u64,
    claim: Duration,
    commit: Duration,
    release: Duration,
}

impl OperationTimes {
    /// Adds the times and counts of another worker.
    fn add(&mut self, other: Self) {
        self.hosts += other.hosts;
        self.tasks += other.tasks;
        self.claim += other.claim;
        self.commit += other.commit;
        self.release += other.release;
    }
}

impl fmt::Display for OperationTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
        let micros = |time: Duration, count: u64| time.as_secs_f64() * 1e6 / count.max(1) as f64;
        write!(
            f,
            "claim {:.1} us per URL, commit {:.1} us per URL, release {:.1} us per host",
            micros(self.claim, self.tasks),
            micros(self.commit, self.tasks),
            micros(self.release, self.hosts)
        )
    }
}

/// The throughput with one number of workers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueueRow {
    workers: usize,
    /// URLs per second through the store.
    relink: f64,
    /// URLs per second with pgbench.
    pgbench: f64,
}

impl QueueRow {
    fn ratio(&self) -> f64 {
        self.relink / self.pgbench
    }
}

impl QueueBenchResult {
    /// Whether the store is fast enough with every number of workers.
    pub fn is_fast(&self) -> bool {
        self.rows.iter().all(|row| row.ratio() >= MIN_RATIO)
    }

    /// Whether both programs completed tasks with every number of workers.
    pub fn is_correct(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| row.relink > 0.0 && row.pgbench > 0.0)
    }
}

impl fmt::Display for QueueBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { urls, hosts, load_rate, bytes_per_url: (pending, checked), times, rows } = self;
        writeln!(
            f,
            "{urls} URLs on {hosts} hosts, loaded at {load_rate:.0} URLs/s, {pending} bytes per \
             URL, {checked} more when it is checked"
        )?;
        writeln!(f, "times with one connection: {times}")?;
        write!(f, "workers  relink URLs/s  pgbench URLs/s  ratio (limit {MIN_RATIO})")?;
        for row in rows {
            let QueueRow { workers, relink, pgbench } = row;
            write!(f, "\n{workers:>7}  {relink:>13.0}  {pgbench:>14.0}  {:>5.2}", row.ratio())?;
        }
        Ok(())
    }
}

/// A database with pending tasks, as pgbench needs it.
struct Queue<'a> {
    url: &'a str,
    run: i64,
    /// The JSON of the probe that each commit stores.
    detail: &'a str,
}

/// Measures the queue. `progress` receives status lines.
///
/// # Errors
///
/// Fails if a statement fails.
pub fn bench_queue(
    size: &QueueSize,
    progress: impl Fn(&str),
) -> Result<QueueBenchResult, XtaskError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| XtaskError::new(format!("no runtime: {error}")))?;
    let server = PostgresServer::start_with(Durability::On, SERVER_SETTINGS);
    let loaded = server.new_database();
    progress(&format!("storing {} URLs on {} hosts", size.urls, size.hosts));
    let started = Instant::now();
    let run = runtime.block_on(load::load(&loaded, size))?;
    let load_rate = rate(size.urls as u64, started.elapsed());
    server.query_in(&loaded, "VACUUM ANALYZE");
    let loaded_bytes = database_bytes(&server, &loaded);
    let mut bytes_per_url = (loaded_bytes / size.urls.max(1) as u64, 0);
    let (completer, mut rows, mut times) = (Completer::new(), Vec::new(), None);
    for &workers in &size.workers {
        progress(&format!("{workers} workers: relink, then pgbench"));
        let relink = on_copy(&server, &loaded, |url| {
            let worked = run_workers(url, run, workers, size.duration, &completer);
            let (duration, worker_times) = runtime.block_on(worked)?;
            let added_bytes = database_bytes(&server, url).saturating_sub(loaded_bytes);
            bytes_per_url.1 = added_bytes / worker_times.tasks.max(1);
            times.get_or_insert(worker_times);
            Ok(duration)
        })?;
        let pgbench = on_copy(&server, &loaded, |url| {
            let queue = Queue { url, run: run.0, detail: completer.detail() };
            pgbench::run(&server, &queue, workers, size.duration)
        })?;
        rows.push(QueueRow { workers, relink, pgbench });
    }
    let (&QueueSize { urls, hosts, .. }, times) = (size, times.unwrap_or_default());
    Ok(QueueBenchResult { urls, hosts, load_rate, bytes_per_url, times, rows })
}

fn database_bytes(server: &PostgresServer, url: &str) -> u64 {
    let bytes = server.query_in(url, "SELECT pg_database_size(current_database())");
    bytes.parse().unwrap_or(0)
}

/// Runs a measurement on a copy of a database and returns the finished tasks per
/// second.
fn on_copy(
    server: &PostgresServer,
    loaded: &str,
    measure: impl FnOnce(&str) -> Result<Duration, XtaskError>,
) -> Result<f64, XtaskError> {
    let (name, template) = (server.new_schema(), loaded.rsplit('/').next().unwrap_or_default());
    server.query(&format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy"));
    server.query("CHECKPOINT");
    let url = server.database_url(&name);
    let duration = measure(&url)?;
    let finished =
        server.query_in(&url, "SELECT count(*) FROM relink.task WHERE state = 2 /* finished */");
    server.query(&format!("DROP DATABASE {name} WITH (FORCE)"));
    Ok(rate(finished.parse().unwrap_or(0), duration))
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn rate(count: u64, duration: Duration) -> f64 {
    count as f64 / duration.as_secs_f64()
}

/// The clock of the machine.
struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }
}

async fn open(url: &str) -> Result<PostgresStore, XtaskError> {
    let url = PostgresUrl::parse(url).map_err(|error| XtaskError::new(error.to_string()))?;
    PostgresStore::open(url, Arc::new(SystemClock)).await.map_err(|error| store_error(&error))
}

fn store_error(error: &relink_ports::StoreError) -> XtaskError {
    let cause = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    XtaskError::new(format!("{error}: {cause}"))
}

/// Claims and completes tasks with `workers` connections. Returns the duration, and
/// the times of the operations.
async fn run_workers(
    url: &str,
    run: RunId,
    workers: usize,
    duration: Duration,
    completer: &Completer,
) -> Result<(Duration, OperationTimes), XtaskError> {
    let mut stores = Vec::with_capacity(workers);
    for _ in 0..workers {
        stores.push(open(url).await?);
    }
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for store in stores {
        let completer = completer.clone();
        tasks.spawn(async move { run_worker(&store, run, started + duration, &completer).await });
    }
    let mut times = OperationTimes::default();
    while let Some(done) = tasks.join_next().await {
        times.add(done.map_err(|error| XtaskError::new(error.to_string()))??);
    }
    Ok((started.elapsed(), times))
}

/// Claims and completes tasks until none is left or the time is over.
async fn run_worker(
    store: &PostgresStore,
    run: RunId,
    until: Instant,
    completer: &Completer,
) -> Result<OperationTimes, XtaskError> {
    let mut times = OperationTimes::default();
    while Instant::now() < until {
        let (now, started) = (SystemClock.now(), Instant::now());
        let claims =
            store.claim(run, claim_request(now)).await.map_err(|error| store_error(&error))?;
        if claims.is_empty() {
            break;
        }
        let claimed = Instant::now();
        let mut completions = Vec::with_capacity(HOSTS_PER_CLAIM * TASKS_PER_HOST);
        for Claim { lease, tasks, .. } in &claims {
            completions.extend(tasks.iter().map(|task| completer.complete(*lease, task, now)));
        }
        let cache_window = CacheWindow { now, fresh_since: jiff::Timestamp::MAX };
        for batch in completions.chunks(COMMIT_SIZE) {
            store.commit(run, batch, cache_window).await.map_err(|error| store_error(&error))?;
        }
        let committed = Instant::now();
        let hosts: Vec<HostRelease> = claims.iter().map(|claim| host_release(claim, now)).collect();
        store.release(run, &hosts).await.map_err(|error| store_error(&error))?;
        times.add(OperationTimes {
            hosts: claims.len() as u64,
            tasks: completions.len() as u64,
            claim: claimed - started,
            commit: committed - claimed,
            release: committed.elapsed(),
        });
    }
    Ok(times)
}

/// Returns a claim with the sizes that the engine uses.
fn claim_request(now: jiff::Timestamp) -> ClaimRequest {
    ClaimRequest {
        hosts: HOSTS_PER_CLAIM,
        tasks: TASKS_PER_HOST,
        now,
        until: now + jiff::SignedDuration::try_from(LEASE).unwrap_or_default(),
        claims_before_due: false,
    }
}

/// Returns the release of a host that can be claimed again at once.
fn host_release(claim: &Claim, now: jiff::Timestamp) -> HostRelease {
    let schedule = HostSchedule { next_at: now, stored_at: now, ..HostSchedule::default() };
    let requests = claim.tasks.len() as u64;
    let stats = relink_ports::HostStats { requests, responses: requests, ..Default::default() };
    HostRelease { lease: claim.lease, schedule, stats }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_decides_whether_the_store_is_fast() {
        let row = |relink| QueueRow { workers: 8, relink, pgbench: 20_000.0 };
        let result = |rows| QueueBenchResult {
            urls: 1,
            hosts: 1,
            load_rate: 1.0,
            bytes_per_url: (1, 1),
            times: OperationTimes::default(),
            rows,
        };
        assert!(result(vec![row(12_000.0)]).is_fast());
        assert!(!result(vec![row(12_000.0), row(11_999.0)]).is_fast());
        assert!(result(vec![row(13_000.0)]).to_string().ends_with(" 0.65"));
    }
}
