//! The clock of a run. It starts at the system time, or at the time in the environment
//! variable `RELINK_NOW`, and is monotonic from then on.

use std::ops::RangeInclusive;
use std::time::Instant;

use jiff::Timestamp;
use jiff::civil::date;
use jiff::tz::TimeZone;
use relink_ports::Clock;

use crate::error::CommandError;

/// The environment variable that sets the start time of a run.
const START_TIME_VARIABLE: &str = "RELINK_NOW";

/// The years in which a run can start. Other start times are clamped, so that computations
/// of delays and ages cannot overflow.
const VALID_YEARS: RangeInclusive<i16> = 1970..=9000;

/// A monotonic clock with a known start time.
pub struct RunClock {
    /// The time at which the clock was started.
    start_time: Timestamp,
    /// The same moment on the monotonic clock of the system.
    start_instant: Instant,
}

impl RunClock {
    /// Starts the clock. Fails if the variable has no valid time.
    pub fn start() -> Result<Self, CommandError> {
        let start_time = match std::env::var(START_TIME_VARIABLE) {
            Ok(text) => text.parse().map_err(|_| {
                CommandError::usage(format!("invalid timestamp in {START_TIME_VARIABLE}: `{text}`"))
                    .hint("use a timestamp such as `2026-11-15T09:00:00Z`")
            })?,
            Err(_) => Timestamp::now(),
        };
        Ok(Self { start_time: clamp_to_valid_years(start_time), start_instant: Instant::now() })
    }
}

/// Clamps a time to [`VALID_YEARS`].
fn clamp_to_valid_years(time: Timestamp) -> Timestamp {
    let new_year = |year| date(year, 1, 1).to_zoned(TimeZone::UTC).map(|day| day.timestamp());
    match (new_year(*VALID_YEARS.start()), new_year(*VALID_YEARS.end())) {
        (Ok(first), Ok(last)) => time.clamp(first, last),
        _ => time,
    }
}

impl Clock for RunClock {
    fn now(&self) -> Timestamp {
        self.start_time.checked_add(self.start_instant.elapsed()).unwrap_or(self.start_time)
    }
}
