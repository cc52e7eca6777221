//! One act of asking, and what came back.
//!
//! A probe states what was seen and concludes nothing.

use std::fmt;
use std::net::IpAddr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Digest;

/// One act of asking: the hops it took and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// When it was asked.
    pub requested_at: Timestamp,
    /// Every answer on the way, the last included if there was one.
    pub hops: Vec<Hop>,
    /// How it ended.
    pub outcome: FetchOutcome,
    /// How long each phase took, summed over the hops.
    pub timings: Timings,
    /// What the server asked us to wait, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// What the final page said, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Box<Digest>>,
}

/// One request of a probe and the head of its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// The URL asked, without credentials.
    pub url: String,
    /// The status code of the answer.
    pub status: u16,
    /// Where the answer points, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The address that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<IpAddr>,
}

/// Milliseconds spent in each phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timings {
    /// Looking up names.
    #[serde(skip_serializing_if = "is_zero")]
    pub dns: u32,
    /// Connecting.
    #[serde(skip_serializing_if = "is_zero")]
    pub connect: u32,
    /// Agreeing on encryption.
    #[serde(skip_serializing_if = "is_zero")]
    pub tls: u32,
    /// Waiting for the head of the answer.
    #[serde(skip_serializing_if = "is_zero")]
    pub head: u32,
    /// Reading the body.
    #[serde(skip_serializing_if = "is_zero")]
    pub body: u32,
    /// All of it, waits included.
    pub total: u32,
}

/// Phases that took no time are not stored: most connections are kept open.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How a probe ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FetchOutcome {
    /// A server answered with this status.
    Response(u16),
    /// The name has no address.
    DnsFailed(DnsError),
    /// No connection could be made.
    ConnectFailed(ConnectError),
    /// The time ran out in this phase.
    TimedOut(Phase),
    /// No trustworthy encrypted connection could be made.
    Tls(TlsError),
    /// The connection broke, or what came is not HTTP.
    ProtocolError(ProtocolError),
    /// More redirects than we follow.
    TooManyRedirects,
    /// A redirect led back to where we had been.
    RedirectLoop,
    /// A redirect leads to something that is no address.
    InvalidRedirect(InvalidRedirect),
    /// The address is private and the user did not name it; nothing was asked.
    PrivateAddress(IpAddr),
    /// A redirect leads to a page that its host closes to programs; it was not
    /// asked.
    RobotsDisallowed,
    /// Our own program failed while it read the page. This says nothing about
    /// the page.
    InternalError,
}

/// Why a name has no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DnsError {
    /// The name does not exist (NXDOMAIN).
    NoSuchName,
    /// The name exists but has no address.
    NoRecords,
    /// The name server failed or refused.
    ServerFailure,
    /// No name server answered in time.
    TimedOut,
}

/// Why no connection could be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectError {
    /// Nobody listens there.
    Refused,
    /// There is no way there.
    Unreachable,
    /// The other side hung up while connecting.
    Reset,
    /// Anything else the system said.
    Other,
}

/// Why encryption failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TlsError {
    /// The certificate has expired or is not yet valid.
    Expired,
    /// The certificate is for another name.
    WrongName,
    /// Nobody we trust vouches for the certificate.
    Untrusted,
    /// The certificate was withdrawn.
    Revoked,
    /// The two sides share no protocol or cipher, or the talk broke down.
    Handshake,
}

/// How an answer went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProtocolError {
    /// The connection was closed before an answer.
    Closed,
    /// The connection was reset.
    Reset,
    /// The body ended before its promised length.
    Truncated,
    /// The head of the answer is larger than we read.
    HeadersTooLarge,
    /// The answer is not HTTP.
    NotHttp,
}

/// What is wrong with a redirect's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InvalidRedirect {
    /// It cannot be read as an address.
    NotAnAddress,
    /// It is no web address (`javascript:`, `mailto:` …).
    NotWeb,
    /// It is missing.
    Missing,
}

/// A part of asking that can take too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Looking up the name.
    Dns,
    /// Connecting.
    Connect,
    /// Agreeing on encryption.
    Tls,
    /// Waiting for the head of the answer.
    Headers,
    /// Reading the body.
    Body,
    /// All of it together.
    Total,
}

impl FetchOutcome {
    /// The status code, where a server answered.
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Response(status) => Some(*status),
            _ => None,
        }
    }

    /// Whether some server was reached, whatever it said: proof that our own
    /// network works.
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
            Self::Response(status) => write!(f, "answered {status}"),
            Self::DnsFailed(error) => error.fmt(f),
            Self::ConnectFailed(error) => error.fmt(f),
            Self::TimedOut(phase) => write!(f, "no answer in time ({phase})"),
            Self::Tls(error) => error.fmt(f),
            Self::ProtocolError(error) => error.fmt(f),
            Self::TooManyRedirects => f.write_str("too many redirects"),
            Self::RedirectLoop => f.write_str("redirects lead in a circle"),
            Self::InvalidRedirect(error) => error.fmt(f),
            Self::RobotsDisallowed => f.write_str("leads to a page that robots.txt closes to us"),
            Self::PrivateAddress(address) => write!(f, "leads to the private address {address}"),
            Self::InternalError => f.write_str("internal error while reading this page"),
        }
    }
}

impl fmt::Display for DnsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoSuchName => "no such host",
            Self::NoRecords => "the host name has no address",
            Self::ServerFailure => "the name server failed",
            Self::TimedOut => "no name server answered in time",
        })
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Refused => "connection refused",
            Self::Unreachable => "host unreachable",
            Self::Reset => "connection reset while connecting",
            Self::Other => "no connection",
        })
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Expired => "the certificate has expired or is not yet valid",
            Self::WrongName => "the certificate is for another name",
            Self::Untrusted => "nobody we trust vouches for the certificate",
            Self::Revoked => "the certificate was withdrawn",
            Self::Handshake => "no encrypted connection could be made",
        })
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Closed => "connection closed without an answer",
            Self::Reset => "connection reset",
            Self::Truncated => "the answer breaks off",
            Self::HeadersTooLarge => "the answer's head is too large",
            Self::NotHttp => "the answer is not HTTP",
        })
    }
}

impl fmt::Display for InvalidRedirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotAnAddress => "redirects to something that is no address",
            Self::NotWeb => "redirects to something that is no web address",
            Self::Missing => "redirects to nowhere",
        })
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Dns => "looking up the name",
            Self::Connect => "connecting",
            Self::Tls => "agreeing on encryption",
            Self::Headers => "waiting for the answer",
            Self::Body => "reading the page",
            Self::Total => "in all",
        })
    }
}
