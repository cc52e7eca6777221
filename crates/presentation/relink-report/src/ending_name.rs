//! How a look ended, as one stable word of the JSON contract.

use relink_model::{ConnectFault, DnsFault, Ending, Phase, ProtocolFault, TlsFault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a look ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndingName {
    /// A server answered; the status says what.
    Answered,
    /// The host name does not exist.
    NoSuchHost,
    /// The host name has no address.
    NoRecords,
    /// The name server failed.
    DnsFailed,
    /// No name server answered in time.
    DnsTimedOut,
    /// Nobody listens there.
    Refused,
    /// There is no way there.
    Unreachable,
    /// The connection was reset.
    Reset,
    /// No connection, for another reason.
    NoConnection,
    /// The time ran out while connecting.
    ConnectTimedOut,
    /// The time ran out while agreeing on encryption.
    TlsTimedOut,
    /// The time ran out while waiting for the answer.
    HeadTimedOut,
    /// The time ran out while reading the page.
    BodyTimedOut,
    /// The time for all of it ran out.
    TimedOut,
    /// The certificate has expired or is not yet valid.
    TlsExpired,
    /// The certificate is for another name.
    TlsWrongName,
    /// Nobody we trust vouches for the certificate.
    TlsUntrusted,
    /// The certificate was withdrawn.
    TlsRevoked,
    /// No encrypted connection could be agreed on.
    TlsHandshake,
    /// The connection was closed without an answer.
    Closed,
    /// The answer breaks off.
    Truncated,
    /// The answer's head is too large.
    HeadTooLarge,
    /// The answer is not HTTP.
    NotHttp,
    /// More redirects than we follow.
    TooManyRedirects,
    /// The redirects lead in a circle.
    RedirectLoop,
    /// A redirect leads to something that is no address.
    RedirectMalformed,
    /// The address is private; nothing was asked.
    PrivateAddress,
    /// A redirect leads to a page that robots.txt closes; nothing was asked.
    Robots,
    /// Relink itself failed while it read the page.
    InternalError,
}

impl From<&Ending> for EndingName {
    fn from(ending: &Ending) -> Self {
        match ending {
            Ending::Answered(_) => Self::Answered,
            Ending::NoAddress(fault) => of_dns(*fault),
            Ending::NoConnection(fault) => of_connect(*fault),
            Ending::TimedOut(phase) => of_phase(*phase),
            Ending::Tls(fault) => of_tls(*fault),
            Ending::Broken(fault) => of_protocol(*fault),
            Ending::TooManyHops => Self::TooManyRedirects,
            Ending::Loop => Self::RedirectLoop,
            Ending::Malformed(_) => Self::RedirectMalformed,
            Ending::Barred(_) => Self::PrivateAddress,
            Ending::Closed => Self::Robots,
            Ending::InternalError => Self::InternalError,
        }
    }
}

const fn of_dns(fault: DnsFault) -> EndingName {
    match fault {
        DnsFault::NoSuchName => EndingName::NoSuchHost,
        DnsFault::NoRecords => EndingName::NoRecords,
        DnsFault::ServerFailure => EndingName::DnsFailed,
        DnsFault::TimedOut => EndingName::DnsTimedOut,
    }
}

const fn of_connect(fault: ConnectFault) -> EndingName {
    match fault {
        ConnectFault::Refused => EndingName::Refused,
        ConnectFault::Unreachable => EndingName::Unreachable,
        ConnectFault::Reset => EndingName::Reset,
        ConnectFault::Other => EndingName::NoConnection,
    }
}

const fn of_phase(phase: Phase) -> EndingName {
    match phase {
        Phase::Dns => EndingName::DnsTimedOut,
        Phase::Connect => EndingName::ConnectTimedOut,
        Phase::Tls => EndingName::TlsTimedOut,
        Phase::Head => EndingName::HeadTimedOut,
        Phase::Body => EndingName::BodyTimedOut,
        Phase::Total => EndingName::TimedOut,
    }
}

const fn of_tls(fault: TlsFault) -> EndingName {
    match fault {
        TlsFault::Expired => EndingName::TlsExpired,
        TlsFault::WrongName => EndingName::TlsWrongName,
        TlsFault::Untrusted => EndingName::TlsUntrusted,
        TlsFault::Revoked => EndingName::TlsRevoked,
        TlsFault::Handshake => EndingName::TlsHandshake,
    }
}

const fn of_protocol(fault: ProtocolFault) -> EndingName {
    match fault {
        ProtocolFault::Closed => EndingName::Closed,
        ProtocolFault::Reset => EndingName::Reset,
        ProtocolFault::Truncated => EndingName::Truncated,
        ProtocolFault::HeadTooLarge => EndingName::HeadTooLarge,
        ProtocolFault::NotHttp => EndingName::NotHttp,
    }
}
