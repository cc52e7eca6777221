//! Taking in what came back, committing it, and telling the observer.

use std::time::Duration;

use jiff::Timestamp;
use relink_judge::is_network_ending;
use relink_model::{Errand, ErrandId, Probe};
use relink_ports::{Completion, HostId, Moments, Settled, SettledQuery, Step};
use tokio::time::Instant;

use super::controls::ControlErrand;
use super::inquest::{Inquest, Judged, turned_away};
use super::lane::Whereabouts;
use super::{Asker, Returned};
use crate::{EngineFault, Observer, Stop};

/// While many requests are out, a commit waits so long for company: a fuller
/// batch writes each page of the database once instead of twice.
const LINGER: Duration = Duration::from_millis(4);
/// Results committed at once, at most.
const LARGEST_BATCH: usize = 64;
/// Errands are read back from the store this many at a time.
pub(super) const PAGE: usize = 256;

/// What is on hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// What waits for a proof that our own network works.
    ForNetwork,
    /// What waits for its neighbors, too.
    All,
}

impl Asker<'_> {
    /// Takes in what came back.
    pub(super) async fn take_in(
        &mut self,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<(), EngineFault> {
        let batch = self.batch();
        // While loading, whoever waits only lets the loader go first.
        if self.is_loaded && self.beside >= batch {
            self.tray.linger(batch, Instant::now() + LINGER).await;
        }
        let returned = self.tray.take(batch);
        self.beside -= returned.len();
        let (had_network, was_proven) = (self.has_network, self.is_network_proven());
        let mut hosts = Vec::with_capacity(returned.len());
        let mut opened = Vec::with_capacity(returned.len());
        let mut judged = Vec::with_capacity(returned.len());
        for returned in returned {
            let is_control = matches!(returned, Returned::Compared(..));
            let inquests = self.inquests(returned, &mut hosts).await?;
            if !is_control {
                opened.extend(inquests);
                continue;
            }
            for inquest in inquests {
                judged.extend(self.proceed(inquest).await?);
            }
        }
        hosts.sort_unstable();
        hosts.dedup();
        if !stop.is_raised() {
            self.send_ahead(&hosts, opened.len());
        }
        for inquest in opened {
            // One that waits for a control keeps its place meanwhile.
            judged.extend(self.proceed(inquest).await?);
        }
        let done = judged.len();
        self.commit(judged, observer).await?;
        self.in_flight -= done;
        self.keep_network().await?;
        if self.has_network && !had_network {
            // The first server met proves that our own network works; what was
            // held back until then can be judged.
            self.ports.store.prove_network(self.run).await?;
            self.judge_held(Held::ForNetwork, observer, stop).await?;
        } else if self.is_network_proven() && !was_proven {
            self.judge_held(Held::ForNetwork, observer, stop).await?;
        }
        for host in hosts {
            self.turn_away(host, observer).await?;
            self.settle_unrequested(host, observer).await?;
            self.schedule(host);
            self.supply.want_refill(host);
        }
        Ok(())
    }

    /// Sends out as many requests as looks came back, before those are judged
    /// and stored: the network need not wait for the disk. A kill then repeats up
    /// to a batch more than what is out. Where answers decide what is asked next,
    /// they come first.
    fn send_ahead(&mut self, hosts: &[HostId], came_back: usize) {
        if self.crawler.is_some() || self.source.is_some() {
            return;
        }
        let now = self.elapsed();
        for host in hosts {
            self.schedule_at(*host, now);
        }
        self.in_flight -= came_back;
        self.dispatch(now);
        self.in_flight += came_back;
    }

    /// The inquests that go on because of what came back.
    async fn inquests(
        &mut self,
        returned: Returned,
        hosts: &mut Vec<HostId>,
    ) -> Result<Vec<Inquest>, EngineFault> {
        Ok(match returned {
            Returned::Located(host, address) => {
                self.note_address(host, address);
                Vec::new()
            }
            Returned::Looked(host, looked) => {
                self.note_network(&looked.errand.url, &looked.probe);
                hosts.push(host);
                self.open_inquest(host, *looked).into_iter().collect()
            }
            Returned::Visited(host, looked, unrendered) => {
                self.note_network(&looked.errand.url, &looked.probe);
                hosts.push(host);
                if let (Some(crawler), Some(fault)) = (&mut self.crawler, unrendered) {
                    crawler.note_unrendered(fault);
                }
                self.open_inquest(host, *looked).into_iter().collect()
            }
            Returned::Robots(host, kept, probe) => {
                self.has_network |= probe.ending.met_a_server();
                hosts.push(host);
                self.take_robots(host, *kept, &probe).await?;
                Vec::new()
            }
            Returned::Compared(host, errand, probe) => {
                self.has_network |= probe.ending.met_a_server();
                hosts.push(host);
                self.take_control(host, *errand, *probe).await?
            }
        })
    }

    /// Results committed at once: half of what may be out, so that the other
    /// half keeps the network busy meanwhile.
    fn batch(&self) -> usize {
        (self.settings.concurrency / 2).clamp(1, LARGEST_BATCH)
    }

    fn note_address(&mut self, host: HostId, address: Option<std::net::IpAddr>) {
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.whereabouts = Whereabouts::Known(address);
        }
        self.schedule(host);
    }

    /// Judges what was put on hold, now that what it waited for has come: none
    /// of it before some server was met.
    pub(super) async fn judge_held(
        &mut self,
        which: Held,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<(), EngineFault> {
        if which == Held::All {
            self.decide_network().await?;
        }
        let mut after = ErrandId(0);
        while self.has_network && !stop.is_raised() {
            self.report_progress(observer);
            let page = self.ports.store.held(self.run, after, PAGE).await?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = last.id;
            let mut judged = Vec::with_capacity(page.len());
            for (errand, probe) in page {
                if which == Held::ForNetwork && !self.is_released(&errand.url, &probe) {
                    continue;
                }
                judged.push(match self.settle_doubtful(&errand, &probe) {
                    Some(judged) => judged,
                    None => self.judge_again(errand, probe).await?,
                });
            }
            self.commit(judged, observer).await?;
        }
        Ok(())
    }

    /// Errands of a host that wants to be left alone for longer than this run
    /// will wait are settled unasked.
    pub(super) async fn turn_away(
        &mut self,
        host: HostId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let now = self.ports.now();
        let barred = self.barred(host);
        if !barred.is_empty() {
            self.commit(barred, observer).await?;
            self.schedule(host);
            self.supply.want_refill(host);
        }
        let Some(lane) = self.lanes.get_mut(&host) else { return Ok(()) };
        let Some(until) = lane.shut_until else { return Ok(()) };
        let lease = lane.lease;
        let mut judged: Vec<Judged> = lane
            .queue
            .drain(..)
            .map(|errand| {
                let step = Step::Settle(turned_away(&errand, until, now));
                Judged::new(errand, Some(lease), None, step)
            })
            .collect();
        let queued = judged.len();
        // Looks that wait for a control are judged without it.
        let strays: Vec<ControlErrand> = lane.strays.drain(..).collect();
        for stray in strays {
            for inquest in self.deliver(host, stray, None) {
                judged.extend(self.proceed(inquest).await?);
            }
        }
        self.in_flight -= judged.len() - queued;
        self.schedule(host);
        if !judged.is_empty() {
            // The store may have more of them, and the host is only released
            // once it has none.
            self.supply.want_refill(host);
        }
        self.commit(judged, observer).await
    }

    /// Stores judged errands in one transaction and reports the settled ones.
    pub(super) async fn commit(
        &mut self,
        mut judged: Vec<Judged>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        if judged.is_empty() {
            return Ok(());
        }
        let now = self.ports.now();
        let moments = self
            .crawler
            .as_ref()
            .map_or(Moments { now, fresh_since: Timestamp::MAX }, |crawler| crawler.moments(now));
        let held: Vec<Option<Probe>> = judged.iter_mut().map(|judged| judged.held.take()).collect();
        let mut errands = Vec::with_capacity(judged.len());
        let mut completions = Vec::with_capacity(judged.len());
        for judged in judged {
            let (errand, completion) = self.weighed(judged);
            errands.push(errand);
            completions.push(completion);
        }
        let completed = self.ports.store.complete(self.run, &completions, moments).await?;
        self.note_found(&completed);
        self.note_back(&errands);
        let refused = completed.refused;
        let taken: Vec<(Errand, Completion)> = errands
            .into_iter()
            .zip(completions)
            .zip(held)
            .filter(|((errand, _), _)| !refused.contains(&errand.id))
            .map(|((errand, completion), held)| {
                let probe = completion.probe.or(held);
                (errand, Completion { probe, ..completion })
            })
            .collect();
        self.tell_source(&taken);
        let is_settled = |(_, done): &(Errand, Completion)| matches!(done.step, Step::Settle(_));
        let settled: Vec<(Errand, Completion)> = taken.into_iter().filter(is_settled).collect();
        self.settled += settled.len() as u64;
        if !self.is_loaded {
            // Further places may turn up; the store keeps it until then.
            return Ok(());
        }
        self.report(settled, observer).await
    }

    fn tell_source(&mut self, taken: &[(Errand, Completion)]) {
        let Some(source) = &mut self.source else { return };
        for (errand, completion) in taken {
            match &completion.step {
                Step::Settle(settlement) => source.take(&errand.url, settlement.word),
                Step::Hold { .. } if waits_for_neighbors(completion) => source.hold(&errand.url),
                _ => {}
            }
        }
    }

    /// Reports what was settled without asking after this errand: places that
    /// pages do not have.
    pub(super) async fn report_settled(
        &self,
        mut after: ErrandId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        loop {
            let query =
                SettledQuery { after, limit: PAGE, places: self.places(), ..SettledQuery::ALL };
            let page = self.ports.store.settled(self.run, query).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.errand;
            for settled in &page {
                observer.settled(settled)?;
            }
        }
    }

    async fn report(
        &mut self,
        settled: Vec<(Errand, Completion)>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let ids: Vec<ErrandId> = settled.iter().map(|(errand, _)| errand.id).collect();
        let mentions = self.ports.store.mentions(&ids, self.places()).await?;
        for ((errand, completion), mentions) in settled.into_iter().zip(mentions) {
            let Step::Settle(settlement) = completion.step else { continue };
            self.note_told(errand.id);
            if mentions.are_hidden {
                continue;
            }
            observer.settled(&Settled {
                errand: errand.id,
                given: errand.given,
                url: errand.url,
                settlement,
                is_cached: false,
                probe: completion.probe,
                places: mentions.places,
                inlinks: mentions.count,
                depth: errand.depth,
            })?;
        }
        Ok(())
    }
}

/// Whether a task was put on hold until other pages have been asked.
fn waits_for_neighbors(completion: &Completion) -> bool {
    completion.probe.as_ref().is_some_and(|probe| !is_network_ending(&probe.ending))
}
