//! What one ending says, taken alone: the table the judge starts from.
//!
//! No history and no other look comes in here.

use relink_model::{
    Cause, Code, ConnectFault, DnsFault, Doubt, Ending, Phase, ProtocolFault, TlsFault, Verdict,
};

use crate::codes;

/// What one ending says, taken alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    /// How much it proves.
    pub(crate) weight: Weight,
    /// What it would mean if nothing else were known.
    pub(crate) verdict: Verdict,
    /// The code it is reported under.
    pub(crate) code: Option<Code>,
}

impl Reading {
    /// Nothing was seen at all.
    pub(crate) const UNSEEN: Self =
        Self { weight: Weight::Passing, verdict: Verdict::Unclear(Doubt::NoNetwork), code: None };
}

/// How much an ending proves.
///
/// The order is the order of precedence among looks that disagree, the
/// strongest first; hard evidence seen only once comes last, because nothing
/// confirmed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// The content was there.
    Reached,
    /// The server will not show it to us, now or in a minute.
    Walled,
    /// The server wants slower visits and may let us in later.
    Throttled,
    /// A fault that will not go away within seconds.
    Lasting,
    /// A trouble that may pass within seconds.
    Passing,
    /// Gone, once seen a second time.
    Hard,
}

/// Reads one ending.
pub(crate) fn read(ending: &Ending) -> Reading {
    match ending {
        Ending::Answered(status) => read_status(*status),
        Ending::NoAddress(fault) => read_dns(*fault),
        Ending::NoConnection(fault) => read_connect(*fault),
        Ending::TimedOut(Phase::Dns) => passing(Cause::NoAnswer, codes::DNS_FAILED),
        Ending::TimedOut(_) => passing(Cause::NoAnswer, codes::TIMED_OUT),
        Ending::Tls(fault) => read_tls(*fault),
        Ending::Broken(fault) => read_protocol(*fault),
        Ending::TooManyHops | Ending::Loop => hard(Cause::Loop, codes::REDIRECT_LOOP),
        Ending::Malformed(_) => hard(Cause::Malformed, codes::REDIRECT_MALFORMED),
        Ending::Closed => blocked(Weight::Walled, Doubt::Robots, codes::ROBOTS),
        Ending::InternalError => {
            blocked(Weight::Walled, Doubt::InternalError, codes::INTERNAL_ERROR)
        }
        Ending::Barred(_) => blocked(Weight::Walled, Doubt::PrivateAddress, codes::PRIVATE_ADDRESS),
    }
}

/// Reads a final status code.
pub(crate) fn read_status(status: u16) -> Reading {
    match status {
        // 300 offers the page in several forms; 304 says it is as it was.
        200..=299 | 300 | 304 => reached(),
        404 | 410 => hard(Cause::Gone, codes::GONE),
        429 => blocked(Weight::Throttled, Doubt::Throttled, codes::TOO_MANY_REQUESTS),
        401 | 402 | 403 | 407 | 418 | 451 => {
            blocked(Weight::Walled, Doubt::Refused, Code::new(status))
        }
        999 => blocked(Weight::Walled, Doubt::Refused, codes::CHALLENGED),
        // Time-out, wrong connection, too early: each asks to be tried again
        // (RFC 9110 §15.5.9 and §15.5.20, RFC 8470 §5.2).
        408 | 421 | 425 => passing(Cause::ServerFailed, codes::BAD_REQUEST),
        400..=499 => lasting(Cause::ServerFailed, codes::BAD_REQUEST),
        500 | 502 | 503 | 504 => passing(Cause::ServerFailed, Code::new(status)),
        501..=599 => passing(Cause::ServerFailed, codes::OTHER_SERVER_ERROR),
        _ => lasting(Cause::ServerFailed, codes::NOT_AN_ANSWER),
    }
}

fn read_dns(fault: DnsFault) -> Reading {
    match fault {
        DnsFault::NoSuchName | DnsFault::NoRecords => hard(Cause::NoHost, codes::NO_SUCH_HOST),
        DnsFault::ServerFailure | DnsFault::TimedOut => passing(Cause::NoAnswer, codes::DNS_FAILED),
    }
}

fn read_connect(fault: ConnectFault) -> Reading {
    let code = match fault {
        ConnectFault::Refused => codes::CONNECTION_REFUSED,
        ConnectFault::Unreachable => codes::UNREACHABLE,
        ConnectFault::Reset => codes::CONNECTION_RESET,
        ConnectFault::Other => codes::NO_ANSWER,
    };
    passing(Cause::NoAnswer, code)
}

fn read_tls(fault: TlsFault) -> Reading {
    match fault {
        TlsFault::Expired => lasting(Cause::Tls, codes::TLS_EXPIRED),
        TlsFault::WrongName => lasting(Cause::Tls, codes::TLS_WRONG_NAME),
        TlsFault::Untrusted => lasting(Cause::Tls, codes::TLS_UNTRUSTED),
        TlsFault::Revoked => lasting(Cause::Tls, codes::TLS_REVOKED),
        TlsFault::Handshake => passing(Cause::Tls, codes::TLS_HANDSHAKE),
    }
}

fn read_protocol(fault: ProtocolFault) -> Reading {
    match fault {
        ProtocolFault::Closed | ProtocolFault::Reset => {
            passing(Cause::NoAnswer, codes::CONNECTION_RESET)
        }
        ProtocolFault::Truncated => passing(Cause::ServerFailed, codes::TRUNCATED),
        ProtocolFault::NotHttp => passing(Cause::ServerFailed, codes::NOT_HTTP),
        // A server that sends too much once will do so again in a second.
        ProtocolFault::HeadTooLarge => lasting(Cause::ServerFailed, codes::NOT_HTTP),
    }
}

const fn reached() -> Reading {
    Reading { weight: Weight::Reached, verdict: Verdict::Alive, code: None }
}

const fn hard(cause: Cause, code: Code) -> Reading {
    dead(Weight::Hard, cause, code)
}

const fn lasting(cause: Cause, code: Code) -> Reading {
    dead(Weight::Lasting, cause, code)
}

const fn passing(cause: Cause, code: Code) -> Reading {
    dead(Weight::Passing, cause, code)
}

const fn dead(weight: Weight, cause: Cause, code: Code) -> Reading {
    Reading { weight, verdict: Verdict::Dead(cause), code: Some(code) }
}

const fn blocked(weight: Weight, doubt: Doubt, code: Code) -> Reading {
    Reading { weight, verdict: Verdict::Unclear(doubt), code: Some(code) }
}
