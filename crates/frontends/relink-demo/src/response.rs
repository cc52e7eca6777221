//! Well-formed HTTP responses.
//!
//! Malformed responses are written by hand in [`crate::behavior`].

use crate::received_request::Request;

/// Content type of web pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// A well-formed response.
#[derive(Debug)]
pub(crate) struct CannedResponse {
    status: u16,
    content_type: &'static str,
    /// Header lines, each with CR LF.
    headers: String,
    body: String,
}

impl CannedResponse {
    /// Creates a web page with status 200.
    pub(crate) fn page(body: String) -> Self {
        Self::with_status(200, body)
    }

    /// Creates a web page with this status.
    pub(crate) fn with_status(status: u16, body: String) -> Self {
        Self { status, content_type: HTML, headers: String::new(), body }
    }

    /// Creates a redirect.
    pub(crate) fn redirect(status: u16, location: &str) -> Self {
        Self::with_status(status, String::new()).with_header("Location", location)
    }

    /// Adds a header.
    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.extend([name, ": ", value, "\r\n"]);
        self
    }

    /// Sets the content type.
    pub(crate) fn with_content_type(mut self, content_type: &'static str) -> Self {
        self.content_type = content_type;
        self
    }

    /// Returns the response as text. A response to HEAD has no body. The reason phrase after
    /// the status is omitted, as RFC 9112 §4 allows.
    pub(crate) fn to_http(&self, request: &Request) -> String {
        let Self { status, content_type, headers, body } = self;
        let length = body.len();
        let body = if request.method == "HEAD" { "" } else { body };
        format!(
            "HTTP/1.1 {status} \r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\
             {headers}Connection: close\r\n\r\n{body}"
        )
    }
}
