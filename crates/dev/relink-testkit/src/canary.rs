//! A listener that must not be contacted.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Counts connections and sends nothing.
///
/// Listens on 127.0.0.1 and, if the machine has IPv6, on the same port of `::1`.
#[derive(Debug)]
pub struct Canary {
    port: u16,
    connects: Arc<AtomicUsize>,
    // Dropping the `JoinSet` ends the listeners.
    _listeners: JoinSet<()>,
}

impl Canary {
    /// Starts a canary on a free port, on the caller's runtime.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port.
    pub async fn start() -> Self {
        let v4 =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback has a free port");
        let port = v4.local_addr().expect("a bound socket has an address").port();
        let connects = Arc::new(AtomicUsize::new(0));
        let mut listeners = JoinSet::new();
        listeners.spawn(count_connections(v4, Arc::clone(&connects)));
        if let Ok(v6) = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await {
            listeners.spawn(count_connections(v6, Arc::clone(&connects)));
        }
        Self { port, connects, _listeners: listeners }
    }

    /// Returns the IPv4 address of the canary.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// Returns the port of the canary.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the number of connections.
    pub fn connects(&self) -> usize {
        self.connects.load(Ordering::SeqCst)
    }
}

/// Accepts and counts connections.
async fn count_connections(listener: TcpListener, connects: Arc<AtomicUsize>) {
    while listener.accept().await.is_ok() {
        connects.fetch_add(1, Ordering::SeqCst);
    }
}
