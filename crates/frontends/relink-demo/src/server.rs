//! A minimal HTTP server that handles one request per connection.
//!
//! This module does not use an HTTP library, because many responses are malformed on
//! purpose.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::behavior::{Behavior, not_found, send};
use crate::faults::{self, REDIRECT_STEPS};
use crate::hosts::SitePorts;
use crate::received_request::{ReceivedRequest, Request};
use crate::response::CannedResponse;
use crate::simulated_time::SimulatedClock;
use crate::{pages, portal, sites};

/// Maximum size of a request head.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// The first byte of every TLS handshake (RFC 8446 §5.1).
const TLS_HANDSHAKE: u8 = 22;
/// Delay after a failed `accept`. Without a delay, the next `accept` would fail too, usually
/// because too many files are open.
pub(crate) const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(10);

/// The response of a URL.
#[derive(Debug)]
enum Route {
    /// A good page, as HTML.
    Page(String),
    /// Another behavior.
    Behavior(Behavior),
}

/// The state of the server: all sites, and the numbers of their requests.
#[derive(Debug)]
struct ServerState {
    ports: SitePorts,
    /// Routes by host and path, as clients send them.
    routes: HashMap<String, Route>,
    clock: Arc<SimulatedClock>,
    counts: Mutex<RequestCounts>,
}

/// Numbers of requests.
#[derive(Debug, Default)]
struct RequestCounts {
    total: u64,
    /// Counts by host, path and query.
    by_url: HashMap<String, u32>,
}

/// Serves the sites until the future is dropped.
pub(crate) async fn serve(listener: TcpListener, ports: SitePorts, clock: Arc<SimulatedClock>) {
    let state = Arc::new(ServerState::new(ports, clock));
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let state = Arc::clone(&state);
                // Ignore the error: the client closed the connection.
                connections.spawn(async move { _ = state.handle(stream).await });
            }
            Err(_) => tokio::time::sleep(ACCEPT_RETRY_DELAY).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

impl ServerState {
    fn new(ports: SitePorts, clock: Arc<SimulatedClock>) -> Self {
        let pages = pages::all().into_iter().map(|page| {
            let html = ports.insert_ports(&page.html());
            (page.route_key(), Route::Page(html))
        });
        let is_routed =
            |behavior: Behavior| !matches!(behavior, Behavior::NotServed | Behavior::BySite);
        let behaviors = faults::all()
            .map(|fault| (fault.url, fault.behavior))
            .chain(REDIRECT_STEPS.iter().copied())
            .filter(|(_, behavior)| is_routed(*behavior))
            .map(|(url, behavior)| (route_key(url), Route::Behavior(behavior)));
        let portal = portal::pages()
            .map(|(path, html)| (format!("{}{path}", portal::PORTAL), Route::Page(html)));
        let routes = pages.chain(portal).chain(behaviors).collect();
        Self { ports, routes, clock, counts: Mutex::default() }
    }

    /// Handles one request of a connection.
    async fn handle(&self, mut stream: TcpStream) -> io::Result<()> {
        // Without a request, for example after a TLS handshake, close the connection.
        let Some(request) = read_request(&mut stream).await? else {
            return Ok(());
        };
        let received = self.count_request(request);
        let key = format!("{}{}", received.request.host, received.request.path);
        let response = match self.routes.get(&key) {
            Some(Route::Page(html)) => CannedResponse::page(html.clone()),
            Some(Route::Behavior(behavior)) => {
                return behavior.perform(stream, &received, self.ports).await;
            }
            None => sites::respond(&received).unwrap_or_else(not_found),
        };
        send(&mut stream, &response.to_http(&received.request)).await
    }

    /// Counts a request. Returns the request with its position among all requests and among
    /// the requests for its URL.
    fn count_request(&self, request: Request) -> ReceivedRequest {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.total += 1;
        let nth_overall = counts.total;
        let url = format!("{}{}", request.host, request.target());
        let url_count = counts.by_url.entry(url).or_default();
        *url_count += 1;
        let nth_for_url = *url_count;
        ReceivedRequest { nth_for_url, nth_overall, time: self.clock.time(), request }
    }
}

/// Returns the host and path of a URL, as a client sends them: `press.test/Zo%C3%AB` for
/// `http://PRESS.test/Zoë`.
fn route_key(url: &str) -> String {
    let without_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, path) = without_scheme.split_once('/').unwrap_or((without_scheme, ""));
    let mut key = format!("{}/", host.to_ascii_lowercase());
    for character in path.chars() {
        if character.is_ascii() {
            key.push(character);
        } else {
            key.extend(character.to_string().bytes().map(|byte| format!("%{byte:02X}")));
        }
    }
    key
}

/// Reads the head of a request. Returns `None` if there is no valid head.
pub(crate) async fn read_request(stream: &mut TcpStream) -> io::Result<Option<Request>> {
    let mut head = Vec::with_capacity(1024);
    while !head.ends_with(b"\r\n\r\n") {
        let count = stream.read_buf(&mut head).await?;
        if count == 0 || head.len() > MAX_HEAD_BYTES || head.first() == Some(&TLS_HANDSHAKE) {
            return Ok(None);
        }
    }
    Ok(parse_request(&String::from_utf8_lossy(&head)))
}

/// Parses the head of a request.
fn parse_request(head: &str) -> Option<Request> {
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(':')).collect();
    let header = |name: &str| {
        let found = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    };
    let host = header("host")?.split(':').next()?;
    Some(Request {
        method: method.to_owned(),
        host: host.to_ascii_lowercase(),
        path: path.to_owned(),
        query: query.to_owned(),
        has_cookie: header("cookie").is_some(),
        accept_datetime: header("accept-datetime").map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the route key of a URL.
    #[track_caller]
    fn check(url: &str, expected: &str) {
        assert_eq!(route_key(url), expected);
    }

    #[test]
    fn route_key_is_host_and_path_as_sent() {
        check("http://press.test/a/b", "press.test/a/b");
        check("https://PRESS.test/", "press.test/");
        check("http://press.test/Zoë", "press.test/Zo%C3%AB");
    }

    #[test]
    fn parse_request_ignores_the_case_of_header_names() {
        let head = "GET /maze?7 HTTP/1.1\r\nHOST: Press.Test:8080\r\ncookie: a=b\r\n\r\n";
        let request = parse_request(head).unwrap();
        assert_eq!(request.method, "GET");
        assert_eq!(request.host, "press.test");
        assert_eq!(request.path, "/maze");
        assert_eq!(request.query, "7");
        assert!(request.has_cookie);
    }

    #[test]
    fn parse_request_rejects_a_request_without_host() {
        assert!(parse_request("GET / HTTP/1.1\r\n\r\n").is_none());
        assert!(parse_request("\r\n\r\n").is_none());
    }
}
