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
use super::{Asker, BATCH, Returned};
use crate::{EngineFault, Observer};

/// While many requests are out, a commit waits so long for company: a fuller
/// batch writes each page of the database once instead of twice.
const LINGER: Duration = Duration::from_millis(2);
/// Errands on hold are judged this many at a time.
const PAGE: usize = 256;

/// A judged errand on its way to the store.
struct Judged {
    errand: Errand,
    completion: Completion,
}

impl Asker<'_> {
    /// Takes in what came back: `first` and whatever else is there already.
    pub(super) async fn take_in(
        &mut self,
        first: Returned,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let mut judged = Vec::with_capacity(BATCH);
        let mut hosts = Vec::with_capacity(BATCH);
        let mut proves_network = false;
        let lingers_until = Instant::now() + LINGER;
        let mut next = Some(first);
        while let Some(returned) = next {
            match returned {
                Returned::Located(host, address) => self.note_address(host, address),
                Returned::Looked(host, errand, probe) => {
                    let is_proof = !self.has_network && probe.ending.met_a_server();
                    self.has_network |= is_proof;
                    proves_network |= is_proof;
                    hosts.push(host);
                    judged.extend(self.judge_look(host, *errand, *probe));
                }
            }
            next = if judged.len() < BATCH {
                self.next_returned(lingers_until).await
            } else {
                None
            };
        }
        let looked = hosts.len();
        self.commit(judged, observer).await?;
        self.in_flight -= looked;
        if proves_network {
            // The first server met proves that our own network works; what was
            // held back until then, in this batch too, can be judged.
            self.ports.store.prove_network(self.run).await?;
            self.judge_held(observer).await?;
        }
        for host in hosts {
            self.turn_away(host, observer).await?;
            self.schedule(host);
            self.supply.want_refill(host);
        }
        Ok(())
    }

    /// The next result that is there, or comes soon while many are out.
    async fn next_returned(&mut self, lingers_until: Instant) -> Option<Returned> {
        if let Some(returned) = self.beside.try_join_next() {
            return returned.ok();
        }
        if self.beside.len() < BATCH {
            return None;
        }
        let joined = tokio::time::timeout_at(lingers_until, self.beside.join_next()).await;
        joined.ok().flatten().and_then(Result::ok)
    }

    fn note_address(&mut self, host: HostId, address: Option<std::net::IpAddr>) {
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.whereabouts = Whereabouts::Known(address);
        }
        self.schedule(host);
    }

    /// Judges what was held back until some server was met.
    pub(super) async fn judge_held(&mut self, observer: &mut dyn Observer) -> Result<(), EngineFault> {
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
        let case =
            Case { looks: &looks, hops: &probe.hops, history: &errand.history, now };
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
        self.report(settled, observer).await
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

fn settlement(
    judgement: Judgement,
    probe: &Probe,
    looks: Vec<Look>,
    now: Timestamp,
) -> Settlement {
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
