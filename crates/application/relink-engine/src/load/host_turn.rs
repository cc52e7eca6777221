//! Waiting for a host's turn before an input page or a sitemap is requested.
//!
//! These requests are sent while links are loaded, outside of the host queues
//! of the run. They keep the same interval per host, and they wait until the
//! time that an earlier run stored for the host.

use std::collections::HashMap;
use std::time::Duration;

use relink_frontier::host_key;
use tokio::time::Instant;
use url::Url;

use super::Loader;
use crate::StopSignal;
use crate::host_pace::stored_wait;

/// The longest wait for a host while loading.
const MAX_WAIT: Duration = Duration::from_mins(2);

/// When hosts were last requested.
#[derive(Debug, Default)]
pub(super) struct HostTurns(HashMap<String, Instant>);

impl Loader<'_> {
    /// Waits until the host of a URL may be requested. Returns `false` if the
    /// run is stopped meanwhile or the host asked for a longer wait.
    pub(super) async fn wait_for_turn(&mut self, url: &Url, stop: &StopSignal) -> bool {
        let host = host_key(url);
        if self.is_tired(&host) {
            self.unread(url.to_string(), "it is not read: its host wants fewer visits");
            return false;
        }
        let stored = self.stored_wait(&host).await;
        if stored > MAX_WAIT {
            let seconds = stored.as_secs();
            let text = format!("it is not read: its host asked for no requests for {seconds} s");
            self.unread(url.to_string(), &text);
            return false;
        }
        let last = self.turns.0.get(&host).map(Instant::elapsed);
        let pause = last.map_or(Duration::ZERO, |past| self.settings.pause.saturating_sub(past));
        tokio::select! {
            () = tokio::time::sleep(stored.max(pause)) => {}
            () = stop.raised() => return false,
        }
        self.turns.0.insert(host, Instant::now());
        !stop.is_stopped()
    }

    /// How long the store says that a host must be left alone.
    async fn stored_wait(&self, host: &str) -> Duration {
        let pace = self.ports.store.host_schedule(host).await.ok().flatten();
        pace.map_or(Duration::ZERO, |pace| stored_wait(&pace, self.ports.now()))
    }
}
