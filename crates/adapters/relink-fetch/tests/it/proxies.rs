//! All requests through the user's proxy: good ones, bad ones, and what no
//! proxy is ever asked for.

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
use crate::{client, ending, found, impatient, named, text};

/// Asks through the proxy at this address.
fn through(proxy: SocketAddr) -> FetchSettings {
    let proxy = format!("http://{proxy}").parse().unwrap();
    FetchSettings { proxies: Proxies::all(proxy), ..FetchSettings::default() }
}

/// Asks through the proxy at this address, with a login.
fn known_to(proxy: SocketAddr) -> FetchSettings {
    let proxy = format!("http://user:word@{proxy}").parse().unwrap();
    FetchSettings { proxies: Proxies::all(proxy), ..FetchSettings::default() }
}

/// `Basic` with `user:word`.
const LOGIN: &str = "Basic dXNlcjp3b3Jk";

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// The requests of a proxy, as `METHOD target`.
fn lines(proxy: &ForwardProxy) -> Vec<String> {
    proxy.requests().iter().map(|it| format!("{} {}", it.method, it.path)).collect()
}

/// Hops as they are told whichever way they went.
fn story(fetched: &FetchResult) -> Vec<(String, u16, Option<String>)> {
    let told = |hop: &Hop| (hop.url.clone(), hop.status, hop.location.clone());
    fetched.hops.iter().map(told).collect()
}

#[tokio::test]
async fn a_plain_page_is_asked_of_the_proxy_by_its_whole_address() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    web.host("a.test").page("/x?y", 200, "page");
    let asked = web.url_at("a.test", "/x?y");
    let fetched = found(&client(through(proxy.address())), asked.clone()).await;
    assert_eq!((ending(&fetched), text(&fetched)), ("answered 200".into(), "page".into()));
    assert_eq!(lines(&proxy), [format!("GET {asked}")]);
    let seen = &proxy.requests()[0];
    assert_eq!(seen.header("host"), Some(format!("a.test:{}", web.port()).as_str()));
    assert_eq!(seen.header("proxy-authorization"), None);
}

#[tokio::test]
async fn an_encrypted_page_is_asked_through_a_tunnel() {
    let (authority, proxy) = (Authority::new(), ForwardProxy::start().await);
    let port = authority.serve("a.test", 4000).await.port();
    let settings = FetchSettings { tls_roots: vec![authority.der()], ..through(proxy.address()) };
    let fetched = found(&client(settings), url(&format!("https://a.test:{port}/x"))).await;
    assert_eq!((ending(&fetched), text(&fetched)), ("answered 200".into(), "ok".into()));
    assert_eq!(lines(&proxy), [format!("CONNECT a.test:{port}")]);
    let seen = &proxy.requests()[0];
    assert_eq!(seen.header("host"), Some(format!("a.test:{port}").as_str()));
    assert!(seen.header("user-agent").unwrap().starts_with("Relink/"));
}

#[tokio::test]
async fn a_certificate_is_that_of_the_host_and_not_of_the_proxy() {
    let (authority, proxy) = (Authority::new(), ForwardProxy::start().await);
    let port = authority.serve("b.test", 4000).await.port();
    let asked = url(&format!("https://a.test:{port}/"));
    let settings = FetchSettings { tls_roots: vec![authority.der()], ..through(proxy.address()) };
    let fetched = found(&client(settings), asked.clone()).await;
    assert_eq!(ending(&fetched), "the certificate is for another name");
    let fetched = found(&client(through(proxy.address())), asked).await;
    assert_eq!(ending(&fetched), "nobody we trust vouches for the certificate");
}

#[tokio::test]
async fn hops_are_told_as_without_a_proxy() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let (a, b) = (web.host("a.test"), web.host("b.test"));
    a.redirect("/old", 301, b.url("/older?x#part").as_str());
    b.redirect("/older?x", 302, "gone").page("/gone", 404, "gone");
    let given = |name: &str| format!("{name}:{}:127.0.0.1", web.port()).parse();
    let direct = client(FetchSettings {
        allow_private: true,
        resolve: ["a.test", "b.test"].map(|it| given(it).unwrap()).into(),
        ..FetchSettings::default()
    });
    let direct = named(&direct, a.url("/old")).await;
    let proxied = named(&client(through(proxy.address())), a.url("/old")).await;
    assert_eq!(story(&proxied), story(&direct));
    assert_eq!((proxied.hops.len(), ending(&proxied)), (3, ending(&direct)));
    assert_eq!(text(&proxied), text(&direct));
    assert!(proxied.hops.iter().all(|hop| hop.ip.is_none()), "{:?}", proxied.hops);
}

#[tokio::test]
async fn a_redirect_may_lead_from_plain_to_encrypted() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let authority = Authority::new();
    let port = authority.serve("b.test", 4000).await.port();
    web.redirect("/", 301, &format!("https://b.test:{port}/"));
    let settings = FetchSettings { tls_roots: vec![authority.der()], ..through(proxy.address()) };
    let fetched = found(&client(settings), web.url_at("a.test", "/")).await;
    assert_eq!((ending(&fetched), fetched.hops.len()), ("answered 200".into(), 2));
    let expect = [format!("GET {}", web.url_at("a.test", "/")), format!("CONNECT b.test:{port}")];
    assert_eq!(lines(&proxy), expect);
}

#[tokio::test]
async fn the_proxy_alone_gets_the_login() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    proxy.demand(LOGIN);
    let authority = Authority::new();
    let port = authority.serve("a.test", 4000).await.port();
    web.redirect("/", 302, &format!("https://a.test:{port}/"));
    let settings = FetchSettings { tls_roots: vec![authority.der()], ..known_to(proxy.address()) };
    let fetched = found(&client(settings), web.url_at("a.test", "/")).await;
    assert_eq!(ending(&fetched), "answered 200");
    for seen in proxy.requests() {
        assert_eq!(seen.header("proxy-authorization"), Some(LOGIN));
    }
    assert_eq!(web.requests()[0].header("proxy-authorization"), None);
}

#[tokio::test]
async fn a_login_that_is_missing_is_an_answer() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    proxy.demand(LOGIN);
    let client = client(through(proxy.address()));
    for asked in ["http://a.test:81/", "https://a.test:444/"] {
        let fetched = found(&client, url(asked)).await;
        assert_eq!(ending(&fetched), "answered 407", "{asked}");
        assert_eq!(story(&fetched), [(asked.to_owned(), 407, None)]);
    }
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn a_host_the_proxy_cannot_reach_is_an_answer() {
    let proxy = ForwardProxy::start().await;
    let (_socket, deaf) = deaf();
    for scheme in ["http", "https"] {
        let asked = format!("{scheme}://a.test:{}/", deaf.port());
        let fetched = found(&client(through(proxy.address())), url(&asked)).await;
        assert_eq!(ending(&fetched), "answered 502");
        assert_eq!(story(&fetched), [(asked, 502, None)]);
    }
}

#[tokio::test]
async fn a_tunnel_refused_after_a_redirect_is_told_behind_it() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let (_socket, deaf) = deaf();
    let next = format!("https://b.test:{}/", deaf.port());
    web.answer("/", CannedResponse::redirect(302, &next).header("Retry-After", "9"));
    let fetched = found(&client(through(proxy.address())), web.url_at("a.test", "/")).await;
    let first = (web.url_at("a.test", "/").to_string(), 302, Some(next.clone()));
    assert_eq!(story(&fetched), [first, (next, 502, None)]);
    assert_eq!(fetched.outcome, FetchOutcome::Response(502));
    assert_eq!(fetched.retry_after, None);
}

#[tokio::test]
async fn no_private_address_is_asked_of_a_proxy() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let canary = Canary::start().await;
    let client = client(through(proxy.address()));
    let names = ["localhost", "LOCALHOST.", "a.localhost", "localhost.."];
    let mut asked = 0;
    for host in LOOPBACK.into_iter().chain(PRIVATE).chain(names) {
        for scheme in ["http", "https"] {
            let location = format!("{scheme}://{host}:{}/secret", canary.port());
            web.redirect("/leave", 302, &location);
            let there = found(&client, url(&location)).await;
            let led = found(&client, web.url_at("a.test", "/leave")).await;
            asked += 1;
            for fetched in [there, led] {
                let is_barred = matches!(fetched.outcome, FetchOutcome::PrivateAddress(_));
                assert!(is_barred, "{location}: {}", ending(&fetched));
            }
        }
    }
    assert_eq!((canary.connects(), proxy.requests().len()), (0, asked));
}

#[tokio::test]
async fn what_the_user_names_is_asked_of_the_proxy_though_private() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    web.page("/", 200, "here");
    let client = client(through(proxy.address()));
    for host in ["127.0.0.1", "localhost"] {
        let fetched = named(&client, web.url_at(host, "/")).await;
        assert_eq!(ending(&fetched), "answered 200");
    }
    // A connection to the proxy, kept from what was named, opens no way.
    let fetched = found(&client, web.url("/")).await;
    assert_eq!(ending(&fetched), "leads to the private address 127.0.0.1");
    assert_eq!((web.hits("/"), proxy.connections()), (2, 1));
}

#[tokio::test]
async fn plain_hosts_share_the_connection_of_the_proxy() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let client = client(through(proxy.address()));
    for host in ["a.test", "b.test", "c.test", "a.test"] {
        let fetched = found(&client, web.url_at(host, "/")).await;
        assert_eq!(ending(&fetched), "answered 404");
    }
    assert_eq!((proxy.requests().len(), proxy.connections()), (4, 1));
}

#[tokio::test]
async fn each_encrypted_host_has_its_own_tunnel() {
    let (authority, proxy) = (Authority::new(), ForwardProxy::start().await);
    let a = ("a.test", authority.serve("a.test", 4000).await.port());
    let b = ("b.test", authority.serve("b.test", 4000).await.port());
    let settings = FetchSettings { tls_roots: vec![authority.der()], ..through(proxy.address()) };
    let client = client(settings);
    for (name, port) in [a, b, a, b] {
        let fetched = found(&client, url(&format!("https://{name}:{port}/"))).await;
        assert_eq!(ending(&fetched), "answered 200");
    }
    let expect = [a, b].map(|(name, port)| format!("CONNECT {name}:{port}"));
    assert_eq!(lines(&proxy), expect);
}

#[tokio::test]
async fn names_are_left_to_the_proxy() {
    let (web, proxy, dns) =
        (TestServer::start().await, ForwardProxy::start().await, Dns::start().await);
    web.page("/", 200, "here");
    let elsewhere = format!("a.test:{}:192.0.2.1", web.port());
    let client = client(FetchSettings {
        dns_server: Some(dns.address()),
        resolve: vec![elsewhere.parse().unwrap()],
        ..through(proxy.address())
    });
    let asked = web.url_at("a.test", "/");
    assert_eq!(ending(&found(&client, asked.clone()).await), "answered 200");
    assert_eq!(client.resolve_ip(&asked).await, None);
    assert_eq!(dns.asked("a.test"), 0);
}

#[tokio::test]
async fn the_proxy_itself_may_be_a_name() {
    let (web, proxy, dns) =
        (TestServer::start().await, ForwardProxy::start().await, Dns::start().await);
    web.page("/", 200, "here");
    dns.addresses("proxy.test", &[Ipv4Addr::LOCALHOST.into()]);
    let named = |name: &str| {
        let proxy = format!("http://{name}:{}", proxy.address().port()).parse().unwrap();
        let dns_server = Some(dns.address());
        client(FetchSettings {
            proxies: Proxies::all(proxy),
            dns_server,
            ..FetchSettings::default()
        })
    };
    let asked = web.url_at("a.test", "/");
    assert_eq!(ending(&found(&named("proxy.test"), asked.clone()).await), "answered 200");
    // That the proxy is not found does not make the host one that is not.
    assert_eq!(ending(&found(&named("none.test"), asked).await), "no connection");
}

#[tokio::test]
async fn the_host_is_told_who_asks_and_what_the_user_entrusted_to_it() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    web.host("a.test").redirect("/", 302, web.url_at("b.test", "/").as_str());
    let headers = vec![("X-Key".into(), "secret".into())];
    let client = client(FetchSettings { headers, ..through(proxy.address()) });
    let agent = UserAgent::Compatible;
    client
        .fetch(FetchRequest {
            url: web.url_at("a.test", "/"),
            rights: RequestRights::named_by_user(),
            agent,
            options: RequestOptions::default(),
        })
        .await;
    let seen = web.requests();
    let keys: Vec<_> = seen.iter().map(|it| it.header("x-key")).collect();
    assert_eq!(keys, [Some("secret"), None]);
    for it in seen {
        assert!(it.header("user-agent").unwrap().starts_with("Mozilla/5.0 (compatible; Relink/"));
    }
}

#[tokio::test]
async fn https_proxy_forwards_and_tunnels() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    proxy.demand(LOGIN);
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
    let plain = found(&client, web.url_at("a.test", "/")).await;
    assert_eq!((ending(&plain), text(&plain)), ("answered 200".into(), "here".into()));
    let asked = url(&format!("https://a.test:{port}/"));
    assert_eq!(ending(&found(&client, asked.clone()).await), "answered 200");
    let expect = [format!("GET {}", web.url_at("a.test", "/")), format!("CONNECT a.test:{port}")];
    assert_eq!(lines(&proxy), expect);
    // A proxy that cannot prove who it is gets neither request nor login.
    let distrustful = crate::client(FetchSettings { proxies, ..FetchSettings::default() });
    assert_eq!(ending(&found(&distrustful, asked).await), "no connection");
    assert_eq!(proxy.requests().len(), 2);
}

/// Puts TLS, with a certificate for 127.0.0.1, in front of a server.
async fn encrypt(authority: &Authority, server: SocketAddr) -> SocketAddr {
    let acceptor = authority.acceptor("127.0.0.1", 4000, &["h2", "http/1.1"]);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut client) = acceptor.accept(stream).await else { continue };
            tokio::spawn(async move {
                let mut server = TcpStream::connect(server).await.unwrap();
                // Either side may leave first.
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    address
}

/// Asks through a SOCKS proxy at this address.
fn through_socks(scheme: &str, login: &str, proxy: &SocksProxy) -> FetchSettings {
    let proxy = format!("{scheme}://{login}{}", proxy.address()).parse().unwrap();
    FetchSettings { proxies: Proxies::all(proxy), ..FetchSettings::default() }
}

#[tokio::test]
async fn socks5_proxy_gets_addresses_under_our_policy() {
    let (web, proxy, dns) = (TestServer::start().await, SocksProxy::start(), Dns::start().await);
    web.page("/", 200, "here");
    dns.addresses("a.test", &[Ipv4Addr::new(192, 0, 66, 2).into()]);
    dns.addresses("private.test", &[Ipv4Addr::new(10, 0, 0, 1).into()]);
    let dns_server = Some(dns.address());
    let client = client(FetchSettings { dns_server, ..through_socks("socks5", "", &proxy) });
    let fetched = found(&client, web.url_at("a.test", "/")).await;
    assert_eq!((ending(&fetched), text(&fetched)), ("answered 200".into(), "here".into()));
    assert_eq!(fetched.hops[0].ip, "192.0.66.2".parse().ok());
    let fetched = found(&client, web.url_at("private.test", "/")).await;
    assert_eq!(ending(&fetched), "leads to the private address 10.0.0.1");
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
    let fetched = found(&client, url(&format!("https://a.test:{port}/"))).await;
    assert_eq!((ending(&fetched), text(&fetched)), ("answered 200".into(), "ok".into()));
    assert_eq!((fetched.hops[0].ip, dns.asked("a.test")), (None, 0));
    let fetched = found(&client, url(&format!("https://127.0.0.1:{port}/"))).await;
    assert_eq!(ending(&fetched), "leads to the private address 127.0.0.1");
    assert_eq!(proxy.targets(), [format!("a.test:{port}")]);
}

#[tokio::test]
async fn socks_proxy_gets_its_login_and_no_host_does() {
    let (web, proxy) = (TestServer::start().await, SocksProxy::start());
    proxy.demand("user", "word");
    web.page("/", 200, "here");
    let asked = web.url_at("a.test", "/");
    for (login, expect) in
        [("", "answered 407"), ("user:wrong@", "answered 407"), ("user:word@", "answered 200")]
    {
        let fetched = found(&client(through_socks("socks5h", login, &proxy)), asked.clone()).await;
        assert_eq!(ending(&fetched), expect, "{login}");
        assert_eq!(fetched.hops.len(), 1);
    }
    let told = format!("{:?}", web.requests());
    assert!(!told.contains("word") && !told.contains("dXNlcjp3b3Jk"), "{told}");
}

#[tokio::test]
async fn socks_proxy_that_cannot_reach_the_host_refuses() {
    let (proxy, (_socket, deaf)) = (SocksProxy::start(), deaf());
    let asked = url(&format!("http://a.test:{}/", deaf.port()));
    let fetched = found(&client(through_socks("socks5h", "", &proxy)), asked).await;
    assert_eq!(ending(&fetched), "connection refused");
}

#[tokio::test]
async fn excluded_hosts_are_reached_without_the_proxy() {
    let (web, proxy) = (TestServer::start().await, ForwardProxy::start().await);
    let given = |name: &str| format!("{name}:{}:127.0.0.1", web.port()).parse().unwrap();
    let all = through(proxy.address());
    let client = client(FetchSettings {
        resolve: ["www.a.test", "b.test"].map(given).into(),
        proxies: Proxies { exclude: "a.test,127.0.0.0/8".parse().unwrap(), ..all.proxies.clone() },
        ..all
    });
    for host in ["www.a.test", "127.0.0.1", "b.test"] {
        let fetched = named(&client, web.url_at(host, "/")).await;
        assert_eq!(ending(&fetched), "answered 404", "{host}");
        assert_eq!(fetched.hops[0].ip.is_some(), host != "b.test", "{host}");
    }
    assert_eq!(lines(&proxy), [format!("GET {}", web.url_at("b.test", "/"))]);
    // The policy holds in full where there is no proxy.
    let fetched = found(&client, web.url_at("www.a.test", "/")).await;
    assert_eq!(ending(&fetched), "leads to the private address 127.0.0.1");
}

/// What becomes of a request through a proxy that plays a trick.
async fn check(
    trick: Misbehavior,
    scheme: &str,
    settings: fn(SocketAddr) -> FetchSettings,
    expect: &str,
) {
    let hostile = Hostile::start(trick.clone()).await;
    let begun = Instant::now();
    let asked = url(&format!("{scheme}://a.test/"));
    let fetched = found(&client(settings(hostile.address())), asked).await;
    assert_eq!(ending(&fetched), expect, "{trick:?}");
    assert!(fetched.hops.is_empty() && fetched.body.is_none(), "{trick:?}");
    assert_eq!(hostile.connects(), 1, "{trick:?}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{trick:?}");
}

fn hastily_through(proxy: SocketAddr) -> FetchSettings {
    FetchSettings { timeout: impatient().timeout, ..through(proxy) }
}

#[tokio::test]
async fn a_bad_proxy_makes_no_tunnel() {
    let say = |text: &str| Misbehavior::Say(text.as_bytes().to_vec());
    let none = "no connection";
    let reset = "connection reset while connecting";
    check(Misbehavior::Close, "https", through, reset).await;
    check(Misbehavior::Reset, "https", through, reset).await;
    check(Misbehavior::EndlessHeaders, "https", through, none).await;
    check(say("SSH-2.0-OpenSSH_9.9\r\n\r\n"), "https", through, none).await;
    check(say("HTTP/1.1 404 None\r\n\r\n"), "https", through, none).await;
    check(say("HTTP/1.1 302 Go\r\nLocation: http://b.test/\r\n\r\n"), "https", through, none).await;
    let drip = Misbehavior::DripHead(Duration::from_millis(20));
    for trick in [Misbehavior::Silence, drip] {
        check(trick, "https", hastily_through, "no answer in time (connecting)").await;
    }
}

#[tokio::test]
async fn a_tunnel_that_breaks_at_once_agrees_on_no_encryption() {
    let opened = Misbehavior::Say(b"HTTP/1.1 200 OK\r\n\r\n".to_vec());
    check(opened, "https", through, "no encrypted connection could be made").await;
}

#[tokio::test]
async fn a_bad_proxy_is_no_better_for_plain_pages() {
    let closed = "connection closed without an answer";
    check(Misbehavior::Close, "http", through, closed).await;
    check(Misbehavior::EndlessHeaders, "http", through, "the answer's head is too large").await;
    check(
        Misbehavior::Silence,
        "http",
        hastily_through,
        "no answer in time (waiting for the answer)",
    )
    .await;
}

#[tokio::test]
async fn an_endless_head_is_read_to_its_cap() {
    let hostile = Hostile::start(Misbehavior::EndlessHeaders).await;
    found(&client(through(hostile.address())), url("https://a.test/")).await;
    // Beyond what was read lies only what the system's own buffers took.
    assert!(hostile.sent() < 16 << 20, "{}", hostile.sent());
}

#[tokio::test]
async fn a_proxy_that_is_not_there_says_nothing_about_the_host() {
    let (_socket, proxy) = deaf();
    for asked in ["http://a.test/", "https://a.test/"] {
        let fetched = found(&client(through(proxy)), url(asked)).await;
        assert_eq!(ending(&fetched), "no connection");
        assert!(fetched.hops.is_empty());
    }
}

#[tokio::test]
async fn a_connection_the_proxy_dropped_is_replaced_unseen() {
    let said = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_vec();
    let hostile = Hostile::start(Misbehavior::Say(said)).await;
    let client = client(through(hostile.address()));
    for host in ["a.test", "b.test", "c.test"] {
        let fetched = found(&client, url(&format!("http://{host}/"))).await;
        assert_eq!(ending(&fetched), "answered 200");
    }
    assert_eq!(hostile.connects(), 3);
}

#[tokio::test]
async fn the_settings_do_not_show_the_login() {
    let settings = known_to(SocketAddr::from((Ipv4Addr::LOCALHOST, 3128)));
    let shown = format!("{settings:?}");
    for secret in ["user:", "word", "dXNlcjp3b3Jk"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert_eq!(settings.proxies.http.unwrap().to_string(), "http://127.0.0.1:3128");
}

/// An address that is taken, so that nobody else listens there, and that
/// refuses to connect.
fn deaf() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}
