//! Canned responses of the scripted web server.

use std::time::Duration;

/// A canned response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedResponse {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    pub(super) delay: Duration,
}

impl CannedResponse {
    /// Creates a response. Its content type is HTML unless a header sets it.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), delay: Duration::ZERO }
    }

    /// Creates a redirect with a short body.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::new(status, "moved").with_header("Location", location)
    }

    /// Adds a header. Headers of the same name are not replaced.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Delays the response.
    #[must_use]
    pub fn with_delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Whether the response has `Connection: close`.
    pub(super) fn closes_connection(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }

    /// Returns the bytes to send.
    pub(super) fn to_bytes(&self, with_body: bool) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} Scripted\r\n", self.status);
        for (name, value) in &self.headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        if self.header("content-type").is_none() {
            head += "Content-Type: text/html; charset=utf-8\r\n";
        }
        if self.header("content-length").is_none() && self.header("transfer-encoding").is_none() {
            let length = self.body.len().to_string();
            head.extend(["Content-Length: ", &length, "\r\n"]);
        }
        head += "\r\n";
        let mut bytes = head.into_bytes();
        if with_body {
            bytes.extend(&self.body);
        }
        bytes
    }

    /// Returns the value of a header.
    fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(&found.1)
    }
}
