//! Behaviors of the demo server, including malformed responses.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::hosts::SitePorts;
use crate::pages::html;
use crate::received_request::{ReceivedRequest, Request};
use crate::response::{CannedResponse, HTML};

/// Size of an oversized header. Relink reads 64 KiB of headers, and common servers accept
/// 16 KiB.
const HUGE_HEADER_BYTES: usize = 128 * 1024;
/// Size limit of the endless page.
const MAX_ENDLESS_BYTES: usize = 64 * 1024 * 1024;
/// One line of the endless page.
const ENDLESS_LINE: &str = "<p>and one more volume, bound in green, without a title</p>\n";
/// The `Content-Length` of truncated pages.
const DECLARED_LENGTH: usize = 5_000;

/// The behavior of a URL.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Behavior {
    /// The URL is not served.
    NotServed,
    /// The response of the site in [`crate::sites`].
    BySite,
    /// A good page with this title and text.
    Page(&'static str, &'static str),
    /// A short page with this status.
    Status(u16),
    /// A redirect with this status and `Location`.
    Redirect(u16, &'static str),
    /// A redirect to the same path with the next number as its query.
    EndlessRedirect,
    /// A redirect to itself until the client sends a cookie.
    RedirectUntilCookie,
    /// A rejection of all methods except GET.
    OnlyGet,
    /// Status 429 with a `Retry-After` of 0 seconds.
    RateLimit,
    /// The inner behavior for the first request, then a good page.
    OnFirstRequest(&'static Behavior),
    /// A good page in HTTP/1.0, ended by closing the connection.
    Http10,
    /// A page that is larger than any client reads.
    EndlessBody,
    /// No response; the connection stays open.
    NoResponse,
    /// Half a page, then nothing; the connection stays open.
    Stall,
    /// Half a page, then the connection is closed.
    Truncate,
    /// The connection is reset.
    Reset,
    /// The connection is closed without a response.
    CloseWithoutResponse,
    /// The greeting of a mail server.
    NotHttp,
    /// Headers larger than any client reads.
    HugeHeaders,
}

impl Behavior {
    /// Performs the behavior on a connection.
    pub(crate) async fn perform(
        self,
        mut stream: TcpStream,
        received: &ReceivedRequest,
        ports: SitePorts,
    ) -> io::Result<()> {
        match self.for_request(received) {
            Self::NoResponse => wait_for_end(&mut stream).await,
            Self::Stall => {
                stream.write_all(truncated_response().as_bytes()).await?;
                wait_for_end(&mut stream).await
            }
            Self::EndlessBody => write_endlessly(&mut stream).await,
            Self::Reset => stream.set_zero_linger(),
            Self::CloseWithoutResponse => Ok(()),
            other => send(&mut stream, &other.response_text(received, ports)).await,
        }
    }

    /// Returns the behavior for this request: for [`Self::OnFirstRequest`], the inner
    /// behavior if this is the first request of a URL.
    fn for_request(self, received: &ReceivedRequest) -> Self {
        match self {
            Self::OnFirstRequest(first) if received.nth_for_url == 1 => *first,
            other => other,
        }
    }

    /// Returns the text to send, for behaviors that only send text.
    fn response_text(self, received: &ReceivedRequest, ports: SitePorts) -> String {
        match self {
            Self::Http10 => {
                format!("HTTP/1.0 200 OK\r\nContent-Type: {HTML}\r\n\r\n{}", good_page())
            }
            Self::Truncate => truncated_response(),
            Self::NotHttp => "220 library.test ready, mail only, no books\r\n".to_owned(),
            Self::HugeHeaders => huge_header_response(),
            _ => self.response(received, ports).to_http(&received.request),
        }
    }

    /// Returns the response, for behaviors with a well-formed response.
    fn response(self, received: &ReceivedRequest, ports: SitePorts) -> CannedResponse {
        let request = &received.request;
        match self {
            Self::Page(title, text) => CannedResponse::page(html(title, &[text], &[])),
            Self::Status(status) => CannedResponse::with_status(status, short_page(status)),
            Self::Redirect(status, location) => {
                CannedResponse::redirect(status, &ports.insert_ports(location))
            }
            Self::EndlessRedirect => CannedResponse::redirect(302, &next_redirect(request)),
            Self::RedirectUntilCookie if !request.has_cookie => {
                CannedResponse::redirect(302, &request.path)
                    .with_header("Set-Cookie", "reader=welcome; Path=/")
            }
            Self::OnlyGet if request.method != "GET" => {
                CannedResponse::with_status(405, String::new()).with_header("Allow", "GET")
            }
            Self::RateLimit => {
                CannedResponse::with_status(429, short_page(429)).with_header("Retry-After", "0")
            }
            // For this request, the conditions of `RedirectUntilCookie`, `OnlyGet` and
            // `OnFirstRequest` do not hold. No request reaches the other behaviors here: they
            // are handled before this function is called.
            Self::RedirectUntilCookie
            | Self::OnlyGet
            | Self::OnFirstRequest(_)
            | Self::NotServed
            | Self::BySite
            | Self::Http10
            | Self::EndlessBody
            | Self::NoResponse
            | Self::Stall
            | Self::Truncate
            | Self::Reset
            | Self::CloseWithoutResponse
            | Self::NotHttp
            | Self::HugeHeaders => CannedResponse::page(good_page()),
        }
    }
}

/// Returns the response for an unknown URL.
pub(crate) fn not_found() -> CannedResponse {
    CannedResponse::with_status(404, short_page(404))
}

/// Sends a response, closes the sending side, and waits until the client closes the
/// connection. A server that closes the connection first could reset it while data is still
/// in transit.
pub(crate) async fn send(stream: &mut TcpStream, response: &str) -> io::Result<()> {
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await?;
    wait_for_end(stream).await
}

/// Returns the same path with the next number as its query.
fn next_redirect(request: &Request) -> String {
    let number: u32 = request.query.parse().unwrap_or(0);
    format!("{}?{}", request.path, number.saturating_add(1))
}

/// Returns the body of an error response.
fn short_page(status: u16) -> String {
    html(
        &format!("Status {status}"),
        &["The librarian shakes her head and points at a small sign."],
        &[],
    )
}

/// Returns a healthy page.
fn good_page() -> String {
    let text = "Nothing is wrong with this page. It may have taken a second knock to open, \
        or a door that only a polite person finds, but here it is, whole and \
        legible, and it should be left in the catalog as it stands.";
    html("All is well", &[text], &[])
}

/// Returns a response whose body is shorter than its declared length.
fn truncated_response() -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {HTML}\r\nContent-Length: {DECLARED_LENGTH}\r\nConnection: close\r\n\r\n{}",
        "<!doctype html><title>Half a page</title><p>The mice have been here, and"
    )
}

/// Returns a response with a header that is larger than any client reads.
fn huge_header_response() -> String {
    let line = "X-Shelf-List: ".to_owned() + &"quarto, ".repeat(HUGE_HEADER_BYTES / 8);
    format!("HTTP/1.1 200 OK\r\n{line}\r\nContent-Length: 0\r\n\r\n")
}

/// Writes a body that is longer than any client reads.
async fn write_endlessly(stream: &mut TcpStream) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {HTML}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    // Write many lines at a time.
    let lines = ENDLESS_LINE.repeat(200);
    for _ in 0..MAX_ENDLESS_BYTES / lines.len() {
        stream.write_all(lines.as_bytes()).await?;
    }
    stream.shutdown().await
}

/// Waits until the client closes the connection.
async fn wait_for_end(stream: &mut TcpStream) -> io::Result<()> {
    let mut buffer = [0; 256];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}
