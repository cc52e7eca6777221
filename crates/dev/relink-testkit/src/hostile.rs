//! Servers that misbehave, on 127.0.0.1.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

/// How a server misbehaves, once a request has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misbehavior {
    /// Accepts and never says anything.
    Silence,
    /// Closes at once, as nginx does for its code 444.
    Close,
    /// Resets the connection.
    Reset,
    /// Sends a head, then resets the connection within the body.
    ResetInBody,
    /// Promises 1000 bytes, sends 10 and closes.
    Truncate,
    /// Begins a chunk that is none.
    BadChunk,
    /// Sends a head, then chunks without end.
    EndlessBody,
    /// Sends header lines without end.
    EndlessHeaders,
    /// Sends the head one byte at a time, this far apart, without end.
    DripHead(Duration),
    /// Sends a head, then a body one byte at a time, this far apart, without end.
    DripBody(Duration),
    /// Sends these bytes and closes.
    Say(Vec<u8>),
}

/// A server that plays one trick on everyone.
#[derive(Debug)]
pub struct Hostile {
    address: SocketAddr,
    sent: Arc<AtomicUsize>,
    connects: Arc<AtomicUsize>,
    // Dropping the set ends the server and its connections.
    _server: JoinSet<()>,
}

impl Hostile {
    /// Starts one on a free port, on the caller's runtime.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port.
    pub async fn start(trick: Misbehavior) -> Self {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let sent = Arc::new(AtomicUsize::new(0));
        let connects = Arc::new(AtomicUsize::new(0));
        let mut server = JoinSet::new();
        server.spawn(serve(listener, trick, Arc::clone(&sent), Arc::clone(&connects)));
        Self { address, sent, connects, _server: server }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A URL it answers in its way, as it answers all.
    ///
    /// # Panics
    ///
    /// Panics if `path` does not begin with a slash.
    pub fn url(&self, path: &str) -> Url {
        assert!(path.starts_with('/'), "`{path}` begins with a slash");
        Url::parse(&format!("http://{}{path}", self.address)).expect("an address and a path")
    }

    /// How many bytes it got rid of: those the client took and those that
    /// still fit into the buffers between.
    pub fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    /// How many connections it has seen.
    pub fn connects(&self) -> usize {
        self.connects.load(Ordering::SeqCst)
    }
}

async fn serve(
    listener: TcpListener,
    trick: Misbehavior,
    sent: Arc<AtomicUsize>,
    connects: Arc<AtomicUsize>,
) {
    let mut victims = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connects.fetch_add(1, Ordering::SeqCst);
        let mut victim = Victim { stream, sent: Arc::clone(&sent) };
        let trick = trick.clone();
        // A client that leaves is the end of the trick, not an error.
        victims.spawn(async move { drop(victim.suffer(trick).await) });
        while victims.try_join_next().is_some() {}
    }
}

struct Victim {
    stream: TcpStream,
    sent: Arc<AtomicUsize>,
}

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

impl Victim {
    async fn suffer(&mut self, trick: Misbehavior) -> io::Result<()> {
        self.read_request().await?;
        match trick {
            Misbehavior::Silence => std::future::pending().await,
            Misbehavior::Close => Ok(()),
            Misbehavior::Reset => self.stream.set_zero_linger(),
            Misbehavior::ResetInBody => self.reset_in_body().await,
            Misbehavior::Truncate => self.promise(b"Content-Length: 1000\r\n\r\n0123456789").await,
            Misbehavior::BadChunk => {
                self.promise(b"Transfer-Encoding: chunked\r\n\r\nxyz\r\nno chunk\r\n").await
            }
            Misbehavior::EndlessBody => {
                self.promise(b"Transfer-Encoding: chunked\r\n\r\n").await?;
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
                self.promise(b"Content-Length: 1000000\r\n\r\n").await?;
                self.drip(pause).await
            }
            Misbehavior::Say(bytes) => self.send(&bytes).await,
        }
    }

    /// Reads to the end of the request's head.
    async fn read_request(&mut self) -> io::Result<()> {
        let mut last = [0; 4];
        while &last != b"\r\n\r\n" {
            last.rotate_left(1);
            last[3] = self.stream.read_u8().await?;
        }
        Ok(())
    }

    async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.sent.fetch_add(bytes.len(), Ordering::SeqCst);
        Ok(())
    }

    async fn promise(&mut self, rest: &[u8]) -> io::Result<()> {
        self.send(&[HEAD, rest].concat()).await
    }

    async fn repeat(&mut self, bytes: &[u8]) -> io::Result<()> {
        loop {
            self.send(bytes).await?;
        }
    }

    async fn drip(&mut self, pause: Duration) -> io::Result<()> {
        loop {
            self.send(b"a").await?;
            tokio::time::sleep(pause).await;
        }
    }

    /// A reset may overtake what was sent before it, so the second half of
    /// the answer is held back until the client asks for it by waiting.
    async fn reset_in_body(&mut self) -> io::Result<()> {
        self.promise(b"Content-Length: 1000\r\n\r\n0123456789").await?;
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.stream.set_zero_linger()
    }
}
