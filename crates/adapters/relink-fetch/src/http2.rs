//! One HTTP/2 connection, shared by any number of requests.
//!
//! A task of its own drives the connection, because requests come and go while
//! frames for others arrive. The task ends when nothing has used the
//! connection for [`IDLE_AGE`], so that a server cannot keep it busy.
//!
//! Limits: the header list of a response is as long as a head of HTTP/1.1,
//! the windows bound what is received but not read yet, hyper refuses pushed
//! responses and closes the connection after 1,024 streams that the server
//! breaks.

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::{Body as _, Frame, Incoming};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::time::timeout;

use crate::connection::MAX_HEAD_BYTES;
use crate::outcome;
use crate::pool::IDLE_AGE;
use crate::wire::Transport;

/// Bytes a server may send of one response before we have read them.
const STREAM_WINDOW: u32 = 256 * 1024;

/// Bytes a server may send of all responses before we have read them.
const CONNECTION_WINDOW: u32 = 1024 * 1024;

/// A handle to the connection. The connection closes when the last one is
/// dropped.
#[derive(Clone)]
pub(crate) struct Http2Connection {
    sender: SendRequest<Empty<Bytes>>,
    state: Arc<State>,
}

/// What all handles of one connection share.
struct State {
    peer: Option<IpAddr>,
    /// Set by each request, cleared by each check for idleness.
    was_used: AtomicBool,
    /// Set when a request got no response: later ones open a new connection.
    is_retired: AtomicBool,
}

impl Http2Connection {
    /// Starts HTTP/2 over `wire`.
    pub async fn open(wire: Transport, peer: Option<IpAddr>) -> hyper::Result<Self> {
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .max_header_list_size(MAX_HEAD_BYTES)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .handshake(TokioIo::new(wire))
            .await?;
        let state = State { peer, was_used: true.into(), is_retired: false.into() };
        let state = Arc::new(state);
        tokio::spawn(drive(connection, Arc::clone(&state)));
        Ok(Self { sender, state })
    }

    /// The address of the host at the other end, if it is known.
    pub fn peer(&self) -> Option<IpAddr> {
        self.state.peer
    }

    /// Sends a request and waits for the head of the response.
    pub async fn ask(
        &mut self,
        request: Request<Empty<Bytes>>,
    ) -> hyper::Result<Response<Incoming>> {
        self.state.was_used.store(true, Ordering::Relaxed);
        let mut unanswered = Unanswered { state: &self.state, is_connections: true };
        let answer = self.sender.send_request(request).await;
        unanswered.is_connections = answer.as_ref().is_err_and(|it| !outcome::is_of_stream(it));
        answer
    }

    /// The next piece of the response body, or `None` at its end.
    pub async fn next_frame(&mut self, body: &mut Incoming) -> Option<hyper::Result<Frame<Bytes>>> {
        poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await
    }

    /// Whether another request can be sent.
    pub fn is_ready(&self) -> bool {
        !self.state.is_retired.load(Ordering::Relaxed) && self.sender.is_ready()
    }
}

/// A request without a response yet. If it fails or is given up, the
/// connection may be dead without a sign, and no other request should wait on
/// it.
struct Unanswered<'a> {
    state: &'a State,
    is_connections: bool,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if self.is_connections {
            self.state.is_retired.store(true, Ordering::Relaxed);
        }
    }
}

/// Lets the connection read and write until it ends or is idle.
async fn drive(connection: impl Future, state: Arc<State>) {
    let mut connection = pin!(connection);
    while timeout(IDLE_AGE, &mut connection).await.is_err() {
        let was_used = state.was_used.swap(false, Ordering::Relaxed);
        // This task and the pool have one handle each, a request a third.
        if !was_used && Arc::strong_count(&state) <= 2 {
            break;
        }
    }
}
