//! Exponential backoff with jitter for retries after transient failures.

use std::time::Duration;

/// Delay before the first retry.
const FIRST_DELAY: Duration = Duration::from_millis(500);
/// Factor by which each delay is longer than the previous delay.
const GROWTH: u32 = 4;
/// Number of retries after which the delay no longer grows.
const MAX_GROWTH_STEPS: u32 = 5;
/// Number of different jitters.
const JITTER_STEPS: u32 = 256;

/// Returns the delay before retry number `attempt` (from 1). `salt` adds a jitter of
/// up to a quarter, so that failed requests are not all retried at the same time.
pub fn backoff(attempt: u32, salt: u64) -> Duration {
    let steps = attempt.saturating_sub(1).min(MAX_GROWTH_STEPS);
    let delay = FIRST_DELAY * GROWTH.pow(steps);
    let jitter = u32::try_from(salt % u64::from(JITTER_STEPS)).unwrap_or(0);
    delay + delay * jitter / (4 * JITTER_STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_grows_by_a_factor_of_four() {
        let waits = [1, 2, 3].map(|attempt| backoff(attempt, 0).as_millis());
        assert_eq!(waits, [500, 2_000, 8_000]);
    }

    #[test]
    fn backoff_jitter_is_less_than_a_quarter() {
        for salt in 0..1_000 {
            let wait = backoff(1, salt);
            assert!((500..625).contains(&wait.as_millis()), "{wait:?}");
        }
    }
}
