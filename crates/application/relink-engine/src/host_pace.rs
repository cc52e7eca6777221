//! The pace of a host between the store and the rate limiter of a run.
//!
//! The store keeps times of day, the rate limiter counts from the start of the
//! run on a clock that never jumps.

use std::net::IpAddr;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_frontier::{HostRateLimiter, StoredDelays};
use relink_ports::HostSchedule;

/// `time` plus `wait`; the end of time if that is beyond it.
pub(crate) fn later(time: Timestamp, wait: Duration) -> Timestamp {
    let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
    time.checked_add(wait).unwrap_or(Timestamp::MAX)
}

/// The delays of a host as an earlier run left them, seen at `now`.
pub(crate) fn stored_delays(pace: &HostSchedule, now: Timestamp) -> StoredDelays {
    StoredDelays {
        learned: Duration::from_millis(pace.delay_ms.into()),
        throttle: Duration::from_millis(pace.throttle_ms.into()),
        // Negative if the system clock has moved back: then they are as new as
        // can be.
        age: Duration::try_from(now.duration_since(pace.stored_at)).unwrap_or_default(),
    }
}

/// How long a host still wants no request, seen at `now`. If the system clock
/// has moved back since, the wait begins again.
pub(crate) fn stored_wait(pace: &HostSchedule, now: Timestamp) -> Duration {
    let wait = pace.next_at.duration_since(now.max(pace.stored_at));
    Duration::try_from(wait).unwrap_or_default().min(HostRateLimiter::MAX_RETRY_AFTER)
}

/// The pace to store, with `elapsed` and `now` as the present on both clocks.
pub(crate) fn pace_to_store(
    clock: &HostRateLimiter,
    elapsed: Duration,
    now: Timestamp,
    address: Option<IpAddr>,
) -> HostSchedule {
    let in_ms = |delay: Duration| u32::try_from(delay.as_millis()).unwrap_or(u32::MAX);
    HostSchedule {
        next_at: later(now, clock.next().saturating_sub(elapsed)),
        delay_ms: in_ms(clock.learned()),
        throttle_ms: in_ms(clock.throttle()),
        stored_at: now,
        address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn stored_wait_counts_from_now_or_starts_again_after_a_clock_jump() {
        let pace = HostSchedule { next_at: at(160), stored_at: at(100), ..HostSchedule::default() };
        assert_eq!(stored_wait(&pace, at(120)), Duration::from_secs(40));
        assert_eq!(stored_wait(&pace, at(200)), Duration::ZERO);
        assert_eq!(stored_wait(&pace, at(0)), Duration::from_mins(1));
    }

    #[test]
    fn stored_delays_from_the_future_are_as_new_as_can_be() {
        let pace = HostSchedule { delay_ms: 5, stored_at: at(100), ..HostSchedule::default() };
        assert_eq!(stored_delays(&pace, at(10)).age, Duration::ZERO);
        assert_eq!(stored_delays(&pace, at(130)).age, Duration::from_secs(30));
    }
}
