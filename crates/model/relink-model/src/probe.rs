//! Probes: observations of single fetches, without conclusions.

use std::fmt;
use std::net::IpAddr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Digest;

/// The observation of one fetch: its hops, outcome and page digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The start of the fetch.
    pub requested_at: Timestamp,
    /// Every response of the redirect chain, including the last.
    pub hops: Vec<Hop>,
    /// The outcome of the fetch.
    pub outcome: FetchOutcome,
    /// The duration of each phase, summed over the hops.
    pub timings: Timings,
    /// The value of `Retry-After` in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The digest of the final page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Box<Digest>>,
    /// The version of the final page according to its headers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Box<ResponseVersion>>,
}

/// The response headers that describe the version of a page, as sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseVersion {
    /// `Last-Modified`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// `ETag`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Date`: the time of the response on the clock of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

impl ResponseVersion {
    /// The maximum length of a stored header in bytes. Longer headers are not stored,
    /// because a shortened `ETag` would identify another version.
    pub const MAX_HEADER_LENGTH: usize = 256;

    /// Returns the version of a response; `None` if no header describes it. `header` returns
    /// the value of the header with a name in lower case.
    pub fn from_headers<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<Self> {
        let stored_value = |name: &str| {
            let value = header(name)?;
            let is_stored = !value.is_empty() && value.len() <= Self::MAX_HEADER_LENGTH;
            is_stored.then(|| value.to_owned())
        };
        let version = Self {
            last_modified: stored_value("last-modified"),
            etag: stored_value("etag"),
            date: stored_value("date"),
        };
        (version != Self::default()).then_some(version)
    }

    /// Whether a conditional request can be sent: a request for the page only if the page
    /// has changed since this version.
    pub fn has_validator(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }

    /// Returns the headers of a conditional request: names with values.
    pub fn conditional_headers(&self) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        if let Some(etag) = &self.etag {
            headers.push(("if-none-match".to_owned(), etag.clone()));
        }
        if let Some(time) = &self.last_modified {
            headers.push(("if-modified-since".to_owned(), time.clone()));
        }
        headers
    }

    /// Returns this version, updated with the headers of a response that confirmed it
    /// (status 304).
    #[must_use]
    pub fn confirmed_by(&self, newer: Option<Self>) -> Self {
        let newer = newer.unwrap_or_default();
        Self {
            last_modified: newer.last_modified.or_else(|| self.last_modified.clone()),
            etag: newer.etag.or_else(|| self.etag.clone()),
            date: newer.date.or_else(|| self.date.clone()),
        }
    }
}

/// One request of a redirect chain and the head of its response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// The requested URL, without credentials.
    pub url: String,
    /// The status code of the response.
    pub status: u16,
    /// The `Location` header, as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The IP address of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<IpAddr>,
}

/// Milliseconds spent in each phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timings {
    /// DNS lookup.
    #[serde(skip_serializing_if = "is_zero")]
    pub dns: u32,
    /// Connecting.
    #[serde(skip_serializing_if = "is_zero")]
    pub connect: u32,
    /// TLS handshake.
    #[serde(skip_serializing_if = "is_zero")]
    pub tls: u32,
    /// Waiting for the response headers.
    #[serde(skip_serializing_if = "is_zero")]
    pub headers: u32,
    /// Reading the body.
    #[serde(skip_serializing_if = "is_zero")]
    pub body: u32,
    /// The whole fetch, including waits.
    pub total: u32,
}

/// Phases of 0 ms are not stored: most fetches reuse a connection and have no
/// DNS, connect and TLS phase.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The outcome of a fetch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FetchOutcome {
    /// A response with this status.
    Response(u16),
    /// The DNS lookup failed.
    DnsFailed(DnsError),
    /// The TCP connection failed.
    ConnectFailed(ConnectError),
    /// A timeout in this phase.
    TimedOut(Phase),
    /// The TLS handshake or the certificate check failed.
    TlsFailed(TlsError),
    /// The connection ended early, or the response is not HTTP.
    ProtocolError(ProtocolError),
    /// The redirect limit was reached.
    TooManyRedirects,
    /// A redirect to a URL that is already part of the chain.
    RedirectLoop,
    /// A redirect to something that is not an HTTP URL.
    InvalidRedirect(InvalidRedirect),
    /// The host resolves to a private address and the URL is not
    /// user-supplied. No request was sent.
    PrivateAddress(IpAddr),
    /// A redirect to a page that robots.txt disallows. The page was not
    /// requested.
    RobotsDisallowed,
    /// An internal error of Relink, independent of the page.
    InternalError,
}

/// The reason of a failed DNS lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DnsError {
    /// The name does not exist (NXDOMAIN).
    NoSuchName,
    /// The name exists but has no address record.
    NoRecords,
    /// The name server reported a failure or refused the query.
    ServerFailure,
    /// No response of a name server before the timeout.
    TimedOut,
}

/// The reason of a failed TCP connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectError {
    /// The host refused the connection.
    Refused,
    /// There is no route to the host.
    Unreachable,
    /// The connection was reset while connecting.
    Reset,
    /// Any other error of the operating system.
    Other,
}

/// The reason of a TLS failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TlsError {
    /// The certificate has expired or is not yet valid.
    Expired,
    /// The certificate is for another host name.
    WrongName,
    /// The certificate is not signed by a trusted authority.
    Untrusted,
    /// The certificate was revoked.
    Revoked,
    /// No common protocol version or cipher, or the connection was closed.
    Handshake,
}

/// An error on an established connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProtocolError {
    /// The connection was closed without a response.
    Closed,
    /// The connection was reset.
    Reset,
    /// The body is shorter than its declared length.
    Truncated,
    /// The response headers exceed the size limit.
    HeadersTooLarge,
    /// The response is not HTTP.
    NotHttp,
}

/// The reason why a redirect is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InvalidRedirect {
    /// The `Location` header is not a URL.
    NotAUrl,
    /// The URL has another scheme (`javascript:`, `mailto:` …).
    NotHttp,
    /// The `Location` header is missing.
    Missing,
}

/// A phase of a fetch that can time out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// DNS lookup.
    Dns,
    /// Connecting.
    Connect,
    /// TLS handshake.
    Tls,
    /// Waiting for the response headers.
    Headers,
    /// Reading the body.
    Body,
    /// The whole fetch.
    Total,
}

impl FetchOutcome {
    /// Returns the status code of the response, if there is one.
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Response(status) => Some(*status),
            _ => None,
        }
    }

    /// Whether a server was reached, which proves that the local network works.
    pub const fn reached_server(&self) -> bool {
        !matches!(
            self,
            Self::DnsFailed(_)
                | Self::ConnectFailed(_)
                | Self::TimedOut(Phase::Dns | Phase::Connect | Phase::Total)
                | Self::PrivateAddress(_)
                | Self::RobotsDisallowed
                | Self::InternalError
        )
    }
}

impl fmt::Display for FetchOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Response(status) => write!(f, "status {status}"),
            Self::DnsFailed(error) => error.fmt(f),
            Self::ConnectFailed(error) => error.fmt(f),
            Self::TimedOut(phase) => write!(f, "timed out ({phase})"),
            Self::TlsFailed(error) => error.fmt(f),
            Self::ProtocolError(error) => error.fmt(f),
            Self::TooManyRedirects => f.write_str("too many redirects"),
            Self::RedirectLoop => f.write_str("redirect loop"),
            Self::InvalidRedirect(error) => error.fmt(f),
            Self::RobotsDisallowed => f.write_str("redirects to a page disallowed by robots.txt"),
            Self::PrivateAddress(address) => write!(f, "resolves to the private address {address}"),
            Self::InternalError => f.write_str("internal error while reading this page"),
        }
    }
}

impl fmt::Display for DnsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoSuchName => "no such host",
            Self::NoRecords => "host has no address record",
            Self::ServerFailure => "name server failure",
            Self::TimedOut => "DNS lookup timed out",
        })
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Refused => "connection refused",
            Self::Unreachable => "host unreachable",
            Self::Reset => "connection reset while connecting",
            Self::Other => "connection failed",
        })
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Expired => "certificate has expired or is not yet valid",
            Self::WrongName => "certificate is for another host name",
            Self::Untrusted => "certificate is not signed by a trusted authority",
            Self::Revoked => "certificate was revoked",
            Self::Handshake => "TLS handshake failed",
        })
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Closed => "connection closed without a response",
            Self::Reset => "connection reset",
            Self::Truncated => "truncated response",
            Self::HeadersTooLarge => "response headers too large",
            Self::NotHttp => "response is not HTTP",
        })
    }
}

impl fmt::Display for InvalidRedirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotAUrl => "redirects to an invalid URL",
            Self::NotHttp => "redirects to a URL that is not HTTP",
            Self::Missing => "redirect without a location",
        })
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Dns => "DNS lookup",
            Self::Connect => "connecting",
            Self::Tls => "TLS handshake",
            Self::Headers => "waiting for the response headers",
            Self::Body => "reading the body",
            Self::Total => "total time",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(headers: &[(&str, &str)]) -> Option<ResponseVersion> {
        ResponseVersion::from_headers(|name| {
            headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
        })
    }

    #[test]
    fn version_without_usable_headers_is_none() {
        assert_eq!(version(&[("server", "x"), ("etag", "")]), None);
        let too_long = "x".repeat(ResponseVersion::MAX_HEADER_LENGTH + 1);
        assert_eq!(version(&[("etag", &too_long)]), None);
    }

    #[test]
    fn conditional_headers_repeat_the_validators() {
        let time = "Tue, 03 Nov 2026 10:00:00 GMT";
        let stored = version(&[("etag", "W/\"a\""), ("last-modified", time), ("date", time)]);
        let stored = stored.unwrap();
        let headers = stored.conditional_headers();
        let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["if-none-match", "if-modified-since"]);
        assert!(!version(&[("date", time)]).unwrap().has_validator());
    }

    #[test]
    fn confirmed_version_has_the_new_headers_and_the_other_old_ones() {
        let stored = version(&[("etag", "W/\"a\""), ("date", "earlier")]).unwrap();
        let confirmed = stored.confirmed_by(version(&[("date", "later")]));
        assert_eq!(confirmed.etag.as_deref(), Some("W/\"a\""));
        assert_eq!(confirmed.date.as_deref(), Some("later"));
    }
}
