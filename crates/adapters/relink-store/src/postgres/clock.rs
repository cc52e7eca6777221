//! Translates between the clock of the caller and the clock of the database.
//!
//! Leases and the times of next requests use the clock of the database, so that a worker
//! with a wrong clock does not violate rate limits. Results have the times of the worker
//! that produced them.

use jiff::Timestamp;

use crate::values::{millis, timestamp};

/// The difference between the two clocks.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ClockOffset {
    /// The time of the database minus the time of the caller.
    pub(super) millis: i64,
}

impl ClockOffset {
    /// Converts a time of the caller to the database clock. Zero means "due immediately"
    /// and is not converted.
    pub(super) fn db_time(self, time: Timestamp) -> i64 {
        match millis(time) {
            0 => 0,
            time => time.saturating_add(self.millis),
        }
    }

    /// Converts a time of the database clock to the clock of the caller.
    pub(super) fn caller_time(self, time: i64) -> Timestamp {
        match time {
            0 => Timestamp::UNIX_EPOCH,
            time => timestamp(time.saturating_sub(self.millis)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_round_trip() {
        let clock = ClockOffset { millis: 600_000 };
        for seconds in [0, 1, 1_700_000_000] {
            let time = Timestamp::from_second(seconds).unwrap();
            assert_eq!(clock.caller_time(clock.db_time(time)), time);
        }
        assert_eq!(clock.db_time(Timestamp::UNIX_EPOCH), 0);
        assert_eq!(clock.db_time(Timestamp::from_second(1).unwrap()), 601_000);
    }
}
