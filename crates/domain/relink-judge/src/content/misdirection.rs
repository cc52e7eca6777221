//! Redirects whose target cannot be the moved page.
//!
//! Sites redirect to a login, a consent page, an error page or the home page
//! instead of a page that they do not show.

use std::fmt;

use jiff::Timestamp;
use relink_model::{Attempt, Digest, FetchOutcome, History, Hop, Probe, Timings};

use super::redirects::is_error;
use super::{ContentAssessor, ControlAccess};
use crate::codes;
use crate::judgment::JudgeInput;
use crate::page::PageView;

/// The kind of page that a redirect leads to instead of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Misdirection {
    /// A login page.
    Login,
    /// A consent or payment wall.
    Consent,
    /// A bot challenge.
    Challenge,
    /// An error page.
    Error,
    /// The home page of the site.
    HomePage,
}

impl Misdirection {
    /// Returns a sentence that describes the target.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "it is a login page",
            Self::Consent => "it is a consent or payment wall",
            Self::Challenge => "it is a bot challenge",
            Self::Error => "it is an error page",
            Self::HomePage => "it is the home page",
        }
    }
}

impl fmt::Display for Misdirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the kind of the redirect target if it cannot be the page at `from`.
/// Considers the names in the URL and the content of the target.
///
/// ```
/// use relink_judge::{Misdirection, misdirection};
/// let from = "http://example.org/birds/owls.html";
/// let to = |path| misdirection(from, path, None);
/// assert_eq!(to("http://example.org/login?next=/birds"), Some(Misdirection::Login));
/// assert_eq!(to("http://example.org/"), Some(Misdirection::HomePage));
/// assert_eq!(to("http://example.org/animals/owls"), None);
/// ```
pub fn misdirection(from: &str, to: &str, page: Option<&Digest>) -> Option<Misdirection> {
    let probe = redirected(from, to, page);
    let attempts: [Attempt; 0] = [];
    let input = JudgeInput {
        url: from,
        attempts: &attempts,
        probe: &probe,
        phrase_scan: None,
        controls: &[],
        history: &History::default(),
        now: probe.requested_at,
    };
    let page = PageView::new(from, &probe).with_phrase_scan(None);
    let assessor = ContentAssessor { input: &input, page, control_access: ControlAccess::Denied };
    let (url, target) = (page.url_parts(), page.final_url_parts());
    if !page.is_redirected() || url.is_home_page() {
        return None;
    }
    if let Some(wall) = assessor.check_wall() {
        return Some(match wall.code {
            Some(codes::LOGIN_WALL) => Misdirection::Login,
            Some(codes::BOT_CHALLENGE) => Misdirection::Challenge,
            _ => Misdirection::Consent,
        });
    }
    if target.is_home_page() {
        return Some(Misdirection::HomePage);
    }
    let is_error = is_error(&target) && !is_error(&url) && !page.has_url_words_in_title();
    is_error.then_some(Misdirection::Error)
}

/// Builds the probe of a redirect from `from` to `to`.
fn redirected(from: &str, to: &str, page: Option<&Digest>) -> Probe {
    let hop = |url: &str, status, location: Option<&str>| Hop {
        url: url.to_owned(),
        status,
        location: location.map(str::to_owned),
        ip: None,
    };
    Probe {
        requested_at: Timestamp::UNIX_EPOCH,
        hops: vec![hop(from, 301, Some(to)), hop(to, 200, None)],
        outcome: FetchOutcome::Response(200),
        timings: Timings::default(),
        retry_after: None,
        version: None,
        digest: page.map(|digest| Box::new(digest.clone())),
    }
}

#[cfg(test)]
mod tests {
    use relink_model::PageFlag;

    use super::*;

    #[track_caller]
    fn check(from: &str, to: &str, expect: &str) {
        let url = |path: &str| format!("http://example.org{path}");
        let found = misdirection(&url(from), &url(to), None);
        assert_eq!(found.map_or("", Misdirection::as_str), expect, "{from} to {to}");
    }

    #[test]
    fn misdirection_is_recognized_by_url() {
        check("/old/owls", "/login", "it is a login page");
        check("/old/owls", "/wp-login.php?redirect_to=x", "it is a login page");
        check("/old/owls", "/cookie-consent", "it is a consent or payment wall");
        check("/old/owls", "/errors/404.html", "it is an error page");
        check("/old/owls", "/index.php", "it is the home page");
    }

    #[test]
    fn misdirection_is_recognized_by_content() {
        let page = Digest { flags: vec![PageFlag::PasswordField], ..Digest::default() };
        let (from, to) = ("http://example.org/old/owls", "http://example.org/members");
        assert_eq!(misdirection(from, to, Some(&page)), Some(Misdirection::Login));
        assert_eq!(misdirection(from, to, None), None);
    }

    #[test]
    fn misdirection_is_none_for_the_same_kind_of_page() {
        check("/old/owls", "/animals/owls", "");
        check("/old/login", "/members/login", "");
        check("/errors/404", "/help/errors/404", "");
        check("/", "/index.html", "");
        check("/home.html", "/login", "");
        check("/old/owls", "/old/owls/", "");
    }
}
