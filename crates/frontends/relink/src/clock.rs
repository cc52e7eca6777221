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
const NOW: &str = "RELINK_NOW";

/// The years of plausible times. Other times are clamped, so that computations of
/// delays and ages cannot overflow.
const YEARS: RangeInclusive<i16> = 1970..=9000;

/// A monotonic clock with a known start time.
pub struct RunClock {
    start: Timestamp,
    started: Instant,
}

impl RunClock {
    /// Starts the clock. Fails if the variable has no valid time.
    pub fn start() -> Result<Self, CommandError> {
        let start = match std::env::var(NOW) {
            Ok(text) => text.parse().map_err(|_| {
                CommandError::usage(format!("invalid timestamp in {NOW}: `{text}`"))
                    .hint("use a timestamp such as `2026-11-15T09:00:00Z`")
            })?,
            Err(_) => Timestamp::now(),
        };
        Ok(Self { start: clamp_to_years(start), started: Instant::now() })
    }
}

/// Clamps a time to [`YEARS`].
fn clamp_to_years(time: Timestamp) -> Timestamp {
    let start_of = |year| date(year, 1, 1).to_zoned(TimeZone::UTC).map(|day| day.timestamp());
    match (start_of(*YEARS.start()), start_of(*YEARS.end())) {
        (Ok(first), Ok(last)) => time.clamp(first, last),
        _ => time,
    }
}

impl Clock for RunClock {
    fn now(&self) -> Timestamp {
        self.start.checked_add(self.started.elapsed()).unwrap_or(self.start)
    }
}
