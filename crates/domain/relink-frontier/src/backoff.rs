//! Exponential backoff with jitter for retries after transient failures.

use std::time::Duration;

/// Delay before the first retry. Each further delay is four times as long.
const FIRST: Duration = Duration::from_millis(500);

/// Returns the delay before retry number `attempt` (from 1). `salt` adds a jitter of
/// up to a quarter, so that failed requests are not all retried at the same time.
pub fn backoff(attempt: u32, salt: u64) -> Duration {
    let doublings = 2 * attempt.saturating_sub(1).min(5);
    let wait = FIRST * 2_u32.pow(doublings);
    wait + wait * u32::try_from(salt % 256).unwrap_or(0) / 1024
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
