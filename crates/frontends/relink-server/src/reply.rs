//! Responses of the server.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::json;

/// A response.
pub(crate) struct Reply {
    status: u16,
    content_type: &'static str,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Reply {
    /// Creates a response without further headers.
    pub(crate) fn new(status: u16, content_type: &'static str, body: String) -> Self {
        Self { status, content_type, headers: Vec::new(), body }
    }

    /// Creates a response in plain text.
    pub(crate) fn text(status: u16, text: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", text.to_owned())
    }

    /// Creates the description of an error in JSON (RFC 9457).
    pub(crate) fn problem(status: u16, title: &str, detail: &str) -> Self {
        let body = json!({ "title": title, "status": status, "detail": detail });
        Self::new(status, "application/problem+json", format!("{body}\n"))
    }

    /// Replaces the status.
    #[must_use]
    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Adds a header. A value that is not valid in a header is omitted.
    #[must_use]
    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Converts the response to the type of hyper.
    pub(crate) fn into_response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(Bytes::from(self.body)));
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert("X-Content-Type-Options", HeaderValue::from_static("nosniff"));
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        response
    }
}
