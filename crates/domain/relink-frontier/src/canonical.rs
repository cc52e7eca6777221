//! The canonical form of a URL, under which it is fetched once.
//!
//! The changes are invisible to servers or have the same effect on every server: the
//! WHATWG normal form, no fragment, no credentials, no default port, no dot after the
//! host name. Query parameters are retained. A crawl may remove some of them, see
//! [`strip`](crate::strip).

use std::borrow::Cow;

use relink_model::with_authority;
use thiserror::Error;
use url::Url;

/// A text that is not an HTTP URL.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CanonicalError {
    /// The text cannot be parsed as a URL.
    #[error("{0}")]
    NotAUrl(String),
    /// The URL is relative and there is no base URL.
    #[error("relative URL without a base URL")]
    NoBase,
    /// The scheme is neither `http` nor `https`.
    #[error("unsupported scheme `{0}:` (expected http or https)")]
    NotWeb(String),
}

/// Returns the canonical URL of `text`, resolved against `base`.
///
/// ```
/// use relink_frontier::canonicalize;
/// let url = canonicalize(None, "HTTP://Example.ORG:80/a/../b?q=1#part")?;
/// assert_eq!(url.as_str(), "http://example.org/b?q=1");
/// # Ok::<(), relink_frontier::CanonicalError>(())
/// ```
pub fn canonicalize(base: Option<&Url>, text: &str) -> Result<Url, CanonicalError> {
    let parsed = match base {
        Some(base) => base.join(&collapse_leading_slashes(&with_authority(text))),
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
    // Credentials are never sent and never stored, see SECURITY.md. The setters fail
    // only for URLs without a host, which http URLs always have.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    drop_trailing_dot(&mut url);
    Ok(url)
}

/// Reduces the slashes before a host to two (URL standard, 4.4, "special authority
/// ignore slashes").
fn collapse_leading_slashes(text: &str) -> Cow<'_, str> {
    // The URL standard ignores control characters and spaces at the start.
    let trimmed = text.trim_start_matches(|first: char| first <= ' ');
    let rest = trimmed.trim_start_matches(['/', '\\']);
    if trimmed.len() - rest.len() > 2 { format!("//{rest}").into() } else { text.into() }
}

/// Removes the dot after the host: `example.org.` and `example.org` are one host.
///
/// Several dots are retained: such a name is invalid, and without the dots it might be the
/// name of another host.
fn drop_trailing_dot(url: &mut Url) {
    let without_dot = url.host_str().and_then(|host| host.strip_suffix('.')).map(str::to_owned);
    if let Some(without_dot) =
        without_dot.filter(|without_dot| !without_dot.is_empty() && !without_dot.ends_with('.'))
    {
        // Fails only for invalid hosts, and then changes nothing.
        let _ = url.set_host(Some(&without_dot));
    }
}

/// Returns the key of the host for rate limits.
///
/// The default ports of `http` and `https` share one key. Any other port is a separate server.
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

    /// Asserts the canonical URL, or the message of the error.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        let found = canonicalize(None, text).map_or_else(|error| error.to_string(), Into::into);
        assert_eq!(found, expect);
    }

    #[test]
    fn canonicalize_drops_invisible_parts() {
        check("https://example.org", "https://example.org/");
        check("https://example.org:443/#top", "https://example.org/");
        check("https://me:secret@example.org/x", "https://example.org/x");
        check("https://example.org./x", "https://example.org/x");
    }

    #[test]
    fn canonicalize_without_slashes_drops_password_with_any_base() {
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
    fn canonicalize_retains_visible_parts() {
        check("http://example.org/A?b=1&a=2", "http://example.org/A?b=1&a=2");
        check("http://example.org:8080/", "http://example.org:8080/");
        check("http://example.org/a%2Fb", "http://example.org/a%2Fb");
        check("http://example.org../", "http://example.org../");
    }

    #[test]
    fn canonicalize_rejects_other_texts() {
        check("http://", "empty host");
        check("a/b", "relative URL without a base URL");
        check("ftp://example.org/", "unsupported scheme `ftp:` (expected http or https)");
    }

    #[test]
    fn canonicalize_resolves_relative_urls() {
        let base = Url::parse("https://example.org/docs/a.html").unwrap();
        let url = canonicalize(Some(&base), "../b#c").unwrap();
        assert_eq!(url.as_str(), "https://example.org/b");
    }

    #[test]
    fn canonicalize_collapses_leading_slashes() {
        let base = Url::parse("https://example.org/docs/a.html").unwrap();
        for text in ["//a.test/b", "///a.test/b", " ////a.test/b", "\\\\/a.test/b"] {
            assert_eq!(canonicalize(Some(&base), text).unwrap().as_str(), "https://a.test/b");
        }
        assert_eq!(canonicalize(Some(&base), "/a///b").unwrap().path(), "/a///b");
        assert!(canonicalize(Some(&base), "///").is_err());
    }

    #[test]
    fn host_key_ignores_default_ports() {
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
        fn canonicalize_is_idempotent(text in "https?://[a-z0-9.@:%/?#&=é ]{1,40}") {
            if let Ok(once) = canonicalize(None, &text) {
                let twice = canonicalize(None, once.as_str());
                prop_assert_eq!(twice, Ok(once));
            }
        }
    }
}
