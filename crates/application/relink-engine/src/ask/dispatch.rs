//! Sending requests out as the hosts' clocks allow.

use std::sync::Arc;
use std::time::Duration;

use relink_model::Errand;
use relink_ports::{HostId, Terms};
use url::Url;

use super::inquest::Shown;
use super::lane::{Lane, Turn, Whereabouts};
use super::manners::Manners;
use super::{Asker, Looked, PageSeen, Returned};
use crate::Ports;
use crate::anchors;
use crate::crawl::Visited;
use crate::isolation::{isolate, isolate_async};
use crate::load::SeenPage;
use crate::look::{Asked, agent_for, read_through};

impl Asker<'_> {
    /// Sends out whatever may leave at `now`.
    ///
    /// One reading of the clock decides for the whole call: a host that is not
    /// ready at `now` is scheduled for later, so each round of the loop either
    /// sends a request or takes a host off the front of the ready set.
    pub(super) fn dispatch(&mut self, now: Duration) {
        while let Some(&(turn, host)) = self.ready.first() {
            if turn.at > now || !self.has_slot(turn) {
                return;
            }
            self.send_next(host, now);
        }
    }

    /// Whether the limit of requests in flight allows one more. A control that
    /// results wait for needs no slot of its own: they hold theirs. Lanes with
    /// such a control come first.
    pub(super) fn has_slot(&self, turn: Turn) -> bool {
        let taken = if turn.is_control { self.beside } else { self.in_flight };
        taken < self.settings.concurrency
    }

    /// Sends a ready lane's next errand, or finds out when it may leave.
    fn send_next(&mut self, host: HostId, now: Duration) {
        if self.departure(host).is_none_or(|at| at > now) {
            self.schedule_at(host, now);
            return;
        }
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        if matches!(lane.manners, Manners::Unknown) {
            lane.depart(now);
            if let Some(address) = lane.address() {
                self.gate.depart(address, host.0, now);
            }
            self.send_robots(host);
            self.schedule_at(host, now);
            return;
        }
        let stray = lane.strays.pop_front();
        let errand = if stray.is_none() { self.next_errand(host) } else { None };
        if stray.is_none() && errand.is_none() {
            self.schedule_at(host, now);
            return;
        }
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        lane.depart(now);
        if let Some(address) = lane.address() {
            self.gate.depart(address, host.0, now);
        }
        if let Some(stray) = stray {
            self.send_control(host, stray);
        } else if let Some(errand) = errand {
            self.in_flight += 1;
            self.note_out(host, errand.id);
            self.send(host, errand);
        }
        self.schedule_at(host, now);
    }

    fn send(&mut self, host: HostId, errand: Errand) {
        if let Some(errand) = self.send_to_follow(host, errand) {
            self.send_to_look(host, errand);
        }
    }

    /// Sends an errand whose page is read for its links; gives back any other.
    fn send_to_follow(&mut self, host: HostId, errand: Errand) -> Option<Errand> {
        let Some(crawler) = &self.crawler else { return Some(errand) };
        let followed = isolate(&errand.url, || {
            Url::parse(&errand.url).ok().filter(|url| crawler.follows(url))
        });
        let Some(url) = followed.unwrap_or_default() else { return Some(errand) };
        let terms = self.lanes.get(&host).map(Lane::terms).unwrap_or_default();
        let visit = crawler.visit(url, &errand, terms);
        let ports = self.ports.clone();
        let tray = Arc::clone(&self.tray);
        self.beside += 1;
        tokio::spawn(async move {
            let visited = isolate_async(&errand.url, async {
                let Visited { probe, reading, unrendered } = visit.pay(&ports).await;
                let shown = Shown { anchors: None, reading: reading.map(Box::new) };
                (PageSeen::new(probe, shown), unrendered)
            });
            // The loop waits for every page it sent out, whatever becomes of it.
            let visited = visited.await;
            let (seen, unrendered) =
                visited.unwrap_or_else(|_| (PageSeen::unread(ports.now()), None));
            let looked = Box::new(Looked::new(errand, seen));
            tray.put(Returned::Visited(host, looked, unrendered));
        });
        None
    }

    fn send_to_look(&mut self, host: HostId, errand: Errand) {
        let ports = self.ports.clone();
        let (terms, like) = match self.lanes.get_mut(&host) {
            Some(lane) => (lane.terms(), lane.like(&errand)),
            None => (Terms::default(), None),
        };
        let brought = self.loading.brought();
        let page_bytes = self.settings.page_bytes;
        let tray = Arc::clone(&self.tray);
        self.beside += 1;
        tokio::spawn(async move {
            let seen = isolate_async(&errand.url, async {
                // Asked while loading: the first look is that one.
                let loaded = brought.pages.get(&errand.url).filter(|_| errand.looks.is_empty());
                let seen = if let Some(seen) = loaded {
                    seen.clone()
                } else {
                    let bytes_for_places = brought.wants(&errand.url).then_some(page_bytes);
                    see(&ports, &errand, like.as_deref(), terms, bytes_for_places).await
                };
                let SeenPage { probe, anchors } = seen;
                PageSeen::new(probe, Shown { anchors, reading: None })
            });
            let seen = seen.await.unwrap_or_else(|_| PageSeen::unread(ports.now()));
            tray.put(Returned::Looked(host, Box::new(Looked::new(errand, seen))));
        });
    }

    /// Puts a lane where it belongs in the ready set.
    pub(super) fn schedule(&mut self, host: HostId) {
        self.schedule_at(host, self.elapsed());
    }

    /// Puts a lane where it belongs in the ready set, as seen at `now`.
    pub(super) fn schedule_at(&mut self, host: HostId, now: Duration) {
        self.locate(host);
        let at = self.departure(host);
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        let turn = at.and_then(|at| lane.turn_at(at, now));
        if lane.turn == turn {
            return;
        }
        if let Some(old) = lane.turn.take() {
            self.ready.remove(&(old, host));
        }
        let Some(turn) = turn else { return };
        if turn.at > now {
            lane.waits_since.get_or_insert(now);
        }
        lane.turn = Some(turn);
        self.ready.insert((turn, host));
    }

    /// From when a lane's next errand may leave, by all clocks.
    fn departure(&self, host: HostId) -> Option<Duration> {
        let lane = self.lanes.get(&host)?;
        let by_clock = lane.next_departure()?;
        let by_gate = lane.address().map(|address| self.gate.from(address, host.0));
        Some(by_clock.max(by_gate.unwrap_or_default()))
    }

    /// Looks up a host's address before its first request, so that the gate
    /// between hosts on one address holds from the start.
    fn locate(&mut self, host: HostId) {
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        if lane.whereabouts != Whereabouts::Unknown {
            return;
        }
        let Some(url) = lane.queue.front().and_then(|errand| Url::parse(&errand.url).ok()) else {
            return;
        };
        lane.whereabouts = Whereabouts::Sought;
        let ports = self.ports.clone();
        let tray = Arc::clone(&self.tray);
        self.beside += 1;
        tokio::spawn(async move {
            let located = isolate_async(url.as_str(), ports.fetch.locate(&url)).await;
            tray.put(Returned::Located(host, located.unwrap_or_default()));
        });
    }
}

/// Looks at a page, and at the places it offers if some are wanted.
async fn see(
    ports: &Ports,
    errand: &Errand,
    like: Option<&Url>,
    terms: Terms,
    bytes_for_places: Option<usize>,
) -> SeenPage {
    let agent = agent_for(errand.purpose, &errand.looks);
    let body_cap = bytes_for_places.or(terms.body_cap);
    let terms = Terms { body_cap, ..terms };
    let asked = Asked { url: &errand.url, like, rights: errand.rights, agent, terms };
    let (probe, body) = read_through(&*ports.fetch, &*ports.clock, asked).await;
    let anchors = body.filter(|_| bytes_for_places.is_some());
    let anchors = anchors.and_then(|body| anchors::offered_by(&probe, &body));
    SeenPage { probe, anchors }
}
