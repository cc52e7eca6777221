//! The time of day, from the system or from `RELINK_NOW`.

use std::time::Instant;

use jiff::Timestamp;
use relink_ports::Clock;

use crate::failure::Failure;

/// The variable that sets the moment a run starts at; time goes on from there.
const NOW: &str = "RELINK_NOW";

/// A clock that started at a known moment and never jumps.
pub struct RunClock {
    start: Timestamp,
    since: Instant,
}

impl RunClock {
    /// Starts the clock.
    pub fn start() -> Result<Self, Failure> {
        let start = match std::env::var(NOW) {
            Ok(text) => text.parse().map_err(|_| {
                Failure::usage(format!("{NOW} is no moment: `{text}`"))
                    .hint("write it like `2026-11-15T09:00:00Z`")
            })?,
            Err(_) => Timestamp::now(),
        };
        Ok(Self { start, since: Instant::now() })
    }
}

impl Clock for RunClock {
    fn now(&self) -> Timestamp {
        self.start.checked_add(self.since.elapsed()).unwrap_or(self.start)
    }
}
