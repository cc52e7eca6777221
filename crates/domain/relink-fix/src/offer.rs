//! Decides which URL replaces the URL of a moved page.
//!
//! A chain of redirects replaces a link only if the redirects are permanent (RFC 9110 §15.4.2,
//! §15.4.9). The verdict `moved` guarantees that every redirect of the chain is permanent and
//! that the last URL has content. A new URL is checked before it is written. Its redirects can
//! be temporary, and are subject to the same rules. If a redirect leads to a login form, a consent
//! form or a home page, no URL is offered, because these pages are not the page of
//! the link.

use std::fmt;

use relink_revive::is_same_site;
use url::Url;

use crate::archived_url::original_of;
use crate::embedded_url::embedded_urls;
use crate::landing_page::{is_consent, is_home, is_login, segments};

/// A URL that can replace the URL of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The new URL.
    pub url: Url,
    /// The reason why a person must confirm the replacement, or `None` if it can be
    /// written automatically.
    pub review: Option<ReviewReason>,
}

/// The reason why a replacement is not written automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewReason {
    /// The new URL uses http instead of https.
    Downgrade,
    /// The new URL belongs to another registrable domain.
    OtherSite,
    /// The new URL contains another URL, as open redirects do.
    ContainsUrl,
    /// The confidence of the new URL is too low.
    LowConfidence,
    /// The link leads to an archived copy, and the page itself works again.
    BackToLife,
    /// The page responds, but with another text.
    OtherContent,
    /// The new URL contains the id of a session.
    SessionId,
    /// The page works again, but its text could not be compared with the archived copy.
    NotCompared,
}

impl fmt::Display for ReviewReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Downgrade => "the new URL uses http instead of https",
            Self::OtherSite => "the new URL is on another site",
            Self::ContainsUrl => "the new URL contains another URL, as open redirects do",
            Self::LowConfidence => "the confidence of the new URL is low",
            Self::OtherContent => "the page has another text now, which may still be the right one",
            Self::SessionId => "the new URL contains a session id, which expires",
            Self::NotCompared => "the text of the page cannot be compared with its archived copy",
            Self::BackToLife => "the page works again; use `--restore` to link to it",
        })
    }
}

/// The reason why the target of a redirect is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferRefusal {
    /// The redirect leads to a home page.
    HomePage,
    /// The redirect leads to a login form.
    Login,
    /// The redirect leads to a consent form.
    Consent,
    /// The redirect carries the old URL as a parameter, as access walls do.
    CarriesOldUrl,
    /// The redirect leads to another page, or out of the archive.
    OtherPage,
    /// The new URL is equal to the old URL.
    Unchanged,
}

impl fmt::Display for OfferRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HomePage => "the redirect leads to a home page",
            Self::Login => "the redirect leads to a login form",
            Self::Consent => "the redirect leads to a consent form",
            Self::CarriesOldUrl => "the redirect carries the old URL, as access walls do",
            Self::OtherPage => "the redirect leads to another page",
            Self::Unchanged => "the new URL is the old one",
        })
    }
}

/// Names of session ids in queries and in parameters of path segments. A session id belongs to
/// one client and expires.
const SESSION_NAMES: [&str; 8] = [
    "jsessionid",
    "phpsessid",
    "aspsessionid",
    "sessionid",
    "session_id",
    "sessid",
    "cftoken",
    "oscsid",
];

/// Returns the URL that replaces `old`, which redirects permanently to `new`.
///
/// # Errors
///
/// Fails if the page at `new` is not the page at `old`.
pub fn redirect_offer(old: &Url, new: &Url) -> Result<Offer, OfferRefusal> {
    if old == new {
        return Err(OfferRefusal::Unchanged);
    }
    if is_home(new) && !is_home(old) {
        return Err(OfferRefusal::HomePage);
    }
    if is_login(new) && !is_login(old) {
        return Err(OfferRefusal::Login);
    }
    if is_consent(new) && !is_consent(old) {
        return Err(OfferRefusal::Consent);
    }
    if carries(new, old) {
        return Err(OfferRefusal::CarriesOldUrl);
    }
    Ok(Offer { url: new.clone(), review: review_reason(old, new) })
}

/// Returns the URL that replaces the first URL of a chain of redirects. A person must confirm it
/// if a person would have to confirm one of the URLs of the chain.
///
/// # Errors
///
/// Fails if the last page is not the first page, or if the chain leads through a login
/// form, a consent form or a home page. The target of such a page may depend on the
/// client.
pub fn chain_offer(chain: &[Url]) -> Result<Offer, OfferRefusal> {
    let [old, intermediate @ .., new] = chain else { return Err(OfferRefusal::Unchanged) };
    let mut review = None;
    for page in intermediate {
        match redirect_offer(old, page) {
            Ok(offer) => review = review.or(offer.review),
            Err(OfferRefusal::Unchanged) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    let offer = redirect_offer(old, new)?;
    Ok(Offer { review: offer.review.or(review), ..offer })
}

/// Returns the last URL of a chain of redirects that starts at an archived copy. An archive
/// redirects to the nearest copy, and replays redirects that it captured.
///
/// # Errors
///
/// Fails if a redirect leaves the archive, or leads to another page than the page of the copy.
pub fn copy_chain_offer(chain: &[Url]) -> Result<Offer, OfferRefusal> {
    let [copy, .., last] = chain else { return Err(OfferRefusal::Unchanged) };
    if !chain.iter().all(|url| is_same_archive(copy, url)) {
        return Err(OfferRefusal::OtherPage);
    }
    let mut review = None;
    if original_of(copy.as_str()).is_some() {
        let originals = chain.iter().map(|url| original_of(url.as_str()));
        let originals: Vec<Url> =
            originals.collect::<Option<_>>().ok_or(OfferRefusal::OtherPage)?;
        match chain_offer(&originals) {
            Ok(offer) => review = offer.review,
            Err(OfferRefusal::Unchanged) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(Offer { url: last.clone(), review })
}

/// Whether two URLs have the same origin. An archive may redirect from http to https.
fn is_same_archive(copy: &Url, url: &Url) -> bool {
    let is_upgrade = copy.scheme() == "http" && url.scheme() == "https";
    copy.origin() == url.origin()
        || (is_upgrade
            && copy.host() == url.host()
            && copy.port().is_none()
            && url.port().is_none())
}

/// Returns the reason why a person must confirm the new URL, if there is one.
fn review_reason(old: &Url, new: &Url) -> Option<ReviewReason> {
    if old.scheme() == "https" && new.scheme() == "http" {
        return Some(ReviewReason::Downgrade);
    }
    if !is_same_site(old, new) {
        return Some(ReviewReason::OtherSite);
    }
    let known = embedded_urls(old);
    if embedded_urls(new).iter().any(|embedded| !known.contains(embedded)) {
        return Some(ReviewReason::ContainsUrl);
    }
    has_session_id(new).then_some(ReviewReason::SessionId)
}

/// Whether a URL contains a session id: as a parameter of its query or of a path segment, or as
/// a path segment of ASP.NET such as `(S(abc))`.
fn has_session_id(url: &Url) -> bool {
    let is_name = |name: &str| {
        let name = name.to_ascii_lowercase();
        SESSION_NAMES.iter().any(|known| name.starts_with(known))
    };
    let has_parameter = |segment: &str| segment.split(';').skip(1).any(is_name);
    let is_asp_session = |segment: &str| {
        let segment = segment.to_ascii_lowercase();
        segment.ends_with("))") && ["(s(", "(a(", "(f("].iter().any(|mark| segment.contains(mark))
    };
    segments(url).any(|segment| has_parameter(segment) || is_asp_session(segment))
        || url.query_pairs().any(|(name, _)| is_name(&name))
}

/// Whether a parameter of `new` contains the old URL or its path. A short path and a path of one
/// segment are not compared, because they may occur by chance.
fn carries(new: &Url, old: &Url) -> bool {
    /// Maximum length of a path that may occur by chance.
    const MAX_SHORT_PATH: usize = 8;
    let path = old.path();
    let is_distinctive = path.len() > MAX_SHORT_PATH && segments(old).count() > 1;
    new.query_pairs()
        .any(|(_, value)| value.contains(old.as_str()) || (is_distinctive && value.contains(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the reason for a review of the redirect from `old` to `new`, or the refusal.
    fn offer(old: &str, new: &str) -> Result<Option<ReviewReason>, OfferRefusal> {
        redirect_offer(&Url::parse(old).unwrap(), &Url::parse(new).unwrap())
            .map(|offer| offer.review)
    }

    #[test]
    fn redirect_within_a_site_is_offered() {
        assert_eq!(offer("http://example.org/a", "https://www.example.org/b"), Ok(None));
        assert_eq!(offer("http://example.org/", "https://example.org/"), Ok(None));
        assert_eq!(offer("https://example.org/login", "https://example.org/auth/login"), Ok(None));
    }

    #[test]
    fn redirect_to_another_site_or_to_http_needs_review() {
        let other = offer("https://example.org/a", "https://example.com/a");
        assert_eq!(other, Ok(Some(ReviewReason::OtherSite)));
        let downgrade = offer("https://example.org/a", "http://example.org/b");
        assert_eq!(downgrade, Ok(Some(ReviewReason::Downgrade)));
    }

    #[test]
    fn redirect_to_a_home_page_is_refused() {
        for home in ["/", "/index.html", "/home", "/en", "/pt-BR/", "/de/index.php"] {
            let new = format!("https://example.org{home}");
            assert_eq!(
                offer("https://example.org/a/b", &new),
                Err(OfferRefusal::HomePage),
                "{new}"
            );
        }
    }

    #[test]
    fn redirect_to_an_access_wall_is_refused() {
        let old = "https://example.org/docs/page";
        for (new, refusal) in [
            ("https://example.org/login?x=1", OfferRefusal::Login),
            ("https://sso.example.org/x", OfferRefusal::Login),
            ("https://example.org/user/signin.php", OfferRefusal::Login),
            ("https://consent.example.org/y", OfferRefusal::Consent),
            ("https://example.org/wall?u=/docs/page", OfferRefusal::CarriesOldUrl),
        ] {
            assert_eq!(offer(old, new), Err(refusal), "{new}");
        }
    }

    #[test]
    fn chain_through_an_access_wall_or_a_home_page_is_refused() {
        let offer = |chain: &[&str]| {
            let urls: Vec<Url> = chain.iter().map(|url| Url::parse(url).unwrap()).collect();
            chain_offer(&urls).map(|offer| offer.url.to_string())
        };
        let old = "http://example.org/docs/page";
        let (upgraded, new) = ("https://example.org/docs/page", "https://example.org/new/page");
        assert_eq!(offer(&[old, upgraded, new]), Ok(new.to_owned()));
        for (through, refusal) in [
            ("https://example.org/login", OfferRefusal::Login),
            ("https://consent.example.org/x", OfferRefusal::Consent),
            ("https://example.org/", OfferRefusal::HomePage),
        ] {
            assert_eq!(offer(&[old, upgraded, through, new]), Err(refusal), "{through}");
        }
        assert_eq!(offer(&[old]), Err(OfferRefusal::Unchanged));
    }

    #[test]
    fn word_inside_a_segment_is_not_a_login_form() {
        let new = "https://example.org/docs/authentication-guide";
        assert_eq!(offer("https://example.org/docs/auth-guide", new), Ok(None));
    }

    #[test]
    fn new_url_that_contains_a_url_needs_review() {
        let review = |old: &str, new: &str| {
            let (old, new) = (Url::parse(old).unwrap(), Url::parse(new).unwrap());
            redirect_offer(&old, &new).unwrap().review
        };
        let old = "https://example.org/old";
        for query in ["url=http%3A%2F%2Fevil.test%2F", "to=//evil.test", "a=1&u=HTTPS://evil.test"]
        {
            let new = format!("https://example.org/go?{query}");
            assert_eq!(review(old, &new), Some(ReviewReason::ContainsUrl), "{query}");
            assert_eq!(review(&new, &format!("{new}&b=2")), None);
        }
        let one = "https://example.org/go?u=http://good.test/";
        let other = "https://example.org/go?u=http://evil.test/";
        assert_eq!(review(one, other), Some(ReviewReason::ContainsUrl));
        assert_eq!(review(old, "https://example.org/go?path=/a//b"), None);
    }

    #[test]
    fn chain_with_a_page_on_another_site_needs_review() {
        let chain = ["https://a.test/x", "https://evil.test/x", "https://a.test/y"];
        let urls: Vec<Url> = chain.iter().map(|url| Url::parse(url).unwrap()).collect();
        assert_eq!(chain_offer(&urls).unwrap().review, Some(ReviewReason::OtherSite));
    }

    #[test]
    fn new_url_with_a_session_id_needs_review() {
        for new in ["/new;jsessionid=1A2B", "/new?PHPSESSID=abc", "/(S(abc123))/new.aspx"] {
            let new = format!("https://example.org{new}");
            assert_eq!(offer("https://example.org/old", &new), Ok(Some(ReviewReason::SessionId)));
        }
    }

    #[test]
    fn copy_stays_in_its_archive_and_on_its_page() {
        let offer = |last: &str| {
            let chain = ["http://web.test/web/2015050607/http://a.test/x", last];
            let urls: Vec<Url> = chain.iter().map(|url| Url::parse(url).unwrap()).collect();
            copy_chain_offer(&urls).map(|offer| offer.review)
        };
        assert_eq!(offer("https://web.test/web/2015050608/http://a.test/x"), Ok(None));
        assert_eq!(offer("http://web.test/web/2015050608/http://a.test/y"), Ok(None));
        assert_eq!(
            offer("http://web.test/web/2015050608/http://b.test/x"),
            Ok(Some(ReviewReason::OtherSite))
        );
        let home = offer("http://web.test/web/2015050608/http://a.test/");
        assert_eq!(home, Err(OfferRefusal::HomePage));
        for other in ["http://evil.test/web/2015050608/http://a.test/x", "http://web.test/"] {
            assert_eq!(offer(other), Err(OfferRefusal::OtherPage), "{other}");
        }
    }
}
