//! Classification of a single fetch outcome.
//!
//! It does not consider the history or other attempts.

use relink_model::{
    Assessment, ConnectError, DeadReason, DnsError, FetchOutcome, FindingCode, InconclusiveReason,
    Phase, ProtocolError, TlsError,
};

use crate::codes;

/// The meaning of one fetch outcome on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutcomeClass {
    /// How strong the evidence is.
    pub(crate) strength: EvidenceStrength,
    /// The result if this outcome were the only evidence.
    pub(crate) assessment: Assessment,
    /// The code it is reported under.
    pub(crate) code: Option<FindingCode>,
}

impl OutcomeClass {
    /// The class if there was no attempt.
    pub(crate) const NO_ATTEMPT: Self = Self {
        strength: EvidenceStrength::Transient,
        assessment: Assessment::Inconclusive(InconclusiveReason::NoNetwork),
        code: None,
    };
}

/// The strength of the evidence that an outcome provides.
///
/// The variants are in order of precedence among attempts that disagree, the
/// strongest first. A single hard failure comes last, because it is not
/// confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EvidenceStrength {
    /// The content was fetched.
    Reached,
    /// The server denies access, and a retry would not change that.
    Blocked,
    /// The server limits the request rate and may allow access later.
    Throttled,
    /// An error that a retry within seconds would not change.
    Persistent,
    /// A failure that a retry within seconds may resolve.
    Transient,
    /// A definite failure, such as 404. A second attempt must confirm it.
    Hard,
}

/// Classifies an outcome.
pub(crate) fn classify(outcome: &FetchOutcome) -> OutcomeClass {
    match outcome {
        FetchOutcome::Response(status) => classify_status(*status),
        FetchOutcome::DnsFailed(error) => classify_dns(*error),
        FetchOutcome::ConnectFailed(error) => classify_connect(*error),
        FetchOutcome::TimedOut(Phase::Dns) => transient(DeadReason::NoResponse, codes::DNS_FAILED),
        FetchOutcome::TimedOut(_) => transient(DeadReason::NoResponse, codes::TIMED_OUT),
        FetchOutcome::TlsFailed(error) => classify_tls(*error),
        FetchOutcome::ProtocolError(error) => classify_protocol(*error),
        FetchOutcome::TooManyRedirects | FetchOutcome::RedirectLoop => {
            hard(DeadReason::RedirectLoop, codes::REDIRECT_LOOP)
        }
        FetchOutcome::InvalidRedirect(_) => {
            hard(DeadReason::InvalidRedirect, codes::INVALID_REDIRECT)
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

/// Classifies a final status code.
pub(crate) fn classify_status(status: u16) -> OutcomeClass {
    match status {
        // 300 offers several representations; 304 means unchanged content.
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
        999 => {
            blocked(EvidenceStrength::Blocked, InconclusiveReason::Refused, codes::BOT_CHALLENGE)
        }
        // Request timeout, misdirected request, too early: the client may retry
        // (RFC 9110 §15.5.9 and §15.5.20, RFC 8470 §5.2).
        408 | 421 | 425 => transient(DeadReason::ServerError, codes::BAD_REQUEST),
        400..=499 => persistent(DeadReason::ServerError, codes::BAD_REQUEST),
        500 | 502 | 503 | 504 => transient(DeadReason::ServerError, FindingCode::new(status)),
        501..=599 => transient(DeadReason::ServerError, codes::OTHER_SERVER_ERROR),
        _ => persistent(DeadReason::ServerError, codes::UNEXPECTED_STATUS),
    }
}

fn classify_dns(error: DnsError) -> OutcomeClass {
    match error {
        DnsError::NoSuchName | DnsError::NoRecords => {
            hard(DeadReason::HostNotFound, codes::NO_SUCH_HOST)
        }
        DnsError::ServerFailure | DnsError::TimedOut => {
            transient(DeadReason::NoResponse, codes::DNS_FAILED)
        }
    }
}

fn classify_connect(error: ConnectError) -> OutcomeClass {
    let code = match error {
        ConnectError::Refused => codes::CONNECTION_REFUSED,
        ConnectError::Unreachable => codes::UNREACHABLE,
        ConnectError::Reset => codes::CONNECTION_RESET,
        ConnectError::Other => codes::CONNECTION_FAILED,
    };
    transient(DeadReason::NoResponse, code)
}

fn classify_tls(error: TlsError) -> OutcomeClass {
    match error {
        TlsError::Expired => persistent(DeadReason::Tls, codes::TLS_EXPIRED),
        TlsError::WrongName => persistent(DeadReason::Tls, codes::TLS_WRONG_NAME),
        TlsError::Untrusted => persistent(DeadReason::Tls, codes::TLS_UNTRUSTED),
        TlsError::Revoked => persistent(DeadReason::Tls, codes::TLS_REVOKED),
        TlsError::Handshake => transient(DeadReason::Tls, codes::TLS_HANDSHAKE),
    }
}

fn classify_protocol(error: ProtocolError) -> OutcomeClass {
    match error {
        ProtocolError::Closed | ProtocolError::Reset => {
            transient(DeadReason::NoResponse, codes::CONNECTION_RESET)
        }
        ProtocolError::Truncated => transient(DeadReason::ServerError, codes::TRUNCATED),
        ProtocolError::NotHttp => transient(DeadReason::ServerError, codes::NOT_HTTP),
        // The server will send headers of the same size to a retry.
        ProtocolError::HeadersTooLarge => persistent(DeadReason::ServerError, codes::NOT_HTTP),
    }
}

const fn reached() -> OutcomeClass {
    OutcomeClass { strength: EvidenceStrength::Reached, assessment: Assessment::Alive, code: None }
}

const fn hard(cause: DeadReason, code: FindingCode) -> OutcomeClass {
    dead(EvidenceStrength::Hard, cause, code)
}

const fn persistent(cause: DeadReason, code: FindingCode) -> OutcomeClass {
    dead(EvidenceStrength::Persistent, cause, code)
}

const fn transient(cause: DeadReason, code: FindingCode) -> OutcomeClass {
    dead(EvidenceStrength::Transient, cause, code)
}

const fn dead(strength: EvidenceStrength, cause: DeadReason, code: FindingCode) -> OutcomeClass {
    OutcomeClass { strength, assessment: Assessment::Dead(cause), code: Some(code) }
}

const fn blocked(
    strength: EvidenceStrength,
    reason: InconclusiveReason,
    code: FindingCode,
) -> OutcomeClass {
    OutcomeClass { strength, assessment: Assessment::Inconclusive(reason), code: Some(code) }
}
