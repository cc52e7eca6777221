//! What one ending says, taken alone: the table the judge starts from.
//!
//! No history and no other look comes in here.

use relink_model::{
    Assessment, ConnectError, DeadReason, DnsError, FetchOutcome, FindingCode, InconclusiveReason,
    Phase, ProtocolError, TlsError,
};

use crate::codes;

/// What one ending says, taken alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutcomeClass {
    /// How much it proves.
    pub(crate) weight: EvidenceStrength,
    /// What it would mean if nothing else were known.
    pub(crate) assessment: Assessment,
    /// The code it is reported under.
    pub(crate) code: Option<FindingCode>,
}

impl OutcomeClass {
    /// Nothing was seen at all.
    pub(crate) const UNSEEN: Self = Self {
        weight: EvidenceStrength::Transient,
        assessment: Assessment::Inconclusive(InconclusiveReason::NoNetwork),
        code: None,
    };
}

/// How much an ending proves.
///
/// The order is the order of precedence among looks that disagree, the
/// strongest first; hard evidence seen only once comes last, because nothing
/// confirmed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EvidenceStrength {
    /// The content was there.
    Reached,
    /// The server will not show it to us, now or in a minute.
    Blocked,
    /// The server wants slower visits and may let us in later.
    Throttled,
    /// An error that will not go away within seconds.
    Persistent,
    /// A trouble that may pass within seconds.
    Transient,
    /// Gone, once seen a second time.
    Hard,
}

/// Reads one ending.
pub(crate) fn read(ending: &FetchOutcome) -> OutcomeClass {
    match ending {
        FetchOutcome::Response(status) => read_status(*status),
        FetchOutcome::DnsFailed(error) => read_dns(*error),
        FetchOutcome::ConnectFailed(error) => read_connect(*error),
        FetchOutcome::TimedOut(Phase::Dns) => passing(DeadReason::NoResponse, codes::DNS_FAILED),
        FetchOutcome::TimedOut(_) => passing(DeadReason::NoResponse, codes::TIMED_OUT),
        FetchOutcome::Tls(error) => read_tls(*error),
        FetchOutcome::ProtocolError(error) => read_protocol(*error),
        FetchOutcome::TooManyRedirects | FetchOutcome::RedirectLoop => {
            hard(DeadReason::RedirectLoop, codes::REDIRECT_LOOP)
        }
        FetchOutcome::InvalidRedirect(_) => {
            hard(DeadReason::InvalidRedirect, codes::REDIRECT_MALFORMED)
        }
        FetchOutcome::RobotsDisallowed => {
            blocked(EvidenceStrength::Blocked, InconclusiveReason::Robots, codes::ROBOTS)
        }
        FetchOutcome::InternalError => blocked(
            EvidenceStrength::Blocked,
            InconclusiveReason::InternalError,
            codes::INTERNAL_ERROR,
        ),
        FetchOutcome::PrivateAddress(_) => blocked(
            EvidenceStrength::Blocked,
            InconclusiveReason::PrivateAddress,
            codes::PRIVATE_ADDRESS,
        ),
    }
}

/// Reads a final status code.
pub(crate) fn read_status(status: u16) -> OutcomeClass {
    match status {
        // 300 offers the page in several forms; 304 says it is as it was.
        200..=299 | 300 | 304 => reached(),
        404 | 410 => hard(DeadReason::Gone, codes::GONE),
        429 => blocked(
            EvidenceStrength::Throttled,
            InconclusiveReason::Throttled,
            codes::TOO_MANY_REQUESTS,
        ),
        401 | 402 | 403 | 407 | 418 | 451 => blocked(
            EvidenceStrength::Blocked,
            InconclusiveReason::Refused,
            FindingCode::new(status),
        ),
        999 => blocked(EvidenceStrength::Blocked, InconclusiveReason::Refused, codes::CHALLENGED),
        // Time-out, wrong connection, too early: each asks to be tried again
        // (RFC 9110 §15.5.9 and §15.5.20, RFC 8470 §5.2).
        408 | 421 | 425 => passing(DeadReason::ServerError, codes::BAD_REQUEST),
        400..=499 => lasting(DeadReason::ServerError, codes::BAD_REQUEST),
        500 | 502 | 503 | 504 => passing(DeadReason::ServerError, FindingCode::new(status)),
        501..=599 => passing(DeadReason::ServerError, codes::OTHER_SERVER_ERROR),
        _ => lasting(DeadReason::ServerError, codes::NOT_AN_ANSWER),
    }
}

fn read_dns(error: DnsError) -> OutcomeClass {
    match error {
        DnsError::NoSuchName | DnsError::NoRecords => {
            hard(DeadReason::HostNotFound, codes::NO_SUCH_HOST)
        }
        DnsError::ServerFailure | DnsError::TimedOut => {
            passing(DeadReason::NoResponse, codes::DNS_FAILED)
        }
    }
}

fn read_connect(error: ConnectError) -> OutcomeClass {
    let code = match error {
        ConnectError::Refused => codes::CONNECTION_REFUSED,
        ConnectError::Unreachable => codes::UNREACHABLE,
        ConnectError::Reset => codes::CONNECTION_RESET,
        ConnectError::Other => codes::NO_ANSWER,
    };
    passing(DeadReason::NoResponse, code)
}

fn read_tls(error: TlsError) -> OutcomeClass {
    match error {
        TlsError::Expired => lasting(DeadReason::Tls, codes::TLS_EXPIRED),
        TlsError::WrongName => lasting(DeadReason::Tls, codes::TLS_WRONG_NAME),
        TlsError::Untrusted => lasting(DeadReason::Tls, codes::TLS_UNTRUSTED),
        TlsError::Revoked => lasting(DeadReason::Tls, codes::TLS_REVOKED),
        TlsError::Handshake => passing(DeadReason::Tls, codes::TLS_HANDSHAKE),
    }
}

fn read_protocol(error: ProtocolError) -> OutcomeClass {
    match error {
        ProtocolError::Closed | ProtocolError::Reset => {
            passing(DeadReason::NoResponse, codes::CONNECTION_RESET)
        }
        ProtocolError::Truncated => passing(DeadReason::ServerError, codes::TRUNCATED),
        ProtocolError::NotHttp => passing(DeadReason::ServerError, codes::NOT_HTTP),
        // A server that sends too much once will do so again in a second.
        ProtocolError::HeadersTooLarge => lasting(DeadReason::ServerError, codes::NOT_HTTP),
    }
}

const fn reached() -> OutcomeClass {
    OutcomeClass { weight: EvidenceStrength::Reached, assessment: Assessment::Alive, code: None }
}

const fn hard(cause: DeadReason, code: FindingCode) -> OutcomeClass {
    dead(EvidenceStrength::Hard, cause, code)
}

const fn lasting(cause: DeadReason, code: FindingCode) -> OutcomeClass {
    dead(EvidenceStrength::Persistent, cause, code)
}

const fn passing(cause: DeadReason, code: FindingCode) -> OutcomeClass {
    dead(EvidenceStrength::Transient, cause, code)
}

const fn dead(weight: EvidenceStrength, cause: DeadReason, code: FindingCode) -> OutcomeClass {
    OutcomeClass { weight, assessment: Assessment::Dead(cause), code: Some(code) }
}

const fn blocked(
    weight: EvidenceStrength,
    doubt: InconclusiveReason,
    code: FindingCode,
) -> OutcomeClass {
    OutcomeClass { weight, assessment: Assessment::Inconclusive(doubt), code: Some(code) }
}
