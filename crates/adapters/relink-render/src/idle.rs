//! When has a page come to rest?
//!
//! Pure: what was seen of the page comes in with its time. A page is at rest
//! when neither its requests nor its document have moved for a moment. Some
//! pages poll for ever and some tick for ever; there a longer silence of the
//! other one has to do.

use std::time::{Duration, Instant};

/// How long both must be still; the same as the "network idle" of browsers'
/// own automation.
const MOMENT: Duration = Duration::from_millis(500);

/// How long one must be still where the other never is.
const WHILE: Duration = Duration::from_secs(3);

/// How many requests under way are taken for background noise after a while:
/// a page that waits for news has one or two open for ever.
const BACKGROUND: usize = 2;

/// What was seen of a page's movements.
#[derive(Debug)]
pub(crate) struct IdleDetector {
    look: String,
    is_loaded: bool,
    loaded_since: Instant,
    document_since: Instant,
    network_since: Instant,
    under_way: usize,
}

impl IdleDetector {
    /// A page that begins to load at `now`.
    pub fn new(now: Instant) -> Self {
        Self {
            look: String::new(),
            is_loaded: false,
            loaded_since: now,
            document_since: now,
            network_since: now,
            under_way: 0,
        }
    }

    /// The document looks like this, and has or has not been loaded.
    pub fn see_document(&mut self, look: String, is_loaded: bool, now: Instant) {
        if self.look != look {
            self.document_since = now;
        }
        if self.is_loaded != is_loaded {
            self.loaded_since = now;
        }
        self.look = look;
        self.is_loaded = is_loaded;
    }

    /// So many requests are under way, and the last began or ended at `moved`.
    pub fn see_network(&mut self, under_way: usize, moved: Instant) {
        self.under_way = under_way;
        self.network_since = self.network_since.max(moved);
    }

    /// Whether the page is at rest.
    pub fn is_at_rest(&self, now: Instant) -> bool {
        if !self.is_loaded {
            return false;
        }
        let document = now.saturating_duration_since(self.document_since);
        let network = now.saturating_duration_since(self.network_since.max(self.loaded_since));
        match self.under_way {
            0 => (network >= MOMENT && document >= MOMENT) || network >= WHILE,
            1..=BACKGROUND => document >= WHILE,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays what was seen, as `time:sight` in milliseconds, and says when
    /// the page was first at rest, looked at every 100 ms for 10 s. Sights:
    /// `l…` a loaded document, `d…` one that is not, `n2` two under way.
    #[track_caller]
    fn check(seen: &str, expect: Option<u64>) {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut stillness = IdleDetector::new(start);
        let mut seen = seen.split_whitespace().map(|it| {
            let (time, sight) = it.split_once(':').unwrap();
            (time.parse::<u64>().unwrap(), sight)
        });
        let mut next = seen.next();
        let mut rest = None;
        for now in (0..10_000).step_by(100) {
            while let Some((time, sight)) = next.filter(|(time, _)| *time <= now) {
                match sight.split_at(1) {
                    ("n", count) => stillness.see_network(count.parse().unwrap(), at(time)),
                    (kind, look) => stillness.see_document(look.to_owned(), kind == "l", at(time)),
                }
                next = seen.next();
            }
            if stillness.is_at_rest(at(now)) {
                rest = Some(now);
                break;
            }
        }
        assert_eq!(rest, expect);
    }

    #[test]
    fn both_must_be_still_for_a_moment() {
        check("0:n1 100:n0 200:l1", Some(700));
        check("0:n1 200:l1 900:n0", Some(1400));
        check("200:l1 600:l2 1000:l3", Some(1500));
    }

    #[test]
    fn nothing_rests_before_it_is_loaded() {
        check("0:d1", None);
        check("0:d1 5000:l1", Some(5000 + 500));
    }

    #[test]
    fn a_document_that_never_rests_counts_by_its_requests() {
        let ticks: Vec<String> = (0..100).map(|tick| format!("{}:l{tick}", tick * 100)).collect();
        check(&ticks.join(" "), Some(3000));
    }

    #[test]
    fn a_page_that_waits_for_news_counts_by_its_document() {
        check("0:n1 100:l1", Some(3100));
        check("0:n2 100:l1", Some(3100));
        check("0:n3 100:l1", None);
    }
}
