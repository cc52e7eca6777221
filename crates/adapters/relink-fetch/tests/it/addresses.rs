//! Tests that discovered URLs and redirects never connect to private addresses. The
//! canary is a server that counts connections. It must not receive any request.

use std::net::IpAddr;

use relink_fetch::FetchSettings;
use relink_model::FetchOutcome;
use relink_testkit::canary::Canary;
use relink_testkit::dns::{Dns, Reply};
use relink_testkit::web::TestServer;
use url::Url;

use crate::{client, fetch_discovered, fetch_user_supplied, outcome};

/// All notations of loopback addresses. The canary listens on each of them.
pub(super) const LOOPBACK: [&str; 20] = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0x7F.0x0.0x0.0x1",
    "017700000001",
    "0177.0.0.01",
    "127.000.000.001",
    "%31%32%37.0.0.1",
    "①②⑦.0.0.1",
    "127。0。0。1",
    "0.0.0.0",
    "0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
];

/// At least one address of every private or special-purpose range.
pub(super) const PRIVATE: [&str; 40] = [
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "100.64.0.1",
    "0.1.2.3",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "127.255.255.254",
    "[::127.0.0.1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b:1::1]",
    "[100::1]",
    "[2001::1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[2002:a00:1::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[fc00::1]",
    "[fd12:3456::1]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[ffff::1]",
];

#[tokio::test]
async fn redirect_to_private_address_is_blocked() {
    let (web, canary) = (TestServer::start().await, Canary::start().await);
    let client = client(FetchSettings::default());
    for host in LOOPBACK.into_iter().chain(PRIVATE) {
        let location = format!("http://{host}:{}/secret", canary.port());
        for location in [location.clone(), location.replace("http:", "https:")] {
            web.redirect("/leave", 302, &location);
            let result = fetch_user_supplied(&client, web.url("/leave")).await;
            assert!(
                matches!(result.outcome, FetchOutcome::PrivateAddress(_)),
                "{location}: {}",
                outcome(&result)
            );
            assert_eq!(result.hops.len(), 1, "{location}");
        }
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn discovered_private_address_is_blocked() {
    let canary = Canary::start().await;
    let client = client(FetchSettings::default());
    for host in LOOPBACK.into_iter().chain(PRIVATE) {
        let url = Url::parse(&format!("http://{host}:{}/", canary.port())).unwrap();
        let result = fetch_discovered(&client, url).await;
        assert!(
            matches!(result.outcome, FetchOutcome::PrivateAddress(_)),
            "{host}: {}",
            outcome(&result)
        );
        assert!(result.hops.is_empty());
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn ambiguous_locations_resolve_to_the_blocked_host() {
    let (web, canary) = (TestServer::start().await, Canary::start().await);
    let client = client(FetchSettings::default());
    let port = canary.port();
    for location in [
        format!("http://example.org@127.0.0.1:{port}/"),
        format!(r"http://127.0.0.1:{port}\@example.org/"),
        format!("http:/\\127.0.0.1:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}#@example.org/"),
        format!("http://127.0.0.1:{port}?@example.org/"),
    ] {
        web.redirect("/leave", 302, &location);
        let result = fetch_user_supplied(&client, web.url("/leave")).await;
        assert_eq!(outcome(&result), "resolves to the private address 127.0.0.1", "{location}");
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn user_supplied_url_may_be_private() {
    let web = TestServer::start().await;
    web.page("/", 200, "home");
    let client = client(FetchSettings::default());
    assert_eq!(outcome(&fetch_user_supplied(&client, web.url("/")).await), "status 200");
    assert_eq!(
        outcome(&fetch_user_supplied(&client, web.url_at("localhost", "/")).await),
        "status 200"
    );
}

#[tokio::test]
async fn redirect_may_stay_on_user_supplied_private_host() {
    let web = TestServer::start().await;
    web.redirect("/old", 301, "/new").page("/new", 200, "here");
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/old")).await;
    assert_eq!(outcome(&result), "status 200");
}

#[tokio::test]
async fn redirect_via_another_host_loses_private_access() {
    let (web, other) = (TestServer::start().await, TestServer::start().await);
    // The chain leaves the user-supplied host and returns to it.
    let home = web.url("/home");
    web.redirect("/leave", 302, other.url("/back").as_str());
    other.redirect("/back", 302, home.as_str());
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/leave")).await;
    assert_eq!(outcome(&result), "resolves to the private address 127.0.0.1");
    assert_eq!((other.connections(), web.hits("/home")), (0, 0));
}

#[tokio::test]
async fn private_addresses_can_be_allowed() {
    let (web, other) = (TestServer::start().await, TestServer::start().await);
    web.redirect("/leave", 302, other.url("/there").as_str());
    other.page("/there", 200, "there");
    let client = client(FetchSettings { allow_private: true, ..FetchSettings::default() });
    assert_eq!(outcome(&fetch_discovered(&client, web.url("/leave")).await), "status 200");
}

#[tokio::test]
async fn pooled_connection_does_not_bypass_the_policy() {
    let web = TestServer::start().await;
    web.page("/", 200, "home");
    let client = client(FetchSettings::default());
    assert_eq!(outcome(&fetch_user_supplied(&client, web.url("/")).await), "status 200");
    // The connection is now in the pool.
    let result = fetch_discovered(&client, web.url("/")).await;
    assert_eq!(outcome(&result), "resolves to the private address 127.0.0.1");
    assert_eq!(web.hits("/"), 1);
}

#[tokio::test]
async fn one_private_address_blocks_all_addresses_of_a_name() {
    let (web, canary) = (TestServer::start().await, Canary::start().await);
    let port = canary.port();
    let mixed = format!("mixed.test:{port}:127.0.0.1,8.8.8.8,[::1]");
    let client =
        client(FetchSettings { resolve: vec![mixed.parse().unwrap()], ..FetchSettings::default() });
    let url = Url::parse(&format!("http://mixed.test:{port}/")).unwrap();
    web.redirect("/leave", 302, url.as_str());
    for result in [
        fetch_discovered(&client, url).await,
        fetch_user_supplied(&client, web.url("/leave")).await,
    ] {
        assert!(matches!(result.outcome, FetchOutcome::PrivateAddress(_)), "{}", outcome(&result));
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn names_with_private_addresses_are_always_blocked() {
    let (dns, canary) = (Dns::start().await, Canary::start().await);
    let ip = |text: &str| text.parse::<IpAddr>().unwrap();
    dns.set_addresses("inner.test", &[ip("127.0.0.1")]);
    dns.set_addresses("mixed.test", &[ip("8.8.8.8"), ip("127.0.0.1")]);
    dns.set_addresses("mixed6.test", &[ip("8.8.8.8"), ip("::1")]);
    dns.cycle_replies(
        "flip.test",
        ["127.0.0.1", "169.254.169.254"].map(|address| Reply::Addresses(vec![ip(address)])),
    );
    let client =
        client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() });
    for _ in 0..50 {
        for name in ["inner.test", "mixed.test", "mixed6.test", "flip.test"] {
            let url = Url::parse(&format!("http://{name}:{}/", canary.port())).unwrap();
            let result = fetch_discovered(&client, url).await;
            assert!(
                matches!(result.outcome, FetchOutcome::PrivateAddress(_)),
                "{name}: {}",
                outcome(&result)
            );
        }
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn name_is_resolved_and_checked_for_each_hop() {
    let (web, dns) = (TestServer::start().await, Dns::start().await);
    let ip = |text: &str| Reply::Addresses(vec![text.parse().unwrap()]);
    dns.cycle_replies("flip.test", [ip("127.0.0.1"), ip("169.254.169.254")]);
    // The server closes the connection, so the second hop resolves the name
    // again. The other port ends the permission for user-supplied hosts.
    let closing = relink_testkit::web::CannedResponse::redirect(302, "http://flip.test:81/")
        .with_header("Connection", "close");
    web.respond("/", closing);
    let client =
        client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() });
    let result = fetch_user_supplied(&client, web.url_at("flip.test", "/")).await;
    assert_eq!(outcome(&result), "resolves to the private address 169.254.169.254");
}
