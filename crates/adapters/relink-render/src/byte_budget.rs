//! Counts what a page takes from the network, and stops it at a cap.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use relink_ports::Connection;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The bytes that all servers together may still send to a page.
#[derive(Debug)]
pub(crate) struct ByteBudget(AtomicU64);

impl ByteBudget {
    /// So many bytes.
    pub fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// Takes some, or all that is left; says whether there was enough.
    fn spend(&self, bytes: u64) -> bool {
        let left = |left: u64| Some(left.saturating_sub(bytes));
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        before.is_ok_and(|before| before >= bytes)
    }
}

/// A connection whose bytes count.
pub(crate) struct MeteredConnection {
    connection: Box<dyn Connection>,
    allowance: Arc<ByteBudget>,
}

impl MeteredConnection {
    /// Counts what comes over `connection` against `allowance`.
    pub fn new(connection: Box<dyn Connection>, allowance: Arc<ByteBudget>) -> Self {
        Self { connection, allowance }
    }
}

impl AsyncRead for MeteredConnection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let polled = Pin::new(&mut this.connection).poll_read(cx, buffer);
        let read = buffer.filled().len() - before;
        if this.allowance.spend(read as u64) {
            return polled;
        }
        // Who is told of an error must not be given bytes with it.
        buffer.set_filled(before);
        Poll::Ready(Err(io::Error::other("the page has taken its share")))
    }
}

impl AsyncWrite for MeteredConnection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().connection).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().connection).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().connection).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn connections_share_one_allowance() {
        let allowance = Arc::new(ByteBudget::new(5));
        for (said, expect) in [("abc", true), ("de", true), ("f", false)] {
            let (ours, mut theirs) = duplex(64);
            theirs.write_all(said.as_bytes()).await.unwrap();
            drop(theirs);
            let mut metered = MeteredConnection::new(Box::new(ours), Arc::clone(&allowance));
            let mut read = String::new();
            assert_eq!(metered.read_to_string(&mut read).await.is_ok(), expect, "{said}");
        }
    }
}
