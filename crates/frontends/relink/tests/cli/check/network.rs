//! Failures that are more probably those of our own network.

use std::net::{IpAddr, Ipv4Addr};

use relink_testkit::dns::{Dns, Reply};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::desk::{Desk, Said};
use crate::servers::Beside;

const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A name server, a web server that all its names lead to, and a project.
struct Network {
    dns: Beside<Dns>,
    web: TestServer,
    desk: Desk,
}

impl Network {
    fn new() -> Self {
        let web = TestServer::start_blocking();
        web.made_below("/", |seen| {
            let text =
                format!("<title>{0}{1}</title><p>The page {1} of {0}.", seen.host, seen.path);
            let is_there = seen.path.starts_with("/page");
            CannedResponse::new(if is_there { 200 } else { 404 }, text)
        });
        Self { dns: Beside::start(Dns::start()), web, desk: Desk::new() }
    }

    /// The URL of a page on a host of this name.
    fn url(&self, name: &str) -> String {
        format!("http://{name}:{}/page", self.web.port())
    }

    /// URLs of hosts that answer.
    fn up(&self, count: usize) -> Vec<String> {
        let names = (0..count).map(|n| format!("up{n}.test"));
        names
            .map(|name| {
                self.dns.addresses(&name, &[HOME]);
                self.url(&name)
            })
            .collect()
    }

    /// URLs of hosts whose names do not exist.
    fn gone(&self, count: usize) -> Vec<String> {
        (0..count).map(|n| self.url(&format!("gone{n}.test"))).collect()
    }

    fn check(&self, urls: &[&[String]]) -> Said {
        self.desk.list("urls.txt", urls.concat());
        self.run(&["--format", "jsonl"])
    }

    fn run(&self, args: &[&str]) -> Said {
        let server = self.dns.address().to_string();
        self.desk.report(&[&["--dns-server", &server, "urls.txt"], args].concat())
    }
}

fn count(said: &Said, verdict: &str) -> usize {
    said.rows().0.iter().filter(|row| row["verdict"] == verdict).count()
}

#[test]
fn check_with_one_host_up_and_29_unknown_names_doubts_the_network() {
    let network = Network::new();
    let said = network.check(&[&network.gone(29), &network.up(1)]).exits(3);
    assert_eq!((count(&said, "dead"), count(&said, "failing"), count(&said, "alive")), (0, 29, 1));
    assert!(said.stderr.contains("our own network is in doubt"), "{}", said.stderr);
    let said = network.run(&["--max-age", "0"]).exits(3);
    let first = said.stdout.lines().next().unwrap();
    assert!(first.starts_with("! our own network is in doubt: 29 of 30 domains"), "{first}");
}

#[test]
fn check_with_only_loopback_up_does_not_call_unknown_names_dead() {
    let network = Network::new();
    let home = [network.web.url("/page").to_string()];
    let said = network.check(&[&home, &network.gone(3)]).exits(3);
    assert_eq!((count(&said, "dead"), count(&said, "failing"), count(&said, "alive")), (0, 3, 1));
}

#[test]
fn check_does_not_remember_failures_in_doubt() {
    let network = Network::new();
    for _ in 0..4 {
        let said = network.check(&[&network.gone(12), &network.up(1)]).exits(3);
        assert_eq!(count(&said, "dead"), 0);
    }
    let said = network.check(&[&network.gone(12), &network.up(4)]).exits(1);
    assert_eq!((count(&said, "dead"), count(&said, "alive")), (12, 4));
}

#[test]
fn check_of_short_lists_calls_unknown_names_dead() {
    for (up, gone) in [(1, 1), (1, 2), (2, 1), (2, 9), (3, 29)] {
        let network = Network::new();
        let said = network.check(&[&network.gone(gone), &network.up(up)]).exits(1);
        assert_eq!((count(&said, "dead"), count(&said, "alive")), (gone, up));
    }
    let network = Network::new();
    let home = [network.web.url("/page").to_string()];
    let said = network.check(&[&home, &network.gone(1)]).exits(1);
    assert_eq!(count(&said, "dead"), 1);
}

#[test]
fn check_while_name_server_fails_for_all_names_doubts_the_network() {
    let network = Network::new();
    let home = [network.web.url("/page").to_string()];
    let names: Vec<String> = (0..5).map(|n| format!("lost{n}.test")).collect();
    for name in &names {
        network.dns.say(name, Reply::Failure);
    }
    let urls: Vec<String> = names.iter().map(|name| network.url(name)).collect();
    let said = network.check(&[&home, &urls]).exits(3);
    assert_eq!(count(&said, "failing"), 5);
}

/// A page that is long enough not to be taken for a notice.
fn advertising() -> String {
    let goods = (0..200).map(|n| format!("<li>Offer {n}: a thing for {} coins</li>", 7 * n + 3));
    format!("<title>Great offers</title><h1>Buy today</h1><ul>{}</ul>", goods.collect::<String>())
}

/// A portal answers every host with its page.
fn portal(hosts: usize) -> (Network, Vec<String>) {
    let network = Network::new();
    network.web.below("/", CannedResponse::new(200, advertising()));
    network.dns.resolve_everything(&[HOME]);
    let urls = (0..hosts).map(|n| network.url(&format!("host{n}.test"))).collect();
    (network, urls)
}

#[test]
fn check_behind_a_captive_portal_finds_no_soft_404s() {
    for hosts in [2, 5, 60] {
        let (network, urls) = portal(hosts);
        let said = network.check(&[&urls]).exits(3);
        assert_eq!((count(&said, "soft-404"), count(&said, "failing")), (0, hosts), "{hosts}");
        assert!(said.stderr.contains("one and the same page"), "{}", said.stderr);
    }
}

#[test]
fn check_of_one_host_that_answers_everything_finds_its_soft_404() {
    let network = Network::new();
    network.web.below("/", CannedResponse::new(200, advertising()));
    network.dns.addresses("shop.test", &[HOME]);
    let said = network.check(&[&[network.url("shop.test")]]).exits(1);
    assert_eq!(count(&said, "soft-404"), 1);
}

#[test]
fn check_of_parked_domains_among_others_calls_them_hijacked() {
    let network = Network::new();
    let parked: Vec<String> = (0..6).map(|n| format!("parked{n}.test")).collect();
    for name in &parked {
        network.dns.addresses(name, &[HOME]);
        let body = format!(
            "<title>{name}</title><h1>{name} is for sale</h1><p>This domain is for sale. Buy this domain."
        );
        network.web.host(name).page("/page", 200, &body);
    }
    let urls: Vec<String> = parked.iter().map(|name| network.url(name)).collect();
    let said = network.check(&[&urls, &network.up(6)]).exits(1);
    assert_eq!((count(&said, "hijacked"), count(&said, "alive")), (6, 6), "{}", said.stdout);
}
