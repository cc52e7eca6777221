//! How long learning a site and answering a page took.

use std::time::Duration;

/// Times taken, to be summed up at the end.
#[derive(Debug, Default)]
pub struct Timing {
    learned: Vec<Duration>,
    applied: Vec<Duration>,
}

impl Timing {
    /// Notes that a site was learned.
    pub fn learned(&mut self, time: Duration) {
        self.learned.push(time);
    }

    /// Notes that a page was answered.
    pub fn applied(&mut self, time: Duration) {
        self.applied.push(time);
    }

    /// Says median and 95th percentile of both.
    #[expect(clippy::print_stderr, reason = "answers go to standard output, times do not")]
    pub fn report(self) {
        for (name, times) in [("learn a site", self.learned), ("answer a page", self.applied)] {
            if !times.is_empty() {
                let (median, high) = quantiles(times);
                eprintln!("{name}: median {median:.1?}, p95 {high:.1?}");
            }
        }
    }
}

/// Median and 95th percentile; of a list that is not empty.
fn quantiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    let at = |hundredths: usize| times[(times.len() - 1) * hundredths / 100];
    (at(50), at(95))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let times = (1..=101).map(Duration::from_secs).collect();
        assert_eq!(quantiles(times), (Duration::from_secs(51), Duration::from_secs(96)));
    }
}
