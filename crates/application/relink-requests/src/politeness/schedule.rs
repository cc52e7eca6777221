//! Converts the rate limit of a host between the store and a run.
//!
//! The store has timestamps of the system clock. The rate limiter has durations since
//! the start of the run, on a monotonic clock.

use std::net::IpAddr;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_frontier::{HostRateLimiter, StoredDelays};
use relink_ports::HostSchedule;

/// Returns `time` plus `wait`, or the largest timestamp if the sum is larger.
pub fn add_wait(time: Timestamp, wait: Duration) -> Timestamp {
    let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
    time.checked_add(wait).unwrap_or(Timestamp::MAX)
}

/// Returns the delays of a host that an earlier run stored, at the current time
/// `now`.
pub fn stored_delays(schedule: &HostSchedule, now: Timestamp) -> StoredDelays {
    StoredDelays {
        adaptive: Duration::from_millis(schedule.delay_ms.into()),
        throttle: Duration::from_millis(schedule.throttle_ms.into()),
        // Negative if the system clock was set back. Then the age is zero.
        age: Duration::try_from(now.duration_since(schedule.stored_at)).unwrap_or_default(),
    }
}

/// Returns the remaining wait for a host at the current time `now`. If the
/// system clock was set back, the wait starts again.
pub fn stored_wait(schedule: &HostSchedule, now: Timestamp) -> Duration {
    let wait = schedule.next_at.duration_since(now.max(schedule.stored_at));
    Duration::try_from(wait).unwrap_or_default().min(HostRateLimiter::MAX_RETRY_AFTER)
}

/// Returns the schedule to store; `elapsed` and `now` are the current time on
/// both clocks.
pub fn schedule_to_store(
    limiter: &HostRateLimiter,
    elapsed: Duration,
    now: Timestamp,
    address: Option<IpAddr>,
) -> HostSchedule {
    let millis = |delay: Duration| u32::try_from(delay.as_millis()).unwrap_or(u32::MAX);
    HostSchedule {
        next_at: add_wait(now, limiter.next_request_at().saturating_sub(elapsed)),
        delay_ms: millis(limiter.adaptive_delay()),
        throttle_ms: millis(limiter.throttle()),
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
        let schedule =
            HostSchedule { next_at: at(160), stored_at: at(100), ..HostSchedule::default() };
        assert_eq!(stored_wait(&schedule, at(120)), Duration::from_secs(40));
        assert_eq!(stored_wait(&schedule, at(200)), Duration::ZERO);
        assert_eq!(stored_wait(&schedule, at(0)), Duration::from_mins(1));
    }

    #[test]
    fn stored_delays_from_the_future_have_age_zero() {
        let schedule = HostSchedule { delay_ms: 5, stored_at: at(100), ..HostSchedule::default() };
        assert_eq!(stored_delays(&schedule, at(10)).age, Duration::ZERO);
        assert_eq!(stored_delays(&schedule, at(130)).age, Duration::from_secs(30));
    }
}
