//! Servers on 127.0.0.1 that violate the HTTP protocol or respond too slowly.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

/// The behavior of a server after a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misbehavior {
    /// Never responds.
    NoResponse,
    /// Closes the connection immediately, as nginx does for status 444.
    Close,
    /// Resets the connection.
    Reset,
    /// Sends the headers and the start of the body, then resets the connection.
    ResetInBody,
    /// Declares 1000 bytes, sends 10 and closes the connection.
    Truncate,
    /// Sends an invalid chunk.
    BadChunk,
    /// Sends headers, then endless chunks.
    EndlessBody,
    /// Sends endless header lines.
    EndlessHeaders,
    /// Sends endless headers, one byte at a time at this interval.
    DripHead(Duration),
    /// Sends headers, then an endless body, one byte at a time at this interval.
    DripBody(Duration),
    /// Sends these bytes and closes the connection.
    Send(Vec<u8>),
}

/// A server with the same misbehavior for all clients.
#[derive(Debug)]
pub struct Hostile {
    address: SocketAddr,
    sent: Arc<AtomicUsize>,
    connects: Arc<AtomicUsize>,
    // Dropping the `JoinSet` ends the server and its connections.
    _server: JoinSet<()>,
}

impl Hostile {
    /// Starts a server on a free port, on the caller's runtime.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port.
    pub async fn start(misbehavior: Misbehavior) -> Self {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let sent = Arc::new(AtomicUsize::new(0));
        let connects = Arc::new(AtomicUsize::new(0));
        let mut server = JoinSet::new();
        server.spawn(serve(listener, misbehavior, Arc::clone(&sent), Arc::clone(&connects)));
        Self { address, sent, connects, _server: server }
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of a path.
    ///
    /// # Panics
    ///
    /// Panics if `path` does not start with a slash.
    pub fn url(&self, path: &str) -> Url {
        assert!(path.starts_with('/'), "`{path}` starts with a slash");
        Url::parse(&format!("http://{}{path}", self.address)).expect("a valid URL")
    }

    /// Returns the number of bytes sent, including bytes that are still in the socket buffers.
    pub fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    /// Returns the number of accepted connections.
    pub fn connects(&self) -> usize {
        self.connects.load(Ordering::SeqCst)
    }
}

/// Accepts connections.
async fn serve(
    listener: TcpListener,
    misbehavior: Misbehavior,
    sent: Arc<AtomicUsize>,
    connects: Arc<AtomicUsize>,
) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connects.fetch_add(1, Ordering::SeqCst);
        let mut connection = Connection { stream, sent: Arc::clone(&sent) };
        let misbehavior = misbehavior.clone();
        // Ignore errors: the client may close the connection.
        connections.spawn(async move { drop(connection.misbehave(misbehavior).await) });
        while connections.try_join_next().is_some() {}
    }
}

/// A connection that misbehaves.
struct Connection {
    stream: TcpStream,
    sent: Arc<AtomicUsize>,
}

/// The status line and first header of a response.
const RESPONSE_START: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

impl Connection {
    /// Reads a request and misbehaves.
    async fn misbehave(&mut self, misbehavior: Misbehavior) -> io::Result<()> {
        self.read_request().await?;
        match misbehavior {
            Misbehavior::NoResponse => std::future::pending().await,
            Misbehavior::Close => Ok(()),
            Misbehavior::Reset => self.stream.set_zero_linger(),
            Misbehavior::ResetInBody => self.reset_in_body().await,
            Misbehavior::Truncate => {
                self.send_response(b"Content-Length: 1000\r\n\r\n0123456789").await
            }
            Misbehavior::BadChunk => {
                self.send_response(b"Transfer-Encoding: chunked\r\n\r\nxyz\r\nno chunk\r\n").await
            }
            Misbehavior::EndlessBody => {
                self.send_response(b"Transfer-Encoding: chunked\r\n\r\n").await?;
                let chunk = [b"2000\r\n", &[b'a'; 0x2000][..], b"\r\n"].concat();
                self.repeat(&chunk).await
            }
            Misbehavior::EndlessHeaders => {
                self.send(b"HTTP/1.1 200 OK\r\n").await?;
                self.repeat(format!("X-Long: {}\r\n", "a".repeat(2000)).as_bytes()).await
            }
            Misbehavior::DripHead(pause) => {
                self.send(b"HTTP/1.1 200 OK\r\nX-Long: ").await?;
                self.drip(pause).await
            }
            Misbehavior::DripBody(pause) => {
                self.send_response(b"Content-Length: 1000000\r\n\r\n").await?;
                self.drip(pause).await
            }
            Misbehavior::Send(bytes) => self.send(&bytes).await,
        }
    }

    /// Reads to the end of the request headers.
    async fn read_request(&mut self) -> io::Result<()> {
        let mut last = [0; 4];
        while &last != b"\r\n\r\n" {
            last.rotate_left(1);
            last[3] = self.stream.read_u8().await?;
        }
        Ok(())
    }

    /// Sends bytes and counts them.
    async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.sent.fetch_add(bytes.len(), Ordering::SeqCst);
        Ok(())
    }

    /// Sends [`RESPONSE_START`] and the rest of a response.
    async fn send_response(&mut self, rest: &[u8]) -> io::Result<()> {
        self.send(&[RESPONSE_START, rest].concat()).await
    }

    /// Sends the same bytes until the client closes the connection.
    async fn repeat(&mut self, bytes: &[u8]) -> io::Result<()> {
        loop {
            self.send(bytes).await?;
        }
    }

    /// Sends single bytes until the client closes the connection.
    async fn drip(&mut self, pause: Duration) -> io::Result<()> {
        loop {
            self.send(b"a").await?;
            tokio::time::sleep(pause).await;
        }
    }

    /// Resets the connection 50 ms after the first part of the body, because a
    /// reset can overtake the bytes sent before it.
    async fn reset_in_body(&mut self) -> io::Result<()> {
        self.send_response(b"Content-Length: 1000\r\n\r\n0123456789").await?;
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.stream.set_zero_linger()
    }
}
