//! Finds the addresses of a host: one place, one order.
//!
//! Literal addresses and overrides first, then the names that never reach a
//! name server (RFC 6761), then the hosts file, then DNS. Whether an address
//! may be asked is not decided here.

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

/// Answers kept in memory; each is some hundred bytes.
const CACHE_SIZE: u64 = 4096;

/// The longest wait for one name server before the question is put again.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long the addresses of one family wait for those of the other. RFC 8305,
/// section 3, has 50 ms for browsers; here a complete answer, which the
/// address policy rules on as a whole, is worth more.
const RESOLUTION_DELAY: Duration = Duration::from_millis(500);

/// Finds addresses.
pub(crate) struct Resolver {
    overrides: Vec<ResolveOverride>,
    hosts: Hosts,
    dns: TokioResolver,
}

impl Resolver {
    /// Reads the system's configuration, unless `settings` name a server.
    pub fn new(settings: &FetchSettings) -> Result<Self, SetupError> {
        let (config, mut options) = match settings.dns_server {
            Some(server) => (only(server), ResolverOpts::default()),
            None => system_conf::read_system_conf().unwrap_or_else(|_| local_machine()),
        };
        options.cache_size = CACHE_SIZE;
        options.preserve_intermediates = false;
        // We read the hosts file ourselves: the resolver would still ask DNS
        // for the IPv6 half of a host that has only an IPv4 line there.
        options.use_hosts_file = ResolveHosts::Never;
        options.timeout = PATIENCE.min(settings.timeout / 2);
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

    /// The addresses of a URL's host, in the order to try them; never empty.
    pub async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, DnsError> {
        let port = url.port_or_known_default().unwrap_or_default();
        let found = self.hosts_addresses(url, port).await?;
        let found = interleave(found);
        Ok(found.into_iter().map(|it| SocketAddr::new(it, port)).collect())
    }

    async fn hosts_addresses(&self, url: &Url, port: u16) -> Result<Vec<IpAddr>, DnsError> {
        let host = url.host().ok_or(DnsError::NoSuchName)?;
        let spelled = url.host_str().unwrap_or_default();
        if let Some(given) = self.overrides.iter().find(|it| it.is_for(spelled, port)) {
            return Ok(given.addresses.clone());
        }
        match host {
            Host::Ipv4(address) => Ok(vec![address.into()]),
            Host::Ipv6(address) => Ok(vec![address.into()]),
            Host::Domain(name) => self.look_up(name.strip_suffix('.').unwrap_or(name)).await,
        }
    }

    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, DnsError> {
        let last_label = name.rsplit('.').next().unwrap_or(name);
        match last_label {
            // RFC 6761, section 6.3: always loopback, never asked.
            "localhost" => return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]),
            // RFC 6761, section 6.4: guaranteed not to exist, never asked.
            "invalid" => return Err(DnsError::NoSuchName),
            _ => {}
        }
        let mut name = Name::from_utf8(name).map_err(|_| DnsError::NoSuchName)?;
        // A dotted name means itself; the search list is for bare ones.
        name.set_fqdn(name.num_labels() > 1);
        match self.in_hosts_file(&name) {
            listed if !listed.is_empty() => Ok(listed),
            _ => self.ask_dns(name).await,
        }
    }

    fn in_hosts_file(&self, name: &Name) -> Vec<IpAddr> {
        let listed = |kind| {
            let query = Query::query(name.clone(), kind);
            self.hosts.lookup_static_host(&query)
        };
        let found = [listed(RecordType::A), listed(RecordType::AAAA)];
        found.iter().flatten().flat_map(ips).collect()
    }

    async fn ask_dns(&self, name: Name) -> Result<Vec<IpAddr>, DnsError> {
        let mut v6 = pin!(self.dns.lookup(name.clone(), RecordType::AAAA));
        let mut v4 = pin!(self.dns.lookup(name, RecordType::A));
        let (v6, v4) = tokio::select! {
            v6 = &mut v6 => { let v4 = other_family(&v6, v4).await; (v6, v4) }
            v4 = &mut v4 => (other_family(&v4, v6).await, v4),
        };
        let found: Vec<IpAddr> = [&v6, &v4].into_iter().flatten().flat_map(ips).collect();
        if found.is_empty() {
            return Err(more_severe(error_of(&v6), error_of(&v4)));
        }
        Ok(found)
    }
}

/// The answer for one family after that for the other. Once there are
/// addresses to use, a name server that is silent about the others does not
/// hold them up; addresses that come later are not used.
async fn other_family(
    first: &Result<Lookup, NetError>,
    second: impl Future<Output = Result<Lookup, NetError>>,
) -> Result<Lookup, NetError> {
    let has_addresses = first.as_ref().is_ok_and(|lookup| !ips(lookup).is_empty());
    if !has_addresses {
        return second.await;
    }
    timeout(RESOLUTION_DELAY, second).await.unwrap_or(Err(NetError::Timeout))
}

fn ips(lookup: &Lookup) -> Vec<IpAddr> {
    let answers = lookup.answers().iter();
    answers.filter_map(|record| record.data.ip_addr()).collect()
}

fn error_of(answer: &Result<Lookup, NetError>) -> DnsError {
    match answer {
        Ok(_) => DnsError::NoRecords,
        Err(error) => outcome::of_dns(error),
    }
}

/// Of the fates of the two questions, the one that leaves more open: "no
/// IPv6" says nothing final while the question for IPv4 failed.
fn more_severe(one: DnsError, other: DnsError) -> DnsError {
    let openness = |error: &DnsError| match error {
        DnsError::TimedOut => 3,
        DnsError::ServerFailure => 2,
        DnsError::NoSuchName => 1,
        DnsError::NoRecords => 0,
    };
    [one, other].into_iter().max_by_key(openness).unwrap_or(one)
}

/// Alternates the families, starting with the first one named (RFC 8305,
/// section 4), so that a broken family costs one attempt and not all.
fn interleave(found: Vec<IpAddr>) -> Vec<IpAddr> {
    if found.len() < 2 {
        return found;
    }
    let starts_with_v6 = found[0].is_ipv6();
    let (first, second): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|address| address.is_ipv6() == starts_with_v6);
    let mut second = second.into_iter();
    let mut mixed = Vec::with_capacity(first.len() + second.len());
    for address in first {
        mixed.push(address);
        mixed.extend(second.next());
    }
    mixed.extend(second);
    mixed
}

/// Asks this server and no other.
fn only(server: SocketAddr) -> ResolverConfig {
    let with_port = |mut connection: ConnectionConfig| {
        connection.port = server.port();
        connection
    };
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(with_port);
    let server = NameServerConfig::new(server.ip(), true, connections.into());
    ResolverConfig::from_name_servers(vec![server])
}

/// What resolv.conf(5) says of a system without one: ask the local machine.
fn local_machine() -> (ResolverConfig, ResolverOpts) {
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, 53));
    (only(server), ResolverOpts::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns() {
        let parse =
            |text: &str| -> Vec<IpAddr> { text.split(' ').map(|it| it.parse().unwrap()).collect() };
        assert_eq!(
            interleave(parse("::1 ::2 ::3 1.0.0.1 1.0.0.2")),
            parse("::1 1.0.0.1 ::2 1.0.0.2 ::3")
        );
        assert_eq!(interleave(parse("1.0.0.1 1.0.0.2")), parse("1.0.0.1 1.0.0.2"));
        assert_eq!(interleave(parse("1.0.0.1 ::1 ::2")), parse("1.0.0.1 ::1 ::2"));
    }

    #[test]
    fn a_failed_question_outweighs_an_empty_answer() {
        let told = more_severe(DnsError::NoRecords, DnsError::ServerFailure);
        assert_eq!(told, DnsError::ServerFailure);
        let told = more_severe(DnsError::TimedOut, DnsError::NoSuchName);
        assert_eq!(told, DnsError::TimedOut);
    }
}
