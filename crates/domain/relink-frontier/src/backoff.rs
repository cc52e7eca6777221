//! How long to wait before asking again after a passing trouble.

use std::time::Duration;

/// The wait before the first retry; each further one waits four times as long.
const FIRST: Duration = Duration::from_millis(500);

/// The wait before retry number `attempt` (from 1), spread by up to a quarter
/// by `salt` so that many failures do not come back at once.
pub fn backoff(attempt: u32, salt: u64) -> Duration {
    let doublings = 2 * attempt.saturating_sub(1).min(5);
    let wait = FIRST * 2_u32.pow(doublings);
    wait + wait * u32::try_from(salt % 256).unwrap_or(0) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_is_about_four_times_the_last() {
        let waits = [1, 2, 3].map(|attempt| backoff(attempt, 0).as_millis());
        assert_eq!(waits, [500, 2_000, 8_000]);
    }

    #[test]
    fn the_spread_is_less_than_a_quarter() {
        for salt in 0..1_000 {
            let wait = backoff(1, salt);
            assert!((500..625).contains(&wait.as_millis()), "{wait:?}");
        }
    }
}
