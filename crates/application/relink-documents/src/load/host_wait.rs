//! Waits for the rate limit of a host before a page or sitemap is fetched.
//!
//! These requests are sent while links are loaded, outside the host queues of
//! the run. They keep the same interval per host and respect the schedule that
//! an earlier run stored for the host.

use std::collections::HashMap;
use std::time::Duration;

use relink_frontier::host_key;
use tokio::time::Instant;
use url::Url;

use super::Loader;
use relink_requests::{StopSignal, stored_wait};

/// Maximum wait for a host while loading.
const MAX_WAIT: Duration = Duration::from_mins(2);

/// Time of the last request to each host.
#[derive(Debug, Default)]
pub(super) struct LastRequests(HashMap<String, Instant>);

impl Loader<'_> {
    /// Waits until a request to the host of a URL may be sent. Returns `false`
    /// if the run is stopped or the wait is too long.
    pub(super) async fn wait_for_host(&mut self, url: &Url, stop: &StopSignal) -> bool {
        let host = host_key(url);
        if self.is_throttled(&host) {
            self.report_problem(url.to_string(), "not read: the host limits the request rate");
            return false;
        }
        let stored = self.stored_wait(&host).await;
        if stored > MAX_WAIT {
            let seconds = stored.as_secs();
            let text = format!("not read: the host sent Retry-After: {seconds} s");
            self.report_problem(url.to_string(), &text);
            return false;
        }
        let last = self.last_requests.0.get(&host).map(Instant::elapsed);
        let delay = last
            .map_or(Duration::ZERO, |elapsed| self.settings.sitemap_delay.saturating_sub(elapsed));
        tokio::select! {
            () = tokio::time::sleep(stored.max(delay)) => {}
            () = stop.stopped() => return false,
        }
        self.last_requests.0.insert(host, Instant::now());
        !stop.is_stopped()
    }

    /// Returns the wait that is stored for a host.
    async fn stored_wait(&self, host: &str) -> Duration {
        let schedule = self.ports.store.host_schedule(host).await.ok().flatten();
        schedule.map_or(Duration::ZERO, |schedule| stored_wait(&schedule, self.ports.now()))
    }
}
