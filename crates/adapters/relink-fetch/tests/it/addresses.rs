//! No page and no redirect leads into a private address.

use std::net::IpAddr;

use relink_fetch::FetchSettings;
use relink_model::FetchOutcome;
use relink_testkit::canary::Canary;
use relink_testkit::dns::{Dns, Reply};
use relink_testkit::web::TestServer;
use url::Url;

use crate::{client, ending, found, named};

/// Every spelling of a loopback address: the canary sits behind all of them.
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

/// One address or more of every private or special range.
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
async fn no_redirect_leads_into_a_private_address() {
    let (web, canary) = (TestServer::start().await, Canary::start().await);
    let client = client(FetchSettings::default());
    for host in LOOPBACK.into_iter().chain(PRIVATE) {
        let location = format!("http://{host}:{}/secret", canary.port());
        for location in [location.clone(), location.replace("http:", "https:")] {
            web.redirect("/leave", 302, &location);
            let fetched = named(&client, web.url("/leave")).await;
            assert!(
                matches!(fetched.outcome, FetchOutcome::PrivateAddress(_)),
                "{location}: {}",
                ending(&fetched)
            );
            assert_eq!(fetched.hops.len(), 1, "{location}");
        }
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn no_page_leads_into_a_private_address() {
    let canary = Canary::start().await;
    let client = client(FetchSettings::default());
    for host in LOOPBACK.into_iter().chain(PRIVATE) {
        let url = Url::parse(&format!("http://{host}:{}/", canary.port())).unwrap();
        let fetched = found(&client, url).await;
        assert!(
            matches!(fetched.outcome, FetchOutcome::PrivateAddress(_)),
            "{host}: {}",
            ending(&fetched)
        );
        assert!(fetched.hops.is_empty());
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn a_second_parser_would_not_see_another_host() {
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
        let fetched = named(&client, web.url("/leave")).await;
        assert_eq!(ending(&fetched), "leads to the private address 127.0.0.1", "{location}");
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn what_the_user_names_may_be_private() {
    let web = TestServer::start().await;
    web.page("/", 200, "home");
    let client = client(FetchSettings::default());
    assert_eq!(ending(&named(&client, web.url("/")).await), "answered 200");
    assert_eq!(ending(&named(&client, web.url_at("localhost", "/")).await), "answered 200");
}

#[tokio::test]
async fn a_redirect_may_stay_on_the_host_and_port_the_user_named() {
    let web = TestServer::start().await;
    web.redirect("/old", 301, "/new").page("/new", 200, "here");
    let fetched = named(&client(FetchSettings::default()), web.url("/old")).await;
    assert_eq!(ending(&fetched), "answered 200");
}

#[tokio::test]
async fn the_way_back_from_elsewhere_is_not_named_any_more() {
    let (web, other) = (TestServer::start().await, TestServer::start().await);
    let back = web.url("/home");
    web.redirect("/leave", 302, other.url("/back").as_str());
    other.redirect("/back", 302, back.as_str());
    let fetched = named(&client(FetchSettings::default()), web.url("/leave")).await;
    assert_eq!(ending(&fetched), "leads to the private address 127.0.0.1");
    assert_eq!((other.connections(), web.hits("/home")), (0, 0));
}

#[tokio::test]
async fn private_addresses_can_be_allowed() {
    let (web, other) = (TestServer::start().await, TestServer::start().await);
    web.redirect("/leave", 302, other.url("/there").as_str());
    other.page("/there", 200, "there");
    let client = client(FetchSettings { allow_private: true, ..FetchSettings::default() });
    assert_eq!(ending(&found(&client, web.url("/leave")).await), "answered 200");
}

#[tokio::test]
async fn a_kept_connection_is_no_way_around() {
    let web = TestServer::start().await;
    web.page("/", 200, "home");
    let client = client(FetchSettings::default());
    assert_eq!(ending(&named(&client, web.url("/")).await), "answered 200");
    let fetched = found(&client, web.url("/")).await;
    assert_eq!(ending(&fetched), "leads to the private address 127.0.0.1");
    assert_eq!(web.hits("/"), 1);
}

#[tokio::test]
async fn one_private_address_among_public_ones_bars_them_all() {
    let (web, canary) = (TestServer::start().await, Canary::start().await);
    let port = canary.port();
    let mixed = format!("mixed.test:{port}:127.0.0.1,8.8.8.8,[::1]");
    let client =
        client(FetchSettings { resolve: vec![mixed.parse().unwrap()], ..FetchSettings::default() });
    let url = Url::parse(&format!("http://mixed.test:{port}/")).unwrap();
    web.redirect("/leave", 302, url.as_str());
    for fetched in [found(&client, url).await, named(&client, web.url("/leave")).await] {
        assert!(matches!(fetched.outcome, FetchOutcome::PrivateAddress(_)), "{}", ending(&fetched));
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn names_that_lead_into_private_addresses_are_barred_each_time() {
    let (dns, canary) = (Dns::start().await, Canary::start().await);
    let ip = |text: &str| text.parse::<IpAddr>().unwrap();
    dns.addresses("inner.test", &[ip("127.0.0.1")]);
    dns.addresses("mixed.test", &[ip("8.8.8.8"), ip("127.0.0.1")]);
    dns.addresses("mixed6.test", &[ip("8.8.8.8"), ip("::1")]);
    dns.flip(
        "flip.test",
        ["127.0.0.1", "169.254.169.254"].map(|it| Reply::Addresses(vec![ip(it)])),
    );
    let client =
        client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() });
    for _ in 0..50 {
        for name in ["inner.test", "mixed.test", "mixed6.test", "flip.test"] {
            let url = Url::parse(&format!("http://{name}:{}/", canary.port())).unwrap();
            let fetched = found(&client, url).await;
            assert!(
                matches!(fetched.outcome, FetchOutcome::PrivateAddress(_)),
                "{name}: {}",
                ending(&fetched)
            );
        }
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn a_name_that_changes_its_address_between_hops_is_asked_anew() {
    let (web, dns) = (TestServer::start().await, Dns::start().await);
    let ip = |text: &str| Reply::Addresses(vec![text.parse().unwrap()]);
    dns.flip("flip.test", [ip("127.0.0.1"), ip("169.254.169.254")]);
    // The server closes, so that the second hop must look the name up again;
    // from another port, so that what the user named no longer counts.
    let closing = relink_testkit::web::CannedResponse::redirect(302, "http://flip.test:81/")
        .header("Connection", "close");
    web.answer("/", closing);
    let client =
        client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() });
    let fetched = named(&client, web.url_at("flip.test", "/")).await;
    assert_eq!(ending(&fetched), "leads to the private address 169.254.169.254");
}
