//! One fetch: from the URL asked, hop by hop, to an ending.
//!
//! The deadline is the fetcher's: the chain keeps all it has learned in
//! itself, so that whoever stops it can still tell the story.

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
use crate::outcome;
use crate::policy::AddressPolicy;
use crate::pool::PoolKey;
use crate::proxies::Route;
use crate::proxy_client;
use crate::reach::AddressAccess;
use crate::redirects::{self, RedirectStep};
use crate::request_headers::{self, may_receive_user_headers, same_host_and_port};
use crate::retry_after;
use crate::stopwatch::Stopwatch;
use crate::wire::Transport;

/// A chain of redirects under way.
pub(crate) struct RedirectChain<'a> {
    fetcher: &'a Fetcher,
    /// The URL it began at, whose host gets the headers of the request.
    first: Url,
    /// Whether that host gets the user's headers too.
    has_user_headers: bool,
    agent: UserAgent,
    options: RequestOptions,
    url: Url,
    permit: AddressPolicy,
    /// Where we have been, and how often the jar had changed by then.
    visited: Vec<(Url, usize)>,
    jar: CookieJar,
    hops: Vec<Hop>,
    watch: Stopwatch,
    retry_after: Option<u64>,
    headers: Vec<(String, String)>,
    body: Option<Body>,
}

impl<'a> RedirectChain<'a> {
    /// A chain that has asked nothing yet.
    pub fn new(fetcher: &'a Fetcher, request: FetchRequest) -> Self {
        let is_free = request.rights.may_reach_private() || fetcher.settings.allow_private;
        Self {
            fetcher,
            first: request.url.clone(),
            has_user_headers: request.rights.may_carry_credentials(),
            agent: request.agent,
            options: request.options,
            url: request.url,
            permit: if is_free { AddressPolicy::Any } else { AddressPolicy::GlobalOnly },
            visited: Vec::new(),
            jar: CookieJar::default(),
            hops: Vec::new(),
            watch: Stopwatch::start(),
            retry_after: None,
            headers: Vec::new(),
            body: None,
        }
    }

    /// Asks and follows until there is nothing more to follow.
    pub async fn run(&mut self) -> FetchOutcome {
        if !redirects::is_web(&self.url) {
            return FetchOutcome::InvalidRedirect(InvalidRedirect::NotWeb);
        }
        loop {
            match self.hop().await {
                Ok(Some(next)) => {
                    self.rest_before(&next).await;
                    self.turn_to(next);
                }
                Ok(None) => return FetchOutcome::Response(self.last_status()),
                Err(ending) => return ending,
            }
        }
    }

    /// Lets a host rest before it is asked again.
    async fn rest_before(&mut self, next: &Url) {
        if self.options.redirect_delay.is_zero() || !same_host_and_port(next, &self.url) {
            return;
        }
        self.watch.enter(Phase::Total);
        tokio::time::sleep(self.options.redirect_delay).await;
        self.watch.skip();
    }

    /// The phase now running.
    pub fn phase(&self) -> Phase {
        self.watch.phase()
    }

    /// All that was learned.
    pub fn finish(self, ending: FetchOutcome) -> FetchResult {
        FetchResult {
            hops: self.hops,
            outcome: ending,
            timings: self.watch.stop(),
            retry_after: self.retry_after,
            headers: self.headers,
            body: self.body,
        }
    }

    /// Asks the present URL; returns the next one, if it names one.
    async fn hop(&mut self) -> Result<Option<Url>, FetchOutcome> {
        self.mark_visited()?;
        let route = self.fetcher.settings.proxies.route(&self.url);
        self.rule_on_spelling(route)?;
        let origin = self.origin(route);
        let (mut line, answer) = self.ask(&origin, route).await?;
        let next = self.note(&answer, &line);
        self.watch.enter(Phase::Body);
        match next {
            RedirectStep::Stuck(error) => return Err(FetchOutcome::InvalidRedirect(error)),
            RedirectStep::Follow(next) => {
                body::drain(&mut line, answer.into_body()).await;
                self.fetcher.pool.give(origin, line);
                if self.hops.len() > self.fetcher.settings.max_hops {
                    return Err(FetchOutcome::TooManyRedirects);
                }
                if self.options.redirect_filter.as_ref().is_some_and(|gate| !gate.opens(&next)) {
                    return Err(FetchOutcome::RobotsDisallowed);
                }
                return Ok(Some(next));
            }
            RedirectStep::Stay => {}
        }
        let caps = BodyLimits::of(&self.fetcher.settings, &self.options);
        self.body = Some(body::read(&mut line, answer, caps).await?);
        self.fetcher.pool.give(origin, line);
        Ok(None)
    }

    /// A page asked twice with the same cookies will answer the same.
    fn mark_visited(&mut self) -> Result<(), FetchOutcome> {
        let visit = (redirects::kept_url(&self.url), self.jar.changes());
        if self.visited.contains(&visit) {
            return Err(FetchOutcome::RedirectLoop);
        }
        self.visited.push(visit);
        Ok(())
    }

    /// The only ruling there is on a host that a proxy looks up. It comes
    /// before any kept connection is used, for those know no address either.
    pub fn rule_on_spelling(&self, route: Route<'_>) -> Result<(), FetchOutcome> {
        match self.url.host() {
            Some(host) if route.hides_address() => {
                self.permit.clear_spelling(&host).map_err(FetchOutcome::PrivateAddress)
            }
            _ => Ok(()),
        }
    }

    /// What the connection for the present URL may be shared for.
    fn origin(&self, route: Route<'_>) -> PoolKey {
        let is_named = || self.fetcher.greeting.is_trusted(&self.url, self.named());
        match route {
            Route::Forward(_) => PoolKey::Proxy,
            _ if self.fetcher.connector.has_named_identity() && is_named() => {
                PoolKey::of_named(&self.url)
            }
            _ => PoolKey::of(&self.url),
        }
    }

    /// The URL whose host gets what the user gave for named hosts.
    fn named(&self) -> Option<&Url> {
        self.has_user_headers.then_some(&self.first)
    }

    /// Goes on to `next`. What the user named stays named for as long as the
    /// chain keeps to the same host and port, and no longer.
    fn turn_to(&mut self, next: Url) {
        if !same_host_and_port(&next, &self.url) && !self.fetcher.settings.allow_private {
            self.permit = AddressPolicy::GlobalOnly;
        }
        self.url = next;
    }

    /// Sends the request, and once more if the first connection is of no use.
    /// That is safe, for GET changes nothing.
    async fn ask(
        &mut self,
        origin: &PoolKey,
        route: Route<'a>,
    ) -> Result<(HttpConnection, Response<Incoming>), FetchOutcome> {
        let (line, is_kept) = match self.fetcher.pool.take(origin, self.permit) {
            Some(kept) => (kept, true),
            None => self.open(origin, route).await?,
        };
        let error = match self.ask_over(line, route).await? {
            Ok(answered) => return Ok(answered),
            Err(error) => error,
        };
        let is_lost = is_kept && outcome::is_lost(&error);
        if outcome::needs_http1(&error) {
            self.fetcher.openings.record_http1(origin);
            self.fetcher.pool.withdraw(origin);
        } else if !is_lost && !outcome::is_unprocessed(&error) {
            return Err(outcome::of_head(&error));
        }
        let (line, _) = self.open(origin, route).await?;
        self.ask_over(line, route).await?.map_err(|error| outcome::of_head(&error))
    }

    async fn ask_over(
        &mut self,
        mut line: HttpConnection,
        route: Route<'a>,
    ) -> Result<hyper::Result<(HttpConnection, Response<Incoming>)>, FetchOutcome> {
        let greeting = &self.fetcher.greeting;
        let mut request = greeting.request(&self.url, self.named(), self.agent, &self.jar)?;
        if may_receive_user_headers(&self.url, &self.first) {
            request_headers::add(request.headers_mut(), &self.options.headers);
        }
        if let Route::Forward(proxy) = route {
            proxy_client::forward(&mut request, &self.url, proxy)?;
        }
        line.adapt(&mut request, &self.url)?;
        self.watch.enter(Phase::Headers);
        Ok(line.ask(request).await.map(|answer| (line, answer)))
    }

    /// Opens a connection, or waits for another request to open one that can
    /// be shared; says whether it is that of another request.
    async fn open(
        &mut self,
        origin: &PoolKey,
        route: Route<'a>,
    ) -> Result<(HttpConnection, bool), FetchOutcome> {
        let fetcher = self.fetcher;
        if !origin.may_be_http2() {
            return Ok((self.dial(origin, route).await?, false));
        }
        self.watch.enter(Phase::Connect);
        let opening = fetcher.openings.begin(origin).await;
        if opening.is_none()
            && let Some(shared) = fetcher.pool.take(origin, self.permit)
        {
            return Ok((shared, true));
        }
        let line = self.dial(origin, route).await?;
        match line {
            HttpConnection::Http1(_) => fetcher.openings.record_http1(origin),
            HttpConnection::Http2(_) => fetcher.pool.share(origin, &line),
        }
        // Those who wait for this connection find it in the pool now.
        drop(opening);
        Ok((line, false))
    }

    /// The only way to a new connection.
    async fn dial(
        &mut self,
        origin: &PoolKey,
        route: Route<'a>,
    ) -> Result<HttpConnection, FetchOutcome> {
        let (mut wire, peer) = self.connect(route).await?;
        if let Some(host) = self.url.host()
            && origin.may_be_http2()
        {
            self.watch.enter(Phase::Tls);
            let is_http1 = self.fetcher.openings.is_http1(origin);
            let versions = if is_http1 { Versions::Http1 } else { Versions::Any };
            wire = self.fetcher.connector.encrypt(wire, &host, origin, versions).await?;
        }
        let opened = HttpConnection::open(wire, peer).await;
        opened.map_err(|error| outcome::of_head(&error))
    }

    /// Connects to the host of the present URL; its address is known unless a
    /// proxy looked it up.
    pub async fn connect(
        &mut self,
        route: Route<'_>,
    ) -> Result<(Transport, Option<IpAddr>), FetchOutcome> {
        let (fetcher, url, permit) = (self.fetcher, &self.url, self.permit);
        let connected =
            AddressAccess { fetcher, url, permit, route }.connect(&mut self.watch).await;
        connected.inspect_err(|ending| self.note_refusal(ending))
    }

    /// Writes down a proxy's answer that stands for the host's, as it would
    /// without encryption.
    fn note_refusal(&mut self, ending: &FetchOutcome) {
        let Some(status) = ending.status() else { return };
        self.retry_after = None;
        self.headers = Vec::new();
        let url = redirects::kept_url(&self.url).into();
        self.hops.push(Hop { url, status, location: None, ip: None });
    }

    /// Writes down what the head says, and where it points.
    fn note(&mut self, answer: &Response<Incoming>, line: &HttpConnection) -> RedirectStep {
        let headers = answer.headers();
        let status = answer.status().as_u16();
        for cookie in headers.get_all(SET_COOKIE) {
            if let Ok(cookie) = cookie.to_str() {
                self.jar.store(&self.url, cookie);
            }
        }
        self.retry_after = body::text_of(headers, &RETRY_AFTER)
            .and_then(|value| retry_after::parse(&value, now()));
        self.headers = body::wanted(headers, self.options.wanted);
        let location = body::text_of(headers, &LOCATION);
        let next = match self.options.redirects {
            RedirectMode::Follow => redirects::next(&self.url, status, location.as_deref()),
            RedirectMode::Report => RedirectStep::Stay,
        };
        self.hops.push(Hop {
            url: redirects::kept_url(&self.url).into(),
            status,
            location: location.as_deref().map(redirects::kept_location),
            ip: line.peer(),
        });
        next
    }

    fn last_status(&self) -> u16 {
        self.hops.last().map_or(0, |hop| hop.status)
    }
}

/// The time of day, which a `Retry-After` date is measured from.
fn now() -> Timestamp {
    // A clock outside jiff's years is broken beyond any use of this value.
    Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::UNIX_EPOCH)
}
