//! The `NO_PROXY` list: hosts that are contacted without a proxy.
//!
//! There is no standard for the list. This implementation follows curl: a name
//! matches itself and its subdomains, with or without a leading dot. Networks
//! match only literal IP addresses in URLs, because names are not resolved for
//! this check.

use std::net::IpAddr;
use std::str::FromStr;

use thiserror::Error;
use url::{Host, Url};

/// A list of hosts that are contacted without a proxy.
///
/// ```
/// use relink_fetch::NoProxy;
/// let list: NoProxy = "localhost, example.org:8080, 10.0.0.0/8".parse()?;
/// assert!(list.contains(&"http://www.example.org:8080/".parse()?));
/// assert!(list.contains(&"https://10.1.2.3/".parse()?));
/// assert!(!list.contains(&"https://example.org/".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoProxy {
    entries: Vec<Entry>,
}

/// One entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    hosts: Hosts,
    /// The port. `None` means any port.
    port: Option<u16>,
}

/// The hosts of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Hosts {
    All,
    /// A name and its subdomains, in lower case.
    Domain(String),
    /// The addresses with this prefix and prefix length.
    Network(IpAddr, u32),
}

/// An invalid entry: it has a slash, but is not a network.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
#[error("invalid network: `{0}` (expected for example `10.0.0.0/8`)")]
pub struct ParseNoProxyError(String);

impl NoProxy {
    /// Whether the host of `url` is contacted without a proxy.
    pub fn contains(&self, url: &Url) -> bool {
        let (Some(host), port) = (url.host(), url.port_or_known_default()) else {
            return false;
        };
        let covers = |entry: &Entry| {
            entry.port.is_none_or(|own_port| Some(own_port) == port) && entry.hosts.contain(&host)
        };
        self.entries.iter().any(covers)
    }
}

impl Hosts {
    /// Whether the hosts include this host.
    fn contain(&self, host: &Host<&str>) -> bool {
        match (self, host) {
            (Self::All, _) => true,
            (Self::Domain(domain), Host::Domain(name)) => {
                let name = name.trim_end_matches('.');
                let prefix = name.strip_suffix(domain.as_str());
                prefix.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            (Self::Network(base, bits), Host::Ipv4(address)) => {
                is_within((*address).into(), *base, *bits)
            }
            (Self::Network(base, bits), Host::Ipv6(address)) => {
                is_within((*address).into(), *base, *bits)
            }
            _ => false,
        }
    }
}

/// Whether an address belongs to a network.
fn is_within(address: IpAddr, base: IpAddr, bits: u32) -> bool {
    let common_bits = match (address, base) {
        (IpAddr::V4(address), IpAddr::V4(base)) => {
            (u32::from(address) ^ u32::from(base)).leading_zeros()
        }
        (IpAddr::V6(address), IpAddr::V6(base)) => {
            (u128::from(address) ^ u128::from(base)).leading_zeros()
        }
        _ => return false,
    };
    common_bits >= bits
}

impl FromStr for NoProxy {
    type Err = ParseNoProxyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let entries = text.split(|character: char| character == ',' || character.is_whitespace());
        let entries = entries.filter(|entry| !entry.is_empty());
        Ok(Self { entries: entries.map(parse_entry).collect::<Result<_, _>>()? })
    }
}

/// Parses one entry of the list: a host, with or without port, or a network.
fn parse_entry(text: &str) -> Result<Entry, ParseNoProxyError> {
    if let Some((base, bits)) = text.split_once('/') {
        let network = parse_network(base, bits);
        let hosts = network.ok_or_else(|| ParseNoProxyError(text.to_owned()))?;
        return Ok(Entry { hosts, port: None });
    }
    let (host, port) = split_port(text);
    Ok(Entry { hosts: parse_hosts(host), port })
}

/// Parses a network from its base address and prefix length.
fn parse_network(base: &str, bits: &str) -> Option<Hosts> {
    let base = parse_address(base)?;
    let bits = bits.parse().ok()?;
    let max_bits = if base.is_ipv4() { 32 } else { 128 };
    (bits <= max_bits).then_some(Hosts::Network(base, bits))
}

/// Splits off the port. An IPv6 address with a port has brackets.
fn split_port(text: &str) -> (&str, Option<u16>) {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            port.parse().map_or((text, None), |port| (host, Some(port)))
        }
        _ => (text, None),
    }
}

/// Parses the host of an entry.
fn parse_hosts(text: &str) -> Hosts {
    if text == "*" {
        return Hosts::All;
    }
    if let Some(address) = parse_address(text) {
        return Hosts::Network(address, if address.is_ipv4() { 32 } else { 128 });
    }
    // `*.a.test` means the same as `a.test`.
    let name = text.strip_prefix('*').unwrap_or(text);
    let name = name.trim_matches('.');
    // Normalize valid host names as URLs do: lower case and Punycode.
    let name = match Host::parse(name) {
        Ok(Host::Domain(name)) => name,
        _ => name.to_ascii_lowercase(),
    };
    Hosts::Domain(name)
}

fn parse_address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    bare.unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a list contains all URLs in `inside` and no URL in `outside`. Both are lists
    /// separated by spaces.
    #[track_caller]
    fn check(list: &str, inside: &str, outside: &str) {
        let parsed: NoProxy = list.parse().unwrap();
        for (urls, expect) in [(inside, true), (outside, false)] {
            for url in urls.split_whitespace() {
                let url = Url::parse(url).unwrap();
                assert_eq!(parsed.contains(&url), expect, "{url} in `{list}`");
            }
        }
    }

    #[test]
    fn name_matches_itself_and_subdomains() {
        let inside = "http://a.test/ https://a.test:8443/ http://b.a.test/ http://A.TEST./";
        for list in ["a.test", ".a.test", "*.a.test", "A.Test.", "c.test, a.test", "x a.test"] {
            check(list, inside, "http://ba.test/ http://test/ http://a.test.b.test/");
        }
    }

    #[test]
    fn port_limits_an_entry() {
        check("a.test:8080", "http://a.test:8080/", "http://a.test/ https://a.test/");
        check("a.test:443", "https://a.test/", "http://a.test/");
        check("127.0.0.1:81", "http://127.0.0.1:81/", "http://127.0.0.1/");
        check("[::1]:81", "http://[::1]:81/", "http://[::1]/");
    }

    #[test]
    fn network_matches_only_literal_addresses() {
        // `0xa.1` is 10.0.0.1. An IPv6 address with the same last bits does not match.
        let inside = "http://10.0.0.1/ http://10.255.255.255:81/ http://0xa.1/";
        check("10.0.0.0/8", inside, "http://11.0.0.1/ http://10.test/ http://[::a00:1]/");
        check("fd00::/8", "http://[fd12::1]/", "http://[fe80::1]/");
        check("192.0.2.7", "http://192.0.2.7/", "http://192.0.2.8/");
        check("::1", "http://[::1]/", "http://[::2]/ http://127.0.0.1/");
        check("0.0.0.0/0", "http://192.0.2.1/", "http://a.test/");
    }

    #[test]
    fn asterisk_matches_everything_and_empty_list_nothing() {
        check("*", "http://a.test/ https://[::1]/ http://10.0.0.1/", "");
        check("", "", "http://a.test/");
        check(" , ,", "", "http://a.test/ http://10.0.0.1/");
    }

    #[test]
    fn parse_rejects_invalid_networks() {
        for text in ["10.0.0.0/33", "10.0.0.0/", "a.test/8", "::/129", "10.0.0.0/8/8"] {
            let error = text.parse::<NoProxy>().unwrap_err();
            let expect = format!("invalid network: `{text}` (expected for example `10.0.0.0/8`)");
            assert_eq!(error.to_string(), expect);
        }
    }
}
