//! The user's proxy: where it is, and who we are to it.
//!
//! Reading and showing only; `relay` speaks with it. What the user wrote may
//! hold a password, so no message, `Debug` or `Display` repeats any of it but
//! host and port.

use std::fmt;
use std::str::FromStr;

use hyper::header::HeaderValue;
use percent_encoding::percent_decode_str;
use thiserror::Error;
use url::Url;

/// An HTTP proxy that every request goes through.
///
/// ```
/// use relink_fetch::Proxy;
/// let proxy: Proxy = "http://user:secret@proxy.example.org:3128".parse()?;
/// assert_eq!(proxy.to_string(), "http://proxy.example.org:3128");
/// # Ok::<(), relink_fetch::ParseProxyError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Without credentials.
    url: Url,
    /// Marked as sensitive, so that its own `Debug` hides it too.
    authorization: Option<HeaderValue>,
}

/// The text names no proxy we can use. It may hold a password and is not shown.
#[derive(Debug, Clone, Copy, Error, PartialEq, Eq)]
pub enum ParseProxyError {
    /// The proxy is to be asked over TLS.
    #[error("proxies are asked over `http://` only, not over `https://`")]
    Encrypted,
    /// The proxy speaks SOCKS.
    #[error("SOCKS proxies are not supported, only `http://` ones")]
    Socks,
    /// A part is missing, or there is one too many.
    #[error("the proxy is not written as `http://HOST:PORT`")]
    Shape,
    /// The login cannot be put into a header (RFC 7617, section 2).
    #[error("the login for the proxy has characters that cannot be sent")]
    Login,
}

impl Proxy {
    /// Where it is asked.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The `Proxy-Authorization` to send, if the user gave a login.
    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port_or_known_default().unwrap_or_default();
        write!(f, "http://{host}:{port}")
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({self})")
    }
}

impl FromStr for Proxy {
    type Err = ParseProxyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = without_scheme(text)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        // The last `@`: a password may hold others, a host may not.
        let (login, place) = match rest.rsplit_once('@') {
            Some((login, place)) => (Some(login), place),
            None => (None, rest),
        };
        let login = login.filter(|login| !login.is_empty());
        Ok(Self {
            url: parse_place(place).ok_or(ParseProxyError::Shape)?,
            authorization: login.map(authorization_for).transpose()?,
        })
    }
}

fn without_scheme(text: &str) -> Result<&str, ParseProxyError> {
    let (scheme, rest) = text.split_once("://").ok_or(ParseProxyError::Shape)?;
    match scheme.to_ascii_lowercase().as_str() {
        "http" => Ok(rest),
        "https" => Err(ParseProxyError::Encrypted),
        "socks" | "socks4" | "socks4a" | "socks5" | "socks5h" => Err(ParseProxyError::Socks),
        _ => Err(ParseProxyError::Shape),
    }
}

/// Reads `HOST:PORT`. Programs disagree about the port of a proxy that is
/// written without one, so it has to be there.
fn parse_place(place: &str) -> Option<Url> {
    let (host, port) = place.rsplit_once(':')?;
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit())
        && port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_stray = |it: char| matches!(it, '/' | '\\' | '?' | '#') || it <= ' ';
    if host.is_empty() || host.contains(is_stray) || !is_port {
        return None;
    }
    Url::parse(&format!("http://{place}")).ok()
}

/// The header for a login as it stands in a URL (RFC 7617).
fn authorization_for(login: &str) -> Result<HeaderValue, ParseProxyError> {
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let decoded = |text| percent_decode_str(text).collect::<Vec<u8>>();
    let (user, password) = (decoded(user), decoded(password));
    // The first colon ends the user's name, so the name cannot hold one.
    if user.contains(&b':') || user.iter().chain(&password).any(u8::is_ascii_control) {
        return Err(ParseProxyError::Login);
    }
    let value = format!("Basic {}", base64(&[&user[..], b":", &password].concat()));
    let mut value = HeaderValue::try_from(value).map_err(|_| ParseProxyError::Login)?;
    value.set_sensitive(true);
    Ok(value)
}

/// Base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        // One byte makes two digits, two make three, three make four.
        for place in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let said = match text.parse::<Proxy>() {
            Ok(proxy) => match proxy.authorization() {
                Some(value) => format!("{proxy} as {}", value.to_str().unwrap()),
                None => proxy.to_string(),
            },
            Err(fault) => format!("{fault:?}"),
        };
        assert_eq!(said, expect, "{text}");
    }

    #[test]
    fn well_formed_proxies_are_read() {
        check("http://proxy.test:3128", "http://proxy.test:3128");
        check("http://proxy.test:3128/", "http://proxy.test:3128");
        check("HTTP://Proxy.Test:80", "http://proxy.test:80");
        check("http://127.0.0.1:8080", "http://127.0.0.1:8080");
        check("http://[::1]:8080", "http://[::1]:8080");
        check("http://@proxy.test:3128", "http://proxy.test:3128");
    }

    #[test]
    fn a_login_becomes_a_header() {
        // The example of RFC 7617, section 2.
        check(
            "http://Aladdin:open%20sesame@proxy.test:1",
            "http://proxy.test:1 as Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        );
        check("http://me@proxy.test:1", "http://proxy.test:1 as Basic bWU6");
        check("http://a:b:c@proxy.test:1", "http://proxy.test:1 as Basic YTpiOmM=");
        check("http://a:b@c/d@proxy.test:1", "http://proxy.test:1 as Basic YTpiQGMvZA==");
        check("http://a:%4%zz%25@proxy.test:1", "http://proxy.test:1 as Basic YTolNCV6eiU=");
    }

    #[test]
    fn what_is_no_http_proxy_is_refused() {
        check("https://proxy.test:3128", "Encrypted");
        check("socks5://proxy.test:1080", "Socks");
        check("SOCKS5h://proxy.test:1080", "Socks");
        for text in [
            "",
            "proxy.test:3128",
            "user:secret@proxy.test:3128",
            "ftp://proxy.test:3128",
            "http://",
            "http://proxy.test",
            "http://proxy.test:",
            "http://proxy.test:0",
            "http://proxy.test:+1",
            "http://proxy.test:65536",
            "http://proxy.test:http",
            "http://:3128",
            "http://[::1]",
            "http://[::1:3128",
            "http://proxy.test:3128/path",
            "http://proxy.test:3128?query",
            "http://proxy.test/:3128",
            "http://proxy.test\r\n:3128",
            "http://proxy test:3128",
        ] {
            check(text, "Shape");
        }
        check("http://a%3Ab:c@proxy.test:1", "Login");
        check("http://a:b%0D%0Ac@proxy.test:1", "Login");
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        // RFC 4648, section 10.
        for (plain, expect) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), expect);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xbf]), "+/+/");
    }

    proptest! {
        #[test]
        fn a_login_is_never_shown(user in "[a-z]{0,8}", noise in "[:@/%# ]{0,3}") {
            let (password, hidden) = (format!("QZ{noise}QZ"), "QZ");
            for scheme in ["http", "https", "socks5", "gopher"] {
                for place in ["proxy.test:3128", "proxy.test", "proxy.test:x"] {
                    let text = format!("{scheme}://{user}:{password}@{place}");
                    let said = match text.parse::<Proxy>() {
                        Ok(proxy) => format!("{proxy} {proxy:?} {:?}", proxy.authorization()),
                        Err(fault) => format!("{fault} {fault:?}"),
                    };
                    let encoded = base64(format!("{user}:{password}").as_bytes());
                    prop_assert!(!said.contains(hidden) && !said.contains(&encoded), "{}", said);
                }
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            if let Ok(proxy) = text.parse::<Proxy>() {
                let shown = proxy.to_string();
                prop_assert_eq!(shown.parse::<Proxy>().unwrap().to_string(), shown);
            }
        }
    }
}
