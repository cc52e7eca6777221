//! Detects when a page has finished loading.
//!
//! The module is pure: callers pass observations with their times. A page is
//! idle if neither its requests nor its document have changed for
//! [`IDLE_TIME`]. A page that always has an open request is idle if the
//! document has not changed for [`LONG_IDLE_TIME`]. A page that never stops
//! changing the document is idle if there were no requests for
//! [`LONG_IDLE_TIME`].

use std::time::{Duration, Instant};

/// The time for which both the network and the document must be idle. Browser automation
/// tools use the same value for "network idle".
const IDLE_TIME: Duration = Duration::from_millis(500);

/// The time for which the network must be idle if the document never is, and for which the
/// document must be idle if the network never is.
const LONG_IDLE_TIME: Duration = Duration::from_secs(3);

/// Maximum number of open requests that count as background activity after
/// [`LONG_IDLE_TIME`]. A page that waits for server events always has one or two open
/// requests.
const MAX_BACKGROUND_REQUESTS: usize = 2;

/// Observed activity of a page.
#[derive(Debug)]
pub(crate) struct IdleDetector {
    /// A text that changes with the document.
    fingerprint: String,
    /// Whether the browser has loaded the document and its resources.
    is_loaded: bool,
    /// The last time when `is_loaded` changed.
    loaded_changed_at: Instant,
    /// The last time when `fingerprint` changed.
    document_changed_at: Instant,
    /// The last time when a request started or ended.
    network_changed_at: Instant,
    /// The number of requests in flight.
    in_flight: usize,
}

impl IdleDetector {
    /// Creates a detector for a page that starts to load at `now`.
    pub fn new(now: Instant) -> Self {
        Self {
            fingerprint: String::new(),
            is_loaded: false,
            loaded_changed_at: now,
            document_changed_at: now,
            network_changed_at: now,
            in_flight: 0,
        }
    }

    /// Records the state of the document. A change of `fingerprint` is a change
    /// of the document.
    pub fn record_document(&mut self, fingerprint: String, is_loaded: bool, now: Instant) {
        if self.fingerprint != fingerprint {
            self.document_changed_at = now;
        }
        if self.is_loaded != is_loaded {
            self.loaded_changed_at = now;
        }
        self.fingerprint = fingerprint;
        self.is_loaded = is_loaded;
    }

    /// Records the number of requests in flight, and the time when the last request
    /// started or finished.
    pub fn record_network(&mut self, in_flight: usize, changed_at: Instant) {
        self.in_flight = in_flight;
        self.network_changed_at = self.network_changed_at.max(changed_at);
    }

    /// Whether the page is idle.
    pub fn is_idle(&self, now: Instant) -> bool {
        if !self.is_loaded {
            return false;
        }
        let document_idle = now.saturating_duration_since(self.document_changed_at);
        // The end of loading counts as network activity.
        let network_idle =
            now.saturating_duration_since(self.network_changed_at.max(self.loaded_changed_at));
        match self.in_flight {
            0 => {
                (network_idle >= IDLE_TIME && document_idle >= IDLE_TIME)
                    || network_idle >= LONG_IDLE_TIME
            }
            1..=MAX_BACKGROUND_REQUESTS => document_idle >= LONG_IDLE_TIME,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replays observations and checks when the page is first idle, in steps of
    /// 100 ms up to 10 s. Observations are written as `time:observation`, with
    /// the time in milliseconds: `l1` is a loaded document with fingerprint 1,
    /// `d1` a document that is still loading, and `n2` means two requests in
    /// flight.
    #[track_caller]
    fn check(observations: &str, expect: Option<u64>) {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut detector = IdleDetector::new(start);
        let mut observations = observations.split_whitespace().map(|text| {
            let (time, observation) = text.split_once(':').unwrap();
            (time.parse::<u64>().unwrap(), observation)
        });
        let mut next = observations.next();
        let mut idle_at = None;
        for now in (0..10_000).step_by(100) {
            while let Some((time, observation)) = next.filter(|(time, _)| *time <= now) {
                match observation.split_at(1) {
                    ("n", count) => detector.record_network(count.parse().unwrap(), at(time)),
                    (kind, fingerprint) => {
                        detector.record_document(fingerprint.to_owned(), kind == "l", at(time));
                    }
                }
                next = observations.next();
            }
            if detector.is_idle(at(now)) {
                idle_at = Some(now);
                break;
            }
        }
        assert_eq!(idle_at, expect);
    }

    #[test]
    fn network_and_document_must_both_be_idle() {
        check("0:n1 100:n0 200:l1", Some(700));
        check("0:n1 200:l1 900:n0", Some(1400));
        check("200:l1 600:l2 1000:l3", Some(1500));
    }

    #[test]
    fn page_is_not_idle_before_it_is_loaded() {
        check("0:d1", None);
        check("0:d1 5000:l1", Some(5000 + 500));
    }

    #[test]
    fn changing_document_is_idle_after_long_idle_network() {
        let ticks: Vec<String> = (0..100).map(|tick| format!("{}:l{tick}", tick * 100)).collect();
        check(&ticks.join(" "), Some(3000));
    }

    #[test]
    fn page_with_open_requests_is_idle_after_long_idle_document() {
        check("0:n1 100:l1", Some(3100));
        check("0:n2 100:l1", Some(3100));
        check("0:n3 100:l1", None);
    }
}
