//! Redirects that lead to where no moved page can be.
//!
//! A site sends visitors to its login, to a demand for consent, to an error
//! page or to its front page in place of a page that it does not show. None of
//! them is the page, however alive it is at its own address.

use std::fmt;

use jiff::Timestamp;
use relink_model::{Attempt, Digest, FetchOutcome, History, Hop, Probe, Timings};

use super::redirects::is_error;
use super::{ContentAssessor, ControlAccess};
use crate::codes;
use crate::judgment::{JudgeInput, Soft404Profile};
use crate::page::PageView;

/// What a redirect leads to in place of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Misdirection {
    /// A login page.
    Login,
    /// A demand for consent or payment.
    Consent,
    /// A test for robots.
    Challenge,
    /// An error page.
    Error,
    /// The front page of the site.
    Front,
}

impl Misdirection {
    /// What is there, in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "it is a login page",
            Self::Consent => "it is a demand for consent or payment",
            Self::Challenge => "it is a test for robots",
            Self::Error => "it is an error page",
            Self::Front => "it is the front page",
        }
    }
}

impl fmt::Display for Misdirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a redirect from one URL to another leads to, if that cannot be the page
/// that was redirected: by the names in the URL, and by what the page shows.
///
/// ```
/// use relink_judge::{Misdirection, misdirection};
/// let from = "http://example.org/birds/owls.html";
/// let to = |path| misdirection(from, path, None);
/// assert_eq!(to("http://example.org/login?next=/birds"), Some(Misdirection::Login));
/// assert_eq!(to("http://example.org/"), Some(Misdirection::Front));
/// assert_eq!(to("http://example.org/animals/owls"), None);
/// ```
pub fn misdirection(from: &str, to: &str, page: Option<&Digest>) -> Option<Misdirection> {
    let probe = redirected(from, to, page);
    let looks: [Attempt; 0] = [];
    let case = JudgeInput {
        url: from,
        attempts: &looks,
        probe: &probe,
        phrase_scan: None,
        controls: &[],
        soft404_profile: Soft404Profile::default(),
        history: &History::default(),
        now: probe.requested_at,
    };
    let page = PageView::of(from, &probe).phrase_scan(None);
    let inquiry = ContentAssessor { case: &case, page, asking: ControlAccess::Closed };
    let (address, arrival) = (page.address(), page.arrival());
    if !page.is_elsewhere() || address.is_front() {
        return None;
    }
    if let Some(wall) = inquiry.wall() {
        return Some(match wall.code {
            Some(codes::LOGIN_WALL) => Misdirection::Login,
            Some(codes::CHALLENGED) => Misdirection::Challenge,
            _ => Misdirection::Consent,
        });
    }
    if arrival.is_front() {
        return Some(Misdirection::Front);
    }
    let is_error = is_error(&arrival) && !is_error(&address) && !page.is_about_its_address();
    is_error.then_some(Misdirection::Error)
}

/// A probe as it would be if `from` redirected to `to` today.
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
    fn misdirection_is_known_by_the_url() {
        check("/old/owls", "/login", "it is a login page");
        check("/old/owls", "/wp-login.php?redirect_to=x", "it is a login page");
        check("/old/owls", "/cookie-consent", "it is a demand for consent or payment");
        check("/old/owls", "/errors/404.html", "it is an error page");
        check("/old/owls", "/index.php", "it is the front page");
    }

    #[test]
    fn misdirection_is_known_by_the_page() {
        let page = Digest { flags: vec![PageFlag::PasswordField], ..Digest::default() };
        let (from, to) = ("http://example.org/old/owls", "http://example.org/members");
        assert_eq!(misdirection(from, to, Some(&page)), Some(Misdirection::Login));
        assert_eq!(misdirection(from, to, None), None);
    }

    #[test]
    fn misdirection_needs_another_kind_of_page() {
        check("/old/owls", "/animals/owls", "");
        check("/old/login", "/members/login", "");
        check("/errors/404", "/help/errors/404", "");
        check("/", "/index.html", "");
        check("/home.html", "/login", "");
        check("/old/owls", "/old/owls/", "");
    }
}
