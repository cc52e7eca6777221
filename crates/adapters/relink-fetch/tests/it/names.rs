//! The fates of a host name.

use std::net::{IpAddr, Ipv4Addr};

use relink_fetch::FetchSettings;
use relink_ports::Fetch;
use relink_testkit::dns::{Dns, Reply};
use relink_testkit::web::TestServer;
use url::Url;

use crate::{client, ending, impatient, named};

async fn check(reply: Reply, settings: FetchSettings, expect: &str) {
    let dns = Dns::start().await;
    dns.say("a.test", reply.clone());
    let client = client(FetchSettings { dns_server: Some(dns.address()), ..settings });
    let fetched = named(&client, Url::parse("http://a.test/").unwrap()).await;
    assert_eq!(ending(&fetched), expect, "{reply:?}");
    assert!(dns.asked("a.test") > 0);
}

#[tokio::test]
async fn the_fates_of_a_name_are_told_apart() {
    let settings = FetchSettings::default;
    check(Reply::NoSuchName, settings(), "no such host").await;
    check(Reply::Addresses(Vec::new()), settings(), "the host name has no address").await;
    check(Reply::Failure, settings(), "the name server failed").await;
    check(Reply::Refusal, settings(), "the name server failed").await;
    check(Reply::Silence, impatient(), "no name server answered in time").await;
}

#[tokio::test]
async fn a_name_is_asked_at_its_address() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    dns.addresses("a.test", &[Ipv4Addr::LOCALHOST.into()]);
    web.host("a.test").page("/", 200, "a");
    let client =
        client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() });
    let fetched = named(&client, web.url_at("a.test", "/")).await;
    assert_eq!(ending(&fetched), "answered 200");
    assert_eq!(fetched.hops[0].ip, Some(Ipv4Addr::LOCALHOST.into()));
}

#[tokio::test]
async fn special_names_never_reach_the_name_server() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    web.page("/", 200, "here");
    let client =
        client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() });
    for (host, expect) in [
        ("localhost", "answered 200"),
        ("a.localhost", "answered 200"),
        ("LOCALHOST.", "answered 200"),
        ("a.invalid", "no such host"),
    ] {
        let fetched = named(&client, web.url_at(host, "/")).await;
        assert_eq!(ending(&fetched), expect, "{host}");
        assert_eq!(dns.asked(&host.to_lowercase()), 0, "{host}");
    }
}

#[tokio::test]
async fn an_override_comes_before_the_name_server() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    web.page("/", 200, "here");
    let given = format!("a.test:{}:127.0.0.1", web.port());
    let client = client(FetchSettings {
        dns_server: Some(dns.address()),
        resolve: vec![given.parse().unwrap()],
        ..FetchSettings::default()
    });
    let fetched = named(&client, web.url_at("a.test", "/")).await;
    assert_eq!(ending(&fetched), "answered 200");
    assert_eq!(dns.asked("a.test"), 0);
}

#[tokio::test]
async fn a_host_is_located_without_asking_it() {
    let dns = Dns::start().await;
    let address: IpAddr = "192.0.2.7".parse().unwrap();
    dns.addresses("a.test", &[address]);
    let client =
        client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() });
    let locate = async |url| client.resolve_ip(&Url::parse(url).unwrap()).await;
    assert_eq!(locate("http://a.test/").await, Some(address));
    assert_eq!(locate("http://192.0.2.8/").await, "192.0.2.8".parse().ok());
    assert_eq!(locate("http://b.test/").await, None);
}
