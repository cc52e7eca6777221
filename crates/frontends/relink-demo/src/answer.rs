//! A proper answer: a status, a few headers and a body.
//!
//! What is no proper answer is written by hand where it is needed.

use crate::visit::Request;

/// The type of web pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// What is said to a visitor.
#[derive(Debug)]
pub(crate) struct CannedResponse {
    status: u16,
    kind: &'static str,
    /// Lines with their line ends.
    headers: String,
    body: String,
}

impl CannedResponse {
    /// A web page, and all is well.
    pub(crate) fn page(body: String) -> Self {
        Self::with_status(200, body)
    }

    /// A web page with this status.
    pub(crate) fn with_status(status: u16, body: String) -> Self {
        Self { status, kind: HTML, headers: String::new(), body }
    }

    /// A redirect.
    pub(crate) fn redirect(status: u16, location: &str) -> Self {
        Self::with_status(status, String::new()).and("Location", location)
    }

    /// The same with one more header.
    pub(crate) fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.extend([name, ": ", value, "\r\n"]);
        self
    }

    /// The same as something else than a web page.
    pub(crate) fn of_kind(mut self, kind: &'static str) -> Self {
        self.kind = kind;
        self
    }

    /// The answer as sent; to HEAD without its body. The reason phrase is left
    /// out, as RFC 9112 §4 allows.
    pub(crate) fn written(&self, request: &Request) -> String {
        let Self { status, kind, headers, body } = self;
        let length = body.len();
        let sent = if request.method == "HEAD" { "" } else { body };
        format!(
            "HTTP/1.1 {status} \r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{headers}\
             Connection: close\r\n\r\n{sent}"
        )
    }
}
