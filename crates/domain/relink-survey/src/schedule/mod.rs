//! The weekly schedule of re-checks, computed from history and time.
//!
//! Three kinds of URLs share the requests:
//!
//! - Known broken URLs are checked at Fibonacci intervals in weeks (Le & Shulman, section 4,
//!   mention the sequence but no unit).
//! - *Sentinels* are live URLs, each of which represents its directory. The sentinel of the
//!   directory with the highest expected gain is checked next, see [`recheck_index`].
//! - A directory in which a sentinel has just died is checked in full, because pages of a directory
//!   tend to die together.

mod decay_simulation;
mod weekly;

pub use decay_simulation::{DecaySimulation, DecaySimulationResult, simulate_decay};
pub use weekly::Schedule;

/// A number of weeks since an arbitrary start.
pub type Week = u32;

/// The check history of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlHistory {
    /// The week of the last check.
    pub last_checked: Week,
    /// Number of consecutive failures; 0 for a live URL.
    pub failures: u32,
}

/// Number of additional survey intervals after which a completely decayed domain is surveyed.
/// Bar-Yossef et al. ("Sic transit gloria telae", section 6) suggest to visit decayed regions less
/// often, but give no number.
const DECAY_FACTOR: f64 = 2.0;

/// Returns the days between two surveys of a domain with this mean decay, from 0 to 1. `days` is
/// the interval without decay. Most broken links of a decayed domain stay broken, so the domain is
/// surveyed less often.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a multiple of a number of days"
)]
pub fn survey_interval(days: u32, decay: f64) -> u32 {
    let decay = if decay.is_nan() { 0.0 } else { decay.clamp(0.0, 1.0) };
    (f64::from(days) * (1.0 + DECAY_FACTOR * decay)).round() as u32
}

/// Returns the interval after this number of consecutive failures: 1, 2, 3, 5, 8, … weeks.
pub fn recheck_interval(failures: u32) -> Week {
    let (mut interval, mut next) = (1_u32, 2_u32);
    for _ in 1..failures {
        (interval, next) = (next, interval.saturating_add(next));
    }
    interval
}

impl UrlHistory {
    /// Whether a known broken URL is due for a re-check.
    pub fn is_due(self, now: Week) -> bool {
        self.failures > 0
            && now.saturating_sub(self.last_checked) >= recheck_interval(self.failures)
    }
}

/// The deaths among live URLs and the time over which they were observed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HazardEstimate {
    /// Number of deaths.
    pub deaths: f64,
    /// Observed time in URL-weeks.
    pub exposure: f64,
}

impl HazardEstimate {
    /// Returns the deaths per URL and week, averaged with the `common` rate. The common rate has
    /// the weight of `weight` observed deaths (the mean of a gamma distribution).
    pub fn rate(self, common: f64, weight: f64) -> f64 {
        (self.deaths + weight) / (self.exposure + weight / common.max(f64::MIN_POSITIVE))
    }
}

/// Returns the gain of a check: the death rate times the square of the age in weeks.
///
/// Without a check for *t* weeks, the URLs that died are undetected for rate · *t*²/2 weeks in
/// total. A check ends this loss. The constant factor does not affect the order.
pub fn recheck_index(rate: f64, age: f64) -> f64 {
    rate * age * age
}

/// The results of checks in a directory in the current week.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Alarm {
    /// Number of URLs that died since their last check.
    pub died: u32,
    /// Number of URLs that were checked and were still alive.
    pub survived: u32,
}

/// Minimum number of deaths per survivor in a dead directory.
const DEATHS_PER_SURVIVOR: u32 = 3;

impl Alarm {
    /// Whether the other URLs of the directory should be checked at once: at least one URL died,
    /// and few of the checked URLs are still alive.
    pub fn is_on(self) -> bool {
        self.died > 0 && self.died >= DEATHS_PER_SURVIVOR * self.survived
    }
}

/// The properties of a directory that determine its priority.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DirectoryWatch {
    /// Number of URLs not known to be broken.
    pub alive: u32,
    /// Death rate per URL and week.
    pub rate: f64,
    /// Share of deaths that affect a whole directory.
    pub clustered_share: f64,
    /// Weeks since the last check of any live URL.
    pub age: f64,
    /// Weeks since the last check of the live URL that was not checked for the longest time.
    pub oldest: f64,
    /// Results of the current week.
    pub alarm: Alarm,
}

impl DirectoryWatch {
    /// Returns the gain of one more check in this directory.
    ///
    /// The check detects the death of the whole directory since the last check of any live URL. It
    /// also detects whether the checked URL died alone since its own last check.
    pub fn index(&self) -> f64 {
        if self.alarm.is_on() {
            return f64::INFINITY;
        }
        let clustered = recheck_index(self.rate * self.clustered_share, self.age);
        let alone = recheck_index(self.rate * (1.0 - self.clustered_share), self.oldest);
        clustered * f64::from(self.alive) + alone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decayed_domains_are_surveyed_less_often() {
        assert_eq!(survey_interval(7, 0.0), 7);
        assert_eq!(survey_interval(7, 0.5), 14);
        assert_eq!(survey_interval(7, 1.0), 21);
        assert_eq!(survey_interval(7, f64::NAN), 7);
    }

    #[test]
    fn recheck_intervals_are_fibonacci_numbers() {
        let intervals: Vec<Week> = (1..=7).map(recheck_interval).collect();
        assert_eq!(intervals, [1, 2, 3, 5, 8, 13, 21]);
        assert!(recheck_interval(u32::from(u16::MAX)) == u32::MAX);
    }

    #[test]
    fn broken_url_is_due_after_its_interval_and_live_url_never() {
        let history = |failures| UrlHistory { last_checked: 10, failures };
        assert!(!history(4).is_due(14) && history(4).is_due(15));
        assert!(!history(0).is_due(1_000));
    }

    #[test]
    fn rate_is_averaged_with_the_common_rate() {
        assert!((HazardEstimate::default().rate(0.01, 2.0) - 0.01).abs() < 1e-12);
        // Two deaths in 200 URL-weeks are added, so the rate is 100 / 1000.
        let observed = HazardEstimate { deaths: 98.0, exposure: 800.0 };
        assert!((observed.rate(0.01, 2.0) - 0.1).abs() < 1e-12);
    }

    /// A directory without checks in the current week.
    const CALM: DirectoryWatch = DirectoryWatch {
        alive: 40,
        rate: 0.01,
        clustered_share: 1.0,
        age: 2.0,
        oldest: 9.0,
        alarm: Alarm { died: 0, survived: 0 },
    };

    #[test]
    fn index_grows_with_the_square_of_the_age() {
        let older = DirectoryWatch { age: 4.0, ..CALM };
        assert!((older.index() / CALM.index() - 4.0).abs() < 1e-9);
    }

    /// Asserts whether these results in the current week raise the alarm.
    #[track_caller]
    fn check(died: u32, survived: u32, is_on: bool) {
        let alarmed = DirectoryWatch { alarm: Alarm { died, survived }, ..CALM };
        assert_eq!(alarmed.index().is_infinite(), is_on);
    }

    #[test]
    fn death_raises_the_alarm_and_survivor_ends_it() {
        check(0, 5, false);
        check(1, 0, true);
        check(1, 1, false);
        check(9, 3, true);
        check(9, 4, false);
    }
}
