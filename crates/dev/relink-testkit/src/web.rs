//! A small, well-behaved web server for tests, on 127.0.0.1.
//!
//! It answers what it was told to, for each host and path, and remembers who
//! asked. It runs on the caller's runtime ([`Web::start`]) or on a thread of
//! its own ([`Web::start_blocking`]), for tests that run a program.
//!
//! ```
//! use relink_testkit::web::{Answer, Web};
//! let web = Web::start_blocking();
//! web.page("/a", 200, "<title>A</title>");
//! web.redirect("/old", 301, "/a");
//! web.sequence("/flaky", [Answer::new(503, ""), Answer::new(200, "up again")]);
//! assert_eq!(web.url("/a").path(), "/a");
//! assert_eq!(web.hits("/a"), 0);
//! ```

mod answer;
mod serve;
mod site;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::oneshot;
use url::Url;

pub use answer::CannedResponse;
pub(crate) use serve::read_request;
pub use site::RecordedRequest;
use site::{Maker, Site};

/// A scripted web server; it stops when dropped.
#[derive(Debug)]
pub struct TestServer {
    address: SocketAddr,
    site: Arc<Mutex<Site>>,
    // Dropping the sender stops the server.
    _stop: oneshot::Sender<()>,
}

impl TestServer {
    /// Starts one on a free port, on the caller's runtime.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port.
    #[expect(clippy::unused_async, reason = "says that a runtime is needed")]
    pub async fn start() -> Self {
        let (web, server) = Self::prepare();
        tokio::spawn(server);
        web
    }

    /// Starts one on a free port, on a thread of its own.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port, or the system no thread.
    pub fn start_blocking() -> Self {
        let (web, server) = Self::prepare();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("the system gives what a runtime needs");
        thread::spawn(move || runtime.block_on(server));
        web
    }

    fn prepare() -> (Self, impl Future<Output = ()> + Send + 'static) {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        listener.set_nonblocking(true).expect("a listener can be made non-blocking");
        let address = listener.local_addr().expect("a bound socket has an address");
        let site = Arc::<Mutex<Site>>::default();
        let (stop, stopped) = oneshot::channel();
        let server = serve::serve(listener, Arc::clone(&site), stopped);
        let web = Self { address, site, _stop: stop };
        (web, server)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The URL of a path, by address.
    pub fn url(&self, path: &str) -> Url {
        self.url_at(&self.address.ip().to_string(), path)
    }

    /// The URL of a path, by host name; who asks must know its address.
    ///
    /// # Panics
    ///
    /// Panics if host and path make no URL.
    pub fn url_at(&self, host: &str, path: &str) -> Url {
        let text = format!("http://{host}:{}{path}", self.port());
        Url::parse(&text).unwrap_or_else(|_| panic!("`{text}` is a URL"))
    }

    /// Answers a path with an HTML page, whatever the host.
    pub fn page(&self, path: &str, status: u16, body: &str) -> &Self {
        self.sequence(path, [CannedResponse::new(status, body)])
    }

    /// Answers a path with a redirect, whatever the host.
    pub fn redirect(&self, path: &str, status: u16, location: &str) -> &Self {
        self.sequence(path, [CannedResponse::redirect(status, location)])
    }

    /// Answers a path with this, whatever the host.
    pub fn answer(&self, path: &str, answer: CannedResponse) -> &Self {
        self.sequence(path, [answer])
    }

    /// Answers a path with one after the other, whatever the host; the last
    /// one stays.
    pub fn sequence(&self, path: &str, answers: impl IntoIterator<Item = CannedResponse>) -> &Self {
        self.site().set(None, path, answers);
        self
    }

    /// Answers every path below a directory that has no answer of its own,
    /// whatever the host; of several directories the innermost counts.
    pub fn below(&self, directory: &str, answer: CannedResponse) -> &Self {
        self.made_below(directory, move |_| answer.clone())
    }

    /// The same with answers made up as they are asked for, for sites without
    /// end.
    pub fn made_below(
        &self,
        directory: &str,
        make: impl Fn(&RecordedRequest) -> CannedResponse + Send + Sync + 'static,
    ) -> &Self {
        self.site().catch_all(directory, Maker::new(make));
        self
    }

    /// What one virtual host answers, before what all do.
    pub fn host<'a>(&'a self, name: &'a str) -> VirtualHost<'a> {
        VirtualHost { web: self, name }
    }

    /// How often a path was asked for, on any host. The path is as requested,
    /// its query included.
    pub fn hits(&self, path: &str) -> usize {
        let site = self.site();
        site.seen.iter().filter(|seen| seen.path == path).count()
    }

    /// How many requests came so far.
    pub fn request_count(&self) -> usize {
        self.site().seen.len()
    }

    /// Every request so far, in the order they came.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.site().seen.clone()
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.site().connections
    }

    /// The most requests that ever waited for their answers together.
    pub fn most_at_once(&self) -> usize {
        self.site().most_waiting
    }

    fn site(&self) -> MutexGuard<'_, Site> {
        self.site.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One host name of a [`Web`].
#[derive(Debug, Clone, Copy)]
pub struct VirtualHost<'a> {
    web: &'a TestServer,
    name: &'a str,
}

impl VirtualHost<'_> {
    /// Answers a path of this host with an HTML page.
    pub fn page(&self, path: &str, status: u16, body: &str) -> &Self {
        self.sequence(path, [CannedResponse::new(status, body)])
    }

    /// Answers a path of this host with a redirect.
    pub fn redirect(&self, path: &str, status: u16, location: &str) -> &Self {
        self.sequence(path, [CannedResponse::redirect(status, location)])
    }

    /// Answers a path of this host with one after the other; the last stays.
    pub fn sequence(&self, path: &str, answers: impl IntoIterator<Item = CannedResponse>) -> &Self {
        self.web.site().set(Some(self.name), path, answers);
        self
    }

    /// The URL of a path on this host; who asks must know its address.
    pub fn url(&self, path: &str) -> Url {
        self.web.url_at(self.name, path)
    }

    /// How often a path of this host was asked for.
    pub fn hits(&self, path: &str) -> usize {
        let site = self.web.site();
        let here = |seen: &&RecordedRequest| seen.host == self.name && seen.path == path;
        site.seen.iter().filter(here).count()
    }
}
