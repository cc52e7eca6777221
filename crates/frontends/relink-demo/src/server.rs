//! A very small HTTP server: one request for each connection.
//!
//! It is written by hand because half of what it does is wrong on purpose.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::answer::CannedResponse;
use crate::behavior::{Behavior, not_found, say};
use crate::faults::{self, STEPS};
use crate::hosts::SitePorts;
use crate::season::Calendar;
use crate::visit::{Request, Visit};
use crate::{pages, portal, sites};

/// The longest request head read.
const HEAD_CAP: usize = 16 * 1024;
/// The first byte of every TLS handshake (RFC 8446 §5.1).
const TLS_HANDSHAKE: u8 = 22;
/// The wait after the system could not accept, for it will not at once.
pub(crate) const RECOVERY: Duration = Duration::from_millis(10);

/// What stands at an address.
#[derive(Debug)]
enum Route {
    /// A good page, as HTML.
    Page(String),
    /// Something else.
    Behavior(Behavior),
}

/// The sites as they stand, and who has been there.
#[derive(Debug)]
struct Sites {
    ports: SitePorts,
    /// By host and path, as visitors send them.
    routes: HashMap<String, Route>,
    calendar: Arc<Calendar>,
    visitors: Mutex<VisitorBook>,
}

/// How often somebody has come.
#[derive(Debug, Default)]
struct VisitorBook {
    all: u64,
    /// By host, path and query.
    by_address: HashMap<String, u32>,
}

/// Serves the sites until it is dropped.
pub(crate) async fn serve(listener: TcpListener, ports: SitePorts, calendar: Arc<Calendar>) {
    let sites = Arc::new(Sites::new(ports, calendar));
    let mut visits = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let sites = Arc::clone(&sites);
                // A visitor who leaves early is no fault of ours.
                visits.spawn(async move { _ = sites.receive(stream).await });
            }
            Err(_) => tokio::time::sleep(RECOVERY).await,
        }
        while visits.try_join_next().is_some() {}
    }
}

impl Sites {
    fn new(ports: SitePorts, calendar: Arc<Calendar>) -> Self {
        let pages = pages::all().into_iter().map(|page| {
            let html = ports.fill(&page.html());
            (page.place(), Route::Page(html))
        });
        let faults = faults::all().map(|fault| (fault.url, fault.behavior));
        let behaviors = faults
            .chain(STEPS.iter().copied())
            .filter(|(_, behavior)| !matches!(behavior, Behavior::Absent | Behavior::BySite))
            .map(|(address, behavior)| (place_of(address), Route::Behavior(behavior)));
        let portal = portal::pages()
            .map(|(path, html)| (format!("{}{path}", portal::PORTAL), Route::Page(html)));
        let routes = pages.chain(portal).chain(behaviors).collect();
        Self { ports, routes, calendar, visitors: Mutex::default() }
    }

    async fn receive(&self, mut stream: TcpStream) -> io::Result<()> {
        // Only the encryption fault comes with no request: it is hung up on.
        let Some(request) = read_request(&mut stream).await? else {
            return Ok(());
        };
        let visit = self.note(request);
        let place = format!("{}{}", visit.request.host, visit.request.path);
        let answer = match self.routes.get(&place) {
            Some(Route::Page(html)) => CannedResponse::page(html.clone()),
            Some(Route::Behavior(behavior)) => {
                return behavior.perform(stream, &visit, self.ports).await;
            }
            None => sites::answer(&visit).unwrap_or_else(not_found),
        };
        say(&mut stream, &answer.written(&visit.request)).await
    }

    /// Enters a visitor into the book.
    fn note(&self, request: Request) -> Visit {
        let mut book = self.visitors.lock().unwrap_or_else(PoisonError::into_inner);
        book.all += 1;
        let address = format!("{}{}", request.host, request.target());
        let turns = book.by_address.entry(address).or_default();
        *turns += 1;
        let turn = *turns;
        Visit { turn, number: book.all, season: self.calendar.season(), request }
    }
}

/// The host and path of an address, as a visitor sends them.
fn place_of(address: &str) -> String {
    let bare = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (host, path) = bare.split_once('/').unwrap_or((bare, ""));
    let mut place = format!("{}/", host.to_ascii_lowercase());
    for character in path.chars() {
        if character.is_ascii() {
            place.push(character);
        } else {
            place.extend(character.to_string().bytes().map(|it| format!("%{it:02X}")));
        }
    }
    place
}

/// Reads the head of a request; `None` if none comes.
pub(crate) async fn read_request(stream: &mut TcpStream) -> io::Result<Option<Request>> {
    let mut head = Vec::with_capacity(1024);
    while !head.ends_with(b"\r\n\r\n") {
        let count = stream.read_buf(&mut head).await?;
        if count == 0 || head.len() > HEAD_CAP || head.first() == Some(&TLS_HANDSHAKE) {
            return Ok(None);
        }
    }
    Ok(parse_request(&String::from_utf8_lossy(&head)))
}

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

    #[track_caller]
    fn check(address: &str, expect: &str) {
        assert_eq!(place_of(address), expect);
    }

    #[test]
    fn an_address_is_known_by_host_and_path_as_sent() {
        check("http://press.test/a/b", "press.test/a/b");
        check("https://PRESS.test/", "press.test/");
        check("http://press.test/Zoë", "press.test/Zo%C3%AB");
    }

    #[test]
    fn a_request_is_read_whatever_the_case_of_its_headers() {
        let head = "GET /maze?7 HTTP/1.1\r\nHOST: Press.Test:8080\r\ncookie: a=b\r\n\r\n";
        let request = parse_request(head).unwrap();
        assert_eq!(request.method, "GET");
        assert_eq!(request.host, "press.test");
        assert_eq!(request.path, "/maze");
        assert_eq!(request.query, "7");
        assert!(request.has_cookie);
    }

    #[test]
    fn a_request_without_a_host_is_none() {
        assert!(parse_request("GET / HTTP/1.1\r\n\r\n").is_none());
        assert!(parse_request("\r\n\r\n").is_none());
    }
}
