//! Servers that run in the background while a test waits for `relink`.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;

use tokio::net::TcpSocket;
use tokio::runtime::{Builder, Runtime};

/// A server of the testkit on its own runtime.
pub struct BackgroundServer<T> {
    // Field order matters: the server is dropped before its runtime.
    server: T,
    _runtime: Runtime,
}

impl<T> BackgroundServer<T> {
    /// Starts the server.
    pub fn start(server: impl Future<Output = T>) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(server);
        Self { server, _runtime: runtime }
    }
}

impl<T> Deref for BackgroundServer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.server
    }
}

/// A port that refuses connections and stays reserved for this test.
pub struct RefusedPort {
    address: SocketAddr,
    // The socket is bound but not listening, so that connections are refused.
    _socket: TcpSocket,
}

impl RefusedPort {
    /// Reserves a port on loopback.
    pub fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        Self { address: socket.local_addr().unwrap(), _socket: socket }
    }

    /// Returns a URL with this port.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}
