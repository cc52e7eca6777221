//! Maps errors of the DNS, TLS and HTTP libraries to `FetchOutcome`.

use std::error::Error;
use std::io::{self, ErrorKind};

use h2::Reason;
use hickory_resolver::net::{DnsError as ResolverError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use relink_model::{ConnectError, DnsError, FetchOutcome, Phase, ProtocolError, TlsError};
use rustls::CertificateError;

/// hyper's message for a response head that exceeds its buffer. hyper has no method that
/// detects this error in a client. A test with endless headers verifies the text.
const HYPER_TOO_LARGE: &str = "message head is too large";

/// Returns the outcome of a timeout in this phase.
pub(crate) fn from_timeout(phase: Phase) -> FetchOutcome {
    match phase {
        // A DNS timeout is reported as a DNS error, not as a slow server.
        Phase::Dns => FetchOutcome::DnsFailed(DnsError::TimedOut),
        phase => FetchOutcome::TimedOut(phase),
    }
}

/// Maps an error of the DNS resolver.
pub(crate) fn from_dns_error(error: &NetError) -> DnsError {
    match error {
        NetError::Timeout => DnsError::TimedOut,
        NetError::Dns(ResolverError::NoRecordsFound(none)) => match none.response_code {
            ResponseCode::NXDomain => DnsError::NoSuchName,
            ResponseCode::NoError => DnsError::NoRecords,
            _ => DnsError::ServerFailure,
        },
        NetError::Dns(ResolverError::ResponseCode(ResponseCode::NXDomain)) => DnsError::NoSuchName,
        NetError::Io(error) if error.kind() == ErrorKind::TimedOut => DnsError::TimedOut,
        _ => DnsError::ServerFailure,
    }
}

/// Maps an error while connecting.
pub(crate) fn from_connect_error(error: &io::Error) -> FetchOutcome {
    FetchOutcome::ConnectFailed(match error.kind() {
        ErrorKind::TimedOut => return FetchOutcome::TimedOut(Phase::Connect),
        ErrorKind::ConnectionRefused => ConnectError::Refused,
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => ConnectError::Unreachable,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => ConnectError::Reset,
        _ => ConnectError::Other,
    })
}

/// Maps an error of the TLS handshake.
pub(crate) fn from_tls_error(error: &io::Error) -> TlsError {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    match inner {
        Some(rustls::Error::InvalidCertificate(error)) => from_certificate_error(error),
        _ => TlsError::Handshake,
    }
}

/// Converts an error of certificate verification.
fn from_certificate_error(error: &CertificateError) -> TlsError {
    match error {
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => TlsError::Expired,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsError::WrongName
        }
        CertificateError::Revoked => TlsError::Revoked,
        _ => TlsError::Untrusted,
    }
}

/// Maps an error before the response head was received.
pub(crate) fn from_head_error(error: &hyper::Error) -> FetchOutcome {
    if let Some(error) = http2_error(error) {
        return FetchOutcome::ProtocolError(from_http2_error(error));
    }
    FetchOutcome::ProtocolError(if error.is_parse() {
        match error.to_string().as_str() {
            HYPER_TOO_LARGE => ProtocolError::HeadersTooLarge,
            _ => ProtocolError::NotHttp,
        }
    } else if is_reset(error) {
        ProtocolError::Reset
    } else {
        ProtocolError::Closed
    })
}

/// Maps an HTTP/2 error before the response head was received.
fn from_http2_error(error: &h2::Error) -> ProtocolError {
    match error.reason() {
        // The h2 library sends this code if a head has more frames than its maximum size
        // requires.
        Some(Reason::ENHANCE_YOUR_CALM) if error.is_library() => ProtocolError::HeadersTooLarge,
        _ if error.is_library() => ProtocolError::NotHttp,
        _ if error.is_reset()
            || error.get_io().is_some_and(|error| is_reset_kind(error.kind())) =>
        {
            ProtocolError::Reset
        }
        _ => ProtocolError::Closed,
    }
}

/// Whether an error affects one HTTP/2 stream and not the connection.
pub(crate) fn is_stream_error(error: &hyper::Error) -> bool {
    http2_error(error).is_some_and(h2::Error::is_reset)
}

/// Whether the server reports that it did not process the request (RFC 9113,
/// section 8.7).
pub(crate) fn is_unprocessed(error: &hyper::Error) -> bool {
    http2_error(error).is_some_and(|error| {
        let is_refused = error.is_go_away() || error.reason() == Some(Reason::REFUSED_STREAM);
        error.is_remote() && is_refused
    })
}

/// Whether the server requires HTTP/1.1 for the request (RFC 9113, section 7).
pub(crate) fn needs_http1(error: &hyper::Error) -> bool {
    let reason = http2_error(error).and_then(h2::Error::reason);
    reason == Some(Reason::HTTP_1_1_REQUIRED)
}

/// Whether the connection was lost, as opposed to a protocol error of the
/// server.
pub(crate) fn is_lost(error: &hyper::Error) -> bool {
    http2_error(error).map_or_else(|| !error.is_parse(), h2::Error::is_io)
}

/// Returns the underlying HTTP/2 error, if there is one.
fn http2_error(error: &hyper::Error) -> Option<&h2::Error> {
    error.source()?.downcast_ref()
}

/// Maps an error while reading a body.
pub(crate) fn from_body_error(error: &hyper::Error) -> FetchOutcome {
    FetchOutcome::ProtocolError(match io_kind(error) {
        _ if is_reset(error) => ProtocolError::Reset,
        Some(ErrorKind::InvalidInput | ErrorKind::InvalidData) => ProtocolError::NotHttp,
        _ => ProtocolError::Truncated,
    })
}

fn is_reset(error: &hyper::Error) -> bool {
    let is_stream_reset =
        http2_error(error).is_some_and(|error| error.is_reset() && error.is_remote());
    is_stream_reset || io_kind(error).is_some_and(is_reset_kind)
}

/// Whether the connection was closed by the other side.
fn is_reset_kind(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe
    )
}

/// Returns the kind of the I/O error that caused an HTTP error.
fn io_kind(error: &hyper::Error) -> Option<ErrorKind> {
    if let Some(error) = http2_error(error) {
        return error.get_io().map(io::Error::kind);
    }
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        source = error.source();
    }
    None
}
