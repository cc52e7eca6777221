//! Elapsed times of scoring a site and of matching a page.

use std::time::Duration;

/// Recorded times.
#[derive(Debug, Default)]
pub struct Timing {
    sites: Vec<Duration>,
    pages: Vec<Duration>,
}

impl Timing {
    /// Records the time of scoring a site.
    pub fn record_site(&mut self, time: Duration) {
        self.sites.push(time);
    }

    /// Records the time of matching a page.
    pub fn record_page(&mut self, time: Duration) {
        self.pages.push(time);
    }

    /// Prints the median and the 95th percentile of both.
    #[expect(clippy::print_stderr, reason = "standard output is for answers")]
    pub fn report(self) {
        for (name, times) in [("score a site", self.sites), ("match a page", self.pages)] {
            if !times.is_empty() {
                let (median, high) = quantiles(times);
                eprintln!("{name}: median {median:.1?}, p95 {high:.1?}");
            }
        }
    }
}

/// Returns the median and the 95th percentile. The list must not be empty.
fn quantiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    let at = |hundredths: usize| times[(times.len() - 1) * hundredths / 100];
    (at(50), at(95))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_returns_median_and_95th_percentile() {
        let times = (1..=101).map(Duration::from_secs).collect();
        assert_eq!(quantiles(times), (Duration::from_secs(51), Duration::from_secs(96)));
    }
}
