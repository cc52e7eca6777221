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
use relink_model::{ConnectFault, Ending, Hop, Malformation, Phase};
use relink_ports::{Agent, Body, Fetched, Redirects, Request, Terms};
use tokio::net::TcpStream;
use url::Url;

use crate::body::{self, Caps};
use crate::connector;
use crate::cookies::Jar;
use crate::endings;
use crate::fetcher::Fetcher;
use crate::greeting::{self, is_entrusted, is_same_place};
use crate::line::{Line, Wire};
use crate::policy::Permit;
use crate::pool::Origin;
use crate::proxy::Proxy;
use crate::redirects::{self, Next};
use crate::relay;
use crate::retry_after;
use crate::stopwatch::Stopwatch;

/// A chain of redirects under way.
pub(crate) struct Chain<'a> {
    fetcher: &'a Fetcher,
    /// The URL it began at, whose host gets the headers of the request.
    first: Url,
    /// Whether that host gets the user's headers too.
    has_user_headers: bool,
    agent: Agent,
    terms: Terms,
    url: Url,
    permit: Permit,
    /// Where we have been, and how often the jar had changed by then.
    visited: Vec<(Url, usize)>,
    jar: Jar,
    hops: Vec<Hop>,
    watch: Stopwatch,
    retry_after: Option<u64>,
    headers: Vec<(String, String)>,
    body: Option<Body>,
}

impl<'a> Chain<'a> {
    /// A chain that has asked nothing yet.
    pub fn new(fetcher: &'a Fetcher, request: Request) -> Self {
        let is_free = request.rights.may_reach_private() || fetcher.settings.allow_private;
        Self {
            fetcher,
            first: request.url.clone(),
            has_user_headers: request.rights.may_carry_credentials(),
            agent: request.agent,
            terms: request.terms,
            url: request.url,
            permit: if is_free { Permit::Any } else { Permit::GlobalOnly },
            visited: Vec::new(),
            jar: Jar::default(),
            hops: Vec::new(),
            watch: Stopwatch::start(),
            retry_after: None,
            headers: Vec::new(),
            body: None,
        }
    }

    /// Asks and follows until there is nothing more to follow.
    pub async fn run(&mut self) -> Ending {
        if !redirects::is_web(&self.url) {
            return Ending::Malformed(Malformation::NotWeb);
        }
        loop {
            match self.hop().await {
                Ok(Some(next)) => {
                    self.rest_before(&next).await;
                    self.turn_to(next);
                }
                Ok(None) => return Ending::Answered(self.last_status()),
                Err(ending) => return ending,
            }
        }
    }

    /// Lets a host rest before it is asked again.
    async fn rest_before(&mut self, next: &Url) {
        if self.terms.pause.is_zero() || !is_same_place(next, &self.url) {
            return;
        }
        self.watch.enter(Phase::Total);
        tokio::time::sleep(self.terms.pause).await;
        self.watch.skip();
    }

    /// The phase now running.
    pub fn phase(&self) -> Phase {
        self.watch.phase()
    }

    /// All that was learned.
    pub fn finish(self, ending: Ending) -> Fetched {
        Fetched {
            hops: self.hops,
            ending,
            timings: self.watch.stop(),
            retry_after: self.retry_after,
            headers: self.headers,
            body: self.body,
        }
    }

    /// Asks the present URL; returns the next one, if it names one.
    async fn hop(&mut self) -> Result<Option<Url>, Ending> {
        self.mark_visited()?;
        self.rule_on_spelling()?;
        let origin = self.forwarder().map_or_else(|| Origin::of(&self.url), |_| Origin::Proxy);
        let (mut line, answer) = self.ask(&origin).await?;
        let next = self.note(&answer, &line);
        self.watch.enter(Phase::Body);
        match next {
            Next::Stuck(fault) => return Err(Ending::Malformed(fault)),
            Next::Follow(next) => {
                body::drain(&mut line, answer.into_body()).await;
                self.fetcher.pool.give(origin, line);
                if self.hops.len() > self.fetcher.settings.max_hops {
                    return Err(Ending::TooManyHops);
                }
                if self.terms.gate.as_ref().is_some_and(|gate| !gate.opens(&next)) {
                    return Err(Ending::Closed);
                }
                return Ok(Some(next));
            }
            Next::Stay => {}
        }
        let caps = Caps::of(&self.fetcher.settings, &self.terms);
        self.body = Some(body::read(&mut line, answer, caps).await?);
        self.fetcher.pool.give(origin, line);
        Ok(None)
    }

    /// A page asked twice with the same cookies will answer the same.
    fn mark_visited(&mut self) -> Result<(), Ending> {
        let visit = (redirects::kept_url(&self.url), self.jar.changes());
        if self.visited.contains(&visit) {
            return Err(Ending::Loop);
        }
        self.visited.push(visit);
        Ok(())
    }

    /// The only ruling there is on a host that a proxy looks up. It comes
    /// before any kept connection is used, for those know no address either.
    pub fn rule_on_spelling(&self) -> Result<(), Ending> {
        match (self.fetcher.proxy(), self.url.host()) {
            (Some(_), Some(host)) => self.permit.clear_spelling(&host).map_err(Ending::Barred),
            _ => Ok(()),
        }
    }

    /// The proxy, where it passes on the request itself and not a tunnel.
    fn forwarder(&self) -> Option<&'a Proxy> {
        self.fetcher.proxy().filter(|_| self.url.scheme() == "http")
    }

    /// Goes on to `next`. What the user named stays named for as long as the
    /// chain keeps to the same host and port, and no longer.
    fn turn_to(&mut self, next: Url) {
        if !is_same_place(&next, &self.url) && !self.fetcher.settings.allow_private {
            self.permit = Permit::GlobalOnly;
        }
        self.url = next;
    }

    async fn ask(&mut self, origin: &Origin) -> Result<(Line, Response<Incoming>), Ending> {
        if let Some(kept) = self.fetcher.pool.take(origin, self.permit) {
            match self.ask_over(kept).await? {
                Ok(answered) => return Ok(answered),
                Err(fault) if fault.is_parse() => return Err(endings::of_head(&fault)),
                // The server hung up while the line lay idle; asking again
                // is safe, for GET changes nothing.
                Err(_) => {}
            }
        }
        let line = self.dial().await?;
        self.ask_over(line).await?.map_err(|fault| endings::of_head(&fault))
    }

    async fn ask_over(
        &mut self,
        mut line: Line,
    ) -> Result<hyper::Result<(Line, Response<Incoming>)>, Ending> {
        let greeting = &self.fetcher.greeting;
        let named = self.has_user_headers.then_some(&self.first);
        let mut request = greeting.request(&self.url, named, self.agent, &self.jar)?;
        if is_entrusted(&self.url, &self.first) {
            greeting::add(request.headers_mut(), &self.terms.headers);
        }
        if let Some(proxy) = self.forwarder() {
            relay::forward(&mut request, &self.url, proxy)?;
        }
        self.watch.enter(Phase::Head);
        Ok(line.ask(request).await.map(|answer| (line, answer)))
    }

    /// The only way to a new connection.
    async fn dial(&mut self) -> Result<Line, Ending> {
        let (stream, peer) = self.connect().await?;
        let wire = match self.url.host() {
            Some(host) if self.url.scheme() == "https" => {
                self.watch.enter(Phase::Tls);
                self.fetcher.connector.encrypt(stream, &host).await?
            }
            _ => Wire::Plain(stream),
        };
        let opened = Line::open(wire, peer).await;
        opened.map_err(|fault| endings::of_head(&fault))
    }

    /// Connects to the host of the present URL, or to the proxy in its place;
    /// the host's address is known in the first case only.
    pub async fn connect(&mut self) -> Result<(TcpStream, Option<IpAddr>), Ending> {
        match self.fetcher.proxy() {
            Some(proxy) => Ok((self.reach_through(proxy).await?, None)),
            None => self.reach().await.map(|(stream, peer)| (stream, Some(peer))),
        }
    }

    /// Finds the host, clears its addresses and connects to one.
    async fn reach(&mut self) -> Result<(TcpStream, IpAddr), Ending> {
        self.watch.enter(Phase::Dns);
        let found = self.fetcher.resolver.addresses(&self.url).await;
        let found = found.map_err(Ending::NoAddress)?;
        let cleared = self.permit.clear(found).map_err(Ending::Barred)?;
        self.watch.enter(Phase::Connect);
        connector::connect(&cleared).await
    }

    /// Connects to the proxy, and for an encrypted URL through it to the host.
    async fn reach_through(&mut self, proxy: &Proxy) -> Result<TcpStream, Ending> {
        // All of this is one thing to the host asked: connecting.
        self.watch.enter(Phase::Connect);
        let mut stream = self.reach_proxy(proxy).await?;
        if self.forwarder().is_none() {
            let user_agent = self.fetcher.greeting.user_agent(Agent::Plain);
            let opened = relay::tunnel(&mut stream, &self.url, proxy, user_agent).await;
            opened.inspect_err(|ending| self.note_refusal(ending))?;
        }
        Ok(stream)
    }

    /// The user named the proxy, so it may be private. That it cannot be
    /// reached says nothing about the host asked.
    async fn reach_proxy(&self, proxy: &Proxy) -> Result<TcpStream, Ending> {
        let unreached = Ending::NoConnection(ConnectFault::Other);
        let found = self.fetcher.resolver.addresses(proxy.url()).await;
        let found = found.map_err(|_| unreached.clone())?;
        let cleared = Permit::Any.clear(found).map_err(Ending::Barred)?;
        match connector::connect(&cleared).await {
            Ok((stream, _)) => Ok(stream),
            Err(Ending::TimedOut(phase)) => Err(Ending::TimedOut(phase)),
            Err(_) => Err(unreached),
        }
    }

    /// Writes down a proxy's answer that stands for the host's, as it would
    /// without encryption.
    fn note_refusal(&mut self, ending: &Ending) {
        let Some(status) = ending.status() else { return };
        self.retry_after = None;
        self.headers = Vec::new();
        let url = redirects::kept_url(&self.url).into();
        self.hops.push(Hop { url, status, location: None, address: None });
    }

    /// Writes down what the head says, and where it points.
    fn note(&mut self, answer: &Response<Incoming>, line: &Line) -> Next {
        let headers = answer.headers();
        let status = answer.status().as_u16();
        for cookie in headers.get_all(SET_COOKIE) {
            if let Ok(cookie) = cookie.to_str() {
                self.jar.store(&self.url, cookie);
            }
        }
        self.retry_after = body::text_of(headers, &RETRY_AFTER)
            .and_then(|value| retry_after::parse(&value, now()));
        self.headers = body::wanted(headers, self.terms.wanted);
        let location = body::text_of(headers, &LOCATION);
        let next = match self.terms.redirects {
            Redirects::Follow => redirects::next(&self.url, status, location.as_deref()),
            Redirects::Tell => Next::Stay,
        };
        self.hops.push(Hop {
            url: redirects::kept_url(&self.url).into(),
            status,
            location: location.as_deref().map(redirects::kept_location),
            address: line.peer(),
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
