//! The time of day, from the system or from `RELINK_NOW`.

use std::ops::RangeInclusive;
use std::time::Instant;

use jiff::Timestamp;
use jiff::civil::date;
use jiff::tz::TimeZone;
use relink_ports::Clock;

use crate::error::CommandError;

/// The variable that sets the moment a run starts at; time goes on from there.
const NOW: &str = "RELINK_NOW";

/// System clocks outside of these years are wrong. Times are cut to them, so
/// that every wait and every age can still be computed.
const YEARS: RangeInclusive<i16> = 1970..=9000;

/// A clock that started at a known moment and never jumps.
pub struct RunClock {
    start: Timestamp,
    since: Instant,
}

impl RunClock {
    /// Starts the clock.
    pub fn start() -> Result<Self, CommandError> {
        let start = match std::env::var(NOW) {
            Ok(text) => text.parse().map_err(|_| {
                CommandError::usage(format!("{NOW} is no moment: `{text}`"))
                    .hint("write it like `2026-11-15T09:00:00Z`")
            })?,
            Err(_) => Timestamp::now(),
        };
        Ok(Self { start: plausible(start), since: Instant::now() })
    }
}

/// A time within [`YEARS`].
fn plausible(time: Timestamp) -> Timestamp {
    let year = |year| date(year, 1, 1).to_zoned(TimeZone::UTC).map(|start| start.timestamp());
    match (year(*YEARS.start()), year(*YEARS.end())) {
        (Ok(first), Ok(last)) => time.clamp(first, last),
        _ => time,
    }
}

impl Clock for RunClock {
    fn now(&self) -> Timestamp {
        self.start.checked_add(self.since.elapsed()).unwrap_or(self.start)
    }
}
