//! Parses and matches the hosts that receive user-supplied headers (`--header-for`).

use std::str::FromStr;

use thiserror::Error;
use url::{Host, Url};

/// A host that receives user-supplied headers.
///
/// ```
/// use relink_fetch::HeaderHost;
/// let host: HeaderHost = "example.org".parse()?;
/// assert!(host.covers(&"https://example.org/a".parse().unwrap()));
/// assert!(!host.covers(&"https://www.example.org/".parse().unwrap()));
/// # Ok::<(), relink_fetch::ParseHeaderHostError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderHost {
    host: Host<String>,
    /// Port number. `None` means the standard port of either scheme.
    port: Option<u16>,
    /// Whether headers are sent over https only.
    needs_https: bool,
}

/// Invalid [`HeaderHost`].
#[derive(Debug, Error, PartialEq, Eq)]
#[error("invalid host (expected `HOST` or `HOST:PORT`)")]
pub struct ParseHeaderHostError;

impl HeaderHost {
    /// Creates a host from the host and port of a URL. The host of an `https`
    /// URL receives headers over https only.
    pub fn from_url(url: &Url) -> Option<Self> {
        Some(Self {
            host: url.host()?.to_owned(),
            port: Some(url.port_or_known_default()?),
            needs_https: url.scheme() == "https",
        })
    }

    /// Whether a request for this URL receives the headers.
    pub fn covers(&self, url: &Url) -> bool {
        let is_host = url.host().is_some_and(|host| host.to_owned() == self.host);
        let is_port = match self.port {
            Some(port) => url.port_or_known_default() == Some(port),
            // `Url` omits the standard port.
            None => url.port().is_none(),
        };
        is_host && is_port && (!self.needs_https || url.scheme() == "https")
    }
}

impl FromStr for HeaderHost {
    type Err = ParseHeaderHostError;

    fn from_str(text: &str) -> Result<Self, ParseHeaderHostError> {
        let has_only_host = !text.is_empty() && !text.contains(['/', '\\', '@', '?', '#']);
        // A `ws` URL has the same syntax of hosts as an `http` URL. The port is taken from the
        // text, because `Url` omits standard ports.
        let url = Url::parse(&format!("ws://{text}")).map_err(|_| ParseHeaderHostError)?;
        let port = text.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        // An IPv6 address without a port ends with a bracket.
        let port = port.filter(|_| !text.ends_with(']'));
        match url.host() {
            Some(host) if has_only_host => {
                Ok(Self { host: host.to_owned(), port, needs_https: false })
            }
            _ => Err(ParseHeaderHostError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks whether a host covers a URL.
    #[track_caller]
    fn check(host: &str, url: &str, expect: bool) {
        let host: HeaderHost = host.parse().unwrap();
        assert_eq!(host.covers(&Url::parse(url).unwrap()), expect, "{host:?} {url}");
    }

    #[test]
    fn header_host_covers_its_host_and_port() {
        check("example.org", "https://example.org/a", true);
        check("EXAMPLE.org", "http://example.org/a", true);
        check("example.org", "http://example.org:8080/", false);
        check("example.org:8080", "http://example.org:8080/", true);
        check("example.org:80", "http://example.org/", true);
        check("example.org:80", "https://example.org/", false);
        check("example.org", "https://www.example.org/", false);
        check("example.org", "https://example.org.evil.test/", false);
        check("127.0.0.1:81", "http://127.0.0.1:81/", true);
        check("[::1]:81", "http://[::1]:81/", true);
        check("[::1]", "http://[::1]/", true);
    }

    #[test]
    fn header_host_from_https_url_requires_https() {
        let host = HeaderHost::from_url(&Url::parse("https://a.test:81/x").unwrap()).unwrap();
        assert!(host.covers(&Url::parse("https://a.test:81/y").unwrap()));
        assert!(!host.covers(&Url::parse("http://a.test:81/y").unwrap()));
    }

    #[test]
    fn parse_rejects_invalid_hosts() {
        for text in ["", "https://example.org/", "a/b", "u:p@example.org", "exa mple", "a:b:c"] {
            assert_eq!(text.parse::<HeaderHost>(), Err(ParseHeaderHostError), "{text}");
        }
    }
}
