//! The delays between the stages of an incident: reported, escalated, hidden, restored.

use jiff::ToSpan as _;
use jiff::civil::Date;

/// The delays of the lifecycle, in days. The defaults are those of Le & Shulman, section 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifecycle {
    /// From the first finding to the re-check that escalates the incident. The default is 7.
    pub recheck_after: u32,
    /// From the first finding to the check that hides the records ("one month"). The default
    /// is 30.
    pub hide_after: u32,
    /// Minimum time between escalation and hiding, if the other delays allow it. It matters only
    /// if the escalation is late. The paper has no such minimum.
    pub min_notice: u32,
}

impl Lifecycle {
    /// The deadline that the personal mail names: "after three weeks".
    pub const DEADLINE_WEEKS: u32 = 3;

    /// Returns the earliest day on which the records of an incident may be hidden.
    pub fn hide_on(&self, found_on: Date, escalated_on: Date) -> Date {
        // The days between escalation and hiding if the escalation is not late.
        let planned_notice = self.hide_after.saturating_sub(self.recheck_after);
        let notice = self.min_notice.min(planned_notice);
        later(found_on, self.hide_after).max(later(escalated_on, notice))
    }
}

impl Default for Lifecycle {
    fn default() -> Self {
        Self { recheck_after: 7, hide_after: 30, min_notice: 7 }
    }
}

/// Returns the date this number of days later.
pub(super) fn later(date: Date, days: u32) -> Date {
    date.saturating_add(i64::from(days).days())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    /// Asserts the day of January on which an incident found on January 1 may be hidden.
    #[track_caller]
    fn check(recheck_after: u32, hide_after: u32, escalated_on: i8, expect: i8) {
        let lifecycle = Lifecycle { recheck_after, hide_after, ..Lifecycle::default() };
        let day = |day| date(2026, 1, day);
        assert_eq!(lifecycle.hide_on(day(1), day(escalated_on)), day(expect));
    }

    #[test]
    fn hide_on_is_the_set_day_unless_the_escalation_is_late() {
        check(7, 30, 8, 31);
        check(7, 30, 24, 31);
        check(7, 20, 18, 25);
        check(2, 5, 3, 6);
        check(2, 5, 6, 9);
        check(7, 7, 8, 8);
    }
}
