//! One fetch: requests the URL and follows redirects until an outcome is reached. A hop
//! is one request of the chain and its response.
//!
//! The fetcher cancels the chain at the deadline. The chain stores all intermediate
//! results, so that the fetcher can return them after a cancellation.

use std::net::IpAddr;
use std::time::SystemTime;

use hyper::Response;
use hyper::body::Incoming;
use hyper::header::{LOCATION, RETRY_AFTER, SET_COOKIE};
use jiff::Timestamp;
use relink_model::{FetchOutcome, Hop, InvalidRedirect, Phase};
use relink_ports::{Body, FetchRequest, FetchResult, RedirectMode, RequestOptions, UserAgent};
use url::Url;

use crate::body::{self, BodyLimits};
use crate::connection::HttpConnection;
use crate::connector::Versions;
use crate::cookies::CookieJar;
use crate::fetcher::Fetcher;
use crate::host_dialer::HostDialer;
use crate::outcome;
use crate::policy::AddressPolicy;
use crate::pool::PoolKey;
use crate::proxies::Route;
use crate::proxy_client;
use crate::redirects::{self, RedirectStep};
use crate::request_headers::{self, may_receive_user_headers, same_host_and_port};
use crate::retry_after;
use crate::stopwatch::Stopwatch;
use crate::transport::Transport;

/// A redirect chain in progress.
pub(crate) struct RedirectChain<'a> {
    fetcher: &'a Fetcher,
    /// The URL that the chain started at. Its host receives the headers of the
    /// request.
    start_url: Url,
    /// Whether the host of `start_url` also receives the user-supplied headers.
    has_user_headers: bool,
    user_agent: UserAgent,
    options: RequestOptions,
    /// The URL to request next.
    url: Url,
    /// The IP addresses that the next request may connect to.
    policy: AddressPolicy,
    /// The URLs requested so far, each with the number of cookie changes at
    /// that time.
    visited: Vec<(Url, usize)>,
    jar: CookieJar,
    /// All responses so far.
    hops: Vec<Hop>,
    stopwatch: Stopwatch,
    /// The `Retry-After` value of the last response in seconds.
    retry_after: Option<u64>,
    /// The requested headers of the last response.
    headers: Vec<(String, String)>,
    body: Option<Body>,
}

impl<'a> RedirectChain<'a> {
    /// Creates a chain. Does not send a request.
    pub fn new(fetcher: &'a Fetcher, request: FetchRequest) -> Self {
        let allows_private = request.rights.may_reach_private() || fetcher.settings.allow_private;
        Self {
            fetcher,
            start_url: request.url.clone(),
            has_user_headers: request.rights.may_carry_credentials(),
            user_agent: request.user_agent,
            options: request.options,
            url: request.url,
            policy: if allows_private { AddressPolicy::Any } else { AddressPolicy::GlobalOnly },
            visited: Vec::new(),
            jar: CookieJar::default(),
            hops: Vec::new(),
            stopwatch: Stopwatch::start(),
            retry_after: None,
            headers: Vec::new(),
            body: None,
        }
    }

    /// Sends requests and follows redirects until an outcome is reached.
    pub async fn run(&mut self) -> FetchOutcome {
        if !redirects::is_http_url(&self.url) {
            return FetchOutcome::InvalidRedirect(InvalidRedirect::NotHttp);
        }
        loop {
            match self.fetch_hop().await {
                Ok(Some(next)) => {
                    self.delay_before(&next).await;
                    self.follow(next);
                }
                Ok(None) => return FetchOutcome::Response(self.last_status()),
                Err(outcome) => return outcome,
            }
        }
    }

    /// Applies the redirect delay before the next request to the same host.
    async fn delay_before(&mut self, next: &Url) {
        if self.options.redirect_delay.is_zero() || !same_host_and_port(next, &self.url) {
            return;
        }
        self.stopwatch.enter(Phase::Total);
        tokio::time::sleep(self.options.redirect_delay).await;
        self.stopwatch.skip();
    }

    /// Returns the current phase.
    pub fn phase(&self) -> Phase {
        self.stopwatch.phase()
    }

    /// Returns everything that was recorded.
    pub fn finish(self, outcome: FetchOutcome) -> FetchResult {
        FetchResult {
            hops: self.hops,
            outcome,
            timings: self.stopwatch.stop(),
            retry_after: self.retry_after,
            headers: self.headers,
            body: self.body,
        }
    }

    /// Requests the current URL. Returns the redirect target, if there is one.
    async fn fetch_hop(&mut self) -> Result<Option<Url>, FetchOutcome> {
        self.record_visit()?;
        let route = self.fetcher.settings.proxies.route(&self.url);
        self.check_unresolved_host(route)?;
        let key = self.pool_key(route);
        let (mut connection, response) = self.send(&key, route).await?;
        let step = self.record_response(&response, &connection);
        self.stopwatch.enter(Phase::Body);
        match step {
            RedirectStep::Invalid(error) => return Err(FetchOutcome::InvalidRedirect(error)),
            RedirectStep::Follow(next) => {
                body::drain(&mut connection, response.into_body()).await;
                self.fetcher.pool.put_back(key, connection);
                if self.hops.len() > self.fetcher.settings.max_redirects {
                    return Err(FetchOutcome::TooManyRedirects);
                }
                if self.options.redirect_filter.as_ref().is_some_and(|filter| !filter.allows(&next))
                {
                    return Err(FetchOutcome::RobotsDisallowed);
                }
                return Ok(Some(next));
            }
            RedirectStep::Stop => {}
        }
        let limits = BodyLimits::new(&self.fetcher.settings, &self.options);
        self.body = Some(body::read(&mut connection, response, limits).await?);
        self.fetcher.pool.put_back(key, connection);
        Ok(None)
    }

    /// Records the current URL. A URL that was already requested with the same
    /// cookies is a redirect loop, because the response would be the same.
    fn record_visit(&mut self) -> Result<(), FetchOutcome> {
        let visit = (redirects::sanitize_url(&self.url), self.jar.changes());
        if self.visited.contains(&visit) {
            return Err(FetchOutcome::RedirectLoop);
        }
        self.visited.push(visit);
        Ok(())
    }

    /// Applies the address policy to a host that the proxy resolves. Must run
    /// before a pooled connection is used, because the IP address of a proxied
    /// connection is unknown.
    pub fn check_unresolved_host(&self, route: Route<'_>) -> Result<(), FetchOutcome> {
        match self.url.host() {
            Some(host) if route.resolves_remotely() => {
                self.policy.check_unresolved(&host).map_err(FetchOutcome::PrivateAddress)
            }
            _ => Ok(()),
        }
    }

    /// Returns the key under which the connection for the current URL is
    /// pooled.
    fn pool_key(&self, route: Route<'_>) -> PoolKey {
        let is_trusted = || self.fetcher.request_headers.is_trusted(&self.url, self.trusted_url());
        match route {
            Route::Forward(_) => PoolKey::Proxy,
            _ if self.fetcher.connector.has_user_identity() && is_trusted() => {
                PoolKey::with_user_identity(&self.url)
            }
            _ => PoolKey::from_url(&self.url),
        }
    }

    /// Returns the URL whose host may receive user-supplied headers and
    /// certificates.
    fn trusted_url(&self) -> Option<&Url> {
        self.has_user_headers.then_some(&self.start_url)
    }

    /// Continues with `next`. The permission to connect to private addresses
    /// ends when the chain leaves the host and port that the user supplied.
    fn follow(&mut self, next: Url) {
        if !same_host_and_port(&next, &self.url) && !self.fetcher.settings.allow_private {
            self.policy = AddressPolicy::GlobalOnly;
        }
        self.url = next;
    }

    /// Sends the request. Retries once on a new connection if a reused connection was
    /// lost or the server did not process the request. A GET request can be repeated because
    /// it has no side effects. A POST request is repeated only if the server did not process
    /// the request. A POST request never uses an idle connection, because the server may
    /// close such a connection at any time.
    async fn send(
        &mut self,
        key: &PoolKey,
        route: Route<'a>,
    ) -> Result<(HttpConnection, Response<Incoming>), FetchOutcome> {
        let has_body = self.options.body.is_some();
        let pooled = if has_body { None } else { self.fetcher.pool.take(key, self.policy) };
        let (connection, is_reused) = match pooled {
            Some(connection) => (connection, true),
            None => self.open(key, route).await?,
        };
        let error = match self.send_over(connection, route).await? {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        let is_lost = is_reused && !has_body && outcome::is_lost(&error);
        if outcome::needs_http1(&error) {
            self.fetcher.pending.record_http1(key);
            self.fetcher.pool.remove_shared(key);
        } else if !is_lost && !outcome::is_unprocessed(&error) {
            return Err(outcome::from_head_error(&error));
        }
        let (connection, _) = self.open(key, route).await?;
        self.send_over(connection, route).await?.map_err(|error| outcome::from_head_error(&error))
    }

    /// Sends the request over this connection. The outer error is an outcome that
    /// a new connection cannot change. The inner error is an error of the connection.
    async fn send_over(
        &mut self,
        mut connection: HttpConnection,
        route: Route<'a>,
    ) -> Result<hyper::Result<(HttpConnection, Response<Incoming>)>, FetchOutcome> {
        let headers = &self.fetcher.request_headers;
        let mut request =
            headers.request(&self.url, self.trusted_url(), self.user_agent, &self.jar)?;
        if may_receive_user_headers(&self.url, &self.start_url) {
            request_headers::add(request.headers_mut(), &self.options.headers);
        }
        if let Some(body) = &self.options.body {
            request_headers::set_body(&mut request, body);
        }
        if let Route::Forward(proxy) = route {
            proxy_client::forward(&mut request, &self.url, proxy)?;
        }
        connection.adapt(&mut request, &self.url)?;
        self.stopwatch.enter(Phase::Headers);
        Ok(connection.send(request).await.map(|response| (connection, response)))
    }

    /// Opens a connection, or waits until another request has opened a connection that can be
    /// shared. The flag is true if another request has opened the connection.
    async fn open(
        &mut self,
        key: &PoolKey,
        route: Route<'a>,
    ) -> Result<(HttpConnection, bool), FetchOutcome> {
        let fetcher = self.fetcher;
        if !key.may_be_http2() {
            return Ok((self.open_new(key, route).await?, false));
        }
        self.stopwatch.enter(Phase::Connect);
        let permit = fetcher.pending.acquire(key).await;
        if permit.is_none()
            && let Some(shared) = fetcher.pool.take(key, self.policy)
        {
            return Ok((shared, true));
        }
        let connection = self.open_new(key, route).await?;
        match connection {
            HttpConnection::Http1(_) => fetcher.pending.record_http1(key),
            HttpConnection::Http2(_) => fetcher.pool.share(key, &connection),
        }
        // Dropping `permit` wakes the waiting requests. The shared connection
        // must be in the pool by then.
        drop(permit);
        Ok((connection, false))
    }

    /// Opens a new connection. All new connections are opened here.
    async fn open_new(
        &mut self,
        key: &PoolKey,
        route: Route<'a>,
    ) -> Result<HttpConnection, FetchOutcome> {
        let (mut transport, peer) = self.connect(route).await?;
        if let Some(host) = self.url.host()
            && key.may_be_http2()
        {
            self.stopwatch.enter(Phase::Tls);
            let is_http1 = self.fetcher.pending.is_http1(key);
            let versions = if is_http1 { Versions::Http1 } else { Versions::Any };
            transport = self.fetcher.connector.encrypt(transport, &host, key, versions).await?;
        }
        let opened = HttpConnection::open(transport, peer).await;
        opened.map_err(|error| outcome::from_head_error(&error))
    }

    /// Connects to the host of the current URL. The IP address is `None` if a
    /// proxy resolved the host.
    pub async fn connect(
        &mut self,
        route: Route<'_>,
    ) -> Result<(Transport, Option<IpAddr>), FetchOutcome> {
        let (fetcher, url, policy) = (self.fetcher, &self.url, self.policy);
        let connected =
            HostDialer { fetcher, url, policy, route }.connect(&mut self.stopwatch).await;
        connected.inspect_err(|outcome| self.record_proxy_refusal(outcome))
    }

    /// Records an error response of a proxy as an error response of the host. For requests without
    /// TLS, the two cannot be distinguished either.
    fn record_proxy_refusal(&mut self, outcome: &FetchOutcome) {
        // Other outcomes have no response.
        let Some(status) = outcome.status() else { return };
        self.retry_after = None;
        self.headers = Vec::new();
        let url = redirects::sanitize_url(&self.url).into();
        self.hops.push(Hop { url, status, location: None, ip: None });
    }

    /// Records the response head and returns the redirect step.
    fn record_response(
        &mut self,
        response: &Response<Incoming>,
        connection: &HttpConnection,
    ) -> RedirectStep {
        let headers = response.headers();
        let status = response.status().as_u16();
        for cookie in headers.get_all(SET_COOKIE) {
            if let Ok(cookie) = cookie.to_str() {
                self.jar.store(&self.url, cookie);
            }
        }
        self.retry_after = body::header_text(headers, &RETRY_AFTER)
            .and_then(|value| retry_after::parse(&value, now()));
        self.headers = body::select_headers(headers, self.options.response_headers);
        let location = body::header_text(headers, &LOCATION);
        let step = match self.options.redirects {
            RedirectMode::Follow if self.options.body.is_none() => {
                redirects::next(&self.url, status, location.as_deref())
            }
            RedirectMode::Follow | RedirectMode::Report => RedirectStep::Stop,
        };
        self.hops.push(Hop {
            url: redirects::sanitize_url(&self.url).into(),
            status,
            location: location.as_deref().map(redirects::truncate_location),
            ip: connection.peer(),
        });
        step
    }

    fn last_status(&self) -> u16 {
        self.hops.last().map_or(0, |hop| hop.status)
    }
}

/// Returns the current time, to which a `Retry-After` date is relative.
fn now() -> Timestamp {
    // The fallback applies only to a system clock outside jiff's range of
    // years.
    Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::UNIX_EPOCH)
}
