//! Conclusions from the probes (observations of fetches) of one run, before the history
//! of the target is considered.

use serde::{Deserialize, Serialize};

/// A conclusion about a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assessment {
    /// The page exists and has the linked content.
    Alive,
    /// The page exists and has permanently moved to another URL.
    Moved,
    /// The page does not exist, or does not have the linked content.
    Dead(DeadReason),
    /// The evidence is inconclusive.
    Inconclusive(InconclusiveReason),
}

/// The reason why a target is dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeadReason {
    /// Status 404 or 410.
    Gone,
    /// The host name does not exist.
    HostNotFound,
    /// No response, or none before the timeout.
    NoResponse,
    /// A server error: 5xx, or an unexpected status.
    ServerError,
    /// The TLS handshake or the certificate check failed.
    Tls,
    /// A redirect loop, or too many redirects.
    RedirectLoop,
    /// A redirect to something that is not an HTTP URL.
    InvalidRedirect,
    /// A success status with an error page, or with the page that the server
    /// returns for any URL.
    Soft404,
    /// A placeholder: suspended account, server default page, hosting notice.
    Placeholder,
    /// The domain has changed its owner: parked, for sale, or reused.
    Hijacked,
}

/// The reason why the evidence is inconclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InconclusiveReason {
    /// The server refuses access, for example with status 403.
    Refused,
    /// The server limits the request rate, for example with status 429.
    Throttled,
    /// The URL or a redirect resolves to a private address, and the user did not supply
    /// the URL.
    PrivateAddress,
    /// The host's robots.txt disallows the page.
    Robots,
    /// The page requires a login.
    Login,
    /// The page requires consent or payment.
    Consent,
    /// The server sent a bot challenge instead of the page.
    BotChallenge,
    /// The page is empty without JavaScript.
    RequiresJavaScript,
    /// All pages of the site show the same notice.
    SiteNotice,
    /// No host responded during the run: the local network may be down.
    NoNetwork,
    /// An internal error occurred while the page was read.
    InternalError,
}
