//! A connection that requests are sent over, in either version of HTTP.
//!
//! An HTTP/1.1 connection carries one request at a time and has one owner. An
//! HTTP/2 connection carries any number, so clones of it are handed out.

use std::net::IpAddr;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::{Frame, Incoming};
use hyper::header::HOST;
use hyper::{Request, Response};
use relink_model::{FetchOutcome, InvalidRedirect};
use url::Url;

use crate::http1::Http1Connection;
use crate::http2::Http2Connection;
use crate::redirects;
use crate::wire::Transport;

/// The largest head of a response: the read buffer of HTTP/1.1, the header
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
    /// Prepares to speak HTTP over `wire`, in the version agreed on there.
    pub async fn open(wire: Transport, peer: Option<IpAddr>) -> hyper::Result<Self> {
        if wire.is_http2() {
            return Ok(Self::Http2(Http2Connection::open(wire, peer).await?));
        }
        Ok(Self::Http1(Http1Connection::open(wire, peer).await?))
    }

    /// The address of the host at the other end; unknown where a proxy looks
    /// up the name.
    pub fn peer(&self) -> Option<IpAddr> {
        match self {
            Self::Http1(connection) => connection.peer(),
            Self::Http2(connection) => connection.peer(),
        }
    }

    /// A clone, if any number of requests can use the connection at a time.
    pub fn share(&self) -> Option<Self> {
        match self {
            Self::Http1(_) => None,
            Self::Http2(connection) => Some(Self::Http2(connection.clone())),
        }
    }

    /// Gives a request for `url` the form that this version of HTTP needs.
    /// HTTP/2 names scheme and host beside the path, in place of `Host`
    /// (RFC 9113, section 8.3.1).
    pub fn adapt(
        &self,
        request: &mut Request<Empty<Bytes>>,
        url: &Url,
    ) -> Result<(), FetchOutcome> {
        if matches!(self, Self::Http2(_)) {
            let uri = redirects::kept_url(url).as_str().parse();
            let uri =
                uri.map_err(|_| FetchOutcome::InvalidRedirect(InvalidRedirect::NotAnAddress))?;
            *request.uri_mut() = uri;
            request.headers_mut().remove(HOST);
        }
        Ok(())
    }

    /// Sends a request and waits for the head of the response.
    pub async fn ask(
        &mut self,
        request: Request<Empty<Bytes>>,
    ) -> hyper::Result<Response<Incoming>> {
        match self {
            Self::Http1(connection) => connection.ask(request).await,
            Self::Http2(connection) => connection.ask(request).await,
        }
    }

    /// The next piece of the response body, or `None` at its end.
    pub async fn next_frame(&mut self, body: &mut Incoming) -> Option<hyper::Result<Frame<Bytes>>> {
        match self {
            Self::Http1(connection) => connection.next_frame(body).await,
            Self::Http2(connection) => connection.next_frame(body).await,
        }
    }

    /// Stops reading a response. HTTP/1.1 has to close the connection for it;
    /// in HTTP/2 dropping the body resets the stream.
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
