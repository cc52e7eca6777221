//! Tests of HTTP/2: connection sharing, and servers that violate the protocol. nginx is a
//! correct server. `ScriptedServer` sends chosen frames.

use std::collections::HashSet;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Response;
use relink_fetch::{FetchSettings, Fetcher, Proxies};
use relink_model::RequestRights;
use relink_ports::{Fetch, RequestOptions};
use relink_testkit::nginx::{Nginx, NginxSettings};
use relink_testkit::proxy::ForwardProxy;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::server::TlsStream;
use url::Url;

use crate::tls::{self, Authority, resolving};
use crate::{client, fetch_discovered, fetch_user_supplied, outcome, request, text};

/// Starts nginx with a certificate for `a.test`. Also returns settings that trust the
/// certificate.
fn nginx(has_http2: bool) -> (Nginx, FetchSettings) {
    start_nginx(NginxSettings { has_http2, ..NginxSettings::default() })
}

/// Starts nginx with these settings and a certificate for `a.test`.
fn start_nginx(settings: NginxSettings) -> (Nginx, FetchSettings) {
    let authority = Authority::new();
    let (certificate, key) = authority.certify("a.test", 4000);
    let (certificate, key) = (certificate.pem(), key.serialize_pem());
    let nginx = Nginx::start(&NginxSettings { certificate, key, ..settings });
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, nginx.port()));
    (nginx, FetchSettings { tls_roots: vec![authority.der()], ..resolving("a.test", address) })
}

/// Returns the URL of a page of `a.test`.
fn page(port: u16, path: &str) -> Url {
    Url::parse(&format!("https://a.test:{port}{path}")).unwrap()
}

#[tokio::test]
async fn requests_share_one_http2_connection() {
    let (nginx, settings) = nginx(true);
    let client = client(settings);
    let fetch_page = async |path: &str| {
        let result = fetch_user_supplied(&client, page(nginx.port(), path)).await;
        assert_eq!(outcome(&result), "status 200");
        assert_eq!(text(&result), format!("page {path}"));
        assert_eq!(result.hops[0].ip, Some(Ipv4Addr::LOCALHOST.into()));
    };
    // Start the first fetches before the HTTP version of the server is known.
    tokio::join!(
        fetch_page("/1"),
        fetch_page("/2"),
        fetch_page("/3"),
        fetch_page("/4"),
        fetch_page("/5"),
        fetch_page("/6")
    );
    for number in 7..=20 {
        fetch_page(&format!("/{number}")).await;
    }
    let log = nginx.requests(20);
    assert!(log.iter().all(|request| request.protocol == "HTTP/2.0"), "{log:?}");
    assert!(log.iter().all(|request| request.connection == log[0].connection), "{log:?}");
    let mut numbers: Vec<_> = log.iter().map(|request| request.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
}

#[tokio::test]
async fn requests_survive_connections_closed_by_nginx() {
    let limits = NginxSettings { max_requests: Some(5), ..NginxSettings::default() };
    let (nginx, settings) = start_nginx(NginxSettings { has_http2: true, ..limits });
    let client = client(settings);
    let fetch_ten = async |name: &str| {
        for number in 0..10 {
            let result =
                fetch_user_supplied(&client, page(nginx.port(), &format!("/{name}{number}"))).await;
            assert_eq!(outcome(&result), "status 200", "{name}{number}");
        }
    };
    tokio::join!(fetch_ten("a"), fetch_ten("b"), fetch_ten("c"));
    let log = nginx.requests(30);
    assert!(log.iter().all(|request| request.protocol == "HTTP/2.0"), "{log:?}");
    // nginx closes each connection after five requests.
    let connections: HashSet<_> = log.iter().map(|request| request.connection).collect();
    assert!((6..=12).contains(&connections.len()), "{log:?}");
}

#[tokio::test]
async fn nginx_without_http2_gets_http1() {
    let (nginx, settings) = nginx(false);
    let client = client(settings);
    for path in ["/a", "/b"] {
        let result = fetch_user_supplied(&client, page(nginx.port(), path)).await;
        assert_eq!(text(&result), format!("page {path}"));
    }
    let log = nginx.requests(2);
    assert!(log.iter().all(|request| request.protocol == "HTTP/1.1"), "{log:?}");
    assert_eq!(log[0].connection, log[1].connection);
}

#[tokio::test]
async fn redirect_uses_the_same_connection() {
    let (nginx, settings) = nginx(true);
    let result = fetch_user_supplied(&client(settings), page(nginx.port(), "/old?x")).await;
    assert_eq!((outcome(&result), text(&result)), ("status 200".into(), "page /new".into()));
    assert_eq!(result.hops.len(), 2);
    assert!(result.hops[0].location.as_deref().unwrap().ends_with("/new"));
    let log = nginx.requests(2);
    assert_eq!(log[0].connection, log[1].connection);
}

#[tokio::test]
async fn http2_works_through_a_tunnel() {
    let (nginx, settings) = nginx(true);
    let proxy = ForwardProxy::start().await;
    let proxies = Proxies::all(format!("http://{}", proxy.address()).parse().unwrap());
    let client = client(FetchSettings { proxies, ..settings });
    for path in ["/a", "/b", "/c"] {
        assert_eq!(
            outcome(&fetch_discovered(&client, page(nginx.port(), path)).await),
            "status 200"
        );
    }
    assert!(nginx.requests(3).iter().all(|request| request.protocol == "HTTP/2.0"));
    assert_eq!(proxy.requests().len(), 1);
}

#[tokio::test]
async fn shared_connection_obeys_the_address_policy() {
    let (nginx, settings) = nginx(true);
    let client = client(settings);
    assert_eq!(
        outcome(&fetch_user_supplied(&client, page(nginx.port(), "/a")).await),
        "status 200"
    );
    let result = fetch_discovered(&client, page(nginx.port(), "/b")).await;
    assert_eq!(outcome(&result), "resolves to the private address 127.0.0.1");
    assert_eq!(nginx.requests(1).len(), 1);
}

/// Reaction of the server to a request.
#[derive(Debug, Clone, Copy)]
enum Script {
    /// Responds with 200 and an empty body.
    Respond,
    /// Resets the stream with this error code.
    Reset(u8),
    /// Sends GOAWAY: no stream was processed, and no more are accepted.
    GoAway,
    /// Sends nothing.
    Silence,
    /// Sends an endless sequence of header frames.
    EndlessHeaders,
    /// Sends one header of 100 KiB.
    LargeHeader,
    /// Sends an endless body and ignores the flow-control window.
    EndlessBody,
    /// Sends an unsolicited response (server push).
    Push,
}

/// Error codes of RFC 9113, section 7.
const INTERNAL_ERROR: u8 = 2;
const REFUSED_STREAM: u8 = 7;
const HTTP_1_1_REQUIRED: u8 = 13;

/// Frame types and flags of RFC 9113, section 6.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// `:status: 200` in HPACK.
const STATUS_200: &[u8] = &[0x88];

/// More than any client should read.
const FLOOD_BYTES: usize = 64 << 20;

/// A server that plays one script per request and repeats the last script.
struct ScriptedServer {
    address: SocketAddr,
    counts: Arc<Counts>,
    authority: Authority,
}

/// The numbers of connections, requests and sent bytes of a server.
#[derive(Default)]
struct Counts {
    connections: AtomicUsize,
    requests: AtomicUsize,
    sent: AtomicUsize,
}

impl ScriptedServer {
    async fn start(scripts: &'static [Script], protocols: &[&str]) -> Self {
        let authority = Authority::new();
        let acceptor = authority.acceptor("a.test", 4000, protocols);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let counts = Arc::<Counts>::default();
        let shared = Arc::clone(&counts);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(stream) = acceptor.accept(stream).await else { continue };
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let counts = Arc::clone(&shared);
                tokio::spawn(async move {
                    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                    // A client that disconnects ends only its own connection.
                    let _ = if is_http2 {
                        Peer { stream, counts }.serve(scripts).await
                    } else {
                        tls::respond(stream).await
                    };
                });
            }
        });
        Self { address, counts, authority }
    }

    fn client(&self, settings: FetchSettings) -> Fetcher {
        let resolve = resolving("a.test", self.address).resolve;
        client(FetchSettings { tls_roots: vec![self.authority.der()], resolve, ..settings })
    }

    fn url(&self) -> Url {
        page(self.address.port(), "/")
    }

    /// Returns the number of connections and requests so far.
    fn counts(&self) -> (usize, usize) {
        let count = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
        (count(&self.counts.connections), count(&self.counts.requests))
    }
}

/// A connected client.
struct Peer {
    stream: TlsStream<TcpStream>,
    counts: Arc<Counts>,
}

impl Peer {
    /// Reads frames (RFC 9113, section 4.1) and plays a script for each request.
    async fn serve(&mut self, scripts: &[Script]) -> io::Result<()> {
        // Skip the client's connection preface.
        self.stream.read_exact(&mut [0; 24]).await?;
        self.send(SETTINGS, 0, [0; 4], &[]).await?;
        loop {
            let mut head = [0; 9];
            self.stream.read_exact(&mut head).await?;
            let [high, middle, low, kind, flags, id @ ..] = head;
            let mut payload = vec![0; u32::from_be_bytes([0, high, middle, low]) as usize];
            self.stream.read_exact(&mut payload).await?;
            match kind {
                SETTINGS if flags & ACK == 0 => self.send(SETTINGS, ACK, [0; 4], &[]).await?,
                HEADERS => {
                    let number = self.counts.requests.fetch_add(1, Ordering::SeqCst);
                    self.play(scripts[number.min(scripts.len() - 1)], id).await?;
                }
                _ => {}
            }
        }
    }

    /// Sends the frames of a script in the stream with this id.
    async fn play(&mut self, script: Script, id: [u8; 4]) -> io::Result<()> {
        match script {
            Script::Respond => self.send(HEADERS, END_HEADERS | END_STREAM, id, STATUS_200).await,
            Script::Reset(code) => self.send(RST_STREAM, 0, id, &[0, 0, 0, code]).await,
            Script::GoAway => self.send(GOAWAY, 0, [0; 4], &[0; 8]).await,
            Script::Silence => Ok(()),
            Script::EndlessHeaders => {
                self.send(HEADERS, 0, id, STATUS_200).await?;
                self.flood(CONTINUATION, id, &header(1000)).await
            }
            Script::LargeHeader => {
                self.send(HEADERS, 0, id, STATUS_200).await?;
                for chunk in header(100 << 10).chunks(16 << 10) {
                    self.send(CONTINUATION, 0, id, chunk).await?;
                }
                self.send(CONTINUATION, END_HEADERS, id, &[]).await
            }
            Script::EndlessBody => {
                self.send(HEADERS, END_HEADERS, id, STATUS_200).await?;
                self.flood(DATA, id, &[b'a'; 16 << 10]).await
            }
            Script::Push => {
                let promise = [&[0, 0, 0, 2][..], &[0x82, 0x84, 0x87]].concat();
                self.send(PUSH_PROMISE, END_HEADERS, id, &promise).await?;
                self.send(HEADERS, END_HEADERS | END_STREAM, id, STATUS_200).await
            }
        }
    }

    /// Repeats a frame until [`FLOOD_BYTES`] are sent.
    async fn flood(&mut self, kind: u8, id: [u8; 4], payload: &[u8]) -> io::Result<()> {
        while self.counts.sent.load(Ordering::SeqCst) < FLOOD_BYTES {
            self.send(kind, 0, id, payload).await?;
        }
        Ok(())
    }

    /// Sends a frame.
    async fn send(&mut self, kind: u8, flags: u8, id: [u8; 4], payload: &[u8]) -> io::Result<()> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let frame = [&length[1..], &[kind, flags], &id, payload].concat();
        self.stream.write_all(&frame).await?;
        self.stream.flush().await?;
        self.counts.sent.fetch_add(frame.len(), Ordering::SeqCst);
        Ok(())
    }
}

/// An unindexed HPACK header `x` with a value of this length.
fn header(length: usize) -> Vec<u8> {
    let mut bytes = vec![0, 1, b'x', 0x7f];
    let mut rest = length - 127;
    while rest >= 128 {
        bytes.push(u8::try_from(rest % 128).unwrap() | 128);
        rest /= 128;
    }
    bytes.push(u8::try_from(rest).unwrap());
    bytes.resize(bytes.len() + length, b'a');
    bytes
}

/// Checks the outcome of a request and the numbers of connections and requests that the
/// server counts.
async fn check(scripts: &'static [Script], expect: &str, counts: (usize, usize)) {
    let server = ScriptedServer::start(scripts, &["h2", "http/1.1"]).await;
    let started = Instant::now();
    let result = fetch_user_supplied(&server.client(FetchSettings::default()), server.url()).await;
    assert_eq!(outcome(&result), expect, "{scripts:?}");
    assert_eq!(server.counts(), counts, "{scripts:?}");
    assert!(started.elapsed() < Duration::from_secs(5), "{scripts:?}");
    let sent = server.counts.sent.load(Ordering::SeqCst);
    assert!(sent < 16 << 20, "{scripts:?}: {sent}");
}

#[tokio::test]
async fn unprocessed_request_is_retried_once_on_a_new_connection() {
    check(&[Script::Respond], "status 200", (1, 1)).await;
    check(const { &[Script::Reset(REFUSED_STREAM), Script::Respond] }, "status 200", (2, 2)).await;
    check(&[Script::GoAway, Script::Respond], "status 200", (2, 2)).await;
    check(const { &[Script::Reset(REFUSED_STREAM)] }, "connection reset", (2, 2)).await;
    check(&[Script::GoAway], "connection closed without a response", (2, 2)).await;
}

#[tokio::test]
async fn failed_request_is_not_retried() {
    check(const { &[Script::Reset(INTERNAL_ERROR)] }, "connection reset", (1, 1)).await;
    check(&[Script::EndlessHeaders], "response headers too large", (1, 1)).await;
    check(&[Script::LargeHeader], "response headers too large", (1, 1)).await;
    check(&[Script::Push], "response is not HTTP", (1, 1)).await;
}

#[tokio::test]
async fn http1_is_used_if_the_server_requires_it() {
    let scripts = const { &[Script::Reset(HTTP_1_1_REQUIRED)] };
    let server = ScriptedServer::start(scripts, &["h2", "http/1.1"]).await;
    let client = server.client(FetchSettings::default());
    for _ in 0..3 {
        let result = fetch_user_supplied(&client, server.url()).await;
        assert_eq!(outcome(&result), "status 200");
        assert_eq!(text(&result), "ok");
    }
    assert_eq!(server.counts(), (2, 1));
}

#[tokio::test]
async fn body_beyond_the_window_is_an_error() {
    check(&[Script::EndlessBody], "truncated response", (1, 1)).await;
}

#[tokio::test]
async fn unresponsive_connection_is_not_reused() {
    let scripts = &[Script::Respond, Script::Silence, Script::Respond];
    let server = ScriptedServer::start(scripts, &["h2"]).await;
    let client = server.client(FetchSettings::default());
    assert_eq!(outcome(&fetch_user_supplied(&client, server.url()).await), "status 200");
    let options =
        RequestOptions { timeout: Some(Duration::from_millis(100)), ..RequestOptions::default() };
    let request = request(server.url(), RequestRights::user_supplied(), options);
    let result = client.fetch(request).await;
    assert_eq!(outcome(&result), "timed out (waiting for the response headers)");
    assert_eq!(outcome(&fetch_user_supplied(&client, server.url()).await), "status 200");
    assert_eq!(server.counts(), (2, 3));
}

/// Starts a server that sends endless bodies and respects the client's flow-control
/// windows.
async fn serve_endless_bodies(authority: &Authority, counts: &Arc<Counts>) -> SocketAddr {
    let acceptor = authority.acceptor("a.test", 4000, &["h2"]);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let counts = Arc::clone(counts);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            counts.connections.fetch_add(1, Ordering::SeqCst);
            let counts = Arc::clone(&counts);
            tokio::spawn(async move {
                let mut connection = h2::server::handshake(stream).await.unwrap();
                while let Some(Ok((_, respond))) = connection.accept().await {
                    tokio::spawn(send_endless_body(respond, Arc::clone(&counts)));
                }
            });
        }
    });
    address
}

async fn send_endless_body(mut respond: h2::server::SendResponse<Bytes>, counts: Arc<Counts>) {
    let Ok(mut body) = respond.send_response(Response::new(()), false) else { return };
    loop {
        body.reserve_capacity(16 << 10);
        let Some(Ok(capacity)) = std::future::poll_fn(|cx| body.poll_capacity(cx)).await else {
            return;
        };
        if body.send_data(vec![b'a'; capacity].into(), false).is_err() {
            return;
        }
        counts.sent.fetch_add(capacity, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn endless_body_stops_at_the_limit_and_the_connection_stays_open() {
    let (authority, counts) = (Authority::new(), Arc::<Counts>::default());
    let address = serve_endless_bodies(&authority, &counts).await;
    let roots = vec![authority.der()];
    let client = client(FetchSettings { tls_roots: roots, ..resolving("a.test", address) });
    for _ in 0..3 {
        let result = fetch_user_supplied(&client, page(address.port(), "/")).await;
        let body = result.body.as_ref().unwrap();
        assert_eq!((outcome(&result), body.is_truncated), ("status 200".into(), true));
        assert_eq!(body.bytes.len(), FetchSettings::default().max_text_bytes);
    }
    assert_eq!(counts.connections.load(Ordering::SeqCst), 1);
    // Three bodies, plus what the flow-control windows allow beyond each.
    let sent = counts.sent.load(Ordering::SeqCst);
    assert!(sent < 3 << 20, "{sent}");
}
