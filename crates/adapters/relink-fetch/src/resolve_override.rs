//! Addresses the user gives by hand: `HOST:PORT:ADDR[,ADDR]`, as curl's
//! `--resolve` has it.
//!
//! An override replaces the name server, not the address policy.

use std::net::IpAddr;
use std::str::FromStr;

use thiserror::Error;

/// The addresses to use for one host and port.
///
/// ```
/// use relink_fetch::Override;
/// let given: Override = "example.org:443:127.0.0.1,[::1]".parse()?;
/// assert_eq!(given.host, "example.org");
/// assert_eq!(given.addresses.len(), 2);
/// # Ok::<(), relink_fetch::ParseOverrideError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveOverride {
    /// The host as URLs spell it: lower case, without brackets or final dot.
    pub host: String,
    /// The port it holds for.
    pub port: u16,
    /// The addresses to ask instead, in this order; never empty.
    pub addresses: Vec<IpAddr>,
}

/// The text is not an override.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ParseOverrideError {
    /// A part is missing.
    #[error("`{0}` is not `HOST:PORT:ADDRESS`")]
    Shape(String),
    /// The port is no number from 1 to 65535.
    #[error("`{0}` is not a port")]
    Port(String),
    /// An address is no IP address.
    #[error("`{0}` is not an IP address")]
    Address(String),
}

impl ResolveOverride {
    /// Whether it speaks about this host and port.
    pub fn is_for(&self, host: &str, port: u16) -> bool {
        self.port == port && self.host == plain(host)
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
            host: plain(host).to_ascii_lowercase(),
            port: parse_port(port)?,
            addresses: addresses.split(',').map(parse_address).collect::<Result<_, _>>()?,
        })
    }
}

/// Splits off the host; colons within brackets belong to it.
fn split_host(text: &str) -> Option<(&str, &str)> {
    if text.starts_with('[') {
        return text.split_once("]:");
    }
    text.split_once(':')
}

/// The host without brackets and final dot, so that spellings compare equal.
fn plain(host: &str) -> &str {
    let host = host.strip_prefix('[').unwrap_or(host);
    let host = host.strip_suffix(']').unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host)
}

fn parse_port(text: &str) -> Result<u16, ParseOverrideError> {
    match text.parse() {
        Ok(port) if port > 0 => Ok(port),
        _ => Err(ParseOverrideError::Port(text.to_owned())),
    }
}

fn parse_address(text: &str) -> Result<IpAddr, ParseOverrideError> {
    let bare = text.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    bare.unwrap_or(text).parse().map_err(|_| ParseOverrideError::Address(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let said = match text.parse::<ResolveOverride>() {
            Ok(it) => format!("{} {} {:?}", it.host, it.port, it.addresses),
            Err(error) => error.to_string(),
        };
        assert_eq!(said, expect);
    }

    #[test]
    fn well_formed_overrides_are_read() {
        check("a.test:80:127.0.0.1", "a.test 80 [127.0.0.1]");
        check("A.Test.:80:127.0.0.1", "a.test 80 [127.0.0.1]");
        check("a.test:80:[::1],10.0.0.1", "a.test 80 [::1, 10.0.0.1]");
        check("a.test:80:::1", "a.test 80 [::1]");
        check("[::1]:8080:127.0.0.1", "::1 8080 [127.0.0.1]");
    }

    #[test]
    fn malformed_overrides_say_what_is_wrong() {
        check("a.test", "`a.test` is not `HOST:PORT:ADDRESS`");
        check("a.test:80", "`a.test:80` is not `HOST:PORT:ADDRESS`");
        check(":80:::1", "`:80:::1` is not `HOST:PORT:ADDRESS`");
        check("a.test:http:::1", "`http` is not a port");
        check("a.test:0:::1", "`0` is not a port");
        check("a.test:80:b.test", "`b.test` is not an IP address");
        check("a.test:80:", "`` is not an IP address");
    }

    #[test]
    fn an_override_holds_for_its_host_and_port_alone() {
        let given: ResolveOverride = "a.test:80:127.0.0.1".parse().unwrap();
        assert!(given.is_for("a.test", 80));
        assert!(given.is_for("a.test.", 80));
        assert!(!given.is_for("a.test", 81));
        assert!(!given.is_for("b.a.test", 80));
    }
}
