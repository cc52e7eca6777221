//! What to check again this week: a pure function of history and time.
//!
//! Three kinds of URLs share the requests. Known broken ones come at the
//! intervals of Fibonacci, in weeks (Le & Shulman, §4, name the sequence and no
//! unit). Directories are visited through sentinels, first those that gain most
//! by it: the loss from not looking grows with the death rate times the square
//! of the age. And a directory in which a sentinel has just died is checked in
//! full, for pages of a directory tend to die together.

mod decay_simulation;
mod weekly;

pub use decay_simulation::{DecaySimulation, DriftOutcome, drift};
pub use weekly::Schedule;

/// A number of weeks since some beginning.
pub type Week = u32;

/// What is known of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlHistory {
    /// When it was last checked.
    pub checked: Week,
    /// How often in a row it was found broken; 0 for a live one.
    pub failures: u32,
}

/// The interval after so many failures in a row: 1, 2, 3, 5, 8, … weeks.
pub fn fibonacci(failures: u32) -> Week {
    let (mut interval, mut next) = (1_u32, 2_u32);
    for _ in 1..failures {
        (interval, next) = (next, interval.saturating_add(next));
    }
    interval
}

impl UrlHistory {
    /// Whether a known broken URL is to be checked again.
    pub fn is_due(self, now: Week) -> bool {
        self.failures > 0 && now.saturating_sub(self.checked) >= fibonacci(self.failures)
    }
}

/// The deaths seen among some live URLs, over the weeks they were watched.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HazardEstimate {
    /// How many deaths were seen.
    pub deaths: f64,
    /// The URL-weeks over which they were.
    pub exposure: f64,
}

impl HazardEstimate {
    /// Deaths per URL and week, leaning on the `common` rate with the weight
    /// of so many deaths (the mean of a gamma distribution).
    pub fn rate(self, common: f64, weight: f64) -> f64 {
        (self.deaths + weight) / (self.exposure + weight / common.max(f64::MIN_POSITIVE))
    }
}

/// What a check gains: death rate times the square of the age, for a URL
/// unchecked since so many weeks.
///
/// Not looking for a time *t* costs the undetected weeks of those that died,
/// which is the rate times *t*²/2; a check takes that cost back.
pub fn recheck_index(rate: f64, age: f64) -> f64 {
    rate * age * age
}

/// What the checks since the last alarm in a directory showed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Alarm {
    /// URLs that died since they were last checked.
    pub died: u32,
    /// URLs that still live.
    pub lives: u32,
}

/// In a dead directory at least so many die for each that lives on.
const DEATHS_PER_SURVIVOR: u32 = 3;

impl Alarm {
    /// Whether the others of the directory should be checked at once: one has
    /// died, and those checked since speak for the death of all.
    pub fn is_on(self) -> bool {
        self.died > 0 && self.died >= DEATHS_PER_SURVIVOR * self.lives
    }
}

/// A directory as the schedule sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DirectoryWatch {
    /// How many of its URLs are not known to be broken.
    pub alive: u32,
    /// Its death rate per URL and week.
    pub rate: f64,
    /// The share of deaths that come with a whole directory.
    pub together: f64,
    /// Weeks since any of its live URLs was checked.
    pub age: f64,
    /// Weeks since the one was checked that waits longest.
    pub oldest: f64,
    /// What the latest checks showed.
    pub alarm: Alarm,
}

impl DirectoryWatch {
    /// What one further check in this directory gains.
    ///
    /// The check sees, for all that are alive, whether the directory has died
    /// since any of them was checked, and for one URL whether it died alone
    /// since its own last check.
    pub fn index(&self) -> f64 {
        if self.alarm.is_on() {
            return f64::INFINITY;
        }
        let together = recheck_index(self.rate * self.together, self.age);
        let alone = recheck_index(self.rate * (1.0 - self.together), self.oldest);
        together * f64::from(self.alive) + alone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intervals_are_those_of_fibonacci() {
        let intervals: Vec<Week> = (1..=7).map(fibonacci).collect();
        assert_eq!(intervals, [1, 2, 3, 5, 8, 13, 21]);
        assert!(fibonacci(u32::from(u16::MAX)) == u32::MAX);
    }

    #[test]
    fn a_broken_url_is_due_at_its_interval_and_a_live_one_never() {
        let watched = |failures| UrlHistory { checked: 10, failures };
        assert!(!watched(4).is_due(14) && watched(4).is_due(15));
        assert!(!watched(0).is_due(1_000));
    }

    #[test]
    fn a_rate_leans_on_the_common_one() {
        assert!((HazardEstimate::default().rate(0.01, 2.0) - 0.01).abs() < 1e-12);
        let seen = HazardEstimate { deaths: 98.0, exposure: 800.0 };
        assert!((seen.rate(0.01, 2.0) - 0.1).abs() < 1e-12);
    }

    const CALM: DirectoryWatch = DirectoryWatch {
        alive: 40,
        rate: 0.01,
        together: 1.0,
        age: 2.0,
        oldest: 9.0,
        alarm: Alarm { died: 0, lives: 0 },
    };

    #[test]
    fn age_counts_twice() {
        let older = DirectoryWatch { age: 4.0, ..CALM };
        assert!((older.index() / CALM.index() - 4.0).abs() < 1e-9);
    }

    #[track_caller]
    fn check(died: u32, lives: u32, is_on: bool) {
        let alarmed = DirectoryWatch { alarm: Alarm { died, lives }, ..CALM };
        assert_eq!(alarmed.index().is_infinite(), is_on);
    }

    #[test]
    fn a_death_raises_the_alarm_and_a_survivor_ends_it() {
        check(0, 5, false);
        check(1, 0, true);
        check(1, 1, false);
        check(9, 3, true);
        check(9, 4, false);
    }
}
