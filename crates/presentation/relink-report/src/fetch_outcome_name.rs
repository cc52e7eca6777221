//! The names of fetch outcomes in JSON, such as `no-such-host`.

use relink_model::{ConnectError, DnsError, FetchOutcome, Phase, ProtocolError, TlsError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The outcome of a fetch as a stable JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FetchOutcomeName {
    /// An HTTP response; `status` has its status code.
    Response,
    /// The host name does not exist.
    NoSuchHost,
    /// The host name has no IP address.
    NoRecords,
    /// The DNS server failed.
    DnsFailed,
    /// The DNS lookup timed out.
    DnsTimeout,
    /// The connection was refused.
    ConnectionRefused,
    /// The host is unreachable.
    HostUnreachable,
    /// The connection was reset.
    ConnectionReset,
    /// The connection failed for another reason.
    ConnectionFailed,
    /// The connection attempt timed out.
    ConnectTimeout,
    /// The TLS handshake timed out.
    TlsTimeout,
    /// The response headers did not arrive in time.
    HeadersTimeout,
    /// The response body did not arrive in time.
    BodyTimeout,
    /// The fetch exceeded its total time limit.
    Timeout,
    /// The certificate has expired or is not yet valid.
    TlsExpired,
    /// The certificate is for another name.
    TlsWrongName,
    /// The certificate is not signed by a trusted authority.
    TlsUntrusted,
    /// The certificate was revoked.
    TlsRevoked,
    /// The TLS handshake failed.
    TlsHandshake,
    /// The connection was closed without a response.
    ConnectionClosed,
    /// The response is truncated.
    Truncated,
    /// The response headers are too large.
    HeadersTooLarge,
    /// The response is not HTTP.
    NotHttp,
    /// The redirect limit was exceeded.
    TooManyRedirects,
    /// The redirects form a loop.
    RedirectLoop,
    /// A redirect has an invalid target.
    InvalidRedirect,
    /// The URL resolves to a private address; no request was sent.
    PrivateAddress,
    /// A redirect leads to a page disallowed by robots.txt; it was not fetched.
    RobotsDisallowed,
    /// Relink failed internally while reading the page.
    InternalError,
}

impl From<&FetchOutcome> for FetchOutcomeName {
    fn from(outcome: &FetchOutcome) -> Self {
        match outcome {
            FetchOutcome::Response(_) => Self::Response,
            FetchOutcome::DnsFailed(error) => dns_name(*error),
            FetchOutcome::ConnectFailed(error) => connect_name(*error),
            FetchOutcome::TimedOut(phase) => timeout_name(*phase),
            FetchOutcome::TlsFailed(error) => tls_name(*error),
            FetchOutcome::ProtocolError(error) => protocol_name(*error),
            FetchOutcome::TooManyRedirects => Self::TooManyRedirects,
            FetchOutcome::RedirectLoop => Self::RedirectLoop,
            FetchOutcome::InvalidRedirect(_) => Self::InvalidRedirect,
            FetchOutcome::PrivateAddress(_) => Self::PrivateAddress,
            FetchOutcome::RobotsDisallowed => Self::RobotsDisallowed,
            FetchOutcome::InternalError => Self::InternalError,
        }
    }
}

/// Returns the name of a DNS failure.
const fn dns_name(error: DnsError) -> FetchOutcomeName {
    match error {
        DnsError::NoSuchName => FetchOutcomeName::NoSuchHost,
        DnsError::NoRecords => FetchOutcomeName::NoRecords,
        DnsError::ServerFailure => FetchOutcomeName::DnsFailed,
        DnsError::TimedOut => FetchOutcomeName::DnsTimeout,
    }
}

/// Returns the name of a failure to connect.
const fn connect_name(error: ConnectError) -> FetchOutcomeName {
    match error {
        ConnectError::Refused => FetchOutcomeName::ConnectionRefused,
        ConnectError::Unreachable => FetchOutcomeName::HostUnreachable,
        ConnectError::Reset => FetchOutcomeName::ConnectionReset,
        ConnectError::Other => FetchOutcomeName::ConnectionFailed,
    }
}

/// Returns the name of a timeout.
const fn timeout_name(phase: Phase) -> FetchOutcomeName {
    match phase {
        Phase::Dns => FetchOutcomeName::DnsTimeout,
        Phase::Connect => FetchOutcomeName::ConnectTimeout,
        Phase::Tls => FetchOutcomeName::TlsTimeout,
        Phase::Headers => FetchOutcomeName::HeadersTimeout,
        Phase::Body => FetchOutcomeName::BodyTimeout,
        Phase::Total => FetchOutcomeName::Timeout,
    }
}

/// Returns the name of a TLS failure.
const fn tls_name(error: TlsError) -> FetchOutcomeName {
    match error {
        TlsError::Expired => FetchOutcomeName::TlsExpired,
        TlsError::WrongName => FetchOutcomeName::TlsWrongName,
        TlsError::Untrusted => FetchOutcomeName::TlsUntrusted,
        TlsError::Revoked => FetchOutcomeName::TlsRevoked,
        TlsError::Handshake => FetchOutcomeName::TlsHandshake,
    }
}

/// Returns the name of a violation of the HTTP protocol.
const fn protocol_name(error: ProtocolError) -> FetchOutcomeName {
    match error {
        ProtocolError::Closed => FetchOutcomeName::ConnectionClosed,
        ProtocolError::Reset => FetchOutcomeName::ConnectionReset,
        ProtocolError::Truncated => FetchOutcomeName::Truncated,
        ProtocolError::HeadersTooLarge => FetchOutcomeName::HeadersTooLarge,
        ProtocolError::NotHttp => FetchOutcomeName::NotHttp,
    }
}
