//! Detects hosts that have started to block the crawler.
//!
//! A server that responded before and now rejects every request has most likely
//! blocked the crawler. The crawl then stops and can be resumed later.

use relink_model::FetchOutcome;

/// Number of consecutive rejections after which a host is blocking. It is large,
/// because a whole section may be closed to all clients.
const MAX_REJECTIONS: u32 = 30;

/// The recent responses of a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockDetector {
    /// Number of responses other than rejections, in the whole run.
    responses: u64,
    /// Number of requests without a response since the last response counted in `responses`.
    no_response: u32,
    /// Number of rejections (401, 403, 429) since the last response counted in `responses`.
    rejections: u32,
}

impl BlockDetector {
    /// Records the outcome of a request.
    pub fn record(&mut self, outcome: &FetchOutcome) {
        match outcome {
            FetchOutcome::Response(401 | 403 | 429) => self.rejections += 1,
            // Server errors count as an outage, which `Outage` detects.
            FetchOutcome::Response(500..=599) => {}
            // Any other response ends the suspicion.
            FetchOutcome::Response(_) => {
                *self = Self { responses: self.responses + 1, ..Self::default() }
            }
            FetchOutcome::ConnectFailed(_)
            | FetchOutcome::TimedOut(_)
            | FetchOutcome::ProtocolError(_) => self.no_response += 1,
            _ => {}
        }
    }

    /// Whether the last request was rejected or got no response.
    pub fn is_suspected(&self) -> bool {
        self.no_response + self.rejections > 0
    }

    /// Whether the host has responded to a request.
    pub fn has_responded(&self) -> bool {
        self.responses > 0
    }

    /// Whether the host responded before and now rejects every request.
    pub fn is_blocking(&self) -> bool {
        self.responses > 0
            && self.rejections > 0
            && self.no_response + self.rejections >= MAX_REJECTIONS
    }
}

#[cfg(test)]
mod tests {
    use relink_model::ConnectError;

    use super::*;

    fn is_blocking_after(outcomes: &[(usize, FetchOutcome)]) -> bool {
        let mut detector = BlockDetector::default();
        for (count, outcome) in outcomes {
            for _ in 0..*count {
                detector.record(outcome);
            }
        }
        detector.is_blocking()
    }

    #[test]
    fn missing_responses_are_blocking_only_together_with_rejections() {
        let unreachable = FetchOutcome::ConnectFailed(ConnectError::Refused);
        assert!(!is_blocking_after(&[(5, FetchOutcome::Response(200)), (50, unreachable.clone())]));
        assert!(!is_blocking_after(&[
            (5, FetchOutcome::Response(200)),
            (50, FetchOutcome::Response(503))
        ]));
        let forbidden = FetchOutcome::Response(403);
        assert!(is_blocking_after(&[
            (5, FetchOutcome::Response(200)),
            (10, forbidden),
            (20, unreachable)
        ]));
    }

    #[test]
    fn thirty_rejections_are_blocking() {
        assert!(!is_blocking_after(&[
            (1, FetchOutcome::Response(200)),
            (29, FetchOutcome::Response(403))
        ]));
        assert!(is_blocking_after(&[
            (1, FetchOutcome::Response(200)),
            (30, FetchOutcome::Response(403))
        ]));
    }

    #[test]
    fn suspicion_starts_with_a_rejection_and_ends_with_a_response() {
        let mut detector = BlockDetector::default();
        assert!(!detector.is_suspected());
        detector.record(&FetchOutcome::Response(403));
        assert!(detector.is_suspected());
        detector.record(&FetchOutcome::Response(404));
        assert!(!detector.is_suspected());
    }
}
