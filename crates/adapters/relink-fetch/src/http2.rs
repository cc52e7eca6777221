//! An HTTP/2 connection, shared by any number of requests.
//!
//! A background task drives the connection, because frames of one request arrive while
//! other requests start and finish. The task ends after [`IDLE_TIMEOUT`] without a
//! request, so a server cannot keep the connection open.
//!
//! Limits: the header list of a response has the size limit of an HTTP/1.1
//! head, and the flow-control windows limit the received data that is not yet
//! read. hyper rejects server push and closes the connection after the server
//! has reset 1,024 streams.

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body as _, Frame, Incoming};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::time::timeout;

use crate::connection::MAX_HEAD_BYTES;
use crate::outcome;
use crate::pool::IDLE_TIMEOUT;
use crate::transport::Transport;

/// Maximum number of unread bytes of one response.
const STREAM_WINDOW: u32 = 256 * 1024;

/// Maximum number of unread bytes of all responses.
const CONNECTION_WINDOW: u32 = 1024 * 1024;

/// A handle to the connection. Dropping the last handle closes the connection.
#[derive(Clone)]
pub(crate) struct Http2Connection {
    sender: SendRequest<Full<Bytes>>,
    state: Arc<State>,
}

/// State shared by all handles of a connection.
struct State {
    peer: Option<IpAddr>,
    /// Set by each request, cleared by each check for idleness.
    was_used: AtomicBool,
    /// Set when a request got no response. Later requests open a new
    /// connection.
    is_retired: AtomicBool,
}

impl Http2Connection {
    /// Starts HTTP/2 on `transport`.
    pub async fn open(transport: Transport, peer: Option<IpAddr>) -> hyper::Result<Self> {
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .max_header_list_size(MAX_HEAD_BYTES)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .handshake(TokioIo::new(transport))
            .await?;
        let state = State { peer, was_used: true.into(), is_retired: false.into() };
        let state = Arc::new(state);
        tokio::spawn(drive(connection, Arc::clone(&state)));
        Ok(Self { sender, state })
    }

    /// Returns the IP address of the host, if it is known.
    pub fn peer(&self) -> Option<IpAddr> {
        self.state.peer
    }

    /// Sends a request and waits for the head of the response.
    pub async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> hyper::Result<Response<Incoming>> {
        self.state.was_used.store(true, Ordering::Relaxed);
        let mut pending = PendingRequest { state: &self.state, retires_connection: true };
        let response = self.sender.send_request(request).await;
        pending.retires_connection =
            response.as_ref().is_err_and(|error| !outcome::is_stream_error(error));
        response
    }

    /// Returns the next frame of the response body, or `None` at its end.
    pub async fn next_frame(&mut self, body: &mut Incoming) -> Option<hyper::Result<Frame<Bytes>>> {
        poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await
    }

    /// Whether another request can be sent.
    pub fn is_ready(&self) -> bool {
        !self.state.is_retired.load(Ordering::Relaxed) && self.sender.is_ready()
    }
}

/// A request without a response. If the request fails or is canceled, the connection may
/// be dead without an error. Later requests must not use such a connection.
struct PendingRequest<'a> {
    state: &'a State,
    retires_connection: bool,
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        if self.retires_connection {
            self.state.is_retired.store(true, Ordering::Relaxed);
        }
    }
}

/// Drives the connection until it ends or is idle.
async fn drive(connection: impl Future, state: Arc<State>) {
    let mut connection = pin!(connection);
    while timeout(IDLE_TIMEOUT, &mut connection).await.is_err() {
        let was_used = state.was_used.swap(false, Ordering::Relaxed);
        // This task and the pool hold one handle each. Any other handle belongs to a request.
        if !was_used && Arc::strong_count(&state) <= 2 {
            break;
        }
    }
}
