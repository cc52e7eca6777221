//! Checks a run with failures: derives figures and violations from the request log of
//! the web servers, the report, and the results in the database.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, Instant};

use relink_testkit::web::RecordedRequest;

use super::processes::Processes;
use super::{Results, WorkersSize};

/// A worker that was killed or suspended.
pub(super) struct WorkerFailure {
    /// The number of the worker.
    pub(super) worker: usize,
    /// When the worker was killed or suspended.
    pub(super) at: Instant,
    /// The results in the database just before.
    pub(super) committed: Results,
    /// The results in the database when a suspended worker continued.
    pub(super) continued: Option<Results>,
}

/// A request for a page. The user agent identifies the process that sent it.
struct PageRequest {
    url: String,
    agent: String,
    at: Instant,
}

/// The requests that the web servers received.
pub(super) struct RequestLog {
    /// The times and user agents of all requests by host.
    times: BTreeMap<String, Vec<(Instant, String)>>,
    /// The requests for pages. Others are for robots.txt and controls.
    pages: Vec<PageRequest>,
    total: usize,
    duration: Duration,
}

impl RequestLog {
    pub(super) fn new(requests: &[RecordedRequest], started: Instant) -> Self {
        let mut times: BTreeMap<String, Vec<(Instant, String)>> = BTreeMap::new();
        let mut pages = Vec::new();
        for request in requests {
            let agent = request.header("user-agent").unwrap_or_default().to_owned();
            times.entry(request.host.clone()).or_default().push((request.at, agent.clone()));
            if request.path.starts_with("/page-") {
                let url = format!("{}{}", request.host, request.path);
                pages.push(PageRequest { url, agent, at: request.at });
            }
        }
        for times in times.values_mut() {
            times.sort_unstable();
        }
        let last = times.values().flatten().map(|(at, _)| *at).max().unwrap_or(started);
        Self { times, pages, total: requests.len(), duration: last - started }
    }

    /// Returns the smallest gap between requests to a host, and their processes.
    fn min_gap(&self) -> Option<(Duration, String)> {
        let pairs = self.times.values().flat_map(|times| times.windows(2));
        let gap = |pair: &[(Instant, String)]| pair[1].0 - pair[0].0;
        let smallest = pairs.min_by_key(|pair| gap(pair))?;
        Some((gap(smallest), format!("{}, then {}", smallest[0].1, smallest[1].1)))
    }
}

/// The figures of a run.
#[derive(Debug)]
pub struct WorkersOutcome {
    size: WorkersSize,
    /// Number of URLs.
    urls: usize,
    /// Number of requests that the web servers received.
    requests: usize,
    /// Time until the last request.
    duration: Duration,
    /// Smallest gap between two requests to a host.
    min_gap: Duration,
    /// The processes that sent the two requests with the smallest gap.
    gap_agents: String,
    /// URLs without a result or with several.
    not_reported_once: Vec<String>,
    /// URLs that are not reported as alive.
    not_alive: usize,
    /// Results that changed after they were committed.
    overwritten: Vec<String>,
    /// Number of requests that were repeated because the worker of the earlier request was
    /// killed or suspended before it committed the result.
    lost: usize,
    /// Other repeated requests, which are errors.
    unexplained: Vec<String>,
    /// Page requests by process.
    agents: BTreeMap<String, usize>,
}

impl WorkersOutcome {
    pub(super) fn new(
        size: &WorkersSize,
        urls: &[String],
        report: &[(String, String)],
        log: &RequestLog,
        failures: &[WorkerFailure],
        results: &Results,
    ) -> Self {
        let mut reports: BTreeMap<&str, usize> = BTreeMap::new();
        for (url, _) in report {
            *reports.entry(url).or_default() += 1;
        }
        let not_reported_once =
            urls.iter().filter(|url| reports.get(url.as_str()) != Some(&1)).cloned().collect();
        let not_alive = report.iter().filter(|(_, verdict)| verdict != "alive").count();
        let (lost, unexplained) = repeated_requests(log, failures);
        let (min_gap, gap_agents) = log.min_gap().unwrap_or_default();
        let mut agents = BTreeMap::new();
        for page in &log.pages {
            *agents.entry(page.agent.clone()).or_default() += 1;
        }
        Self {
            size: *size,
            urls: urls.len(),
            requests: log.total,
            duration: log.duration,
            min_gap,
            gap_agents,
            not_reported_once,
            not_alive,
            overwritten: overwritten_results(failures, results),
            lost,
            unexplained,
            agents,
        }
    }

    /// Whether there is no violation.
    pub fn is_correct(&self) -> bool {
        self.min_gap >= self.size.min_gap()
            && self.not_reported_once.is_empty()
            && self.not_alive == 0
            && self.overwritten.is_empty()
            && self.unexplained.is_empty()
    }
}

/// Returns the number of repeated page requests that a failure explains. Also returns a description
/// of each other repeated request.
fn repeated_requests(log: &RequestLog, failures: &[WorkerFailure]) -> (usize, Vec<String>) {
    let mut by_url: BTreeMap<&str, Vec<&PageRequest>> = BTreeMap::new();
    for page in &log.pages {
        by_url.entry(&page.url).or_default().push(page);
    }
    let (mut lost, mut unexplained) = (0, Vec::new());
    for (url, mut requests) in by_url {
        requests.sort_by_key(|request| request.at);
        for pair in requests.windows(2) {
            if failures.iter().any(|failure| explains(failure, url, pair[0])) {
                lost += 1;
            } else {
                let gap = (pair[1].at - pair[0].at).as_secs_f64();
                unexplained.push(format!(
                    "{url} by {}, {gap:.2} s later by {}",
                    pair[0].agent, pair[1].agent
                ));
            }
        }
    }
    (lost, unexplained)
}

/// Whether the result of a request was lost by this failure: the worker was killed or
/// suspended after the request, and had not committed the result.
fn explains(failure: &WorkerFailure, url: &str, request: &PageRequest) -> bool {
    let is_committed = || failure.committed.0.keys().any(|key| without_port(key) == url);
    request.agent == Processes::agent(failure.worker) && request.at <= failure.at && !is_committed()
}

/// Returns host and path of a URL.
fn without_port(url: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    format!("{}/{path}", authority.split(':').next().unwrap_or_default())
}

/// Returns the URLs whose results changed after a failure.
fn overwritten_results(failures: &[WorkerFailure], results: &Results) -> Vec<String> {
    let snapshots = failures
        .iter()
        .flat_map(|failure| [Some(&failure.committed), failure.continued.as_ref()])
        .flatten();
    let changed: BTreeSet<&String> = snapshots
        .flat_map(|snapshot| snapshot.0.iter())
        .filter(|(url, row)| results.0.get(*url) != Some(row))
        .map(|(url, _)| url)
        .collect();
    changed.into_iter().cloned().collect()
}

impl fmt::Display for WorkersOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { urls, requests, duration, lost, not_alive, .. } = self;
        writeln!(
            f,
            "{urls} URLs on {} hosts, interval {:?}, {requests} requests in {:.1} s",
            self.size.hosts,
            self.size.interval,
            duration.as_secs_f64()
        )?;
        for (agent, pages) in &self.agents {
            writeln!(f, "  {agent}: {pages} pages")?;
        }
        writeln!(
            f,
            "smallest gap {:.3} s (limit {:.3} s), by {}",
            self.min_gap.as_secs_f64(),
            self.size.min_gap().as_secs_f64(),
            self.gap_agents
        )?;
        writeln!(
            f,
            "not reported exactly once: {}, not alive: {not_alive}, results overwritten: {}",
            self.not_reported_once.len(),
            self.overwritten.len()
        )?;
        write!(
            f,
            "requested again because a worker was killed or lost its leases: {lost}, for other \
             reasons: {}",
            self.unexplained.len()
        )?;
        let details = self.not_reported_once.iter().chain(&self.overwritten);
        details.chain(&self.unexplained).take(20).try_for_each(|line| write!(f, "\n  {line}"))
    }
}
