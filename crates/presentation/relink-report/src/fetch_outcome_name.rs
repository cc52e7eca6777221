//! How a look ended, as one stable word of the JSON contract.

use relink_model::{ConnectError, DnsError, FetchOutcome, Phase, ProtocolError, TlsError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a look ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FetchOutcomeName {
    /// A server answered; the status says what.
    Response,
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

impl From<&FetchOutcome> for FetchOutcomeName {
    fn from(ending: &FetchOutcome) -> Self {
        match ending {
            FetchOutcome::Response(_) => Self::Response,
            FetchOutcome::DnsFailed(error) => of_dns(*error),
            FetchOutcome::ConnectFailed(error) => of_connect(*error),
            FetchOutcome::TimedOut(phase) => of_phase(*phase),
            FetchOutcome::Tls(error) => of_tls(*error),
            FetchOutcome::ProtocolError(error) => of_protocol(*error),
            FetchOutcome::TooManyRedirects => Self::TooManyRedirects,
            FetchOutcome::RedirectLoop => Self::RedirectLoop,
            FetchOutcome::InvalidRedirect(_) => Self::RedirectMalformed,
            FetchOutcome::PrivateAddress(_) => Self::PrivateAddress,
            FetchOutcome::RobotsDisallowed => Self::Robots,
            FetchOutcome::InternalError => Self::InternalError,
        }
    }
}

const fn of_dns(error: DnsError) -> FetchOutcomeName {
    match error {
        DnsError::NoSuchName => FetchOutcomeName::NoSuchHost,
        DnsError::NoRecords => FetchOutcomeName::NoRecords,
        DnsError::ServerFailure => FetchOutcomeName::DnsFailed,
        DnsError::TimedOut => FetchOutcomeName::DnsTimedOut,
    }
}

const fn of_connect(error: ConnectError) -> FetchOutcomeName {
    match error {
        ConnectError::Refused => FetchOutcomeName::Refused,
        ConnectError::Unreachable => FetchOutcomeName::Unreachable,
        ConnectError::Reset => FetchOutcomeName::Reset,
        ConnectError::Other => FetchOutcomeName::NoConnection,
    }
}

const fn of_phase(phase: Phase) -> FetchOutcomeName {
    match phase {
        Phase::Dns => FetchOutcomeName::DnsTimedOut,
        Phase::Connect => FetchOutcomeName::ConnectTimedOut,
        Phase::Tls => FetchOutcomeName::TlsTimedOut,
        Phase::Headers => FetchOutcomeName::HeadTimedOut,
        Phase::Body => FetchOutcomeName::BodyTimedOut,
        Phase::Total => FetchOutcomeName::TimedOut,
    }
}

const fn of_tls(error: TlsError) -> FetchOutcomeName {
    match error {
        TlsError::Expired => FetchOutcomeName::TlsExpired,
        TlsError::WrongName => FetchOutcomeName::TlsWrongName,
        TlsError::Untrusted => FetchOutcomeName::TlsUntrusted,
        TlsError::Revoked => FetchOutcomeName::TlsRevoked,
        TlsError::Handshake => FetchOutcomeName::TlsHandshake,
    }
}

const fn of_protocol(error: ProtocolError) -> FetchOutcomeName {
    match error {
        ProtocolError::Closed => FetchOutcomeName::Closed,
        ProtocolError::Reset => FetchOutcomeName::Reset,
        ProtocolError::Truncated => FetchOutcomeName::Truncated,
        ProtocolError::HeadersTooLarge => FetchOutcomeName::HeadTooLarge,
        ProtocolError::NotHttp => FetchOutcomeName::NotHttp,
    }
}
