//! Address overrides: `HOST:PORT:ADDR[,ADDR]`, the syntax of curl's
//! `--resolve`.
//!
//! An override replaces the DNS lookup. The address policy still applies.

use std::net::IpAddr;
use std::str::FromStr;

use thiserror::Error;

/// The addresses to use for one host and port.
///
/// ```
/// use relink_fetch::ResolveOverride;
/// let parsed: ResolveOverride = "example.org:443:127.0.0.1,[::1]".parse()?;
/// assert_eq!(parsed.host, "example.org");
/// assert_eq!(parsed.addresses.len(), 2);
/// # Ok::<(), relink_fetch::ParseOverrideError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveOverride {
    /// The host as URLs spell it: lower case, without brackets or trailing dot.
    pub host: String,
    /// The port that the override applies to.
    pub port: u16,
    /// The addresses to connect to, in this order. Never empty.
    pub addresses: Vec<IpAddr>,
}

/// Invalid [`ResolveOverride`].
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ParseOverrideError {
    /// A part is missing.
    #[error("invalid override: `{0}` (expected `HOST:PORT:ADDRESS`)")]
    Shape(String),
    /// The port is not a number from 1 to 65535.
    #[error("invalid port: `{0}` (expected 1 to 65535)")]
    Port(String),
    /// An address is not an IP address.
    #[error("invalid IP address: `{0}`")]
    Address(String),
}

impl ResolveOverride {
    /// Whether the override applies to this host and port.
    pub fn matches(&self, host: &str, port: u16) -> bool {
        self.port == port && self.host == normalize_host(host)
    }
}

impl FromStr for ResolveOverride {
    type Err = ParseOverrideError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shape = || ParseOverrideError::Shape(text.to_owned());
        let (host, rest) = split_host(text).ok_or_else(shape)?;
        let (port, addresses) = rest.split_once(':').ok_or_else(shape)?;
        if host.is_empty() {
            return Err(shape());
        }
        Ok(Self {
            host: normalize_host(host).to_ascii_lowercase(),
            port: parse_port(port)?,
            addresses: addresses.split(',').map(parse_address).collect::<Result<_, _>>()?,
        })
    }
}

/// Splits off the host. Colons within brackets belong to the host.
fn split_host(text: &str) -> Option<(&str, &str)> {
    if text.starts_with('[') {
        return text.split_once("]:");
    }
    text.split_once(':')
}

/// Removes brackets and the trailing dot, so that equal hosts compare equal.
fn normalize_host(host: &str) -> &str {
    let host = host.strip_prefix('[').unwrap_or(host);
    let host = host.strip_suffix(']').unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host)
}

/// Parses a port, which is not zero.
fn parse_port(text: &str) -> Result<u16, ParseOverrideError> {
    match text.parse() {
        Ok(port) if port > 0 => Ok(port),
        _ => Err(ParseOverrideError::Port(text.to_owned())),
    }
}

fn parse_address(text: &str) -> Result<IpAddr, ParseOverrideError> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    bare.unwrap_or(text).parse().map_err(|_| ParseOverrideError::Address(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the parsed host, port and addresses, or the error message.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        let result = match text.parse::<ResolveOverride>() {
            Ok(parsed) => format!("{} {} {:?}", parsed.host, parsed.port, parsed.addresses),
            Err(error) => error.to_string(),
        };
        assert_eq!(result, expect);
    }

    #[test]
    fn parse_accepts_valid_overrides() {
        check("a.test:80:127.0.0.1", "a.test 80 [127.0.0.1]");
        check("A.Test.:80:127.0.0.1", "a.test 80 [127.0.0.1]");
        check("a.test:80:[::1],10.0.0.1", "a.test 80 [::1, 10.0.0.1]");
        check("a.test:80:::1", "a.test 80 [::1]");
        check("[::1]:8080:127.0.0.1", "::1 8080 [127.0.0.1]");
    }

    #[test]
    fn parse_errors_describe_the_invalid_part() {
        check("a.test", "invalid override: `a.test` (expected `HOST:PORT:ADDRESS`)");
        check("a.test:80", "invalid override: `a.test:80` (expected `HOST:PORT:ADDRESS`)");
        check(":80:::1", "invalid override: `:80:::1` (expected `HOST:PORT:ADDRESS`)");
        check("a.test:http:::1", "invalid port: `http` (expected 1 to 65535)");
        check("a.test:0:::1", "invalid port: `0` (expected 1 to 65535)");
        check("a.test:80:b.test", "invalid IP address: `b.test`");
        check("a.test:80:", "invalid IP address: ``");
    }

    #[test]
    fn override_matches_only_its_host_and_port() {
        let override_for_a: ResolveOverride = "a.test:80:127.0.0.1".parse().unwrap();
        assert!(override_for_a.matches("a.test", 80));
        assert!(override_for_a.matches("a.test.", 80));
        assert!(!override_for_a.matches("a.test", 81));
        assert!(!override_for_a.matches("b.a.test", 80));
    }
}
