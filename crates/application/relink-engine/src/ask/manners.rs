//! What a host's `robots.txt` allows: requested before anything else, stored
//! for a day, and obeyed. Only crawls have to ask.
//!
//! Where the file cannot be fetched, nothing of the host is crawled. A link to
//! a host that is down is judged by how the request for the file ended, and
//! nothing more is sent there.

use std::sync::Arc;

use jiff::Timestamp;
use relink_frontier::{RobotsAnswer, host_name};
use relink_judge::codes;
use relink_model::{Confidence, Errand, Probe, Purpose, RequestRights, Word};
use relink_ports::{Gate, HostId, HostLease, Settlement, Step};
use url::Url;

use super::inquest::{Judged, Shown};
use super::{Asker, Looked, PageSeen, Returned};
use crate::EngineFault;
use crate::isolation::{internal_error, isolate, isolate_async};
use crate::look::{look, moment, no_address};
use crate::robots::{AGENT, RobotsAttempts, RobotsFailure, RobotsResult, origin, stored_rules};

/// What is known of a host's wishes.
#[derive(Debug, Clone)]
pub(super) enum Manners {
    /// Nobody has to ask.
    Free,
    /// Not asked yet.
    Unknown,
    /// Being asked.
    Sought,
    /// These.
    Known(Arc<RobotsAnswer>),
    /// The file could not be fetched.
    Failed(Arc<RobotsFailure>),
}

impl Manners {
    /// Whether requests may leave, be it the one that asks.
    pub(super) fn is_settled(&self) -> bool {
        !matches!(self, Self::Sought)
    }

    /// Whether this address may be asked.
    pub(super) fn allows(&self, url: &str) -> bool {
        match self {
            Self::Free | Self::Unknown | Self::Sought => true,
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
    pub(super) fn gate(&self, host: &str) -> Option<Gate> {
        let Self::Known(answer) = self else { return None };
        let (answer, host) = (Arc::clone(answer), host.to_owned());
        let opens = move |url: &Url| host_name(url) != host || answer.robots.is_allowed(AGENT, url);
        Some(Gate::new(opens))
    }

    /// Why this address may not be asked, in plain words.
    fn reason(&self, url: &str) -> String {
        let answer = match self {
            Self::Known(answer) => answer,
            Self::Failed(failure) => return format!("not asked: {}", failure.reason()),
            Self::Free | Self::Unknown | Self::Sought => return String::new(),
        };
        let rule = isolate(url, || {
            let rule = answer.robots.rule(AGENT, &Url::parse(url).ok()?)?;
            Some(format!("not asked: robots.txt says `{rule}`"))
        });
        rule.unwrap_or_default().unwrap_or_else(|| "not asked: robots.txt forbids it".to_owned())
    }
}

impl Asker<'_> {
    /// What is remembered of a host's wishes.
    pub(super) async fn recall_manners(&mut self, host: HostId) -> Result<(), EngineFault> {
        let Some(lane) = self.lanes.get(&host).filter(|_| self.crawler.is_some()) else {
            return Ok(());
        };
        let origin = lane.queue.front().and_then(|errand| origin_of(&errand.url));
        let Some(origin) = origin.or_else(|| origin_of_host(lane.name())) else { return Ok(()) };
        let since = self.ports.now().checked_sub(RobotsAnswer::FRESH).unwrap_or(Timestamp::MIN);
        let kept = self.ports.store.robots(&origin, since).await?;
        let now = self.ports.now();
        let kept = kept.filter(|kept| kept.asked <= now);
        let answer = kept.as_ref().and_then(stored_rules).filter(|answer| answer.is_fresh(now));
        self.set_manners(host, answer);
        Ok(())
    }

    fn set_manners(&mut self, host: HostId, answer: Option<RobotsAnswer>) {
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        let Some(answer) = answer else {
            lane.manners = Manners::Unknown;
            return;
        };
        if let Some(delay) = answer.robots.crawl_delay(AGENT) {
            lane.clock.keep_crawl_delay(delay);
        }
        if let Some(crawler) = &mut self.crawler {
            crawler.note_robots(lane.name(), &answer);
        }
        lane.manners = Manners::Known(Arc::new(answer));
        lane.is_unsifted = true;
    }

    /// Requests a host's file.
    pub(super) fn send_robots(&mut self, host: HostId) {
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        let Some(errand) = lane.queue.front() else { return };
        let (origin, rights) = (origin_of(&errand.url).unwrap_or_default(), errand.rights);
        lane.manners = Manners::Sought;
        let (ports, tray) = (self.ports.clone(), Arc::clone(&self.tray));
        let attempts =
            RobotsAttempts::new(origin.clone(), &self.settings.pace, self.settings.patience);
        self.beside += 1;
        tokio::spawn(async move {
            let requested = isolate_async(&origin, request(&ports, attempts, rights)).await;
            let (result, probe) = requested.unwrap_or_else(|_| {
                let probe = internal_error(ports.now());
                let failure = RobotsFailure { probe: probe.clone(), looks: Vec::new() };
                (RobotsResult::Failed(failure), probe)
            });
            tray.put(Returned::Robots(host, Box::new(result), Box::new(probe)));
        });
    }

    /// Takes in what a host said.
    pub(super) async fn take_robots(
        &mut self,
        host: HostId,
        result: RobotsResult,
        probe: &Probe,
    ) -> Result<(), EngineFault> {
        let (elapsed, patience) = (self.elapsed(), self.settings.patience);
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
                    self.ports.store.keep_robots(kept).await?;
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
        lane.manners = Manners::Failed(Arc::new(failure));
        lane.is_unsifted = true;
    }

    /// Takes errands out of a lane's queue that its host does not allow.
    pub(super) fn barred(&mut self, host: HostId) -> Vec<Judged> {
        let now = self.ports.now();
        let Some(lane) = self.lanes.get_mut(&host) else { return Vec::new() };
        let is_ruled = matches!(lane.manners, Manners::Known(_) | Manners::Failed(_));
        if !is_ruled || !lane.is_unsifted {
            return Vec::new();
        }
        lane.is_unsifted = false;
        let (manners, lease) = (lane.manners.clone(), lane.lease);
        let (allowed, barred): (Vec<Errand>, Vec<Errand>) =
            lane.queue.drain(..).partition(|errand| manners.allows(&errand.url));
        lane.queue.extend(allowed);
        let judged = |errand: Errand| {
            if let Some(failure) = self.deciding_failure(&manners, &errand) {
                return self.judged_by(host, lease, errand, failure, now);
            }
            let step = Step::Settle(kept_out(&errand, manners.reason(&errand.url), now));
            Judged::new(errand, Some(lease), None, step)
        };
        barred.into_iter().map(judged).collect()
    }

    /// The failed request that decides how a link ends, if one does.
    fn deciding_failure<'m>(
        &self,
        manners: &'m Manners,
        errand: &Errand,
    ) -> Option<&'m RobotsFailure> {
        let Manners::Failed(failure) = manners else { return None };
        let url = Url::parse(&errand.url).ok()?;
        let is_crawled = self.crawler.as_ref().is_some_and(|crawler| crawler.follows(&url));
        failure.decides_link(is_crawled).then_some(&**failure)
    }

    /// A link that is judged by the attempts to fetch its host's file.
    fn judged_by(
        &mut self,
        host: HostId,
        lease: HostLease,
        mut errand: Errand,
        failure: &RobotsFailure,
        now: Timestamp,
    ) -> Judged {
        let (last, earlier) = match failure.looks.split_last() {
            Some((last, earlier)) => (last.purpose, earlier),
            None => (Purpose::First, &[][..]),
        };
        errand.looks.extend_from_slice(earlier);
        errand.purpose = last;
        let looked = Looked::new(errand, PageSeen::new(failure.probe.clone(), Shown::default()));
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

/// The state of an errand that its host does not allow.
fn kept_out(errand: &Errand, reason: String, now: Timestamp) -> Settlement {
    let history = &errand.history;
    let is_same = history.code == Some(codes::ROBOTS);
    Settlement {
        word: Word::Blocked,
        code: Some(codes::ROBOTS),
        status: None,
        reason,
        since: history.since.filter(|_| is_same).unwrap_or(now),
        at: now,
        looks: errand.looks.clone(),
        streak: history.streak,
        confidence: Confidence::FULL,
        grounds: Vec::new(),
    }
}
