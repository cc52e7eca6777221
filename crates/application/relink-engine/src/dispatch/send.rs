//! Sending requests out as the hosts' clocks allow.

use std::sync::Arc;
use std::time::Duration;

use relink_model::FetchTask;
use relink_ports::{HostId, RequestOptions};
use url::Url;

use super::host_queue::{AddressLookup, HostQueue, ReadyKey};
use super::pending_judgment::PageContent;
use super::robots::RobotsState;
use super::{Dispatcher, FetchedTask, PageSeen, WorkerEvent};
use crate::Ports;
use crate::anchors;
use crate::crawl::PageFetchResult;
use crate::isolation::{isolate, isolate_async};
use crate::load::ProbedPage;
use crate::probe::{StoredUrlRequest, agent_for, probe_stored_url_with_body};

impl Dispatcher<'_> {
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
    pub(super) fn has_slot(&self, turn: ReadyKey) -> bool {
        let taken = if turn.is_control { self.outstanding } else { self.in_flight };
        taken < self.settings.concurrency
    }

    /// Sends a ready lane's next task, or finds out when it may leave.
    fn send_next(&mut self, host: HostId, now: Duration) {
        if self.departure(host).is_none_or(|at| at > now) {
            self.schedule_at(host, now);
            return;
        }
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        if matches!(lane.robots, RobotsState::Unknown) {
            lane.depart(now);
            if let Some(address) = lane.address() {
                self.gate.request_started(address, host.0, now);
            }
            self.send_robots(host);
            self.schedule_at(host, now);
            return;
        }
        let stray = lane.pending_controls.pop_front();
        let task = if stray.is_none() { self.next_task(host) } else { None };
        if stray.is_none() && task.is_none() {
            self.schedule_at(host, now);
            return;
        }
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        lane.depart(now);
        if let Some(address) = lane.address() {
            self.gate.request_started(address, host.0, now);
        }
        if let Some(stray) = stray {
            self.send_control(host, stray);
        } else if let Some(task) = task {
            self.in_flight += 1;
            self.note_out(host, task.id);
            self.send(host, task);
        }
        self.schedule_at(host, now);
    }

    fn send(&mut self, host: HostId, task: FetchTask) {
        if let Some(task) = self.send_to_follow(host, task) {
            self.send_to_look(host, task);
        }
    }

    /// Sends a task whose page is read for its links; gives back any other.
    fn send_to_follow(&mut self, host: HostId, task: FetchTask) -> Option<FetchTask> {
        let Some(crawler) = &self.crawler else { return Some(task) };
        let followed =
            isolate(&task.url, || Url::parse(&task.url).ok().filter(|url| crawler.follows(url)));
        let Some(url) = followed.unwrap_or_default() else { return Some(task) };
        let terms = self.lanes.get(&host).map(HostQueue::terms).unwrap_or_default();
        let visit = crawler.visit(url, &task, terms);
        let ports = self.ports.clone();
        let tray = Arc::clone(&self.tray);
        self.outstanding += 1;
        tokio::spawn(async move {
            let visited = isolate_async(&task.url, async {
                let PageFetchResult { probe, reading, unrendered } = visit.run(&ports).await;
                let shown = PageContent { anchors: None, reading: reading.map(Box::new) };
                (PageSeen::new(probe, shown), unrendered)
            });
            // The loop waits for every page it sent out, whatever becomes of it.
            let visited = visited.await;
            let (seen, unrendered) =
                visited.unwrap_or_else(|_| (PageSeen::unread(ports.now()), None));
            let looked = Box::new(FetchedTask::new(task, seen));
            tray.put(WorkerEvent::Visited(host, looked, unrendered));
        });
        None
    }

    fn send_to_look(&mut self, host: HostId, task: FetchTask) {
        let ports = self.ports.clone();
        let (terms, like) = match self.lanes.get_mut(&host) {
            Some(lane) => (lane.terms(), lane.like(&task)),
            None => (RequestOptions::default(), None),
        };
        let brought = self.loading.brought();
        let page_bytes = self.settings.page_bytes;
        let tray = Arc::clone(&self.tray);
        self.outstanding += 1;
        tokio::spawn(async move {
            let seen = isolate_async(&task.url, async {
                // Asked while loading: the first look is that one.
                let loaded = brought.pages.get(&task.url).filter(|_| task.attempts.is_empty());
                let seen = if let Some(seen) = loaded {
                    seen.clone()
                } else {
                    let bytes_for_places = brought.wants(&task.url).then_some(page_bytes);
                    see(&ports, &task, like.as_deref(), terms, bytes_for_places).await
                };
                let ProbedPage { probe, anchors } = seen;
                PageSeen::new(probe, PageContent { anchors, reading: None })
            });
            let seen = seen.await.unwrap_or_else(|_| PageSeen::unread(ports.now()));
            tray.put(WorkerEvent::Looked(host, Box::new(FetchedTask::new(task, seen))));
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

    /// From when a lane's next task may leave, by all clocks.
    fn departure(&self, host: HostId) -> Option<Duration> {
        let lane = self.lanes.get(&host)?;
        let by_clock = lane.next_departure()?;
        let by_gate = lane.address().map(|address| self.gate.ready_at(address, host.0));
        Some(by_clock.max(by_gate.unwrap_or_default()))
    }

    /// Looks up a host's address before its first request, so that the gate
    /// between hosts on one address holds from the start.
    fn locate(&mut self, host: HostId) {
        let Some(lane) = self.lanes.get_mut(&host) else { return };
        if lane.whereabouts != AddressLookup::Unknown {
            return;
        }
        let Some(url) = lane.queue.front().and_then(|task| Url::parse(&task.url).ok()) else {
            return;
        };
        lane.whereabouts = AddressLookup::InProgress;
        let ports = self.ports.clone();
        let tray = Arc::clone(&self.tray);
        self.outstanding += 1;
        tokio::spawn(async move {
            let located = isolate_async(url.as_str(), ports.fetch.resolve_ip(&url)).await;
            tray.put(WorkerEvent::Located(host, located.unwrap_or_default()));
        });
    }
}

/// Looks at a page, and at the places it offers if some are wanted.
async fn see(
    ports: &Ports,
    task: &FetchTask,
    like: Option<&Url>,
    terms: RequestOptions,
    bytes_for_places: Option<usize>,
) -> ProbedPage {
    let agent = agent_for(task.purpose, &task.attempts);
    let body_cap = bytes_for_places.or(terms.max_body_bytes);
    let terms = RequestOptions { max_body_bytes: body_cap, ..terms };
    let asked =
        StoredUrlRequest { url: &task.url, like, rights: task.rights, agent, options: terms };
    let (probe, body) = probe_stored_url_with_body(&*ports.fetch, &*ports.clock, asked).await;
    let anchors = body.filter(|_| bytes_for_places.is_some());
    let anchors = anchors.and_then(|body| anchors::offered_by(&probe, &body));
    ProbedPage { probe, anchors }
}
