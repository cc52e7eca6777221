//! Resolves host names to IP addresses.
//!
//! The order is: address overrides, literal addresses, the names that RFC 6761
//! reserves, the hosts file, DNS. The address policy is not applied here.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::time::Duration;

use hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::op::Query;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::{Hosts, TokioResolver, system_conf};
use relink_model::DnsError;
use tokio::time::timeout;
use url::{Host, Url};

use crate::settings::{FetchSettings, SetupError};
use crate::{ResolveOverride, outcome};

/// Maximum number of cached DNS responses. A response takes a few hundred bytes.
const CACHE_SIZE: u64 = 4096;

/// Maximum wait for one DNS server before the query is repeated.
const QUERY_TIMEOUT: Duration = Duration::from_secs(3);

/// How long to wait for the IPv4 addresses after the IPv6 addresses have arrived, and the other
/// way round. RFC 8305, section 3, recommends 50 ms for browsers. A longer wait returns more
/// complete results, which matters because the address policy checks all addresses.
const RESOLUTION_DELAY: Duration = Duration::from_millis(500);

/// A DNS resolver with overrides and a hosts file.
pub(crate) struct Resolver {
    overrides: Vec<ResolveOverride>,
    hosts: Hosts,
    dns: TokioResolver,
}

impl Resolver {
    /// Reads the system configuration unless `settings` contains a DNS server.
    pub fn new(settings: &FetchSettings) -> Result<Self, SetupError> {
        let (config, mut options) = match settings.dns_server {
            Some(server) => (only_server(server), ResolverOpts::default()),
            None => system_conf::read_system_conf().unwrap_or_else(|_| local_machine()),
        };
        options.cache_size = CACHE_SIZE;
        // Only addresses are needed, not the aliases that lead to them.
        options.preserve_intermediates = false;
        // This module reads the hosts file. For a host that has only an IPv4 entry, the library
        // would still query DNS for IPv6 addresses.
        options.use_hosts_file = ResolveHosts::Never;
        options.timeout = QUERY_TIMEOUT.min(settings.timeout / 2);
        let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        let dns = builder
            .with_options(options)
            .build()
            .map_err(|error| SetupError::Resolver(error.to_string()))?;
        Ok(Self {
            overrides: settings.resolve.clone(),
            hosts: Hosts::from_system().unwrap_or_default(),
            dns,
        })
    }

    /// Returns the addresses of a URL's host in the order in which to try them.
    /// Never empty.
    pub async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, DnsError> {
        let port = url.port_or_known_default().unwrap_or_default();
        let addresses = self.resolve_host(url, port).await?;
        let addresses = interleave(addresses);
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }

    /// Resolves the host of a URL, with overrides.
    async fn resolve_host(&self, url: &Url, port: u16) -> Result<Vec<IpAddr>, DnsError> {
        let host = url.host().ok_or(DnsError::NoSuchName)?;
        let host_text = url.host_str().unwrap_or_default();
        let override_for_host = self.overrides.iter().find(|entry| entry.matches(host_text, port));
        if let Some(found) = override_for_host {
            return Ok(found.addresses.clone());
        }
        match host {
            Host::Ipv4(address) => Ok(vec![address.into()]),
            Host::Ipv6(address) => Ok(vec![address.into()]),
            Host::Domain(name) => self.resolve_name(name.strip_suffix('.').unwrap_or(name)).await,
        }
    }

    /// Resolves a host name.
    async fn resolve_name(&self, name: &str) -> Result<Vec<IpAddr>, DnsError> {
        let last_label = name.rsplit('.').next().unwrap_or(name);
        match last_label {
            // RFC 6761, section 6.3: always loopback, never sent to DNS.
            "localhost" => return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]),
            // RFC 6761, section 6.4: never exists, never sent to DNS.
            "invalid" => return Err(DnsError::NoSuchName),
            _ => {}
        }
        let mut name = Name::from_utf8(name).map_err(|_| DnsError::NoSuchName)?;
        // The search list applies only to names without a dot.
        name.set_fqdn(name.num_labels() > 1);
        match self.hosts_file_addresses(&name) {
            listed if !listed.is_empty() => Ok(listed),
            _ => self.query_dns(name).await,
        }
    }

    /// Returns the addresses in the hosts file.
    fn hosts_file_addresses(&self, name: &Name) -> Vec<IpAddr> {
        let look_up = |kind| {
            let query = Query::query(name.clone(), kind);
            self.hosts.lookup_static_host(&query)
        };
        let found = [look_up(RecordType::A), look_up(RecordType::AAAA)];
        found.iter().flatten().flat_map(ip_addresses).collect()
    }

    /// Queries IPv4 and IPv6 addresses at the same time.
    async fn query_dns(&self, name: Name) -> Result<Vec<IpAddr>, DnsError> {
        let mut v6 = pin!(self.dns.lookup(name.clone(), RecordType::AAAA));
        let mut v4 = pin!(self.dns.lookup(name, RecordType::A));
        let (v6, v4) = tokio::select! {
            v6 = &mut v6 => { let v4 = second_lookup(&v6, v4).await; (v6, v4) }
            v4 = &mut v4 => (second_lookup(&v4, v6).await, v4),
        };
        let addresses: Vec<IpAddr> =
            [&v6, &v4].into_iter().flatten().flat_map(ip_addresses).collect();
        if addresses.is_empty() {
            return Err(less_conclusive(dns_error(&v6), dns_error(&v4)));
        }
        Ok(addresses)
    }
}

/// Waits for the second lookup after the first has finished. If the first
/// returned addresses, the wait is limited to [`RESOLUTION_DELAY`], and
/// addresses that arrive later are not used.
async fn second_lookup(
    first: &Result<Lookup, NetError>,
    second: impl Future<Output = Result<Lookup, NetError>>,
) -> Result<Lookup, NetError> {
    let has_addresses = first.as_ref().is_ok_and(|lookup| !ip_addresses(lookup).is_empty());
    if !has_addresses {
        return second.await;
    }
    timeout(RESOLUTION_DELAY, second).await.unwrap_or(Err(NetError::Timeout))
}

fn ip_addresses(lookup: &Lookup) -> Vec<IpAddr> {
    let records = lookup.answers().iter();
    records.filter_map(|record| record.data.ip_addr()).collect()
}

/// Returns the reason why a lookup gave no address.
fn dns_error(result: &Result<Lookup, NetError>) -> DnsError {
    match result {
        Ok(_) => DnsError::NoRecords,
        Err(error) => outcome::from_dns_error(error),
    }
}

/// Returns the error that proves less about the host. For example, "no IPv6 records"
/// proves nothing if the IPv4 query failed.
fn less_conclusive(first: DnsError, second: DnsError) -> DnsError {
    let uncertainty = |error: &DnsError| match error {
        DnsError::TimedOut => 3,
        DnsError::ServerFailure => 2,
        DnsError::NoSuchName => 1,
        DnsError::NoRecords => 0,
    };
    [first, second].into_iter().max_by_key(uncertainty).unwrap_or(first)
}

/// Alternates IPv4 and IPv6 addresses (RFC 8305, section 4). The first address remains the first.
/// If one of the address families does not work, connecting then needs one additional attempt
/// instead of many.
fn interleave(addresses: Vec<IpAddr>) -> Vec<IpAddr> {
    if addresses.len() < 2 {
        return addresses;
    }
    let starts_with_v6 = addresses[0].is_ipv6();
    let (first, second): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|address| address.is_ipv6() == starts_with_v6);
    let mut second = second.into_iter();
    let mut mixed = Vec::with_capacity(first.len() + second.len());
    for address in first {
        mixed.push(address);
        mixed.extend(second.next());
    }
    mixed.extend(second);
    mixed
}

/// Returns a configuration with this server only.
fn only_server(server: SocketAddr) -> ResolverConfig {
    let with_port = |mut connection: ConnectionConfig| {
        connection.port = server.port();
        connection
    };
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(with_port);
    let server = NameServerConfig::new(server.ip(), true, connections.into());
    ResolverConfig::from_name_servers(vec![server])
}

/// Returns the default of resolv.conf(5): a DNS server on the local machine.
fn local_machine() -> (ResolverConfig, ResolverOpts) {
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, 53));
    (only_server(server), ResolverOpts::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleave_alternates_families() {
        let parse = |text: &str| -> Vec<IpAddr> {
            text.split(' ').map(|part| part.parse().unwrap()).collect()
        };
        assert_eq!(
            interleave(parse("::1 ::2 ::3 1.0.0.1 1.0.0.2")),
            parse("::1 1.0.0.1 ::2 1.0.0.2 ::3")
        );
        assert_eq!(interleave(parse("1.0.0.1 1.0.0.2")), parse("1.0.0.1 1.0.0.2"));
        assert_eq!(interleave(parse("1.0.0.1 ::1 ::2")), parse("1.0.0.1 ::1 ::2"));
    }

    #[test]
    fn less_conclusive_prefers_failed_query_over_empty_response() {
        let error = less_conclusive(DnsError::NoRecords, DnsError::ServerFailure);
        assert_eq!(error, DnsError::ServerFailure);
        let error = less_conclusive(DnsError::TimedOut, DnsError::NoSuchName);
        assert_eq!(error, DnsError::TimedOut);
    }
}
