//! What follows from asking a site for its `robots.txt`.
//!
//! RFC 9309, §2.3.1: a file that is not there forbids nothing, a file that
//! cannot be had forbids everything. The caller follows redirects.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::RobotsTxt;

/// The rules of a site as we know them, and until when they hold.
///
/// ```
/// use relink_frontier::RobotsAnswer;
/// let now = "2026-01-01T00:00:00Z".parse()?;
/// let answer = RobotsAnswer::of_status(404, b"", now);
/// assert!(answer.robots.is_allowed("relink", &"https://example.org/a".parse()?));
/// assert_eq!(answer.fresh_until.to_string(), "2026-01-02T00:00:00Z");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsPolicy {
    /// The rules.
    pub robots: RobotsTxt,
    /// When they have to be asked for again.
    pub fresh_until: Timestamp,
    /// Whether nothing may be visited because the file could not be had, and
    /// not because it says so.
    pub is_unreachable: bool,
}

impl RobotsPolicy {
    /// How many redirects the caller follows (RFC 9309, §2.3.1.2). The rules
    /// found at their end hold for the host that was asked first.
    pub const MOST_REDIRECTS: usize = 5;
    /// How long rules are kept (RFC 9309, §2.4).
    pub const FRESH: SignedDuration = SignedDuration::from_hours(24);
    /// When a file that could not be had is asked for again: a restart of a
    /// server should not cost a day.
    pub const RETRY: SignedDuration = SignedDuration::from_mins(10);

    /// The answer that a status and a body make, at `now`.
    ///
    /// A redirect that is left over after [`RobotsAnswer::MOST_REDIRECTS`]
    /// leads to no file. 429 is no 404: it asks us to stay away.
    pub fn of_status(status: u16, body: &[u8], now: Timestamp) -> Self {
        match status {
            200..=299 => Self::known(RobotsTxt::parse(body), now),
            429 => Self::unreachable(now),
            300..=499 => Self::known(RobotsTxt::allow_all(), now),
            _ => Self::unreachable(now),
        }
    }

    /// The answer of a host that nobody could ask: no address, no connection,
    /// a time-out.
    pub fn unreachable(now: Timestamp) -> Self {
        let fresh_until = now.saturating_add(Self::RETRY).unwrap_or(now);
        Self { robots: RobotsTxt::deny_all(), fresh_until, is_unreachable: true }
    }

    /// Whether it still holds at `now`.
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        now < self.fresh_until
    }

    fn known(robots: RobotsTxt, now: Timestamp) -> Self {
        let fresh_until = now.saturating_add(Self::FRESH).unwrap_or(now);
        Self { robots, fresh_until, is_unreachable: false }
    }
}
