//! An HTTP/1.1 connection.
//!
//! The task that sends a request also drives the connection: it polls hyper's connection
//! future, which reads and writes the socket. Therefore no background task is needed, an
//! idle connection costs nothing, and dropping a connection closes its socket
//! immediately.

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Waker};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body as _, Frame, Incoming};
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

use crate::connection::MAX_HEAD_BYTES;
use crate::transport::Transport;

/// A connection that carries one request at a time.
pub(crate) struct Http1Connection {
    sender: SendRequest<Full<Bytes>>,
    /// `None` after the connection is closed. Boxed because the struct is moved
    /// several times per request.
    connection: Option<Box<Connection<TokioIo<Transport>, Full<Bytes>>>>,
    peer: Option<IpAddr>,
}

impl Http1Connection {
    /// Starts HTTP on `transport`. Does not send anything.
    pub async fn open(transport: Transport, peer: Option<IpAddr>) -> hyper::Result<Self> {
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(MAX_HEAD_BYTES as usize)
            .handshake(TokioIo::new(transport))
            .await?;
        Ok(Self { sender, connection: Some(Box::new(connection)), peer })
    }

    /// Returns the IP address of the host, or `None` if a proxy resolved its
    /// name.
    pub fn peer(&self) -> Option<IpAddr> {
        self.peer
    }

    /// Sends a request and waits for the head of the response.
    pub async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> hyper::Result<Response<Incoming>> {
        let mut response = pin!(self.sender.send_request(request));
        poll_fn(|cx| {
            drive(&mut self.connection, cx);
            response.as_mut().poll(cx)
        })
        .await
    }

    /// Returns the next frame of the response body, or `None` at its end.
    pub async fn next_frame(&mut self, body: &mut Incoming) -> Option<hyper::Result<Frame<Bytes>>> {
        poll_fn(|cx| {
            // Polling the body first signals demand for a frame to the
            // connection.
            let frame = Pin::new(&mut *body).poll_frame(cx);
            if frame.is_ready() {
                return frame;
            }
            drive(&mut self.connection, cx);
            Pin::new(&mut *body).poll_frame(cx)
        })
        .await
    }

    /// Closes the connection without reading the remaining data.
    pub fn close(&mut self) {
        self.connection = None;
    }

    /// Whether another request can be sent. For this, the last response was read to its
    /// end, and the server has neither closed the connection nor sent unexpected data.
    pub fn is_ready(&mut self) -> bool {
        drive(&mut self.connection, &mut Context::from_waker(Waker::noop()));
        self.connection.is_some() && self.sender.is_ready()
    }
}

/// Lets the connection read and write without blocking.
fn drive(
    connection: &mut Option<Box<Connection<TokioIo<Transport>, Full<Bytes>>>>,
    cx: &mut Context<'_>,
) {
    let is_closed = match connection {
        // Ignore an error here: the sender of the request receives it through the
        // response or its body.
        Some(open) => Pin::new(&mut **open).poll(cx).is_ready(),
        None => false,
    };
    if is_closed {
        *connection = None;
    }
}
