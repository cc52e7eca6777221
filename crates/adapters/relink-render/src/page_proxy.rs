//! Loopback proxy of one page.
//!
//! Each page has its own proxy, and the browser sends all requests of the page through
//! it. Every connection is therefore opened through [`Dial`], which applies the address
//! policy with the rights of that page. A private host that the user supplied is
//! accessible only to its own page.
//!
//! A refused request receives no response, because a response of the proxy would look
//! like a response of the host.

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
use hyper::upgrade::{self, OnUpgrade};
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

/// Headers that are not forwarded: hop-by-hop headers (RFC 9110, section
/// 7.6.1), and `Alt-Svc`, which lets the browser connect to other servers
/// without the proxy.
const REMOVED_HEADERS: [HeaderName; 10] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    ALT_SVC,
];

/// A response body: the body of the server, or an empty body.
type Body = BoxBody<Bytes, hyper::Error>;

/// Reason why the browser gets no response. The connection is closed instead.
#[derive(Debug, Error)]
enum ProxyError {
    #[error("not a proxy request")]
    NotAProxyRequest,
    #[error("too many connections")]
    TooManyConnections,
    #[error("{0}")]
    DialFailed(FetchOutcome),
    #[error("the connection to the host failed")]
    Http(#[from] hyper::Error),
    #[error("the host demands proxy authentication")]
    UnexpectedProxyAuth,
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HostPort {
    host: String,
    port: u16,
}

impl HostPort {
    fn from_url(url: &Url) -> Option<Self> {
        let host = url.host_str()?.to_owned();
        Some(Self { host, port: url.port_or_known_default()? })
    }
}

/// The proxy of a page. Dropping it closes all connections.
pub(crate) struct PageProxy {
    address: SocketAddr,
    service: Arc<ProxyService>,
    _server: JoinSet<()>,
}

impl PageProxy {
    /// Starts a proxy for the page at `url`.
    pub async fn start(
        url: &Url,
        rights: RequestRights,
        dial: Arc<dyn Dial>,
        settings: &RenderSettings,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let service = Arc::new(ProxyService {
            dial,
            page_host: HostPort::from_url(url),
            rights,
            max_connections: settings.max_requests,
            budget: Arc::new(ByteBudget::new(settings.max_traffic_bytes)),
            stats: Mutex::default(),
            tasks: Mutex::default(),
        });
        let mut server_task = JoinSet::new();
        server_task.spawn(serve(listener, Arc::clone(&service)));
        Ok(Self { address, service, _server: server_task })
    }

    /// Returns the URL of the proxy for the browser.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the number of connections refused by the address policy or the
    /// limit.
    pub fn refused_connections(&self) -> usize {
        self.service.stats().refused
    }

    /// Returns the outcome of a failed connection to the page's own host.
    pub fn page_host_outcome(&self) -> Option<FetchOutcome> {
        self.service.stats().page_host_outcome.clone()
    }
}

/// Handles the proxy requests of a page and counts them.
struct ProxyService {
    dial: Arc<dyn Dial>,
    /// The page's own host and port.
    page_host: Option<HostPort>,
    rights: RequestRights,
    max_connections: usize,
    budget: Arc<ByteBudget>,
    stats: Mutex<ProxyStats>,
    /// Tasks that transfer bytes between the browser and hosts.
    tasks: Mutex<JoinSet<()>>,
}

/// The counters of a proxy.
#[derive(Default)]
struct ProxyStats {
    connections: usize,
    refused: usize,
    page_host_outcome: Option<FetchOutcome>,
}

impl ProxyService {
    fn stats(&self) -> MutexGuard<'_, ProxyStats> {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a task that ends with the proxy.
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }

    /// Handles a request of the browser.
    async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, ProxyError> {
        if request.method() == Method::CONNECT {
            self.open_tunnel(request).await
        } else {
            self.forward(request).await
        }
    }

    /// Opens a tunnel, through which the browser sends encrypted data to a
    /// host.
    async fn open_tunnel(&self, request: Request<Incoming>) -> Result<Response<Body>, ProxyError> {
        let url = tunnel_url(request.uri()).ok_or(ProxyError::NotAProxyRequest)?;
        let host = self.connect(&url).await?;
        self.spawn(tunnel(upgrade::on(request), host));
        Ok(Response::new(empty_body()))
    }

    /// Forwards a request to a host.
    async fn forward(&self, mut request: Request<Incoming>) -> Result<Response<Body>, ProxyError> {
        let url = forward_url(request.uri()).ok_or(ProxyError::NotAProxyRequest)?;
        let host = self.connect(&url).await?;
        let (mut sender, connection) = client::handshake(TokioIo::new(host)).await?;
        // The browser receives errors through the response or its body.
        self.spawn(async move { drop(connection.await) });
        retarget(&mut request, &url).ok_or(ProxyError::NotAProxyRequest)?;
        let mut response = sender.send_request(request).await?;
        if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            return Err(ProxyError::UnexpectedProxyAuth);
        }
        strip_hop_by_hop_headers(response.headers_mut());
        Ok(response.map(BodyExt::boxed))
    }

    /// Connects to a host. All connections of the page are opened here.
    async fn connect(&self, url: &Url) -> Result<MeteredConnection, ProxyError> {
        self.count_connection()?;
        let is_page_host = HostPort::from_url(url) == self.page_host;
        let rights = if is_page_host { self.rights } else { RequestRights::discovered() };
        match self.dial.dial(url, rights).await {
            Ok(connection) => Ok(MeteredConnection::new(connection, Arc::clone(&self.budget))),
            Err(outcome) => {
                self.record_failure(&outcome, is_page_host);
                Err(ProxyError::DialFailed(outcome))
            }
        }
    }

    /// Counts a connection. Refuses the connection if the limit is reached.
    fn count_connection(&self) -> Result<(), ProxyError> {
        let mut stats = self.stats();
        if stats.connections >= self.max_connections {
            stats.refused += 1;
            return Err(ProxyError::TooManyConnections);
        }
        stats.connections += 1;
        Ok(())
    }

    /// Records the outcome of a failed connection to a host.
    fn record_failure(&self, outcome: &FetchOutcome, is_page_host: bool) {
        let mut stats = self.stats();
        if matches!(outcome, FetchOutcome::PrivateAddress(_)) {
            stats.refused += 1;
        }
        if is_page_host {
            stats.page_host_outcome = Some(outcome.clone());
        }
    }
}

/// Accepts connections of the browser.
async fn serve(listener: TcpListener, service: Arc<ProxyService>) {
    let mut connections = JoinSet::new();
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            connections.spawn(serve_connection(stream, Arc::clone(&service)));
        }
        while connections.try_join_next().is_some() {}
    }
}

/// Handles the requests of one connection.
async fn serve_connection(stream: TcpStream, service: Arc<ProxyService>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| Arc::clone(&service).handle(request));
    let connection = server::Builder::new().serve_connection(TokioIo::new(stream), service);
    // Ignore the error: the browser reports it.
    let _ = connection.with_upgrades().await;
}

/// Copies bytes between the browser and a host in both directions.
async fn tunnel(browser: OnUpgrade, mut host: MeteredConnection) {
    if let Ok(browser) = browser.await {
        let _ = copy_bidirectional(&mut TokioIo::new(browser), &mut host).await;
    }
}

fn empty_body() -> Body {
    Empty::new().map_err(|never| match never {}).boxed()
}

/// Returns the target of a CONNECT request, which must consist of host and port only. The
/// URL parser that reads the target here also determines the host to connect to. Therefore the
/// text cannot mean two different hosts.
fn tunnel_url(uri: &Uri) -> Option<Url> {
    let url = Url::parse(&format!("https://{}/", uri.authority()?)).ok()?;
    let is_host_and_port =
        url.username().is_empty() && url.password().is_none() && url.path() == "/";
    (is_host_and_port && url.has_host()).then_some(url)
}

/// Returns the target of a forwarded request, which is an absolute URL. Clients that
/// mistake the proxy for a website send only a path.
fn forward_url(uri: &Uri) -> Option<Url> {
    let url = Url::parse(&uri.to_string()).ok()?;
    (url.scheme() == "http" && url.has_host()).then_some(url)
}

/// Converts a proxy request to a request for the host.
fn retarget(request: &mut Request<Incoming>, url: &Url) -> Option<()> {
    strip_hop_by_hop_headers(request.headers_mut());
    let path = &url[Position::BeforePath..Position::AfterQuery];
    *request.uri_mut() = path.parse().ok()?;
    let host = &url[Position::BeforeHost..Position::AfterPort];
    request.headers_mut().insert(HOST, HeaderValue::from_str(host).ok()?);
    Some(())
}

/// Removes headers that concern only the connection between browser and proxy.
fn strip_hop_by_hop_headers(headers: &mut HeaderMap) {
    for name in REMOVED_HEADERS {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the URL of a CONNECT request.
    #[track_caller]
    fn check_tunnel(uri: &str, expect: Option<&str>) {
        let url = tunnel_url(&uri.parse().unwrap());
        assert_eq!(url.as_ref().map(Url::as_str), expect, "{uri}");
    }

    #[test]
    fn tunnel_url_is_host_and_port() {
        check_tunnel("a.test:443", Some("https://a.test/"));
        check_tunnel("a.test:80", Some("https://a.test:80/"));
        check_tunnel("0x7f.1:80", Some("https://127.0.0.1:80/"));
        check_tunnel("[::1]:81", Some("https://[::1]:81/"));
        check_tunnel("/path", None);
        check_tunnel("user:word@a.test:443", None);
    }

    /// Checks the URL of a request to forward.
    #[track_caller]
    fn check_forward(uri: &str, expect: Option<&str>) {
        let url = forward_url(&uri.parse().unwrap());
        assert_eq!(url.as_ref().map(Url::as_str), expect, "{uri}");
    }

    #[test]
    fn forward_url_accepts_only_proxy_requests() {
        check_forward("http://a.test/b?c", Some("http://a.test/b?c"));
        check_forward("http://2130706433/", Some("http://127.0.0.1/"));
        check_forward("/b?c", None);
        check_forward("*", None);
        check_forward("https://a.test/", None);
        check_forward("ftp://a.test/", None);
    }

    #[test]
    fn host_port_compares_host_and_port() {
        let host_port = |text: &str| HostPort::from_url(&Url::parse(text).unwrap());
        assert_eq!(host_port("http://a.test/x"), host_port("https://a.test:80/y"));
        for other in ["http://b.test/", "http://a.test:81/", "https://a.test/"] {
            assert_ne!(host_port("http://a.test/"), host_port(other), "{other}");
        }
    }
}
