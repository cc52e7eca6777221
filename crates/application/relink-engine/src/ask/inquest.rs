//! From a look to what follows from it.

use std::time::Duration;

use jiff::{Timestamp, Unit};
use relink_frontier::backoff;
use relink_judge::{Case, Habit, Heard, Judgement, Next, Wait, codes, is_network_ending};
use relink_model::{Confidence, Control, Ending, Errand, Look, Probe, Word};
use relink_ports::{Completion, HostId, HostLease, Settlement, Step};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::controls::{Found, NEIGHBOR_KINDS, unasked};
use super::lane::THROTTLING;
use super::{Asker, Looked};
use crate::EngineFault;
use crate::crawl::{Crawler, PageReading};
use crate::host_pace::later;
use crate::isolation::isolate;
use crate::judging::{conclude_page, judge_page};
use crate::look::landing;

/// A look on its way to a judgement.
pub(super) struct Inquest {
    pub(super) host: HostId,
    pub(super) errand: Errand,
    probe: Probe,
    heard: Option<Heard>,
    /// The looks so far, this one included.
    looks: Vec<Look>,
    controls: Vec<Control>,
    /// Whether it was judged without neighbors, for want of them.
    misses_neighbors: bool,
    shown: Shown,
}

/// What a page shows beside what it is judged by.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The places it offers, where some are wanted and they can be told.
    pub(super) anchors: Option<Vec<u32>>,
    /// What it says, if its links are followed.
    pub(super) reading: Option<Box<PageReading>>,
}

/// A judged errand on its way to the store.
pub(super) struct Judged {
    pub(super) errand: Errand,
    pub(super) completion: Completion,
    /// What the page says, until it is weighed.
    pub(super) reading: Option<Box<PageReading>>,
    /// The probe it was put on hold with, which the store has already.
    pub(super) held: Option<Probe>,
}

impl Inquest {
    fn new(host: HostId, looked: Looked) -> Self {
        let Looked { errand, probe, heard, shown } = looked;
        let mut looks = errand.looks.clone();
        looks.push(Look {
            asked: probe.asked,
            purpose: errand.purpose,
            ending: probe.ending.clone(),
            took_ms: probe.timings.total,
        });
        let controls = Vec::new();
        Self { host, errand, probe, heard, looks, controls, misses_neighbors: false, shown }
    }

    fn case(&self, habit: Habit, now: Timestamp) -> Case<'_> {
        Case {
            url: &self.errand.url,
            looks: &self.looks,
            probe: &self.probe,
            heard: self.heard,
            controls: &self.controls,
            habit,
            history: &self.errand.history,
            now,
        }
    }
}

impl Asker<'_> {
    /// Opens the inquest on a look; `None` if the lane is gone, which only a
    /// lost lease does.
    pub(super) fn open_inquest(&mut self, host: HostId, looked: Looked) -> Option<Inquest> {
        let (elapsed, patience) = (self.elapsed(), self.settings.patience);
        let Some(lane) = self.lanes.get_mut(&host) else {
            self.in_flight -= 1;
            return None;
        };
        lane.arrive(elapsed, &looked.probe, patience);
        if self.crawler.is_some() && lane.welcome.is_in_doubt() {
            lane.doubted.push(looked.errand.clone());
        }
        Some(Inquest::new(host, looked))
    }

    /// Goes on with an inquest: `None` if it has to wait for a control.
    pub(super) async fn proceed(
        &mut self,
        mut inquest: Inquest,
    ) -> Result<Option<Judged>, EngineFault> {
        loop {
            let now = self.ports.now();
            let Some(lane) = self.lanes.get(&inquest.host) else {
                self.in_flight -= 1;
                return Ok(None);
            };
            let (lease, habit, is_shut) = (lane.lease, lane.habit, lane.is_closed());
            if self.is_vain_guess(&inquest) {
                self.targets = self.targets.saturating_sub(1);
                return Ok(Some(inquest.judged(lease, Step::Leave)));
            }
            let settings = self.settings;
            let case = inquest.case(habit, now);
            match judge_page(&settings.policy, &case) {
                // Whatever else is needed is asked at once; the neighbors will
                // have been asked in the end.
                Next::Compare(kind) if NEIGHBOR_KINDS.contains(&kind) => {
                    inquest.controls.push(unasked(kind));
                    inquest.misses_neighbors = true;
                }
                Next::Compare(kind) if !is_shut => match self.find_control(kind, &inquest).await? {
                    Found::Control(control) => inquest.controls.push(control),
                    Found::OnItsWay(errand) => {
                        self.park(inquest, errand);
                        return Ok(None);
                    }
                },
                Next::Ask { purpose, wait } if !is_shut => {
                    let wait = self.delay(wait, &inquest);
                    self.supply.recall(inquest.host, self.elapsed() + wait);
                    let not_before = later(now, wait);
                    let step = Step::Again { purpose, not_before, looks: inquest.looks.clone() };
                    return Ok(Some(inquest.judged(lease, step)));
                }
                Next::Ask { .. } | Next::Compare(_) => {
                    let judgement = conclude_page(&settings.policy, &case);
                    return Ok(Some(self.settle(inquest, lease, judgement, now)));
                }
                Next::Settle(_) if inquest.misses_neighbors && !self.follows(&inquest) => {
                    let looks = inquest.looks.clone();
                    return Ok(Some(inquest.judged(lease, Step::Hold { looks })));
                }
                Next::Settle(judgement) => {
                    return Ok(Some(self.settle(inquest, lease, judgement, now)));
                }
            }
        }
    }

    /// Whether the page is a sitemap that a crawl only guessed, and not there.
    fn is_vain_guess(&self, inquest: &Inquest) -> bool {
        let reading = inquest.shown.reading.as_deref();
        let is_vain = |crawler: &&mut Crawler| {
            crawler.is_vain_guess(&inquest.errand, &inquest.probe, reading)
        };
        self.crawler.as_ref().is_some_and(is_vain)
    }

    /// Whether a crawl goes on from where the page was sent. That cannot wait
    /// for the end, so the page is judged without its neighbors: who comes first
    /// must not decide.
    fn follows(&self, inquest: &Inquest) -> bool {
        let Some(crawler) = &self.crawler else { return false };
        let asked = Url::parse(&inquest.errand.url).ok();
        [asked, landing(&inquest.probe)].iter().flatten().all(|url| crawler.follows(url))
    }

    /// Judges a look at once, when nothing more will be asked.
    pub(super) fn concluded(
        &mut self,
        host: HostId,
        lease: HostLease,
        looked: Looked,
        now: Timestamp,
    ) -> Judged {
        let inquest = Inquest::new(host, looked);
        let case = inquest.case(Habit::default(), now);
        let judgement = conclude_page(&self.settings.policy, &case);
        self.settle(inquest, lease, judgement, now)
    }

    fn settle(
        &mut self,
        inquest: Inquest,
        lease: HostLease,
        judgement: Judgement,
        now: Timestamp,
    ) -> Judged {
        let looks = inquest.looks.clone();
        let word = judgement.word;
        let mut found = settlement(judgement, &inquest.probe, looks.clone(), now);
        if let Some(until) = self.retry_time(&inquest) {
            found.reason = format!("{}; no request before {}", found.reason, to_second(until));
        }
        let step = if self.is_doubtful(&inquest.errand.url, &inquest.probe, word) {
            if !is_network_ending(&inquest.probe.ending) {
                self.keep_waiting(inquest.errand.id, found);
            }
            Step::Hold { looks }
        } else {
            Step::Settle(found)
        };
        inquest.judged(lease, step)
    }

    /// When a page is requested next whose host asked for a wait that is longer
    /// than this run.
    fn retry_time(&self, inquest: &Inquest) -> Option<Timestamp> {
        let is_throttled = matches!(inquest.probe.ending, Ending::Answered(status) if THROTTLING.contains(&status));
        let lane = self.lanes.get(&inquest.host).filter(|_| is_throttled)?;
        lane.shut_until
    }

    fn delay(&self, wait: Wait, inquest: &Inquest) -> Duration {
        let asked_for = Duration::from_secs(inquest.probe.retry_after.unwrap_or(0));
        match wait {
            Wait::HostInterval => self.settings.pace.interval,
            Wait::Backoff(attempt) => {
                backoff(attempt, xxh3_64(inquest.errand.url.as_bytes())).max(asked_for)
            }
        }
    }

    /// What follows for an errand that was put on hold, now that the network is
    /// known to work and nothing more will be asked.
    pub(super) async fn judge_again(
        &mut self,
        errand: Errand,
        probe: Probe,
    ) -> Result<Judged, EngineFault> {
        // It may have waited for days, if the run was interrupted.
        let now = probe.asked;
        let heard = isolate(&errand.url, || probe.digest.as_deref().map(Heard::of));
        let heard = heard.unwrap_or_default();
        let mut controls = Vec::new();
        let judgement = loop {
            let case = Case {
                url: &errand.url,
                looks: &errand.looks,
                probe: &probe,
                heard,
                controls: &controls,
                habit: Habit::default(),
                history: &errand.history,
                now,
            };
            match judge_page(&self.settings.policy, &case) {
                Next::Compare(kind) if NEIGHBOR_KINDS.contains(&kind) => {
                    controls.extend(self.find_neighbors(&errand.url, &probe).await?);
                }
                Next::Compare(kind) => controls.push(self.find_asked(kind, &errand.url).await?),
                Next::Ask { .. } => break conclude_page(&self.settings.policy, &case),
                Next::Settle(judgement) => break judgement,
            }
        };
        let settlement = settlement(judgement, &probe, errand.looks.clone(), now);
        let judged = Judged::new(errand, None, None, Step::Settle(settlement));
        Ok(Judged { held: Some(probe), ..judged })
    }
}

impl Inquest {
    fn judged(self, lease: HostLease, step: Step) -> Judged {
        let Shown { anchors, reading } = self.shown;
        // The places of an error page are nobody's.
        let may_be_there = match &step {
            Step::Settle(settlement) => settlement.word.is_reached(),
            Step::Hold { .. } => true,
            Step::Again { .. } | Step::Leave => false,
        };
        let mut judged = Judged::new(self.errand, Some(lease), Some(self.probe), step);
        judged.completion.anchors = anchors.filter(|_| may_be_there);
        Judged { reading, ..judged }
    }
}

impl Judged {
    pub(super) fn new(
        errand: Errand,
        lease: Option<HostLease>,
        probe: Option<Probe>,
        step: Step,
    ) -> Self {
        let (id, target) = (errand.id, errand.target);
        let completion =
            Completion { errand: id, target, lease, probe, step, page: None, anchors: None };
        Self { errand, completion, reading: None, held: None }
    }
}

/// The state of a target by this judgement.
pub(super) fn settlement(
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
        confidence: judgement.confidence,
        grounds: judgement.grounds,
    }
}

/// A time as reasons name it, without fractions of a second.
fn to_second(time: Timestamp) -> Timestamp {
    time.round(Unit::Second).unwrap_or(time)
}

/// The state of an errand whose host wants no requests until then.
pub(super) fn turned_away(errand: &Errand, until: Timestamp, now: Timestamp) -> Settlement {
    let history = &errand.history;
    let is_same = history.word == Some(Word::Blocked);
    Settlement {
        word: Word::Blocked,
        code: Some(codes::TOO_MANY_REQUESTS),
        status: None,
        reason: format!("not requested: the host accepts no request before {}", to_second(until)),
        since: history.since.filter(|_| is_same).unwrap_or(now),
        at: now,
        looks: errand.looks.clone(),
        streak: history.streak,
        confidence: Confidence::FULL,
        grounds: Vec::new(),
    }
}
