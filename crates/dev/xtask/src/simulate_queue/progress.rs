//! Records at what time each percent of the URLs was checked.

/// The times at which each percent of the URLs was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Progress {
    urls: u64,
    /// Number of checked URLs.
    done: u64,
    /// The time by percent, in microseconds.
    times: Vec<u64>,
    /// The time when the last URL was checked.
    last: u64,
}

impl Progress {
    pub(super) fn new(urls: u64) -> Self {
        Self { urls, done: 0, times: vec![0], last: 0 }
    }

    /// Records that `done` URLs were checked at `now`.
    pub(super) fn add(&mut self, now: u64, done: u64) {
        self.done += done;
        self.last = self.last.max(now);
        while self.times.len() <= 100 && self.done * 100 >= self.urls * self.times.len() as u64 {
            self.times.push(self.last);
        }
    }

    /// Returns the number of checked URLs.
    #[cfg(test)]
    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// Returns the time at which this percentage of the URLs was checked. For 100
    /// percent, this is the end of the run.
    pub(super) fn time_of(&self, percent: usize) -> u64 {
        if percent >= 100 {
            self.last
        } else {
            self.times.get(percent).copied().unwrap_or(self.last)
        }
    }
}
