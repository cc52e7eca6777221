//! Limits the number of bytes that a page may receive.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use relink_ports::Connection;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The number of bytes that all servers together may still send to a page.
#[derive(Debug)]
pub(crate) struct ByteBudget(AtomicU64);

impl ByteBudget {
    /// Creates a budget.
    pub fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// Subtracts bytes from the budget, down to zero. Returns whether enough bytes remained.
    fn spend(&self, bytes: u64) -> bool {
        let subtract = |remaining: u64| Some(remaining.saturating_sub(bytes));
        let remaining = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, subtract);
        remaining.is_ok_and(|remaining| remaining >= bytes)
    }
}

/// A connection that subtracts received bytes from a budget.
pub(crate) struct MeteredConnection {
    connection: Box<dyn Connection>,
    budget: Arc<ByteBudget>,
}

impl MeteredConnection {
    /// Creates a connection that subtracts the bytes received over `connection` from `budget`.
    pub fn new(connection: Box<dyn Connection>, budget: Arc<ByteBudget>) -> Self {
        Self { connection, budget }
    }
}

impl AsyncRead for MeteredConnection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let old_len = buffer.filled().len();
        let polled = Pin::new(&mut this.connection).poll_read(cx, buffer);
        let read = buffer.filled().len() - old_len;
        if this.budget.spend(read as u64) {
            return polled;
        }
        // A read that fails must not fill the buffer.
        buffer.set_filled(old_len);
        Poll::Ready(Err(io::Error::other("the page has used up its traffic budget")))
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
    async fn connections_share_one_budget() {
        let budget = Arc::new(ByteBudget::new(5));
        for (sent, expect) in [("abc", true), ("de", true), ("f", false)] {
            let (client_end, mut server_end) = duplex(64);
            server_end.write_all(sent.as_bytes()).await.unwrap();
            drop(server_end);
            let mut metered = MeteredConnection::new(Box::new(client_end), Arc::clone(&budget));
            let mut read = String::new();
            assert_eq!(metered.read_to_string(&mut read).await.is_ok(), expect, "{sent}");
        }
    }
}
