//! Decides which URL replaces the URL of a moved page.
//!
//! Only permanent redirects are considered (RFC 9110 §15.4.2, §15.4.9). The
//! verdict `moved` guarantees that every redirect of the chain is permanent and
//! that the last URL has content. If a redirect leads to a login form, a consent
//! form or a home page, no URL is offered, because these pages are not the page of
//! the link.

use std::fmt;

use relink_revive::is_same_site;
use url::Url;

/// A URL that can replace the URL of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The new URL.
    pub url: Url,
    /// The reason why a person must confirm the replacement; `None` if it can be
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
}

impl fmt::Display for ReviewReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Downgrade => "the new URL uses http instead of https",
            Self::OtherSite => "the new URL is on another site",
            Self::ContainsUrl => "the new URL contains another URL, as open redirects do",
            Self::LowConfidence => "the confidence of the new URL is low",
            Self::OtherContent => "the page has another text now, which may still be the right one",
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
            Self::Unchanged => "the new URL is the old one",
        })
    }
}

/// Words that mark a login form, if they form a whole path segment or a label
/// of the host name.
const LOGIN_WORDS: [&str; 16] = [
    "login",
    "log-in",
    "log_in",
    "signin",
    "sign-in",
    "sign_in",
    "logon",
    "auth",
    "authenticate",
    "authorize",
    "sso",
    "saml",
    "oauth",
    "oauth2",
    "cas",
    "accounts",
];

/// Words that mark a consent form.
const CONSENT_WORDS: [&str; 7] = [
    "consent",
    "cookie-consent",
    "cookieconsent",
    "cookiewall",
    "cookie-wall",
    "gdpr",
    "privacy-gate",
];

/// File names of a home page, without their extension.
const HOME_NAMES: [&str; 4] = ["index", "home", "default", "welcome"];

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
    if has_word(new, &LOGIN_WORDS) && !has_word(old, &LOGIN_WORDS) {
        return Err(OfferRefusal::Login);
    }
    if has_word(new, &CONSENT_WORDS) && !has_word(old, &CONSENT_WORDS) {
        return Err(OfferRefusal::Consent);
    }
    if carries(new, old) {
        return Err(OfferRefusal::CarriesOldUrl);
    }
    Ok(Offer { url: new.clone(), review: review_reason(old, new) })
}

/// Returns the URL that replaces the first URL of a chain of permanent redirects.
///
/// # Errors
///
/// Fails if the last page is not the first page, or if the chain leads through a login
/// form, a consent form or a home page. The target of such a page may depend on the
/// client.
pub fn chain_offer(chain: &[Url]) -> Result<Offer, OfferRefusal> {
    let [old, intermediate @ .., new] = chain else { return Err(OfferRefusal::Unchanged) };
    for page in intermediate {
        match redirect_offer(old, page) {
            Ok(_) | Err(OfferRefusal::Unchanged) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    redirect_offer(old, new)
}

/// Returns the reason why a person must confirm the new URL, if there is one.
fn review_reason(old: &Url, new: &Url) -> Option<ReviewReason> {
    if old.scheme() == "https" && new.scheme() == "http" {
        return Some(ReviewReason::Downgrade);
    }
    if !is_same_site(old, new) {
        return Some(ReviewReason::OtherSite);
    }
    (contains_url(new) && !contains_url(old)).then_some(ReviewReason::ContainsUrl)
}

/// Whether the query contains an absolute or a scheme-relative URL.
fn contains_url(url: &Url) -> bool {
    url.query_pairs().any(|(_, value)| {
        let value = value.trim_start();
        value.contains("://") || value.starts_with("//")
    })
}

/// Whether a URL is the home page of a host or of one of its languages. A URL with a
/// query is not a home page, because the query may select a page.
fn is_home(url: &Url) -> bool {
    if url.query().is_some_and(|query| !query.is_empty()) {
        return false;
    }
    let segments: Vec<&str> = segments(url).collect();
    match segments.as_slice() {
        [] => true,
        [name] => is_home_name(name) || is_language(name),
        [language, name] => is_language(language) && is_home_name(name),
        _ => false,
    }
}

fn is_home_name(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or(segment);
    HOME_NAMES.iter().any(|name| stem.eq_ignore_ascii_case(name))
}

/// Whether a segment is a language tag such as `de` or `pt-BR`.
fn is_language(segment: &str) -> bool {
    let (language, region) = segment.split_once(['-', '_']).unwrap_or((segment, "xx"));
    let is_tag =
        |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_tag(language) && is_tag(region)
}

/// Whether a path segment or a label of the host name is one of the words.
fn has_word(url: &Url, words: &[&str]) -> bool {
    let is_word = |text: &str| {
        let stem = text.split('.').next().unwrap_or(text);
        words.iter().any(|word| stem.eq_ignore_ascii_case(word))
    };
    segments(url).any(is_word) || url.host_str().is_some_and(|host| host.split('.').any(is_word))
}

/// Whether a parameter of `new` contains the old URL or its path. A short path, or a
/// path of one segment, is not compared, because it may occur by chance.
fn carries(new: &Url, old: &Url) -> bool {
    /// Maximum length of a path that may occur by chance.
    const MAX_SHORT_PATH: usize = 8;
    let path = old.path();
    let is_distinctive = path.len() > MAX_SHORT_PATH && segments(old).count() > 1;
    new.query_pairs()
        .any(|(_, value)| value.contains(old.as_str()) || (is_distinctive && value.contains(path)))
}

fn segments(url: &Url) -> impl Iterator<Item = &str> {
    url.path().split('/').filter(|segment| !segment.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(review(old, "https://example.org/go?path=/a//b"), None);
    }
}
