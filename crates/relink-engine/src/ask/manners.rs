//! What a host's `robots.txt` allows us: asked once before anything else, kept
//! for a day, and obeyed. Only crawls have to ask.

use std::sync::Arc;

use jiff::Timestamp;
use relink_frontier::{Robots, RobotsAnswer, host_name};
use relink_judge::codes;
use relink_model::{Confidence, Ending, Errand, Probe, RequestRights, Word};
use relink_ports::{Agent, Gate, HostId, KeptRobots, Settlement, Step, Terms};
use url::Url;

use super::inquest::Judged;
use super::{Asker, Returned};
use crate::EngineFault;
use crate::isolation::{internal_error, isolate, isolate_async};
use crate::look::{LookAt, look, moment, no_address};

/// The name we go by in `robots.txt`.
pub(crate) const AGENT: &str = "relink";

/// The status of a file that is not there.
const NO_FILE: u16 = 404;

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
        let Self::Known(answer) = self else { return String::new() };
        if answer.is_unreachable {
            return "not asked: robots.txt cannot be had, so nothing may be visited".to_owned();
        }
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
        let origin = lane.queue.front().and_then(|errand| origin(&errand.url));
        let Some(origin) = origin.or_else(|| origin_of_host(lane.name())) else { return Ok(()) };
        let since = self.ports.now().checked_sub(RobotsAnswer::FRESH).unwrap_or(Timestamp::MIN);
        let kept = self.ports.store.robots(&origin, since).await?;
        let now = self.ports.now();
        let kept = kept.filter(|kept| kept.asked <= now);
        let answer = kept.map(|kept| answer(&kept)).filter(|answer| answer.is_fresh(now));
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

    /// Asks a host for its wishes.
    pub(super) fn send_robots(&mut self, host: HostId) {
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        let Some(errand) = lane.queue.front() else { return };
        let (origin, rights) = (origin(&errand.url).unwrap_or_default(), errand.rights);
        lane.manners = Manners::Sought;
        let ports = self.ports.clone();
        let tray = Arc::clone(&self.tray);
        self.beside += 1;
        tokio::spawn(async move {
            let (asked, unread) = (ports.now(), origin.clone());
            let (kept, probe) =
                isolate_async(&unread, ask(&ports, origin, rights)).await.unwrap_or_else(|_| {
                    let (origin, text) = (unread.clone(), Vec::new());
                    let kept = KeptRobots { origin, asked, status: None, text };
                    (kept, internal_error(asked))
                });
            tray.put(Returned::Robots(host, Box::new(kept), Box::new(probe)));
        });
    }

    /// Takes in what a host said.
    pub(super) async fn take_robots(
        &mut self,
        host: HostId,
        kept: KeptRobots,
        probe: &Probe,
    ) -> Result<(), EngineFault> {
        let (elapsed, patience) = (self.elapsed(), self.settings.patience);
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.arrive(elapsed, probe, patience);
        }
        if !probe.ending.met_a_server() {
            // Nobody is there whose wishes could be ignored, and the page
            // itself has to tell whether it is dead.
            let nobody = RobotsAnswer::of_status(NO_FILE, b"", kept.asked);
            self.set_manners(host, Some(nobody));
            return Ok(());
        }
        self.ports.store.keep_robots(&kept).await?;
        self.set_manners(host, Some(answer(&kept)));
        Ok(())
    }

    /// Takes errands out of a lane's queue that its host does not allow.
    pub(super) fn barred(&mut self, host: HostId) -> Vec<Judged> {
        let now = self.ports.now();
        let Some(lane) = self.lanes.get_mut(&host) else { return Vec::new() };
        if !matches!(lane.manners, Manners::Known(_)) || !lane.is_unsifted {
            return Vec::new();
        }
        lane.is_unsifted = false;
        let (manners, lease) = (lane.manners.clone(), lane.lease);
        let (allowed, barred): (Vec<Errand>, Vec<Errand>) =
            lane.queue.drain(..).partition(|errand| manners.allows(&errand.url));
        lane.queue.extend(allowed);
        let judged = |errand: Errand| {
            let step = Step::Settle(kept_out(&errand, manners.reason(&errand.url), now));
            Judged::new(errand, Some(lease), None, step)
        };
        barred.into_iter().map(judged).collect()
    }
}

/// Asks for `robots.txt`. More redirects than the rule allows lead nowhere.
async fn ask(ports: &crate::Ports, origin: String, rights: RequestRights) -> (KeptRobots, Probe) {
    let asked = moment(&*ports.clock);
    let none = KeptRobots { origin: origin.clone(), asked, status: None, text: Vec::new() };
    let Ok(url) = Url::parse(&format!("{origin}/robots.txt")) else {
        return (none, no_address(asked));
    };
    let terms = Terms { body_cap: Some(Robots::LONGEST_FILE), ..Terms::default() };
    let at = LookAt { terms, ..LookAt::new(&url, rights, Agent::Plain) };
    let (probe, body) = look(&*ports.fetch, &*ports.clock, at).await;
    let is_far = probe.hops.len() > RobotsAnswer::MOST_REDIRECTS + 1;
    let status = match probe.ending {
        _ if is_far => Some(NO_FILE),
        Ending::Answered(status) => Some(status),
        Ending::TooManyHops | Ending::Loop | Ending::Malformed(_) => Some(NO_FILE),
        _ => None,
    };
    let text = body.map(|body| body.bytes.to_vec()).unwrap_or_default();
    let text = text[..text.len().min(Robots::LONGEST_FILE)].to_vec();
    (KeptRobots { status, text, ..none }, probe)
}

fn answer(kept: &KeptRobots) -> RobotsAnswer {
    let read = |status| RobotsAnswer::of_status(status, &kept.text, kept.asked);
    // What cannot be read because of an internal error allows nothing.
    let answer = kept.status.and_then(|status| isolate(&kept.origin, || read(status)).ok());
    answer.unwrap_or_else(|| RobotsAnswer::unreachable(kept.asked))
}

fn origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    Some(url.origin().ascii_serialization())
}

fn origin_of_host(name: &str) -> Option<String> {
    origin(&format!("https://{name}/"))
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
