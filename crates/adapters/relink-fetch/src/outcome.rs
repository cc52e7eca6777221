//! What the libraries beneath us say, in the model's words.

use std::error::Error;
use std::io::{self, ErrorKind};

use h2::Reason;
use hickory_resolver::net::{DnsError as ResolverError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use relink_model::{ConnectError, DnsError, FetchOutcome, Phase, ProtocolError, TlsError};
use rustls::CertificateError;

/// What hyper calls a head past its buffer. It has a method to ask for this
/// in its server half only; a test on endless headers watches over the words.
const HYPER_TOO_LARGE: &str = "message head is too large";

/// Why the time ran out.
pub(crate) fn of_timeout(phase: Phase) -> FetchOutcome {
    match phase {
        // Told with the other fates of a name, not with slow servers.
        Phase::Dns => FetchOutcome::DnsFailed(DnsError::TimedOut),
        phase => FetchOutcome::TimedOut(phase),
    }
}

/// Why a name was not found.
pub(crate) fn of_dns(error: &NetError) -> DnsError {
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

/// Why a connection was not made.
pub(crate) fn of_connect(error: &io::Error) -> FetchOutcome {
    FetchOutcome::ConnectFailed(match error.kind() {
        ErrorKind::TimedOut => return FetchOutcome::TimedOut(Phase::Connect),
        ErrorKind::ConnectionRefused => ConnectError::Refused,
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => ConnectError::Unreachable,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => ConnectError::Reset,
        _ => ConnectError::Other,
    })
}

/// Why no encryption was agreed on.
pub(crate) fn of_tls(error: &io::Error) -> TlsError {
    let inner = error.get_ref().and_then(|it| it.downcast_ref());
    match inner {
        Some(rustls::Error::InvalidCertificate(error)) => of_certificate(error),
        _ => TlsError::Handshake,
    }
}

fn of_certificate(error: &CertificateError) -> TlsError {
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

/// Why no head came.
pub(crate) fn of_head(error: &hyper::Error) -> FetchOutcome {
    if let Some(error) = http2_error(error) {
        return FetchOutcome::ProtocolError(of_http2(error));
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

/// Why no head came over HTTP/2.
fn of_http2(error: &h2::Error) -> ProtocolError {
    match error.reason() {
        // A head in more frames than its largest size needs.
        Some(Reason::ENHANCE_YOUR_CALM) if error.is_library() => ProtocolError::HeadersTooLarge,
        _ if error.is_library() => ProtocolError::NotHttp,
        _ if error.is_reset() || error.get_io().is_some_and(|it| is_reset_kind(it.kind())) => {
            ProtocolError::Reset
        }
        _ => ProtocolError::Closed,
    }
}

/// Whether an error concerns one HTTP/2 stream, and not its connection.
pub(crate) fn is_of_stream(error: &hyper::Error) -> bool {
    http2_error(error).is_some_and(h2::Error::is_reset)
}

/// Whether the server says that it did not process the request (RFC 9113,
/// section 8.7).
pub(crate) fn is_unprocessed(error: &hyper::Error) -> bool {
    http2_error(error).is_some_and(|it| {
        it.is_remote() && (it.is_go_away() || it.reason() == Some(Reason::REFUSED_STREAM))
    })
}

/// Whether the server wants the request over HTTP/1.1 (RFC 9113, section 7).
pub(crate) fn needs_http1(error: &hyper::Error) -> bool {
    let reason = http2_error(error).and_then(h2::Error::reason);
    reason == Some(Reason::HTTP_1_1_REQUIRED)
}

/// Whether a connection was lost, and not misused by the server.
pub(crate) fn is_lost(error: &hyper::Error) -> bool {
    http2_error(error).map_or_else(|| !error.is_parse(), h2::Error::is_io)
}

/// The error of HTTP/2 beneath, if it is one.
fn http2_error(error: &hyper::Error) -> Option<&h2::Error> {
    error.source()?.downcast_ref()
}

/// Why a body broke off.
pub(crate) fn of_body(error: &hyper::Error) -> FetchOutcome {
    FetchOutcome::ProtocolError(match io_kind(error) {
        _ if is_reset(error) => ProtocolError::Reset,
        Some(ErrorKind::InvalidInput | ErrorKind::InvalidData) => ProtocolError::NotHttp,
        _ => ProtocolError::Truncated,
    })
}

fn is_reset(error: &hyper::Error) -> bool {
    let is_of_stream = http2_error(error).is_some_and(|it| it.is_reset() && it.is_remote());
    is_of_stream || io_kind(error).is_some_and(is_reset_kind)
}

fn is_reset_kind(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe
    )
}

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
