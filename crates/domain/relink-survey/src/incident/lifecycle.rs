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
    /// Minimum time between escalation and hiding. It matters only if the escalation is late.
    /// The paper has no such minimum.
    pub min_notice: u32,
}

impl Lifecycle {
    /// The deadline that the personal mail names: "after three weeks".
    pub const DEADLINE_WEEKS: u32 = 3;

    /// Returns the earliest day on which the records of an incident may be hidden.
    pub fn hide_on(&self, found_on: Date, escalated_on: Date) -> Date {
        later(found_on, self.hide_after).max(later(escalated_on, self.min_notice))
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
