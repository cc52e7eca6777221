//! Simulates the task queue in PostgreSQL at a size that no test can run: by default
//! 10^9 URLs on 10^7 hosts and 1,000 workers.
//!
//! This is a discrete-event simulation: it advances from one event to the next and
//! does not wait. Workers lease hosts and request one page per host and interval. They
//! store their results in a database whose operations wait for a free processor core.
//! The costs of the operations are those that `cargo xtask bench queue` measures. The
//! result is deterministic.

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
/// Exponent of Zipf's law: the number of pages of the n-th largest host is
/// proportional to `1 / n^ZIPF_EXPONENT`.
const ZIPF_EXPONENT: f64 = 0.8;
/// The numbers of processor cores of the simulated databases.
const DATABASE_CORES: [usize; 4] = [2, 8, 32, 128];
/// Microseconds per second. All times of the simulation are microseconds.
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
        let rows = DATABASE_CORES.map(|cores| self.run_with(cores)).to_vec();
        SimulationTable { size: *self, rows }
    }

    /// Simulates one run with a database of this number of cores.
    pub fn run_with(&self, cores: usize) -> SimulatedRun {
        let mut hosts = Hosts::new(self.hosts, self.urls);
        let mut database = Database::new(cores);
        let mut progress = Progress::new(self.urls);
        let interval = self.interval_ms * 1_000;
        let slot_count = (self.workers * self.concurrency).min(self.hosts);
        let mut slots =
            vec![HostSlot::default(); usize::try_from(slot_count).unwrap_or(usize::MAX)];
        // An event: the time at which a slot has fetched its tasks.
        let mut events: BinaryHeap<Reverse<(u64, usize)>> =
            (0..slots.len()).map(|slot| Reverse((0, slot))).collect();
        while let Some(Reverse((now, index))) = events.pop() {
            let slot = &mut slots[index];
            let fetched = std::mem::take(&mut slot.tasks);
            let mut cost = self.costs.url_us * to_f64(fetched);
            if slot.unread_pages == 0 {
                match hosts.next() {
                    Some(pages) => {
                        cost += self.costs.host_us;
                        slot.unread_pages = pages;
                    }
                    None if fetched == 0 => continue,
                    None => {}
                }
            }
            let stored_at = database.run(now, cost);
            progress.add(stored_at, fetched);
            slot.tasks = slot.unread_pages.min(TASKS_PER_HOST);
            slot.unread_pages -= slot.tasks;
            // Workers read further tasks when half of the queue is left, so a delay
            // of the database matters only if it is longer than the other half.
            let max_delay = interval * TASKS_PER_HOST / 2;
            let start = now.max(stored_at.saturating_sub(max_delay));
            if slot.tasks > 0 {
                events.push(Reverse((start + slot.tasks * interval, index)));
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

/// A slot of a worker, which holds one leased host at a time.
#[derive(Debug, Clone, Copy, Default)]
struct HostSlot {
    /// Pages of the host whose tasks the worker has not read yet.
    unread_pages: u64,
    /// Tasks that the worker is fetching.
    tasks: u64,
}

/// Iterates over the numbers of pages of all hosts. The order is not that of size, so
/// that large hosts are spread over the run.
struct Hosts {
    count: u64,
    next: u64,
    /// Pages of the largest host, before rounding.
    first: f64,
    /// Pages of the largest host.
    largest: u64,
}

impl Hosts {
    fn new(count: u64, urls: u64) -> Self {
        let sum: f64 = (1..=count).map(|rank| to_f64(rank).powf(-ZIPF_EXPONENT)).sum();
        let first = to_f64(urls) / sum;
        let mut hosts = Self { count, next: 0, first, largest: 0 };
        hosts.largest = hosts.pages(1);
        hosts
    }

    /// Returns the number of pages of the host with this rank. Rank 1 is the largest
    /// host.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of pages is positive and far below 2^52"
    )]
    fn pages(&self, rank: u64) -> u64 {
        (self.first * to_f64(rank).powf(-ZIPF_EXPONENT)).round().max(1.0) as u64
    }
}

impl Iterator for Hosts {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        /// A prime number that does not divide the number of hosts. Its multiples modulo
        /// the number of hosts are all ranks, each once.
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

/// The result with one number of database cores.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedRun {
    cores: usize,
    /// Pages of the largest host.
    largest_host: u64,
    /// The share of processor time that the database used until 90 % of the URLs were
    /// checked.
    busy: f64,
    /// The database cores that the renewal of leases needs.
    renewal_cores: f64,
    progress: Progress,
}

/// The results with several numbers of database cores.
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

    /// 100 hosts at a time with one request per second need 100 URLs/s. A database
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
    fn iterator_returns_every_host_once() {
        let sizes: Vec<u64> = Hosts::new(1_000, 50_000).collect();
        let mut sorted: Vec<u64> =
            (1..=1_000).map(|r| Hosts::new(1_000, 50_000).pages(r)).collect();
        let mut found = sizes.clone();
        found.sort_unstable();
        sorted.sort_unstable();
        assert_eq!(found, sorted);
    }
}
