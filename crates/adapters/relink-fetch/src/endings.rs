//! What the libraries beneath us say, in the model's words.

use std::error::Error;
use std::io::{self, ErrorKind};

use h2::Reason;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use relink_model::{ConnectFault, DnsFault, Ending, Phase, ProtocolFault, TlsFault};
use rustls::CertificateError;

/// What hyper calls a head past its buffer. It has a method to ask for this
/// in its server half only; a test on endless headers watches over the words.
const HYPER_TOO_LARGE: &str = "message head is too large";

/// Why the time ran out.
pub(crate) fn of_timeout(phase: Phase) -> Ending {
    match phase {
        // Told with the other fates of a name, not with slow servers.
        Phase::Dns => Ending::NoAddress(DnsFault::TimedOut),
        phase => Ending::TimedOut(phase),
    }
}

/// Why a name was not found.
pub(crate) fn of_dns(fault: &NetError) -> DnsFault {
    match fault {
        NetError::Timeout => DnsFault::TimedOut,
        NetError::Dns(DnsError::NoRecordsFound(none)) => match none.response_code {
            ResponseCode::NXDomain => DnsFault::NoSuchName,
            ResponseCode::NoError => DnsFault::NoRecords,
            _ => DnsFault::ServerFailure,
        },
        NetError::Dns(DnsError::ResponseCode(ResponseCode::NXDomain)) => DnsFault::NoSuchName,
        NetError::Io(fault) if fault.kind() == ErrorKind::TimedOut => DnsFault::TimedOut,
        _ => DnsFault::ServerFailure,
    }
}

/// Why a connection was not made.
pub(crate) fn of_connect(fault: &io::Error) -> Ending {
    Ending::NoConnection(match fault.kind() {
        ErrorKind::TimedOut => return Ending::TimedOut(Phase::Connect),
        ErrorKind::ConnectionRefused => ConnectFault::Refused,
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => ConnectFault::Unreachable,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => ConnectFault::Reset,
        _ => ConnectFault::Other,
    })
}

/// Why no encryption was agreed on.
pub(crate) fn of_tls(fault: &io::Error) -> TlsFault {
    let inner = fault.get_ref().and_then(|it| it.downcast_ref());
    match inner {
        Some(rustls::Error::InvalidCertificate(fault)) => of_certificate(fault),
        _ => TlsFault::Handshake,
    }
}

fn of_certificate(fault: &CertificateError) -> TlsFault {
    match fault {
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => TlsFault::Expired,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsFault::WrongName
        }
        CertificateError::Revoked => TlsFault::Revoked,
        _ => TlsFault::Untrusted,
    }
}

/// Why no head came.
pub(crate) fn of_head(fault: &hyper::Error) -> Ending {
    if let Some(fault) = http2_error(fault) {
        return Ending::Broken(of_http2(fault));
    }
    Ending::Broken(if fault.is_parse() {
        match fault.to_string().as_str() {
            HYPER_TOO_LARGE => ProtocolFault::HeadTooLarge,
            _ => ProtocolFault::NotHttp,
        }
    } else if is_reset(fault) {
        ProtocolFault::Reset
    } else {
        ProtocolFault::Closed
    })
}

/// Why no head came over HTTP/2.
fn of_http2(fault: &h2::Error) -> ProtocolFault {
    match fault.reason() {
        // A head in more frames than its largest size needs.
        Some(Reason::ENHANCE_YOUR_CALM) if fault.is_library() => ProtocolFault::HeadTooLarge,
        _ if fault.is_library() => ProtocolFault::NotHttp,
        _ if fault.is_reset() || fault.get_io().is_some_and(|it| is_reset_kind(it.kind())) => {
            ProtocolFault::Reset
        }
        _ => ProtocolFault::Closed,
    }
}

/// Whether an error concerns one HTTP/2 stream, and not its connection.
pub(crate) fn is_of_stream(fault: &hyper::Error) -> bool {
    http2_error(fault).is_some_and(h2::Error::is_reset)
}

/// Whether the server says that it did not process the request (RFC 9113,
/// section 8.7).
pub(crate) fn is_unprocessed(fault: &hyper::Error) -> bool {
    http2_error(fault).is_some_and(|it| {
        it.is_remote() && (it.is_go_away() || it.reason() == Some(Reason::REFUSED_STREAM))
    })
}

/// Whether the server wants the request over HTTP/1.1 (RFC 9113, section 7).
pub(crate) fn needs_http1(fault: &hyper::Error) -> bool {
    let reason = http2_error(fault).and_then(h2::Error::reason);
    reason == Some(Reason::HTTP_1_1_REQUIRED)
}

/// Whether a connection was lost, and not misused by the server.
pub(crate) fn is_lost(fault: &hyper::Error) -> bool {
    http2_error(fault).map_or_else(|| !fault.is_parse(), h2::Error::is_io)
}

/// The error of HTTP/2 beneath, if it is one.
fn http2_error(fault: &hyper::Error) -> Option<&h2::Error> {
    fault.source()?.downcast_ref()
}

/// Why a body broke off.
pub(crate) fn of_body(fault: &hyper::Error) -> Ending {
    Ending::Broken(match io_kind(fault) {
        _ if is_reset(fault) => ProtocolFault::Reset,
        Some(ErrorKind::InvalidInput | ErrorKind::InvalidData) => ProtocolFault::NotHttp,
        _ => ProtocolFault::Truncated,
    })
}

fn is_reset(fault: &hyper::Error) -> bool {
    let is_of_stream = http2_error(fault).is_some_and(|it| it.is_reset() && it.is_remote());
    is_of_stream || io_kind(fault).is_some_and(is_reset_kind)
}

fn is_reset_kind(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe
    )
}

fn io_kind(fault: &hyper::Error) -> Option<ErrorKind> {
    if let Some(fault) = http2_error(fault) {
        return fault.get_io().map(io::Error::kind);
    }
    let mut source = fault.source();
    while let Some(fault) = source {
        if let Some(fault) = fault.downcast_ref::<io::Error>() {
            return Some(fault.kind());
        }
        source = fault.source();
    }
    None
}
