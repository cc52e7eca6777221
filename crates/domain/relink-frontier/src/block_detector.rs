//! Whether a host still wants us.
//!
//! A server that answered and then refuses one request after the other has
//! most likely shut us out. Going on would do harm and teach nothing, so a
//! crawl stops, says so, and can be taken up again another day.

use relink_model::FetchOutcome;

/// Refusals in a row after which it is left alone: a whole section may be
/// closed to everybody.
const REFUSED: u32 = 30;

/// How a host has received us lately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockDetector {
    answered: u64,
    silent: u32,
    refused: u32,
}

impl BlockDetector {
    /// A request ended so.
    pub fn note(&mut self, ending: &FetchOutcome) {
        match ending {
            FetchOutcome::Response(401 | 403 | 429) => self.refused += 1,
            // Whether the host is down is decided by `Outage`.
            FetchOutcome::Response(500..=599) => {}
            FetchOutcome::Response(_) => {
                *self = Self { answered: self.answered + 1, ..Self::default() }
            }
            FetchOutcome::ConnectFailed(_)
            | FetchOutcome::TimedOut(_)
            | FetchOutcome::ProtocolError(_) => self.silent += 1,
            _ => {}
        }
    }

    /// Whether the last request was turned away, as far as that can be told.
    pub fn is_suspected(&self) -> bool {
        self.silent + self.refused > 0
    }

    /// Whether the host has answered a request.
    pub fn has_answered(&self) -> bool {
        self.answered > 0
    }

    /// Whether it has answered before and refuses everything now.
    pub fn is_blocking(&self) -> bool {
        self.answered > 0 && self.refused > 0 && self.silent + self.refused >= REFUSED
    }
}

#[cfg(test)]
mod tests {
    use relink_model::ConnectError;

    use super::*;

    fn after(endings: &[(usize, FetchOutcome)]) -> bool {
        let mut welcome = BlockDetector::default();
        for (count, ending) in endings {
            (0..*count).for_each(|_| welcome.note(ending));
        }
        welcome.is_blocking()
    }

    #[test]
    fn silence_and_server_errors_alone_are_left_to_outage() {
        let shut = FetchOutcome::ConnectFailed(ConnectError::Refused);
        assert!(!after(&[(5, FetchOutcome::Response(200)), (50, shut.clone())]));
        assert!(!after(&[(5, FetchOutcome::Response(200)), (50, FetchOutcome::Response(503))]));
        let refused = FetchOutcome::Response(403);
        assert!(after(&[(5, FetchOutcome::Response(200)), (10, refused), (20, shut)]));
    }

    #[test]
    fn a_closed_section_is_no_blacklist() {
        assert!(!after(&[(1, FetchOutcome::Response(200)), (29, FetchOutcome::Response(403))]));
        assert!(after(&[(1, FetchOutcome::Response(200)), (30, FetchOutcome::Response(403))]));
    }

    #[test]
    fn doubt_begins_with_the_first_refusal_and_ends_with_an_answer() {
        let mut welcome = BlockDetector::default();
        assert!(!welcome.is_suspected());
        welcome.note(&FetchOutcome::Response(403));
        assert!(welcome.is_suspected());
        welcome.note(&FetchOutcome::Response(404));
        assert!(!welcome.is_suspected());
    }
}
