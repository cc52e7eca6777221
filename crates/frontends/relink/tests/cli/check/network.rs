//! Failures that are probably caused by the local network: most hosts fail at the same time, or
//! all hosts respond with the same page. Their pages are not dead, and the run exits with 3.

use std::net::{IpAddr, Ipv4Addr};

use relink_testkit::dns::{Dns, Reply};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::{CommandOutput, Sandbox};
use crate::servers::BackgroundServer;

/// The IP address of the web server.
const SERVER_IP: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A name server, a web server for all host names, and a project.
struct Network {
    dns: BackgroundServer<Dns>,
    web: TestServer,
    sandbox: Sandbox,
}

impl Network {
    /// Starts the servers. Paths that start with `/page` exist on all hosts.
    fn new() -> Self {
        let web = TestServer::start_blocking();
        web.respond_below_with("/", |request| {
            let text =
                format!("<title>{0}{1}</title><p>The page {1} of {0}.", request.host, request.path);
            let exists = request.path.starts_with("/page");
            CannedResponse::new(if exists { 200 } else { 404 }, text)
        });
        Self { dns: BackgroundServer::start(Dns::start()), web, sandbox: Sandbox::new() }
    }

    /// Returns the URL of a page on this host.
    fn url(&self, name: &str) -> String {
        format!("http://{name}:{}/page", self.web.port())
    }

    /// Returns URLs of hosts that respond.
    fn live_urls(&self, count: usize) -> Vec<String> {
        let mut urls = Vec::new();
        for number in 0..count {
            let name = format!("up{number}.test");
            self.dns.set_addresses(&name, &[SERVER_IP]);
            urls.push(self.url(&name));
        }
        urls
    }

    /// Returns URLs of hosts whose names do not exist.
    fn unknown_urls(&self, count: usize) -> Vec<String> {
        (0..count).map(|n| self.url(&format!("gone{n}.test"))).collect()
    }

    /// Checks URLs and prints JSON lines.
    fn check(&self, urls: &[&[String]]) -> CommandOutput {
        self.sandbox.write_urls("urls.txt", urls.concat());
        self.check_again(&["--format", "jsonl"])
    }

    /// Checks the same URLs as the last call of [`Self::check`].
    fn check_again(&self, args: &[&str]) -> CommandOutput {
        let server = self.dns.address().to_string();
        self.sandbox.check_human(&[&["--dns-server", &server, "urls.txt"], args].concat())
    }
}

/// Returns the number of rows with a verdict.
fn count(output: &CommandOutput, verdict: &str) -> usize {
    output.rows().results.iter().filter(|row| row["verdict"] == verdict).count()
}

#[test]
fn one_host_up_and_29_unknown_names_mean_an_unreliable_network() {
    let network = Network::new();
    let output = network.check(&[&network.unknown_urls(29), &network.live_urls(1)]).exits(3);
    assert_eq!(count(&output, "dead"), 0);
    assert_eq!(count(&output, "failing"), 29);
    assert_eq!(count(&output, "alive"), 1);
    assert!(output.stderr.contains("the local network is unreliable"), "{}", output.stderr);
    let output = network.check_again(&["--max-cache-age", "0"]).exits(3);
    let first = output.stdout.lines().next().unwrap();
    assert!(first.starts_with("! the local network is unreliable: 29 of 30 domains"), "{first}");
}

#[test]
fn unknown_names_are_not_dead_if_only_loopback_responds() {
    let network = Network::new();
    let loopback = [network.web.url("/page").to_string()];
    let output = network.check(&[&loopback, &network.unknown_urls(3)]).exits(3);
    assert_eq!(count(&output, "dead"), 0);
    assert_eq!(count(&output, "failing"), 3);
    assert_eq!(count(&output, "alive"), 1);
}

#[test]
fn failures_of_an_unreliable_network_are_not_cached() {
    let network = Network::new();
    for _ in 0..4 {
        let output = network.check(&[&network.unknown_urls(12), &network.live_urls(1)]).exits(3);
        assert_eq!(count(&output, "dead"), 0);
    }
    let output = network.check(&[&network.unknown_urls(12), &network.live_urls(4)]).exits(1);
    assert_eq!(count(&output, "dead"), 12);
    assert_eq!(count(&output, "alive"), 4);
}

#[test]
fn unknown_names_of_short_lists_are_dead() {
    for (up, gone) in [(1, 1), (1, 2), (2, 1), (2, 9), (3, 29)] {
        let network = Network::new();
        let output = network.check(&[&network.unknown_urls(gone), &network.live_urls(up)]).exits(1);
        assert_eq!(count(&output, "dead"), gone);
        assert_eq!(count(&output, "alive"), up);
    }
    let network = Network::new();
    let loopback = [network.web.url("/page").to_string()];
    let output = network.check(&[&loopback, &network.unknown_urls(1)]).exits(1);
    assert_eq!(count(&output, "dead"), 1);
}

#[test]
fn failure_of_all_dns_lookups_means_an_unreliable_network() {
    let network = Network::new();
    let loopback = [network.web.url("/page").to_string()];
    let names: Vec<String> = (0..5).map(|n| format!("lost{n}.test")).collect();
    for name in &names {
        network.dns.set_reply(name, Reply::Failure);
    }
    let urls: Vec<String> = names.iter().map(|name| network.url(name)).collect();
    let output = network.check(&[&loopback, &urls]).exits(3);
    assert_eq!(count(&output, "failing"), 5);
}

/// Returns a page that is too long to be taken for a notice that replaces the pages of a site.
fn advertising_page() -> String {
    let items = (0..200).map(|n| format!("<li>Offer {n}: a thing for {} coins</li>", 7 * n + 3));
    format!("<title>Great offers</title><h1>Buy today</h1><ul>{}</ul>", items.collect::<String>())
}

/// Starts a network whose captive portal responds for every host. Returns the network and URLs
/// of different hosts.
fn captive_portal(hosts: usize) -> (Network, Vec<String>) {
    let network = Network::new();
    network.web.respond_below("/", CannedResponse::new(200, advertising_page()));
    network.dns.resolve_everything(&[SERVER_IP]);
    let urls = (0..hosts).map(|n| network.url(&format!("host{n}.test"))).collect();
    (network, urls)
}

#[test]
fn pages_behind_a_captive_portal_are_not_soft_404s() {
    for hosts in [2, 5, 60] {
        let (network, urls) = captive_portal(hosts);
        let output = network.check(&[&urls]).exits(3);
        assert_eq!(count(&output, "soft-404"), 0, "{hosts}");
        assert_eq!(count(&output, "failing"), hosts, "{hosts}");
        assert!(output.stderr.contains("respond with the same page"), "{}", output.stderr);
    }
}

#[test]
fn single_host_that_serves_one_page_for_all_paths_is_soft_404() {
    let network = Network::new();
    network.web.respond_below("/", CannedResponse::new(200, advertising_page()));
    network.dns.set_addresses("shop.test", &[SERVER_IP]);
    let output = network.check(&[&[network.url("shop.test")]]).exits(1);
    assert_eq!(count(&output, "soft-404"), 1);
}

#[test]
fn parked_domains_among_live_ones_are_hijacked() {
    let network = Network::new();
    let parked: Vec<String> = (0..6).map(|n| format!("parked{n}.test")).collect();
    for name in &parked {
        network.dns.set_addresses(name, &[SERVER_IP]);
        let body = format!(
            "<title>{name}</title><h1>{name} is for sale</h1><p>This domain is for sale. Buy this domain."
        );
        network.web.host(name).page("/page", 200, &body);
    }
    let urls: Vec<String> = parked.iter().map(|name| network.url(name)).collect();
    let output = network.check(&[&urls, &network.live_urls(6)]).exits(1);
    assert_eq!(count(&output, "hijacked"), 6, "{}", output.stdout);
    assert_eq!(count(&output, "alive"), 6, "{}", output.stdout);
}
