//! A scripted web server on 127.0.0.1.
//!
//! The server sends canned (prepared) responses by host and path, and records all requests. It
//! runs on the caller's runtime ([`TestServer::start`]) or on its own thread
//! ([`TestServer::start_blocking`]), for tests that run a program.
//!
//! ```
//! use relink_testkit::web::{CannedResponse, TestServer};
//! let server = TestServer::start_blocking();
//! server.page("/a", 200, "<title>A</title>");
//! server.redirect("/old", 301, "/a");
//! server.sequence("/flaky", [CannedResponse::new(503, ""), CannedResponse::new(200, "ok")]);
//! assert_eq!(server.url("/a").path(), "/a");
//! assert_eq!(server.hits("/a"), 0);
//! ```

mod response;
mod serve;
mod site;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::oneshot;
use url::Url;

pub use response::CannedResponse;
pub(crate) use serve::read_request;
pub use site::RecordedRequest;
use site::{ResponseFn, Site};

/// Attempts to find a port that is free on all addresses.
const MAX_BIND_ATTEMPTS: usize = 20;

/// A scripted web server. Stops when dropped.
#[derive(Debug)]
pub struct TestServer {
    address: SocketAddr,
    site: Arc<Mutex<Site>>,
    // Dropping the sender stops the server.
    _stop: oneshot::Sender<()>,
}

impl TestServer {
    /// Starts a server on a free port, on the caller's runtime.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port.
    #[expect(clippy::unused_async, reason = "requires a runtime")]
    pub async fn start() -> Self {
        let (web, server) = Self::prepare(&[Ipv4Addr::LOCALHOST]);
        tokio::spawn(server);
        web
    }

    /// Starts a server on a free port, on its own thread.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port, or if no thread can be started.
    pub fn start_blocking() -> Self {
        Self::start_on(&[Ipv4Addr::LOCALHOST])
    }

    /// Starts a server on the same free port of these loopback addresses, on its own
    /// thread. A request records the address as its host.
    ///
    /// # Panics
    ///
    /// Panics if the addresses have no common free port, or if no thread can be
    /// started.
    pub fn start_on(addresses: &[Ipv4Addr]) -> Self {
        let (web, server) = Self::prepare(addresses);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be created");
        thread::spawn(move || runtime.block_on(server));
        web
    }

    /// Binds the ports. Returns the handle and the server to run.
    fn prepare(addresses: &[Ipv4Addr]) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let listeners = bind_all(addresses);
        let address = listeners[0].local_addr().expect("a bound socket has an address");
        let site = Arc::<Mutex<Site>>::default();
        let (stop, stopped) = oneshot::channel();
        let server = serve::serve(listeners, Arc::clone(&site), stopped);
        let web = Self { address, site, _stop: stop };
        (web, server)
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the port of the server.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the URL of a path with the IP address as the host.
    pub fn url(&self, path: &str) -> Url {
        self.url_at(&self.address.ip().to_string(), path)
    }

    /// Returns the URL of a path with a host name, which the client must resolve.
    ///
    /// # Panics
    ///
    /// Panics if host and path are not a valid URL.
    pub fn url_at(&self, host: &str, path: &str) -> Url {
        let text = format!("http://{host}:{}{path}", self.port());
        Url::parse(&text).unwrap_or_else(|_| panic!("`{text}` is a URL"))
    }

    /// Sets an HTML page as the response for a path of all hosts.
    pub fn page(&self, path: &str, status: u16, body: &str) -> &Self {
        self.sequence(path, [CannedResponse::new(status, body)])
    }

    /// Sets a redirect as the response for a path of all hosts.
    pub fn redirect(&self, path: &str, status: u16, location: &str) -> &Self {
        self.sequence(path, [CannedResponse::redirect(status, location)])
    }

    /// Sets the response for a path of all hosts.
    pub fn respond(&self, path: &str, response: CannedResponse) -> &Self {
        self.sequence(path, [response])
    }

    /// Sets successive responses for a path of all hosts. The last response is
    /// repeated.
    pub fn sequence(
        &self,
        path: &str,
        responses: impl IntoIterator<Item = CannedResponse>,
    ) -> &Self {
        self.site().set(None, path, responses);
        self
    }

    /// Sets the response for all paths of a directory without a response of
    /// their own, for all hosts. The innermost directory takes precedence.
    pub fn respond_below(&self, directory: &str, response: CannedResponse) -> &Self {
        self.respond_below_with(directory, move |_| response.clone())
    }

    /// Like [`Self::respond_below`], with responses created by a function, for endless
    /// sites.
    pub fn respond_below_with(
        &self,
        directory: &str,
        make: impl Fn(&RecordedRequest) -> CannedResponse + Send + Sync + 'static,
    ) -> &Self {
        self.site().catch_all(directory, ResponseFn::new(make));
        self
    }

    /// Returns a virtual host, whose responses take precedence.
    pub fn host<'a>(&'a self, name: &'a str) -> VirtualHost<'a> {
        VirtualHost { server: self, name }
    }

    /// Returns the number of requests for a path, including its query, on any
    /// host.
    pub fn hits(&self, path: &str) -> usize {
        let site = self.site();
        site.requests.iter().filter(|request| request.path == path).count()
    }

    /// Returns the number of requests.
    pub fn request_count(&self) -> usize {
        self.site().requests.len()
    }

    /// Returns all requests in order of arrival.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.site().requests.clone()
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> usize {
        self.site().connections
    }

    /// Returns the maximum number of concurrent requests.
    pub fn max_concurrent(&self) -> usize {
        self.site().max_waiting
    }

    fn site(&self) -> MutexGuard<'_, Site> {
        self.site.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Binds the same free port on all addresses.
fn bind_all(addresses: &[Ipv4Addr]) -> Vec<TcpListener> {
    let bind = |port| -> std::io::Result<Vec<TcpListener>> {
        let mut port = port;
        let mut listeners = Vec::with_capacity(addresses.len());
        for address in addresses {
            let listener = TcpListener::bind((*address, port))?;
            listener.set_nonblocking(true)?;
            port = listener.local_addr()?.port();
            listeners.push(listener);
        }
        Ok(listeners)
    };
    // Port 0 selects a free port of the first address. Another program may use this port on
    // the other addresses.
    let bound = (0..MAX_BIND_ATTEMPTS).find_map(|_| bind(0).ok());
    bound.expect("the addresses have a common free port")
}

/// A virtual host of a [`TestServer`].
#[derive(Debug, Clone, Copy)]
pub struct VirtualHost<'a> {
    server: &'a TestServer,
    name: &'a str,
}

impl VirtualHost<'_> {
    /// Sets an HTML page as the response for a path.
    pub fn page(&self, path: &str, status: u16, body: &str) -> &Self {
        self.sequence(path, [CannedResponse::new(status, body)])
    }

    /// Sets a redirect as the response for a path.
    pub fn redirect(&self, path: &str, status: u16, location: &str) -> &Self {
        self.sequence(path, [CannedResponse::redirect(status, location)])
    }

    /// Sets successive responses for a path. The last response is repeated.
    pub fn sequence(
        &self,
        path: &str,
        responses: impl IntoIterator<Item = CannedResponse>,
    ) -> &Self {
        self.server.site().set(Some(self.name), path, responses);
        self
    }

    /// Returns the URL of a path. The client must resolve the host name.
    pub fn url(&self, path: &str) -> Url {
        self.server.url_at(self.name, path)
    }

    /// Returns the number of requests for a path.
    pub fn hits(&self, path: &str) -> usize {
        let site = self.server.site();
        let is_match =
            |request: &&RecordedRequest| request.host == self.name && request.path == path;
        site.requests.iter().filter(is_match).count()
    }
}
