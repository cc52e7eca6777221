//! An HTTP connection, version 1.1 or 2.
//!
//! An HTTP/1.1 connection has one owner and carries one request at a time. An
//! HTTP/2 connection carries any number of requests and is shared by cloning.

use std::net::IpAddr;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Frame, Incoming};
use hyper::header::HOST;
use hyper::{Request, Response};
use relink_model::{FetchOutcome, InvalidRedirect};
use url::Url;

use crate::http1::Http1Connection;
use crate::http2::Http2Connection;
use crate::redirects;
use crate::transport::Transport;

/// Maximum size of a response head: the read buffer of HTTP/1.1 and the header
/// list of HTTP/2.
pub(crate) const MAX_HEAD_BYTES: u32 = 64 * 1024;

/// A connection to a server.
pub(crate) enum HttpConnection {
    /// HTTP/1.1.
    Http1(Http1Connection),
    /// HTTP/2.
    Http2(Http2Connection),
}

impl HttpConnection {
    /// Starts HTTP on `transport`, in the version selected by ALPN.
    pub async fn open(transport: Transport, peer: Option<IpAddr>) -> hyper::Result<Self> {
        if transport.is_http2() {
            return Ok(Self::Http2(Http2Connection::open(transport, peer).await?));
        }
        Ok(Self::Http1(Http1Connection::open(transport, peer).await?))
    }

    /// Returns the IP address of the host, or `None` if a proxy resolved its
    /// name.
    pub fn peer(&self) -> Option<IpAddr> {
        match self {
            Self::Http1(connection) => connection.peer(),
            Self::Http2(connection) => connection.peer(),
        }
    }

    /// Returns a clone if several requests can use the connection concurrently.
    pub fn share(&self) -> Option<Self> {
        match self {
            Self::Http1(_) => None,
            Self::Http2(connection) => Some(Self::Http2(connection.clone())),
        }
    }

    /// Adapts a request for `url` to the HTTP version. HTTP/2 sends scheme and
    /// host in pseudo-headers instead of `Host` (RFC 9113, section 8.3.1).
    pub fn adapt(&self, request: &mut Request<Full<Bytes>>, url: &Url) -> Result<(), FetchOutcome> {
        if matches!(self, Self::Http2(_)) {
            let uri = redirects::sanitize_url(url).as_str().parse();
            let uri = uri.map_err(|_| FetchOutcome::InvalidRedirect(InvalidRedirect::NotAUrl))?;
            *request.uri_mut() = uri;
            request.headers_mut().remove(HOST);
        }
        Ok(())
    }

    /// Sends a request and waits for the head of the response.
    pub async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> hyper::Result<Response<Incoming>> {
        match self {
            Self::Http1(connection) => connection.send(request).await,
            Self::Http2(connection) => connection.send(request).await,
        }
    }

    /// Returns the next frame of the response body, or `None` at its end.
    pub async fn next_frame(&mut self, body: &mut Incoming) -> Option<hyper::Result<Frame<Bytes>>> {
        match self {
            Self::Http1(connection) => connection.next_frame(body).await,
            Self::Http2(connection) => connection.next_frame(body).await,
        }
    }

    /// Stops reading a response. For HTTP/1.1 this closes the connection. For
    /// HTTP/2 dropping the body resets the stream.
    pub fn close(&mut self) {
        match self {
            Self::Http1(connection) => connection.close(),
            Self::Http2(_) => {}
        }
    }

    /// Whether another request can be sent.
    pub fn is_ready(&mut self) -> bool {
        match self {
            Self::Http1(connection) => connection.is_ready(),
            Self::Http2(connection) => connection.is_ready(),
        }
    }
}
