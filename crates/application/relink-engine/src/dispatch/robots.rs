//! What a host's `robots.txt` allows: requested before anything else, stored
//! for a day, and obeyed. Only crawls have to ask.
//!
//! Where the file cannot be fetched, nothing of the host is crawled. A link to
//! a host that is down is judged by how the request for the file ended, and
//! nothing more is sent there.

use std::sync::Arc;

use jiff::Timestamp;
use relink_frontier::{RobotsPolicy, host_key};
use relink_judge::codes;
use relink_model::{Confidence, FetchPurpose, FetchTask, Probe, RequestRights, Verdict};
use relink_ports::{HostId, HostLease, RedirectFilter, TargetResult, TaskUpdate};
use url::Url;

use super::pending_judgment::{JudgedTask, PageContent};
use super::{Dispatcher, FetchedTask, PageSeen, WorkerEvent};
use crate::EngineError;
use crate::isolation::{internal_error, isolate, isolate_async};
use crate::probe::{look, moment, no_address};
use crate::robots::{AGENT, RobotsAttempts, RobotsFailure, RobotsResult, origin, stored_rules};

/// What is known of a host's wishes.
#[derive(Debug, Clone)]
pub(super) enum RobotsState {
    /// Nobody has to ask.
    Free,
    /// Not asked yet.
    Unknown,
    /// Being asked.
    InProgress,
    /// These.
    Known(Arc<RobotsPolicy>),
    /// The file could not be fetched.
    Failed(Arc<RobotsFailure>),
}

impl RobotsState {
    /// Whether requests may leave, be it the one that asks.
    pub(super) fn is_settled(&self) -> bool {
        !matches!(self, Self::InProgress)
    }

    /// Whether this address may be asked.
    pub(super) fn allows(&self, url: &str) -> bool {
        match self {
            Self::Free | Self::Unknown | Self::InProgress => true,
            // Where the rules cannot be applied, nothing is allowed.
            Self::Known(answer) => {
                let is_allowed = |url: Url| answer.robots.is_allowed(AGENT, &url);
                isolate(url, || Url::parse(url).is_ok_and(is_allowed)).unwrap_or(false)
            }
            Self::Failed(_) => false,
        }
    }

    /// The gate that redirects have to pass: pages of other hosts are not for
    /// this one to close.
    pub(super) fn gate(&self, host: &str) -> Option<RedirectFilter> {
        let Self::Known(answer) = self else { return None };
        let (answer, host) = (Arc::clone(answer), host.to_owned());
        let opens = move |url: &Url| host_key(url) != host || answer.robots.is_allowed(AGENT, url);
        Some(RedirectFilter::new(opens))
    }

    /// Why this address may not be asked, in plain words.
    fn reason(&self, url: &str) -> String {
        let answer = match self {
            Self::Known(answer) => answer,
            Self::Failed(failure) => return format!("not asked: {}", failure.reason()),
            Self::Free | Self::Unknown | Self::InProgress => return String::new(),
        };
        let rule = isolate(url, || {
            let rule = answer.robots.rule(AGENT, &Url::parse(url).ok()?)?;
            Some(format!("not asked: robots.txt says `{rule}`"))
        });
        rule.unwrap_or_default().unwrap_or_else(|| "not asked: robots.txt forbids it".to_owned())
    }
}

impl Dispatcher<'_> {
    /// What is remembered of a host's wishes.
    pub(super) async fn recall_manners(&mut self, host: HostId) -> Result<(), EngineError> {
        let Some(lane) = self.lanes.get(&host).filter(|_| self.crawler.is_some()) else {
            return Ok(());
        };
        let origin = lane.queue.front().and_then(|task| origin_of(&task.url));
        let Some(origin) = origin.or_else(|| origin_of_host(lane.name())) else { return Ok(()) };
        let since = self.ports.now().checked_sub(RobotsPolicy::FRESH).unwrap_or(Timestamp::MIN);
        let kept = self.ports.store.robots(&origin, since).await?;
        let now = self.ports.now();
        let kept = kept.filter(|kept| kept.requested_at <= now);
        let answer = kept.as_ref().and_then(stored_rules).filter(|answer| answer.is_fresh(now));
        self.set_manners(host, answer);
        Ok(())
    }

    fn set_manners(&mut self, host: HostId, answer: Option<RobotsPolicy>) {
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        let Some(answer) = answer else {
            lane.robots = RobotsState::Unknown;
            return;
        };
        if let Some(delay) = answer.robots.crawl_delay(AGENT) {
            lane.clock.set_crawl_delay(delay);
        }
        if let Some(crawler) = &mut self.crawler {
            crawler.note_robots(lane.name(), &answer);
        }
        lane.robots = RobotsState::Known(Arc::new(answer));
        lane.is_unsifted = true;
    }

    /// Requests a host's file.
    pub(super) fn send_robots(&mut self, host: HostId) {
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        let Some(task) = lane.queue.front() else { return };
        let (origin, rights) = (origin_of(&task.url).unwrap_or_default(), task.rights);
        lane.robots = RobotsState::InProgress;
        let (ports, tray) = (self.ports.clone(), Arc::clone(&self.tray));
        let attempts = RobotsAttempts::new(
            origin.clone(),
            &self.settings.politeness,
            self.settings.max_host_wait,
        );
        self.outstanding += 1;
        tokio::spawn(async move {
            let requested = isolate_async(&origin, request(&ports, attempts, rights)).await;
            let (result, probe) = requested.unwrap_or_else(|_| {
                let probe = internal_error(ports.now());
                let failure = RobotsFailure { probe: probe.clone(), attempts: Vec::new() };
                (RobotsResult::Failed(failure), probe)
            });
            tray.put(WorkerEvent::Robots(host, Box::new(result), Box::new(probe)));
        });
    }

    /// Takes in what a host said.
    pub(super) async fn take_robots(
        &mut self,
        host: HostId,
        result: RobotsResult,
        probe: &Probe,
    ) -> Result<(), EngineError> {
        let (elapsed, patience) = (self.elapsed(), self.settings.max_host_wait);
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.arrive(elapsed, probe, patience);
            if result.attempts() > 1 {
                // The clock knows of the first attempt only.
                lane.clock.rest(elapsed);
            }
        }
        match result {
            RobotsResult::Rules { rules, kept, .. } => {
                if let Some(kept) = &kept {
                    self.ports.store.save_robots(kept).await?;
                }
                self.set_manners(host, Some(rules));
            }
            RobotsResult::Failed(failure) => self.close_host(host, failure),
        }
        Ok(())
    }

    fn close_host(&mut self, host: HostId, failure: RobotsFailure) {
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        if let Some(crawler) = &mut self.crawler {
            crawler.note_no_robots(lane.name(), failure.reason());
        }
        lane.robots = RobotsState::Failed(Arc::new(failure));
        lane.is_unsifted = true;
    }

    /// Takes tasks out of a lane's queue that its host does not allow.
    pub(super) fn barred(&mut self, host: HostId) -> Vec<JudgedTask> {
        let now = self.ports.now();
        let Some(lane) = self.lanes.get_mut(&host) else { return Vec::new() };
        let is_ruled = matches!(lane.robots, RobotsState::Known(_) | RobotsState::Failed(_));
        if !is_ruled || !lane.is_unsifted {
            return Vec::new();
        }
        lane.is_unsifted = false;
        let (manners, lease) = (lane.robots.clone(), lane.lease);
        let (allowed, barred): (Vec<FetchTask>, Vec<FetchTask>) =
            lane.queue.drain(..).partition(|task| manners.allows(&task.url));
        lane.queue.extend(allowed);
        let judged = |task: FetchTask| {
            if let Some(failure) = self.deciding_failure(&manners, &task) {
                return self.judged_by(host, lease, task, failure, now);
            }
            let step = TaskUpdate::Finish(kept_out(&task, manners.reason(&task.url), now));
            JudgedTask::new(task, Some(lease), None, step)
        };
        barred.into_iter().map(judged).collect()
    }

    /// The failed request that decides how a link ends, if one does.
    fn deciding_failure<'m>(
        &self,
        manners: &'m RobotsState,
        task: &FetchTask,
    ) -> Option<&'m RobotsFailure> {
        let RobotsState::Failed(failure) = manners else { return None };
        let url = Url::parse(&task.url).ok()?;
        let is_crawled = self.crawler.as_ref().is_some_and(|crawler| crawler.follows(&url));
        failure.decides_link(is_crawled).then_some(&**failure)
    }

    /// A link that is judged by the attempts to fetch its host's file.
    fn judged_by(
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
        let looked =
            FetchedTask::new(task, PageSeen::new(failure.probe.clone(), PageContent::default()));
        self.concluded(host, lease, looked, now)
    }
}

/// Requests the file as often as it takes.
async fn request(
    ports: &crate::Ports,
    mut attempts: RobotsAttempts,
    rights: RequestRights,
) -> (RobotsResult, Probe) {
    let Some(url) = attempts.url() else {
        let probe = no_address(moment(&*ports.clock));
        return (attempts.finish(probe.clone(), None), probe);
    };
    loop {
        let at = RobotsAttempts::request(&url, rights);
        let (probe, body) = look(&*ports.fetch, &*ports.clock, at).await;
        match attempts.note(&probe) {
            Some(wait) => tokio::time::sleep(wait).await,
            None => return (attempts.finish(probe.clone(), body), probe),
        }
    }
}

fn origin_of(url: &str) -> Option<String> {
    Url::parse(url).ok().map(|url| origin(&url))
}

fn origin_of_host(name: &str) -> Option<String> {
    origin_of(&format!("https://{name}/"))
}

/// The state of a task that its host does not allow.
fn kept_out(task: &FetchTask, reason: String, now: Timestamp) -> TargetResult {
    let history = &task.history;
    let is_same = history.code == Some(codes::ROBOTS);
    TargetResult {
        verdict: Verdict::Blocked,
        code: Some(codes::ROBOTS),
        status: None,
        reason,
        since: history.since.filter(|_| is_same).unwrap_or(now),
        at: now,
        attempts: task.attempts.clone(),
        streak: history.streak,
        confidence: Confidence::CERTAIN,
        evidence: Vec::new(),
    }
}
