//! Per-host robots.txt state of a crawl. The file is fetched before any page of
//! the host and cached for 24 hours.
//!
//! If the file cannot be fetched, the host is not crawled. A link to a host
//! that is down is judged by the failed request for the file, and nothing more
//! is sent to the host.

use std::sync::Arc;

use jiff::Timestamp;
use relink_frontier::{RobotsPolicy, host_key};
use relink_judge::codes;
use relink_model::{Confidence, FetchPurpose, FetchTask, Probe, RequestRights, Verdict};
use relink_ports::{HostId, HostLease, RedirectFilter, TargetResult, TaskUpdate};
use url::Url;

use super::pending_judgment::{JudgedTask, PageContent};
use super::{Dispatcher, FetchedPage, FetchedTask, WorkerEvent};
use crate::EngineError;
use crate::isolation::{internal_error_probe, isolate, isolate_async};
use crate::probe::{current_time, invalid_url_probe, probe_url};
use crate::robots::{
    AGENT, RobotsAttempts, RobotsFailure, RobotsResult, robots_origin, stored_rules,
};

/// State of a host's robots.txt.
#[derive(Debug, Clone)]
pub(super) enum RobotsState {
    /// Not needed: only crawls fetch the file.
    NotRequired,
    /// Not fetched yet.
    Unknown,
    /// Being fetched.
    InProgress,
    /// The parsed file.
    Known(Arc<RobotsPolicy>),
    /// The file could not be fetched.
    Failed(Arc<RobotsFailure>),
}

impl RobotsState {
    /// Whether requests can be sent, including the request for the file.
    pub(super) fn is_ready(&self) -> bool {
        !matches!(self, Self::InProgress)
    }

    /// Whether the rules allow this URL.
    pub(super) fn is_allowed(&self, url: &str) -> bool {
        match self {
            Self::NotRequired | Self::Unknown | Self::InProgress => true,
            // If the rules cannot be applied, nothing is allowed.
            Self::Known(policy) => {
                let is_allowed = |url: Url| policy.robots.is_allowed(AGENT, &url);
                isolate(url, || Url::parse(url).is_ok_and(is_allowed)).unwrap_or(false)
            }
            Self::Failed(_) => false,
        }
    }

    /// Returns the filter for redirects. It does not apply to pages of other
    /// hosts.
    pub(super) fn redirect_filter(&self, host: &str) -> Option<RedirectFilter> {
        let Self::Known(policy) = self else { return None };
        let (policy, host) = (Arc::clone(policy), host.to_owned());
        let is_allowed =
            move |url: &Url| host_key(url) != host || policy.robots.is_allowed(AGENT, url);
        Some(RedirectFilter::new(is_allowed))
    }

    /// Returns why this URL is not allowed.
    fn reason(&self, url: &str) -> String {
        let policy = match self {
            Self::Known(policy) => policy,
            Self::Failed(failure) => return format!("not requested: {}", failure.reason()),
            Self::NotRequired | Self::Unknown | Self::InProgress => return String::new(),
        };
        let rule = isolate(url, || {
            let rule = policy.robots.rule(AGENT, &Url::parse(url).ok()?)?;
            Some(format!("not requested: robots.txt says `{rule}`"))
        });
        rule.unwrap_or_default()
            .unwrap_or_else(|| "not requested: robots.txt forbids it".to_owned())
    }
}

impl Dispatcher<'_> {
    /// Loads the stored rules of a host.
    pub(super) async fn load_robots(&mut self, host: HostId) -> Result<(), EngineError> {
        let Some(queue) = self.queues.get(&host).filter(|_| self.crawler.is_some()) else {
            return Ok(());
        };
        let origin = queue.tasks.front().and_then(|task| origin_from_url(&task.url));
        let Some(origin) = origin.or_else(|| origin_from_host(queue.name())) else { return Ok(()) };
        let since = self.ports.now().checked_sub(RobotsPolicy::LIFETIME).unwrap_or(Timestamp::MIN);
        let stored = self.ports.store.robots(&origin, since).await?;
        let now = self.ports.now();
        let stored = stored.filter(|stored| stored.requested_at <= now);
        let policy = stored.as_ref().and_then(stored_rules).filter(|policy| policy.is_fresh(now));
        self.set_robots(host, policy);
        Ok(())
    }

    fn set_robots(&mut self, host: HostId, policy: Option<RobotsPolicy>) {
        let Some(queue) = self.queues.get_mut(&host) else { return };
        let Some(policy) = policy else {
            queue.robots = RobotsState::Unknown;
            return;
        };
        if let Some(delay) = policy.robots.crawl_delay(AGENT) {
            queue.rate_limiter.set_crawl_delay(delay);
        }
        if let Some(crawler) = &mut self.crawler {
            crawler.record_robots(queue.name(), &policy);
        }
        queue.robots = RobotsState::Known(Arc::new(policy));
        queue.needs_filtering = true;
    }

    /// Fetches a host's file. The request uses a slot, like that for a page.
    pub(super) fn send_robots(&mut self, host: HostId) {
        let Some(queue) = self.queues.get_mut(&host) else { return };
        let task = queue.tasks.front().map(|task| (&task.url, task.rights));
        let control = queue.pending_controls.front().map(|control| (&control.url, control.rights));
        let Some((url, rights)) = task.or(control) else { return };
        let origin = origin_from_url(url).unwrap_or_default();
        queue.robots = RobotsState::InProgress;
        let (ports, results) = (self.ports.clone(), Arc::clone(&self.results));
        let attempts = RobotsAttempts::new(
            origin.clone(),
            &self.settings.politeness,
            self.settings.max_host_wait,
        );
        self.in_flight += 1;
        self.outstanding += 1;
        tokio::spawn(async move {
            let fetched = isolate_async(&origin, fetch_robots(&ports, attempts, rights)).await;
            let (result, probe) = fetched.unwrap_or_else(|_| {
                let probe = internal_error_probe(ports.now());
                let failure = RobotsFailure { probe: probe.clone(), attempts: Vec::new() };
                (RobotsResult::Failed(failure), probe)
            });
            results.push(WorkerEvent::RobotsFetched(host, Box::new(result), Box::new(probe)));
        });
    }

    /// Records the result of fetching a host's file.
    pub(super) async fn record_robots(
        &mut self,
        host: HostId,
        result: RobotsResult,
        probe: &Probe,
    ) -> Result<(), EngineError> {
        let (elapsed, max_wait) = (self.elapsed(), self.settings.max_host_wait);
        self.in_flight -= 1;
        if let Some(queue) = self.queues.get_mut(&host) {
            queue.request_finished(elapsed, probe, max_wait);
            if result.attempts() > 1 {
                // The rate limiter has recorded only the first attempt.
                queue.rate_limiter.delay_next(elapsed);
            }
        }
        match result {
            RobotsResult::Rules { rules, stored, .. } => {
                if let Some(stored) = &stored {
                    self.ports.store.save_robots(stored).await?;
                }
                self.set_robots(host, Some(rules));
            }
            RobotsResult::Failed(failure) => self.close_host(host, failure),
        }
        Ok(())
    }

    fn close_host(&mut self, host: HostId, failure: RobotsFailure) {
        let Some(queue) = self.queues.get_mut(&host) else { return };
        if let Some(crawler) = &mut self.crawler {
            crawler.record_robots_failure(queue.name(), failure.reason());
        }
        queue.robots = RobotsState::Failed(Arc::new(failure));
        queue.needs_filtering = true;
    }

    /// Removes the tasks that the host does not allow, and returns them as
    /// finished.
    pub(super) fn take_disallowed(&mut self, host: HostId) -> Vec<JudgedTask> {
        let now = self.ports.now();
        let Some(queue) = self.queues.get_mut(&host) else { return Vec::new() };
        let has_rules = matches!(queue.robots, RobotsState::Known(_) | RobotsState::Failed(_));
        if !has_rules || !queue.needs_filtering {
            return Vec::new();
        }
        queue.needs_filtering = false;
        let (robots, lease) = (queue.robots.clone(), queue.lease);
        let (allowed, disallowed): (Vec<FetchTask>, Vec<FetchTask>) =
            queue.tasks.drain(..).partition(|task| robots.is_allowed(&task.url));
        queue.tasks.extend(allowed);
        let judged = |task: FetchTask| {
            if let Some(failure) = self.deciding_failure(&robots, &task) {
                return self.judge_by_failure(host, lease, task, failure, now);
            }
            let update =
                TaskUpdate::Finish(disallowed_result(&task, robots.reason(&task.url), now));
            JudgedTask::new(task, lease, None, update)
        };
        disallowed.into_iter().map(judged).collect()
    }

    /// Returns the failed request that determines the verdict of a link, if one
    /// does.
    fn deciding_failure<'m>(
        &self,
        robots: &'m RobotsState,
        task: &FetchTask,
    ) -> Option<&'m RobotsFailure> {
        let RobotsState::Failed(failure) = robots else { return None };
        let url = Url::parse(&task.url).ok()?;
        let is_crawled = self.crawler.as_ref().is_some_and(|crawler| crawler.follows(&url));
        failure.decides_link(is_crawled).then_some(&**failure)
    }

    /// Judges a link by the attempts to fetch its host's file.
    fn judge_by_failure(
        &mut self,
        host: HostId,
        lease: HostLease,
        mut task: FetchTask,
        failure: &RobotsFailure,
        now: Timestamp,
    ) -> JudgedTask {
        let (last, earlier) = match failure.attempts.split_last() {
            Some((last, earlier)) => (last.purpose, earlier),
            None => (FetchPurpose::Initial, &[][..]),
        };
        task.attempts.extend_from_slice(earlier);
        task.purpose = last;
        let fetched =
            FetchedTask::new(task, FetchedPage::new(failure.probe.clone(), PageContent::default()));
        self.judge_now(host, lease, fetched, now)
    }
}

/// Fetches the file with retries.
async fn fetch_robots(
    ports: &crate::Ports,
    mut attempts: RobotsAttempts,
    rights: RequestRights,
) -> (RobotsResult, Probe) {
    let Some(url) = attempts.url() else {
        let probe = invalid_url_probe(current_time(&*ports.clock));
        return (attempts.finish(probe.clone(), None), probe);
    };
    loop {
        let request = RobotsAttempts::request(&url, rights);
        let (probe, body) = probe_url(&*ports.fetch, &*ports.clock, request).await;
        match attempts.record_attempt(&probe) {
            Some(wait) => tokio::time::sleep(wait).await,
            None => return (attempts.finish(probe.clone(), body), probe),
        }
    }
}

fn origin_from_url(url: &str) -> Option<String> {
    Url::parse(url).ok().map(|url| robots_origin(&url))
}

fn origin_from_host(name: &str) -> Option<String> {
    origin_from_url(&format!("https://{name}/"))
}

/// Result of a task that the host does not allow.
fn disallowed_result(task: &FetchTask, reason: String, now: Timestamp) -> TargetResult {
    let history = &task.history;
    let is_same = history.code == Some(codes::ROBOTS);
    TargetResult {
        verdict: Verdict::Blocked,
        code: Some(codes::ROBOTS),
        status: None,
        reason,
        since: history.since.filter(|_| is_same).unwrap_or(now),
        checked_at: now,
        attempts: task.attempts.clone(),
        streak: history.streak,
        confidence: Confidence::CERTAIN,
        evidence: Vec::new(),
    }
}
