//! Tests of requests through proxies: correct proxies, faulty proxies, and requests that
//! must not be sent to a proxy.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use relink_fetch::{FetchSettings, Proxies};
use relink_model::{FetchOutcome, Hop, RequestRights};
use relink_ports::{Fetch, FetchRequest, FetchResult, RequestOptions, UserAgent};
use relink_testkit::canary::Canary;
use relink_testkit::dns::Dns;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::proxy::ForwardProxy;
use relink_testkit::socks::SocksProxy;
use relink_testkit::web::{CannedResponse, TestServer};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use url::Url;

use crate::addresses::{LOOPBACK, PRIVATE};
use crate::tls::Authority;
use crate::{client, fetch_discovered, fetch_user_supplied, outcome, short_timeout, text};

/// Settings with the HTTP proxy at this address.
fn through(proxy: SocketAddr) -> FetchSettings {
    let proxy = format!("http://{proxy}").parse().unwrap();
    FetchSettings { proxies: Proxies::all(proxy), ..FetchSettings::default() }
}

/// Settings with the HTTP proxy at this address and a login.
fn with_login(proxy: SocketAddr) -> FetchSettings {
    let proxy = format!("http://user:word@{proxy}").parse().unwrap();
    FetchSettings { proxies: Proxies::all(proxy), ..FetchSettings::default() }
}

/// Basic authentication with `user:word`.
const LOGIN: &str = "Basic dXNlcjp3b3Jk";

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// Returns the requests of a proxy as `METHOD target`.
fn lines(proxy: &ForwardProxy) -> Vec<String> {
    proxy.requests().iter().map(|request| format!("{} {}", request.method, request.path)).collect()
}

/// Returns the hops without the IP address, which is unknown for proxied
/// requests.
fn hops_of(result: &FetchResult) -> Vec<(String, u16, Option<String>)> {
    let parts = |hop: &Hop| (hop.url.clone(), hop.status, hop.location.clone());
    result.hops.iter().map(parts).collect()
}

#[tokio::test]
async fn http_request_is_forwarded_with_absolute_url() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    web.host("a.test").page("/x?y", 200, "page");
    let target = web.url_at("a.test", "/x?y");
    let result = fetch_discovered(&client(through(proxy.address())), target.clone()).await;
    assert_eq!((outcome(&result), text(&result)), ("status 200".into(), "page".into()));
    assert_eq!(lines(&proxy), [format!("GET {target}")]);
    let request = &proxy.requests()[0];
    assert_eq!(request.header("host"), Some(format!("a.test:{}", web.port()).as_str()));
    assert_eq!(request.header("proxy-authorization"), None);
}

#[tokio::test]
async fn https_request_goes_through_a_tunnel() {
    let (authority, proxy) = (Authority::new(), ForwardProxy::start().await);
    let port = authority.serve("a.test", 4000).await.port();
    let settings = FetchSettings { tls_roots: vec![authority.der()], ..through(proxy.address()) };
    let result =
        fetch_discovered(&client(settings), url(&format!("https://a.test:{port}/x"))).await;
    assert_eq!((outcome(&result), text(&result)), ("status 200".into(), "ok".into()));
    assert_eq!(lines(&proxy), [format!("CONNECT a.test:{port}")]);
    let request = &proxy.requests()[0];
    assert_eq!(request.header("host"), Some(format!("a.test:{port}").as_str()));
    assert!(request.header("user-agent").unwrap().starts_with("Relink/"));
}

#[tokio::test]
async fn tunneled_certificate_is_checked_against_the_host() {
    let (authority, proxy) = (Authority::new(), ForwardProxy::start().await);
    let port = authority.serve("b.test", 4000).await.port();
    let target = url(&format!("https://a.test:{port}/"));
    let settings = FetchSettings { tls_roots: vec![authority.der()], ..through(proxy.address()) };
    let result = fetch_discovered(&client(settings), target.clone()).await;
    assert_eq!(outcome(&result), "certificate is for another host name");
    let result = fetch_discovered(&client(through(proxy.address())), target).await;
    assert_eq!(outcome(&result), "certificate is not signed by a trusted authority");
}

#[tokio::test]
async fn hops_are_the_same_with_and_without_a_proxy() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let (a, b) = (web.host("a.test"), web.host("b.test"));
    a.redirect("/old", 301, b.url("/older?x#part").as_str());
    b.redirect("/older?x", 302, "gone").page("/gone", 404, "gone");
    let override_for = |name: &str| format!("{name}:{}:127.0.0.1", web.port()).parse();
    let direct = client(FetchSettings {
        allow_private: true,
        resolve: ["a.test", "b.test"].map(|name| override_for(name).unwrap()).into(),
        ..FetchSettings::default()
    });
    let direct = fetch_user_supplied(&direct, a.url("/old")).await;
    let proxied = fetch_user_supplied(&client(through(proxy.address())), a.url("/old")).await;
    assert_eq!(hops_of(&proxied), hops_of(&direct));
    assert_eq!((proxied.hops.len(), outcome(&proxied)), (3, outcome(&direct)));
    assert_eq!(text(&proxied), text(&direct));
    assert!(proxied.hops.iter().all(|hop| hop.ip.is_none()), "{:?}", proxied.hops);
}

#[tokio::test]
async fn redirect_from_http_to_https_is_followed() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let authority = Authority::new();
    let port = authority.serve("b.test", 4000).await.port();
    web.redirect("/", 301, &format!("https://b.test:{port}/"));
    let settings = FetchSettings { tls_roots: vec![authority.der()], ..through(proxy.address()) };
    let result = fetch_discovered(&client(settings), web.url_at("a.test", "/")).await;
    assert_eq!((outcome(&result), result.hops.len()), ("status 200".into(), 2));
    let expect = [format!("GET {}", web.url_at("a.test", "/")), format!("CONNECT b.test:{port}")];
    assert_eq!(lines(&proxy), expect);
}

#[tokio::test]
async fn proxy_login_is_sent_to_the_proxy_only() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    proxy.require_authorization(LOGIN);
    let authority = Authority::new();
    let port = authority.serve("a.test", 4000).await.port();
    web.redirect("/", 302, &format!("https://a.test:{port}/"));
    let settings =
        FetchSettings { tls_roots: vec![authority.der()], ..with_login(proxy.address()) };
    let result = fetch_discovered(&client(settings), web.url_at("a.test", "/")).await;
    assert_eq!(outcome(&result), "status 200");
    for request in proxy.requests() {
        assert_eq!(request.header("proxy-authorization"), Some(LOGIN));
    }
    assert_eq!(web.requests()[0].header("proxy-authorization"), None);
}

#[tokio::test]
async fn missing_proxy_login_is_a_407_response() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    proxy.require_authorization(LOGIN);
    let client = client(through(proxy.address()));
    for target in ["http://a.test:81/", "https://a.test:444/"] {
        let result = fetch_discovered(&client, url(target)).await;
        assert_eq!(outcome(&result), "status 407", "{target}");
        assert_eq!(hops_of(&result), [(target.to_owned(), 407, None)]);
    }
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn unreachable_host_behind_a_proxy_is_a_502_response() {
    let proxy = ForwardProxy::start().await;
    let (_socket, closed) = closed_port();
    for scheme in ["http", "https"] {
        let target = format!("{scheme}://a.test:{}/", closed.port());
        let result = fetch_discovered(&client(through(proxy.address())), url(&target)).await;
        assert_eq!(outcome(&result), "status 502");
        assert_eq!(hops_of(&result), [(target, 502, None)]);
    }
}

#[tokio::test]
async fn refused_tunnel_is_recorded_after_the_redirect() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let (_socket, closed) = closed_port();
    let next = format!("https://b.test:{}/", closed.port());
    web.respond("/", CannedResponse::redirect(302, &next).with_header("Retry-After", "9"));
    let result =
        fetch_discovered(&client(through(proxy.address())), web.url_at("a.test", "/")).await;
    let first = (web.url_at("a.test", "/").to_string(), 302, Some(next.clone()));
    assert_eq!(hops_of(&result), [first, (next, 502, None)]);
    assert_eq!(result.outcome, FetchOutcome::Response(502));
    assert_eq!(result.retry_after, None);
}

#[tokio::test]
async fn proxy_gets_no_requests_for_private_addresses() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let canary = Canary::start().await;
    let client = client(through(proxy.address()));
    let names = ["localhost", "LOCALHOST.", "a.localhost", "localhost.."];
    let mut count = 0;
    for host in LOOPBACK.into_iter().chain(PRIVATE).chain(names) {
        for scheme in ["http", "https"] {
            let location = format!("{scheme}://{host}:{}/secret", canary.port());
            web.redirect("/leave", 302, &location);
            let direct = fetch_discovered(&client, url(&location)).await;
            let redirected = fetch_discovered(&client, web.url_at("a.test", "/leave")).await;
            count += 1;
            for result in [direct, redirected] {
                let is_blocked = matches!(result.outcome, FetchOutcome::PrivateAddress(_));
                assert!(is_blocked, "{location}: {}", outcome(&result));
            }
        }
    }
    assert_eq!((canary.connects(), proxy.requests().len()), (0, count));
}

#[tokio::test]
async fn user_supplied_private_address_is_sent_to_the_proxy() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    web.page("/", 200, "here");
    let client = client(through(proxy.address()));
    for host in ["127.0.0.1", "localhost"] {
        let result = fetch_user_supplied(&client, web.url_at(host, "/")).await;
        assert_eq!(outcome(&result), "status 200");
    }
    // The pooled connection to the proxy must not bypass the policy.
    let result = fetch_discovered(&client, web.url("/")).await;
    assert_eq!(outcome(&result), "resolves to the private address 127.0.0.1");
    assert_eq!((web.hits("/"), proxy.connections()), (2, 1));
}

#[tokio::test]
async fn http_hosts_share_the_proxy_connection() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let client = client(through(proxy.address()));
    for host in ["a.test", "b.test", "c.test", "a.test"] {
        let result = fetch_discovered(&client, web.url_at(host, "/")).await;
        assert_eq!(outcome(&result), "status 404");
    }
    assert_eq!((proxy.requests().len(), proxy.connections()), (4, 1));
}

#[tokio::test]
async fn each_https_host_has_its_own_tunnel() {
    let (authority, proxy) = (Authority::new(), ForwardProxy::start().await);
    let a = ("a.test", authority.serve("a.test", 4000).await.port());
    let b = ("b.test", authority.serve("b.test", 4000).await.port());
    let settings = FetchSettings { tls_roots: vec![authority.der()], ..through(proxy.address()) };
    let client = client(settings);
    for (name, port) in [a, b, a, b] {
        let result = fetch_discovered(&client, url(&format!("https://{name}:{port}/"))).await;
        assert_eq!(outcome(&result), "status 200");
    }
    let expect = [a, b].map(|(name, port)| format!("CONNECT {name}:{port}"));
    assert_eq!(lines(&proxy), expect);
}

#[tokio::test]
async fn proxy_resolves_names() {
    let (web, proxy, dns) =
        (TestServer::start().await, ForwardProxy::start().await, Dns::start().await);
    web.page("/", 200, "here");
    // Without a proxy, the client would connect to this address.
    let override_text = format!("a.test:{}:192.0.2.1", web.port());
    let client = client(FetchSettings {
        dns_server: Some(dns.address()),
        resolve: vec![override_text.parse().unwrap()],
        ..through(proxy.address())
    });
    let target = web.url_at("a.test", "/");
    assert_eq!(outcome(&fetch_discovered(&client, target.clone()).await), "status 200");
    assert_eq!(client.resolve_ip(&target).await, None);
    assert_eq!(dns.query_count("a.test"), 0);
}

#[tokio::test]
async fn proxy_name_is_resolved() {
    let (web, proxy, dns) =
        (TestServer::start().await, ForwardProxy::start().await, Dns::start().await);
    web.page("/", 200, "here");
    dns.set_addresses("proxy.test", &[Ipv4Addr::LOCALHOST.into()]);
    let client_with = |name: &str| {
        let proxy = format!("http://{name}:{}", proxy.address().port()).parse().unwrap();
        let dns_server = Some(dns.address());
        client(FetchSettings {
            proxies: Proxies::all(proxy),
            dns_server,
            ..FetchSettings::default()
        })
    };
    let target = web.url_at("a.test", "/");
    assert_eq!(
        outcome(&fetch_discovered(&client_with("proxy.test"), target.clone()).await),
        "status 200"
    );
    // A proxy that cannot be resolved must not be reported as a missing host.
    assert_eq!(
        outcome(&fetch_discovered(&client_with("none.test"), target).await),
        "connection failed"
    );
}

#[tokio::test]
async fn host_receives_user_agent_and_user_headers_through_proxy() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    web.host("a.test").redirect("/", 302, web.url_at("b.test", "/").as_str());
    let headers = vec![("X-Key".into(), "secret".into())];
    let client = client(FetchSettings { headers, ..through(proxy.address()) });
    let user_agent = UserAgent::BrowserCompatible;
    client
        .fetch(FetchRequest {
            url: web.url_at("a.test", "/"),
            rights: RequestRights::user_supplied(),
            user_agent,
            options: RequestOptions::default(),
        })
        .await;
    let requests = web.requests();
    let keys: Vec<_> = requests.iter().map(|request| request.header("x-key")).collect();
    assert_eq!(keys, [Some("secret"), None]);
    for request in requests {
        assert!(
            request.header("user-agent").unwrap().starts_with("Mozilla/5.0 (compatible; Relink/")
        );
    }
}

#[tokio::test]
async fn https_proxy_forwards_and_tunnels() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    proxy.require_authorization(LOGIN);
    web.page("/", 200, "here");
    let authority = Authority::new();
    let encrypted = encrypt(&authority, proxy.address()).await;
    let port = authority.serve("a.test", 4000).await.port();
    let through = format!("https://user:word@127.0.0.1:{}", encrypted.port()).parse().unwrap();
    let proxies = Proxies::all(through);
    let roots = vec![authority.der()];
    let client = client(FetchSettings {
        proxies: proxies.clone(),
        tls_roots: roots,
        ..FetchSettings::default()
    });
    let plain = fetch_discovered(&client, web.url_at("a.test", "/")).await;
    assert_eq!((outcome(&plain), text(&plain)), ("status 200".into(), "here".into()));
    let target = url(&format!("https://a.test:{port}/"));
    assert_eq!(outcome(&fetch_discovered(&client, target.clone()).await), "status 200");
    let expect = [format!("GET {}", web.url_at("a.test", "/")), format!("CONNECT a.test:{port}")];
    assert_eq!(lines(&proxy), expect);
    // A proxy without a trusted certificate gets neither request nor login.
    let untrusting = crate::client(FetchSettings { proxies, ..FetchSettings::default() });
    assert_eq!(outcome(&fetch_discovered(&untrusting, target).await), "connection failed");
    assert_eq!(proxy.requests().len(), 2);
}

/// Starts a TLS frontend for a server, with a certificate for 127.0.0.1.
async fn encrypt(authority: &Authority, server: SocketAddr) -> SocketAddr {
    let acceptor = authority.acceptor("127.0.0.1", 4000, &["h2", "http/1.1"]);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut client) = acceptor.accept(stream).await else { continue };
            tokio::spawn(async move {
                let mut server = TcpStream::connect(server).await.unwrap();
                // Either side may close the connection first.
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    address
}

/// Settings with the SOCKS proxy at this address.
fn through_socks(scheme: &str, login: &str, proxy: &SocksProxy) -> FetchSettings {
    let proxy = format!("{scheme}://{login}{}", proxy.address()).parse().unwrap();
    FetchSettings { proxies: Proxies::all(proxy), ..FetchSettings::default() }
}

#[tokio::test]
async fn socks5_proxy_gets_checked_addresses() {
    let (web, proxy, dns) = (TestServer::start().await, SocksProxy::start(), Dns::start().await);
    web.page("/", 200, "here");
    dns.set_addresses("a.test", &[Ipv4Addr::new(192, 0, 66, 2).into()]);
    dns.set_addresses("private.test", &[Ipv4Addr::new(10, 0, 0, 1).into()]);
    let dns_server = Some(dns.address());
    let client = client(FetchSettings { dns_server, ..through_socks("socks5", "", &proxy) });
    let result = fetch_discovered(&client, web.url_at("a.test", "/")).await;
    assert_eq!((outcome(&result), text(&result)), ("status 200".into(), "here".into()));
    assert_eq!(result.hops[0].ip, "192.0.66.2".parse().ok());
    let result = fetch_discovered(&client, web.url_at("private.test", "/")).await;
    assert_eq!(outcome(&result), "resolves to the private address 10.0.0.1");
    assert_eq!(proxy.targets(), [format!("192.0.66.2:{}", web.port())]);
}

#[tokio::test]
async fn socks5h_proxy_gets_names() {
    let (proxy, dns, authority) = (SocksProxy::start(), Dns::start().await, Authority::new());
    let port = authority.serve("a.test", 4000).await.port();
    let client = client(FetchSettings {
        dns_server: Some(dns.address()),
        tls_roots: vec![authority.der()],
        ..through_socks("socks5h", "", &proxy)
    });
    let result = fetch_discovered(&client, url(&format!("https://a.test:{port}/"))).await;
    assert_eq!((outcome(&result), text(&result)), ("status 200".into(), "ok".into()));
    assert_eq!((result.hops[0].ip, dns.query_count("a.test")), (None, 0));
    let result = fetch_discovered(&client, url(&format!("https://127.0.0.1:{port}/"))).await;
    assert_eq!(outcome(&result), "resolves to the private address 127.0.0.1");
    assert_eq!(proxy.targets(), [format!("a.test:{port}")]);
}

#[tokio::test]
async fn socks_login_is_sent_to_the_proxy_only() {
    let (web, proxy) = (TestServer::start().await, SocksProxy::start());
    proxy.require_login("user", "word");
    web.page("/", 200, "here");
    let target = web.url_at("a.test", "/");
    for (login, expect) in
        [("", "status 407"), ("user:wrong@", "status 407"), ("user:word@", "status 200")]
    {
        let result =
            fetch_discovered(&client(through_socks("socks5h", login, &proxy)), target.clone())
                .await;
        assert_eq!(outcome(&result), expect, "{login}");
        assert_eq!(result.hops.len(), 1);
    }
    let requests = format!("{:?}", web.requests());
    assert!(!requests.contains("word") && !requests.contains("dXNlcjp3b3Jk"), "{requests}");
}

#[tokio::test]
async fn socks_proxy_that_cannot_reach_the_host_is_connection_refused() {
    let (proxy, (_socket, closed)) = (SocksProxy::start(), closed_port());
    let target = url(&format!("http://a.test:{}/", closed.port()));
    let result = fetch_discovered(&client(through_socks("socks5h", "", &proxy)), target).await;
    assert_eq!(outcome(&result), "connection refused");
}

#[tokio::test]
async fn excluded_hosts_are_contacted_directly() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let override_for = |name: &str| format!("{name}:{}:127.0.0.1", web.port()).parse().unwrap();
    let all = through(proxy.address());
    let client = client(FetchSettings {
        resolve: ["www.a.test", "b.test"].map(override_for).into(),
        proxies: Proxies { exclude: "a.test,127.0.0.0/8".parse().unwrap(), ..all.proxies.clone() },
        ..all
    });
    for host in ["www.a.test", "127.0.0.1", "b.test"] {
        let result = fetch_user_supplied(&client, web.url_at(host, "/")).await;
        assert_eq!(outcome(&result), "status 404", "{host}");
        assert_eq!(result.hops[0].ip.is_some(), host != "b.test", "{host}");
    }
    assert_eq!(lines(&proxy), [format!("GET {}", web.url_at("b.test", "/"))]);
    // The address policy applies to direct connections.
    let result = fetch_discovered(&client, web.url_at("www.a.test", "/")).await;
    assert_eq!(outcome(&result), "resolves to the private address 127.0.0.1");
}

/// Checks the outcome of a request through a faulty proxy. The proxy receives one
/// connection, and the request ends within five seconds.
async fn check(
    misbehavior: Misbehavior,
    scheme: &str,
    settings: fn(SocketAddr) -> FetchSettings,
    expect: &str,
) {
    let hostile = Hostile::start(misbehavior.clone()).await;
    let started = Instant::now();
    let target = url(&format!("{scheme}://a.test/"));
    let result = fetch_discovered(&client(settings(hostile.address())), target).await;
    assert_eq!(outcome(&result), expect, "{misbehavior:?}");
    assert!(result.hops.is_empty() && result.body.is_none(), "{misbehavior:?}");
    assert_eq!(hostile.connects(), 1, "{misbehavior:?}");
    assert!(started.elapsed() < Duration::from_secs(5), "{misbehavior:?}");
}

/// Like [`through`], with a short timeout.
fn through_with_timeout(proxy: SocketAddr) -> FetchSettings {
    FetchSettings { timeout: short_timeout().timeout, ..through(proxy) }
}

#[tokio::test]
async fn faulty_proxy_opens_no_tunnel() {
    let send = |text: &str| Misbehavior::Send(text.as_bytes().to_vec());
    let failed = "connection failed";
    let reset = "connection reset while connecting";
    check(Misbehavior::Close, "https", through, reset).await;
    check(Misbehavior::Reset, "https", through, reset).await;
    check(Misbehavior::EndlessHeaders, "https", through, failed).await;
    check(send("SSH-2.0-OpenSSH_9.9\r\n\r\n"), "https", through, failed).await;
    check(send("HTTP/1.1 404 None\r\n\r\n"), "https", through, failed).await;
    check(send("HTTP/1.1 302 Go\r\nLocation: http://b.test/\r\n\r\n"), "https", through, failed)
        .await;
    let drip = Misbehavior::DripHead(Duration::from_millis(20));
    for misbehavior in [Misbehavior::NoResponse, drip] {
        check(misbehavior, "https", through_with_timeout, "timed out (connecting)").await;
    }
}

#[tokio::test]
async fn tunnel_closed_at_once_is_a_tls_error() {
    let opened = Misbehavior::Send(b"HTTP/1.1 200 OK\r\n\r\n".to_vec());
    check(opened, "https", through, "TLS handshake failed").await;
}

#[tokio::test]
async fn faulty_proxy_fails_http_requests() {
    let closed = "connection closed without a response";
    check(Misbehavior::Close, "http", through, closed).await;
    check(Misbehavior::EndlessHeaders, "http", through, "response headers too large").await;
    check(
        Misbehavior::NoResponse,
        "http",
        through_with_timeout,
        "timed out (waiting for the response headers)",
    )
    .await;
}

#[tokio::test]
async fn endless_proxy_response_head_is_limited() {
    let hostile = Hostile::start(Misbehavior::EndlessHeaders).await;
    fetch_discovered(&client(through(hostile.address())), url("https://a.test/")).await;
    // The proxy has sent only the bytes that were read and the bytes in socket buffers.
    assert!(hostile.sent() < 16 << 20, "{}", hostile.sent());
}

#[tokio::test]
async fn unreachable_proxy_is_a_failed_connection() {
    let (_socket, proxy) = closed_port();
    for target in ["http://a.test/", "https://a.test/"] {
        let result = fetch_discovered(&client(through(proxy)), url(target)).await;
        assert_eq!(outcome(&result), "connection failed");
        assert!(result.hops.is_empty());
    }
}

#[tokio::test]
async fn connection_closed_by_the_proxy_is_replaced() {
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_vec();
    let hostile = Hostile::start(Misbehavior::Send(response)).await;
    let client = client(through(hostile.address()));
    for host in ["a.test", "b.test", "c.test"] {
        let result = fetch_discovered(&client, url(&format!("http://{host}/"))).await;
        assert_eq!(outcome(&result), "status 200");
    }
    assert_eq!(hostile.connects(), 3);
}

#[tokio::test]
async fn debug_output_of_settings_has_no_login() {
    let settings = with_login(SocketAddr::from((Ipv4Addr::LOCALHOST, 3128)));
    let printed = format!("{settings:?}");
    for secret in ["user:", "word", "dXNlcjp3b3Jk"] {
        assert!(!printed.contains(secret), "{printed}");
    }
    assert_eq!(settings.proxies.http.unwrap().to_string(), "http://127.0.0.1:3128");
}

/// Returns an address that refuses connections. The bound socket prevents other
/// programs from listening there.
fn closed_port() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}
