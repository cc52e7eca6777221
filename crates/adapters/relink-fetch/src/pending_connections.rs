//! Connections that are being opened.
//!
//! The HTTP version of a server is unknown until the first connection to it is open. Requests
//! that arrive earlier wait, because with HTTP/2 all requests can use the first connection.
//! Servers that select HTTP/1.1 are recorded, and later requests to these servers do not
//! wait.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::pool::PoolKey;

/// Maximum wait for a connection that another request opens.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// Maximum number of recorded HTTP/1.1 servers. At the limit the record is
/// cleared.
const MAX_RECORDED: usize = 4096;

/// Connections being opened, and servers known to support only HTTP/1.1.
#[derive(Default)]
pub(crate) struct PendingConnections {
    state: Mutex<State>,
}

/// The connections to each server.
#[derive(Default)]
struct State {
    /// Servers to which a request is opening a connection. The channel is closed when the
    /// connection is open.
    in_progress: HashMap<PoolKey, watch::Receiver<()>>,
    /// Servers that do not support HTTP/2.
    http1: HashSet<PoolKey>,
}

/// State of a server when a request needs a connection to it.
enum Registration {
    /// No connection is being opened.
    First(watch::Sender<()>),
    /// Another request is opening a connection. The channel is closed when the connection is
    /// open.
    Later(watch::Receiver<()>),
    /// The server supports only HTTP/1.1.
    Http1,
}

/// Permission to open the first connection to a server. Dropping the permit wakes the
/// requests that wait for the connection.
pub(crate) struct ConnectPermit<'a> {
    pending: &'a PendingConnections,
    key: &'a PoolKey,
    // Dropping the sender wakes the receivers.
    _sender: watch::Sender<()>,
}

impl PendingConnections {
    /// Returns the permission to open the first connection for `key`. If another request
    /// has the permission, waits and returns `None` when its connection is open or
    /// [`MAX_WAIT`] has passed. Returns `None` at once if the server supports only
    /// HTTP/1.1.
    pub async fn acquire<'a>(&'a self, key: &'a PoolKey) -> Option<ConnectPermit<'a>> {
        let mut receiver = match self.register(key) {
            Registration::First(sender) => {
                return Some(ConnectPermit { pending: self, key, _sender: sender });
            }
            Registration::Later(receiver) => receiver,
            Registration::Http1 => return None,
        };
        // Nothing is ever sent. The receiver waits until the sender is dropped, so the result is
        // always an error.
        let _ = timeout(MAX_WAIT, receiver.changed()).await;
        None
    }

    /// Registers a request that needs a connection.
    fn register(&self, key: &PoolKey) -> Registration {
        let mut state = self.state();
        if state.http1.contains(key) {
            return Registration::Http1;
        }
        if let Some(receiver) = state.in_progress.get(key) {
            return Registration::Later(receiver.clone());
        }
        let (sender, receiver) = watch::channel(());
        state.in_progress.insert(key.clone(), receiver);
        Registration::First(sender)
    }

    /// Records that a server supports only HTTP/1.1.
    pub fn record_http1(&self, key: &PoolKey) {
        let mut state = self.state();
        if state.http1.len() >= MAX_RECORDED {
            state.http1.clear();
        }
        state.http1.insert(key.clone());
    }

    /// Whether a server is known to support only HTTP/1.1.
    pub fn is_http1(&self, key: &PoolKey) -> bool {
        self.state().http1.contains(key)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectPermit<'_> {
    fn drop(&mut self) {
        self.pending.state().in_progress.remove(self.key);
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    #[tokio::test]
    async fn later_requests_wait_until_the_first_has_opened() {
        let pending = PendingConnections::default();
        let key = PoolKey::from_url(&Url::parse("https://a.test/").unwrap());
        let other_key = PoolKey::from_url(&Url::parse("https://b.test/").unwrap());
        let first = pending.acquire(&key).await.unwrap();
        assert!(pending.acquire(&other_key).await.is_some());
        let second = pending.acquire(&key);
        let (second, ()) = tokio::join!(second, async { drop(first) });
        assert!(second.is_none());
        assert!(pending.acquire(&key).await.is_some());
    }

    #[tokio::test]
    async fn requests_do_not_wait_for_http1_servers() {
        let pending = PendingConnections::default();
        let key = PoolKey::from_url(&Url::parse("https://a.test/").unwrap());
        let _first = pending.acquire(&key).await.unwrap();
        pending.record_http1(&key);
        assert!(pending.acquire(&key).await.is_none());
        assert!(pending.is_http1(&key));
    }
}
