//! Hosts with IPv4 and IPv6 addresses (RFC 8305).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use relink_fetch::{FetchSettings, Fetcher};
use relink_model::FetchOutcome;
use relink_testkit::dns::Dns;
use relink_testkit::web::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;
use url::Url;

use crate::{client, ending, found, named};

const BOTH: [IpAddr; 2] = [IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::LOCALHOST)];

/// Half of what a client may take that waits for the dead address first.
const QUICK: Duration = Duration::from_secs(3);

fn client_of(dns: &Dns) -> Fetcher {
    client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() })
}

/// Asks for a page of `a.test` and expects it over IPv4, soon.
async fn check(dns: &Dns, web: &TestServer) {
    web.page("/", 200, "here");
    let begun = Instant::now();
    let fetched = named(&client_of(dns), web.url_at("a.test", "/")).await;
    assert_eq!(ending(&fetched), "answered 200");
    assert_eq!(fetched.hops[0].ip, Some(Ipv4Addr::LOCALHOST.into()));
    assert!(begun.elapsed() < QUICK, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn name_whose_ipv6_address_refuses_answers_over_ipv4() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    dns.addresses("a.test", &BOTH);
    check(&dns, &web).await;
}

#[tokio::test]
async fn name_whose_ipv6_address_hangs_answers_over_ipv4() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    dns.addresses("a.test", &BOTH);
    let _held = hang(SocketAddr::from((Ipv6Addr::LOCALHOST, web.port()))).await;
    check(&dns, &web).await;
}

#[tokio::test]
async fn name_server_silent_about_ipv6_does_not_delay_ipv4() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    dns.addresses("a.test", &BOTH).drop_v6_questions("a.test");
    check(&dns, &web).await;
}

/// Makes connections to an address hang: a listener that accepts nothing, with
/// its queue filled. Without IPv6 there is nothing to do, the address is dead.
async fn hang(address: SocketAddr) -> Option<(TcpListener, Vec<TcpStream>)> {
    let socket = TcpSocket::new_v6().ok()?;
    socket.bind(address).ok()?;
    let listener = socket.listen(1).ok()?;
    let mut waiting = Vec::new();
    for _ in 0..16 {
        match timeout(Duration::from_millis(100), TcpStream::connect(address)).await {
            Ok(connected) => waiting.push(connected.unwrap()),
            Err(_) => return Some((listener, waiting)),
        }
    }
    panic!("the queue of a listener with backlog 1 never fills");
}

#[tokio::test]
async fn literal_ipv6_url_is_fetched_where_it_was_named() {
    // A machine without IPv6 has no such host.
    let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await else { return };
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 1024];
        let _ = stream.read(&mut head).await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await.unwrap();
    });
    let client = client(FetchSettings::default());
    let fetched = named(&client, url.clone()).await;
    assert_eq!(ending(&fetched), "answered 200");
    assert_eq!(fetched.hops[0].ip, Some(Ipv6Addr::LOCALHOST.into()));
    assert!(matches!(found(&client, url).await.outcome, FetchOutcome::PrivateAddress(_)));
}

#[tokio::test]
async fn one_private_ipv6_address_bars_a_found_name() {
    let dns = Dns::start().await;
    dns.addresses("a.test", &["192.0.66.2".parse().unwrap(), Ipv6Addr::LOCALHOST.into()]);
    let fetched = found(&client_of(&dns), Url::parse("http://a.test/").unwrap()).await;
    assert_eq!(ending(&fetched), "leads to the private address ::1");
}

#[test]
fn zone_identifier_is_not_part_of_a_url() {
    for text in ["http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[::1%251]/"] {
        assert!(Url::parse(text).is_err(), "{text}");
    }
}
