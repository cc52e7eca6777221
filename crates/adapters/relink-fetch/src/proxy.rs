//! User-configured proxies: protocol, host, port and login.
//!
//! This module only parses and prints. `proxy_client` and `socks` implement the
//! protocols. The text of a proxy may contain a password, so errors, `Debug` and
//! `Display` contain only scheme, host and port.

use std::fmt;
use std::str::FromStr;

use hyper::header::HeaderValue;
use percent_encoding::percent_decode_str;
use thiserror::Error;
use url::Url;

use crate::basic_auth::basic;

/// A proxy that requests go through.
///
/// ```
/// use relink_fetch::Proxy;
/// let proxy: Proxy = "http://user:secret@proxy.example.org:3128".parse()?;
/// assert_eq!(proxy.to_string(), "http://proxy.example.org:3128");
/// # Ok::<(), relink_fetch::ParseProxyError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    protocol: ProxyProtocol,
    /// Host and port, without credentials. The scheme is ignored.
    url: Url,
    login: Option<Login>,
}

/// Protocol between client and proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProxyProtocol {
    /// HTTP/1.1 without TLS.
    Http,
    /// HTTP/1.1 over TLS.
    Https,
    /// SOCKS5 (RFC 1928). The client resolves host names.
    Socks5,
    /// SOCKS5. The proxy resolves host names.
    Socks5h,
}

impl ProxyProtocol {
    /// Returns the scheme of a proxy URL.
    fn scheme(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Socks5 => "socks5",
            Self::Socks5h => "socks5h",
        }
    }

    /// Returns the default port. HTTP proxies require an explicit port, because programs
    /// disagree about the default (80, 1080 or 3128).
    fn default_port(self) -> Option<u16> {
        match self {
            Self::Http => None,
            Self::Https => Some(443),
            Self::Socks5 | Self::Socks5h => Some(1080),
        }
    }
}

/// A user name and password for a proxy.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Login {
    /// Percent-decoded, as SOCKS5 sends it.
    pub user: Vec<u8>,
    /// Percent-decoded, as SOCKS5 sends it.
    pub password: Vec<u8>,
    /// User name and password as the value of an HTTP header.
    authorization: HeaderValue,
}

/// Invalid [`Proxy`]. The text may contain a password and is not shown.
#[derive(Debug, Clone, Copy, Error, PartialEq, Eq)]
pub enum ParseProxyError {
    /// SOCKS4, or SOCKS without a version.
    #[error("unsupported SOCKS version (expected `socks5://` or `socks5h://`)")]
    Socks,
    /// A part of the URL is missing or unexpected.
    #[error("invalid proxy (expected `http://HOST:PORT`)")]
    Shape,
    /// The login cannot be sent in a header (RFC 7617, section 2).
    #[error("invalid proxy login: it contains characters that cannot be sent")]
    Login,
}

impl Proxy {
    /// Returns a URL with the host and port.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the protocol.
    pub(crate) fn protocol(&self) -> ProxyProtocol {
        self.protocol
    }

    /// Whether the proxy forwards HTTP requests, in addition to opening tunnels.
    pub(crate) fn is_http(&self) -> bool {
        matches!(self.protocol, ProxyProtocol::Http | ProxyProtocol::Https)
    }

    /// Returns the login, if there is one.
    pub(crate) fn login(&self) -> Option<&Login> {
        self.login.as_ref()
    }

    /// Returns the `Proxy-Authorization` header, if there is a login.
    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        self.login.as_ref().map(|login| &login.authorization)
    }
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port_or_known_default().unwrap_or_default();
        write!(f, "{}://{host}:{port}", self.protocol.scheme())
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
        let (protocol, rest) = split_protocol(text)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        // Split at the last `@`, because a password may contain `@` and a host may not.
        let (login, host_port) = match rest.rsplit_once('@') {
            Some((login, host_port)) => (Some(login), host_port),
            None => (None, rest),
        };
        let login = login.filter(|login| !login.is_empty());
        Ok(Self {
            protocol,
            url: parse_host_port(host_port, protocol.default_port())
                .ok_or(ParseProxyError::Shape)?,
            login: login.map(parse_login).transpose()?,
        })
    }
}

/// Splits a proxy URL into its protocol and the rest.
fn split_protocol(text: &str) -> Result<(ProxyProtocol, &str), ParseProxyError> {
    let (scheme, rest) = text.split_once("://").ok_or(ParseProxyError::Shape)?;
    let protocol = match scheme.to_ascii_lowercase().as_str() {
        "http" => ProxyProtocol::Http,
        "https" => ProxyProtocol::Https,
        "socks5" => ProxyProtocol::Socks5,
        "socks5h" => ProxyProtocol::Socks5h,
        "socks" | "socks4" | "socks4a" => return Err(ParseProxyError::Socks),
        _ => return Err(ParseProxyError::Shape),
    };
    Ok((protocol, rest))
}

/// Parses `HOST:PORT`, or `HOST` if there is a default port.
fn parse_host_port(text: &str, default_port: Option<u16>) -> Option<Url> {
    let has_port = text.contains(':') && !text.ends_with(']');
    let (host, port) = match (has_port, default_port) {
        (true, _) => text.rsplit_once(':')?,
        (false, Some(port)) => return parse_host_port(&format!("{text}:{port}"), None),
        (false, None) => return None,
    };
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit())
        && port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_invalid =
        |character: char| matches!(character, '/' | '\\' | '?' | '#') || character <= ' ';
    if host.is_empty() || host.contains(is_invalid) || !is_port {
        return None;
    }
    Url::parse(&format!("http://{text}")).ok()
}

/// Parses the login of a URL.
fn parse_login(text: &str) -> Result<Login, ParseProxyError> {
    let (user, password) = text.split_once(':').unwrap_or((text, ""));
    let decode = |text| percent_decode_str(text).collect::<Vec<u8>>();
    let (user, password) = (decode(user), decode(password));
    let authorization = basic(&user, &password).ok_or(ParseProxyError::Login)?;
    Ok(Login { user, password, authorization })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::basic_auth::base64;

    /// Checks the parsed proxy, with `as` and the authorization header if there is a login, or
    /// the name of the error.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        let result = match text.parse::<Proxy>() {
            Ok(proxy) => match proxy.authorization() {
                Some(value) => format!("{proxy} as {}", value.to_str().unwrap()),
                None => proxy.to_string(),
            },
            Err(error) => format!("{error:?}"),
        };
        assert_eq!(result, expect, "{text}");
    }

    #[test]
    fn parse_accepts_valid_proxies() {
        check("http://proxy.test:3128", "http://proxy.test:3128");
        check("http://proxy.test:3128/", "http://proxy.test:3128");
        check("HTTP://Proxy.Test:80", "http://proxy.test:80");
        check("http://127.0.0.1:8080", "http://127.0.0.1:8080");
        check("http://[::1]:8080", "http://[::1]:8080");
        check("http://@proxy.test:3128", "http://proxy.test:3128");
    }

    #[test]
    fn login_becomes_basic_authorization() {
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
    fn parse_accepts_protocols_and_default_ports() {
        check("https://proxy.test:3128", "https://proxy.test:3128");
        check("https://proxy.test", "https://proxy.test:443");
        check("socks5://proxy.test:9", "socks5://proxy.test:9");
        check("socks5://proxy.test/", "socks5://proxy.test:1080");
        check("SOCKS5h://[::1]", "socks5h://[::1]:1080");
        check("socks5://a:b@127.0.0.1", "socks5://127.0.0.1:1080 as Basic YTpi");
    }

    #[test]
    fn parse_rejects_invalid_proxies() {
        for text in ["socks://proxy.test:1080", "socks4://proxy.test:1", "SOCKS4a://proxy.test:1"] {
            check(text, "Socks");
        }
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
            "socks5://",
            "socks5://proxy.test:",
            "https://proxy.test/path",
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

    proptest! {
        #[test]
        fn login_is_never_printed(user in "[a-z]{0,8}", noise in "[:@/%# ]{0,3}") {
            // `QZ` occurs in the password only.
            let (password, hidden) = (format!("QZ{noise}QZ"), "QZ");
            for scheme in ["http", "https", "socks5", "socks4", "gopher"] {
                for host_port in ["proxy.test:3128", "proxy.test", "proxy.test:x"] {
                    let text = format!("{scheme}://{user}:{password}@{host_port}");
                    let printed = match text.parse::<Proxy>() {
                        Ok(proxy) => format!("{proxy} {proxy:?} {:?}", proxy.authorization()),
                        Err(error) => format!("{error} {error:?}"),
                    };
                    let encoded = base64(format!("{user}:{password}").as_bytes());
                    prop_assert!(!printed.contains(hidden) && !printed.contains(&encoded), "{}", printed);
                }
            }
        }

        #[test]
        fn parse_round_trips_or_fails(text in ".{0,40}") {
            if let Ok(proxy) = text.parse::<Proxy>() {
                let printed = proxy.to_string();
                prop_assert_eq!(printed.parse::<Proxy>().unwrap().to_string(), printed);
            }
        }
    }
}
