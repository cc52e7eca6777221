//! One HTTP/1.1 connection.
//!
//! The connection is driven by whoever asks over it, in the same task: no task
//! is spawned for it, an idle line costs nothing, and dropping a line closes
//! its socket at once.

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Waker};

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::{Body as _, Frame, Incoming};
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

use crate::connection::MAX_HEAD_BYTES;
use crate::wire::Transport;

/// A connection that carries one request at a time.
pub(crate) struct Http1Connection {
    sender: SendRequest<Empty<Bytes>>,
    /// `None` once the connection is over. Boxed because a line changes hands
    /// several times for each request.
    connection: Option<Box<Connection<TokioIo<Transport>, Empty<Bytes>>>>,
    peer: Option<IpAddr>,
}

impl Http1Connection {
    /// Prepares to speak HTTP over `wire`; nothing is sent yet.
    pub async fn open(wire: Transport, peer: Option<IpAddr>) -> hyper::Result<Self> {
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(MAX_HEAD_BYTES as usize)
            .handshake(TokioIo::new(wire))
            .await?;
        Ok(Self { sender, connection: Some(Box::new(connection)), peer })
    }

    /// The address of the host at the other end; a proxy does not tell it.
    pub fn peer(&self) -> Option<IpAddr> {
        self.peer
    }

    /// Sends a request and waits for the head of the answer.
    pub async fn ask(
        &mut self,
        request: Request<Empty<Bytes>>,
    ) -> hyper::Result<Response<Incoming>> {
        let mut answer = pin!(self.sender.send_request(request));
        poll_fn(|cx| {
            drive(&mut self.connection, cx);
            answer.as_mut().poll(cx)
        })
        .await
    }

    /// The next piece of the answer's body, or `None` at its end.
    pub async fn next_frame(&mut self, body: &mut Incoming) -> Option<hyper::Result<Frame<Bytes>>> {
        poll_fn(|cx| {
            // Asking first tells the connection that a piece is wanted.
            let wanted = Pin::new(&mut *body).poll_frame(cx);
            if wanted.is_ready() {
                return wanted;
            }
            drive(&mut self.connection, cx);
            Pin::new(&mut *body).poll_frame(cx)
        })
        .await
    }

    /// Closes the connection, with whatever is still to come over it.
    pub fn close(&mut self) {
        self.connection = None;
    }

    /// Whether another request can be sent: the last answer was read to its
    /// end, and the server has neither hung up nor spoken out of turn since.
    pub fn is_ready(&mut self) -> bool {
        drive(&mut self.connection, &mut Context::from_waker(Waker::noop()));
        self.connection.is_some() && self.sender.is_ready()
    }
}

/// Lets the connection read and write what it can.
fn drive(
    connection: &mut Option<Box<Connection<TokioIo<Transport>, Empty<Bytes>>>>,
    cx: &mut Context<'_>,
) {
    let is_over = match connection {
        // A failure reaches the one who asks through the answer or its body.
        Some(open) => Pin::new(&mut **open).poll(cx).is_ready(),
        None => false,
    };
    if is_over {
        *connection = None;
    }
}
