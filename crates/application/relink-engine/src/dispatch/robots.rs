//! Per-host robots.txt state of a crawl. The file is fetched before any page of
//! the host and cached for 24 hours.
//!
//! If the file cannot be fetched, the host is not crawled. A link to a host
//! that is down is judged by the failed request for the file, and nothing more
//! is sent to the host.

use std::sync::Arc;

use jiff::Timestamp;
use relink_frontier::RobotsPolicy;
use relink_judge::codes;
use relink_model::{Confidence, FetchPurpose, FetchTask, Probe, Verdict};
use relink_ports::{HostId, HostLease, RedirectFilter, TargetResult, TaskUpdate};
use url::Url;

use super::pending_judgment::{JudgedTask, PageContent};
use super::{Dispatcher, FetchedPage, FetchedTask, WorkerEvent};
use relink_requests::{
    EngineError, HostRules, RobotsAttempts, RobotsFailure, RobotsResult, fetch_robots,
    internal_error_probe, isolate_async, load_rules, robots_origin,
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
    /// Fetched, or failed.
    Fetched(HostRules),
}

impl RobotsState {
    /// Whether requests can be sent, including the request for the file.
    pub(super) fn is_ready(&self) -> bool {
        !matches!(self, Self::InProgress)
    }

    /// Returns the rules, if they are required and fetched.
    pub(super) fn rules(&self) -> Option<&HostRules> {
        match self {
            Self::Fetched(rules) => Some(rules),
            Self::NotRequired | Self::Unknown | Self::InProgress => None,
        }
    }

    /// Whether the rules allow this URL.
    pub(super) fn is_allowed(&self, url: &str) -> bool {
        let is_allowed =
            |rules: &HostRules| Url::parse(url).is_ok_and(|url| rules.is_allowed(&url));
        self.rules().is_none_or(is_allowed)
    }

    /// Whether redirects obey the rules and count as requests of the host. They do once the
    /// rules are known.
    pub(super) fn delays_redirects(&self) -> bool {
        matches!(self.rules(), Some(HostRules::Known(_)))
    }

    /// Returns the filter for redirects, if the rules are known. It allows all pages of
    /// other hosts than `host`.
    pub(super) fn redirect_filter(&self, host: &str) -> Option<RedirectFilter> {
        self.rules()?.host_filter(host)
    }
}

impl Dispatcher<'_> {
    /// Loads the stored rules of a host, if the job obeys them.
    pub(super) async fn load_robots(&mut self, host: HostId) -> Result<(), EngineError> {
        if !self.job.follows_links() {
            return Ok(());
        }
        let Some(queue) = self.queues.get(host) else { return Ok(()) };
        let origin = queue.tasks.front().and_then(|task| origin_from_url(&task.url));
        let Some(origin) = origin.or_else(|| origin_from_host(queue.name())) else { return Ok(()) };
        let policy = load_rules(&*self.ports.store, &origin, self.ports.now()).await?;
        self.set_robots(host, policy);
        Ok(())
    }

    /// Sets the rules of a host. Without rules, the file is fetched before the next page.
    fn set_robots(&mut self, host: HostId, policy: Option<RobotsPolicy>) {
        let Some(queue) = self.queues.get_mut(host) else { return };
        let Some(policy) = policy else {
            queue.robots = RobotsState::Unknown;
            return;
        };
        self.job.record_robots(queue.name(), &policy);
        let rules = HostRules::Known(Arc::new(policy));
        if let Some(delay) = rules.crawl_delay() {
            queue.pacer.set_crawl_delay(delay);
        }
        queue.robots = RobotsState::Fetched(rules);
        queue.needs_filtering = true;
    }

    /// Fetches the robots.txt of a host. The request occupies a slot, as a request for a
    /// page does.
    pub(super) fn send_robots(&mut self, host: HostId) {
        let Some(queue) = self.queues.get_mut(host) else { return };
        // The next task or control determines the origin and the permissions.
        let next_task = queue.tasks.front().map(|task| (&task.url, task.rights));
        let next_control = queue.pending_controls.front().map(|control| &control.request);
        let next_control = next_control.map(|request| (&request.url, request.rights));
        let Some((url, rights)) = next_task.or(next_control) else { return };
        let origin = origin_from_url(url).unwrap_or_default();
        queue.robots = RobotsState::InProgress;
        let attempts = RobotsAttempts::new(
            origin.clone(),
            &self.settings.politeness,
            self.settings.max_host_wait,
        );
        self.requests.occupy(1);
        self.requests.spawn(move |ports| async move {
            let fetched = fetch_robots(&*ports.fetch, &*ports.clock, attempts, rights);
            let fetched = isolate_async(&origin, fetched).await;
            let (result, probe) = fetched.unwrap_or_else(|_| {
                let probe = internal_error_probe(ports.now());
                let failure = RobotsFailure { probe: probe.clone(), attempts: Vec::new() };
                (RobotsResult::Failed(failure), probe)
            });
            WorkerEvent::RobotsFetched(host, Box::new(result), Box::new(probe))
        });
    }

    /// Records the result of fetching the robots.txt of a host.
    pub(super) async fn record_robots(
        &mut self,
        host: HostId,
        result: RobotsResult,
        probe: &Probe,
    ) -> Result<(), EngineError> {
        let (now, max_wait) = (self.current_time(), self.settings.max_host_wait);
        self.requests.free(1);
        if let Some(queue) = self.queues.get_mut(host) {
            queue.request_finished(now, probe, max_wait);
            if result.attempts() > 1 {
                // The rate limiter has recorded only the first attempt.
                queue.pacer.delay_next(now.elapsed);
            }
        }
        match result {
            RobotsResult::Rules { rules, stored, .. } => {
                if let Some(stored) = &stored {
                    self.ports.store.save_robots(stored).await?;
                }
                self.set_robots(host, Some(rules));
            }
            RobotsResult::Failed(failure) => self.disallow_host(host, failure),
        }
        Ok(())
    }

    /// Disallows all pages of a host whose robots.txt could not be fetched.
    fn disallow_host(&mut self, host: HostId, failure: RobotsFailure) {
        let Some(queue) = self.queues.get_mut(host) else { return };
        self.job.record_robots_failure(queue.name(), failure.reason());
        queue.robots = RobotsState::Fetched(HostRules::Failed(Arc::new(failure)));
        queue.needs_filtering = true;
    }

    /// Removes the queued tasks that robots.txt disallows, and returns them as finished.
    pub(super) fn take_disallowed(&mut self, host: HostId) -> Vec<JudgedTask> {
        let now = self.ports.now();
        let Some(queue) = self.queues.get_mut(host) else { return Vec::new() };
        let Some(rules) = queue.robots.rules().filter(|_| queue.needs_filtering).cloned() else {
            return Vec::new();
        };
        queue.needs_filtering = false;
        let lease = queue.lease;
        let is_allowed =
            |task: &FetchTask| Url::parse(&task.url).is_ok_and(|url| rules.is_allowed(&url));
        let (allowed, disallowed): (Vec<FetchTask>, Vec<FetchTask>) =
            queue.tasks.drain(..).partition(is_allowed);
        queue.tasks.extend(allowed);
        let judged = |task: FetchTask| {
            if let Some(failure) = self.deciding_failure(&rules, &task) {
                return self.judge_by_failure(host, lease, task, failure, now);
            }
            let reason = Url::parse(&task.url).map(|url| rules.reason(&url)).unwrap_or_default();
            let reason = format!("not requested: {reason}");
            let update = TaskUpdate::Finish(disallowed_result(&task, reason, now));
            JudgedTask::new(task, lease, None, update)
        };
        disallowed.into_iter().map(judged).collect()
    }

    /// Returns the failure to fetch robots.txt if it determines the verdict of a link.
    fn deciding_failure<'r>(
        &self,
        rules: &'r HostRules,
        task: &FetchTask,
    ) -> Option<&'r RobotsFailure> {
        let HostRules::Failed(failure) = rules else { return None };
        let is_crawled = self.job.follows(&Url::parse(&task.url).ok()?);
        failure.decides_link(is_crawled).then_some(&**failure)
    }

    /// Judges a link by the attempts to fetch the robots.txt of its host. They count as
    /// attempts to fetch the page.
    fn judge_by_failure(
        &mut self,
        host: HostId,
        lease: HostLease,
        mut task: FetchTask,
        failure: &RobotsFailure,
        now: Timestamp,
    ) -> JudgedTask {
        // The last attempt is the one that is judged now.
        let (purpose, earlier_attempts) = match failure.attempts.split_last() {
            Some((last, earlier)) => (last.purpose, earlier),
            None => (FetchPurpose::Initial, &[][..]),
        };
        task.attempts.extend_from_slice(earlier_attempts);
        task.purpose = purpose;
        let fetched =
            FetchedTask::new(task, FetchedPage::new(failure.probe.clone(), PageContent::default()));
        self.judge_now(host, lease, fetched, now)
    }
}

fn origin_from_url(url: &str) -> Option<String> {
    Url::parse(url).ok().map(|url| robots_origin(&url))
}

fn origin_from_host(name: &str) -> Option<String> {
    origin_from_url(&format!("https://{name}/"))
}

/// Returns the result of a task that robots.txt disallows.
fn disallowed_result(task: &FetchTask, reason: String, now: Timestamp) -> TargetResult {
    let history = &task.history;
    let was_disallowed = history.code == Some(codes::ROBOTS);
    TargetResult {
        verdict: Verdict::Blocked,
        code: Some(codes::ROBOTS),
        status: None,
        reason,
        since: history.since.filter(|_| was_disallowed).unwrap_or(now),
        checked_at: now,
        attempts: task.attempts.clone(),
        streak: history.streak,
        confidence: Confidence::CERTAIN,
        evidence: Vec::new(),
    }
}
