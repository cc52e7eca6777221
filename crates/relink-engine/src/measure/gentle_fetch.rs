//! A fetch that keeps the pace of every host and counts what it asks.
//!
//! One page is looked at after the other, so a host is never asked twice at
//! once; this adds the wait between requests, and longer ones for hosts that
//! ask for them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use relink_frontier::{Arrival, HostClock, Pace, Readiness, StoredDelays, host_name};
use relink_model::Ending;
use relink_ports::{Fetch, Fetched, Request};
use tokio::time::Instant;
use url::Url;

use crate::ask::THROTTLING;

/// Asks gently.
pub(super) struct GentleFetch<'a> {
    fetch: &'a dyn Fetch,
    pace: Pace,
    began: Instant,
    log: Mutex<Log>,
}

/// What was asked so far.
#[derive(Debug, Default)]
struct Log {
    clocks: HashMap<String, HostClock>,
    requests: u64,
    has_met_a_server: bool,
}

impl<'a> GentleFetch<'a> {
    /// Asks by `fetch` at this pace.
    pub(super) fn new(fetch: &'a dyn Fetch, pace: Pace) -> Self {
        Self { fetch, pace, began: Instant::now(), log: Mutex::default() }
    }

    /// Requests so far, each redirect one of its own.
    pub(super) fn requests(&self) -> u64 {
        self.log().requests
    }

    /// Whether anybody has answered.
    pub(super) fn has_met_a_server(&self) -> bool {
        self.log().has_met_a_server
    }

    /// For how long the host of an address must be left alone.
    pub(super) fn wait_for(&self, url: &Url) -> Duration {
        let now = self.began.elapsed();
        let next = match self.log().clocks.get(&host_name(url)).map(HostClock::readiness) {
            Some(Readiness::From(next)) => next,
            // One request at a time: none is in flight.
            Some(Readiness::WhenOneReturns) | None => Duration::ZERO,
        };
        next.saturating_sub(now)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, url: &Url, left: Duration, fetched: &Fetched) {
        let now = self.began.elapsed();
        let took = now.saturating_sub(left);
        let first = host_name(url);
        let mut log = self.log();
        let unanswered = usize::from(!matches!(fetched.ending, Ending::Answered(_)));
        log.requests += (fetched.hops.len() + unanswered) as u64;
        log.has_met_a_server |= fetched.ending.met_a_server();
        let others = fetched.hops.iter().filter_map(|hop| Url::parse(&hop.url).ok());
        let last = fetched.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        let last = last.map_or_else(|| first.clone(), |url| host_name(&url));
        // A redirect asks other hosts, too.
        let hosts = others.map(|url| host_name(&url)).filter(|host| *host != first);
        for host in hosts.chain([first.clone()]) {
            let arrival = if host == last { arrival(fetched) } else { Arrival::Clean };
            let clock = log.clocks.entry(host).or_insert_with(|| fresh_clock(self.pace));
            clock.depart(left);
            clock.arrive(now, took, arrival);
        }
    }
}

#[async_trait]
impl Fetch for GentleFetch<'_> {
    async fn fetch(&self, request: Request) -> Fetched {
        let url = request.url.clone();
        tokio::time::sleep(self.wait_for(&url)).await;
        let left = self.began.elapsed();
        let fetched = self.fetch.fetch(request).await;
        self.note(&url, left, &fetched);
        fetched
    }

    async fn locate(&self, url: &Url) -> Option<IpAddr> {
        self.fetch.locate(url).await
    }
}

fn fresh_clock(pace: Pace) -> HostClock {
    HostClock::new(pace, Duration::ZERO, StoredDelays::default())
}

fn arrival(fetched: &Fetched) -> Arrival {
    match fetched.ending {
        Ending::Answered(status) if THROTTLING.contains(&status) => {
            Arrival::Throttled(fetched.retry_after.map(Duration::from_secs))
        }
        Ending::Answered(_) => Arrival::Clean,
        _ => Arrival::Silent,
    }
}
