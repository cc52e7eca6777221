//! The canonical form of a web address: the key under which it is asked once.
//!
//! Only changes that no server can see, or that every server must treat alike,
//! are made: the WHATWG normal form, no fragment, no credentials, no default
//! port, no dot after the host name. Query parameters stay as they are; which
//! of them do not matter is a crawl's business, see [`strip`](crate::strip).

use std::borrow::Cow;

use relink_model::with_authority;
use thiserror::Error;
use url::Url;

/// A text does not lead to a web page.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CanonicalError {
    /// It cannot be read as a URL.
    #[error("{0}")]
    NotAUrl(String),
    /// It is relative and there is nothing to relate it to.
    #[error("it is relative, and its document has no address of its own")]
    NoBase,
    /// It is a URL of another kind.
    #[error("`{0}:` leads to no web page")]
    NotWeb(String),
}

/// The canonical URL that `text` means, seen from `base`.
///
/// ```
/// use relink_frontier::canonicalize;
/// let url = canonical(None, "HTTP://Example.ORG:80/a/../b?q=1#part")?;
/// assert_eq!(url.as_str(), "http://example.org/b?q=1");
/// # Ok::<(), relink_frontier::CanonicalError>(())
/// ```
pub fn canonicalize(base: Option<&Url>, text: &str) -> Result<Url, CanonicalError> {
    let parsed = match base {
        Some(base) => base.join(&few_slashes(&with_authority(text))),
        None => Url::parse(text),
    };
    let mut url = parsed.map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => CanonicalError::NoBase,
        other => CanonicalError::NotAUrl(other.to_string()),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(CanonicalError::NotWeb(url.scheme().to_owned()));
    }
    url.set_fragment(None);
    // Credentials are never sent and never stored: see SECURITY.md. The two
    // setters only fail for URLs without a host, which http always has.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    drop_trailing_dot(&mut url);
    Ok(url)
}

/// However many slashes stand before a host, two are meant (URL standard, 4.4,
/// "special authority ignore slashes").
fn few_slashes(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim_start_matches(|first: char| first <= ' ');
    let rest = trimmed.trim_start_matches(['/', '\\']);
    if trimmed.len() - rest.len() > 2 { format!("//{rest}").into() } else { text.into() }
}

/// `example.org.` and `example.org` are one host. More than one dot is no name
/// at all and stays as written: without its dots it might mean another host.
fn drop_trailing_dot(url: &mut Url) {
    let bare = url.host_str().and_then(|host| host.strip_suffix('.')).map(str::to_owned);
    if let Some(bare) = bare.filter(|bare| !bare.is_empty() && !bare.ends_with('.')) {
        // Fails only for hosts that cannot be, and then nothing is changed.
        let _ = url.set_host(Some(&bare));
    }
}

/// The name of the host that politeness is owed to.
///
/// Both standard ports are one host; any other port is a server of its own.
pub fn host_key(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let found = canonicalize(None, text).map_or_else(|error| error.to_string(), Into::into);
        assert_eq!(found, expect);
    }

    #[test]
    fn what_no_server_can_see_is_dropped() {
        check("https://example.org", "https://example.org/");
        check("https://example.org:443/#top", "https://example.org/");
        check("https://me:secret@example.org/x", "https://example.org/x");
        check("https://example.org./x", "https://example.org/x");
    }

    #[test]
    fn canonical_without_slashes_drops_a_password_from_any_base() {
        let base = Url::parse("http://example.org/a/b").unwrap();
        for text in [
            "http:me:secret@example.net/x",
            "http:/me:secret@example.net/x",
            " HTTP:me:se\tcret@example.net/x",
        ] {
            assert_eq!(canonicalize(Some(&base), text).unwrap().as_str(), "http://example.net/x");
        }
        let relative = |text| String::from(canonicalize(Some(&base), text).unwrap());
        assert_eq!(relative("http:x/me@example.net"), "http://example.org/a/x/me@example.net");
        assert_eq!(relative("http:/me@home/x"), "http://example.org/me@home/x");
    }

    #[test]
    fn what_a_server_may_see_stays() {
        check("http://example.org/A?b=1&a=2", "http://example.org/A?b=1&a=2");
        check("http://example.org:8080/", "http://example.org:8080/");
        check("http://example.org/a%2Fb", "http://example.org/a%2Fb");
        check("http://example.org../", "http://example.org../");
    }

    #[test]
    fn what_is_no_web_address_says_why() {
        check("http://", "empty host");
        check("a/b", "it is relative, and its document has no address of its own");
        check("ftp://example.org/", "`ftp:` leads to no web page");
    }

    #[test]
    fn relative_links_are_seen_from_their_base() {
        let base = Url::parse("https://example.org/docs/a.html").unwrap();
        let url = canonicalize(Some(&base), "../b#c").unwrap();
        assert_eq!(url.as_str(), "https://example.org/b");
    }

    #[test]
    fn more_slashes_than_two_are_two() {
        let base = Url::parse("https://example.org/docs/a.html").unwrap();
        for text in ["//a.test/b", "///a.test/b", " ////a.test/b", "\\\\/a.test/b"] {
            assert_eq!(canonicalize(Some(&base), text).unwrap().as_str(), "https://a.test/b");
        }
        assert_eq!(canonicalize(Some(&base), "/a///b").unwrap().path(), "/a///b");
        assert!(canonicalize(Some(&base), "///").is_err());
    }

    #[test]
    fn standard_ports_are_one_host() {
        for (url, expect) in [
            ("http://example.org/", "example.org"),
            ("https://example.org/", "example.org"),
            ("http://127.0.0.1:8080/", "127.0.0.1:8080"),
        ] {
            assert_eq!(host_key(&Url::parse(url).unwrap()), expect);
        }
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_its_own_canonical_form(text in "https?://[a-z0-9.@:%/?#&=é ]{1,40}") {
            if let Ok(once) = canonicalize(None, &text) {
                let twice = canonicalize(None, once.as_str());
                prop_assert_eq!(twice, Ok(once));
            }
        }
    }
}
