//! The way out for one page: a proxy on loopback that dials for it.
//!
//! Each page has a gate of its own, and the browser sends all that the page
//! asks for through it. So every host a page reaches is reached through
//! [`Dial`], which holds the address policy, and is reached for that page: a
//! private host that the user named is open to its own page and to no other.
//!
//! What is refused gets no answer at all. An answer of ours would pass for one
//! of the host's.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty, combinators::BoxBody};
use hyper::body::Incoming;
use hyper::client::conn::http1 as client;
use hyper::header::{
    ALT_SVC, CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use hyper::server::conn::http1 as server;
use hyper::service::service_fn;
use hyper::upgrade::{OnUpgrade, on};
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use relink_model::{FetchOutcome, RequestRights};
use relink_ports::Dial;
use thiserror::Error;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::{Position, Url};

use crate::byte_budget::{ByteBudget, MeteredConnection};
use crate::settings::RenderSettings;

/// Headers that are for the next machine only (RFC 9110, section 7.6.1), and
/// one that leads to other ways of asking.
const NOT_PASSED_ON: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    ALT_SVC,
];

/// A body, the server's or none.
type Body = BoxBody<Bytes, hyper::Error>;

/// The browser gets no answer; the connection is closed instead.
#[derive(Debug, Error)]
enum ProxyError {
    #[error("not a request for a proxy")]
    Misplaced,
    #[error("too many requests")]
    TooMany,
    #[error("{0}")]
    NotReached(FetchOutcome),
    #[error("the host broke off")]
    BrokenOff(#[from] hyper::Error),
    #[error("the host speaks as if it were a proxy")]
    UnexpectedProxyAuth,
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HostPort {
    host: String,
    port: u16,
}

impl HostPort {
    fn of(url: &Url) -> Option<Self> {
        let host = url.host_str()?.to_owned();
        Some(Self { host, port: url.port_or_known_default()? })
    }
}

/// The open gate of a page; dropping it closes all connections.
pub(crate) struct PageProxy {
    address: SocketAddr,
    warden: Arc<ProxyService>,
    _serving: JoinSet<()>,
}

impl PageProxy {
    /// Opens a gate for the page at `url`.
    pub async fn open(
        url: &Url,
        rights: RequestRights,
        dial: Arc<dyn Dial>,
        settings: &RenderSettings,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let warden = Arc::new(ProxyService {
            dial,
            home: HostPort::of(url),
            rights,
            dial_cap: settings.request_cap,
            allowance: Arc::new(ByteBudget::new(settings.traffic_cap)),
            book: Mutex::default(),
            carriers: Mutex::default(),
        });
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, Arc::clone(&warden)));
        Ok(Self { address, warden, _serving: serving })
    }

    /// The gate as the browser is told of it.
    pub fn proxy(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections were refused, by the policy or by the cap.
    pub fn refused(&self) -> usize {
        self.warden.book().refused
    }

    /// How the page's own host could not be reached, if it could not.
    pub fn home_ending(&self) -> Option<FetchOutcome> {
        self.warden.book().home_ending.clone()
    }
}

/// Who decides at the gate, and writes down what happens.
struct ProxyService {
    dial: Arc<dyn Dial>,
    /// The page's own host and port.
    home: Option<HostPort>,
    rights: RequestRights,
    dial_cap: usize,
    allowance: Arc<ByteBudget>,
    book: Mutex<ProxyStats>,
    /// What carries bytes between the browser and hosts.
    carriers: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct ProxyStats {
    dialed: usize,
    refused: usize,
    home_ending: Option<FetchOutcome>,
}

impl ProxyService {
    fn book(&self) -> MutexGuard<'_, ProxyStats> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn carry(&self, carrier: impl Future<Output = ()> + Send + 'static) {
        let mut carriers = self.carriers.lock().unwrap_or_else(PoisonError::into_inner);
        while carriers.try_join_next().is_some() {}
        carriers.spawn(carrier);
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, ProxyError> {
        if request.method() == Method::CONNECT {
            self.open_tunnel(request).await
        } else {
            self.pass_on(request).await
        }
    }

    /// Lets the browser speak with a host by itself, encrypted.
    async fn open_tunnel(&self, request: Request<Incoming>) -> Result<Response<Body>, ProxyError> {
        let url = tunnel_end(request.uri()).ok_or(ProxyError::Misplaced)?;
        let host = self.reach(&url).await?;
        self.carry(tunnel(on(request), host));
        Ok(Response::new(nothing()))
    }

    /// Asks a host what the browser asks.
    async fn pass_on(&self, mut request: Request<Incoming>) -> Result<Response<Body>, ProxyError> {
        let url = plain_url(request.uri()).ok_or(ProxyError::Misplaced)?;
        let host = self.reach(&url).await?;
        let (mut sender, connection) = client::handshake(TokioIo::new(host)).await?;
        // A failure reaches the browser through the answer or its body.
        self.carry(async move { drop(connection.await) });
        address_to(&mut request, &url).ok_or(ProxyError::Misplaced)?;
        let mut answer = sender.send_request(request).await?;
        if answer.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            return Err(ProxyError::UnexpectedProxyAuth);
        }
        strip(answer.headers_mut());
        Ok(answer.map(BodyExt::boxed))
    }

    /// The only way from the browser to a host.
    async fn reach(&self, url: &Url) -> Result<MeteredConnection, ProxyError> {
        self.admit()?;
        let is_home = HostPort::of(url) == self.home;
        let rights = if is_home { self.rights } else { RequestRights::discovered() };
        match self.dial.dial(url, rights).await {
            Ok(connection) => Ok(MeteredConnection::new(connection, Arc::clone(&self.allowance))),
            Err(ending) => {
                self.note(&ending, is_home);
                Err(ProxyError::NotReached(ending))
            }
        }
    }

    fn admit(&self) -> Result<(), ProxyError> {
        let mut book = self.book();
        if book.dialed >= self.dial_cap {
            book.refused += 1;
            return Err(ProxyError::TooMany);
        }
        book.dialed += 1;
        Ok(())
    }

    fn note(&self, ending: &FetchOutcome, is_home: bool) {
        let mut book = self.book();
        if matches!(ending, FetchOutcome::PrivateAddress(_)) {
            book.refused += 1;
        }
        if is_home {
            book.home_ending = Some(ending.clone());
        }
    }
}

async fn serve(listener: TcpListener, warden: Arc<ProxyService>) {
    let mut visits = JoinSet::new();
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            visits.spawn(attend(stream, Arc::clone(&warden)));
        }
        while visits.try_join_next().is_some() {}
    }
}

async fn attend(stream: TcpStream, warden: Arc<ProxyService>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| Arc::clone(&warden).answer(request));
    let connection = server::Builder::new().serve_connection(TokioIo::new(stream), service);
    // What is wrong with it, the browser knows.
    let _ = connection.with_upgrades().await;
}

async fn tunnel(browser: OnUpgrade, mut host: MeteredConnection) {
    if let Ok(browser) = browser.await {
        let _ = copy_bidirectional(&mut TokioIo::new(browser), &mut host).await;
    }
}

fn nothing() -> Body {
    Empty::new().map_err(|never| match never {}).boxed()
}

/// Where a tunnel is to lead. The URL's parser is the one that connects; what
/// it does not take for a mere host and port is no place.
fn tunnel_end(uri: &Uri) -> Option<Url> {
    let url = Url::parse(&format!("https://{}/", uri.authority()?)).ok()?;
    let is_place = url.username().is_empty() && url.password().is_none() && url.path() == "/";
    (is_place && url.has_host()).then_some(url)
}

/// What a plain request is for. Only a proxy is asked in this form; anything
/// else comes from someone who takes the gate for a website.
fn plain_url(uri: &Uri) -> Option<Url> {
    let url = Url::parse(&uri.to_string()).ok()?;
    (url.scheme() == "http" && url.has_host()).then_some(url)
}

/// Turns a request for a proxy into one for the host itself.
fn address_to(request: &mut Request<Incoming>, url: &Url) -> Option<()> {
    strip(request.headers_mut());
    let path = &url[Position::BeforePath..Position::AfterQuery];
    *request.uri_mut() = path.parse().ok()?;
    let host = &url[Position::BeforeHost..Position::AfterPort];
    request.headers_mut().insert(HOST, HeaderValue::from_str(host).ok()?);
    Some(())
}

fn strip(headers: &mut HeaderMap) {
    headers.remove(UPGRADE);
    for name in NOT_PASSED_ON {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_tunnel(uri: &str, expect: Option<&str>) {
        let url = tunnel_end(&uri.parse().unwrap());
        assert_eq!(url.as_ref().map(Url::as_str), expect, "{uri}");
    }

    #[test]
    fn a_tunnel_leads_to_a_host_and_a_port() {
        check_tunnel("a.test:443", Some("https://a.test/"));
        check_tunnel("a.test:80", Some("https://a.test:80/"));
        check_tunnel("0x7f.1:80", Some("https://127.0.0.1:80/"));
        check_tunnel("[::1]:81", Some("https://[::1]:81/"));
        check_tunnel("/path", None);
        check_tunnel("user:word@a.test:443", None);
    }

    #[track_caller]
    fn check_plain(uri: &str, expect: Option<&str>) {
        let url = plain_url(&uri.parse().unwrap());
        assert_eq!(url.as_ref().map(Url::as_str), expect, "{uri}");
    }

    #[test]
    fn only_what_is_meant_for_a_proxy_is_passed_on() {
        check_plain("http://a.test/b?c", Some("http://a.test/b?c"));
        check_plain("http://2130706433/", Some("http://127.0.0.1/"));
        check_plain("/b?c", None);
        check_plain("*", None);
        check_plain("https://a.test/", None);
        check_plain("ftp://a.test/", None);
    }

    #[test]
    fn places_are_told_apart_by_host_and_port() {
        let place = |text: &str| HostPort::of(&Url::parse(text).unwrap());
        assert_eq!(place("http://a.test/x"), place("https://a.test:80/y"));
        for other in ["http://b.test/", "http://a.test:81/", "https://a.test/"] {
            assert_ne!(place("http://a.test/"), place(other), "{other}");
        }
    }
}
