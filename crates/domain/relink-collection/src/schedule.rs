//! The re-check schedule of a page, which adapts to how often it changes.

use jiff::{SignedDuration, Timestamp};

/// Factor of the interval after a check without a change.
const UNCHANGED_FACTOR: f64 = 1.4;

/// Factor of the interval after a change.
const CHANGED_FACTOR: f64 = 0.8;

/// The result of a check, for the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecheckResult {
    /// The content or the availability of the page changed.
    Changed,
    /// Nothing changed.
    Unchanged,
}

/// The time between two checks of a page.
///
/// ```
/// use jiff::SignedDuration;
/// use relink_collection::{RecheckInterval, RecheckResult};
/// let interval = RecheckInterval::new(SignedDuration::from_hours(100));
/// assert_eq!(interval.after(RecheckResult::Unchanged).as_hours(), 140);
/// assert_eq!(interval.after(RecheckResult::Changed).as_hours(), 80);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecheckInterval(SignedDuration);

impl RecheckInterval {
    /// The shortest interval: one hour.
    pub const MIN: Self = Self(SignedDuration::from_hours(1));
    /// The longest interval: 90 days.
    pub const MAX: Self = Self(SignedDuration::from_hours(90 * 24));

    /// Creates an interval, clamped to the limits.
    pub fn new(duration: SignedDuration) -> Self {
        Self(duration).clamp(Self::MIN, Self::MAX)
    }

    /// Creates an interval from milliseconds, clamped to the limits.
    pub fn from_millis(millis: i64) -> Self {
        Self::new(SignedDuration::from_millis(millis))
    }

    /// Returns the interval after a check.
    #[must_use]
    pub fn after(self, result: RecheckResult) -> Self {
        let factor = match result {
            RecheckResult::Changed => CHANGED_FACTOR,
            RecheckResult::Unchanged => UNCHANGED_FACTOR,
        };
        Self::new(SignedDuration::from_secs_f64(self.0.as_secs_f64() * factor))
    }

    /// Returns the time of the next check.
    pub fn next_at(self, now: Timestamp) -> Timestamp {
        now.checked_add(self.0).unwrap_or(now)
    }

    /// Returns the interval in milliseconds.
    pub fn as_millis(self) -> i64 {
        i64::try_from(self.0.as_millis()).unwrap_or(i64::MAX)
    }

    /// Returns the interval in whole hours, rounded.
    pub fn as_hours(self) -> i64 {
        self.0
            .round(jiff::Unit::Hour)
            .map_or_else(|_| self.0.as_hours(), |rounded| rounded.as_hours())
    }
}

impl Default for RecheckInterval {
    /// One day.
    fn default() -> Self {
        Self(SignedDuration::from_hours(24))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_stays_between_one_hour_and_ninety_days() {
        let mut interval = RecheckInterval::default();
        for _ in 0..50 {
            interval = interval.after(RecheckResult::Unchanged);
        }
        assert_eq!(interval, RecheckInterval::MAX);
        for _ in 0..50 {
            interval = interval.after(RecheckResult::Changed);
        }
        assert_eq!(interval, RecheckInterval::MIN);
    }

    #[test]
    fn interval_grows_by_1_4_and_shrinks_by_0_8() {
        let day = RecheckInterval::default();
        assert_eq!(day.after(RecheckResult::Unchanged).as_millis(), 120_960_000);
        assert_eq!(day.after(RecheckResult::Changed).as_millis(), 69_120_000);
        assert_eq!(RecheckInterval::from_millis(-5), RecheckInterval::MIN);
    }
}
