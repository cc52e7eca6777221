//! Judging what came back, committing it, and telling the observer.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_frontier::backoff;
use relink_judge::{Case, Judgement, Next, Wait, codes, conclude, is_network_ending, judge};
use relink_model::{Errand, ErrandId, Look, Probe, Word};
use relink_ports::{Completion, HostId, HostLease, Settled, Settlement, Step};
use tokio::time::Instant;
use xxhash_rust::xxh3::xxh3_64;

use super::lane::Whereabouts;
use super::{Asker, Returned};
use crate::{EngineFault, Observer};

/// While many requests are out, a commit waits so long for company: a fuller
/// batch writes each page of the database once instead of twice.
const LINGER: Duration = Duration::from_millis(2);
/// Results committed at once, at most.
const LARGEST_BATCH: usize = 64;
/// Errands are read back from the store this many at a time.
const PAGE: usize = 256;

/// A judged errand on its way to the store.
struct Judged {
    errand: Errand,
    completion: Completion,
}

impl Asker<'_> {
    /// Takes in what came back.
    pub(super) async fn take_in(&mut self, observer: &mut dyn Observer) -> Result<(), EngineFault> {
        let batch = self.batch();
        // While loading, whoever waits only lets the loader go first.
        if self.is_loaded && self.beside >= batch {
            self.tray.linger(batch, Instant::now() + LINGER).await;
        }
        let returned = self.tray.take(batch);
        self.beside -= returned.len();
        let had_network = self.has_network;
        let mut judged = Vec::with_capacity(returned.len());
        let mut hosts = Vec::with_capacity(returned.len());
        for returned in returned {
            match returned {
                Returned::Located(host, address) => self.note_address(host, address),
                Returned::Looked(host, errand, probe) => {
                    self.has_network |= probe.ending.met_a_server();
                    hosts.push(host);
                    judged.extend(self.judge_look(host, *errand, *probe));
                }
            }
        }
        self.commit(judged, observer).await?;
        self.in_flight -= hosts.len();
        if self.has_network && !had_network {
            // The first server met proves that our own network works; what was
            // held back until then, in this batch too, can be judged.
            self.ports.store.prove_network(self.run).await?;
            self.judge_held(observer).await?;
        }
        hosts.sort_unstable();
        hosts.dedup();
        for host in hosts {
            self.turn_away(host, observer).await?;
            self.schedule(host);
            self.supply.want_refill(host);
        }
        Ok(())
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

    /// Judges what was held back until some server was met.
    pub(super) async fn judge_held(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let mut after = ErrandId(0);
        loop {
            let page = self.ports.store.held(self.run, after, PAGE).await?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = last.id;
            let now = self.ports.now();
            let judged = page
                .into_iter()
                .map(|(errand, probe)| {
                    let looks = errand.looks.clone();
                    let (hops, history) = (&probe.hops, &errand.history);
                    let case = Case { looks: &looks, hops, history, now };
                    let judgement = conclude(&self.settings.policy, &case);
                    let step = Step::Settle(settlement(judgement, &probe, looks, now));
                    Judged::new(errand, None, None, step)
                })
                .collect();
            self.commit(judged, observer).await?;
        }
    }

    /// Judges a look; `None` if the lane is gone, which only a lost lease does.
    fn judge_look(&mut self, host: HostId, errand: Errand, probe: Probe) -> Option<Judged> {
        let (elapsed, now) = (self.elapsed(), self.ports.now());
        let patience = self.settings.patience;
        let lane = self.lanes.get_mut(&host)?;
        lane.arrive(elapsed, &probe, patience);
        let is_shut = lane.shut_for.is_some();
        let lease = lane.lease;
        let step = self.step(&errand, &probe, now, is_shut);
        if let Step::Again { not_before, .. } = &step {
            let wait = Duration::try_from(not_before.duration_since(now)).unwrap_or_default();
            self.supply.recall(host, elapsed + wait);
        }
        Some(Judged::new(errand, Some(lease), Some(probe), step))
    }

    /// What follows from a look.
    fn step(&self, errand: &Errand, probe: &Probe, now: Timestamp, is_shut: bool) -> Step {
        let mut looks = errand.looks.clone();
        looks.push(Look {
            asked: probe.asked,
            purpose: errand.purpose,
            ending: probe.ending.clone(),
            took_ms: probe.timings.total,
        });
        let policy = &self.settings.policy;
        let case = Case { looks: &looks, hops: &probe.hops, history: &errand.history, now };
        let judgement = match judge(policy, &case) {
            Next::Ask { purpose, wait } if !is_shut => {
                let not_before = later(now, self.delay(wait, errand, probe));
                return Step::Again { purpose, not_before, looks };
            }
            Next::Ask { .. } => conclude(policy, &case),
            Next::Settle(judgement) => judgement,
        };
        if !self.has_network && is_network_ending(&probe.ending) {
            return Step::Hold { looks };
        }
        Step::Settle(settlement(judgement, probe, looks, now))
    }

    fn delay(&self, wait: Wait, errand: &Errand, probe: &Probe) -> Duration {
        let asked_for = Duration::from_secs(probe.retry_after.unwrap_or(0));
        match wait {
            Wait::HostInterval => self.settings.pace.interval,
            Wait::Backoff(attempt) => {
                backoff(attempt, xxh3_64(errand.url.as_bytes())).max(asked_for)
            }
        }
    }

    /// Errands of a host that wants to be left alone for longer than this run
    /// will wait are settled unasked.
    pub(super) async fn turn_away(
        &mut self,
        host: HostId,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let now = self.ports.now();
        let Some(lane) = self.lanes.get_mut(&host) else { return Ok(()) };
        let Some(wait) = lane.shut_for else { return Ok(()) };
        let lease = lane.lease;
        let judged: Vec<Judged> = lane
            .queue
            .drain(..)
            .map(|errand| {
                let step = Step::Settle(turned_away(&errand, wait, now));
                Judged::new(errand, Some(lease), None, step)
            })
            .collect();
        self.schedule(host);
        self.commit(judged, observer).await
    }

    /// Stores judged errands in one transaction and reports the settled ones.
    async fn commit(
        &mut self,
        judged: Vec<Judged>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        if judged.is_empty() {
            return Ok(());
        }
        let (errands, completions): (Vec<Errand>, Vec<Completion>) =
            judged.into_iter().map(|judged| (judged.errand, judged.completion)).unzip();
        let refused = self.ports.store.complete(self.run, &completions).await?;
        let settled: Vec<(Errand, Completion)> = errands
            .into_iter()
            .zip(completions)
            .filter(|(errand, completion)| {
                matches!(completion.step, Step::Settle(_)) && !refused.contains(&errand.id)
            })
            .collect();
        self.settled += settled.len() as u64;
        if !self.is_loaded {
            // Further places may turn up; the store keeps it until then.
            return Ok(());
        }
        self.report(settled, observer).await
    }

    /// Reports what is settled already: local links, what was alive lately, in
    /// a resumed run what was settled before, and what was asked while loading.
    pub(super) async fn report_settled(
        &self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let mut after = ErrandId(0);
        loop {
            let page = self.ports.store.settled(self.run, after, PAGE, None).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.errand;
            for settled in &page {
                observer.settled(settled)?;
            }
        }
    }

    async fn report(
        &self,
        settled: Vec<(Errand, Completion)>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let ids: Vec<ErrandId> = settled.iter().map(|(errand, _)| errand.id).collect();
        let places = self.ports.store.places(&ids).await?;
        for ((errand, completion), places) in settled.into_iter().zip(places) {
            let Step::Settle(settlement) = completion.step else { continue };
            observer.settled(&Settled {
                errand: errand.id,
                given: errand.given,
                url: errand.url,
                settlement,
                is_cached: false,
                probe: completion.probe,
                places,
            })?;
        }
        Ok(())
    }
}

impl Judged {
    fn new(errand: Errand, lease: Option<HostLease>, probe: Option<Probe>, step: Step) -> Self {
        let completion =
            Completion { errand: errand.id, target: errand.target, lease, probe, step };
        Self { errand, completion }
    }
}

fn settlement(judgement: Judgement, probe: &Probe, looks: Vec<Look>, now: Timestamp) -> Settlement {
    Settlement {
        word: judgement.word,
        code: judgement.code,
        status: probe.ending.status(),
        reason: judgement.reason,
        since: judgement.since,
        at: now,
        looks,
        streak: judgement.streak,
    }
}

fn turned_away(errand: &Errand, wait: Duration, now: Timestamp) -> Settlement {
    let history = &errand.history;
    let is_same = history.word == Some(Word::Blocked);
    Settlement {
        word: Word::Blocked,
        code: Some(codes::TOO_MANY_REQUESTS),
        status: None,
        reason: format!("not asked: the host wants to be left alone for {} s", wait.as_secs()),
        since: history.since.filter(|_| is_same).unwrap_or(now),
        at: now,
        looks: errand.looks.clone(),
        streak: history.streak,
    }
}

fn later(moment: Timestamp, wait: Duration) -> Timestamp {
    let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
    moment.checked_add(wait).unwrap_or(Timestamp::MAX)
}
