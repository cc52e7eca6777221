//! The days on which an incident is checked.

use jiff::civil::Date;

use super::lifecycle::later;
use super::{Incident, Lifecycle, Stage};
use crate::schedule::recheck_interval;

/// The next check of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextCheck {
    /// The day on which the check is due.
    pub on: Date,
    /// Whether the whole domain is checked by the sampling plan, known broken URLs first.
    pub checks_whole_domain: bool,
}

impl Incident {
    /// Returns the next check; `None` after the end.
    pub fn next_check(&self, lifecycle: &Lifecycle) -> Option<NextCheck> {
        let (on, checks_whole_domain) = match self.stage {
            Stage::Reported => {
                (self.recheck_on(later(self.found_on, lifecycle.recheck_after)), false)
            }
            Stage::Escalated => {
                let escalated_on = self.escalated_on.unwrap_or(self.found_on);
                (self.recheck_on(lifecycle.hide_on(self.found_on, escalated_on)), true)
            }
            Stage::Hidden => (self.fibonacci_check_on(), false),
            Stage::Restored => return None,
        };
        Some(NextCheck { on, checks_whole_domain })
    }

    /// Whether a check is due.
    pub fn is_due(&self, day: Date, lifecycle: &Lifecycle) -> bool {
        self.next_check(lifecycle).is_some_and(|next| next.on <= day)
    }

    /// Returns the day of the next check, which is `planned_on` if there was no check on or after
    /// this day. Later checks happen only while the timetable is suspended: on the day until
    /// which a reply suspends it, otherwise weekly.
    fn recheck_on(&self, planned_on: Date) -> Date {
        if self.checked_on < planned_on {
            return planned_on;
        }
        let next_week = later(self.checked_on, 7);
        match self.answered_until {
            Some(until) if until > self.checked_on => until,
            _ => next_week,
        }
    }

    /// Returns the next day of the sequence 1, 2, 3, 5, 8, …, counted from the previous check.
    fn fibonacci_check_on(&self) -> Date {
        later(self.checked_on, recheck_interval(self.hidden_checks.saturating_add(1)))
    }
}
