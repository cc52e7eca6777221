//! The rules that result from a request for `robots.txt`.
//!
//! RFC 9309, §2.3.1: a missing file allows everything, an unreachable file disallows
//! everything. The caller follows redirects.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::RobotsTxt;

/// The rules of a site and their expiry.
///
/// ```
/// use relink_frontier::RobotsPolicy;
/// let now = "2026-01-01T00:00:00Z".parse()?;
/// let policy = RobotsPolicy::from_status(404, b"", now);
/// assert!(policy.robots.is_allowed("relink", &"https://example.org/a".parse()?));
/// assert_eq!(policy.expires_at.to_string(), "2026-01-02T00:00:00Z");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsPolicy {
    /// The rules.
    pub robots: RobotsTxt,
    /// Time at which the file must be fetched again.
    pub expires_at: Timestamp,
    /// Whether everything is disallowed because the file is unreachable, and not because
    /// of its rules.
    pub is_unreachable: bool,
}

impl RobotsPolicy {
    /// Maximum number of redirects that the caller follows (RFC 9309, §2.3.1.2). The
    /// rules apply to the host of the first request.
    pub const MAX_REDIRECTS: usize = 5;
    /// Time for which rules are cached (RFC 9309, §2.4).
    pub const LIFETIME: SignedDuration = SignedDuration::from_hours(24);
    /// Time until an unreachable file is fetched again. It is short, because a restart
    /// of a server must not exclude it for a day.
    pub const RETRY_DELAY: SignedDuration = SignedDuration::from_mins(10);

    /// Returns the policy for a response with this status and body at `now`.
    ///
    /// A redirect after [`RobotsPolicy::MAX_REDIRECTS`] counts as a missing file. 429
    /// counts as unreachable.
    pub fn from_status(status: u16, body: &[u8], now: Timestamp) -> Self {
        match status {
            200..=299 => Self::from_rules(RobotsTxt::parse(body), now),
            429 => Self::unreachable(now),
            300..=499 => Self::from_rules(RobotsTxt::allow_all(), now),
            _ => Self::unreachable(now),
        }
    }

    /// Returns the policy of a host that could not be reached: DNS failure, connection
    /// failure or timeout.
    pub fn unreachable(now: Timestamp) -> Self {
        let expires_at = now.saturating_add(Self::RETRY_DELAY).unwrap_or(now);
        Self { robots: RobotsTxt::deny_all(), expires_at, is_unreachable: true }
    }

    /// Whether the policy has not expired at `now`.
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }

    /// Returns the policy of a site whose rules are known.
    fn from_rules(robots: RobotsTxt, now: Timestamp) -> Self {
        let expires_at = now.saturating_add(Self::LIFETIME).unwrap_or(now);
        Self { robots, expires_at, is_unreachable: false }
    }
}
