//! What we conclude from probes, before history and wording come in.

use serde::{Deserialize, Serialize};

/// A conclusion about a target, always resting on evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assessment {
    /// The content is there.
    Alive,
    /// The content is there, at another address for good.
    Moved,
    /// The content is not there.
    Dead(DeadReason),
    /// It cannot be told from what was seen.
    Inconclusive(InconclusiveReason),
}

/// Why a target counts as dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeadReason {
    /// The server says so: 404 or 410.
    Gone,
    /// The name does not exist.
    HostNotFound,
    /// Nobody answered, or not in time.
    NoResponse,
    /// The server failed: 5xx, or a status that is no content.
    ServerError,
    /// No trustworthy encrypted connection could be made.
    Tls,
    /// Redirects lead in a circle or never end.
    RedirectLoop,
    /// A redirect leads to something that is no address.
    InvalidRedirect,
    /// It answers as if it were there, but shows an error page or whatever is
    /// shown for any address.
    Soft404,
    /// It answers with a placeholder: suspended, default page, host's notice.
    Placeholder,
    /// The name has another owner now: parked, for sale, or put to other use.
    Hijacked,
}

/// Why it cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InconclusiveReason {
    /// The server refuses to show the page to us.
    Refused,
    /// The server asks for slower visits.
    Throttled,
    /// The way leads into a private network, which strangers may not open.
    PrivateAddress,
    /// The host's robots.txt closes the page to programs.
    Robots,
    /// A login stands before the page.
    Login,
    /// A demand for consent or payment stands before the page.
    Consent,
    /// Visitors are tested for being human.
    BotChallenge,
    /// The page shows nothing until its scripts have run.
    RequiresJavaScript,
    /// The whole site shows one notice instead of its pages.
    SiteNotice,
    /// No host answered in the whole run: our own network may be down.
    NoNetwork,
    /// Our own program failed while it read the page.
    InternalError,
}
