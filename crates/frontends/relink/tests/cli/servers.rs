//! Servers beside the test, which itself waits for `relink` to end.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;

use tokio::net::TcpSocket;
use tokio::runtime::{Builder, Runtime};

/// A server of the testkit on a runtime of its own.
pub struct Beside<T> {
    // In this order: a server must be gone before its runtime.
    server: T,
    _runtime: Runtime,
}

impl<T> Beside<T> {
    /// Starts it.
    pub fn start(server: impl Future<Output = T>) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(server);
        Self { server, _runtime: runtime }
    }
}

impl<T> Deref for Beside<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.server
    }
}

/// A port where whoever knocks is refused, and where nobody else moves in.
pub struct Deserted {
    address: SocketAddr,
    // Bound but not listening.
    _socket: TcpSocket,
}

impl Deserted {
    pub fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        Self { address: socket.local_addr().unwrap(), _socket: socket }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}
