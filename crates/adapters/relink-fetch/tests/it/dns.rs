//! Tests of DNS resolution.

use std::net::{IpAddr, Ipv4Addr};

use relink_fetch::FetchSettings;
use relink_ports::Fetch;
use relink_testkit::dns::{Dns, Reply};
use relink_testkit::web::TestServer;
use url::Url;

use crate::{client, fetch_user_supplied, outcome, short_timeout};

/// Checks the outcome of a fetch if the DNS server sends this reply.
async fn check(reply: Reply, settings: FetchSettings, expect: &str) {
    let dns = Dns::start().await;
    dns.set_reply("a.test", reply.clone());
    let client = client(FetchSettings { dns_server: Some(dns.address()), ..settings });
    let result = fetch_user_supplied(&client, Url::parse("http://a.test/").unwrap()).await;
    assert_eq!(outcome(&result), expect, "{reply:?}");
    assert!(dns.query_count("a.test") > 0);
}

#[tokio::test]
async fn dns_errors_are_distinguished() {
    let settings = FetchSettings::default;
    check(Reply::NoSuchName, settings(), "no such host").await;
    check(Reply::Addresses(Vec::new()), settings(), "host has no address record").await;
    check(Reply::Failure, settings(), "name server failure").await;
    check(Reply::Refused, settings(), "name server failure").await;
    check(Reply::NoResponse, short_timeout(), "DNS lookup timed out").await;
}

#[tokio::test]
async fn name_is_resolved_with_dns() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    dns.set_addresses("a.test", &[Ipv4Addr::LOCALHOST.into()]);
    web.host("a.test").page("/", 200, "a");
    let client =
        client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() });
    let result = fetch_user_supplied(&client, web.url_at("a.test", "/")).await;
    assert_eq!(outcome(&result), "status 200");
    assert_eq!(result.hops[0].ip, Some(Ipv4Addr::LOCALHOST.into()));
}

#[tokio::test]
async fn special_names_are_not_sent_to_dns() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    web.page("/", 200, "here");
    let client =
        client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() });
    for (host, expect) in [
        ("localhost", "status 200"),
        ("a.localhost", "status 200"),
        ("LOCALHOST.", "status 200"),
        ("a.invalid", "no such host"),
    ] {
        let result = fetch_user_supplied(&client, web.url_at(host, "/")).await;
        assert_eq!(outcome(&result), expect, "{host}");
        assert_eq!(dns.query_count(&host.to_lowercase()), 0, "{host}");
    }
}

#[tokio::test]
async fn override_takes_precedence_over_dns() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    web.page("/", 200, "here");
    let override_text = format!("a.test:{}:127.0.0.1", web.port());
    let client = client(FetchSettings {
        dns_server: Some(dns.address()),
        resolve: vec![override_text.parse().unwrap()],
        ..FetchSettings::default()
    });
    let result = fetch_user_supplied(&client, web.url_at("a.test", "/")).await;
    assert_eq!(outcome(&result), "status 200");
    assert_eq!(dns.query_count("a.test"), 0);
}

#[tokio::test]
async fn resolve_ip_does_not_contact_the_host() {
    let dns = Dns::start().await;
    let address: IpAddr = "192.0.2.7".parse().unwrap();
    dns.set_addresses("a.test", &[address]);
    let client =
        client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() });
    let resolve = async |url| client.resolve_ip(&Url::parse(url).unwrap()).await;
    assert_eq!(resolve("http://a.test/").await, Some(address));
    assert_eq!(resolve("http://192.0.2.8/").await, "192.0.2.8".parse().ok());
    assert_eq!(resolve("http://b.test/").await, None);
}
