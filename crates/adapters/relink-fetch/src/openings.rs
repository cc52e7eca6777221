//! Connections that are being opened.
//!
//! Which version of HTTP a server speaks is known once its first connection
//! is open. Requests that come before that wait for it, because over HTTP/2
//! all of them can use that one connection. Servers that chose HTTP/1.1 are
//! recorded, and nothing waits for them again.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::pool::PoolKey;

/// The longest wait for a connection that another request opens.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// How many servers without HTTP/2 are recorded; then the record starts again.
const MAX_RECORDED: usize = 4096;

/// The connections being opened, and the servers known to speak HTTP/1.1.
#[derive(Default)]
pub(crate) struct Openings {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    under_way: HashMap<PoolKey, watch::Receiver<()>>,
    http1: HashSet<PoolKey>,
}

/// The state of an origin when a request needs a connection to it.
enum Entry {
    /// No connection is being opened.
    First(watch::Sender<()>),
    /// Another request opens one.
    Later(watch::Receiver<()>),
    /// The server speaks HTTP/1.1 only.
    Http1,
}

/// The right to open the first connection to a server. Those who wait for it
/// continue when this is dropped.
pub(crate) struct Opening<'a> {
    openings: &'a Openings,
    origin: &'a PoolKey,
    // Dropping the sender wakes the receivers.
    _sender: watch::Sender<()>,
}

impl Openings {
    /// Returns the right to open the first connection to `origin`, or `None`
    /// once another request has done so, or if waiting for it is of no use.
    pub async fn begin<'a>(&'a self, origin: &'a PoolKey) -> Option<Opening<'a>> {
        let mut opened = match self.enter(origin) {
            Entry::First(sender) => {
                return Some(Opening { openings: self, origin, _sender: sender });
            }
            Entry::Later(opened) => opened,
            Entry::Http1 => return None,
        };
        // It always ends with an error, because nothing is ever sent.
        let _ = timeout(MAX_WAIT, opened.changed()).await;
        None
    }

    fn enter(&self, origin: &PoolKey) -> Entry {
        let mut state = self.state();
        if state.http1.contains(origin) {
            return Entry::Http1;
        }
        if let Some(opened) = state.under_way.get(origin) {
            return Entry::Later(opened.clone());
        }
        let (sender, receiver) = watch::channel(());
        state.under_way.insert(origin.clone(), receiver);
        Entry::First(sender)
    }

    /// Records that a server speaks HTTP/1.1 only.
    pub fn record_http1(&self, origin: &PoolKey) {
        let mut state = self.state();
        if state.http1.len() >= MAX_RECORDED {
            state.http1.clear();
        }
        state.http1.insert(origin.clone());
    }

    /// Whether a server is known to speak HTTP/1.1 only.
    pub fn is_http1(&self, origin: &PoolKey) -> bool {
        self.state().http1.contains(origin)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.openings.state().under_way.remove(self.origin);
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    #[tokio::test]
    async fn others_wait_until_the_first_has_opened() {
        let openings = Openings::default();
        let origin = PoolKey::of(&Url::parse("https://a.test/").unwrap());
        let other = PoolKey::of(&Url::parse("https://b.test/").unwrap());
        let first = openings.begin(&origin).await.unwrap();
        assert!(openings.begin(&other).await.is_some());
        let second = openings.begin(&origin);
        let (second, ()) = tokio::join!(second, async { drop(first) });
        assert!(second.is_none());
        assert!(openings.begin(&origin).await.is_some());
    }

    #[tokio::test]
    async fn server_without_http2_is_not_waited_for() {
        let openings = Openings::default();
        let origin = PoolKey::of(&Url::parse("https://a.test/").unwrap());
        let _first = openings.begin(&origin).await.unwrap();
        openings.record_http1(&origin);
        assert!(openings.begin(&origin).await.is_none());
        assert!(openings.is_http1(&origin));
    }
}
