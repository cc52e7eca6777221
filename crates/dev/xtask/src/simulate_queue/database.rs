//! A database whose operations wait for a free processor core.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{DatabaseCosts, to_f64};

impl DatabaseCosts {
    /// Costs measured by `cargo xtask bench queue` with PostgreSQL 15 on two cores.
    ///
    /// 27,468 URLs/s on two cores are 73 us per URL. This includes a tenth of a lease of
    /// 200 us, so 53 us remain. A lease has three statements. A renewal is one of them
    /// and takes a third of the time.
    pub const MEASURED: Self = Self { url_us: 53.0, host_us: 200.0, renewal_us: 67.0 };
}

/// A database with a number of processor cores. Each operation uses one core.
pub(super) struct Database {
    /// The time at which each core is free.
    free_at: BinaryHeap<Reverse<u64>>,
    cores: usize,
    /// Microseconds of work that ended in each minute.
    work_by_minute: Vec<u64>,
}

/// Microseconds per minute.
const MINUTE: u64 = 60_000_000;

impl Database {
    pub(super) fn new(cores: usize) -> Self {
        let free_at = (0..cores).map(|_| Reverse(0)).collect();
        Self { free_at, cores, work_by_minute: Vec::new() }
    }

    /// Simulates an operation that arrives at `now` and takes `cost`. It starts when a
    /// core is free. Returns the time when it ends.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "costs are positive and small"
    )]
    pub(super) fn run(&mut self, now: u64, cost: f64) -> u64 {
        let cost = cost.round() as u64;
        let free = self.free_at.pop().map_or(0, |Reverse(free)| free);
        let end = free.max(now) + cost;
        self.free_at.push(Reverse(end));
        let minute = usize::try_from(end / MINUTE).unwrap_or(usize::MAX);
        if self.work_by_minute.len() <= minute {
            self.work_by_minute.resize(minute + 1, 0);
        }
        self.work_by_minute[minute] += cost;
        end
    }

    /// Returns the share of processor time that was used until this time, which is
    /// rounded up to minutes.
    pub(super) fn busy_share(&self, until: u64) -> f64 {
        let minutes = until.div_ceil(MINUTE).max(1);
        let count = usize::try_from(minutes).unwrap_or(usize::MAX);
        let work: u64 = self.work_by_minute.iter().take(count).sum();
        to_f64(work) / to_f64(MINUTE * minutes * self.cores as u64)
    }
}
