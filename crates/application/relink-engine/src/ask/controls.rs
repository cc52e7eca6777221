//! Pages asked for comparison: which are known, which are on their way, and
//! which looks wait for them.
//!
//! A control is asked once for all targets that may share it, and kept in the
//! store. A look that needs one keeps its place among the requests in flight
//! until it is judged, so a kill repeats no more than it did before.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use relink_judge::{Sibling, is_conclusive, kinship, neighborhood, sibling, sibling_key};
use relink_model::{Control, ControlKind, Errand, Probe, RequestRights};
use relink_ports::{HostId, KeptControl, Neighbor};
use xxhash_rust::xxh3::xxh3_64;

use super::inquest::Inquest;
use super::lane::Lane;
use super::{Asker, Returned};
use crate::EngineFault;
use crate::isolation::{internal_error, isolate, isolate_async};
use crate::look::{Asked, look_through};

/// Controls kept in memory; others are in the store.
const REMEMBERED: usize = 4096;
/// Errands of one directory that are worth asking for its control ahead: some
/// page among so many answers, and then all of them would wait for it. Only
/// hosts that are asked much at once have so many in their queue; for others
/// the wait costs nothing.
const CROWD: usize = 16;
/// Controls that are pages of the run itself.
pub(super) const NEIGHBOR_KINDS: [ControlKind; 2] =
    [ControlKind::Neighbor, ControlKind::SecondNeighbor];
/// Pages of a directory among which the two most telling are sought.
const NEIGHBORS: usize = 8;
/// How often a control that met a passing trouble is asked.
const ATTEMPTS: u32 = 2;

/// A control to be asked.
#[derive(Debug, Clone)]
pub(super) struct ControlErrand {
    pub(super) kind: ControlKind,
    pub(super) key: String,
    pub(super) url: String,
    pub(super) rights: RequestRights,
    pub(super) attempt: u32,
    /// Whether it is asked before anybody waits for it. It then has a place of
    /// its own among the requests in flight.
    pub(super) is_ahead: bool,
}

/// What is known of controls in this run.
#[derive(Default)]
pub(super) struct Controls {
    /// By key: the address, and what came back if it was asked.
    known: HashMap<String, (String, Option<Arc<Probe>>)>,
    /// By key: the looks that wait for it.
    waiting: HashMap<String, Vec<Inquest>>,
}

impl Controls {
    fn recall(&self, kind: ControlKind, key: &str) -> Option<Control> {
        let (url, probe) = self.known.get(key)?;
        Some(Control { kind, url: url.clone(), probe: probe.clone() })
    }

    /// Whether a control is here or on its way.
    fn is_known(&self, key: &str) -> bool {
        self.known.contains_key(key) || self.waiting.contains_key(key)
    }

    fn remember(&mut self, key: String, url: String, probe: Option<Arc<Probe>>) {
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(key, (url, probe));
    }
}

/// What came of looking for a control.
pub(super) enum Found {
    /// Here it is.
    Control(Control),
    /// It has to be asked first.
    OnItsWay(ControlErrand),
}

impl Asker<'_> {
    /// Looks for a control of this kind: in memory, in the store, and at last on
    /// the web, if the host can bear it.
    pub(super) async fn find_control(
        &mut self,
        kind: ControlKind,
        inquest: &Inquest,
    ) -> Result<Found, EngineFault> {
        let Some(key) = key_of(kind, &inquest.errand.url) else {
            return Ok(Found::Control(unasked(kind)));
        };
        if let Some(control) = self.recall_control(kind, &key).await? {
            return Ok(Found::Control(control));
        }
        let Some(sibling) = sibling_of(kind, &inquest.errand.url, self.salt()) else {
            return Ok(Found::Control(unasked(kind)));
        };
        let lane = self.lanes.get(&inquest.host);
        if lane.is_some_and(|lane| !lane.manners.allows(&sibling.url)) {
            return Ok(Found::Control(unasked(kind)));
        }
        let (url, rights) = (sibling.url, inquest.errand.rights);
        let errand = ControlErrand { kind, key, url, rights, attempt: 1, is_ahead: false };
        Ok(self.order(inquest.host, errand))
    }

    /// Asks ahead for the controls of crowded directories in a host's queue.
    pub(super) async fn order_ahead(&mut self, host: HostId) -> Result<(), EngineFault> {
        // A crawl asks for robots first, and finds its pages one by one; and a
        // host may be dead.
        let is_worth = |lane: &&Lane| self.crawler.is_none() && lane.has_answered();
        let Some(lane) = self.lanes.get(&host).filter(is_worth) else { return Ok(()) };
        for first in crowded(&lane.queue) {
            let Some(sibling) = sibling_of(ControlKind::Stray, &first.url, self.salt()) else {
                continue;
            };
            let Sibling { url, key } = sibling;
            if self.controls.is_known(&key)
                || self.ports.store.control(&key, self.controls_since()).await?.is_some()
            {
                continue;
            }
            let (kind, rights) = (ControlKind::Stray, first.rights);
            let errand = ControlErrand { kind, key, url, rights, attempt: 1, is_ahead: true };
            if let Some(lane) = self.lanes.get_mut(&host)
                && lane.takes_control()
            {
                self.controls.waiting.insert(errand.key.clone(), Vec::new());
                lane.strays.push_back(errand);
            }
        }
        Ok(())
    }

    /// The two pages of the same directory that tell most about one that was
    /// redirected, among those that were asked in this run. None is asked for
    /// this alone.
    pub(super) async fn find_neighbors(
        &self,
        url: &str,
        probe: &Probe,
    ) -> Result<[Control; 2], EngineFault> {
        let mut found = match isolate(url, || neighborhood(url)).unwrap_or_default() {
            Some(directory) => {
                self.ports.store.neighbors(self.run, directory, url, NEIGHBORS).await?
            }
            None => Vec::new(),
        };
        let kin = |other: &Neighbor| {
            let kin = isolate(url, || kinship((url, probe), (&other.url, &other.probe)));
            kin.unwrap_or_default()
        };
        found.retain(|other| kin(other).is_some());
        found.sort_by_key(kin);
        let mut found = found.into_iter();
        Ok(NEIGHBOR_KINDS.map(|kind| match found.next() {
            Some(Neighbor { url, probe }) => Control { kind, url, probe: Some(Arc::new(probe)) },
            None => unasked(kind),
        }))
    }

    /// What came back when a control was asked, in this run or lately.
    async fn recall_control(
        &mut self,
        kind: ControlKind,
        key: &str,
    ) -> Result<Option<Control>, EngineFault> {
        if let Some(control) = self.controls.recall(kind, key) {
            return Ok(Some(control));
        }
        if kind == ControlKind::Again || self.controls.waiting.contains_key(key) {
            return Ok(None);
        }
        let kept = self.ports.store.control(key, self.controls_since()).await?;
        let kept = kept.filter(|kept| kept.probe.asked <= self.ports.now());
        Ok(kept.map(|KeptControl { key, url, probe }| {
            let probe = Some(Arc::new(probe));
            self.controls.remember(key, url.clone(), probe.clone());
            Control { kind, url, probe }
        }))
    }

    /// A control for an errand that was put on hold: what was asked by then.
    pub(super) async fn find_asked(
        &mut self,
        kind: ControlKind,
        url: &str,
    ) -> Result<Control, EngineFault> {
        let Some(key) = key_of(kind, url) else { return Ok(unasked(kind)) };
        Ok(self.recall_control(kind, &key).await?.unwrap_or_else(|| unasked(kind)))
    }

    /// Orders a control, unless that would be too much for its host.
    fn order(&mut self, host: HostId, errand: ControlErrand) -> Found {
        let is_asked = self.controls.waiting.contains_key(&errand.key);
        let lane = self.lanes.get_mut(&host);
        if is_asked || lane.is_some_and(Lane::takes_control) {
            return Found::OnItsWay(errand);
        }
        let (kind, url) = (errand.kind, errand.url.clone());
        self.controls.remember(errand.key, errand.url, None);
        Found::Control(Control { kind, url, probe: None })
    }

    /// Lets a look wait for a control, and asks for it if nobody has.
    pub(super) fn park(&mut self, inquest: Inquest, errand: ControlErrand) {
        let host = inquest.host;
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.parked += 1;
        }
        let is_asked = self.controls.waiting.contains_key(&errand.key);
        let waiting = self.controls.waiting.entry(errand.key.clone()).or_default();
        waiting.push(inquest);
        let is_first = waiting.len() == 1;
        if is_first
            && let Some(lane) = self.lanes.get_mut(&host)
            // One that was to be asked ahead must not wait for a place: all
            // places may be held by those who wait for it.
            && (!is_asked || lane.has_stray(&errand.key))
        {
            lane.want_control(errand);
        }
        self.schedule(host);
    }

    /// Sends a control's request. It takes no place among those in flight
    /// where looks wait for it, because they hold theirs.
    pub(super) fn send_control(&mut self, host: HostId, errand: ControlErrand) {
        self.in_flight += usize::from(errand.is_ahead);
        let ports = self.ports.clone();
        let terms = self.lanes.get(&host).map(Lane::terms).unwrap_or_default();
        let tray = Arc::clone(&self.tray);
        self.beside += 1;
        tokio::spawn(async move {
            let agent = relink_ports::Agent::Plain;
            let (url, rights) = (&*errand.url, errand.rights);
            let asked = Asked { url, like: None, rights, agent, terms };
            let looked = look_through(&*ports.fetch, &*ports.clock, asked);
            let probe = isolate_async(url, looked).await;
            let probe = probe.unwrap_or_else(|_| internal_error(ports.now()));
            tray.put(Returned::Compared(host, Box::new(errand), Box::new(probe)));
        });
    }

    /// Takes in a control; returns the looks that waited for it.
    pub(super) async fn take_control(
        &mut self,
        host: HostId,
        errand: ControlErrand,
        probe: Probe,
    ) -> Result<Vec<Inquest>, EngineFault> {
        let elapsed = self.elapsed();
        let patience = self.settings.patience;
        self.in_flight -= usize::from(errand.is_ahead);
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.arrive_control(elapsed, &errand, &probe, patience);
            if !is_conclusive(&probe) && errand.attempt < ATTEMPTS && !lane.is_closed() {
                let waiting = self.controls.waiting.get(&errand.key);
                let again = ControlErrand { attempt: errand.attempt + 1, ..errand };
                if waiting.is_some_and(|all| !all.is_empty()) {
                    lane.want_control(again);
                } else {
                    lane.strays.push_back(again);
                }
                return Ok(Vec::new());
            }
        }
        if errand.kind != ControlKind::Again && is_conclusive(&probe) {
            let (key, url) = (errand.key.clone(), errand.url.clone());
            let kept = KeptControl { key, url, probe: probe.clone() };
            self.ports.store.keep_controls(&[kept]).await?;
        }
        Ok(self.deliver(host, errand, Some(probe)))
    }

    /// Hands a control to those who wait for it.
    pub(super) fn deliver(
        &mut self,
        host: HostId,
        errand: ControlErrand,
        probe: Option<Probe>,
    ) -> Vec<Inquest> {
        let waiting = self.controls.waiting.remove(&errand.key).unwrap_or_default();
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.parked = lane.parked.saturating_sub(waiting.len());
        }
        self.controls.remember(errand.key, errand.url, probe.map(Arc::new));
        waiting
    }

    /// Random names differ from run to run, and are the same within one.
    fn salt(&self) -> u64 {
        xxh3_64(&self.started.as_millisecond().to_le_bytes())
    }

    /// Controls asked at this moment or later are good enough.
    fn controls_since(&self) -> Timestamp {
        let age = SignedDuration::try_from(self.settings.control_age).unwrap_or_default();
        let since = self.ports.now().checked_sub(age).unwrap_or(Timestamp::MIN);
        since.min(self.started)
    }
}

/// The key of a control; none where the rule for it panics.
fn key_of(kind: ControlKind, url: &str) -> Option<String> {
    isolate(url, || sibling_key(kind, url)).unwrap_or_default()
}

/// A control of a page; none where the rule for it panics.
fn sibling_of(kind: ControlKind, url: &str, salt: u64) -> Option<Sibling> {
    isolate(url, || sibling(kind, url, salt)).unwrap_or_default()
}

/// A control that nobody could ask.
pub(super) fn unasked(kind: ControlKind) -> Control {
    Control { kind, url: String::new(), probe: None }
}

/// The first errand of each directory that many of these lead to. Those that
/// were checked before may be known by their content, without a control.
fn crowded(queue: &VecDeque<Errand>) -> Vec<Errand> {
    let mut crowds: HashMap<&str, (usize, &Errand)> = HashMap::new();
    let is_new = |errand: &&Errand| errand.looks.is_empty() && errand.history.word.is_none();
    for errand in queue.iter().filter(is_new) {
        let directory = errand.url.rsplit_once('/').map_or("", |(directory, _)| directory);
        crowds.entry(directory).or_insert((0, errand)).0 += 1;
    }
    let crowds = crowds.into_values().filter(|(count, _)| *count >= CROWD);
    let mut first: Vec<Errand> = crowds.map(|(_, errand)| errand.clone()).collect();
    first.sort_by_key(|errand| errand.id);
    first
}
