//! A simulation of the PostgreSQL queue at a size that no test can run: by default
//! 10^9 URLs on 10^7 hosts and 1,000 workers.
//!
//! The simulation is pure and deterministic. Workers lease hosts, request one page
//! per host and interval, and store their results in a database whose operations
//! wait for a free processor core. The costs of the operations are those that
//! `cargo xtask bench queue` measures.

mod database;
mod progress;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use self::database::Database;
use self::progress::Progress;
use crate::XtaskError;
use crate::bench::number;

/// Tasks of a host that a worker reads at a time.
const TASKS_PER_HOST: u64 = 10;
/// The number of pages of the host with rank `n` is proportional to `n` to the power
/// of minus this.
const SKEW: f64 = 0.8;
/// Numbers of database cores of the table.
const CORES: [usize; 4] = [2, 8, 32, 128];
/// Microseconds per second.
const SECOND: u64 = 1_000_000;

/// What is simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueueSimulation {
    /// Number of URLs.
    pub urls: u64,
    /// Number of hosts.
    pub hosts: u64,
    /// Number of workers.
    pub workers: u64,
    /// Hosts that a worker leases at a time, with one request in flight each.
    pub concurrency: u64,
    /// Time between requests to a host, in milliseconds.
    pub interval_ms: u64,
    /// Costs of the database.
    pub costs: DatabaseCosts,
}

/// Processor time of the database in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DatabaseCosts {
    /// For each URL: reading its task, storing its probe and its result.
    pub url_us: f64,
    /// For each lease of a host, including its release.
    pub host_us: f64,
    /// For each lease that is renewed.
    pub renewal_us: f64,
}

impl Default for QueueSimulation {
    fn default() -> Self {
        Self {
            urls: 1_000_000_000,
            hosts: 10_000_000,
            workers: 1_000,
            concurrency: 128,
            interval_ms: 1_000,
            costs: DatabaseCosts::MEASURED,
        }
    }
}

impl QueueSimulation {
    /// Reads `--urls N`, `--hosts N`, `--workers N`, `--concurrency N` and
    /// `--interval-ms N`.
    pub fn read(options: &[&str]) -> Result<Self, XtaskError> {
        let mut size = Self::default();
        for option in options.chunks(2) {
            match option {
                ["--urls", value] => size.urls = number("--urls", value)?,
                ["--hosts", value] => size.hosts = number("--hosts", value)?,
                ["--workers", value] => size.workers = number("--workers", value)?,
                ["--concurrency", value] => size.concurrency = number("--concurrency", value)?,
                ["--interval-ms", value] => size.interval_ms = number("--interval-ms", value)?,
                _ => {
                    return Err(XtaskError::new("unknown option of `simulate-queue`").hint(
                        "the options are `--urls N`, `--hosts N`, `--workers N`, \
                         `--concurrency N` and `--interval-ms N`",
                    ));
                }
            }
        }
        Ok(size)
    }

    /// Simulates databases of several sizes.
    pub fn run(&self) -> SimulationTable {
        SimulationTable { size: *self, rows: CORES.map(|cores| self.run_with(cores)).to_vec() }
    }

    /// Simulates one run with a database of this size.
    pub fn run_with(&self, cores: usize) -> SimulatedRun {
        let mut hosts = Hosts::new(self.hosts, self.urls);
        let mut database = Database::new(cores);
        let mut progress = Progress::new(self.urls);
        let interval = self.interval_ms * 1_000;
        // A slot of a worker holds one host at a time: its remaining pages.
        let slots = (self.workers * self.concurrency).min(self.hosts);
        let mut remaining = vec![0_u64; usize::try_from(slots).unwrap_or(usize::MAX)];
        let mut finished: BinaryHeap<Reverse<(u64, usize)>> =
            (0..remaining.len()).map(|slot| Reverse((0, slot))).collect();
        let mut done_in_slot = vec![0_u64; remaining.len()];
        while let Some(Reverse((now, slot))) = finished.pop() {
            let done = std::mem::take(&mut done_in_slot[slot]);
            let pages = &mut remaining[slot];
            let mut cost = self.costs.url_us * to_f64(done);
            if *pages == 0 {
                match hosts.next() {
                    Some(next) => {
                        cost += self.costs.host_us;
                        *pages = next;
                    }
                    None if done == 0 => continue,
                    None => {}
                }
            }
            let stored_at = database.run(now, cost);
            progress.add(stored_at, done);
            let tasks = (*pages).min(TASKS_PER_HOST);
            *pages -= tasks;
            done_in_slot[slot] = tasks;
            // Workers read further tasks when half of the queue is left, so a delay
            // of the database matters only if it is longer than the other half.
            let slack = interval * TASKS_PER_HOST / 2;
            let start = now.max(stored_at.saturating_sub(slack));
            if tasks > 0 {
                finished.push(Reverse((start + tasks * interval, slot)));
            }
        }
        SimulatedRun {
            cores,
            largest_host: hosts.largest,
            busy: database.busy_share(progress.time_of(90)),
            renewal_cores: self.renewal_cores(),
            progress,
        }
    }

    /// Returns the database cores that the renewal of leases needs: three renewals
    /// per lease of 25 s.
    fn renewal_cores(&self) -> f64 {
        let leases = to_f64((self.workers * self.concurrency).min(self.hosts));
        leases * 3.0 / 25.0 * self.costs.renewal_us / to_f64(SECOND)
    }
}

/// The sizes of hosts, in an order that does not depend on the size.
struct Hosts {
    count: u64,
    next: u64,
    /// Pages of the host with rank 1.
    first: f64,
    largest: u64,
}

impl Hosts {
    fn new(count: u64, urls: u64) -> Self {
        let sum: f64 = (1..=count).map(|rank| to_f64(rank).powf(-SKEW)).sum();
        let first = to_f64(urls) / sum;
        let mut hosts = Self { count, next: 0, first, largest: 0 };
        hosts.largest = hosts.pages(1);
        hosts
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of pages is positive and far below 2^52"
    )]
    fn pages(&self, rank: u64) -> u64 {
        (self.first * to_f64(rank).powf(-SKEW)).round().max(1.0) as u64
    }
}

impl Iterator for Hosts {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        /// A prime number that is not a divisor of the number of hosts, so that the
        /// products visit every host once.
        const STEP: u64 = 1_000_000_007;
        if self.next == self.count {
            return None;
        }
        self.next += 1;
        Some(self.pages(self.next * STEP % self.count + 1))
    }
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn to_f64(number: u64) -> f64 {
    number as f64
}

/// The result with one size of the database.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedRun {
    cores: usize,
    /// Pages of the largest host.
    largest_host: u64,
    /// The share of processor time that the database used until 90 % were checked.
    busy: f64,
    renewal_cores: f64,
    progress: Progress,
}

/// The results with several sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationTable {
    size: QueueSimulation,
    rows: Vec<SimulatedRun>,
}

impl fmt::Display for SimulationTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let QueueSimulation { urls, hosts, workers, concurrency, interval_ms, costs } = self.size;
        writeln!(
            f,
            "{urls} URLs, {hosts} hosts, {workers} workers with {concurrency} hosts each, \
             {interval_ms} ms per host"
        )?;
        let DatabaseCosts { url_us, host_us, renewal_us } = costs;
        writeln!(
            f,
            "database: {url_us} us per URL, {host_us} us per lease, {renewal_us} us per renewal"
        )?;
        if let Some(row) = self.rows.first() {
            let hours = to_f64(row.largest_host * interval_ms) / 3_600_000.0;
            writeln!(f, "largest host: {} pages, at least {hours:.0} h", row.largest_host)?;
            writeln!(f, "renewal of leases: {:.2} cores", row.renewal_cores)?;
        }
        write!(f, "cores  URLs/s until 90 %    50 %    90 %    99 %   100 %  busy")?;
        for row in &self.rows {
            let hours = |percent| to_f64(row.progress.time_of(percent)) / to_f64(3_600 * SECOND);
            let rate = to_f64(urls) * 0.9 / (hours(90) * 3_600.0);
            write!(
                f,
                "\n{:>5}  {rate:>17.0}  {:>4.1} h  {:>4.1} h  {:>4.0} h  {:>4.0} h  {:>3.0} %",
                row.cores,
                hours(50),
                hours(90),
                hours(99),
                hours(100),
                row.busy * 100.0
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> QueueSimulation {
        let costs = DatabaseCosts { url_us: 100.0, host_us: 50.0, renewal_us: 5.0 };
        let (urls, hosts, workers, concurrency) = (20_000, 500, 4, 25);
        QueueSimulation { urls, hosts, workers, concurrency, interval_ms: 1_000, costs }
    }

    #[test]
    fn every_url_is_checked_and_the_result_is_deterministic() {
        let (first, second) = (small().run_with(2), small().run_with(2));
        assert_eq!(first, second);
        // Rounding changes the number of pages of a host by less than one.
        assert!(first.progress.done().abs_diff(20_000) <= 500, "{}", first.progress.done());
    }

    #[test]
    fn run_takes_at_least_as_long_as_its_largest_host() {
        let run = small().run_with(2);
        assert!(run.progress.time_of(100) >= run.largest_host * SECOND);
        assert!(run.progress.time_of(50) < run.progress.time_of(90));
    }

    /// 100 hosts at a time with one request per second need 100 URLs/s; a database
    /// that stores 50 URLs/s is the limit.
    #[test]
    fn slow_database_limits_the_rate() {
        let costs = DatabaseCosts { url_us: 20_000.0, host_us: 0.0, renewal_us: 0.0 };
        let slow = QueueSimulation { costs, ..small() }.run_with(1);
        let half = slow.progress.time_of(50);
        let rate = 10_000.0 / (to_f64(half) / to_f64(SECOND));
        assert!((45.0..=50.5).contains(&rate), "{rate}");
        assert!(small().run_with(2).progress.time_of(50) < half);
    }

    #[test]
    fn every_host_is_visited_once() {
        let sizes: Vec<u64> = Hosts::new(1_000, 50_000).collect();
        let mut sorted: Vec<u64> =
            (1..=1_000).map(|r| Hosts::new(1_000, 50_000).pages(r)).collect();
        let mut found = sizes.clone();
        found.sort_unstable();
        sorted.sort_unstable();
        assert_eq!(found, sorted);
    }
}
