//! Tests of hosts with IPv4 and IPv6 addresses (RFC 8305).

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

use crate::{client, fetch_discovered, fetch_user_supplied, outcome};

/// The loopback addresses of both families.
const BOTH: [IpAddr; 2] = [IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::LOCALHOST)];

/// Maximum time of a fetch that falls back to IPv4. It is not longer than the
/// timeouts of DNS queries (3 s) and requests (10 s), so that a client that
/// waits for a timeout first fails the test.
const MAX_FALLBACK_TIME: Duration = Duration::from_secs(3);

/// Returns a client that uses this DNS server.
fn client_of(dns: &Dns) -> Fetcher {
    client(FetchSettings { dns_server: Some(dns.address()), ..FetchSettings::default() })
}

/// Fetches a page of `a.test` and expects a response over IPv4 within
/// [`MAX_FALLBACK_TIME`].
async fn check_fetch_over_ipv4(dns: &Dns, web: &TestServer) {
    web.page("/", 200, "here");
    let started = Instant::now();
    let result = fetch_user_supplied(&client_of(dns), web.url_at("a.test", "/")).await;
    assert_eq!(outcome(&result), "status 200");
    assert_eq!(result.hops[0].ip, Some(Ipv4Addr::LOCALHOST.into()));
    assert!(started.elapsed() < MAX_FALLBACK_TIME, "{:?}", started.elapsed());
}

#[tokio::test]
async fn refused_ipv6_address_falls_back_to_ipv4() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    dns.set_addresses("a.test", &BOTH);
    check_fetch_over_ipv4(&dns, &web).await;
}

#[tokio::test]
async fn unresponsive_ipv6_address_falls_back_to_ipv4() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    dns.set_addresses("a.test", &BOTH);
    let _listener = hang(SocketAddr::from((Ipv6Addr::LOCALHOST, web.port()))).await;
    check_fetch_over_ipv4(&dns, &web).await;
}

#[tokio::test]
async fn missing_ipv6_dns_response_does_not_delay_ipv4() {
    let (dns, web) = (Dns::start().await, TestServer::start().await);
    dns.set_addresses("a.test", &BOTH).drop_v6_queries("a.test");
    check_fetch_over_ipv4(&dns, &web).await;
}

/// Makes connections to an address hang: the listener accepts nothing, and its
/// queue is full. Returns `None` without IPv6, where the address is unreachable
/// anyway.
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
    panic!("the accept queue of a listener with backlog 1 did not fill up");
}

#[tokio::test]
async fn literal_ipv6_url_is_fetched_if_user_supplied() {
    // Skip the test on machines without IPv6.
    let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await else { return };
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 1024];
        let _ = stream.read(&mut head).await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await.unwrap();
    });
    let client = client(FetchSettings::default());
    let result = fetch_user_supplied(&client, url.clone()).await;
    assert_eq!(outcome(&result), "status 200");
    assert_eq!(result.hops[0].ip, Some(Ipv6Addr::LOCALHOST.into()));
    assert!(matches!(
        fetch_discovered(&client, url).await.outcome,
        FetchOutcome::PrivateAddress(_)
    ));
}

#[tokio::test]
async fn one_private_ipv6_address_blocks_a_discovered_name() {
    let dns = Dns::start().await;
    // The IPv4 address is public.
    dns.set_addresses("a.test", &["192.0.66.2".parse().unwrap(), Ipv6Addr::LOCALHOST.into()]);
    let result = fetch_discovered(&client_of(&dns), Url::parse("http://a.test/").unwrap()).await;
    assert_eq!(outcome(&result), "resolves to the private address ::1");
}

#[test]
fn url_with_zone_identifier_is_rejected() {
    for text in ["http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[::1%251]/"] {
        assert!(Url::parse(text).is_err(), "{text}");
    }
}
