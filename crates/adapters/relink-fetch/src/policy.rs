//! Address policy: which IP addresses may be connected to.
//!
//! The module is pure. The connector accepts only [`AllowedAddrs`], which only
//! this module creates, so the policy cannot be bypassed.
//!
//! A proxy resolves host names itself. For requests through a proxy, only the URL can be
//! checked: literal IP addresses, and names that always mean the local machine. The proxy has to
//! block names that resolve to private addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use url::Host;

/// A network: its base address and prefix length.
type Net4 = (Ipv4Addr, u32);
/// An IPv6 network: its base address and prefix length.
type Net6 = (Ipv6Addr, u32);

/// Returns a network whose base address ends with zero.
const fn v4(a: u8, b: u8, c: u8, bits: u32) -> Net4 {
    (Ipv4Addr::new(a, b, c, 0), bits)
}

/// Returns a network whose base address has zeros after the first three groups.
const fn v6(a: u16, b: u16, c: u16, bits: u32) -> Net6 {
    (Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), bits)
}

/// IPv4 blocks that are not the public internet (IANA special-purpose
/// registry, RFC 6890 and successors).
const SPECIAL_V4: [Net4; 15] = [
    v4(0, 0, 0, 8),       // "this network", RFC 791; Linux connects to itself
    v4(10, 0, 0, 8),      // private, RFC 1918
    v4(100, 64, 0, 10),   // carrier-grade NAT, RFC 6598
    v4(127, 0, 0, 8),     // loopback, RFC 1122
    v4(169, 254, 0, 16),  // link-local, RFC 3927; includes cloud metadata services
    v4(172, 16, 0, 12),   // private, RFC 1918
    v4(192, 0, 0, 24),    // IETF assignments, RFC 6890
    v4(192, 0, 2, 24),    // documentation, RFC 5737
    v4(192, 88, 99, 24),  // 6to4 relays, deprecated by RFC 7526
    v4(192, 168, 0, 16),  // private, RFC 1918
    v4(198, 18, 0, 15),   // benchmarking, RFC 2544
    v4(198, 51, 100, 24), // documentation, RFC 5737
    v4(203, 0, 113, 24),  // documentation, RFC 5737
    v4(224, 0, 0, 4),     // multicast, RFC 5771
    v4(240, 0, 0, 4),     // reserved, RFC 1112, and broadcast
];

/// The only IPv6 block assigned to the public internet (RFC 4291). Loopback,
/// link-local, site-local, unique-local, multicast, discard-only,
/// v4-compatible, local NAT64 and segment-routing addresses are outside of it.
const GLOBAL_UNICAST: Net6 = v6(0x2000, 0, 0, 3);

/// Blocks within [`GLOBAL_UNICAST`] that are not the public internet.
const SPECIAL_V6: [Net6; 4] = [
    v6(0x2001, 0, 0, 23),     // IETF assignments with Teredo, RFC 2928, 4380
    v6(0x2001, 0xdb8, 0, 32), // documentation, RFC 3849
    v6(0x2002, 0, 0, 16),     // 6to4, RFC 3056: hides any IPv4 address
    v6(0x3fff, 0, 0, 20),     // documentation, RFC 9637
];

/// The well-known prefix of NAT64 gateways, which translate IPv6 to IPv4 (RFC 6052). The
/// last 32 bits are the IPv4 address that is contacted.
const NAT64: Net6 = v6(0x64, 0xff9b, 0, 96);

/// Whether an address belongs to the public internet.
///
/// ```
/// use relink_fetch::is_global;
/// assert!(is_global("192.0.66.2".parse()?));
/// assert!(!is_global("169.254.169.254".parse()?));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_global_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(embedded) => is_global_v4(embedded),
            None => is_global_v6(address),
        },
    }
}

/// Whether an IPv4 address belongs to the public internet.
fn is_global_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4
        .iter()
        .any(|(base, bits)| (u32::from(address) ^ u32::from(*base)) >> (32 - bits) == 0)
}

/// Whether an IPv6 address belongs to the public internet.
fn is_global_v6(address: Ipv6Addr) -> bool {
    let is_in = |net: &Net6| is_within(address, *net);
    is_in(&GLOBAL_UNICAST) && !SPECIAL_V6.iter().any(is_in)
}

/// Whether an address belongs to a network.
fn is_within(address: Ipv6Addr, (base, bits): Net6) -> bool {
    (u128::from(address) ^ u128::from(base)) >> (128 - bits) == 0
}

/// Returns the IPv4 address that is contacted for an IPv6 address, by a NAT64
/// gateway or because the address is IPv4-mapped.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    if is_within(address, NAT64) {
        let [.., a, b, c, d] = address.octets();
        return Some(Ipv4Addr::new(a, b, c, d));
    }
    address.to_ipv4_mapped()
}

/// The IP addresses that a request may connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressPolicy {
    /// Any address: the user supplied this host and port, or allowed private
    /// addresses.
    Any,
    /// Public addresses only.
    GlobalOnly,
}

impl AddressPolicy {
    /// Whether the request may connect to this address.
    pub fn allows(self, address: IpAddr) -> bool {
        self == Self::Any || is_global(address)
    }

    /// Allows all addresses of a host, or returns the first private address.
    ///
    /// A single private address rejects all addresses, because a name that mixes private
    /// and public addresses is either an attack or a misconfiguration.
    pub fn check(self, addresses: Vec<SocketAddr>) -> Result<AllowedAddrs, IpAddr> {
        match addresses.iter().find(|address| !self.allows(address.ip())) {
            Some(private) => Err(private.ip()),
            None => Ok(AllowedAddrs(addresses)),
        }
    }

    /// Checks a host that a proxy will resolve, without resolving it.
    pub fn check_unresolved(self, host: &Host<&str>) -> Result<(), IpAddr> {
        let address = match host {
            Host::Ipv4(address) => IpAddr::V4(*address),
            Host::Ipv6(address) => IpAddr::V6(*address),
            Host::Domain(name) if is_loopback_name(name) => Ipv4Addr::LOCALHOST.into(),
            Host::Domain(_) => return Ok(()),
        };
        if self.allows(address) { Ok(()) } else { Err(address) }
    }
}

/// Whether a name always means the machine that resolves the name, such as `localhost` (RFC
/// 6761, section 6.3).
fn is_loopback_name(name: &str) -> bool {
    let last_label = name.trim_end_matches('.').rsplit('.').next();
    last_label.is_some_and(|label| label.eq_ignore_ascii_case("localhost"))
}

/// Addresses that passed the policy. Only [`AddressPolicy::check`] creates
/// them.
#[derive(Debug)]
pub(crate) struct AllowedAddrs(Vec<SocketAddr>);

impl AllowedAddrs {
    /// Returns the addresses in the order in which to try them.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks whether addresses, separated by spaces, are global.
    #[track_caller]
    fn check(expect: bool, addresses: &str) {
        for text in addresses.split_whitespace() {
            let address = text.parse().unwrap();
            assert_eq!(is_global(address), expect, "{text}");
        }
    }

    #[test]
    fn special_v4_blocks_are_not_global() {
        check(
            false,
            "0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255
             127.0.0.1 127.255.255.255 169.254.0.0 169.254.169.254 169.254.255.255
             172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.1 192.88.99.1
             192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.7
             203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255",
        );
    }

    #[test]
    fn neighbors_of_special_v4_blocks_are_global() {
        check(
            true,
            "1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
             128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0
             192.0.3.0 192.88.98.1 192.88.100.1 192.167.255.255 192.169.0.0
             198.17.255.255 198.20.0.0 198.51.99.1 198.51.101.1 203.0.112.1 203.0.114.1
             223.255.255.255 8.8.8.8",
        );
    }

    #[test]
    fn special_v6_blocks_are_not_global() {
        check(
            false,
            ":: ::1 ::7f00:1 ::808:808 64:ff9b:1::1 100::1 2001::1 2001:0:1::1
             2001:10::1 2001:1ff:ffff::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1
             3fff::1 3fff:fff:ffff::1 4000::1 5f00::1 fc00::1 fdff:ffff::1 fe80::1
             febf::1 fec0::1 feff::1 ff00::1 ff02::1 ffff::1",
        );
    }

    #[test]
    fn is_global_checks_the_embedded_v4_address() {
        check(
            false,
            "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 64:ff9b::127.0.0.1
             64:ff9b::10.1.2.3 64:ff9b::a9fe:a9fe",
        );
        check(true, "::ffff:8.8.8.8 64:ff9b::8.8.8.8");
    }

    #[test]
    fn public_v6_addresses_are_global() {
        check(true, "2001:200::1 2001:4860:4860::8888 2003::1 2606:4700::1111 3ffe::1");
    }

    /// Checks the private address for which each host is rejected, or `allowed`. Hosts are
    /// separated by spaces.
    #[track_caller]
    fn check_unresolved(expect: &str, hosts: &str) {
        for text in hosts.split_whitespace() {
            let host = Host::parse(text).unwrap();
            let host = match &host {
                Host::Domain(name) => Host::Domain(name.as_str()),
                Host::Ipv4(address) => Host::Ipv4(*address),
                Host::Ipv6(address) => Host::Ipv6(*address),
            };
            let result = AddressPolicy::GlobalOnly.check_unresolved(&host);
            let result =
                result.map_or_else(|address| address.to_string(), |()| "allowed".to_owned());
            assert_eq!(result, expect, "{text}");
            assert_eq!(AddressPolicy::Any.check_unresolved(&host), Ok(()), "{text}");
        }
    }

    #[test]
    fn check_unresolved_rejects_private_literals_and_localhost() {
        check_unresolved(
            "127.0.0.1",
            "127.0.0.1 127.1 0x7f000001 localhost a.LOCALHOST localhost..",
        );
        check_unresolved("::1", "[::1]");
        check_unresolved("::ffff:10.0.0.1", "[::ffff:10.0.0.1]");
        check_unresolved("allowed", "a.test localhost.test notlocalhost 8.8.8.8 [2606:4700::1111]");
    }

    #[test]
    fn one_private_address_rejects_all_addresses() {
        let mixed: Vec<SocketAddr> =
            vec!["8.8.8.8:80".parse().unwrap(), "10.0.0.1:80".parse().unwrap()];
        let rejected = AddressPolicy::GlobalOnly.check(mixed.clone()).unwrap_err();
        assert_eq!(rejected.to_string(), "10.0.0.1");
        assert_eq!(AddressPolicy::Any.check(mixed).unwrap().addresses().len(), 2);
    }
}
